/** SQL views of one connector: what they show, who may read what, and what becomes of them when their table changes. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bool, date, int, num, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { makeViews, nameViews, removeViews, type ViewsResult } from '../../packages/server/src/copies/store/views/views.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { databasesUnderTest, runSql } from '../support/postgres.ts'
import { createStoreWorld, note, noteFields, type StoreWorld, testKind } from './store-world.ts'

// Roles belong to the server, which other files use too: each connector of this file is its own.
const connectorOf = (number: number) =>
  `0190b000-${process.pid.toString(16).padStart(4, '0').slice(-4)}-7000-8000-${String(number).padStart(12, '0')}`
const refOf = (number: number): EntityRef => ({ connector: connectorOf(number), kind: 'test-kind', entity: 'notes' })

describe.each(databasesUnderTest(['postgres']))('views of a connector (%s)', () => {
  let world: StoreWorld
  let store: ContextStore
  let url: string
  const passwords = new Map<string, string>()
  const made: string[] = []

  beforeAll(async () => {
    world = await createStoreWorld('postgres')
    store = world.open({ kinds: [testKind({ ...noteFields, ratio: num('Ratio.'), on: bool('On.') })] })
    if (world.settings.engine !== 'postgres') throw new Error('the world is on a server')
    url = world.settings.url.reveal()
    const platform = openPostgres({ url: new Secret(url) }) // an operator may have one database for both
    await migrate(platform)
    await platform.close()
    for (const number of [1, 2])
      await store.writeBatch(refOf(number), {
        records: [
          note(store, {
            id: number,
            title: `Ünï ${number}`,
            made: '2026-03-01T10:00:00.123456+02:00',
            price: '10.50',
            parts: [{ n: 9007199254740993n }],
          }),
          note(store, {
            id: 2n ** 63n + BigInt(number),
            title: '',
            made: '2016-12-31T23:59:60Z',
            price: 'many',
            parts: null,
            ratio: 'half',
            on: 1,
          }),
          note(store, { id: 2n ** 63n - 1n, made: '0001-01-01T00:00:00Z', price: '12345678901234567890123456789012345678.9' }),
        ],
        asked: 1,
      })
  })
  afterAll(async () => {
    for (const connector of made) await removeViews(await store.openDatabase(), connector)
    await world.close()
  })

  const run = async (text: string) => (await store.openDatabase()).withConnection((ask) => ask({ text }))
  const tablesOf = (of: ContextStore) => ['notes', 'people'].map((entity) => of.getTable('test-kind', entity))
  async function make(connector: string, tables = tablesOf(store)): Promise<ViewsResult> {
    const result = await makeViews(await store.openDatabase(), connector, tables)
    if (result.type !== 'made') return result
    if (result.password !== undefined) passwords.set(connector, result.password)
    if (!made.includes(connector)) made.push(connector)
    return result
  }
  /** Runs statements as the reader. */
  async function asReader(connector: string, ...texts: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const address = new URL(url)
    address.username = nameViews(connector).reader
    address.password = passwords.get(connector) ?? ''
    return runSql(address.href, ...texts)
  }

  test('are refused while the reader would have TEMP, which PostgreSQL gives to all', async () => {
    const name = new URL(url).pathname.slice(1)
    const result = await make(connectorOf(1))
    expect(result).toEqual({
      type: 'refused',
      rights: [
        {
          what: `TEMP or CREATE in the database ${name}`,
          remedy: expect.stringMatching(/^revoke temporary, create on database \w+ from public$/),
        },
      ],
    })
    const { rows } = await run(`select rolname from pg_roles where rolname ~ '^${nameViews(connectorOf(1)).schema}'`)
    expect(rows).toEqual([])
    await run(`revoke temporary on database ${name} from public`)
  })

  test('have the names and types of the documents, and what these cannot hold beside them', async () => {
    for (const number of [1, 2])
      expect(await make(connectorOf(number))).toMatchObject({
        type: 'made',
        views: ['notes'],
        without: ['people'],
        password: expect.any(String),
      })
    expect(await make(connectorOf(1))).not.toHaveProperty('password')
    const { schema } = nameViews(connectorOf(1))
    const types = await asReader(
      connectorOf(1),
      `select column_name as name, data_type as type from information_schema.columns where table_schema = '${schema}' order by ordinal_position`,
    )
    expect(types.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id bigint',
      'title text',
      'made timestamp with time zone',
      'price numeric',
      'state text',
      'parts jsonb',
      'ratio numeric',
      'on boolean',
      '_rescued jsonb',
    ])
    await asReader(connectorOf(1), 'select 1')
    const rows = await asReader(
      connectorOf(1),
      "set time zone 'UTC'",
      'select id, title, made::text, price, parts::text, _rescued::text from notes order by id',
    )
    expect(rows).toEqual([
      {
        id: '1',
        title: 'Ünï 1',
        made: '2026-03-01 08:00:00.123456+00',
        price: '10.5',
        parts: '[{"n": 9007199254740993}]',
        _rescued: null,
      },
      {
        id: '9223372036854775807',
        title: null,
        made: '0001-01-01 00:00:00+00',
        price: '12345678901234567890123456789012345678.9',
        parts: null,
        _rescued: null,
      },
      {
        ...{ id: null, title: '', made: null, price: null, parts: null },
        _rescued: '{"id": 9223372036854775809, "on": 1, "made": "2016-12-31T23:59:60Z", "price": "many", "ratio": "half"}',
      },
    ])
  })

  test('show nothing of other connectors to a function that tells what it sees', async () => {
    const { schema } = nameViews(connectorOf(1))
    await run(
      "create function public.tells(text) returns boolean language plpgsql cost 0.0000001 as $$ begin raise notice 'seen %', $1; return true; end $$",
    )
    const address = new URL(url)
    address.username = nameViews(connectorOf(1)).reader
    address.password = passwords.get(connectorOf(1)) ?? ''
    const client = new pg.Client({ connectionString: address.href })
    const seen: unknown[] = []
    client.on('notice', ({ message }) => void seen.push(message))
    await client.connect()
    await client.query(`select * from ${schema}.notes where public.tells(title)`)
    await client.end()
    expect(seen.toSorted()).toEqual(['seen ', 'seen <NULL>', 'seen Ünï 1'])
    await run('drop function public.tells')
  })

  test('are all that the reader may read', async () => {
    const { rows } = await run(
      "select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
    )
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['cs_tables', 'cs_terms', 'connectors', 'applications', 'mcp_tokens']),
    )
    const reads = rows.map(
      ({ name }) =>
        `begin select 1 from public.${name}; raise exception 'it was read'; exception when insufficient_privilege then null; end;`,
    )
    await asReader(connectorOf(1), `do $$ begin ${reads.join(' ')} end $$`)
    await expect(asReader(connectorOf(1), `select * from ${nameViews(connectorOf(2)).schema}.notes`)).rejects.toThrow(
      'permission denied for schema',
    )
    await expect(asReader(connectorOf(1), `set role ${nameViews(connectorOf(1)).owner}`)).rejects.toThrow('permission denied to set role')
  })

  test.each([
    ['a table', 'create table mine (id int)', 'read-only transaction'],
    [
      'a table, in a transaction that writes',
      'create table mine (id int)',
      'permission denied for schema',
      'set default_transaction_read_only = off',
    ],
    [
      'a temporary table',
      'create temp table mine (id int)',
      'permission denied to create temporary tables',
      'set default_transaction_read_only = off',
    ],
    ['a record', 'delete from notes', 'permission denied for view', 'set default_transaction_read_only = off'],
    ['a role', 'create role mine', 'permission denied to create role', 'set default_transaction_read_only = off'],
  ])('let the reader write nothing: %s', async (_what, text, refusal, before = 'select 1') => {
    await expect(asReader(connectorOf(1), before, text)).rejects.toThrow(refusal)
  })

  test('end long statements, and have few connections', async () => {
    expect(await asReader(connectorOf(1), 'show statement_timeout')).toEqual([{ statement_timeout: '1min' }])
    const { rows } = await run(`select rolconnlimit as most from pg_roles where rolname = '${nameViews(connectorOf(1)).reader}'`)
    expect(rows).toEqual([{ most: 10 }])
  })

  test.each([
    ['grant select on cs_tables to public', 'rights on cs_tables', 'revoke select on cs_tables from public'],
    ['create schema open; grant create on schema open to public', 'CREATE in the schema open', 'drop schema open'],
    [
      "create function public.taken() returns int language sql security definer as 'select 1'",
      'the function taken(), which has the rights of its owner',
      'drop function public.taken',
    ],
  ])('are refused when the reader could more: %s', async (grant, what, undo) => {
    for (const text of grant.split('; ')) await run(text)
    const result = await make(connectorOf(1))
    await run(undo)
    expect(result).toEqual({ type: 'refused', rights: [{ what, remedy: expect.any(String) }] })
    expect(await asReader(connectorOf(1), 'select count(*)::int as many from notes')).toEqual([{ many: 3 }])
  })

  describe('for a user of the database that is no administrator', () => {
    const [user, connector] = [`ferrule_plain_${process.pid}`, connectorOf(6)]
    let plain: StoreWorld
    let address = ''
    const asAdministrator = (...texts: readonly string[]) => runSql(address, ...texts)
    beforeAll(async () => {
      await run(`create role ${user} login password 'plain'`)
      plain = await createStoreWorld('postgres', undefined, (own) => {
        address = own
        const changed = new URL(own)
        changed.username = user
        changed.password = 'plain'
        return changed.href
      })
      const name = new URL(address).pathname.slice(1)
      await asAdministrator(`revoke temporary on database ${name} from public`, `grant create on database ${name} to ${user}`)
      await asAdministrator(`grant create on schema public to ${user}`)
    })
    afterAll(async () => {
      await plain.close()
      await run(`drop role ${user}`)
    })

    test('statements for an administrator are told, or roles are made where it may', async () => {
      const own = plain.open()
      const database = await own.openDatabase()
      await own.writeBatch({ ...refOf(6) }, { records: [note(own, { id: 1, title: 'mine' })], asked: 1 })
      const told = await makeViews(database, connector, tablesOf(own))
      if (told.type !== 'needs-administrator') throw new Error(`it was ${told.type}`)
      await asAdministrator(...told.statements)
      const { reader, owner } = nameViews(connector)
      expect(await makeViews(database, connector, tablesOf(own))).toMatchObject({ type: 'made', views: ['notes'] })
      expect(await removeViews(database, connector)).toEqual([`drop owned by "${owner}"`, `drop role "${owner}"`, `drop role "${reader}"`])
      await asAdministrator(`drop owned by "${owner}"`, `drop role "${owner}"`, `drop role "${reader}"`, `alter role ${user} createrole`)
      expect(await makeViews(database, connector, tablesOf(own))).toMatchObject({ type: 'made', password: expect.any(String) })
      expect(await removeViews(database, connector)).toEqual([])
    })
  })

  test('follow their table in the transaction that changes it', async () => {
    const count = () => asReader(connectorOf(1), 'select count(*)::int as many from notes')
    const extended = world.open({ kinds: [testKind({ ...noteFields, due: date('Due.') })] })
    await extended.checkDatabase()
    expect(await asReader(connectorOf(1), 'select id, due from notes where id = 1')).toEqual([{ id: '1', due: null }])
    await extended.close()
    const remade = world.open({ kinds: [testKind({ ...noteFields, due: date('Due.'), title: int('Title.') })] })
    await remade.checkDatabase()
    expect(await count()).toEqual([{ many: 0 }])
    const records = [{ id: 7, title: 8, due: '2026-02-28' }].map((fields) => ({
      key: buildPrimaryKey(remade.getTable('test-kind', 'notes').key, fields) ?? '',
      fields,
    }))
    await remade.writeBatch(refOf(1), { records, asked: 2 })
    expect(await asReader(connectorOf(1), 'select title, due::text from notes')).toEqual([{ title: '8', due: '2026-02-28' }])
    await expect(asReader(connectorOf(1), `select * from ${nameViews(connectorOf(2)).schema}.notes`)).rejects.toThrow(
      'permission denied for schema',
    )
    await remade.close()
  })

  test('show kinds of organizations, and follow a connector to another version', async () => {
    const entities = (fields: object) => ({ deals: { about: 'Deals.', key: ['id'], context_store_search: { id: int('Id.'), ...fields } } })
    const own = (fields: object): OwnKind => ({ organizationId: connectorOf(90), id: connectorOf(91), entities: entities(fields) })
    const [first, second] = [own({ title: str('Title.') }), own({ title: str('Title.'), made: time('Made.') })]
    const refs = [first, second].flatMap((each) =>
      [4, 5].map((number) => ({ connector: connectorOf(number), kind: 'acme', entity: 'deals', own: each })),
    )
    for (const ref of refs.slice(0, 2)) {
      const fields = { id: Number(ref.connector.at(-1)), title: 'Deal' }
      const key = buildPrimaryKey(store.getTable('acme', 'deals', first).key, fields) ?? ''
      await store.writeBatch(ref, { records: [{ key, fields }], asked: 1 })
    }
    expect(await make(connectorOf(4), [store.getTable('acme', 'deals', first)])).toMatchObject({ views: ['deals'] })
    expect(await asReader(connectorOf(4), 'select id, title from deals')).toEqual([{ id: '4', title: 'Deal' }])
    await store.moveRows(connectorOf(4), first, second)
    expect(await asReader(connectorOf(4), 'select id, title, made from deals')).toEqual([{ id: '4', title: 'Deal', made: null }])
  })

  test('go with their connector, and their roles with the command', async () => {
    const { schema } = nameViews(connectorOf(2))
    await store.removeConnector(connectorOf(2))
    expect((await run(`select nspname from pg_namespace where nspname = '${schema}'`)).rows).toEqual([])
    expect(await make(connectorOf(2))).toEqual({ type: 'empty' })
    expect(await removeViews(await store.openDatabase(), connectorOf(2))).toEqual([])
    expect((await run(`select rolname from pg_roles where rolname ~ '^${schema}'`)).rows).toEqual([])
  })
})
