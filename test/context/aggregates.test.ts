/** Both databases count and group as the oracle does; `npm run soak` computes 5,000 aggregates on each. */
import { describe, expect, test } from 'vitest'
import { int, time } from '../../packages/ferrule/src/definition/fields.ts'
import { parseAggregate } from '../../packages/server/src/copies/search/aggregates/parse.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { RecentWords } from '../../packages/server/src/copies/search/lookups/run.ts'
import type { SearchStatement } from '../../packages/server/src/copies/search/statement.ts'
import { runAggregate } from '../../packages/server/src/copies/searcher.ts'
import { choose } from '../support/draws.ts'
import { databasesOfStatements } from '../support/postgres.ts'
import { compareAggregates } from './aggregates.ts'
import { createTable, fillTable, openDatabase } from './databases.ts'

const moments = buildSearchTable('cases', 'moments', {
  about: 'Moments',
  key: ['id'],
  context_store_search: { id: int('Id'), at: time('Time') },
})

describe.each(databasesOfStatements(['pglite', 'postgres']))('aggregates on %s', (engine) => {
  test.each([
    ['tables of their own', { seed: 20_261_128, schemas: choose(4, 80), queries: 50, records: 40 }],
    ['the table of kinds of organizations', { seed: 20_261_129, schemas: choose(2, 20), queries: 50, records: 40, isOwn: true }],
  ])(
    'have the groups and measures of the oracle, in its order, over all pages, in %s',
    { timeout: choose(480_000, 3_600_000) },
    async (_where, plan) => {
      const database = await openDatabase(engine)
      const report = await compareAggregates(database, plan)
      await database.close()
      expect(report.differences.join('\n\n')).toBe('')
      expect(report.aggregates).toBe(plan.schemas * plan.queries)
      expect(report.telling).toBeGreaterThan(report.aggregates / 4)
      expect(report.skipping).toBeGreaterThan(report.aggregates / 20)
    },
  )
})
