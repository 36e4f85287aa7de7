/** The vendor's rate, obeyed ahead of time. All calls with the same key share one budget within the process. */
import { hash } from 'node:crypto'
import type { Limits } from '../definition/connector.ts'

/** One moving window: at most `calls` grants within any `seconds`. Grants are reservations, handed out in order of asking. */
interface Window {
  readonly calls: number
  readonly milliseconds: number
  /** Moments of the last `calls` grants; a ring. */
  readonly grants: Float64Array
  next: number
}

/** Budgets kept at most; the one that was not used for longest goes first. */
const maxKeys = 10_000

const windowOf = ({ calls, seconds }: { calls: number; seconds: number }): Window => ({
  calls,
  milliseconds: seconds * 1000,
  grants: new Float64Array(calls).fill(Number.NEGATIVE_INFINITY),
  next: 0,
})

const earliest = ({ grants, next, milliseconds }: Window): number => (grants[next] ?? Number.NEGATIVE_INFINITY) + milliseconds

const record = (window: Window, moment: number): void => {
  window.grants[window.next] = moment
  window.next = (window.next + 1) % window.calls
}

/**
 * Shares vendor budgets. A moving window over the last grants is exact where a token bucket would let twice the rate pass
 * at its edge; a reservation tells the wait at once, so a call that cannot be served within its deadline is refused early.
 */
export class Limiter {
  readonly #windows = new Map<string, readonly Window[]>()

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
    const windows = this.#windows.get(key) ?? limits.rates.map(windowOf)
    this.#windows.delete(key) // re-inserted below: a Map keeps insertion order, so the first key is the least used
    this.#windows.set(key, windows)
    if (this.#windows.size > maxKeys) this.#windows.delete(this.#windows.keys().next().value ?? key)
    const moment = windows.reduce((latestStart, window) => Math.max(latestStart, earliest(window)), now)
    if (moment > latest) return { wait: moment - now, refused: true }
    for (const window of windows) record(window, moment)
    return { wait: moment - now, refused: false }
  }

  /** The vendor said "wait": no call of the key before `until` (milliseconds since 1970). */
  postpone(key: string, until: number): void {
    for (const { grants, milliseconds } of this.#windows.get(key) ?? []) {
      for (const [index, grant] of grants.entries()) grants[index] = Math.max(grant, until - milliseconds)
    }
  }
}

/** The key of a budget: a digest, so that no credential stays in memory as a key. */
export const budgetKey = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url')
