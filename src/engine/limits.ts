/** The vendor's rate, obeyed ahead of time. All calls with the same key share one budget within the process. */
import { hash } from 'node:crypto'
import type { Limits } from '../definition/connector.ts'

/** One moving window: at most `calls` grants within any `milliseconds`. Grants are reservations, handed out in order of asking. */
interface Window {
  readonly calls: number
  readonly milliseconds: number
  /** Moments of the last grants, `calls` of them at most: a ring that grows only while the oldest still counts. */
  readonly grants: number[]
  /** Position of the oldest. */
  oldest: number
}

/** What calls with one key share. */
interface Budget {
  readonly windows: readonly Window[]
  /** The vendor said "wait" until this moment. */
  notBefore: number
}

/** Budgets kept at most; the one that was not used for longest goes first. */
const maxKeys = 10_000

const budgetOf = ({ rates }: Limits): Budget => ({
  windows: rates.map(({ calls, seconds }) => ({ calls, milliseconds: seconds * 1000, grants: [], oldest: 0 })),
  notBefore: Number.NEGATIVE_INFINITY,
})

const earliest = ({ calls, grants, oldest, milliseconds }: Window): number =>
  grants.length < calls ? Number.NEGATIVE_INFINITY : (grants[oldest] ?? Number.NEGATIVE_INFINITY) + milliseconds

function record(window: Window, moment: number): void {
  const { grants, oldest, calls, milliseconds } = window
  const counts = (grants[oldest] ?? Number.POSITIVE_INFINITY) + milliseconds > moment
  if (counts && grants.length < calls) grants.splice(oldest, 0, moment)
  else grants[oldest] = moment
  window.oldest = (oldest + 1) % grants.length
}

/**
 * Shares vendor budgets. A moving window over the last grants is exact where a token bucket would let twice the rate pass
 * at its edge; a reservation tells the wait at once, so a call that cannot be served within its deadline is refused early.
 */
export class Limiter {
  readonly #budgets = new Map<string, Budget>()

  /**
   * Reserves the next call of a key.
   * @param key what shares the budget
   * @param latest the moment (milliseconds since 1970) after which the call is of no use
   * @returns milliseconds to wait before sending; when that would end after `latest`, nothing is reserved and `refused` is true
   */
  reserve(
    key: string,
    limits: Limits,
    { now, latest }: { now: number; latest: number },
  ): { readonly wait: number; readonly refused: boolean } {
    const budget = this.#budgets.get(key) ?? budgetOf(limits)
    this.#budgets.delete(key) // re-inserted below: a Map keeps insertion order, so the first key is the least used
    this.#budgets.set(key, budget)
    if (this.#budgets.size > maxKeys) this.#budgets.delete(this.#budgets.keys().next().value ?? key)
    const moment = budget.windows.reduce((latestStart, window) => Math.max(latestStart, earliest(window)), Math.max(now, budget.notBefore))
    if (moment > latest) return { wait: moment - now, refused: true }
    for (const window of budget.windows) record(window, moment)
    return { wait: moment - now, refused: false }
  }

  /** The vendor said "wait": no call of the key before `until` (milliseconds since 1970). */
  postpone(key: string, until: number): void {
    const budget = this.#budgets.get(key)
    if (budget !== undefined) budget.notBefore = Math.max(budget.notBefore, until)
  }
}

/** The key of a budget: a digest, so that no credential stays in memory as a key. */
export const budgetKey = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url')
