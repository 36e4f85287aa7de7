/**
 * Twenty thousand searches on each database against the oracle, and five thousand hostile ones. `FERRULE_SOAK_SEED` repeats the draws of a run,
 * `FERRULE_SOAK_SEARCHES` sets their number. `FERRULE_SOAK_CITUS_URL` names an empty database of a cluster of Citus, which is searched too.
 */
import { describe, expect, test } from 'vitest'
import { citusUrl, openDatabase } from '../context/databases.ts'
import { compareSearches } from '../context/exactness.ts'
import { askHostile } from '../context/hostile-searches.ts'
import { overBoth } from '../context/store-world.ts'
import { databasesUnderTest } from '../support/postgres.ts'

const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? Date.now() % 1_000_000)
const searches = Number(process.env['FERRULE_SOAK_SEARCHES'] ?? 21_000)
const queries = 150

const engines = citusUrl === undefined ? (['pglite', 'postgres'] as const) : (['pglite', 'postgres', 'citus'] as const)
if (citusUrl === undefined) console.log('no search on Citus: FERRULE_SOAK_CITUS_URL is not set')

describe('searches find what the oracle finds', () => {
  test.each(databasesUnderTest(engines))('on %s', { timeout: 3_600_000 }, async (engine) => {
    const database = await openDatabase(engine)
    const begin = performance.now()
    const report = await compareSearches(database, {
      seed,
      schemas: Math.ceil(searches / queries),
      queries,
      records: 60,
      onDemand: seed % 2 === 1,
    })
    await database.close()
    const figures = `${engine}, seed ${seed}: ${report.queries} searches, ${report.pages} pages, ${report.telling} telling, ${Math.round((performance.now() - begin) / 1000)} s`
    console.log(figures)
    expect(report.differences.join('\n\n'), figures).toBe('')
    expect(report.queries).toBeGreaterThanOrEqual(searches)
  })
})

overBoth('hostile texts', (engine) => {
  test('are answered or refused wherever they stand', { timeout: 600_000 }, async () => {
    const { answered, refused, failures } = await askHostile(engine, { searches: 5_000, seed })
    console.log(`${engine}, seed ${seed}: ${answered} answered, ${refused} refused, ${failures.length} failed`)
    expect(failures).toEqual([])
  })
})
