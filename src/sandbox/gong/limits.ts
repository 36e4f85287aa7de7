import { day } from './time.ts'

/** The quota of the imitated company, shared by all its keys and tokens. */
export interface Limiter {
  /**
   * Counts one request.
   *
   * @returns undefined when it may pass, else the seconds to wait
   */
  spend(rate: { perSecond: number; perDay: number }): number | undefined
  /** A full bucket and a new day. */
  reset(): void
}

/**
 * A token bucket per second and a counter per UTC day. Refused requests are not counted.
 *
 * @param clock - epoch milliseconds
 */
export function createLimiter(clock: () => number): Limiter {
  let tokens = Number.POSITIVE_INFINITY
  let filledAt = clock()
  let today = -1
  let used = 0
  return {
    spend({ perSecond, perDay }) {
      const now = clock()
      const date = Math.floor(now / day)
      if (date !== today) used = 0
      today = date
      tokens = Math.min(perSecond, tokens + (Math.max(now - filledAt, 0) / 1000) * perSecond)
      filledAt = now
      if (used >= perDay) return Math.max(1, Math.ceil(((date + 1) * day - now) / 1000))
      if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / Math.max(perSecond, 1)))
      tokens -= 1
      used += 1
      return undefined
    },
    reset() {
      tokens = Number.POSITIVE_INFINITY
      used = 0
    },
  }
}
