/** Writing to the context store in batches with progress, and writing the same again, against a bare COPY of the same fields. */
import { randomUUID } from 'node:crypto'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import { type StoreDatabase, withEmbedded, withPostgres } from './store-databases.ts'
import { kind, recordsOf } from './store-records.ts'

/** Records of a round, and of a batch. */
const size = 50_000
const batch = 1_000

const batches = Array.from({ length: size / batch }, (_, index) => recordsOf(index * batch, batch))

/** Records a second of each round. */
interface Speeds {
  readonly first: number
  readonly again: number
}

/** Writes all records of a new connector, and then the same again. */
async function written(store: ContextStore): Promise<Speeds> {
  const ref = { connector: randomUUID(), kind: 'gong', entity: 'calls' }
  const all = async (expected: 'created' | 'unchanged'): Promise<number> => {
    const begin = performance.now()
    for (const [index, records] of batches.entries()) {
      const checkpoints = [{ name: 'cursor', value: JSON.stringify({ page: index }) }]
      const done = await store.writeBatch(ref, { records, asked: Date.now(), checkpoints })
      if (done[expected] !== batch) throw new Error('a batch of the benchmark was not written whole')
    }
    return (size / (performance.now() - begin)) * 1_000
  }
  return { first: await all('created'), again: await all('unchanged') }
}

async function copied(copy: StoreDatabase['copy']): Promise<Speeds> {
  const begin = performance.now()
  await copy()
  const speed = (size / (performance.now() - begin)) * 1_000
  return { first: speed, again: speed }
}

async function measure(name: string, effort: Effort, { settings, copy }: StoreDatabase): Promise<Result> {
  const store = new ContextStore({ settings, kinds: [kind] })
  await store.checkDatabase()
  const sides = { ours: () => written(store), baseline: () => copied(copy) }
  const figures = await alternate(sides, effort, (side) => side())
  await store.close()
  const first = median(figures.ours.map((speeds) => speeds.first))
  const again = median(figures.ours.map((speeds) => speeds.again))
  const baseline = median(figures.baseline.map((speeds) => speeds.first))
  return rate({ name, unit: 'records/s', ours: first, baseline, unchanged: again, unchanged_ratio: again / first })
}

/** Runs the benchmark over PGlite. */
export const storeWriteEmbedded = (effort: Effort): Promise<Result> =>
  withEmbedded(size, (database) => measure('store-write-embedded', effort, database))

/** Runs the benchmark over a PostgreSQL server that is started for it. */
export const storeWritePostgres = (effort: Effort): Promise<Result> =>
  withPostgres(size, (database) => measure('store-write-postgres', effort, database))
