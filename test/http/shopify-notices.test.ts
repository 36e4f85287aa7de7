import { afterAll, expect, test, vi } from 'vitest'
import { day, start } from '../sandbox/shopify-client.ts'
import { makeFolder } from '../support/folder.ts'
import { connectorsPath, createTenant, type Json, sandboxStore, startWorld, type World } from './support.ts'

let world: World
const clock = { now: start }
const open = () => startWorld({ folder, sandbox: { clock: () => clock.now } })
const folder = makeFolder('notices')
world = await open()
afterAll(() => world.close())

const old = { replication_config: { shop: 'sandbox-store', api_version: '2025-01' } }
const create = (name: string, more: object = {}, token = world.token) => world.connect(name, { ...sandboxStore(name), ...more }, token)
const use = async (id: string, entity: string, more: object = {}): Promise<void> => {
  expect((await world.execute(id, { entity, action: 'list', params: { limit: 1 }, ...more })).status).toBe(200)
}
const record = async (id: string, token = world.token): Promise<Json> => (await world.ask(`${connectorsPath}/${id}`, { token })).json
/** Waits until the record has notices, which are stored in the background. */
const messages = (id: string, wanted: readonly string[]) =>
  vi.waitFor(async () => expect((await record(id)).notices.map(({ message }: Json) => message)).toEqual(wanted), {
    interval: 5,
    timeout: 240_000,
  })
/** Messages that were logged for a connector. */
const logged = (id: string): string[] =>
  world.log
    .map((line): Json => JSON.parse(line))
    .filter(({ level, connectorId }) => level === 'warn' && connectorId === id)
    .map(({ message }) => message)

const fell = (answered: string) => `Version 2025-01 of the vendor's API was asked for, and ${answered} answered.`
const page = 'https://shopify.dev/docs/apps/build/graphql/migrate/new-product-model'
const deprecated = (entity: string) => `The vendor calls what ${entity} uses deprecated: ${page}`

test('a version that fell forward is told once, on the record and in the log, also after a restart', async () => {
  const id = await create('old', old)
  for (const _again of [1, 2, 3]) await use(id, 'orders')
  await messages(id, [fell('2026-01')])
  expect((await record(id)).notices).toEqual([{ type: 'api_version', message: fell('2026-01'), since: expect.stringMatching(/Z$/) }])
  expect(logged(id)).toEqual([fell('2026-01')])
  await world.close()
  world = await open()
  await use(id, 'orders')
  await messages(id, [fell('2026-01')])
  expect(logged(id)).toEqual([])
  clock.now = Date.UTC(2027, 0, 1, 18)
  for (const _again of [1, 2]) await use(id, 'orders')
  clock.now = start
  await messages(id, [fell('2026-04')])
  expect(logged(id)).toEqual([fell('2026-04')])
})

test('what is deprecated is told once for each entity', async () => {
  const id = await create('deprecated')
  for (const _again of [1, 2]) {
    await use(id, 'products')
    await use(id, 'product_variants', { action: 'get', params: { variant_id: world.sandbox.shopify.world.variantId } })
  }
  await use(id, 'customers')
  await messages(id, [deprecated('products'), deprecated('product_variants')])
  expect(logged(id)).toEqual([deprecated('products'), deprecated('product_variants')])
  const { json } = await world.ask(connectorsPath, { token: world.token })
  expect(json.data.find((each: Json) => each.id === id).notices).toHaveLength(2)
})

test('calls at the same time tell it once', async () => {
  const id = await create('busy')
  await Promise.all(Array.from({ length: 20 }, () => use(id, 'products')))
  await messages(id, [deprecated('products')])
  expect(logged(id)).toEqual([deprecated('products')])
})

test('a check tells it too, one of values that are not stored tells nobody', async () => {
  const before = world.log.length
  const trial = { method: 'POST', token: world.token, body: { ...sandboxStore('trial'), ...old } }
  expect((await world.ask(`${connectorsPath}/check`, trial)).json.status).toBe('succeeded')
  expect(world.log.slice(before).filter((line) => line.includes('2025-01'))).toEqual([])
  const id = await create('checked', old)
  await world.ask(`${connectorsPath}/${id}/check`, { method: 'POST', token: world.token })
  await messages(id, [fell('2026-01')])
})

test('notices are those of one connector', async () => {
  const [id, other] = [await create('told'), await create('not told')]
  const tenant = await createTenant(world, 'Elsewhere')
  const foreign = await create('foreign', {}, tenant.token)
  await use(id, 'products')
  await messages(id, [deprecated('products')])
  for (const notices of [(await record(other)).notices, (await record(foreign, tenant.token)).notices]) expect(notices).toEqual([])
  const { text } = await world.ask(connectorsPath, { token: tenant.token })
  expect(text).not.toContain('deprecated')
})

test('another configuration begins without notices, and what is still so is told again', async () => {
  const id = await create('mended', old)
  await use(id, 'products')
  await messages(id, [fell('2026-01'), deprecated('products')])
  const path = `${connectorsPath}/${id}`
  const patch = async (body: object): Promise<Json> => (await world.ask(path, { method: 'PATCH', token: world.token, body })).json
  expect((await patch({ replication_config: { api_version: '2026-10' } })).notices).toEqual([])
  await use(id, 'orders')
  expect((await record(id)).notices).toEqual([])
  await use(id, 'products')
  await messages(id, [deprecated('products')])
  const same = await patch({ replication_config: { api_version: '2026-10', shop: 'Sandbox-Store' } })
  expect(same.notices.map(({ message }: Json) => message)).toEqual([deprecated('products')])
  expect(logged(id)).toEqual([fell('2026-01'), deprecated('products'), deprecated('products')])
  world.clock.now += 1
  await patch(old)
  await use(id, 'orders')
  await messages(id, [fell('2026-01')])
})

test('a store that the clock leaves behind answers under the version that is supported then', async () => {
  const id = await create('default')
  clock.now = start + 300 * day
  await use(id, 'orders')
  clock.now = start
  await messages(id, [expect.stringMatching(/^Version 2026-07 .* 2026-10 answered\.$/)])
})
