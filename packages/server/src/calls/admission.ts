/** Admission of calls to vendors, whatever way they come in: the organization's share of calls, its places, and memory for answers. */
import type { BodyMemory, MemoryLease } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type ExecuteLimitOptions, ExecuteLimits, type RateState } from './execute-limits.ts'

/** A place among the concurrent calls of an organization, with memory for the vendor's answers. */
export interface CallPlace {
  readonly lease: MemoryLease
  /** Gives place and memory back. */
  leave(): void
}

/** Admits the calls of organizations on this node. */
export class Admission {
  readonly #limits: ExecuteLimits
  readonly #memory: BodyMemory

  constructor(limits: ExecuteLimitOptions, memory: BodyMemory) {
    this.#limits = new ExecuteLimits(limits)
    this.#memory = memory
  }

  /** Calls that run now. */
  get running(): number {
    return this.#limits.running
  }

  /**
   * Counts a call and takes its place.
   * @param onRate receives the remaining calls, of a refused call too
   * @throws FerruleError `rate_limited`, `overloaded`
   */
  enter(organizationId: string, onRate: (rate: RateState) => void = () => undefined): CallPlace {
    const rate = this.#limits.count(organizationId)
    if (rate !== undefined) onRate(rate)
    if (rate?.exceeded) throw fail('rate_limited', { limit: rate.limit }, { retryAfterMs: rate.resetMs })
    const leave = this.#limits.enter(organizationId)
    const lease = this.#memory.open(organizationId)
    return {
      lease,
      leave: () => {
        leave()
        lease.close()
      },
    }
  }
}
