/** Searches, a line for each case: on PostgreSQL against the same SQL alone, and embedded against PostgreSQL, over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../packages/ferrule/src/engine/credentials/source.ts'
import type { Statement } from '../packages/server/src/copies/store/database/database.ts'
import type { ContextStoreSettings } from '../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { createSearcher } from '../test/support/searcher.ts'
import { type Result, time } from './result.ts'
import { type Effort, median } from './rounds.ts'
import { findBaseline } from './search-baseline.ts'
import { type SearchCase, searchCases } from './search-cases.ts'
import { type SearchService, type SearchSizes, startSearchService } from './search-service.ts'
import { forManyRecords, startDatabase } from './store-databases.ts'
import { kind } from './store-records.ts'

/** Sets of values of a case. */
const sets = 4
/** Concurrent clients, beside one. */
const many = 16

/** How long the searches run, and over how much. */
export type SearchEffort = Effort & SearchSizes

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

const sizeOf = ({ isSmall }: SearchCase, { records, smallRecords }: SearchSizes): number => (isSmall ? smallRecords : records)
const paramsOf = (each: SearchCase, sizes: SearchSizes): readonly unknown[] =>
  Array.from({ length: sets }, (_, set) => each.params(set, sizeOf(each, sizes)))

/** Measures milliseconds of each search of a case over HTTP, by so many concurrent clients. */
async function searched(
  service: SearchService,
  each: SearchCase,
  { effort, clients }: { effort: SearchEffort; clients: number },
): Promise<number[]> {
  const params = paramsOf(each, effort)
  const connector = each.isSmall ? service.small : service.large
  const times: number[] = []
  const end = performance.now() + effort.seconds * 1_000
  const loop = async (first: number): Promise<void> => {
    for (let index = first; performance.now() < end || index < first + sets; index += 1) {
      const begin = performance.now()
      await service.search(connector, params[index % sets])
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => loop(index)))
  return times
}

/** Indexes on demand would come in the middle of the cases that have none. */
const common = { waiting: 200, searchSeconds: 60, indexes: 0 }

/** A server with a database for copies, and the settings of a store in it. */
async function startStoreDatabase(): Promise<{ readonly url: string; readonly settings: ContextStoreSettings; stop(): Promise<void> }> {
  const { url, stop } = await startDatabase(forManyRecords)
  return {
    url,
    settings: { engine: 'postgres', url: new Secret(url), searches: many, writers: 4, ...common },
    stop,
  }
}

const serviceSettings = { FERRULE_SEARCH_SECONDS: String(common.searchSeconds), FERRULE_CONTEXT_INDEXES: String(common.indexes) }
const environmentOf = (url: string) => ({
  CONTEXT_DATABASE_URL: url,
  FERRULE_CONTEXT_SEARCHES: String(many),
  ...serviceSettings,
})

/** The statement that reads the page of each search of a case, as the service makes it; without the lookups before. */
async function statementsOf(store: ContextStore, connector: string, params: readonly unknown[]): Promise<readonly Statement[]> {
  let last: Statement | undefined
  const searcher = createSearcher({
    getTable: (...of) => store.getTable(...of),
    hasRows: (of) => store.hasRows(of),
    search: (ref, work, options) =>
      store.search(
        ref,
        (session, number) => {
          const query = <R>(statement: Statement) => {
            last = statement
            return session.query<R>(statement)
          }
          return work({ query }, number)
        },
        options,
      ),
  })
  const ref = { connector, kind: kind.kind, entity: 'calls' }
  const statements: Statement[] = []
  for (const each of params) {
    await searcher.search({ ref, params: each, key: Buffer.from('key'), now: Date.now() })
    if (last !== undefined) statements.push({ ...last, name: `bench_${statements.length}` })
  }
  return statements
}

/** Milliseconds of each search in this process: what the database, its driver and our part of it take, without HTTP. */
async function direct(
  store: ContextStore,
  connector: string,
  { params, seconds, clients }: { params: readonly unknown[]; seconds: number; clients: number },
): Promise<number[]> {
  const searcher = createSearcher(store)
  const ref = { connector, kind: kind.kind, entity: 'calls' }
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  const loop = async (first: number): Promise<void> => {
    for (let index = first; performance.now() < end || index < first + sets; index += 1) {
      const begin = performance.now()
      await searcher.search({ ref, params: params[index % sets], key: Buffer.from('key'), now: Date.now() })
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => loop(index)))
  return times
}

/**
 * Searches of a connector of a million records beside many small ones, on PostgreSQL, a line for each case. `ours` is the search from
 * its parameters to the text of its answer, in a process beside the server as pgbench is one; `ratio` is that of one client, `ratio_16`
 * that of sixteen, both of medians over the same values. What HTTP, tokens and tenants add is in `http_ms` and the ratios of it.
 */
