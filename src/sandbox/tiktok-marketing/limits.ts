import { day } from './time.ts'

/** How many requests may pass. */
export interface Rate {
  readonly perSecond: number
  readonly perMinute: number
  readonly perDay: number
}

/** Counts requests by key: an app, an advertiser with a path. */
export interface Limiter {
  /**
   * Counts one request; a refused one is not counted.
   *
   * @returns undefined when it may pass, else the rate that it broke
   */
  spend(key: string, rate: Rate): keyof Rate | undefined
  /** Forgets everything. */
  reset(): void
}

interface Meter {
  second: number
  inSecond: number
  minute: number
  inMinute: number
  day: number
  inDay: number
  /** Until then everything is refused, epoch milliseconds. */
  suspendedUntil: number
  reason: keyof Rate
}

const suspension = 5 * 60_000
const rememberedKeys = 1000

function freshMeter(): Meter {
  return { second: 0, inSecond: 0, minute: 0, inMinute: 0, day: 0, inDay: 0, suspendedUntil: 0, reason: 'perMinute' }
}

/** Empties the counters of periods that are over. */
function roll(meter: Meter, now: number): void {
  const second = Math.floor(now / 1000)
  const minute = Math.floor(now / 60_000)
  const date = Math.floor(now / day)
  if (second !== meter.second) meter.inSecond = 0
  if (minute !== meter.minute) meter.inMinute = 0
  if (date !== meter.day) meter.inDay = 0
  meter.second = second
  meter.minute = minute
  meter.day = date
}

function suspend(meter: Meter, reason: keyof Rate, until: number): keyof Rate {
  meter.suspendedUntil = until
  meter.reason = reason
  return reason
}

function spendOn(meter: Meter, rate: Rate, now: number): keyof Rate | undefined {
  if (now < meter.suspendedUntil) return meter.reason
  roll(meter, now)
  if (meter.inDay >= rate.perDay) return suspend(meter, 'perDay', (meter.day + 1) * day)
  if (meter.inMinute >= rate.perMinute) return suspend(meter, 'perMinute', now + suspension)
  if (meter.inSecond >= rate.perSecond) return 'perSecond'
  meter.inSecond += 1
  meter.inMinute += 1
  meter.inDay += 1
  return undefined
}

/**
 * A limiter without history: a broken rate per second ends with the second, one per minute suspends for five minutes, one per day until
 * midnight UTC.
 *
 * @param clock - epoch milliseconds
 */
export function createLimiter(clock: () => number): Limiter {
  const meters = new Map<string, Meter>()
  return {
    spend(key, rate) {
      const meter = meters.get(key) ?? freshMeter()
      meters.set(key, meter)
      const oldest = meters.keys().next()
      if (meters.size > rememberedKeys && !oldest.done) meters.delete(oldest.value)
      return spendOn(meter, rate, clock())
    },
    reset: () => meters.clear(),
  }
}
