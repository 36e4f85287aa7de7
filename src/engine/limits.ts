/**
 * The vendor's rate, obeyed ahead of time: what is asked before a call is sent, and what is told of its answer. One interface, whatever
 * keeps the budgets: `limits-memory.ts` keeps them in this process.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Limits } from '../definition/connector.ts'
import type { CredentialValues } from './connection.ts'

/** Who asks for a call. */
export interface Asker {
  /** What shares the budget: made by `budgetKey`. */
  readonly key: string
  /** Whose call it is: made by `credentialDigest`. */
  readonly credential: string
  readonly limits: Limits
  /** Whether these credentials proved themselves to the vendor before; asked while the limiter does not know it. */
  readonly isProven?: () => boolean
}

/** A place in a budget. Only the limiter that gave it can read it. */
export interface Turn {
  readonly asker: Asker
}

/** When a call wants to be sent. */
export interface Wish {
  readonly now: number
  /** After this moment the call is of no use. */
  readonly latest: number
  /** Every other call goes first: nothing is reserved unless it could be sent at once. */
  readonly background?: boolean | undefined
}

/** Milliseconds until `enter` is to be called; without a turn nothing was reserved, and the call could be sent in so many. */
export interface Reservation {
  readonly turn: Turn | undefined
  readonly wait: number
}

/**
 * Shares vendor budgets among calls. The key of a budget is no secret, so credentials share it only after they proved themselves: the
 * vendor answered them as somebody it knows. Those that did not share one call a second of their key, and what the vendor tells them
 * holds for them alone.
 *
 * Every turn ends with `giveBack`. Moments are milliseconds of one clock that never steps.
 */
export interface Limiter {
  /** Reserves a place for one call. */
  reserve(asker: Asker, wish: Wish): Reservation | Promise<Reservation>
  /**
   * The turn of a call has come.
   * @returns milliseconds after which to ask again; 0 when the call is to be sent now
   */
  enter(turn: Turn, now: number): number | Promise<number>
  /** Nothing more is told of the call: it was not sent, or what became of it is known. A second time changes nothing. */
  giveBack(turn: Turn): void
  /** The vendor answered the call. @param taken it knows the credentials; false: it refused them */
  prove(turn: Turn, taken: boolean, now: number): void
  /** The vendor said "wait" until a moment. */
  postpone(turn: Turn, until: number, now: number): void
  /**
   * The vendor refused the call as one too many and did not say for how long.
   * @param wait seconds: `first`, then twice as long with each refusal in a row, `longest` at most. Calls that are refused within one
   *   wait are one refusal
   * @returns milliseconds from `now` until the next call may be sent
   */
  refuse(turn: Turn, wait: { readonly first: number; readonly longest: number }, now: number): number
  /** The vendor told its level in a header of an answer. */
  observe(turn: Turn, header: string, now: number): void
}

/** One budget. Moments are those of the limiter. */
export interface Budget {
  /** The earliest moment of the next call. Nothing is taken. */
  earliest(now: number): number
  /** Takes one call at a moment. */
  take(moment: number): void
  /** Counts a call that was sent without a turn. */
  count(now: number): void
  /** A call's turn has come: milliseconds that it must wait all the same, as the level rose; 0 counts it as sent. */
  late?(now: number): number
  /** A call that had a turn is not sent. */
  giveBack?(): void
  /** What an answer's header tells of the level. */
  observe?(header: string, now: number): void
}

/** The key of a budget: a digest, so that no credential stays in memory as a key. */
export const budgetKey = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url')

/** Of this process: digests that are only compared within it. */
const ownKey = randomBytes(32)

/** A keyed digest of credentials and of the budget that they are used for: other credentials, or another target, have another one. */
export const credentialDigest = (key: string, values: CredentialValues, secret: Uint8Array = ownKey): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([key, ...Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('base64url')
