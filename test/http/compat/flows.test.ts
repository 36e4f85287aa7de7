import { describe, expect, test } from 'vitest'
import { share } from '../../support/share.ts'
import { startCopyWorld } from '../search-support.ts'
import { sandboxWarehouse } from '../snowflake-support.ts'
import { base, connectorsPath, type Json, sandboxStore } from '../support.ts'
import { sandboxAds } from '../tiktok-support.ts'
import { asJson, createBody, definitionIds, executeBody, mediaOf } from './requests.ts'
import { envelopeOf, recordedClient, shownText } from './support.ts'

const ids: Record<string, string> = {}
const world = await share(startCopyWorld('postgres'))
ids['gong'] = await world.connect('calls', { entities: [{ entity: 'users' }] })
ids['shopify'] = await world.connect('shop', { ...sandboxStore('shop'), entities: [{ entity: 'abandoned_checkouts' }] })
ids['tiktok'] = await world.connect('ads', {
  ...sandboxAds('ads', { replication_config: { advertiser_id: world.sandbox.tiktok.world.advertiserId } }),
  entities: [{ entity: 'campaigns' }],
})
ids['snowflake'] = await world.connect('warehouse', sandboxWarehouse('warehouse'))
const clients = { sdk: await recordedClient(world, 'sdk'), packages: await recordedClient(world, 'packages') }

const idOf = (kind: string): string => ids[kind] ?? ''

/** Lists that clients ask for, and what they read of the answer beside the records. */
const lists: readonly (readonly [kind: string, entity: string, params: object | undefined, meta: object])[] = [
  ['gong', 'users', { limit: 1 }, { cursor: expect.any(String), total_records: expect.any(Number), current_page_number: 0 }],
  ['gong', 'workspaces', undefined, { has_next_page: false, end_cursor: null }],
  ['shopify', 'customers', { limit: 1 }, { next_page_url: expect.stringContaining('page_info='), has_next_page: true }],
  ['tiktok', 'advertisers', { limit: 1 }, { page_info: { page: 1 }, has_next_page: false, end_cursor: null }],
  ['gong', 'calls_extensive', { filter: { fromDateTime: '2020-01-01T00:00:00Z' } }, { cursor: expect.any(String), has_next_page: true }],
  ['gong', 'call_transcripts', { filter: { fromDateTime: '2020-01-01T00:00:00Z' } }, { end_cursor: expect.any(String) }],
  // Names of the client's typed objects.
  [
    'gong',
    'calls_extensive',
    { filter: { from_date_time: '2020-01-01T00:00:00Z' }, content_selector: { exposed_fields: { parties: true } } },
    { cursor: expect.any(String), has_next_page: true },
  ],
  ['gong', 'call_transcripts', { filter: { from_date_time: '2020-01-01T00:00:00Z' } }, { end_cursor: expect.any(String) }],
  ['gong', 'stats_interaction', { filter: { from_date: '2026-01-01', to_date: '2026-01-20' } }, { current_page_number: 0 }],
  ['gong', 'stats_interaction', { filter: { fromDate: '2026-01-01', toDate: '2026-01-20' } }, { current_page_number: 0 }],
]

const both = ['sdk', 'packages'] as const

