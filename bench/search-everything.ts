/**
 * A search over all connectors, by how many records have the word. The baseline is one plain SQL statement over the same tables that finds the
 * newest records with the word; it counts and scores nothing. The last line compares a search with related records with one without.
 */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { id, secret, str, time as timestamp } from '../packages/ferrule/src/definition/fields.ts'
import { connector, entity } from '../packages/ferrule/src/definition/index.ts'
import { Secret } from '../packages/ferrule/src/engine/credentials/source.ts'
import { Everything } from '../packages/server/src/copies/everything/everything.ts'
import { buildPrimaryKey } from '../packages/server/src/copies/search/keys.ts'
import { Searcher } from '../packages/server/src/copies/searcher.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import type { Copies, SearchedConnector } from '../packages/server/src/copies/sync-types.ts'
import type { Principal } from '../packages/server/src/values/access.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import { forManyRecords, startDatabase } from './store-databases.ts'

/** How much is searched. */
export interface EverythingEffort extends Effort {
  /** Records of each entity; at most `mostRecords`. */
  readonly records: number
  /** At most `mostConnectors`. */
  readonly connectors: number
  /** Entities of each connector. */
  readonly entities: number
}

const [mostConnectors, mostRecords] = [50, 20_000]
const kindName = 'everything'
const fields = { id: id('Id.'), title: str('Title.'), body: str('Body.'), created_at: timestamp('Created.'), parent: id('Parent.') }
const things = entity({
  about: 'Things.',
  key: ['id'],
  record: fields,
  list: { call: 'GET /things', at: '', params: {} },
  context_store_search: fields,
  refers: { parent: 'e0' },
  summary: 'body',
  sync: {},
})

const createKind = (entities: readonly string[]) =>
  connector({
    kind: kindName,
    title: 'Everything',
    category: 'tests',
    about: 'Things.',
    documentation: 'https://things.example/docs',
    id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0201',
    origins: { api: 'https://things.example' },
    credentials: {
      token: { title: 'Token', fields: { token: secret('Token.') }, send: { headers: { authorization: 'Bearer {token}' } } },
    },
    configuration: {},
    pages: {},
    problem: { message: ['message'] },
    errors: [],
    limits: { key: ['token'], rates: [] },
    check: { entity: 'e0', action: 'list', params: {} },
    entities: Object.fromEntries(entities.map((name) => [name, things])),
  })

/** Words of a record: usual ones, one that each record has, that every tenth has, and that every thousandth has. */
function recordOf(index: number): Readonly<Record<string, unknown>> {
  const words = [`usual${index % 997}`, `other${index % 89}`, 'everywhere']
  const rare = [...(index % 10 === 0 ? ['tenth'] : []), ...(index % 1_000 === 0 ? ['thousandth'] : [])]
  const created_at = new Date(1_700_000_000_000 + index * 1_000).toISOString()
  return { id: index, title: [...words, ...rare].join(' '), body: `Text ${index % 4_999} of a thing`, created_at, parent: index % 1_009 }
}

/** A record that one entity in fifty has. */
const seldom = { id: 1_000_000, title: 'seldom found', body: 'A single one', created_at: '2026-01-01T00:00:00Z' }

