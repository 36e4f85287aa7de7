/** Both databases return what the oracle returns: `npm run soak` asks twenty times as much. */
import { describe, expect, test } from 'vitest'
import { openDatabase } from './databases.ts'
import { compareSearches } from './exactness.ts'

describe.each(['pglite', 'postgres'] as const)('searches on %s', (engine) => {
  test('find what the oracle finds, in its order, over all pages', { timeout: 120_000 }, async () => {
    const database = await openDatabase(engine)
    const report = await compareSearches(database, { seed: 20_250_301, schemas: 20, queries: 55, records: 40 })
    await database.close()
    expect(report.differences.join('\n\n')).toBe('')
    expect(report.queries).toBeGreaterThanOrEqual(1000)
    expect(report.telling).toBeGreaterThan(report.queries / 4)
  })
})
