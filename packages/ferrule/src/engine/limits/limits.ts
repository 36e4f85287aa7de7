/**
 * Interface of rate limiting: what is asked before a call is sent, and what its answer reports. `in-memory.ts` keeps the budgets in this
 * process; a host can keep them elsewhere.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Limits, WindowForm } from '../../definition/connector.ts'
import type { CredentialValues } from '../credentials/source.ts'
import { type HttpAnswer, readHeader } from '../http/http.ts'

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
  /** Starts the turn of a call. @returns milliseconds after which to ask again; 0 if the call may be sent now */
  enter(turn: Turn, now: number): number | Promise<number>
  /** Ends a turn: the call was not sent, or its outcome is known. A second call has no effect. */
  giveBack(turn: Turn): void
  /** Records that the vendor answered the call. @param taken true: it knows the credentials; false: it refused them */
  prove(turn: Turn, taken: boolean, now: number): void
  /** Records that the vendor asked to wait until a time. */
  postpone(turn: Turn, until: number, now: number): void
  /**
   * Records that the vendor refused the call as one too many, without a wait.
   * @param wait seconds: `first`, then doubled with each refusal in a row, up to `longest`. Refusals within one wait count once
   * @returns milliseconds from `now` until the next call may be sent
   */
  refuse(turn: Turn, wait: { readonly first: number; readonly longest: number }, now: number): number
  /** Records the level that an answer reports. */
  observe(turn: Turn, level: Level, now: number): void
}

/** What an answer reports of the vendor's bucket. */
export interface Level {
  /** What is in the bucket. */
  readonly used: number
  /** The size of the bucket, if it is not the declared one. */
  readonly size?: number
  /** What this call cost. */
  readonly cost?: number
}

/** One budget. Times are those of the limiter. A caller is the turn that asks, for budgets that know the order of turns. */
export interface Budget {
  /** Computes the earliest time of the next call. Reserves nothing. */
  earliest(now: number): number
  /** Reserves one call at a time. */
  take(moment: number, caller?: object): void
  /** Counts a call that was sent without a turn. */
  count(now: number, caller?: object): void
  /** Checks again when a turn is due. @returns milliseconds that the call must wait because the level rose; 0 counts the call as sent */
  readonly late?: ((now: number, caller?: object) => number) | undefined
  /** Releases the turn of a call that is not sent. */
  giveBack?(caller?: object): void
  /** Records the level that an answer reports. */
  observe?(level: Level, now: number, caller?: object): void
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
const windowForms: Readonly<Record<WindowForm, (text: string, now: number) => number>> = {
  seconds: (text) => Number(text) * 1000,
  'unix-time': (text, now) => Number(text) * 1000 - now,
  'unix-time-ms': (text, now) => Number(text) - now,
  'date-time': (text, now) => Date.parse(text) - now,
}

type Headed = Pick<HttpAnswer, 'headers'>

const readNumber = (answer: Headed, header: string | undefined): number | undefined => {
  const text = header === undefined ? undefined : readHeader(answer, header)
  return text !== undefined && /^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined
}

/** Reads what an answer reports of the vendor's bucket; undefined if it reports nothing. */
export function readLevel({ bucket }: Limits, answer: Headed): Level | undefined {
  const { points, header, size: declared = 0 } = bucket ?? {}
  const text = header === undefined ? undefined : readHeader(answer, header)
  const [, used = '', size = ''] = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(text ?? '') ?? []
  if (Number(size) > 0) return { used: Number(used), size: Number(size) }
  const [cost, left] = [readNumber(answer, points?.cost), readNumber(answer, points?.left)]
  if (cost === undefined && left === undefined) return undefined
  return { used: left === undefined ? 0 : Math.max(0, declared - left), ...(cost === undefined ? {} : { cost }) }
}

/** Returns whether an answer says that fewer points are left than a call costs. */
const isShort = ({ bucket }: Limits, answer: Headed): boolean => {
  const { points } = bucket ?? {}
  return (readNumber(answer, points?.left) ?? Number.POSITIVE_INFINITY) < (readNumber(answer, points?.cost) ?? points?.expected ?? 0)
}

/** Returns whether an answer says that the next call would be refused. */
export const isUsedUp = (limits: Limits, answer: Headed): boolean =>
  readNumber(answer, limits.window?.left) === 0 || isShort(limits, answer)

/**
 * Reads when the vendor's window ends, from the headers of an answer: that of the points if they are used up, else that of the calls.
 * @returns milliseconds from now; undefined without a header, and for an end further away than the longest declared window
 */
export function readWindowEnd(limits: Limits, answer: Headed, now: number): number | undefined {
  const { bucket, rates = [] } = limits
  const ofPoints = isShort(limits, answer) ? bucket : undefined
  const window = ofPoints?.points ?? limits.window
  const text = window?.resets === undefined ? undefined : readHeader(answer, window.resets)
  if (window === undefined || !text) return undefined
  const wait = windowForms[window.form](text, now)
  const seconds = ofPoints === undefined ? rates.map((rate) => rate.seconds) : [ofPoints.size / ofPoints.perSecond]
  const longest = Math.max(60, ...seconds) * 1000
  return wait >= 0 && wait <= longest ? wait : undefined
}