const writeRecords = async (
  store: ContextStore,
  at: { connector: string; entity: string },
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<void> => {
  const { key } = store.getTable(kindName, at.entity)
  const rows = records.map((record) => ({ key: buildPrimaryKey(key, record) ?? '', fields: record }))
  await store.writeBatch({ ...at, kind: kindName }, { records: rows, asked: Date.now() })
}

/** Fills one connector by the store, and copies its rows to the others in the database. */
async function fill(
  store: ContextStore,
  client: Client,
  { all, names, records }: { all: readonly SearchedConnector[]; names: readonly string[]; records: number },
): Promise<void> {
  const [first, ...others] = all.map(({ ref }) => ref.connectorId)
  if (first === undefined) return
  for (const name of names) {
    for (let from = 0; from < records; from += 5_000)
      await writeRecords(
        store,
        { connector: first, entity: name },
        Array.from({ length: Math.min(5_000, records - from) }, (_, index) => recordOf(from + index)),
      )
    for (const other of others) await writeRecords(store, { connector: other, entity: name }, [recordOf(0)])
  }
  const ids = await client.query('select id::text, number from cs_connectors')
  const numberOf = new Map(ids.rows.map(({ id: uuid, number }) => [String(uuid), Number(number)]))
  const numbers = others.map((other) => numberOf.get(other))
  await copyRows(client, { names: names.map((name) => `cs_${kindName}_${name}`), from: numberOf.get(first), numbers })
  for (const [index, { ref }] of all.entries())
    for (const [number, name] of names.entries())
      if ((index * names.length + number) % 50 === 0) await writeRecords(store, { connector: ref.connectorId, entity: name }, [seldom])
  await client.query('vacuum (analyze)')
}

async function copyRows(
  client: Client,
  { names, from, numbers }: { names: readonly string[]; from: number | undefined; numbers: readonly unknown[] },
): Promise<void> {
  for (const table of [...names, 'cs_terms']) {
    const { rows } = await client.query(
      'select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
      [table],
    )
    const columns = rows
      .map(({ name }) => `"${name}"`)
      .filter((name) => name !== '"connector_id"')
      .join(', ')
    await client.query(
      `insert into "${table}" (connector_id, ${columns}) select n, ${columns} from unnest($2::int4[]) n, "${table}" where connector_id = $1 on conflict do nothing`,
      [from, numbers],
    )
  }
}

/** One statement that finds the newest records with a word, in all tables. */
const buildPlain = (names: readonly string[]): string => {
  const each = names.map(
    (name) =>
      `select '${name}' as entity, connector_id, pk, "created_at$at" as at from "cs_${kindName}_${name}" where connector_id = any($1::int4[]) and ("title$s" && array[$2::text] or "body$s" && array[$2::text])`,
  )
  return `select * from (${each.join(' union all ')}) found order by at desc nulls last, connector_id, pk limit 20`
}

const words = ['seldom', 'thousandth', 'tenth', 'everywhere']

interface Searched {
  readonly store: ContextStore
  readonly client: Client
  readonly all: readonly SearchedConnector[]
  readonly names: readonly string[]
}

async function* measure(
  { store, client, all, names }: Searched,
  { rounds, records }: EverythingEffort,
): AsyncGenerator<Result, void, undefined> {
  const cursorKey = () => Buffer.from('key')
  const copies: Pick<Copies, 'listSearched' | 'countChanges'> = { listSearched: async () => all, countChanges: () => 0 }
  const everything = new Everything({
    ...{ searcher: new Searcher(store, { cursorKey, clock: Date.now }), store, copies, cursorKey, clock: Date.now, searchMs: 60_000 },
    atOnce: searches / 2,
    connectors: { readAccess: () => Promise.reject(new Error('not asked')) },
  })
  const organizationId = all[0]?.ref.organizationId ?? ''
  const principal = { organizationId, workspaceIds: null, connectorIds: null, scopes: new Set(['execute:read']) } as unknown as Principal // what searches read of it
  const search = (text: string, include?: object) =>
    everything.search(principal, { text, ...(include === undefined ? {} : { include }) }, { signal: undefined, deadlineMs: 60_000 })
  const race = (sides: Readonly<Record<'ours' | 'baseline', () => Promise<unknown>>>) =>
    alternate(sides, { rounds: rounds * 4 }, async (run) => {
      const begin = performance.now()
      await run()
      return performance.now() - begin
    })
  const numbers = (await client.query('select number from cs_connectors')).rows.map(({ number }) => Number(number))
  for (const text of words) {
    const plain = { text: buildPlain(names), values: [numbers, text] }
    const { ours, baseline } = await race({ ours: () => search(text), baseline: () => client.query(plain) })
    const p95 = ours.toSorted((a, b) => a - b)[Math.ceil(ours.length * 0.95) - 1] ?? Number.NaN
    const { facets, meta } = await search(text)
    const found = facets?.kinds[0]?.count ?? 0
    yield time({
      ...{
        name: `everything-${text}`,
        unit: 'ms',
        ours: median(ours),
        baseline: median(baseline),
        p95,
        found,
        ranked: String(meta.ranked),
      },
      ...{ connectors: all.length, entities: names.length, records },
    })
  }
  const sides = { ours: () => search('tenth', { parent: ['title'] }), baseline: () => search('tenth') }
  const { ours, baseline } = await race(sides)
  const found = (await sides.ours()).data.filter(({ related }) => related !== undefined).length
  yield time({
    ...{ name: 'everything-include', unit: 'ms', ours: median(ours), baseline: median(baseline), found },
    ...{ connectors: all.length, entities: names.length, records },
  })
}

/** Slots of searches, of which everything at once takes half: those of a service. */
const searches = 8

/** A line for each word. */
export async function* searchEverything(wanted: EverythingEffort): AsyncGenerator<Result, void, undefined> {
  const effort = { ...wanted, connectors: Math.min(wanted.connectors, mostConnectors), records: Math.min(wanted.records, mostRecords) }
  const { url, stop } = await startDatabase(forManyRecords)
  const names = Array.from({ length: effort.entities }, (_, number) => `e${number}`)
  const kind = createKind(names)
  const settings = {
    engine: 'postgres' as const,
    url: new Secret(url),
    searches,
    writers: 2,
    waiting: 1_000,
    searchSeconds: 60,
    indexes: 0,
  }
  const store = new ContextStore({ settings, kinds: [kind.definition] })
  const [organizationId, workspaceId] = [randomUUID(), randomUUID()]
  const all: readonly SearchedConnector[] = Array.from({ length: effort.connectors }, (_, index) => ({
    ref: { organizationId, workspaceId, connectorId: randomUUID() },
    name: `connector ${index}`,
    kind,
    own: undefined,
    configuration: {},
    entities: names.map((name) => ({ entity: name, syncedAt: Date.now(), reason: null })),
  }))
  const client = new Client({ connectionString: url })
  await client.connect()
  await fill(store, client, { all, names, records: effort.records })
  yield* measure({ store, client, all, names }, effort)
  await client.end()
  await store.close()
  await stop()
}