describe.each(both)('the client %s', (name) => {
  test.each(lists)('lists %s %s', async (...[kind, entity, params, meta]) => {
    const { result, connector_metadata } = envelopeOf(await clients[name].execute(idOf(kind), `${entity} list`, params), idOf(kind))
    expect(result.length).toBeGreaterThan(0)
    expect(connector_metadata).toMatchObject(meta)
  })

  test('reads one record, whose id it knows as a string', async () => {
    const client = clients[name]
    const [product] = envelopeOf(await client.execute(idOf('shopify'), 'products list', { limit: 1 }), idOf('shopify')).result
    const got = envelopeOf(await client.execute(idOf('shopify'), 'products get', { product_id: String(product.id) }), idOf('shopify'))
    expect([got.result.id, got.connector_metadata]).toEqual([product.id, null])
  })

  test('reads statements of the warehouse as one object', async () => {
    const answer = await clients[name].execute(idOf('snowflake'), 'databases list', { limit: 1 })
    const { result, connector_metadata } = envelopeOf(answer, idOf('snowflake'))
    expect(result).toMatchObject({ resultSetMetaData: { numRows: expect.any(Number) }, data: expect.any(Array), code: expect.any(String) })
    expect(connector_metadata).toMatchObject({ request_id: expect.any(String), partition_info: expect.any(Array), has_next_page: false })
  })

  test('finds its connector by kind and workspace, and nothing is no error', async () => {
    const names = name === 'sdk' ? 'workspace_name' : 'customer_name'
    const look = async (workspace: string, definition: string) =>
      (await clients[name].send(`${connectorsPath}?${names}=${workspace}&definition_id=${definition}`)).json.data
    expect(await look('default', definitionIds.gong)).toMatchObject([{ id: idOf('gong') }])
    expect(await look('nobody', definitionIds.gong)).toEqual([])
    expect(await look('default', '00000000-0000-4000-8000-000000000000')).toEqual([])
  })

  test('names its organization, chooses fields, and says why it asks', async () => {
    const client = clients[name]
    const { json } = await client.send(`${base}/organizations`)
    const [{ id }] = json.data
    const headers = { 'x-organization-id': id }
    const path = `${connectorsPath}/${idOf('gong')}/execute`
    const more = { select_fields: ['id', 'emailAddress'], intent: 'why' }
    const chosen = await client.send(path, { headers, body: { ...executeBody[name]('users', 'list'), ...more } })
    expect(Object.keys(envelopeOf(chosen, idOf('gong')).result[0])).toEqual(['id', 'emailAddress'])
    const without = await client.send(path, { body: { ...executeBody[name]('users', 'list'), exclude_fields: ['id'] } })
    expect(Object.keys(without.json.result[0])).not.toContain('id')
    const foreign = { 'x-organization-id': '00000000-0000-4000-8000-000000000000' }
    expect((await client.send(path, { headers: foreign, body: executeBody[name]('users', 'list') })).status).toBe(403)
  })

  test('pages every list with end_cursor, as params.cursor', async () => {
    for (const [kind, entity, params] of [
      ['gong', 'calls', {}],
      ['shopify', 'products', { limit: 250 }],
      ['tiktok', 'campaigns', { limit: 10 }],
    ] as const) {
      const seen: unknown[] = []
      let cursor: string | null = null
      for (let page = 0; page < 3; page += 1) {
        const given = { ...params, ...(cursor === null ? {} : { cursor }) }
        const answer: Json = envelopeOf(await clients[name].execute(idOf(kind), `${entity} list`, given), idOf(kind))
        seen.push(...answer.result.map((record: Json) => record.id ?? record.campaign_id))
        cursor = answer.connector_metadata.end_cursor
        expect(answer.connector_metadata.has_next_page).toBe(cursor !== null)
        if (cursor === null) break
      }
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test('is told in one sentence what was wrong, and where', async () => {
    const client = clients[name]
    const wrong = await client.execute(idOf('shopify'), 'products get', { product_id: 'seven' })
    expect([wrong.status, shownText(wrong)]).toEqual([422, '/params/product_id must be an integer.'])
    const outside = await client.execute(idOf('tiktok'), 'spark_ads list', {})
    expect([outside.status, shownText(outside)]).toEqual([422, expect.stringMatching(/^\/entity must be one of: .*promoted_post_ads/)])
    const statement = await client.execute(idOf('gong'), 'users context_store_sql_query', { sql: 'select 1' })
    expect([statement.status, shownText(statement)]).toEqual([
      422,
      'users does not offer the action context_store_sql_query. It offers: context_store_search, with query.filter, query.sort and fields instead of SQL.',
    ])
    const write = await client.execute(idOf('shopify'), 'products create', { title: 'x' })
    expect([write.status, shownText(write)]).toEqual([422, '/action must be one of: list, get.'])
    const workflows = await client.send(`${base}/internal/workflows?workspace_id=any`)
    expect([workflows.status, shownText(workflows)]).toEqual([
      501,
      'This service has no workflows and automations: run a schedule of your own, and call the operations of a connector from it.',
    ])
    const none = await client.send(`${connectorsPath}/${idOf('gong')}/execute/prepare`, { body: {} })
    const says =
      'This service has no executions on the machine of the caller: unset SECRETS_CONFIGURED_FROM_ENVIRONMENT, so that the client calls execute.'
    expect([none.status, none.json.code, shownText(none)]).toEqual([501, 'not_offered', says])
    const refused = await client.send(`${connectorsPath}?workspace_name=default`, { token: 'no token' })
    expect([refused.status, shownText(refused)]).toEqual([401, expect.stringMatching(/\.$/)])
  })
})

describe('a search', () => {
  test.each(both)('has rows in snake_case too, and integer milliseconds: %s', async (name) => {
    await world.context.sync()
    const client = clients[name]
    const search = async (params: object) => {
      const answer = await client.execute(idOf('gong'), 'users context_store_search', params)
      const { json } = answer
      expect(Object.keys(json.result)).toEqual(['data', 'meta'])
      expect(json.connector_metadata).toBeNull()
      expect(json.execution_metadata.context_store).toMatchObject({ status: 'ready', complete: true })
      return json.result
    }
    const first = await search({ query: { filter: { neq: { first_name: null } } }, limit: 2, fields: [['id'], ['email_address']] })
    expect(first.data.map((row: Json) => Object.keys(row))).toEqual([
      ['id', 'emailAddress', 'email_address'],
      ['id', 'emailAddress', 'email_address'],
    ])
    expect(first.data[0].email_address).toBe(first.data[0].emailAddress)
    expect([first.meta.has_more, Number.isInteger(first.meta.took_ms)]).toEqual([true, true])
    const second = await search({
      query: { filter: { neq: { first_name: null } } },
      limit: 2,
      cursor: first.meta.cursor,
      fields: [['id'], ['email_address']],
    })
    expect(second.data[0].id).not.toBe(first.data[0].id)
  })

  test('keeps the names of kinds that write snake_case, and the old name of the action', async () => {
    const answer = await clients.packages.execute(idOf('tiktok'), 'campaigns search', { query: { filter: {} }, limit: 1 })
    const [row] = answer.json.result.data
    expect(row).toMatchObject({ campaign_id: expect.anything(), campaign_name: expect.any(String) })
    expect(Object.keys(row)).toEqual(Object.keys(row).map((key) => key.toLowerCase()))
  })
})

describe('a download as JSON', () => {
  const chunk = async (format: 'base64' | 'text', range?: string) => {
    const params = {
      ...mediaOf(world.sandbox.gong.world.callId),
      ...asJson(format),
      ...(range === undefined ? {} : { range_header: range }),
    }
    return clients.sdk.execute(idOf('gong'), 'call_audio download', params)
  }

  test('comes in chunks, which are the file', async () => {
    const direct = await clients.sdk.execute(idOf('gong'), 'call_audio download', mediaOf(world.sandbox.gong.world.callId))
    expect(direct.headers['content-type']).toBe('audio/mpeg')
    const parts: Buffer[] = []
    let range: string | undefined = 'bytes=0-4095'
    while (range !== undefined) {
      const { result } = envelopeOf(await chunk('base64', range), idOf('gong'))
      const bytes = Buffer.from(result.content, 'base64')
      expect(result).toMatchObject({ encoding: 'base64', bytes_returned: bytes.length, range_requested: range, content_type: 'audio/mpeg' })
      expect(result.has_more).toBe(result.next_range_header !== null)
      parts.push(bytes)
      range = result.next_range_header ?? undefined
    }
    expect(parts.length).toBeGreaterThan(1)
    expect(Buffer.concat(parts).equals(direct.bytes)).toBe(true)
  })

  test('without a range is a first chunk, and a chunk is never larger than that', async () => {
    const first = envelopeOf(await chunk('base64'), idOf('gong')).result
    expect(first.range_requested).toBe('bytes=0-1048575')
    expect(envelopeOf(await chunk('base64', 'bytes=0-9999999'), idOf('gong')).result).toEqual(first)
    expect(envelopeOf(await chunk('base64', 'bytes=0-'), idOf('gong')).result).toEqual(first)
  })

  test('is refused with a sentence where it cannot be text, or asks for something else', async () => {
    const binary = await chunk('text', 'bytes=0-4095')
    expect([binary.status, shownText(binary)]).toEqual([422, expect.stringContaining('ask for base64')])
    const params = { ...mediaOf('1'), _airbyte_response_type: 'xml' }
    const wrong = await clients.sdk.execute(idOf('gong'), 'call_audio download', params)
    expect([wrong.status, shownText(wrong)]).toEqual([422, '/params/_airbyte_response_type must be one of: json.'])
    const beyond = await chunk('base64', 'bytes=999999999-')
    expect([beyond.status, beyond.json.code]).toEqual([416, 'range_not_satisfiable'])
  })
})

/** PyAirbyte takes a bearer token and an address that ends with `/api/v1`, and sends no marker. */
test('a client with a token of its own reads JSON objects from every address, and pages by limit and cursor', async () => {
  const client = clients.packages
  const workspaces = await client.send(`${base}/workspaces?name_contains=default`)
  const [{ id: workspace }] = workspaces.json.data
  const connectors = await client.send(`${connectorsPath}?workspace_id=${workspace}`)
  const answers = [
    ...[workspaces, connectors, await client.send(`${base}/workspaces/${workspace}`)],
    ...[await client.send(`${connectorsPath}/${idOf('shopify')}/inspect`), await client.send(`${base}/skills`)],
  ]
  for (const { status, headers, json } of answers)
    expect([status, headers['content-type'], Object.keys(json).length > 0]).toEqual([200, expect.stringContaining('json'), true])
  expect(connectors.json.data.map(({ id }: Json) => id)).toContain(idOf('shopify'))
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.execute(idOf('shopify'), 'custom_collections list', { limit: 9, ...(cursor === undefined ? {} : { cursor }) })
    const { result, connector_metadata } = envelopeOf(page, idOf('shopify'))
    seen.push(...result.map(({ id }: Json) => String(id)))
    cursor = connector_metadata.end_cursor
  }
  expect([seen.length > 9, new Set(seen).size]).toEqual([true, seen.length])
})

describe('a check', () => {
  const check = (id: string) => clients.packages.execute(id, '* check', {})

  test('is the kind of its own', async () => {
    const { result } = envelopeOf(await check(idOf('gong')), idOf('gong'))
    expect(result).toEqual({ status: 'healthy', error: null, checked_entity: 'users', checked_action: 'list' })
  })

  test('of refused credentials is an answer', async () => {
    const credentials = { access_key: 'sandbox', access_key_secret: 'wrong-secret' }
    const id = await world.connect('refused', { credentials, check: false })
    const { result } = envelopeOf(await check(id), id)
    expect(result).toMatchObject({ status: 'unhealthy', error: expect.stringContaining('Gong') })
  })

  test('of no connector is none', async () => {
    expect((await check('01a207b2-75a6-7c97-b37f-b6d37aee9bf7')).json.code).toBe('connector_not_found')
  })
})

describe('a creation of the older packages', () => {
  const shortPath = '/v1/integrations/connectors'
  /** The sandbox stands in for the vendor; the recorded body has no such member. */
  const environment = { sandbox: true }

  test('makes the workspace, and syncs nothing before a call has passed', async () => {
    const client = clients.packages
    const body = { ...createBody('made', 'New customer'), environment, entities: [{ entity: 'users' }] }
    const made = await client.send(shortPath, { body })
    expect([made.status, made.json]).toEqual([200, expect.objectContaining({ id: expect.any(String), workspace_name: 'New customer' })])
    await world.context.sync()
    const status = async () => (await client.send(`${connectorsPath}/${made.json.id}/context_store`)).json
    expect(await status()).toMatchObject({ queued: { attempts: 0 } })
    expect((await client.execute(made.json.id, 'users list', {})).status).toBe(200)
    await world.context.sync()
    expect((await status()).entities).toContainEqual(expect.objectContaining({ entity: 'users', ready_for_search: true }))
    const found = await client.send(`${connectorsPath}?customer_name=New%20customer&definition_id=${definitionIds.gong}`)
    expect(found.json.data.map(({ id }: Json) => id)).toEqual([made.json.id])
  })

  test('has its rules there only', async () => {
    const body = { ...createBody('elsewhere', 'Nobody'), environment }
    const longer = await clients.packages.send(connectorsPath, { body })
    expect([longer.status, longer.json.code]).toEqual([404, 'workspace_not_found'])
    const marked = await clients.sdk.send(connectorsPath, { body })
    expect([marked.status, marked.json.code]).toEqual([404, 'workspace_not_found'])
    const unprefixed = await clients.sdk.send(shortPath, { body })
    expect([unprefixed.status, unprefixed.json.code]).toEqual([404, 'not_found'])
    const wrong = await clients.packages.send(shortPath, { body: { ...body, credentials: { api_key: 'x' } } })
    expect([wrong.status, wrong.json.code]).toEqual([400, 'credentials_mismatch'])
  })
})
