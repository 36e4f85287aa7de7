/** A leaky bucket whose level the vendor reports in a header. */
import type { Limits } from '../../definition/connector.ts'
import type { Budget } from './limits.ts'

/** Usable share of the bucket; the rest is for running calls and for other programs. */
const usable = 0.9
/** Shorter waits count as none, in milliseconds, because timers and sums of fractions are no more exact. */
const tolerance = 1

/**
 * Calls fill the bucket, and time empties it. The vendor's level counts if it is higher, because other programs and nodes use the same
 * bucket. For the same reason a call checks the level again when its turn is due.
 */
export class Bucket implements Budget {
  #size: number
  readonly #perSecondAndCall: number
  /** Calls in the vendor's bucket, as far as known. */
  #level = 0
  #at = Number.NEGATIVE_INFINITY
  /** Calls with a turn that are not sent yet. */
  #waiting = 0

  constructor({ size, perSecond }: NonNullable<Limits['bucket']>) {
    this.#size = size
    this.#perSecondAndCall = perSecond / size
  }

  earliest(now: number): number {
    return now + this.#waitFor(this.#levelAt(now) + this.#waiting)
  }

  take(): void {
    this.#waiting += 1
  }

  count(now: number): void {
    this.#level = this.#levelAt(now) + 1
  }

  late(now: number): number {
    const wait = this.#waitFor(this.#levelAt(now))
    if (wait > tolerance) return wait
    this.#level += 1
    this.giveBack()
    return 0
  }

  giveBack(): void {
    this.#waiting = Math.max(0, this.#waiting - 1)
  }

  /** @param header `used/size` */
  observe(header: string, now: number): void {
    const [, used = '', size = ''] = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(header) ?? []
    if (Number(size) === 0) return
    this.#size = Number(size)
    this.#level = Math.max(this.#levelAt(now), Number(used))
  }

  /** Calls that leak per second: a larger bucket leaks faster. */
  get #rate(): number {
    return this.#size * this.#perSecondAndCall
  }

  /** Computes the milliseconds until one more call fits above a level. */
  #waitFor(level: number): number {
    const room = Math.max(0, Math.floor(this.#size * usable) - 1)
    return (Math.max(0, level - room) / this.#rate) * 1000
  }

  #levelAt(now: number): number {
    if (this.#at === Number.NEGATIVE_INFINITY) this.#at = now
    const leaked = (Math.max(0, now - this.#at) / 1000) * this.#rate
    this.#level = Math.max(0, this.#level - leaked)
    this.#at = Math.max(this.#at, now)
    return this.#level
  }
}
