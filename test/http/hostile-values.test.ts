/**
 * Hostile values in calls over HTTP: every way in refuses them at their field, nothing is stored and nothing is sent. What is hostile is
 * asked of the engine, in test/engine/slots, positions and snowflake-slots.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { watchRequests } from '../engine/shopify-support.ts'
import { configuration } from '../library/snowflake-support.ts'
import { start } from '../sandbox/shopify-client.ts'
import { share } from '../support/share.ts'
import { sandboxWarehouse } from './snowflake-support.ts'
import { connectorsPath, type Json, sandboxStore, startWorld } from './support.ts'

const world = await share(startWorld({ sandbox: { clock: () => start } }))
const store = await world.connect('store', sandboxStore('store'))
const warehouse = await world.connect('warehouse', sandboxWarehouse('warehouse'))
beforeEach(() => {
  world.sandbox.shopify.clear()
  world.sandbox.snowflake.reset()
})

/** Asks every way in that takes a configuration; each must refuse it at its field. A new connector is one to the vendor itself. */
async function expectRefused(id: string, { body, field }: { body: { replication_config: object }; field: string }): Promise<void> {
  const stored = `${connectorsPath}/${id}`
  const { token } = world
  const change = { replication_config: body.replication_config }
  const answers = await Promise.all([
    world.ask(connectorsPath, { token, body }),
    world.ask(`${connectorsPath}/check`, { token, body }),
    world.ask(stored, { method: 'PATCH', token, body: change }),
    world.ask(stored, { method: 'PUT', token, body: change }),
    world.ask(`${stored}/check`, { token, body: change }),
  ])
  for (const { status, json } of answers)
    expect([status, json.code, json.errors.map((each: Json) => each.field)]).toEqual([
      422,
      'validation_failed',
      [`/replication_config/${field}`],
    ])
}

test.each<unknown>([
  'evil.example',
  'user@evil.example/',
  '169.254.169.254/latest/meta-data#',
  'own\r\nhost: evil.example',
  '',
  7,
  null,
  { toString: 'own' },
])('as the store and as the account of a connector: %j', async (value) => {
  using watched = watchRequests()
  const shop = { ...sandboxStore('hostile'), environment: {}, replication_config: { shop: value } }
  if (value !== null) await expectRefused(store, { body: shop, field: 'shop' })
  // A label before the first dot is the account, and those after it are its region.
  const account = { ...configuration, account: value === 'evil.example' ? `${value}/` : value }
  const body = { ...sandboxWarehouse('hostile'), environment: {}, replication_config: account }
  await expectRefused(warehouse, { body, field: 'account' })
  expect(watched.origins).toEqual([])
  const { data } = (await world.ask(connectorsPath, { token: world.token })).json
  expect(data.map(({ name }: Json) => name)).toEqual(['store', 'warehouse'])
  const readConfiguration = async (id: string) =>
    (await world.ask(`${connectorsPath}/${id}`, { token: world.token })).json.replication_config
  expect([await readConfiguration(store), await readConfiguration(warehouse)]).toEqual([{ shop: 'sandbox-store' }, configuration])
})

describe('as the next page of a list', () => {
  const list = (params: object) => world.execute(store, { entity: 'orders', action: 'list', params })
  const own = 'https://sandbox-store.myshopify.com/admin/api/2026-07/orders.json'

  test.each<unknown>([
    `https://evil.example/admin/api/2026-07/orders.json?page_info=x`,
    own.replace('orders', 'customers'),
    `${own}?page_info=x&limit=251`,
    '',
    ['x'],
    { href: `${own}?page_info=x` },
  ])('%j', async (next_page_url) => {
    using watched = watchRequests()
    const { status, json } = await list({ next_page_url })
    expect([status, json.code, json.errors[0]?.field.startsWith('/params/next_page_url')]).toEqual([422, 'invalid_parameter', true])
    expect([watched.origins, world.sandbox.shopify.requests()]).toEqual([[], []])
  })

  test('one that the vendor itself names is shown and never asked', async () => {
    using watched = watchRequests()
    world.sandbox.shopify.switches.set({ linkOrigin: 'https://evil.example' })
    const { data, meta } = (await list({ limit: 1 })).json
    const next = await list({ limit: 1, ...meta.next_params })
    expect([next.status, next.json.data[0].id === data[0].id]).toEqual([200, false])
    expect((await list({ next_page_url: meta.next_page_url })).status).toBe(422)
    expect(new Set(watched.origins)).toEqual(new Set([world.sandbox.origins.shopify.api]))
    world.sandbox.shopify.reset()
  })
})

const handle = '01c88ab0-0000-0001-0000-001000000001'
test.each<[string, unknown]>([
  ...['../statements', `${handle}?partition=1`, `${handle}\r\nhost: evil.example`, '', 7, [handle]].map((value): [string, unknown] => [
    'statementHandle',
    value,
  ]),
  ...[-1, 1.5, '1.0', ' 1', 2 ** 53].map((value): [string, unknown] => ['partition', value]),
  ...['x', `${handle}&retry=true`, '../..'].map((value): [string, unknown] => ['requestId', value]),
])('as a part of a result: %s %j', async (name, value) => {
  const params = { statementHandle: handle, partition: 0, [name]: value }
  const { status, json } = await world.execute(warehouse, { entity: 'result_partitions', action: 'get', params })
  expect([status, json.code, json.errors[0].field]).toEqual([422, 'invalid_parameter', `/params/${name}`])
  expect(world.sandbox.snowflake.requests()).toEqual([])
})

test.each(['https://evil.example/', 'http://169.254.169.254/', '/api/v2/statements'])(
  'a redirect to %s is not followed',
  async (location) => {
    using watched = watchRequests()
    world.sandbox.faults.add({ kind: 'redirect', location, on: 'snowflake' })
    const { status, json } = await world.execute(warehouse, { entity: 'databases', action: 'list' })
    expect([status, json.code, json.upstream.status]).toEqual([502, 'upstream_answer_invalid', 302])
    expect(watched.origins).toEqual([world.sandbox.origins.snowflake.api])
  },
)
