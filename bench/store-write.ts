/** Writing to the context store in batches with progress, and writing the same again, against a bare COPY of the same fields. */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { openContextStore } from '../src/context/store/store.ts'
import type { ContextStore, ContextStoreSettings } from '../src/context/store/types.ts'
import { Secret } from '../src/engine/secret.ts'
import { startCluster } from '../test/support/postgres-cluster.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import { callOf, kind, recordsOf, table } from './store-records.ts'

/** Records of a round, and of a batch. */
const size = 50_000
const batch = 1_000

const batches = Array.from({ length: size / batch }, (_, index) => recordsOf(index * batch, batch))
const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
const columns = table.columns.map(({ name, type }) => `"${name}" ${type === 'integer' ? 'int8' : type === 'boolean' ? 'boolean' : 'text'}`)
const plain = `create table plain (${columns.join(', ')}, primary key (id))`

const csvOf = (): string =>
  Array.from({ length: size }, (_, index) => {
    const call = callOf(index)
    return table.columns.map(({ name }) => `"${String(call[name] ?? '')}"`).join(',')
  }).join('\n')

/** Records a second of each round. */
interface Speeds {
  readonly first: number
  readonly again: number
}

/** Writes all records of a new connector, and then the same again. */
async function written(store: ContextStore): Promise<Speeds> {
  const place = { connector: randomUUID(), kind: 'gong', entity: 'calls' }
  const all = async (expected: 'created' | 'unchanged'): Promise<number> => {
    const begin = performance.now()
    for (const [index, records] of batches.entries()) {
      const checkpoints = [{ part: 'cursor', value: JSON.stringify({ page: index }) }]
      const done = await store.write(place, { records, asked: Date.now(), checkpoints })
      if (done[expected] !== batch) throw new Error('a batch of the benchmark was not written whole')
    }
    return (size / (performance.now() - begin)) * 1_000
  }
  return { first: await all('created'), again: await all('unchanged') }
}

/** A bare COPY into a table with a key, in a table that is made for it. */
type Copy = () => Promise<void>

async function copied(copy: Copy): Promise<Speeds> {
  const begin = performance.now()
  await copy()
  const speed = (size / (performance.now() - begin)) * 1_000
  return { first: speed, again: speed }
}

async function measure(name: string, effort: Effort, { settings, copy }: { settings: ContextStoreSettings; copy: Copy }): Promise<Result> {
  const store = openContextStore({ settings, kinds: [kind] })
  await store.check()
  const sides = { ours: () => written(store), baseline: () => copied(copy) }
  const figures = await alternate(sides, effort, (side) => side())
  await store.close()
  const first = median(figures.ours.map((speeds) => speeds.first))
  const again = median(figures.ours.map((speeds) => speeds.again))
  const baseline = median(figures.baseline.map((speeds) => speeds.first))
  return rate({ name, unit: 'records/s', ours: first, baseline, unchanged: again, unchanged_ratio: again / first })
}

const common = { waiting: 10, searchSeconds: 10 }

/** Runs the benchmark over PGlite. */
export async function storeWriteEmbedded(effort: Effort): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  const bare = await PGlite.create(join(folder, 'bare'))
  const blob = new Blob([csvOf()])
  const copy = async (): Promise<void> => {
    await bare.exec(`drop table if exists plain; ${plain}`)
    await bare.query(`copy plain (${names}) from '/dev/blob' (format csv)`, [], { blob })
  }
  const settings = { engine: 'embedded' as const, folder: join(folder, 'context'), memoryMb: 32, ...common }
  const result = await measure('store-write-embedded', effort, { settings, copy })
  await bare.close()
  rmSync(folder, { recursive: true, force: true })
  return result
}

/** Runs the benchmark over a PostgreSQL server that is started for it. */
export async function storeWritePostgres(effort: Effort): Promise<Result> {
  const cluster = await startCluster()
  const folder = mkdtempSync('/tmp/ferrule-bench-')
  chmodSync(folder, 0o755) // the server may run under another account
  const file = join(folder, 'calls.csv')
  writeFileSync(file, csvOf())
  const url = new URL(cluster.url)
  await run(cluster.url, `create database context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`)
  url.pathname = '/context'
  const copy = (): Promise<void> => run(url.href, 'drop table if exists plain', plain, `copy plain (${names}) from '${file}' (format csv)`)
  const settings = { engine: 'postgres' as const, url: new Secret(url.href), searches: 2, writers: 2, ...common }
  const result = await measure('store-write-postgres', effort, { settings, copy })
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
  return result
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
