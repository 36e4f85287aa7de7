import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCopyWorld } from '../search-support.ts'
import { sandboxWarehouse } from '../snowflake-support.ts'
import { base, connectorsPath, type Json, sandboxStore, type World } from '../support.ts'
import { sandboxAds } from '../tiktok-support.ts'
import { type ClientName, definitionIds } from './requests.ts'
import { envelopeOf, type Recorded, recordedClient, shownText } from './support.ts'

let world: World
const ids: Record<string, string> = {}
const clients: Partial<Record<ClientName, Recorded>> = {}
beforeAll(async () => {
  world = await startCopyWorld('postgres')
  ids['gong'] = await world.connect('calls', { entities: [{ entity: 'users' }] })
  ids['shopify'] = await world.connect('shop', { ...sandboxStore('shop'), entities: [] })
  ids['tiktok'] = await world.connect('ads', {
    ...sandboxAds('ads', { replication_config: { advertiser_id: world.sandbox.tiktok.world.advertiserId } }),
    entities: [{ entity: 'campaigns' }],
  })
  ids['snowflake'] = await world.connect('warehouse', sandboxWarehouse('warehouse'))
  clients.sdk = await recordedClient(world, 'sdk')
  clients.packages = await recordedClient(world, 'packages')
}, 120_000)
afterAll(() => world.close())

const idOf = (kind: string): string => ids[kind] ?? ''
const clientOf = (name: ClientName): Recorded => {
  const found = clients[name]
  if (found === undefined) throw new Error(`no client ${name}`)
  return found
}

/** Lists that clients ask for, and what they read of the answer beside the records. */
const lists: readonly (readonly [kind: string, entity: string, params: object | undefined, meta: object])[] = [
  ['gong', 'users', { limit: 1 }, { cursor: expect.any(String), total_records: expect.any(Number), current_page_number: 0 }],
  ['gong', 'workspaces', undefined, { has_next_page: false, end_cursor: null }],
  ['shopify', 'customers', { limit: 1 }, { next_page_url: expect.stringContaining('page_info='), has_next_page: true }],
  ['tiktok', 'advertisers', { limit: 1 }, { page_info: { page: 1 }, has_next_page: false, end_cursor: null }],
]

describe.each(['sdk', 'packages'] as const)('the client %s', (name) => {
  test.each(lists)('lists %s %s', async (...[kind, entity, params, meta]) => {
    const { result, connector_metadata } = envelopeOf(await clientOf(name).execute(idOf(kind), `${entity} list`, params), idOf(kind))
    expect(result.length).toBeGreaterThan(0)
    expect(connector_metadata).toMatchObject(meta)
  })

  test('reads one record, whose id it knows as a string', async () => {
    const client = clientOf(name)
    const [product] = envelopeOf(await client.execute(idOf('shopify'), 'products list', { limit: 1 }), idOf('shopify')).result
    const got = envelopeOf(await client.execute(idOf('shopify'), 'products get', { product_id: String(product.id) }), idOf('shopify'))
    expect([got.result.id, got.connector_metadata]).toEqual([product.id, null])
  })

  test('reads statements of the warehouse as one object', async () => {
    const answer = await clientOf(name).execute(idOf('snowflake'), 'databases list', { limit: 1 })
    const { result, connector_metadata } = envelopeOf(answer, idOf('snowflake'))
    expect(result).toMatchObject({ resultSetMetaData: { numRows: expect.any(Number) }, data: expect.any(Array), code: expect.any(String) })
    expect(connector_metadata).toMatchObject({ request_id: expect.any(String), partition_info: expect.any(Array), has_next_page: false })
  })

  test('finds its connector by kind and workspace, and nothing is no error', async () => {
    const names = name === 'sdk' ? 'workspace_name' : 'customer_name'
    const look = async (workspace: string, definition: string) =>
      (await clientOf(name).send(`${connectorsPath}?${names}=${workspace}&definition_id=${definition}`)).json.data
    expect(await look('default', definitionIds.gong)).toMatchObject([{ id: idOf('gong') }])
    expect(await look('nobody', definitionIds.gong)).toEqual([])
    expect(await look('default', '00000000-0000-4000-8000-000000000000')).toEqual([])
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
        const answer: Json = envelopeOf(await clientOf(name).execute(idOf(kind), `${entity} list`, given), idOf(kind))
        seen.push(...answer.result.map((record: Json) => record.id ?? record.campaign_id))
        cursor = answer.connector_metadata.end_cursor
        expect(answer.connector_metadata.has_next_page).toBe(cursor !== null)
        if (cursor === null) break
      }
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test('is told in one sentence what was wrong, and where', async () => {
    const client = clientOf(name)
    const wrong = await client.execute(idOf('shopify'), 'products get', { product_id: 'seven' })
    expect([wrong.status, shownText(wrong)]).toEqual([422, '/params/product_id must be an integer.'])
    const outside = await client.execute(idOf('tiktok'), 'spark_ads list', {})
    expect([outside.status, shownText(outside)]).toEqual([422, expect.stringMatching(/^\/entity must be one of: .*promoted_post_ads/)])
    const statement = await client.execute(idOf('gong'), 'users context_store_sql_query', { sql: 'select 1' })
    expect([statement.status, shownText(statement)]).toEqual([422, '/action must be one of: list, get, context_store_search.'])
    const workflows = await client.send(`${base}/internal/workflows?workspace_id=any`)
    expect([workflows.status, shownText(workflows)]).toEqual([501, 'This service has no workflows and automations.'])
    const refused = await client.send(`${connectorsPath}?workspace_name=default`, { token: 'no token' })
    expect([refused.status, shownText(refused)]).toEqual([401, expect.stringMatching(/\.$/)])
  })
})
