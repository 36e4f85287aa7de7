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

  test('tell the two hours of a change of the clock apart, and begin weeks as ISO 8601 does', async () => {
    const database = await openDatabase(engine)
    await createTable(database, moments)
    const times = ['2025-10-26T00:30:00Z', '2025-10-26T01:30:00Z', '2025-10-26', '2020-12-31T23:30:00Z', '2021-01-03', 'soon']
    await fillTable(database, moments, { connector: 1, sent: times.map((at, id) => ({ record: { id, at } })) })
    const read = async (by: string, zone: string) => {
      const query = parseAggregate(moments, { group_by: [{ field: 'at', by, time_zone: zone }] })
      const run = { ask: (statement: SearchStatement) => database.query(statement), recent: new RecentWords() }
      const { json, skipped } = await runAggregate(run, query, { connector: 1 })
      expect(skipped).toEqual({ at: 1 })
      return JSON.parse(json).map(({ at, count }: { at: string; count: number }) => `${at} ${count}`)
    }
    expect((await read('hour', 'Europe/Berlin')).slice(2)).toEqual([
      '2025-10-26T00:00:00+02:00 1',
      '2025-10-26T02:00:00+02:00 1',
      '2025-10-26T02:00:00+01:00 1',
    ])
    expect(await read('week', 'UTC')).toEqual(['2020-W53 2', '2025-W43 3'])
    expect(await read('year', 'Europe/Berlin')).toEqual(['2021 2', '2025 3'])
    expect(await read('quarter', 'UTC')).toEqual(['2020-Q4 1', '2021-Q1 1', '2025-Q4 3'])
    await database.close()
  })
})
