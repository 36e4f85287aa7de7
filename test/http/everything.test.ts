/** The search over all connectors, over HTTP. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Ferrule } from '../../packages/ferrule/src/index.ts'
import { share } from '../support/share.ts'
import { allHits, connectEmpty, searchAll, startEverythingWorld, write } from './everything-support.ts'
import { overStatements } from './search-support.ts'
import { base, connectorsPath, createTenant, type Json } from './support.ts'

overStatements('a search over all connectors', async (engine) => {
  const world = await share(startEverythingWorld(engine))
  const deskId = await connectEmpty(world, 'desk', 'My desk', { replication_config: { site: 'acme' } })
  const shopId = await connectEmpty(world, 'shop', 'My shop')
  await write(world, {
    connector: deskId,
    kind: 'desk',
    entity: 'tickets',
    records: [
      {
        id: 9007199254740993n,
        subject: 'Acme renewal',
        body: 'They want to renew',
        state: 'open',
        custom: {},
        opened: '2026-03-01T00:00:00Z',
      },
      {
        id: 2,
        subject: 'Printer',
        body: `${'Long before. '.repeat(30)}The printer of Ácme\nburns`,
        state: 'open',
        custom: { tag: 'vip' },
        opened: '2026-04-01T00:00:00Z',
      },
      {
        id: 3,
        subject: 'Other',
        body: 'Nothing',
        state: 'closed',
        custom: { note: ['for the Wi-Fi of acme'] },
        opened: '2026-05-01T00:00:00Z',
      },
    ],
  })
  await write(world, {
    connector: deskId,
    kind: 'desk',
    entity: 'people',
    records: [{ id: 'a&b/c', name: 'Ann Acmeson', email: 'ann@globex.example' }],
  })
  await write(world, {
    connector: shopId,
    kind: 'shop',
    entity: 'orders',
    records: [
      {
        id: 'o1',
        title: 'Order of acme',
        state: 'open',
        url: 'https://eu.shop.example/orders/o1?a=b',
        created_at: '2026-04-15T00:00:00Z',
      },
      { id: 'o2', title: 'Order of globex', state: 'paid', url: 'https://elsewhere.example/o2', created_at: '2026-04-16T00:00:00Z' },
    ],
  })

  const keysOf = (data: readonly Json[]) => data.map(({ entity, key }) => `${entity} ${key}`)

  test('finds words in titles, summaries, objects and lists, the best match first, then the newest', async () => {
    const { status, json } = await searchAll(world, { text: 'acme' })
    expect(status).toBe(200)
    expect(keysOf(json.data)).toEqual([
      'tickets 3',
      'orders o1',
      'tickets 2',
      'tickets 9007199254740993',
      'people a&b/c', // a beginning of a word counts less
    ])
    expect(json.meta).toMatchObject({ has_more: false, cursor: null, ranked: true, near: false })
    expect(json.left_out).toEqual([])
    expect(json.facets).toEqual({
      kinds: [
        { kind: 'desk', count: 4, exact: true },
        { kind: 'shop', count: 1, exact: true },
      ],
      entities: [
        { kind: 'desk', entity: 'tickets', count: 3, exact: true },
        { kind: 'desk', entity: 'people', count: 1, exact: true },
        { kind: 'shop', entity: 'orders', count: 1, exact: true },
      ],
      connectors: [
        { connector: { id: deskId, name: 'My desk', kind: 'desk' }, count: 4, exact: true },
        { connector: { id: shopId, name: 'My shop', kind: 'shop' }, count: 1, exact: true },
      ],
    })
  })

  test('describes a record: title, snippet with ranges, time, and a link with escaped values', async () => {
    const { json } = await searchAll(world, { text: 'acme' })
    const hit = (key: string) => json.data.find((each: Json) => each.key === key)
    expect(hit('9007199254740993')).toEqual({
      connector: { id: deskId, name: 'My desk', kind: 'desk' },
      entity: 'tickets',
      key: '9007199254740993',
      title: 'Acme renewal',
      snippet: { field: 'subject', text: 'Acme renewal', ranges: [[0, 4]] },
      time: '2026-03-01T00:00:00Z',
      link: 'https://acme.desk.example/tickets/9007199254740993',
      synced_at: expect.any(String),
    })
    const { text, ranges, field } = hit('2').snippet
    expect(field).toBe('body')
    expect(text).toMatch(/^….*The printer of Ácme burns$/)
    expect(ranges.map(([from, to]: [number, number]) => text.slice(from, to))).toEqual(['Ácme'])
    expect(hit('3').snippet).toMatchObject({ field: 'custom', text: 'for the Wi-Fi of acme' })
    expect(hit('a&b/c')).toMatchObject({ title: 'Ann Acmeson', time: null, link: 'https://desk.example/people?of=a%26b%2Fc' })
    expect(hit('o1').link).toBe('https://eu.shop.example/orders/o1?a=b')
  })

  test('joins words, marks joined ones, and never follows an address of another host', async () => {
    const { json } = await searchAll(world, { text: 'wifi acme' })
    expect(keysOf(json.data)).toEqual(['tickets 3'])
    const { text, ranges } = json.data[0].snippet
    expect(ranges.map(([from, to]: [number, number]) => text.slice(from, to))).toEqual(['Wi-Fi', 'acme'])
    const other = await searchAll(world, { text: 'order globex' })
    expect(other.json.data[0]).toMatchObject({ key: 'o2', link: null })
  })

  test('takes typing errors only where nothing has the words as they were written', async () => {
    const { json } = await searchAll(world, { text: 'globxe' })
    expect(keysOf(json.data).toSorted()).toEqual(['orders o2', 'people a&b/c'])
    expect(json.meta.near).toBe(true)
    expect((await searchAll(world, { text: 'nowherewordlike' })).json).toMatchObject({ data: [], meta: { near: false } })
  })

  test('filters all entities that have the field, the newest first, and names the others', async () => {
    const { json } = await searchAll(world, { filter: { eq: { state: 'open' } } })
    expect(keysOf(json.data)).toEqual(['orders o1', 'tickets 2', 'tickets 9007199254740993'])
    expect(json.meta.ranked).toBe(false)
    expect(json.left_out).toEqual([
      { reason: 'no_field', kind: 'desk', connector: null, entities: ['people'], message: 'It has no searchable field state.' },
    ])
    const { left_out: unfit } = (await searchAll(world, { filter: { eq: { id: 'o1' } } })).json
    expect(unfit).toMatchObject([
      { reason: 'no_field', kind: 'desk', entities: ['tickets'], message: expect.stringMatching(/^id must be /) },
    ])
    const both = await searchAll(world, { text: 'acme', filter: { eq: { state: 'open' } } })
    expect(keysOf(both.json.data)).toEqual(['orders o1', 'tickets 2', 'tickets 9007199254740993'])
  })

  test('is narrowed by kinds, entities, connectors and workspace', async () => {
    const found = async (more: object) => keysOf((await searchAll(world, { text: 'acme', ...more })).json.data)
    expect(await found({ kinds: ['shop'] })).toEqual(['orders o1'])
    expect(await found({ entities: ['people'] })).toEqual(['people a&b/c'])
    expect(await found({ connectors: [shopId] })).toEqual(['orders o1'])
    const { json } = await world.ask(`${base}/workspaces`, { token: world.token, body: { name: 'Second' } })
    expect(await found({ workspace_id: json.id })).toEqual([])
  })

  test('refuses what finds nothing by mistake', async () => {
    const refused = async (body: object) => {
      const { status, json } = await searchAll(world, body)
      return [status, json.code, json.errors?.[0]?.field]
    }
    expect(await refused({})).toEqual([422, 'missing_parameter', undefined])
    expect(await refused({ text: '?!' })).toEqual([422, 'validation_failed', '/text'])
    expect(await refused({ text: 'acme', kinds: ['shops'] })).toEqual([422, 'validation_failed', '/kinds/0'])
    expect(await refused({ text: 'acme', entities: ['ordres'] })).toEqual([422, 'validation_failed', '/entities/0'])
    expect(await refused({ filter: { eq: { nothing: 1 } } })).toEqual([422, 'validation_failed', '/filter/eq/nothing'])
    expect((await searchAll(world, { filter: { eq: { nothing: 1 } } })).json.message).toBe(
      'The request is not valid: /filter/eq/nothing is no searchable field of what is searched.',
    )
    expect(await refused({ text: 'acme', include: { requestor: ['name'] } })).toEqual([422, 'validation_failed', '/include/requestor'])
    expect(await refused({ text: 'acme', include: { requester: ['nam'] } })).toEqual([422, 'validation_failed', '/include/requester/0'])
    expect(await refused({ text: 'acme', include: { requester: 'name' } })).toEqual([422, 'validation_failed', '/include/requester'])
    const deep = { requester: [{ manager: [{ manager: ['name'] }] }] }
    expect(await refused({ text: 'acme', include: deep })).toEqual([422, 'query_too_complex', '/include/requester/0/manager/0'])
    expect(await refused({ text: 'acme', connectors: ['00000000-0000-4000-8000-000000000000'] })).toEqual([
      404,
      'connector_not_found',
      undefined,
    ])
    expect(await refused({ text: 'acme', cursor: 'bm90IHNpZ25lZA' })).toEqual([400, 'invalid_cursor', undefined])
  })

  test('gives each record once in pages, and refuses a cursor of another search', async () => {
    const whole = (await searchAll(world, { text: 'acme' })).json.data
    expect(await allHits(world, { text: 'acme', limit: 1 })).toEqual(whole)
    expect(await allHits(world, { filter: {}, limit: 2 })).toHaveLength(6)
    const { json } = await searchAll(world, { text: 'acme', limit: 2 })
    expect((await searchAll(world, { text: 'acme', cursor: json.meta.cursor })).json.facets).toBeNull()
    expect((await searchAll(world, { text: 'globex', cursor: json.meta.cursor })).json.code).toBe('invalid_cursor')
  })

  test('includes fields of related records where an entity refers to some, and names the others', async () => {
    const connector = { id: deskId, name: 'My desk', kind: 'desk' }
    await write(world, {
      connector: deskId,
      kind: 'desk',
      entity: 'people',
      records: [{ id: 'boss', name: 'Grace', email: 'grace@globex.example' }],
    })
    const record = { body: 'Included', state: 'new', custom: {} }
    await write(world, {
      connector: deskId,
      kind: 'desk',
      entity: 'tickets',
      records: [
        { ...record, id: 11, subject: 'Zorro one', requester: 'a&b/c', watchers: ['boss', 'gone', 'boss'], opened: '2026-06-02T00:00:00Z' },
        { ...record, id: 12, subject: 'Zorro two', requester: 'gone', watchers: null, opened: '2026-06-01T00:00:00Z' },
      ],
    })
    await write(world, { connector: shopId, kind: 'shop', entity: 'orders', records: [{ id: 'o9', title: 'Zorro mask', url: '/' }] })
    const include = { requester: ['name', { manager: ['name'] }], 'watchers[]': ['name'] }
    const { json } = await searchAll(world, { text: 'zorro', include })
    expect(json.data.map(({ key, related }: Json) => [key, related])).toEqual([
      ['11', { requester: { name: 'Ann Acmeson', _related: { manager: null } }, 'watchers[]': { boss: { name: 'Grace' }, gone: null } }],
      ['12', { requester: null, 'watchers[]': {} }],
      ['o9', undefined],
    ])
    expect(json.meta.related).toEqual([{ connector, entity: 'people', synced_at: json.data[0].synced_at }])
    expect(json.meta.not_included).toEqual([
      { kind: 'shop', entities: ['orders'], message: 'It has no reference requester.' },
      { kind: 'shop', entities: ['orders'], message: 'It has no reference watchers[].' },
    ])
    const single = { entity: 'tickets', action: 'context_store_search', params: { query: { filter: { eq: { id: 11 } } }, include } }
    expect(json.data[0].related).toEqual((await world.execute(deskId, single)).json.data[0]._related)
    expect(await allHits(world, { text: 'zorro', include, limit: 1 })).toEqual(json.data)
    const first = await searchAll(world, { text: 'zorro', include, limit: 1 })
    expect(first.json.meta.not_included).toBeUndefined() // only what the page's records lack
    expect((await searchAll(world, { text: 'zorro', limit: 1, cursor: first.json.meta.cursor })).json.code).toBe('invalid_cursor')
  })

  test('tells apart related records that were never synced, and the client takes include', async () => {
    const partial = await connectEmpty(world, 'desk', 'Partial', { entities: [{ entity: 'tickets' }] })
    const record = { id: 21, subject: 'Quixote', body: '', state: 'new', custom: {}, opened: null, requester: 'boss' }
    await write(world, { connector: partial, kind: 'desk', entity: 'tickets', records: [record] })
    const ferrule = new Ferrule({ url: world.url, token: world.token })
    const { data, meta } = await ferrule.search({ text: 'quixote', include: { requester: ['name'] } })
    expect(data.map(({ related }) => related)).toEqual([{ requester: null }])
    expect(meta.related).toEqual([{ connector: { id: partial, name: 'Partial', kind: 'desk' }, entity: 'people', synced_at: null }])
    await world.ask(`${connectorsPath}/${partial}`, { method: 'DELETE', token: world.token })
  })

  test('names connectors whose copies are not filled, and leaves out those of inactive workspaces', async () => {
    const { json: workspace } = await world.ask(`${base}/workspaces`, { token: world.token, body: { name: 'Third' } })
    const body = { workspace_name: 'Third', connector_type: 'shop', name: 'Late', credentials: { token: 't' } }
    const late = (await world.ask(connectorsPath, { token: world.token, body })).json.id
    const { json } = await searchAll(world, { text: 'acme' })
    expect(json.left_out).toEqual([
      {
        reason: 'not_ready',
        kind: 'shop',
        connector: { id: late, name: 'Late', kind: 'shop' },
        entities: ['orders'],
        message: 'The copy cannot be searched: its status is loading.',
      },
    ])
    await world.ask(`${base}/workspaces/${workspace.id}`, { method: 'PUT', token: world.token, body: { status: 'inactive' } })
    expect((await searchAll(world, { text: 'acme' })).json.left_out).toEqual([])
    expect((await searchAll(world, { text: 'acme', connectors: [late] })).json.code).toBe('workspace_inactive')
    await world.ask(`${connectorsPath}/${late}`, { method: 'DELETE', token: world.token })
  })

  test('counts as far as promised, and says of more that there are at least so many', async () => {
    const crowd = await connectEmpty(world, 'desk', 'Crowd')
    const people = [{ id: 'one', name: 'Crowd', email: 'crowd@example.com' }]
    await write(world, { connector: crowd, kind: 'desk', entity: 'people', records: people })
    let last = 1
    const growTo = async (size: number): Promise<void> => {
      const text = `insert into cs_desk_people select r.* from (select u from cs_desk_people u where email = 'crowd@example.com' limit 1) one,
        generate_series($1::int4, $2::int4) n, jsonb_populate_record(one.u, jsonb_build_object('pk', concat('copy ', n), 'id', concat('copy ', n))) r`
      const database = await world.context.store.openDatabase()
      await database.withConnection((run) => run({ text, values: [last + 1, size] }), { timeoutMs: 600_000 })
      last = size
    }
    const countAll = async () => {
      const filter = { eq: { email: 'crowd@example.com' } }
      const params = { query: { filter }, limit: 1, count: true }
      const { json } = await world.execute(crowd, { entity: 'people', action: 'context_store_search', params })
      const { facets } = (await searchAll(world, { filter, limit: 1 })).json
      return { total: json.meta.total, isMore: json.meta.total_at_least, facets: facets.kinds, groups: facets.entities.length }
    }
    const facets = (count: number, exact: boolean) => [{ kind: 'desk', count, exact }]
    await growTo(1_000)
    expect(await countAll()).toEqual({ total: 1_000, isMore: undefined, facets: facets(1_000, true), groups: 1 })
    await growTo(1_001)
    expect(await countAll()).toEqual({ total: 1_001, isMore: undefined, facets: facets(1_000, false), groups: 1 })
    await growTo(100_000)
    expect(await countAll()).toEqual({ total: 100_000, isMore: undefined, facets: facets(1_000, false), groups: 1 })
    await growTo(100_001)
    expect(await countAll()).toEqual({ total: 100_000, isMore: true, facets: facets(1_000, false), groups: 1 })
    const group = async (cursor?: string): Promise<Json> => {
      const params = { group_by: ['id'], limit: 10_000, cursor }
      return (await world.execute(crowd, { entity: 'people', action: 'context_store_aggregate', params })).json
    }
    const { data, meta } = await group()
    expect([data.length, meta.groups, meta.has_more]).toEqual([10_000, 100_001, true])
    expect((await group(meta.cursor)).code).toBe('query_too_complex') // the pages of groups end there
    await world.ask(`${connectorsPath}/${crowd}`, { method: 'DELETE', token: world.token })
  })

  test('shows nothing to another organization, and a token its part only', async () => {
    const stranger = await createTenant(world, `Stranger ${engine}`)
    expect((await searchAll(world, { text: 'acme' }, stranger.token)).json.data).toEqual([])
    const { json } = await searchAll(world, { text: 'acme', limit: 1 })
    expect((await searchAll(world, { text: 'acme', cursor: json.meta.cursor }, stranger.token)).json.code).toBe('invalid_cursor')
    const own = (await world.ask(`${base}/workspaces`, { token: world.token })).json.data
    const idOf = (name: string) => own.find((each: Json) => each.name === name).id
    const wanted = { token: world.token, body: { workspace_name: 'Second' } }
    const part = (await world.ask(`${base}/account/applications/scoped-token`, wanted)).json.token
    expect((await searchAll(world, { text: 'acme' }, part)).json.data).toEqual([])
    const pairs = [
      { foreign: { connectors: [shopId] }, never: { connectors: [randomUUID()] } },
      { foreign: { workspace_id: idOf('default') }, never: { workspace_id: randomUUID() } },
      { foreign: { kinds: ['shop'] }, never: { kinds: ['shap'] } },
      { foreign: { entities: ['orders'] }, never: { entities: ['arders'] } },
    ]
    for (const { foreign, never } of pairs)
      for (const token of [stranger.token, part]) {
        const seen = async (more: object) => {
          const headers = { 'x-request-id': 'the-same' }
          const { status, text } = await world.ask(`${base}/search`, { token, headers, body: { text: 'acme', ...more } })
          return [status, text.replaceAll(/took_ms":\d+/g, '').replaceAll(/sh[oa]p|[oa]rders/g, 'NAME')]
        }
        expect(await seen(foreign)).toEqual(await seen(never))
      }
  })

  test('is a method of the client', async () => {
    const ferrule = new Ferrule({ url: world.url, token: world.token })
    const { data } = await ferrule.search({ text: 'acme', filter: 'state = "open"', limit: 1 })
    expect(data.map(({ title }) => title)).toEqual(['Order of acme'])
  })
})
