/** The vendor's rate, obeyed ahead of time. All calls with the same key share one budget within the process. */
import { hash } from 'node:crypto'
import type { Limits } from '../definition/connector.ts'
import { Bucket } from './limits-bucket.ts'
import { Windows } from './limits-windows.ts'

/** One budget. Moments are milliseconds since 1970. */
export interface Budget {
  /** The earliest moment of the next call. Nothing is taken. */
  earliest(now: number): number
  /** Takes one call at a moment. */
  take(moment: number): void
  /** A call's turn has come: milliseconds that it must wait all the same, as the level rose; 0 counts it as sent. */
  late?(now: number): number
  /** A call that had a turn is not sent. */
  giveBack?(): void
  /** What an answer's header tells of the level. */
  observe?(header: string, now: number): void
}

/** Budgets kept at most; the one that was not used for longest goes first. */
const maxKeys = 10_000

/** What calls with one key share. */
interface Share {
  readonly budget: Budget
  /** The vendor said "wait" until this moment. */
  notBefore: number
  /** Refusals in a row without a time. */
  refusals: number
}

const shareOf = ({ rates, bucket }: Limits): Share => ({
  budget: bucket === undefined ? new Windows(rates ?? []) : new Bucket(bucket),
  notBefore: Number.NEGATIVE_INFINITY,
  refusals: 0,
})

/**
 * Shares vendor budgets. A call reserves its turn, so the order is that of asking, and the wait is known at once: a call that
 * cannot be served within its deadline is refused early.
 */
export class Limiter {
  readonly #shares = new Map<string, Share>()

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
    const share = this.#shares.get(key) ?? shareOf(limits)
    this.#shares.delete(key) // re-inserted below: a Map keeps insertion order, so the first key is the least used
    this.#shares.set(key, share)
    if (this.#shares.size > maxKeys) this.#shares.delete(this.#shares.keys().next().value ?? key)
    const moment = Math.max(share.budget.earliest(now), share.notBefore)
    if (moment > latest) return { wait: moment - now, refused: true }
    share.budget.take(moment)
    return { wait: moment - now, refused: false }
  }

  /** Milliseconds until a call would have its turn at once; nothing is reserved. */
  busyFor(key: string, limits: Limits, now: number): number {
    const share = this.#shares.get(key) ?? shareOf(limits)
    return Math.max(0, Math.max(share.budget.earliest(now), share.notBefore) - now)
  }

  /**
   * The turn of a call has come.
   * @returns milliseconds that it must wait all the same, as the vendor said "wait" or told a higher level; 0 when it may be sent
   */
  enter(key: string, now: number): number {
    const share = this.#shares.get(key)
    if (share === undefined) return 0
    if (share.budget.late !== undefined) return Math.max(0, share.notBefore - now) || share.budget.late(now)
    if (now >= share.notBefore) return 0 // turns of moving windows stay spread as they were given
    const moment = Math.max(share.budget.earliest(now), share.notBefore) // a new turn: all at the end of the wait would be too many
    share.budget.take(moment)
    return moment - now
  }

  /** A call that had a turn is not sent. */
  giveBack(key: string): void {
    this.#shares.get(key)?.budget.giveBack?.()
  }

  /** The vendor said "wait": no call of the key before `until` (milliseconds since 1970). */
  postpone(key: string, until: number): void {
    const share = this.#shares.get(key)
    if (share !== undefined) share.notBefore = Math.max(share.notBefore, until)
  }

  /**
   * The vendor refused a call and did not say for how long.
   * @param wait seconds: `first`, then twice as long with each refusal in a row, `longest` at most. Calls that are refused within
   *   one wait are one refusal
   * @returns milliseconds from `now` until the next call may be sent
   */
  refuse(key: string, { first, longest }: { first: number; longest: number }, now: number): number {
    const share = this.#shares.get(key)
    if (share === undefined) return first * 1000
    if (now >= share.notBefore) {
      share.notBefore = now + Math.min(longest, first * 2 ** share.refusals) * 1000
      share.refusals += 1
    }
    return share.notBefore - now
  }

  /** The vendor took a call: the next refusal is the first of its row. */
  accept(key: string): void {
    const share = this.#shares.get(key)
    if (share !== undefined) share.refusals = 0
  }

  /** The vendor told its level in a header of an answer. */
  observe(key: string, header: string, now: number): void {
    this.#shares.get(key)?.budget.observe?.(header, now)
  }
}

/** The key of a budget: a digest, so that no credential stays in memory as a key. */
export const budgetKey = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url')
