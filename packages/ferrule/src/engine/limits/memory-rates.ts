/** Counts calls by the callers' own rates in the memory of this process. */
import type { Rate } from '../../definition/connector.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { clocks } from '../clocks.ts'

/** Maximum number of accounts; the least recently used goes first. */
const maxAccounts = 10_000

/** The calls of one account, as far back as a rate needs them. */
class CallLog {
  /** Times of the calls, oldest first. */
  #times: number[] = []
  /** Number of calls that any rate looks back at. */
  #most = 0

  /** Returns the milliseconds until all rates have room; 0 counts the call. */
  take(rates: readonly Rate[], now: number): number {
    const wait = Math.max(
      0,
      ...rates.map(({ calls, seconds }) => (this.#times.at(-calls) ?? Number.NEGATIVE_INFINITY) + seconds * 1_000 - now),
    )
    if (wait > 0) return wait
    this.#most = Math.max(this.#most, ...rates.map(({ calls }) => calls))
    this.#times.push(now)
    if (this.#times.length >= 2 * this.#most + 1_000) this.#times = this.#times.slice(-this.#most)
    return 0
  }
}

/** Counts exactly: at most so many calls within any period. All connectors of the process share one instance. */
export class MemoryRates {
  readonly #logs = new BoundedMap<string, CallLog>(maxAccounts)

  async take({ key, rates }: { readonly key: string; readonly rates: readonly Rate[] }): Promise<number> {
    return this.#logs.take(key, () => new CallLog()).take(rates, clocks.steady())
  }
}
