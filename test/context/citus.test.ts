/** Runs the store over stand-ins of Citus, and holds each of its statements against the rule of distributed tables. */
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { open, str } from '../../packages/ferrule/src/definition/fields.ts'
import { lookForWords } from '../../packages/server/src/copies/everything/run.ts'
import { parseAggregate } from '../../packages/server/src/copies/search/aggregates/parse.ts'
import { buildAggregateStatement } from '../../packages/server/src/copies/search/aggregates/sql.ts'
import { buildOwnTable, buildSearchTable, findTable } from '../../packages/server/src/copies/search/columns.ts'
import { buildNotedValuesStatement } from '../../packages/server/src/copies/search/known-values.ts'
import { buildLookupStatement } from '../../packages/server/src/copies/search/lookups/lookups.ts'
import { buildUnseenPathsStatement, listOpenPaths } from '../../packages/server/src/copies/search/members.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { buildCountStatement, buildSearchStatement } from '../../packages/server/src/copies/search/sql.ts'
import { buildLogLook } from '../../packages/server/src/copies/store/log.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { type Catalogue, findFaults } from './citus-rule.ts'
import { type CitusWorld, createCitusWorld, findReaders } from './citus-world.ts'
import { connect, searchedKinds, searchOver, writeInto } from './everything-world.ts'
import { drawWorld } from './generate.ts'
import { drawAggregate } from './generate-aggregates.ts'
import { drawQuery } from './generate-queries.ts'
import { day, fillRecords, found, openEager, searchOften } from './indexes-world.ts'
import { Random } from './random.ts'
import { entities, relatedKind } from './related-world.ts'
import { createRef, note, noteFields, notesOf, rowsOf, testKind } from './store-world.ts'

/** Statements about several connectors, with the reason. Citus runs each on all machines. */
const severalConnectors = new Map([
  ['delete from cs_checkpoints where name = $1', 'the table of an entity was recreated or extended'],
  ['delete from cs_seen where name = $1', 'the table of an entity was recreated or extended'],
  ['update cs_entities set pass = null where name = $1', 'the table of an entity was extended'],
  ['delete from cs_entities where name = $1', 'the table of an entity was recreated'],
  ['delete from cs_changes where name = $1', 'the table of an entity was recreated'],
  ['delete from cs_changes where starts_with(name, $1)', 'the table of kinds of organizations was recreated'],
  [
    `select connector_id, name from cs_entities
      where position > kept_after or (feed is not null and kept_for is null and $1 - read_at > log_days::int8 * 86400000)`,
    'old changes of all connectors are deleted',
  ],
  ['select count(*) as count from cs_entities where feed is not null and followed_by = $1::uuid', 'an organization has many connectors'],
  [
    'select max(position - kept_for) as lag from cs_entities where kept_for is not null',
    'the metric of the slowest consumer of all connectors',
  ],
  [
    `select connector_id, name, days from cs_entities e join (select number, coalesce(days, $3) as days from cs_connectors
      left join unnest($1::uuid[], $2::int4[]) own(id, days) using (id)) c on number = connector_id
      where feed is not null and (log_days <> days or (read_at = $4) <> $5)`,
    'the logs of all connectors get their days',
  ],
  [buildLogLook([]).text, 'all waits of a node look at their entities together'],
  ['delete from cs_checkpoints where starts_with(name, $1)', 'the table of kinds of organizations was recreated'],
  ['delete from cs_seen where starts_with(name, $1)', 'the table of kinds of organizations was recreated'],
  ['delete from cs_entities where starts_with(name, $1)', 'the table of kinds of organizations was recreated'],
])

