/** Both databases return what the oracle returns; `npm run soak` runs 21,000 queries. */
import { describe, expect, inject, test } from 'vitest'
import { choose } from '../support/draws.ts'
import { databasesOfStatements } from '../support/postgres.ts'
import { openDatabase } from './databases.ts'
import { compareSearches } from './exactness.ts'

/** A further version of PostgreSQL gets fewer, and no further indexes: what it can change is the meaning of a statement. */
const isFurther = inject('isFurtherVersion')

const plans: readonly (readonly [string, Parameters<typeof compareSearches>[1]])[] = [
  ['with the indexes that every table has', { seed: 20_250_301, schemas: choose(isFurther ? 2 : 4, 8), queries: 50, records: 40 }],
  ['with indexes that were made on demand', { seed: 20_261_120, schemas: 7, queries: 40, records: 40, onDemand: true }],
  [
    'in the table of kinds of organizations',
    { seed: 20_261_134, schemas: choose(isFurther ? 1 : 2, 75), queries: 40, records: 40, isOwn: true },
  ],
  [
    'in that table, with indexes that were made on demand',
    { seed: 20_261_145, schemas: choose(2, 8), queries: 30, records: 40, isOwn: true, onDemand: true },
  ],
]

describe.each(databasesOfStatements(['pglite', 'postgres']))('searches on %s', (engine) => {
  test.each(plans.filter(([, { onDemand }]) => !(isFurther && onDemand)))(
    'find what the oracle finds, in its order, over all pages, %s',
    { timeout: choose(480_000, 3_600_000) },
    async (_which, plan) => {
      const database = await openDatabase(engine)
      const report = await compareSearches(database, plan)
      await database.close()
      expect(report.differences.join('\n\n')).toBe('')
      expect(report.queries).toBe(plan.schemas * plan.queries)
      expect(report.telling).toBeGreaterThan(report.queries / 4)
      expect(report.ranked).toBeGreaterThan(report.queries / 20)
      expect(report.refused).toBeGreaterThan(0)
    },
  )
})
