/** Moments of schedules and of new attempts, with jitter: what begins together must not stay together. */
import type { Parts } from '../parts.ts'

type TimeParts = Pick<Parts, 'source' | 'settings'>

/** Up to this part of an interval is left out, at random. */
const intervalJitter = 0.1
/** Delay before the second attempt that follows one that came to nothing, then twice as long each time. Milliseconds. */
const [firstDelayMs, longestDelayMs] = [15_000, 900_000]
/** The longest that a vendor's "wait" is believed: then it is asked again. Milliseconds. */
const [shortestWaitMs, longestWaitMs] = [1_000, 3_600_000]
/** A delay is longer by up to this part, at random. */
const delayJitter = 0.25

/** A number from 0 (inclusive) to 1 (exclusive). */
const random = ({ source }: TimeParts): number => source.randomBytes(4).readUInt32BE() / 2 ** 32

/** When a schedule is due next. @param seconds its interval; null for the default */
export const nextRunAt = (parts: TimeParts, seconds: number | null): number => {
  const interval = (seconds ?? parts.settings.syncIntervalSeconds) * 1_000
  return parts.source.clock() + Math.round(interval * (1 - intervalJitter * random(parts)))
}

/** What is known of an attempt that did not work. */
export interface FailedAttempt {
  /** Attempts in a row that came to nothing, this one included. */
  readonly failures: number
  /** What the vendor or the service asked to wait, in milliseconds. */
  readonly askedMs: number | undefined
  /** The vendor told when the next call is welcome: that is enough. */
  readonly isExact: boolean
}

/** When the next attempt may follow one that did not work. */
export function nextAttemptAt(parts: TimeParts, { failures, askedMs = 0, isExact }: FailedAttempt): number {
  const backoff = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1))
  const wait = Math.min(longestWaitMs, Math.max(askedMs, isExact && askedMs > 0 ? shortestWaitMs : backoff))
  return parts.source.clock() + Math.round(wait * (1 + delayJitter * random(parts)))
}
