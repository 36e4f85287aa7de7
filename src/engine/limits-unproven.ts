/** The calls of one key whose credentials have not proven themselves: one call a second for all of them together. */
import type { Rate } from '../definition/connector.ts'
import { Windows } from './limits-windows.ts'

/** Between two calls, in milliseconds. */
const interval = 1_000

/** What is known of credentials. */
export interface Credential {
  /** The vendor took them before. */
  isProven: boolean
  /** The vendor refused them, and has not taken them since. */
  isRefused: boolean
  /** The vendor told them alone to wait until this moment. */
  notBefore: number
  /** Refusals in a row without a time. */
  refusals: number
}

/** Credentials take turns, so that many calls with one wrong secret do not keep another's first call waiting. */
export class Unproven {
  readonly #windows: Windows
  /** Calls that wait, by their credentials; the first in the Map are the next. */
  readonly #waiting = new Map<Credential, number>()

  /** @param rates of the vendor, which hold for these calls too */
  constructor(rates: readonly Rate[]) {
    this.#windows = new Windows([{ calls: 1, seconds: interval / 1_000 }, ...rates])
  }

  /** Milliseconds until one more call of credentials would be sent. */
  waitFor(credential: Credential, now: number): number {
    const own = this.#waiting.get(credential) ?? 0
    let before = own
    for (const [other, calls] of this.#waiting) if (other !== credential) before += Math.min(calls, own + 1)
    return Math.max(credential.notBefore, this.#windows.earliest(now) + before * interval) - now
  }

  /** One more call of credentials waits. */
  join(credential: Credential): void {
    this.#waiting.set(credential, (this.#waiting.get(credential) ?? 0) + 1)
  }

  /** A call of credentials waits no longer. */
  leave(credential: Credential): void {
    const calls = (this.#waiting.get(credential) ?? 0) - 1
    if (calls > 0) this.#waiting.set(credential, calls)
    else this.#waiting.delete(credential)
  }

  /** @returns whether a call of credentials is to be sent now; it waits no longer then */
  enter(credential: Credential, now: number): boolean {
    if (this.#windows.earliest(now) > now || this.#next(now) !== credential) return false
    this.#windows.take(now)
    const calls = this.#waiting.get(credential) ?? 0
    this.#waiting.delete(credential) // goes to the end of the Map
    if (calls > 1) this.#waiting.set(credential, calls - 1)
    return true
  }

  /** Whose turn it is: not of those who were told to wait. */
  #next(now: number): Credential | undefined {
    for (const credential of this.#waiting.keys()) if (credential.notBefore <= now) return credential
    return undefined
  }
}
