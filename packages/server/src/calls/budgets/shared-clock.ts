/** The database's clock as this process knows it: the machine's steady clock and a distance, measured with each look. */

/** One measurement. Steady milliseconds before and after, and the database's time in between. */
export interface ClockSample {
  readonly asked: number
  readonly told: number
  readonly answered: number
}

/** Longest round trip of a measurement, in milliseconds. A longer one is too inaccurate for turns. */
const longestRoundTripMs = 200
/** Largest drift between two machines: 0.2 ms a second. */
const drift = 0.0002
/** Difference that two measurements can have beside their error, in milliseconds. */
const roundingMs = 5

/** Advances the database's clock by the steady clock. */
export class SharedClock {
  readonly #longestRoundTripMs: number
  #best: { readonly ahead: number; readonly error: number; readonly at: number } | undefined

  /** @param longestMs round trips up to this length are believed; any, where no other node shares the clock */
  constructor(longestMs = longestRoundTripMs) {
    this.#longestRoundTripMs = longestMs
  }

  /** Takes a measurement if it is better than the last one, or if the database's clock stepped. */
  measure({ asked, told, answered }: ClockSample): void {
    const error = (answered - asked) / 2
    if (2 * error > this.#longestRoundTripMs) return
    const ahead = told - (asked + answered) / 2
    const best = this.#best
    const aged = best === undefined ? 0 : best.error + (answered - best.at) * drift
    const hasStepped = best !== undefined && Math.abs(ahead - best.ahead) > aged + error + roundingMs
    if (best === undefined || error <= aged || hasStepped) this.#best = { ahead, error, at: answered }
  }

  /** Returns how far the database's clock is ahead of the steady one; undefined before the first measurement. */
  get aheadMs(): number | undefined {
    return this.#best?.ahead
  }

  /** Returns how inaccurate the clock is, in milliseconds. */
  get errorMs(): number {
    return this.#best?.error ?? 0
  }
}
