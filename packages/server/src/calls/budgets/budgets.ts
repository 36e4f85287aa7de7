/** The budgets of vendors, as the platform opens them. */
import { randomUUID } from 'node:crypto'
import type { Parts } from '../../main/parts.ts'
import { deleteUnusedBudgets, readBudgets, readSharedBudgets, storeBudgets } from '../sql/vendor-budgets.ts'
import type { BudgetStore } from './keeper.ts'
import { SharedLimiter } from './limiter.ts'

/** Unused budgets are kept this long, in milliseconds: longer than the longest window of any vendor. */
const keptMs = 2 * 86_400_000

/** What stores budgets. */
export interface StoreParts extends Pick<Parts, 'database'> {
  readonly source: Pick<Parts['source'], 'clock'>
  /** True if times are those of `source.clock`, which a test moves; else PostgreSQL's own clock is read with each look. */
  readonly isClockGiven: boolean
}

/** What the platform needs to open budgets. */
export interface BudgetParts extends StoreParts, Pick<Parts, 'steady' | 'onBackgroundError'> {}

/** The budgets of this node. */
export interface VendorBudgets {
  readonly limiter: SharedLimiter
  purgeExpired(now: number): Promise<number>
}

/** Opens the budgets. */
export function createVendorBudgets(parts: BudgetParts): VendorBudgets {
  const { database, steady, onBackgroundError } = parts
  const isAlone = database.dialect === 'sqlite'
  const schedule = scheduleTimer
  const limiter = new SharedLimiter({ node: randomUUID(), store: createBudgetStore(parts), isAlone, steady, schedule, onBackgroundError })
  return { limiter, purgeExpired: (now) => deleteUnusedBudgets(database.db, now - keptMs) }
}

/** Builds the store. The embedded database's clock is that of the platform, which continues after a restart. */
export const createBudgetStore = ({ database, source, isClockGiven }: StoreParts): BudgetStore => ({
  read: async (keys) => {
    if (database.dialect === 'postgres' && !isClockGiven) {
      const { now, rows } = await readSharedBudgets(database.db, keys)
      return { now, rows: new Map(rows.map((row) => [row.key, row])) }
    }
    const rows = await readBudgets(database.db, keys)
    return { now: source.clock(), rows: new Map(rows.map((row) => [row.key, row])) }
  },
  write: (changes) => (changes.length === 0 ? Promise.resolve(new Set<string>()) : storeBudgets(database, changes)),
})

/** A timer keeps no process alive. */
function scheduleTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref()
  return () => clearTimeout(timer)
}
