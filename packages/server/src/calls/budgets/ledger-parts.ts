/** The parts of a ledger: each is one limit of the vendor. All times are milliseconds of the clock that the nodes share. */
import type { Limits } from 'ferrule/definition'

/** One limit of the vendor. `Stored` is its state as JSON. */
export interface LedgerPart {
  /**
   * Computes the earliest time of one more call.
   * @param slack share by which windows are longer, so that calls of several nodes may be late
   */
  earliest(now: number, slack: number): number
  /** Counts a call. */
  take(at: number): void
  /** Takes back the newest calls, where the limit counts and keeps no times. */
  refund(calls: number): void
  /** Computes how many calls fit into a duration at most. */
  capacity(durationMs: number): number
  /** Returns the state as JSON. */
  store(): readonly number[]
}

/** Windows with at most this many calls, and this length in milliseconds, keep the time of each call. */
const mostTimes = 24
const longestTimes = 60_000
/** Parts of a window that counts. The part that leaves the window still counts, so such a window is longer by one part. */
const windowParts = 96
/** Share of the slack for calls that are sent late; the rest is for the way to the vendor and for the clocks. */
const lateShare = 0.6
/** Usable share of a leaky bucket, as in the budget of one process. */
const usableBucket = 0.9

type Rate = NonNullable<Limits['rates']>[number]

/** A moving window that knows the time of each call. */
class TimesWindow implements LedgerPart {
  readonly #calls: number
  readonly #lengthMs: number
  /** Times of the last calls, oldest first. */
  #times: number[]

  constructor({ calls, seconds }: Rate, stored: readonly number[], latest: number) {
    this.#calls = calls
    this.#lengthMs = seconds * 1_000
    this.#times = stored.map((time) => Math.min(time, latest)).slice(-calls)
  }

  earliest(now: number, slack: number): number {
    const oldest = this.#times.length < this.#calls ? undefined : this.#times[0]
    return oldest === undefined ? now : Math.max(now, oldest + this.#lengthMs * (1 + slack))
  }

  take(at: number): void {
    const later = this.#times.findLastIndex((time) => time <= at) + 1
    this.#times.splice(later, 0, at)
    if (this.#times.length > this.#calls) this.#times.shift()
  }

  refund(): void {
    // The time of the call is not known, and the window is short.
  }

  capacity(durationMs: number): number {
    return this.#calls * (Math.ceil(durationMs / this.#lengthMs) + 1)
  }

  store(): readonly number[] {
    return this.#times
  }
}

/** A moving window that counts calls by parts of its length. */
class CountsWindow implements LedgerPart {
  readonly #calls: number
  readonly #partMs: number
  /** Calls by the number of the part, oldest first. */
  readonly #counts: Map<number, number>

  constructor({ calls, seconds }: Rate, stored: readonly number[], latest: number) {
    this.#calls = calls
    this.#partMs = (seconds * 1_000) / windowParts
    this.#counts = new Map()
    for (let index = 0; index + 1 < stored.length; index += 2)
      this.#add(Math.min(stored[index] ?? 0, this.#part(latest)), stored[index + 1] ?? 0)
  }

  earliest(now: number): number {
    const parts = [...this.#counts].toSorted(([a], [b]) => a - b)
    let [part, used] = [this.#part(now), 0]
    for (const [each, calls] of parts) if (each >= part - windowParts) used += calls
    if (used < this.#calls) return now
    for (const [each, calls] of parts) {
      if (each < part - windowParts) continue
      used -= calls
      if (used < this.#calls) {
        part = each + windowParts + 1
        break
      }
    }
    return Math.max(now, part * this.#partMs)
  }

  take(at: number): void {
    this.#add(this.#part(at), 1)
    if (this.#counts.size <= windowParts + 2) return
    this.#counts.delete(Math.min(...this.#counts.keys()))
  }

  refund(calls: number): void {
    const newest = Math.max(...this.#counts.keys())
    const counted = this.#counts.get(newest)
    if (counted !== undefined) this.#counts.set(newest, Math.max(0, counted - calls))
  }

  capacity(): number {
    return this.#calls
  }

  store(): readonly number[] {
    return [...this.#counts].toSorted(([a], [b]) => a - b).flat()
  }

  #part(at: number): number {
    return Math.floor(at / this.#partMs)
  }

  #add(part: number, calls: number): void {
    this.#counts.set(part, (this.#counts.get(part) ?? 0) + calls)
  }
}

/** A leaky bucket, whose level the vendor also reports. */
export class LeakyLevel implements LedgerPart {
  readonly #leakPerSize: number
  #size: number
  #level: number
  #at: number

  constructor({ size, perSecond }: NonNullable<Limits['bucket']>, stored: readonly number[], latest: number) {
    const [storedSize = size, level = 0, at = 0] = stored
    this.#leakPerSize = perSecond / size
    this.#size = storedSize
    this.#level = level
    this.#at = Math.min(at, latest)
  }

  earliest(now: number): number {
    const room = Math.max(0, Math.floor(this.#size * usableBucket) - 1)
    const at = Math.max(now, this.#at)
    return at + (Math.max(0, this.#levelAt(at) - room) / this.#rate) * 1_000
  }

  take(at: number): void {
    this.#level = this.#levelAt(at) + 1
    this.#at = Math.max(this.#at, at)
  }

  refund(): void {
    // The vendor reports its level.
  }

  capacity(durationMs: number): number {
    return Math.ceil(this.#size * usableBucket + (durationMs / 1_000) * this.#rate)
  }

  store(): readonly number[] {
    return [this.#size, Math.round(this.#level * 1_000) / 1_000, this.#at]
  }

  /** Reads the vendor's level, which counts if it is higher. */
  observe({ used, size }: ObservedLevel, now: number): void {
    this.#size = size
    this.#level = Math.max(this.#levelAt(now), used)
    this.#at = Math.max(this.#at, now)
  }

  get #rate(): number {
    return this.#size * this.#leakPerSize
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - (Math.max(0, now - this.#at) / 1_000) * this.#rate)
  }
}

/** A level as a vendor reports it. */
export interface ObservedLevel {
  readonly used: number
  readonly size: number
}

/** Returns whether a window keeps the time of each call. */
const keepsTimes = ({ calls, seconds }: Rate): boolean => calls <= mostTimes && seconds * 1_000 <= longestTimes

/** Opens a window. @param latest latest believable time; later ones come from a clock that stepped back */
export const openWindow = (rate: Rate, stored: readonly number[], latest: number): LedgerPart =>
  keepsTimes(rate) ? new TimesWindow(rate, stored, latest) : new CountsWindow(rate, stored, latest)

/**
 * Returns how late a call of a planned turn may be sent, in milliseconds. With the slack of the plan, calls of several nodes stay apart as
 * the vendor asks.
 */
export function readTolerance({ rates = [] }: Pick<Limits, 'rates'>, slack: number): number {
  const lengths = rates.map((rate) => (keepsTimes(rate) ? rate.seconds * slack * lateShare : rate.seconds / windowParts))
  return Math.min(1, ...lengths) * 1_000
}
