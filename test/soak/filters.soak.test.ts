/** A hundred thousand filters printed as text and parsed. `FERRULE_SOAK_SEED` repeats the draws, `FERRULE_SOAK_FILTERS` sets their number. */
import { expect, test } from 'vitest'
import { tripDeep, tripQueries } from '../client/filter-trips.ts'
import { Random } from '../context/random.ts'

const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? Date.now() % 1_000_000)
const filters = Number(process.env['FERRULE_SOAK_FILTERS'] ?? 100_000)

test('filters mean the same after they were printed and parsed', { timeout: 3_600_000 }, () => {
  const queries = tripQueries(new Random(seed), filters / 2)
  const deep = tripDeep(new Random(seed), filters / 2)
  const figures = `seed ${seed}: ${queries} of worlds, ${deep.filters} deep: ${deep.deepest} of 16 levels, ${deep.merged} merged, ${deep.longest} of 256 conditions`
  console.log(figures)
  expect(queries + deep.filters, figures).toBeGreaterThanOrEqual(filters)
})
