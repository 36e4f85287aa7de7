/**
 * The same calls in the table of all organizations' kinds, against a table of columns of their own: CPU of PostgreSQL for each search, the speed
 * of writes, and the bytes of a row with its indexes. Parallel workers are off, because only the connection's own process is measured.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { id, int } from '../packages/ferrule/src/definition/fields.ts'
import type { EntityRef } from '../packages/server/src/copies/entity-ref.ts'
import type { Row } from '../packages/server/src/copies/store/database/database.ts'
import type { StoredRecord } from '../packages/server/src/copies/store/row-encoder.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import type { OwnKind } from '../packages/server/src/values/access.ts'
import { createSearcher } from '../test/support/searcher.ts'
import { type Result, rate, time } from './result.ts'
import { alternate, type Effort, median, type Sides } from './rounds.ts'
import { type SearchCase, searchCases } from './search-cases.ts'
import type { SearchSizes } from './search-service.ts'
import { withPostgres } from './store-databases.ts'
import { kind, recordsOf } from './store-records.ts'

type OwnEffort = Effort & Pick<SearchSizes, 'records'>

/** More records take minutes and change no ratio. */
const mostRecords = 300_000
const batch = 1_000
const sets = 4
/** Connectors beside the large one, and their records. */
const small = { connectors: 10, records: 5_000 }

/** Entities without words, time or JSON: what their rows pay for columns that others need. */
const narrow = { about: 'Counts.', key: ['id'], context_store_search: { id: id('Id.'), size: int('Size.'), age: int('Age.') } }
const narrowKind = { kind: 'narrow', entities: { counts: narrow } }
const narrowOf = (from: number, count: number): StoredRecord[] =>
  recordsOf(from, count).map(({ key, fields }, index) => ({ key, fields: { id: fields['id'], size: index, age: from } }))

const ownKind = (entities: OwnKind['entities'] = kind.entities): OwnKind => ({ organizationId: randomUUID(), id: randomUUID(), entities })
const refTo = (own?: EntityRef['own'], entity = 'calls', slug: string = kind.kind): EntityRef => ({
  connector: randomUUID(),
  kind: slug,
  entity,
  own,
})

async function fill(store: ContextStore, ref: EntityRef, records: number, make = recordsOf): Promise<void> {
  for (let from = 0; from < records; from += batch)
    await store.writeBatch(ref, { records: make(from, Math.min(batch, records - from)), asked: Date.now() })
}

/** Microseconds on a processor of a process, as Linux counts them. */
const readCpu = (pid: unknown): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000

/** Creates a function that searches and returns the milliseconds of CPU that the connection's process took. */
function createMeter(store: ContextStore): (ref: EntityRef, params: unknown) => Promise<number> {
  let ms = 0
  const searcher = createSearcher({
    getTable: (...of) => store.getTable(...of),
    hasRows: (of) => store.hasRows(of),
    search: (where, work, options) =>
      store.search(
        where,
        async (session, number) => {
          const pid = (await session.query<Row>({ text: 'select pg_backend_pid() as pid' })).rows[0]?.['pid']
          const before = readCpu(pid)
          const result = await work(session, number)
          ms += (readCpu(pid) - before) / 1_000
          return result
        },
        options,
      ),
  })
  return async (ref, params) => {
    ms = 0
    await searcher.search({ ref, params, key: Buffer.from('key'), now: Date.now() })
    return ms
  }
}

async function searched(each: SearchCase, refs: Sides<EntityRef>, { store, effort }: { store: ContextStore; effort: OwnEffort }) {
  const measure = createMeter(store)
  const params = Array.from({ length: sets }, (_, set) => each.params(set, effort.records))
  const figures = await alternate(refs, { rounds: effort.rounds * 3 }, async (ref) => {
    const all: number[] = []
    for (const one of params) all.push(await measure(ref, one))
    return median(all)
  })
  const [ours, baseline] = [median(figures.ours), median(figures.baseline)]
  const most = each.hasIndex ? 2 : 5
  return time({ name: `own-tables-${each.name}`, unit: 'ms of CPU', ours, baseline, times: ours / baseline, most })
}

/** Bytes of a row of a connector, with the indexes of its table. */
async function sizeOf(store: ContextStore, table: string, records: number): Promise<number> {
  const text = `select sum(pg_total_relation_size(relid))::int8 as bytes from pg_partition_tree('${table}')`
  return Number((await (await store.openDatabase()).query<Row>({ text })).rows[0]?.['bytes']) / records
}

async function written(store: ContextStore, name: string, refs: Sides<() => EntityRef>, { rounds }: Effort): Promise<Result> {
  const size = 10_000
  const make = name === 'calls' ? recordsOf : narrowOf
  const figures = await alternate(refs, { rounds }, async (ref) => {
    const begin = performance.now()
    await fill(store, ref(), size, make)
    return (size / (performance.now() - begin)) * 1_000
  })
  return rate({ name: `own-tables-write-${name}`, unit: 'records/s', ours: median(figures.ours), baseline: median(figures.baseline) })
}

/** Runs the benchmark over a PostgreSQL server that is started for it. */
export async function* ownTables(given: OwnEffort): AsyncGenerator<Result, void, undefined> {
  const effort = { ...given, records: Math.min(given.records, mostRecords) }
  yield* await withPostgres(1, async ({ settings }) => {
    const store = new ContextStore({ settings: { ...settings, searchSeconds: 60, indexes: 0 }, kinds: [kind, narrowKind] })
    if (settings.engine !== 'postgres') throw new Error('the benchmark needs a server')
    const client = new Client({ connectionString: settings.url.reveal() })
    await client.connect()
    await client.query('alter database context set max_parallel_workers_per_gather = 0')
    await client.end()
    const refs = { ours: refTo(ownKind()), baseline: refTo() }
    const sides = [refs.baseline, refs.ours]
    for (const ref of sides) await fill(store, ref, effort.records)
    const all = effort.records + small.connectors * small.records
    for (let index = 0; index < small.connectors; index += 1)
      for (const ref of [refTo(), refTo(ownKind())]) await fill(store, ref, small.records)
    await (await store.openDatabase()).withConnection((run) => run({ text: 'vacuum (analyze)' }), { timeoutMs: 600_000 })
    const results: Result[] = []
    for (const each of searchCases.filter(({ isSmall }) => isSmall !== true)) results.push(await searched(each, refs, { store, effort }))
    const bytes = { ours: await sizeOf(store, 'cs_own', all), baseline: await sizeOf(store, 'cs_gong_calls', all) }
    results.push(time({ name: 'own-tables-bytes', unit: 'bytes a row', ...bytes }))
    const own = ownKind(narrowKind.entities)
    results.push(await written(store, 'calls', { ours: () => refTo(refs.ours.own), baseline: () => refTo() }, effort))
    const counts = { ours: () => refTo(own, 'counts'), baseline: () => refTo(undefined, 'counts', 'narrow') }
    results.push(await written(store, 'narrow', counts, effort))
    await store.close()
    return results
  })
}
