/**
 * Interface of rate limiting: what is asked before a call is sent, and what its answer reports. `in-memory.ts` keeps the budgets in this
 * process; a host can keep them elsewhere.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Limits } from '../../definition/connector.ts'
import type { CredentialValues } from '../credentials/source.ts'
import { type HttpAnswer, readHeader } from '../http/answer.ts'

/** The caller of a limiter. */
export interface Asker {
  /** Key of the shared budget, made by `computeBudgetKey`. */
  readonly key: string
  /** Digest of the credentials, made by `computeCredentialDigest`. */
  readonly credential: string
  readonly limits: Limits
  /** Returns whether the vendor accepted these credentials before. Called while the limiter does not know. */
  readonly isProven?: () => boolean
}

/** A turn in a budget. Only the limiter that made it can read it. */
export interface Turn {
  readonly asker: Asker
}

/** When a call wants to be sent. */
export interface Wish {
  readonly now: number
  /** Latest useful time of the call. */
  readonly latest: number
  /** True if all other calls go first: reserves nothing unless the call can be sent at once. */
  readonly background?: boolean | undefined
}

/** Milliseconds until `enter` is due. Without a turn nothing is reserved, and the wait is an estimate. */
export interface Reservation {
  readonly turn: Turn | undefined
  readonly wait: number
}

/**
 * Shares vendor budgets among calls. The key of a budget is no secret, so credentials share it only after the vendor accepted them.
 * Unproven credentials share one call per second of their key, and the vendor's waits apply to them alone.
 *
 * Every turn ends with `giveBack`. Times are milliseconds of one clock that never steps.
 */
export interface Limiter {
  /** Reserves a turn for one call. */
  reserve(asker: Asker, wish: Wish): Reservation | Promise<Reservation>
  /**
   * Starts the turn of a call.
   * @returns milliseconds after which to ask again; 0 if the call may be sent now
   */
  enter(turn: Turn, now: number): number | Promise<number>
  /** Ends a turn: the call was not sent, or its outcome is known. A second call has no effect. */
  giveBack(turn: Turn): void
  /**
   * Records that the vendor answered the call.
   * @param taken true: it knows the credentials; false: it refused them
   */
  prove(turn: Turn, taken: boolean, now: number): void
  /** Records that the vendor asked to wait until a time. */
  postpone(turn: Turn, until: number, now: number): void
  /**
   * Records that the vendor refused the call as one too many, without a wait.
   * @param wait seconds: `first`, then doubled with each refusal in a row, up to `longest`. Refusals within one wait count once
   * @returns milliseconds from `now` until the next call may be sent
   */
  refuse(turn: Turn, wait: { readonly first: number; readonly longest: number }, now: number): number
  /** Records the level that a header of an answer reports. */
  observe(turn: Turn, header: string, now: number): void
}

/** One budget. Times are those of the limiter. A caller is the turn that asks, for budgets that know the order of turns. */
export interface Budget {
  /** Computes the earliest time of the next call. Reserves nothing. */
  earliest(now: number): number
  /** Reserves one call at a time. */
  take(moment: number, caller?: object): void
  /** Counts a call that was sent without a turn. */
  count(now: number): void
  /**
   * Checks again when a turn is due.
   * @returns milliseconds that the call must wait because the level rose; 0 counts the call as sent
   */
  late?(now: number, caller?: object): number
  /** Releases the turn of a call that is not sent. */
  giveBack?(caller?: object): void
  /** Reads the level from an answer's header. */
  observe?(header: string, now: number): void
  /** Records that a background call asks again at a time. */
  miss?(moment: number): void
  /** Records that the vendor asked everybody of the key to wait until a time. */
  hold?(until: number): void
  /** Records that the vendor accepted a call after such a wait. */
  accept?(): void
}

/** Computes the key of a budget: a digest, so that no credential stays in memory as a key. */
export const computeBudgetKey = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\0')).digest('base64url')

/** Key of this process, for digests that are compared only within it. */
const ownKey = randomBytes(32)

/** Computes a keyed digest of credentials and their budget. Other credentials or another target give another digest. */
export const computeCredentialDigest = (key: string, values: CredentialValues, secret: Uint8Array = ownKey): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([key, ...Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('base64url')

/** Converts the value of a header that says when a window ends to milliseconds from now. */
const windowForms: Readonly<Record<NonNullable<Limits['window']>['form'], (text: string, now: number) => number>> = {
  seconds: (text) => Number(text) * 1000,
  'unix-time': (text, now) => Number(text) * 1000 - now,
  'unix-time-ms': (text, now) => Number(text) - now,
  'date-time': (text, now) => Date.parse(text) - now,
}

/**
 * Reads when the vendor's window ends, from the headers of an answer.
 * @param now milliseconds since 1970
 * @returns milliseconds from now; undefined without a header, and for an end further away than the longest declared window
 */
export function readWindowEnd({ window, rates = [] }: Limits, answer: Pick<HttpAnswer, 'headers'>, now: number): number | undefined {
  const text = window === undefined ? undefined : readHeader(answer, window.resets)
  if (window === undefined || !text) return undefined
  const wait = windowForms[window.form](text, now)
  const longest = Math.max(60, ...rates.map(({ seconds }) => seconds)) * 1000
  return wait >= 0 && wait <= longest ? wait : undefined
}