const organizationId = '4f5d9be2-6f0f-4a0f-a0a8-1d6d7d3f8b52'
const one: OwnKind = { organizationId, id: 'a6fa1cf0-3aa9-4d5f-8d0b-5b7f0b9f1d10', entities: testKind().entities }
/** More fields than the narrow table of kinds of organizations has. */
const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`more${index}`, open('More.')]))
const two: OwnKind = { ...one, entities: testKind({ ...noteFields, ...many }).entities }
const promoted: OwnKind = { ...two, isPromoted: true }
const recorded = new Set<string>()
/** The client that looked at several connectors, and how it plans. */
let looker: pg.Client | undefined

/** Records what the store's own connections send. */
function record(): void {
  const query = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const name: unknown = Reflect.get(Reflect.get(this, 'connectionParameters'), 'application_name')
    const [sent] = given
    const text: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'text') : sent
    if (String(name).startsWith('ferrule context') && typeof text === 'string') recorded.add(text)
    if (text === buildLogLook([]).text) looker = this
    return Reflect.apply(query, this, given)
  })
}

/** Writes, passes, live reads, removals and resets. */
async function write(store: ContextStore): Promise<void> {
  const ref = createRef()
  const asked = world.now
  const checkpoints = [{ name: 'cursor', value: '"a"' }]
  await store.writeBatch(ref, { records: notesOf(store, 0, 20), asked, checkpoints })
  await store.followChanges(ref)
  await store.beginPass(ref, 'pass')
  const batch = {
    records: notesOf(store, 5, 25),
    asked: asked + 1,
    pass: 'pass',
    removed: ['x'],
    checkpoints: [{ name: 'cursor', value: null }],
  }
  await store.writeBatch(ref, { ...batch, whole: { field: 'state', values: ['old'] } })
  expect(await store.hasUnseen(ref, 'pass', { field: 'made', from: '2020-01-01', before: '2030-01-01' })).toBe(false)
  expect(await store.sweep(ref, 'pass')).toBe(5)
  await store.beginPass(ref, 'other')
  await store.abandonPass(ref, 'other')
  await store.foldLive(ref, notesOf(store, 30, 31), asked + 2)
  const below = [{ entity: 'notes', field: 'title', parent: 'title', below: [] }]
  expect(await store.forgetRecords({ ...ref, values: ['7'], below, at: asked + 3 } as never)).toEqual(new Map([['notes', 1]]))
  await store.writeBatch(ref, { records: notesOf(store, 40, 41), asked: asked + 4 })
  await store.saveCheckpoints(ref, checkpoints)
  expect((await store.countRecords(ref.connector)).get('notes')).toBe(21)
  expect((await store.readCheckpoints(ref)).get('cursor')).toBe('"a"')
  expect(await store.readChanges(ref)).toBeTypeOf('bigint')
  expect(await store.readKeys(ref, { limit: 3 })).toHaveLength(3)
  const log = await store.readLog(ref, { after: 0n, limit: 100 })
  expect(log.changes.length).toBeGreaterThan(10)
  await store.findKnownKeys(ref, ['1'])
  expect(await rowsOf(store, ref, 'id')).toHaveLength(21)
  await store.deleteAll(ref)
  await store.removeConnector(ref.connector)
}

/** Writes, moves and removes records of a kind of an organization. */
async function writeOwn(store: ContextStore): Promise<void> {
  const { connector, kind, entity } = createRef()
  const ref = { connector, kind, entity, own: one }
  await store.writeBatch(ref, { records: notesOf(store, 0, 9), asked: world.now, whole: { field: 'state', values: ['old'] } })
  await store.writeBatch(ref, { records: notesOf(store, 3, 12), asked: world.now + 1, removed: ['x'] })
  await store.beginPass(ref, 'pass')
  expect(await store.hasUnseen(ref, 'pass')).toBe(true)
  await store.abandonPass(ref, 'pass')
  await store.forgetRecords({ ...ref, values: ['7'], below: [{ entity: 'people', below: [] }], at: world.now + 3 })
  expect(await store.readKeys(ref, { limit: 20 })).toHaveLength(11)
  await store.moveRows(connector, one, two)
  expect(await store.readKeys({ ...ref, own: two }, { limit: 20 })).toHaveLength(11)
  await store.moveRows(connector, two, promoted)
  const moved = { ...ref, own: promoted }
  await store.writeBatch(moved, { records: notesOf(store, 0, 9), asked: world.now + 4 })
  await store.forgetRecords({ ...moved, values: ['7'], below: [], at: world.now + 5 })
  expect(await store.readKeys(moved, { limit: 20 })).toHaveLength(8)
  await store.moveRows(connector, promoted, { ...two, entities: {} })
  expect(await store.countRecords(connector)).toEqual(new Map())
  await store.writeBatch(ref, { records: notesOf(store, 0, 2), asked: world.now })
  await store.deleteAll(ref)
}