export async function* search(effort: SearchEffort): AsyncGenerator<Result, void, undefined> {
  const database = await startStoreDatabase()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => database.stop())
  const service = stack.use(await startSearchService(environmentOf(database.url), database.settings, effort))
  const store = new ContextStore({ settings: database.settings, kinds: [kind] })
  stack.defer(() => store.close())
  for (const each of searchCases) yield await measured(each, { url: database.url, service, store, effort })
}

interface Measuring {
  readonly url: string
  readonly service: SearchService
  readonly store: ContextStore
  readonly effort: SearchEffort
}

async function measured(each: SearchCase, { url, service, store, effort }: Measuring): Promise<Result> {
  const connector = each.isSmall ? service.small : service.large
  const params = paramsOf(each, effort)
  const statements = await statementsOf(store, connector, params)
  const baseline = findBaseline()
  const sides = async (clients: number) => {
    const given = { clients, seconds: effort.seconds }
    await direct(store, connector, { params, clients, seconds: 0.5 })
    const ours = await direct(store, connector, { params, ...given })
    const alone = median(await baseline.run(statements, { url, ...given }))
    const http = await searched(service, each, { effort, clients })
    return { ours: median(ours), p95: percentile(ours, 0.95), alone, http: median(http), httpP95: percentile(http, 0.95) }
  }
  const [one, sixteen] = [await sides(1), await sides(many)]
  return time({
    name: `search-${each.name}`,
    unit: 'ms',
    ours: one.ours,
    baseline: one.alone,
    ratio_16: sixteen.alone / sixteen.ours,
    p95_ms: one.p95,
    http_ms: one.http,
    http_p95_ms: one.httpP95,
    http_ratio: one.alone / one.http,
    http_ratio_16: sixteen.alone / sixteen.http,
    ours_16_ms: sixteen.ours,
    baseline_16_ms: sixteen.alone,
    baseline_by: baseline.name,
    index: each.hasIndex ? 'yes' : 'no',
  })
}

/** Median milliseconds of the service's other requests while a slow search runs all the time. */
async function besides(service: SearchService, effort: SearchEffort): Promise<number> {
  const slow = searchCases.find(({ name }) => name === 'sort-unindexed')
  if (slow === undefined) return Number.NaN
  const [params] = paramsOf(slow, effort)
  const times: number[] = []
  let isOver = false
  const searching = (async () => {
    while (!isOver) await service.search(service.large, params)
  })()
  for (const end = performance.now() + Math.max(2, effort.seconds) * 1_000; performance.now() < end; ) {
    const begin = performance.now()
    await service.read(service.small)
    times.push(performance.now() - begin)
  }
  isOver = true
  await searching
  return median(times)
}

/** A folder for an embedded store, removed in the end. */
function openEmbedded(stack: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { engine: 'embedded' as const, folder: join(folder, 'context'), memoryMb: 32, ...common }
  return { settings, environment: { ...serviceSettings, FERRULE_CONTEXT_FOLDER: settings.folder } }
}

/**
 * The memory of the service with an embedded store of a million records, in megabytes: `ours` after all searches, by sixteen clients
 * where there is an index, `baseline` before the first one, when the store is closed; `peak_mb` is the most in between.
 */
export async function memory(effort: SearchEffort): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const { settings, environment } = openEmbedded(stack)
  const service = stack.use(await startSearchService(environment, settings, { ...effort, connectors: 1 }))
  const before = await service.child.usage()
  for (const each of searchCases) await searched(service, each, { effort, clients: each.hasIndex ? many : 1 })
  const { rss, peak } = await service.child.usage()
  return time({ name: 'memory', unit: 'MB', ours: rss / 1e6, baseline: before.rss / 1e6, peak_mb: peak / 1e6 })
}

/**
 * The same searches in an embedded store against PostgreSQL, both over HTTP by one client. The last line reports the median of the
 * service's other requests while a slow search runs, and its memory.
 */
export async function* searchEmbedded(effort: SearchEffort): AsyncGenerator<Result, void, undefined> {
  const database = await startStoreDatabase()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => database.stop())
  const { settings, environment } = openEmbedded(stack)
  const server = stack.use(await startSearchService(environmentOf(database.url), database.settings, effort))
  const embedded = stack.use(await startSearchService(environment, settings, effort))
  for (const each of searchCases) {
    const measure = (service: SearchService) => searched(service, each, { effort, clients: 1 })
    for (const service of [embedded, server]) await searched(service, each, { effort: { ...effort, seconds: 1 }, clients: 1 })
    const [ours, theirs] = [await measure(embedded), await measure(server)]
    yield time({
      name: `search-embedded-${each.name}`,
      unit: 'ms',
      ours: median(ours),
      baseline: median(theirs),
      p95_ms: percentile(ours, 0.95),
    })
  }
  const [ours, baseline] = [await besides(embedded, effort), await besides(server, effort)]
  const { rss, peak } = await embedded.child.usage()
  yield time({ name: 'search-embedded-beside', unit: 'ms', ours, baseline, rss_mb: rss / 1e6, peak_mb: peak / 1e6 })
}
