/** Decides when a failed call is retried: to the vendor, and to the service. */
import { errorConsequences } from './error-consequences.ts'
import { FerruleError } from './errors.ts'

/** Maximum number of attempts of one call, the first included. */
export const maxAttempts = 3

/** First pause of the exponential backoff and its limit, in milliseconds. */
const firstPause = 500
const longestPause = 8_000

/**
 * Longest accepted `Retry-After` in milliseconds: a day, the longest window of a vendor. Without a limit one wrong date would end all
 * calls.
 */
const longestRetryAfter = 86_400_000

const attempts = { none: 1, one: 2, all: maxAttempts } as const

/** Returns the maximum number of attempts of a read that fails with an error, the first included. */
export const countAttempts = (error: unknown): number =>
  error instanceof FerruleError && error.retryable ? attempts[errorConsequences[error.code].readRetries] : 1

/** Returns whether a failed read may be sent again. */
export const isTransient = (error: unknown): error is FerruleError => countAttempts(error) > 1

/**
 * Parses `Retry-After` (RFC 9110 section 10.2.3): seconds, also as a decimal number as some vendors send it, or a date.
 * @returns milliseconds from `now`, at most a day; undefined without a readable value
 */
export function parseRetryAfter(headers: Readonly<Record<string, string | string[] | undefined>>, now: number): number | undefined {
  const header = headers['retry-after']
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined || text.trim() === '') return undefined
  const seconds = Number(text)
  const wait = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000
  return Number.isFinite(wait) ? Math.min(longestRetryAfter, Math.max(0, wait)) : undefined
}

/**
 * Computes the pause before the next attempt: the vendor's wait, else exponential backoff with full jitter.
 * @param failures number of failed attempts so far, from 1
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 * @returns milliseconds
 */
export const computePause = (error: FerruleError, failures: number, random: () => number): number =>
  error.retryAfterMs ?? random() * Math.min(longestPause, firstPause * 2 ** (failures - 1))
