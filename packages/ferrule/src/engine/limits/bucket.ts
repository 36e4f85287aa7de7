/** The vendor's leaky bucket of calls or points, in the memory of this process. */
import type { Bucket } from '../../definition/connector.ts'
import type { Budget, Level } from './limits.ts'
import type { Windows } from './windows.ts'

/** What calls cost: the declared cost before the first answer, then what answers said. A call costs 1 where the vendor counts calls. */
export class Costs {
  #next: number
  #isKnown = false
  readonly #charged = new WeakMap<object, number>()

  constructor({ points }: Pick<Bucket, 'points'> = {}) {
    this.#next = points?.expected ?? 1
  }

  /** What the next call is expected to cost. */
  get next(): number {
    return this.#next
  }

  /** Notes what a call was charged. @returns the charge */
  charge(caller: object | undefined, cost = this.#next): number {
    if (caller !== undefined) this.#charged.set(caller, cost)
    return cost
  }

  /**
   * Learns what a call did cost. A rise counts at once, a fall by half, because calls of a key differ.
   * @returns what the charge of the call lacks; negative if it was too high
   */
  settle(caller: object | undefined, cost: number): number {
    const lacks = cost - ((caller && this.#charged.get(caller)) ?? 0)
    this.charge(caller, cost)
    this.#next = Math.max(1, !this.#isKnown || cost > this.#next ? cost : (this.#next + cost) / 2)
    this.#isKnown = true
    return lacks
  }
}

/** Usable share of the bucket; the rest is for running calls and for other programs. */
const usable = 0.9
/** Shorter waits count as none, in milliseconds, because timers and sums of fractions are no more exact. */
const tolerance = 1
/** A call that comes so much after its turn in the windows takes a new one, in milliseconds. */
const lateMs = 100

/**
 * Calls fill the bucket, and time empties it. The vendor's level counts if it is higher, because other programs and nodes use the same
 * bucket. For the same reason a call checks the level again when its turn is due. The vendor's rates apply too.
 */
export class BucketAndWindows implements Budget {
  #size: number
  readonly #windows: Windows
  readonly #perSecondAndCall: number
  readonly #costs: Costs
  /** What is in the vendor's bucket, as far as known. */
  #level = 0
  #at = Number.NEGATIVE_INFINITY
  /** Number of calls with a turn that are not sent yet. */
  #waiting = 0
  /** The turns of these calls in the windows. */
  readonly #moments = new WeakMap<object, number>()

  constructor(bucket: Bucket, windows: Windows) {
    this.#size = bucket.size
    this.#windows = windows
    this.#perSecondAndCall = bucket.perSecond / bucket.size
    this.#costs = new Costs(bucket)
  }

  earliest(now: number): number {
    return Math.max(this.#windows.earliest(now), now + this.#waitFor(this.#levelAt(now) + this.#waiting * this.#costs.next))
  }

  take(moment: number, caller?: object): void {
    this.#waiting += 1
    const own = this.#windows.earliest(moment)
    this.#windows.take(own)
    if (caller !== undefined) this.#moments.set(caller, own)
  }

  count(now: number, caller?: object): void {
    this.#windows.count(now)
    this.#level = this.#levelAt(now) + this.#costs.charge(caller)
  }

  late(now: number, caller?: object): number {
    const moment = (caller && this.#moments.get(caller)) ?? now
    const wait = Math.max(this.#waitFor(this.#levelAt(now)), moment - now)
    if (wait > tolerance) return wait
    if (now - moment > lateMs && caller !== undefined) {
      const own = this.#windows.earliest(now)
      this.#windows.take(own)
      this.#moments.set(caller, own)
      if (own > now) return own - now
    }
    this.#level += this.#costs.charge(caller)
    this.giveBack()
    return 0
  }

  giveBack(): void {
    this.#waiting = Math.max(0, this.#waiting - 1)
  }

  observe({ used, size, cost }: Level, now: number, caller?: object): void {
    if (size !== undefined) this.#size = size
    const lacks = cost === undefined ? 0 : this.#costs.settle(caller, cost)
    this.#level = Math.max(0, this.#levelAt(now) + lacks, used)
  }

  /** What leaks in a second: a larger bucket leaks faster. */
  get #rate(): number {
    return this.#size * this.#perSecondAndCall
  }

  /** Computes the milliseconds until one more call fits above a level. */
  #waitFor(level: number): number {
    const room = Math.max(0, Math.floor(this.#size * usable) - this.#costs.next)
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
