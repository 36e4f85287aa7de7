/** Moving windows: a maximum number of calls within any period of a length. Exact, where a token bucket would allow twice the rate. */
import type { Rate } from '../../definition/connector.ts'
import type { Budget } from './limits.ts'

/** Times are dropped when there are this many, or twice what was left the last time. */
const leastToDrop = 64

/** The times of calls, oldest first, as far back as a rate needs them. */
export class RecentTimes {
  #times: number[] = []
  /** What the rates look back at: calls, and milliseconds. */
  #most = 0
  #longest = 0
  #dropsAt = leastToDrop

  /** Computes the earliest time, from `now` on, at which all rates have room for one more call. */
  earliest(rates: readonly Rate[], now: number): number {
    return rates.reduce(
      (latest, { calls, seconds }) => Math.max(latest, (this.#times.at(-calls) ?? Number.NEGATIVE_INFINITY) + seconds * 1_000),
      now,
    )
  }

  /** Counts a call at a time. */
  add(rates: readonly Rate[], at: number): void {
    for (const { calls, seconds } of rates) {
      this.#most = Math.max(this.#most, calls)
      this.#longest = Math.max(this.#longest, seconds * 1_000)
    }
    this.#times.push(at)
    if (this.#times.length < this.#dropsAt) return
    const first = this.#times.findIndex((time) => time + this.#longest > at)
    this.#times = first < 0 ? [] : this.#times.slice(Math.max(first, this.#times.length - this.#most))
    this.#dropsAt = Math.max(leastToDrop, 2 * this.#times.length)
  }
}

/** The budget of a key. Turns are reserved in the order of requests. */
export class Windows implements Budget {
  readonly #rates: readonly Rate[]
  readonly #times = new RecentTimes()

  constructor(rates: readonly Rate[]) {
    this.#rates = rates
  }

  earliest(now: number): number {
    return this.#times.earliest(this.#rates, now)
  }

  take(moment: number): void {
    this.#times.add(this.#rates, moment)
  }

  count(now: number): void {
    this.take(this.earliest(now)) // times stay in order, and future ones are already reserved
  }
}