/** A search is not slow here, but reads too many rows, which the database counts. */
const counting = { slowMs: Number.POSITIVE_INFINITY, suspectMs: Number.NEGATIVE_INFINITY, mostRowsRead: 200 }

/** Creates an index, uses it, and drops it when nobody needs it any more. */
async function index(store: ContextStore): Promise<void> {
  const ref = await fillRecords(store, 200)
  await searchOften(store, ref, { query: { filter: { eq: { state: 'state-7' } } } })
  expect((await store.indexes.listByEntity(ref.connector)).get('notes')).toMatchObject([{ field: 'state', state: 'ready' }])
  expect(await found(store, ref, { query: { filter: { eq: { state: 'state-7' } } } })).toEqual([[7]])
  for (let week = 0; week < 2; week += 1) {
    world.now += 8 * day
    await store.indexes.tick()
  }
  expect(await world.run("select relname from pg_class where relname like 'cs\\_on\\_demand%'")).toEqual([])
}

/** Searches several connectors at once: by words, by a filter, and by words with typing errors. */
async function searchEverything(store: ContextStore): Promise<void> {
  const all = [connect('shop'), connect('shop')]
  for (const { definition } of Object.values(searchedKinds)) store.ensureKind(definition)
  for (const connector of all)
    await writeInto(store, connector, { entity: 'orders', records: [{ id: 'o1', title: 'Acme', state: 'open' }] })
  const search = searchOver(store, all)
  for (const body of [{ text: 'acme' }, { filter: { eq: { state: 'open' } } }, { text: 'acmee' }])
    expect((await search({ ...body, entities: ['orders'] })).data).toHaveLength(2)
}

const world = await createCitusWorld()
record()
const store = openEager(world, counting)
await write(store)
await writeOwn(store)
/** What was sent until the tables of entities were created and filled. */
const first = new Set(recorded)
await searchEverything(store)
await index(store)
const ref = createRef()
await store.writeBatch(ref, { records: [note(store, { id: 1, title: 'Øresund' })], asked: world.now })
await store.waitForChange([{ ref, from: { generation: null, position: 0n } }], { ms: 0 })
await store.followChanges(ref, organizationId)
const lookPlans = (await looker?.query('show plan_cache_mode'))?.rows
await store.purgeExpired(world.now)
await store.close()
for (const kinds of [
  [testKind({ ...noteFields, more: str('More.') })],
  [testKind({ ...noteFields, price: str('Price.') })],
  [testKind()],
]) {
  const changed = world.open({ kinds })
  await changed.checkDatabase()
  await changed.close()
}
await world.run("update cs_tables set shape = replace(shape, 'slots 4', 'slots 2') where name = 'cs_own'")
const later = world.open()
await later.checkDatabase()
await later.close()
const catalogue = await world.readCatalogue()
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

