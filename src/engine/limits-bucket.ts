/** A leaky bucket whose level the vendor tells in a header. */
import type { Limits } from '../definition/connector.ts'
import type { Budget } from './limits.ts'

/** Part of the bucket that is used: the rest is for calls under way and for others that share it. */
const usable = 0.9

/**
 * Calls fill the bucket, time empties it. Calls that wait for their turn count at once, so the level may exceed the bucket.
 * The vendor's own level wins when it is higher: other programs, and other nodes, use the same bucket.
 */
export class Bucket implements Budget {
  #size: number
  readonly #perSecondAndCall: number
  #level = 0
  #at = Number.NEGATIVE_INFINITY

  constructor({ size, perSecond }: NonNullable<Limits['bucket']>) {
    this.#size = size
    this.#perSecondAndCall = perSecond / size
  }

  earliest(now: number): number {
    const room = Math.floor(this.#size * usable) - 1
    const wait = Math.max(0, this.#levelAt(now) - room) / this.#rate
    return now + wait * 1000
  }

  /** The call counts at once, even when its moment lies ahead: the leak until then is its wait. */
  take(): void {
    this.#level += 1
  }

  /** @param header `used/size` */
  observe(header: string, now: number): void {
    const [, used = '', size = ''] = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(header) ?? []
    if (Number(size) > 0) this.#size = Number(size)
    if (used !== '') this.#level = Math.max(this.#levelAt(now), Number(used))
  }

  /** Calls that leak away in a second: a larger bucket leaks faster. */
  get #rate(): number {
    return this.#size * this.#perSecondAndCall
  }

  #levelAt(now: number): number {
    if (this.#at === Number.NEGATIVE_INFINITY) this.#at = now
    const leaked = (Math.max(0, now - this.#at) / 1000) * this.#rate
    this.#level = Math.max(0, this.#level - leaked)
    this.#at = Math.max(this.#at, now)
    return this.#level
  }
}
