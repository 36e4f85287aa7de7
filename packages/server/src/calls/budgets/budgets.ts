/** The budgets of vendors, as the platform opens them. */
import { randomUUID } from 'node:crypto'
import type { Parts } from '../../main/parts.ts'
import { countCalls, countStrangers, deleteUnusedBudgets, listCalls, takeTurns } from '../sql/vendor-budgets.ts'
import { KeptLimiter, type LimiterParts } from './limiter.ts'

/** Unused budgets are kept this long, in milliseconds: longer than the longest window of any vendor. */
const keptMs = 2 * 86_400_000

/** What stores budgets. */
export interface StoreParts extends Pick<Parts, 'database'> {
  readonly source: Pick<Parts['source'], 'clock'>
  /** True if times are those of `source.clock`, which a test moves; else PostgreSQL's own clock counts. */
  readonly isClockGiven: boolean
}

/** What the platform needs to open budgets. */
export interface BudgetParts extends StoreParts, Pick<Parts, 'steady' | 'onBackgroundError'> {}

/** The budgets of this node. */
export interface VendorBudgets {
  readonly limiter: KeptLimiter
  purgeExpired(now: number): Promise<number>
}

/** Opens the budgets. */
export function createVendorBudgets(parts: BudgetParts): VendorBudgets {
  const { database, steady, onBackgroundError } = parts
  const limiter = new KeptLimiter({ store: createBudgetStore(parts), steady, schedule: scheduleTimer, onBackgroundError })
  return { limiter, purgeExpired: (now) => deleteUnusedBudgets(database.db, now - keptMs) }
}

/** Builds the store of one node. The embedded database's clock is that of the platform, which continues after a restart. */
export function createBudgetStore({ database: { db, dialect }, source, isClockGiven }: StoreParts): LimiterParts['store'] {
  if (dialect === 'sqlite')
    return { add: (calls) => countCalls(db, calls), list: (key, since) => listCalls(db, key, since), clock: source.clock }
  const node = randomUUID()
  const now = () => (isClockGiven ? source.clock() : null)
  return { take: (asks) => takeTurns(db, asks, now()), countStrangers: () => countStrangers(db, { node, now: now() }) }
}

/** A timer keeps no process alive. */
function scheduleTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref()
  return () => clearTimeout(timer)
}