test('tables lie beside each other, and small ones on each machine', async () => {
  const tables = await world.run('select relname as name, beside from pg_dist_partition join pg_class on oid = logicalrelid')
  const own = findTable(buildOwnTable(promoted, 'notes'))
  const names = [
    'cs_changes',
    'cs_checkpoints',
    'cs_gone',
    'cs_own',
    'cs_own_wide',
    own,
    'cs_seen',
    'cs_shop_orders',
    'cs_terms',
    'cs_test_kind_notes',
  ]
  const beside = names.map((name) => [name, 'cs_entities'])
  const copied = ['cs_connectors', 'cs_indexes', 'cs_meta', 'cs_tables'].map((name) => [name, null])
  expect(new Map(tables.map(({ name, beside: by }) => [name, by]))).toEqual(
    new Map([...beside, ...copied, ['cs_entities', 'none']] as never),
  )
  expect(await world.run("select relname from pg_class where relkind = 'p' and relname like 'cs\\_%'")).toEqual([])
})

test('every statement of the store concerns one connector, or is listed with a reason', async () => {
  const faults: string[] = []
  const used = new Set<string>()
  for (const text of recorded) {
    const found = await findFaults(text, catalogue)
    if (found.length > 0 && severalConnectors.has(text)) used.add(text)
    else if (found.length > 0) faults.push(`${found.join('; ')}: ${text}`)
  }
  expect(faults).toEqual([])
  expect([...severalConnectors.keys()].filter((text) => !used.has(text))).toEqual([])
  expect(recorded.size).toBeGreaterThan(60)
  for (const kind of [/^explain \(analyze/, /^create index concurrently "cs_on_demand/, /^drop index concurrently if exists "cs_on_demand/])
    expect([...recorded].filter((text) => kind.test(text)).length, kind.source).toBeGreaterThan(0)
  for (const table of ['cs_terms', 'cs_seen', 'cs_gone', 'cs_changes', 'cs_checkpoints', 'cs_indexes', 'cs_test_kind_notes', 'cs_own'])
    expect([...recorded].filter((text) => text.includes(table)).length, table).toBeGreaterThan(2)
})

test('a look at several connectors is planned with its values: Citus makes no plan without', () => {
  expect(lookPlans).toEqual([{ plan_cache_mode: 'force_custom_plan' }])
})

test('the tables of entities are created without work on all shards', () => {
  expect([...severalConnectors.keys()].filter((text) => first.has(text))).toEqual([])
})

/** Lets the stand-in refuse tables so many times, as Citus does while it moves shards. */
const refuse = (times: number): string => `create sequence refusals;
  alter function create_distributed_table(regclass, text, text) rename to distribute_in_the_end;
  create function create_distributed_table(table_name regclass, distribution_column text, colocate_with text) returns void
  language plpgsql as $$ begin
    if nextval('refusals') <= ${times} then
      raise 'could not acquire the lock required to colocate distributed table %', table_name using detail =
        'It means that either a concurrent shard move or colocated distributed table creation is happening.'; end if;
    perform distribute_in_the_end(table_name, distribution_column, colocate_with);
  end $$`

test.each([
  [3, 'is created'],
  [100, 'is refused for now'],
])('a table that Citus refuses %i times while it moves shards %s', async (times, end) => {
  const own = await createCitusWorld()
  const pauses: number[] = []
  const store = own.open({
    rest: (ms) => {
      pauses.push(ms)
      return Promise.resolve()
    },
  })
  await store.checkDatabase()
  await own.run(refuse(times))
  const ref = createRef()
  const written = await store.writeBatch(ref, { records: notesOf(store, 0, 2), asked: own.now }).catch((thrown: unknown) => thrown)
  if (end === 'is created') expect([written, pauses]).toMatchObject([{ created: 2 }, [500, 500, 500]])
  else {
    expect(written).toMatchObject({ code: 'context_store_unavailable', retryable: true })
    expect(pauses).toHaveLength(60)
  }
  await store.close()
  await own.close()
})

test.each([
  ['cannot be reached', '08006', 'connection to the remote node ferrule@10.0.0.2:5432 failed with the following error: Connection refused'],
  ['takes no writes', '25006', 'cannot execute INSERT in a read-only transaction'],
])('a machine that %s leaves the connections to the coordinator alone', async (_what, code, message) => {
  const store = world.open()
  const ref = createRef()
  await store.writeBatch(ref, { records: notesOf(store, 0, 1), asked: world.now })
  // The context of the error is what Citus adds to an error of another machine.
  await world.run(`create or replace function "while executing command on "() returns void language plpgsql as
    $$ begin raise '${message}' using errcode = '${code}'; end $$`)
  const readSession = async () => (await store.search(ref, (session) => session.query({ text: 'select pg_backend_pid() as pid' })))?.rows
  const before = await readSession()
  const asking = store.search(ref, (session) => session.query({ text: 'select "while executing command on "()' }))
  await expect(asking).rejects.toMatchObject({ code: 'context_store_unavailable', retryable: true })
  expect(await readSession()).toEqual(before)
  await store.close()
})

test('every kind of search concerns one connector', async () => {
  const random = new Random(15)
  const faults: string[] = []
  for (let schema = 0; schema < 3; schema++) {
    const drawn = drawWorld(random, 10)
    const name = `s${schema}`
    const one = buildSearchTable('exact-test', name, drawn.definition)
    const own = buildOwnTable({ organizationId, id: 'a6fa1cf0-3aa9-4d5f-8d0b-5b7f0b9f1d10', entities: { [name]: drawn.definition } }, name)
    const known: Catalogue = { ...catalogue, distributionOf: (of) => (of === one.name ? 'distributed' : catalogue.distributionOf(of)) }
    for (let index = 0; index < 60; index++) {
      const table = index % 2 === 0 ? one : own
      const query = await Promise.resolve()
        .then(() => parseSearch(table, drawQuery(random, drawn)))
        .catch(() => undefined)
      if (query === undefined) continue
      const open = listOpenPaths(query)
      const statements = [true, false].flatMap((onRegular) => {
        const search = buildSearchStatement(query, { connector: 1, reliance: { onLookups: true, onRegular } })
        return [search, buildLookupStatement(search, { connector: 1, tables: [table.name] })]
      })
      if (query.unlisted.length > 0) statements.push(buildNotedValuesStatement(query.unlisted, 1))
      if (open.length > 0) statements.push(buildUnseenPathsStatement(open, 1))
      for (const { text } of statements) for (const fault of await findFaults(text, known)) faults.push(`${fault}: ${text}`)
    }
  }
  expect(faults.slice(0, 3)).toEqual([])
})

test('counts, groups and what refers to other records concern one connector', async () => {
  const random = new Random(27)
  const known: Catalogue = {
    ...catalogue,
    distributionOf: (of) => (/^cs_(exact_test|related_kind)_/.test(of) ? 'distributed' : catalogue.distributionOf(of)),
  }
  const reliances = [true, false].map((onRegular) => ({ connector: 1, reliance: { onLookups: true, onRegular } }))
  const texts: string[] = []
  const drawn = drawWorld(random, 10)
  const table = buildSearchTable('exact-test', 'groups', drawn.definition)
  for (let index = 0; index < 60; index++) {
    const asked = drawAggregate(random, drawn)
    const query = await Promise.resolve()
      .then(() => parseAggregate(table, asked))
      .catch(() => undefined)
    if (query !== undefined) for (const options of reliances) texts.push(buildAggregateStatement(query, options).text)
  }
  const find = (entity: string) => buildSearchTable(relatedKind.kind, entity, entities[entity] ?? { about: '', key: [] })
  const filter = { eq: { 'ownerId.name': 'Ada' }, fuzzy: { 'parties[].userId.title': 'head' }, in: { 'labelIds[].name': ['Three'] } }
  const include = { ownerId: ['name', { teamId: ['name'] }], 'labelIds[]': ['name'], ticketNumber: [] }
  const search = parseSearch(find('calls'), { query: { filter }, include, count: true }, find)
  const groups = parseAggregate(find('calls'), { query: { filter }, group_by: ['ownerId', 'labelIds', 'ticketNumber'], include }, find)
  for (const options of reliances) {
    texts.push(buildSearchStatement(search, options).text, buildCountStatement(search, options).text)
    texts.push(buildSearchStatement({ ...search, filter: undefined, keys: ['1', '2'] }, options).text) // hits of a search of everything
    texts.push(buildAggregateStatement(groups, options).text)
  }
  const faults = (await Promise.all(texts.map(async (text) => (await findFaults(text, known)).map((fault) => `${fault}: ${text}`)))).flat()
  expect(faults.slice(0, 3)).toEqual([])
  expect(texts.length).toBeGreaterThan(60)
})

test('the look of a search of everything at stored words concerns one connector', async () => {
  const sent: string[] = []
  const query = async ({ text }: { readonly text: string }) => {
    sent.push(text)
    return { rows: [], count: 0 }
  }
  await lookForWords({ query } as never, [{ number: 1, plan: { fields: [7], groups: [['acme']] } }] as never)
  expect(sent).toHaveLength(1)
  expect(await findFaults(sent[0] ?? '', catalogue)).toEqual([])
})

/** What searches sent before: functions that read the words within the search. */
const former = [
  {
    what: 'fuzzy',
    body: `found text[];
begin
  found := array(select term from cs_terms where connector_id = connector and field = list and term >= asked and term < asked || chr(1114111) limit 1001);
  return case when cardinality(found) > 1000 then array[''] else found end;
end`,
    head: 'cs_fuzzy_terms(connector int4, list int4, asked text, distance int4, swaps boolean) returns text[]',
    call: `t."title$s" && cs_fuzzy_terms($1::int4, 7, $2::text, 1, true)`,
  },
  {
    what: 'like',
    body: `found text[];
begin
  found := array(select term from cs_terms where connector_id = connector and field = list and term like '%' || part || '%' limit 1001);
  return array_append(found, ' ');
end`,
    head: 'cs_like_terms(connector int4, list int4, part text) returns text[]',
    call: `t."title$s" && cs_like_terms($1::int4, 7, $2::text)`,
  },
  {
    what: 'decimal',
    body: `begin
  return exists (select from cs_terms where connector_id = connector and field = list);
end`,
    head: 'cs_irregular(connector int4, list int4) returns boolean',
    call: `(t."price$n" > $2::numeric or (cs_irregular($1::int4, 7) and t."price$n" is null and t.price > $3::text))`,
  },
]

test.each(former)('the rule finds what failed before: $what', async ({ head, body, call }) => {
  const declared = body.startsWith('found') ? `declare ${body}` : body
  const definition = `create or replace function ${head} language plpgsql immutable as $$ ${declared} $$`
  const name = head.slice(0, head.indexOf('('))
  const readers = await findReaders([{ name, language: 'plpgsql', definition, body: declared }])
  const text = `select t.pk from cs_test_kind_notes t where t.connector_id = $1::int4 and ${call} order by t.pk limit 101`
  expect(await findFaults(text, { ...catalogue, readers })).toEqual([`the function ${name} reads cs_terms`])
  const sorted = `select t.pk from cs_test_kind_notes t where t.connector_id = $1 order by case when ${name}($1::int4, 7) then 1 end`
  expect(await findFaults(sorted, { ...catalogue, readers })).toEqual([`the function ${name} reads cs_terms`])
})

test.each([
  ['select from cs_terms', 'cs_terms is not limited to one connector'],
  ['explain (analyze) select from cs_terms', 'cs_terms is not limited to one connector'],
  ['explain (analyze) select from cs_terms where connector_id = $1', undefined],
  ['select from cs_terms where connector_id = $1 or field = 2', 'cs_terms is not limited to one connector'],
  ['select from cs_seen s join cs_terms t on t.field = 1 where s.connector_id = $1', 'cs_terms is not limited to one connector'],
  [
    'select from cs_seen s join cs_terms t on t.connector_id = s.connector_id where s.connector_id = $1',
    'cs_terms is not limited to one connector',
  ],
  ['select from cs_seen s join cs_terms t on t.connector_id = $1 where s.connector_id = $1', undefined],
  [
    `select exists (select from cs_gone g where g.connector_id = cs_entities.connector_id) from cs_entities where connector_id = $1 for update`,
    'cs_gone is not limited to one connector',
  ],
  ['select from cs_connectors where number = $1 for share', 'rows of the reference table cs_connectors are locked'],
  [
    'select from cs_connectors c join cs_entities e on e.connector_id = $1 where c.number = $1 for share of c',
    'rows of the reference table cs_connectors are locked',
  ],
  ['select from cs_connectors c join cs_entities e on e.connector_id = $1 where c.number = $1 for share of e', undefined],
  ['select exists (select from cs_gone where connector_id = $1) from cs_entities where connector_id = $1', undefined],
  ['select from cs_seen where connector_id = $1 union all select from cs_terms where connector_id = $2', 'several connectors: $1, $2'],
  ['with t as (select connector_id from cs_terms) select from t where connector_id = $1', 'cs_terms is not limited to one connector'],
  ['select to_json(array(select term from cs_terms where field = $1))', 'cs_terms is not limited to one connector'],
  ['delete from cs_gone using cs_seen s where cs_gone.connector_id = $1', 'cs_seen is not limited to one connector'],
  ['insert into cs_seen (name, keys) values ($1, $2)', 'an insert into cs_seen gives no connector'],
  ['insert into cs_seen (connector_id, name, keys) select number, $1, $2 from cs_connectors', 'an insert into cs_seen gives no connector'],
  [
    'update cs_indexes set bytes = pg_relation_size(to_regclass(id))',
    'a change of cs_indexes calls the volatile function pg_relation_size',
  ],
  ['delete from cs_indexes where to_regclass(id) is null', 'a change of cs_indexes calls the stable function to_regclass with a column'],
  [
    'update cs_connectors set cleared = true from cs_seen s where s.connector_id = $1',
    'a change of the reference table cs_connectors reads a distributed one',
  ],
  ['select from pg_class where not exists (select from cs_indexes)', 'pg_class of the server beside cs_indexes'],
])('the rule decides about %s', async (text, fault) => {
  const faults = await findFaults(text, catalogue)
  if (fault === undefined) expect(faults).toEqual([])
  else expect(faults).toContain(fault)
})

const readPartitions = (own: CitusWorld) =>
  own.run("select count(*)::int4 as n from pg_class where relkind = 'p' and relname like 'cs\\_%'")

/** Opens stores over one database, each with another wish. */
async function openWith(own: CitusWorld, distribution: 'auto' | 'citus' | 'none'): Promise<unknown> {
  const store = own.open({ settings: { ...own.settings, distribution } as never })
  const thrown = await store.checkDatabase().catch((error: unknown) => error)
  await store.close()
  return thrown
}

test('filled tables stay as they are, and a wish against them is refused', async () => {
  const own = await createCitusWorld()
  expect(await openWith(own, 'none')).toBeUndefined()
  expect(await readPartitions(own)).toEqual([{ n: 2 }])
  expect(await openWith(own, 'auto')).toBeUndefined()
  expect(await own.run('select from pg_dist_partition')).toEqual([])
  expect(await openWith(own, 'citus')).toMatchObject({ code: 'setting_invalid', message: expect.stringContaining('not distributed') })
  await own.close()
  expect(await openWith(world, 'none')).toMatchObject({ code: 'setting_invalid', message: expect.stringContaining('distributed already') })
})

test('a database without Citus is refused where Citus is wanted', async () => {
  const own = await createCitusWorld()
  await own.run('drop function create_distributed_table')
  expect(await openWith(own, 'citus')).toMatchObject({
    code: 'setting_invalid',
    message: expect.stringContaining('create extension citus'),
  })
  expect(await openWith(own, 'auto')).toBeUndefined()
  expect(await readPartitions(own)).toEqual([{ n: 2 }])
  await own.close()
})
