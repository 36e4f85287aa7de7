import { keepNewest } from './data.ts'

/** How many calls a bucket holds, and how many leak out of it per second. */
export interface BucketSize {
  readonly size: number
  readonly leak: number
}

/** Returns an empty leaky bucket. Refused calls are not counted. */
export function createBucket(clock: () => number) {
  let level = 0
  let at = clock()
  return {
    /** Counts one call. @returns false when the bucket is full */
    spend({ size, leak }: BucketSize): boolean {
      const now = clock()
      level = Math.max(0, level - (Math.max(now - at, 0) / 1000) * leak)
      at = now
      if (level + 1 > size) return false
      level += 1
      return true
    },
    /** Returns the seconds until the next call fits. */
    wait: ({ size, leak }: BucketSize): number => (level + 1 - size) / leak,
    /** Returns the calls that are in the bucket. */
    used: (): number => Math.ceil(level),
    reset() {
      level = 0
    },
  }
}

/** Returns a counter that begins again with each period (milliseconds) since 1970. */
export function createCounter(period: number) {
  let current = -1
  let count = 0
  return {
    at(now: number): number {
      const index = Math.floor(now / period)
      if (index !== current) count = 0
      current = index
      return count
    },
    add() {
      count += 1
    },
    /** Returns the end of the period in which a time is, epoch milliseconds. */
    end: (now: number): number => (Math.floor(now / period) + 1) * period,
    reset() {
      count = 0
    },
  }
}

/** How many requests may pass. */
export interface Rate {
  readonly perSecond: number
  readonly perMinute: number
  readonly perDay: number
}

const [minute, day] = [60_000, 86_400_000]
const suspension = 5 * minute
const rememberedKeys = 1000

function createMeter(clock: () => number) {
  const counters = { perDay: createCounter(day), perMinute: createCounter(minute), perSecond: createCounter(1000) }
  let suspended: { readonly reason: keyof Rate; readonly until: number } | undefined
  return (rate: Rate): keyof Rate | undefined => {
    const now = clock()
    if (suspended && now < suspended.until) return suspended.reason
    const reason = (['perDay', 'perMinute', 'perSecond'] as const).find((name) => counters[name].at(now) >= rate[name])
    if (reason === 'perDay') suspended = { reason, until: counters.perDay.end(now) }
    if (reason === 'perMinute') suspended = { reason, until: now + suspension }
    if (reason === undefined) for (const counter of Object.values(counters)) counter.add()
    return reason
  }
}

/**
 * Returns a limiter by key that says which rate a request broke. A broken rate per second ends with the second, one per minute suspends
 * for five minutes, one per day until midnight UTC. Refused requests are not counted.
 */
export function createRates(clock: () => number) {
  const meters = new Map<string, ReturnType<typeof createMeter>>()
  return {
    spend(key: string, rate: Rate): keyof Rate | undefined {
      const meter = meters.get(key) ?? createMeter(clock)
      meters.set(key, meter)
      keepNewest(meters, rememberedKeys)
      return meter(rate)
    },
    reset: () => meters.clear(),
  }
}
