/** The ownership of a key by this node. Times are milliseconds of the database's clock. */
import { type BudgetLimits, Ledger, type LedgerState } from './ledger.ts'
import { ownerSlack, type Share } from './share.ts'

/** A node stops to use its ownership so long before its end, in milliseconds. */
const safetyMs = 50
/** Calls beyond this many are not looked ahead. */
const mostAhead = 64

/** Calls that this node counts by itself, until it looks again. */
export class Lease {
  readonly until: number
  readonly #quota: number
  readonly #ledger: Ledger
  #used = 0

  constructor(limits: BudgetLimits, { until, quota, ledger }: NonNullable<Share['lease']>) {
    this.until = until
    this.#quota = quota
    this.#ledger = new Ledger(limits, ledger, until)
  }

  /** Returns whether calls can be sent at a time. */
  isValid(shared: number): boolean {
    return this.until - safetyMs > shared
  }

  /** Returns whether the quota has room for a call and those before it. */
  hasRoom(behind: number): boolean {
    return this.#used + behind < this.#quota
  }

  /** Returns whether most of the quota is left. */
  get isFresh(): boolean {
    return 2 * this.#used < this.#quota
  }

  /** Computes the time of a call that has others before it. */
  earliest(shared: number, behind = 0): number {
    if (behind === 0) return this.#ledger.earliest(shared, ownerSlack)
    const copy = this.#ledger.copy()
    for (let count = 0; count < Math.min(behind, mostAhead); count += 1) copy.take(copy.earliest(shared, ownerSlack))
    return copy.earliest(shared, ownerSlack)
  }

  /** Counts a call. */
  take(at: number): void {
    this.#ledger.take(at)
    this.#used += 1
  }

  /** Reads a level that the vendor reported. */
  observe(level: Parameters<Ledger['observe']>[0], shared: number): void {
    this.#ledger.observe(level, shared)
  }

  /** Returns the ledger as JSON. */
  store(): LedgerState {
    return this.#ledger.store()
  }
}
