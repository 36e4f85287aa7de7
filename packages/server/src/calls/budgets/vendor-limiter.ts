/** Type of the limiter of vendors' budgets. */
import type { Limiter } from 'ferrule/engine'

/** Keeps the vendors' budgets. */
export interface VendorLimiter extends Limiter {
  /** Number of budgets that this node uses now. */
  readonly size: number
}
