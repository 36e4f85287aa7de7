/** A budget of moving windows: at most so many calls within any so many seconds. */
import type { Budget } from './limits.ts'

/** One moving window: at most `calls` grants within any `milliseconds`. Grants are reservations, handed out in order of asking. */
interface Window {
  readonly calls: number
  readonly milliseconds: number
  /** Moments of the last grants, `calls` of them at most: a ring that grows only while the oldest still counts. */
  readonly grants: number[]
  /** Position of the oldest. */
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

/** A moving window over the last grants is exact where a token bucket would let twice the rate pass at its edge. */
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
    this.take(this.earliest(now)) // moments are kept in order, and those to come are given away already
  }
}
