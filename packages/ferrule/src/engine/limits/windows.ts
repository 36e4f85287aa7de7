/** A budget of moving windows: a maximum number of calls within any period of a length. */
import type { Budget } from './limits.ts'

/** One moving window: at most `calls` grants within any `milliseconds`. Grants are reservations in the order of requests. */
interface Window {
  readonly calls: number
  readonly milliseconds: number
  /** Times of the last grants, at most `calls`: a ring that grows only while its oldest grant counts. */
  readonly grants: number[]
  /** Index of the oldest. */
  oldest: number
}

const earliest = ({ calls, grants, oldest, milliseconds }: Window): number =>
  grants.length < calls ? Number.NEGATIVE_INFINITY : (grants[oldest] ?? Number.NEGATIVE_INFINITY) + milliseconds

function record(window: Window, moment: number): void {
  const { grants, oldest, calls, milliseconds } = window
  const counts = (grants[oldest] ?? Number.POSITIVE_INFINITY) + milliseconds > moment
  if (counts && grants.length < calls) grants.splice(oldest, 0, moment)
  else grants[oldest] = moment
  window.oldest = (oldest + 1) % grants.length
}

/** A moving window is exact. A token bucket would allow twice the rate at its edge. */
export class Windows implements Budget {
  readonly #windows: readonly Window[]

  constructor(rates: readonly { readonly calls: number; readonly seconds: number }[]) {
    this.#windows = rates.map(({ calls, seconds }) => ({ calls, milliseconds: seconds * 1000, grants: [], oldest: 0 }))
  }

  earliest(now: number): number {
    return this.#windows.reduce((latest, window) => Math.max(latest, earliest(window)), now)
  }

  take(moment: number): void {
    for (const window of this.#windows) record(window, moment)
  }

  count(now: number): void {
    this.take(this.earliest(now)) // times stay in order, and future ones are already reserved
  }
}
