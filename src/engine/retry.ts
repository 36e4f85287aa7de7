/** When a call to the vendor is tried again. */
import { FerruleError } from '../errors.ts'

/** Attempts of one call, the first included. */
export const maxAttempts = 3

/** First pause of the exponential backoff and its bound, in milliseconds. */
const firstPause = 500
const longestPause = 8_000

/** Longest `Retry-After` that is believed, in milliseconds: a day, the longest window of a vendor. One wrong date must not end all calls for ever. */
const longestRetryAfter = 86_400_000

/** Codes that a read survives. */
const transient: ReadonlySet<string> = new Set([
  'upstream_rate_limited',
  'upstream_conflict',
  'upstream_error',
  'upstream_unreachable',
  'upstream_timeout',
])

/** Whether a failed read may be sent again. */
export const isTransient = (error: unknown): error is FerruleError =>
  error instanceof FerruleError && error.retryable && transient.has(error.code)

/**
 * `Retry-After` (RFC 9110 section 10.2.3): seconds, also as a decimal number as some vendors send it, or a date.
 * @returns milliseconds from `now`, a day at most, or undefined when there is none that can be read
 */
export function retryAfterOf(headers: Readonly<Record<string, string | string[] | undefined>>, now: number): number | undefined {
  const header = headers['retry-after']
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined || text.trim() === '') return undefined
  const seconds = Number(text)
  const wait = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000
  return Number.isFinite(wait) ? Math.min(longestRetryAfter, Math.max(0, wait)) : undefined
}

/**
 * The pause before the next attempt: what the vendor asked for, else exponential with full jitter.
 * @param failures attempts that failed so far, from 1
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export const pauseBefore = (error: FerruleError, failures: number, random: () => number): number =>
  error.retryAfterMs ?? random() * Math.min(longestPause, firstPause * 2 ** (failures - 1))
