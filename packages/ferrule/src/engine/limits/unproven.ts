/** The calls of one key with unproven credentials: one call per second for all of them together. */
import type { Rate } from '../../definition/connector.ts'
import { Windows } from './windows.ts'

/** Time between two calls, in milliseconds. */
const interval = 1_000

/** What is known of credentials. */
export interface Credential {
  /** True if the vendor accepted them before. */
  isProven: boolean
  /** True if the vendor refused them, and has not accepted them since. */
  isRefused: boolean
  /** The vendor asked these credentials alone to wait until this time. */
  notBefore: number
  /** Number of refusals in a row without a wait. */
  refusals: number
}

/** Alternates between credentials, so that many calls with one wrong secret do not delay another's first call. */
export class Unproven {
  readonly #windows: Windows
  readonly #countStrangers: () => number
  /** Time of the last call. */
  #last = Number.NEGATIVE_INFINITY
  /** Number of waiting calls by credentials; the first in the Map is next. */
  readonly #waiting = new Map<Credential, number>()

  /**
   * @param rates the vendor's rates, which also apply to these calls
   * @param countStrangers returns how many processes share the one call per second
   */
  constructor(rates: readonly Rate[], countStrangers: () => number) {
    this.#windows = new Windows(rates)
    this.#countStrangers = countStrangers
  }

  /** Computes the milliseconds until one more call of the credentials could be sent. */
  waitFor(credential: Credential, now: number): number {
    const own = this.#waiting.get(credential) ?? 0
    let before = own
    for (const [other, calls] of this.#waiting) if (other !== credential) before += Math.min(calls, own + 1)
    return Math.max(credential.notBefore, this.#earliest(now) + before * this.#interval) - now
  }

  /** Adds a waiting call of the credentials. */
  join(credential: Credential): void {
    this.#waiting.set(credential, (this.#waiting.get(credential) ?? 0) + 1)
  }

  /** Removes a waiting call of the credentials. */
  leave(credential: Credential): void {
    const calls = (this.#waiting.get(credential) ?? 0) - 1
    if (calls > 0) this.#waiting.set(credential, calls)
    else this.#waiting.delete(credential)
  }

  /**
   * Starts a call of the credentials if it is their turn.
   * @returns true if the call is to be sent now and no longer waits
   */
  enter(credential: Credential, now: number): boolean {
    if (this.#earliest(now) > now || this.#next(now) !== credential) return false
    this.#windows.take(now)
    this.#last = now
    const calls = this.#waiting.get(credential) ?? 0
    this.#waiting.delete(credential) // goes to the end of the Map
    if (calls > 1) this.#waiting.set(credential, calls - 1)
    return true
  }

  get #interval(): number {
    return interval * Math.max(1, this.#countStrangers())
  }

  #earliest(now: number): number {
    return Math.max(this.#windows.earliest(now), this.#last + this.#interval)
  }

  /** Finds the next credentials, without those that must wait. */
  #next(now: number): Credential | undefined {
    for (const credential of this.#waiting.keys()) if (credential.notBefore <= now) return credential
    return undefined
  }
}
