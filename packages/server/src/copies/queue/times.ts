/** Computes the times of schedules and retries. Jitter spreads work that started together. */
import { createHash } from 'node:crypto'
import type { Parts } from '../../main/parts.ts'

/** Length of a lease from its last renewal. Another node replaces a killed node after this time. */
export const leaseMs = 90_000
/** Interval of renewals without progress. */
export const renewalMs = 15_000
/** A node stops its work this long before the lease ends; the clocks of nodes may differ by as much. */
export const leaseMarginMs = 45_000
/** A lease ends this long after its session ended. A node behind a cut connection gives up earlier, after 8 seconds (`confirmedMs`). */
export const endedSessionMs = 10_000

type TimeParts = Pick<Parts, 'source' | 'settings'>

/** Largest fraction of an interval that is subtracted at random. */
const intervalJitter = 0.1
/** Delay of the first retry after a fruitless attempt, which doubles each time, and its maximum. Milliseconds. */
const [firstDelayMs, longestDelayMs] = [15_000, 900_000]
/** Bounds of a vendor's Retry-After, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [1_000, 3_600_000]
/** Largest fraction that is added to a delay at random. */
const delayJitter = 0.25

/** Maximum number of consecutive fruitless attempts. What is left then fails, and the next scheduled run starts over. */
export const mostFailures = 8

/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
const random = ({ source }: TimeParts): number => source.randomBytes(4).readUInt32BE() / 2 ** 32

/** Returns when a new or changed schedule is due first, in milliseconds since 1970. @param seconds its interval; null for the default */
export const computeFirstRunAt = (parts: TimeParts, seconds: number | null): number => {
  const interval = (seconds ?? parts.settings.syncIntervalSeconds) * 1_000
  return parts.source.clock() + Math.round(interval * (1 - intervalJitter * random(parts)))
}

/**
 * Returns when a schedule is due again: the next time of the connector's own offset in the interval, in milliseconds since 1970. The offsets
 * of all connectors are spread evenly, so connectors that came due together part at once.
 * @param schedule its connector, and its interval in seconds; null for the default
 */
export function computeNextRunAt(
  { source, settings }: TimeParts,
  { connector_id, interval_seconds }: { readonly connector_id: string; readonly interval_seconds: number | null },
): number {
  const interval = (interval_seconds ?? settings.syncIntervalSeconds) * 1_000
  const now = source.clock()
  const own = createHash('sha256').update(connector_id).digest().readUIntBE(0, 6) % interval
  const begun = now - (now % interval) + own
  return begun > now ? begun : begun + interval
}

/** A failed attempt. */
export interface FailedAttempt {
  /** Number of consecutive fruitless attempts, with this one. */
  readonly failures: number
  /** Retry-After of the vendor or the service, in milliseconds. */
  readonly askedMs: number | undefined
  /** True when the vendor named the time of the next call, which then needs no backoff. */
  readonly isExact: boolean
}

/** Returns when the next attempt may start, in milliseconds since 1970. */
export function computeNextAttemptAt(parts: TimeParts, { failures, askedMs = 0, isExact }: FailedAttempt): number {
  const backoff = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1))
  const wait = Math.min(longestWaitMs, Math.max(askedMs, isExact && askedMs > 0 ? shortestWaitMs : backoff))
  return parts.source.clock() + Math.round(wait * (1 + delayJitter * random(parts)))
}
