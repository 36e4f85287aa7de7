/** Counts and groups of a large connector against the same grouping by hand, in SQL on the same table and in the same sessions. */
import { randomUUID } from 'node:crypto'
import { decimal, id, int, known, str, time } from '../packages/ferrule/src/definition/fields.ts'
import { Searcher } from '../packages/server/src/copies/searcher.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { analyze, compareByHand, fillCopy, type HandEffort } from './by-hand.ts'
import type { Result } from './result.ts'
import { type StoreDatabase, withEmbedded, withPostgres } from './store-databases.ts'
import { callOf } from './store-records.ts'

const calls = {
  about: 'Calls with their price.',
  key: ['id'],
  context_store_search: {
    id: id('Id.'),
    title: str('Title.'),
    started: time('Begin.'),
    duration: int('Seconds.'),
    primaryUserId: id('Person.'),
    direction: known('Direction, always spelled alike.', 'Inbound', 'Outbound'),
    system: known('System, in several spellings.', 'Zoom', 'Teams', 'Meet'),
    price: decimal('Price.'),
  },
}
const kind = { kind: 'bench', entities: { calls } }
const systems = ['Zoom', 'Teams', 'Meet', 'zoom', 'TEAMS']
const recordOf = (index: number) => ({
  ...callOf(index),
  system: systems[index % systems.length],
  price: `${index % 10_000}.${10 + (index % 90)}`,
})

const source = '"cs_bench_calls" where connector_id = $1'
/** The begin of the last fifth of the calls. */
const lastFifth = (records: number): string => String(callOf(Math.floor(records * 0.8))['started'])
/** A time as the table stores it. */
const toMicros = (moment: string): string => String(BigInt(Date.parse(moment)) * 1_000n)
const local = (zone: string): string => `to_timestamp("started$at" / 1000000) at time zone ${zone}`
/** A date without a time of day is a day of any zone. */
const shifted = local(`case when octet_length("started") = 10 then 'UTC' else 'Europe/Berlin' end`)

/** Says how often each spelling of a known value stands for it, and shows the commonest one. */
const spelled = (name: string): string => `with c as (
    select "${name}$l" as key, "${name}" as text, count(*) as n, sum(duration) as seconds from ${source} group by 1, 2
  ) select (array_agg(text order by n desc, text))[1], sum(n), sum(seconds) from c group by key order by key`

/** A request, and what says the same by hand. */
interface AggregateCase {
  readonly name: string
  readonly params: object
  readonly sql: string
}

const measures = { calls: 'count', seconds: { sum: 'duration' } }
const countFrom = (begin: string): AggregateCase => ({
  name: 'count-index',
  params: { query: { filter: { gte: { started: begin } } } },
  sql: `select count(*) from ${source} and "started$at" >= ${toMicros(begin)}`,
})
const cases: readonly AggregateCase[] = [
  {
    name: 'month',
    params: { group_by: [{ field: 'started', by: 'month' }], measures },
    sql: `select date_trunc('month', ${local(`'UTC'`)}), count(*), sum(duration) from ${source} group by 1 order by 1`,
  },
  {
    name: 'month-berlin',
    params: { group_by: [{ field: 'started', by: 'month', time_zone: 'Europe/Berlin' }], measures },
    sql: `select date_trunc('month', ${shifted}), count(*), sum(duration) from ${source} group by 1 order by 1`,
  },
  { name: 'known-values', params: { group_by: ['direction'], measures }, sql: spelled('direction') },
  { name: 'known-spellings', params: { group_by: ['system'], measures }, sql: spelled('system') },
  {
    name: 'sum-decimals',
    params: { group_by: ['primaryUserId'], measures: { total: { sum: 'price' } } },
    sql: `select "primaryUserId", sum("price$n") from ${source} group by 1 order by 1`,
  },
  {
    name: 'distinct',
    params: { measures: { people: { distinct: 'primaryUserId' } } },
    sql: `select count(distinct "primaryUserId") from ${source}`,
  },
]

async function measured({ settings }: StoreDatabase, engine: string, effort: HandEffort): Promise<readonly Result[]> {
  const store = new ContextStore({ settings: { ...settings, searchSeconds: 60, indexes: 0 }, kinds: [kind] })
  const ref = { connector: randomUUID(), kind: kind.kind, entity: 'calls' }
  await fillCopy(store, ref, effort.records, recordOf)
  await analyze(store)
  const searcher = new Searcher(store, { cursorKey: () => Buffer.from('key'), clock: Date.now })
  const all = [countFrom(lastFifth(effort.records)), ...cases].map(({ name, params, sql }) => {
    const ours = async () => (await searcher.aggregate(ref, searcher.parseAggregate(ref, params)))?.json
    return { name, ours, sql }
  })
  const results = await compareByHand(store, { ref, cases: all, prefix: `aggregate-${engine}`, effort })
  await store.close()
  return results
}

/** A line for each case. The bar is 1.5 times the time of the SQL by hand: a `ratio` of 0.67. */
export async function* aggregates(effort: HandEffort): AsyncGenerator<Result, void, undefined> {
  yield* await withPostgres(1, (database) => measured(database, 'postgres', effort))
  yield* await withEmbedded(1, (database) => measured(database, 'embedded', effort))
}
