import { afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { shopifyCredentials as known } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { operations, type Uses, useOf, usesOf } from '../library/shopify-operations.ts'
import { day, start } from '../sandbox/shopify-client.ts'
import { share } from '../support/share.ts'
import { walkOrders } from './shopify-orders.ts'
import { connectorsPath, type Json, sandboxStore, startWorld } from './support.ts'

afterEach(() => world.sandbox.shopify.reset())

const definitionId = kinds.shopify.definition.id
const post = (body: unknown) => world.ask(connectorsPath, { token: world.token, body })
const create = (name: string, more: object = {}) => world.connect(name, { ...sandboxStore(name), ...more })
const record = async (connector = id): Promise<Json> => (await world.ask(`${connectorsPath}/${connector}`, { token: world.token })).json
const execute = async (entity: string, action: string, params: object = {}): Promise<Json> => {
  const { status, json } = await world.execute(id, { entity, action, params })
  if (status !== 200) throw new Error(`${status} ${json.code}: ${json.message}`)
  return json
}

const world = await share(startWorld({ sandbox: { clock: () => start } }))
const id = await create('store')
const uses: Readonly<Record<string, Uses>> = usesOf(world.sandbox.shopify.world)

describe('creation', () => {
  test.each<[string, object]>([
    ['its slug', { connector_type: 'shopify' }],
    ['its title', { connector_type: 'Shopify' }],
    ['its definition id', { connector_type: undefined, definition_id: definitionId }],
    ['both', { definition_id: definitionId }],
  ])('by %s', async (what, named) => {
    const { status, json } = await post({ ...sandboxStore(`by ${what}`), ...named })
    expect([status, json.connector_type, json.definition_id]).toEqual([200, 'shopify', definitionId])
    expect(json).toMatchObject({ credential_scheme: 'token', credential_fields: ['api_key'], environment: { sandbox: true }, notices: [] })
    expect(JSON.stringify(json)).not.toContain(known.token)
  })

  test.each([
    'sandbox-store',
    '  Sandbox-Store ',
    'sandbox-store.myshopify.com',
    'https://sandbox-store.myshopify.com',
    'HTTPS://SANDBOX-STORE.myshopify.com/',
    'http://sandbox-store.myshopify.com/',
    'admin.shopify.com/store/sandbox-store',
    'https://admin.shopify.com/store/sandbox-store/',
  ])('the shop %j is kept as the name of the store', async (shop) => {
    const made = await post({ ...sandboxStore(`store of ${shop}`), replication_config: { shop } })
    expect([made.status, made.json.replication_config]).toEqual([200, { shop: 'sandbox-store' }])
    expect((await record(made.json.id)).replication_config).toEqual({ shop: 'sandbox-store' })
    const { json } = await world.execute(made.json.id, { entity: 'shop', action: 'get' })
    expect(json.data.store_platform_domain).toBe('sandbox-store.myshopify.com')
  })

  test.each<[string, object, string]>([
    ['no shop', { replication_config: {} }, '/replication_config/shop'],
    ['no configuration', { replication_config: undefined }, '/replication_config/shop'],
    ['a shop that is null', { replication_config: { shop: null } }, '/replication_config/shop'],
    ['no month of a version', { replication_config: { shop: 'a', api_version: '2026-02' } }, '/replication_config/api_version'],
    ['no version', { replication_config: { shop: 'a', api_version: 'unstable' } }, '/replication_config/api_version'],
    ['more configuration', { replication_config: { shop: 'a', region: 'eu' } }, '/replication_config/region'],
    ['a token with a line break', { credentials: { api_key: 'shpat_a\r\nhost: evil.example' } }, '/credentials/api_key'],
    ['an empty token', { credentials: { api_key: '' } }, '/credentials/api_key'],
  ])('%s is refused at its field', async (what, more, field) => {
    const { status, json } = await post({ ...sandboxStore(what), ...more })
    expect([status, json.code, json.errors.map((each: Json) => each.field)]).toEqual([422, 'validation_failed', [field]])
  })

  test('the shop may stand in environment, as other configuration does', async () => {
    const body = { ...sandboxStore('by environment'), replication_config: undefined }
    const { status, json } = await post({ ...body, environment: { sandbox: true, shop: 'sandbox-store.myshopify.com' } })
    expect([status, json.replication_config]).toEqual([200, { shop: 'sandbox-store' }])
    const wrong = await post({ ...body, name: 'wrong', environment: { sandbox: true, shop: 'a/b' } })
    expect([wrong.status, wrong.json.errors[0].field]).toEqual([422, '/environment/shop'])
  })
})

describe('execute', () => {
  test.each(operations)('$entity $action', async ({ entity, action, definition }) => {
    const records = await useOf(execute, uses[entity], { entity, action })
    expect(records.length).toBeGreaterThan(0)
    expect(records.flatMap((each) => recordProblems(definition, each))).toEqual([])
  })

  test('next_params, merged by a plain client, lead to each order of many pages once', async () => {
    // The soak walks over ten thousand orders, as test/library/shopify-walks does without the service.
    expect(await walkOrders(world, id, { created_at_min: new Date(start - 200 * day).toISOString() })).toBeGreaterThan(500)
  })

  test('ids above 2^53 keep every digit on their way in and out', async () => {
    world.sandbox.shopify.switches.set({ hugeIds: true })
    const body = '{"entity":"customers","action":"get","params":{"customer_id":9007199254740993}}'
    const { status, text } = await world.execute(id, body)
    expect(status).toBe(200)
    expect(text).toContain('"id":9007199254740993,')
    expect(world.sandbox.shopify.requests().at(-1)?.path).toContain('/customers/9007199254740993.json')
    const list = await world.execute(id, { entity: 'customers', action: 'list', params: { limit: 1 }, select_fields: ['id'] })
    expect(list.text).toContain('{"id":9007199254740993}')
  })

  test.each<[string, string, object, [number, string, string?]]>([
    ['orders', 'get', {}, [422, 'missing_parameter', '/params/order_id']],
    ['orders', 'get', { order_id: 1 }, [404, 'record_not_found']],
    ['orders', 'list', { limit: 251 }, [422, 'invalid_parameter', '/params/limit']],
    ['orders', 'list', { status: 'closd' }, [422, 'invalid_parameter', '/params/status']],
    ['orders', 'list', { page_info: 'x' }, [400, 'invalid_cursor']],
    ['orders', 'list', { page_info: 'x', status: 'any' }, [422, 'invalid_parameter', '/params/status']],
    ['orders', 'context_store_search', { query: {} }, [422, 'action_not_supported', '/action']],
    ['ordrs', 'list', {}, [422, 'entity_not_found', '/entity']],
  ])('%s %s %j', async (entity, action, ...[params, [status, code, field]]) => {
    const answer = await world.execute(id, { entity, action, params })
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([status, code, field])
  })
})

describe('check', () => {
  const check = async (at: string, body: unknown): Promise<Json> =>
    (await world.ask(`${connectorsPath}/${at}check`, { method: 'POST', token: world.token, body })).json
  const named = (result: Json, status: string): string[] =>
    result.entity_check_results.filter((each: Json) => each.status === status).map((each: Json) => each.entity)
  const limited = { api_key: known.limitedToken }
  const readable = Object.entries(kinds.shopify.definition.entities)
    .filter(([, { scope }]) => scope.length === 0 || scope.some((each: string) => ['read_products', 'read_locations'].includes(each)))
    .map(([name]) => name)

  test('tells which entities the scopes reach, of a stored connector and of one that is not', async () => {
    const stored = await create('limited', { credentials: limited })
    for (const result of [
      await check(`${stored}/`, undefined),
      await check('', { ...sandboxStore('trial'), credentials: limited }),
      await check(`${id}/`, { credentials: limited }),
    ]) {
      expect(result.status).toBe('succeeded')
      expect(named(result, 'succeeded')).toEqual(readable)
      expect(named(result, 'skipped')).toHaveLength(32 - readable.length)
      expect(result.entity_check_results).toContainEqual({
        entity: 'orders',
        status: 'skipped',
        error_message: 'needs the scope read_orders',
      })
      expect(result.entity_check_results).toContainEqual({
        entity: 'discount_codes',
        status: 'skipped',
        error_message: 'needs the scope read_price_rules or read_discounts',
      })
    }
    expect(named(await check(`${id}/`, undefined), 'skipped')).toEqual([])
  })

  test('reaches what it says that it reaches, and not what it skips', async () => {
    const stored = await create('limited too', { credentials: limited })
    for (const { entity } of operations.filter(({ action }) => action === 'list')) {
      const { status, json } = await world.execute(stored, { entity, action: 'list', params: uses[entity]?.list ?? {} })
      if (readable.includes(entity)) expect([entity, status]).toEqual([entity, 200])
      else if (entity === 'fulfillment_orders')
        expect(json.data).toEqual([]) // no refusal: those that the scopes do not reach are left out
      else expect([entity, status, json.code]).toEqual([entity, 424, 'upstream_permission_denied'])
    }
    expect((await record(stored)).status).toBe('active')
  })

  test('of a token that is refused fails, and marks the stored connector until it has a new one', async () => {
    const stored = await create('revoked', { credentials: { api_key: known.revokedToken } })
    const result = await check(`${stored}/`, undefined)
    expect(result).toMatchObject({
      status: 'failed',
      failure_reason: { failure_type: 'config_error', internal_message: 'upstream_auth_failed' },
      entity_check_results: [{ entity: 'shop', status: 'failed', status_code: 401 }],
    })
    expect((await record(stored)).status).toBe('auth_error')
    const path = `${connectorsPath}/${stored}`
    await world.ask(path, { method: 'PATCH', token: world.token, body: { credentials: { api_key: known.token } } })
    expect([(await check(`${stored}/`, undefined)).status, (await record(stored)).status]).toEqual(['succeeded', 'active'])
    expect(world.log.join('')).not.toContain(known.revokedToken)
  })

  test.each([
    ['frozen', 402, 'upstream_account_unavailable'],
    ['gone', 404, 'record_not_found'],
  ])('of a store that is %s fails without a mark', async (shopState, status_code, code) => {
    world.sandbox.shopify.switches.set({ shopState })
    const result = await check(`${id}/`, undefined)
    expect(result).toMatchObject({ status: 'failed', failure_reason: { internal_message: code }, entity_check_results: [{ status_code }] })
    expect((await record()).status).toBe('active')
  })
})

describe('a change of the configuration', () => {
  const change = (connector: string, replication_config: object, method = 'PATCH') =>
    world.ask(`${connectorsPath}/${connector}`, { method, token: world.token, body: { replication_config } })

  test('is normalised as at the creation, and used from then on', async () => {
    const changed = await create('changed', { replication_config: { shop: 'other-store' } })
    expect((await world.execute(changed, { entity: 'shop', action: 'get' })).status).toBe(404)
    const answer = await change(changed, { shop: 'https://admin.shopify.com/store/Sandbox-Store' })
    expect([answer.status, answer.json.replication_config]).toEqual([200, { shop: 'sandbox-store' }])
    expect((await world.execute(changed, { entity: 'shop', action: 'get' })).status).toBe(200)
    expect((await change(changed, { api_version: '2026-10' })).json.replication_config).toEqual({
      shop: 'sandbox-store',
      api_version: '2026-10',
    })
    await world.execute(changed, { entity: 'shop', action: 'get' })
    expect(world.sandbox.shopify.requests().at(-1)?.path).toBe('/admin/api/2026-10/shop.json')
    expect((await change(changed, { api_version: null })).json.replication_config).toEqual({ shop: 'sandbox-store' })
  })

  test('that is not valid changes nothing', async () => {
    for (const [config, field] of [
      [{ shop: 'evil.example/' }, 'shop'],
      [{ shop: null }, 'shop'],
      [{ api_version: '../..' }, 'api_version'],
    ] as const) {
      const { status, json } = await change(id, config)
      expect([status, json.errors[0].field]).toEqual([422, `/replication_config/${field}`])
    }
    expect((await change(id, { api_version: '2026-07' }, 'PUT')).json.errors[0].field).toBe('/replication_config/shop')
    expect((await record()).replication_config).toEqual({ shop: 'sandbox-store' })
  })
})
