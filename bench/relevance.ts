/** Searches by relevance against the same ones in the order of the key, by how many records match, on both databases. */
import { randomUUID } from 'node:crypto'
import type { EntityRef } from '../packages/server/src/copies/entity-ref.ts'
import type { Row } from '../packages/server/src/copies/store/database/database.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { createSearcher, type Searcher } from '../test/support/searcher.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import type { SearchSizes } from './search-service.ts'
import { type StoreDatabase, withEmbedded, withPostgres } from './store-databases.ts'
import { callOf, kind, recordsOf } from './store-records.ts'

type RelevanceEffort = Effort & Pick<SearchSizes, 'records'>

const batch = 1_000
const limit = 100

/** Words with the number of records that have them, the most frequent first. */
function frequencies(records: number): readonly (readonly [word: string, count: number])[] {
  const counts = new Map<string, number>()
  for (let index = 0; index < records; index++)
    for (const word of new Set(String(callOf(index)['title']).split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

/** A filter, and how many records its words have at least. */
interface RelevanceCase {
  readonly name: string
  readonly filter: unknown
}

function casesOf(records: number): readonly RelevanceCase[] {
  const all = frequencies(records).filter(([word]) => word.length >= 6)
  const most = frequencies(records)
  const near = (count: number): string => all.toSorted(([, a], [, b]) => Math.abs(a - count) - Math.abs(b - count))[0]?.[0] ?? ''
  const rare = near(records / 1_500)
  const top = (count: number): string =>
    most
      .slice(0, count)
      .map(([word]) => word)
      .join(' ')
  return [
    { name: 'rare-keyword', filter: { keyword: { title: rare } } },
    { name: 'rare-fuzzy', filter: { fuzzy: { title: rare } } },
    { name: 'rare-misspelt', filter: { fuzzy: { title: rare.slice(0, -2) + rare.slice(-1) } } },
    { name: 'rare-two-words', filter: { fuzzy: { title: String(callOf(7)['title']).split(' ').slice(0, 2).join(' ') } } },
    { name: 'thousands', filter: { keyword: { title: near(records / 100) } } },
    { name: 'common-keyword', filter: { keyword: { title: top(1) } } },
    { name: 'common-fuzzy', filter: { fuzzy: { title: top(1) } } },
    { name: 'more-keyword', filter: { keyword: { title: top(2) } } },
    { name: 'most-keyword', filter: { keyword: { title: top(12) } } },
    { name: 'beginnings', filter: { fuzzy: { title: 'a' } } },
  ]
}

async function fill(store: ContextStore, ref: EntityRef, records: number): Promise<void> {
  for (let from = 0; from < records; from += batch)
    await store.writeBatch(ref, { records: recordsOf(from, Math.min(batch, records - from)), asked: Date.now() })
  const database = await store.openDatabase()
  await database.withConnection((run) => run({ text: 'vacuum (analyze)' }), { timeoutMs: 600_000 })
}

/** Milliseconds of one search. */
async function searched(searcher: Searcher, ref: EntityRef, query: object): Promise<number> {
  const begin = performance.now()
  await searcher.search({ ref, params: { query, limit }, key: Buffer.from('key'), now: Date.now() })
  return performance.now() - begin
}

async function measured({ settings }: StoreDatabase, engine: string, effort: RelevanceEffort): Promise<readonly Result[]> {
  const store = new ContextStore({ settings: { ...settings, searchSeconds: 60, indexes: 0 }, kinds: [kind] })
  const ref = { connector: randomUUID(), kind: kind.kind, entity: 'calls' }
  await fill(store, ref, effort.records)
  const searcher = createSearcher(store)
  const results: Result[] = []
  for (const { name, filter } of casesOf(effort.records)) {
    const sides = { ours: { filter }, baseline: { filter, sort: [{ id: 'asc' }] } }
    const { ours, baseline } = await alternate(sides, { rounds: effort.rounds * 4 }, (query) => searched(searcher, ref, query))
    const text = `select count(*) as n from "${store.getTable(ref.kind, ref.entity).name}" where connector_id = $1`
    const counted = await store.search(ref, (session, number) => session.query<Row>({ text, values: [number] }))
    const records = String(counted?.rows[0]?.['n'] ?? 0)
    results.push(time({ name: `relevance-${engine}-${name}`, unit: 'ms', ours: median(ours), baseline: median(baseline), records }))
  }
  await store.close()
  return results
}

/** A line for each case; `baseline` is the order of the key, so `ratio` says how many times that it takes (less than 1: longer). */
export async function* relevance(effort: RelevanceEffort): AsyncGenerator<Result, void, undefined> {
  yield* await withPostgres(1, (ref) => measured(ref, 'postgres', effort))
  yield* await withEmbedded(1, (ref) => measured(ref, 'embedded', effort))
}
