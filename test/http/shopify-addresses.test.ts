import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchRequests } from '../engine/shopify-support.ts'
import { start } from '../sandbox/shopify-client.ts'
import { choose } from '../support/draws.ts'
import { connectorsPath, type Json, sandboxStore, startWorld, type World } from './support.ts'

let world: World
let id: string
beforeAll(async () => {
  world = await startWorld({ sandbox: { clock: () => start } })
  id = await world.connect('store', sandboxStore('store'))
})
beforeEach(() => world.sandbox.shopify.clear())
afterAll(() => world.close())

const names = async (): Promise<string[]> =>
  (await world.ask(connectorsPath, { token: world.token })).json.data.map(({ name }: Json) => name)
/** A connector to the vendor itself: nothing stands in for it. */
const body = (shop: unknown) => ({ ...sandboxStore('hostile'), environment: {}, replication_config: { shop } })

/** Asks every way in that takes the name of a store; each must refuse it at its place. */
async function expectRefused(shop: unknown): Promise<void> {
  const stored = `${connectorsPath}/${id}`
  const change = { replication_config: { shop } }
  const answers = await Promise.all([
    world.ask(connectorsPath, { token: world.token, body: body(shop) }),
    world.ask(`${connectorsPath}/check`, { token: world.token, body: body(shop) }),
    world.ask(stored, { method: 'PATCH', token: world.token, body: change }),
    world.ask(stored, { method: 'PUT', token: world.token, body: change }),
    world.ask(`${stored}/check`, { token: world.token, body: change }),
  ])
  for (const { status, json } of answers)
    expect([status, json.code, json.errors.map(({ field }: Json) => field)]).toEqual([
      422,
      'validation_failed',
      ['/replication_config/shop'],
    ])
}

const pieces = ['sandbox-store', 'evil.example', '.myshopify.com', 'admin.shopify.com/store/', 'https://', 'http://', '127.0.0.1', '[::1]']
const signs = [
  '/',
  '\\',
  '@',
  ':',
  '#',
  '?',
  '%2f',
  '%00',
  '.',
  '-',
  '_',
  ' ',
  '\r\n',
  '\0',
  'K',
  '。',
  '．',
  '／',
  '＠',
  '&',
  '%',
  '{shop}',
]
const label = '[a-z0-9][a-z0-9_-]{0,62}'
/** What is read as the name of a store, as the facts of the vendor list it. */
const right = [`^${label}$`, `^(https?://)?${label}\\.myshopify\\.com/?$`, `^(https://)?admin\\.shopify\\.com/store/${label}/?$`]
const isRight = (text: string) => right.some((form) => new RegExp(form, 'i').test(text.trim()))

describe('a hostile name of a store', () => {
  test.each([
    'evil.example/',
    'evil.example#',
    'evil.example?',
    'evil.example',
    'user@evil.example/',
    'sandbox-store@evil.example/',
    '127.0.0.1:8080/',
    '127.0.0.1',
    '[::1]',
    '169.254.169.254/latest/meta-data#',
    'sandbox-store\r\nhost: evil.example',
    'sandbox-store\nevil.example/',
    'sandbox-store/../..',
    '..',
    'sandbox-store.myshopify.com.evil.example',
    'sandbox-store.myshopify.com@evil.example',
    'sandbox-store.myshopify.com:8443',
    'https://evil.example/sandbox-store.myshopify.com',
    'https://user@sandbox-store.myshopify.com',
    'https://admin.shopify.com.evil.example/store/sandbox-store',
    'https://admin.shopify.com/store/../sandbox-store',
    'www.brand.example',
    'sandbox-store.shopify.com',
    'ＳＡＮＤＢＯＸ',
    '\u212Aelvin',
    '{shop}',
    '',
    'x'.repeat(64),
    7,
    true,
    ['sandbox-store'],
    { toString: 'sandbox-store' },
  ])('%j is refused at its place in every way, nothing is stored and nothing is sent', async (shop) => {
    using watched = watchRequests()
    await expectRefused(shop)
    expect(watched.origins).toEqual([])
    expect(await names()).toEqual(['store'])
  })

  test('that is generated is refused too', async () => {
    const texts = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(...signs), fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 6 })
      .map((parts) => parts.join(''))
      .filter((text) => !isRight(text) && text.isWellFormed())
    using watched = watchRequests()
    await fc.assert(fc.asyncProperty(texts, expectRefused), { numRuns: choose(60, 300) })
    expect(watched.origins).toEqual([])
    expect(await names()).toEqual(['store'])
    expect((await world.ask(`${connectorsPath}/${id}`, { token: world.token })).json.replication_config).toEqual({ shop: 'sandbox-store' })
  })
})

describe('a hostile page', () => {
  const orders = { entity: 'orders', action: 'list' }
  const follow = (next_page_url: unknown, more: object = {}) => world.execute(id, { ...orders, params: { next_page_url, ...more } })
  const path = '/admin/api/2026-07/orders.json'
  const own = `https://sandbox-store.myshopify.com${path}`

  test.each([
    `https://evil.example${path}?page_info=x`,
    `https://sandbox-store.myshopify.com.evil.example${path}?page_info=x`,
    `https://sandbox-store.myshopify.com@evil.example${path}?page_info=x`,
    `https://user:password@sandbox-store.myshopify.com${path}?page_info=x`,
    `https://other-store.myshopify.com${path}?page_info=x`,
    `http://sandbox-store.myshopify.com${path}?page_info=x`,
    `https://sandbox-store.myshopify.com:8443${path}?page_info=x`,
    'https://sandbox-store.myshopify.com/admin/api/2026-07/customers.json?page_info=x',
    'https://sandbox-store.myshopify.com/admin/api/2025-01/orders.json?page_info=x',
    'https://sandbox-store.myshopify.com/admin/oauth/access_scopes.json?page_info=x',
    `${own}`,
    `${own}?limit=5`,
    `${own}?page_info=`,
    `${own}?page_info=x&limit=251`,
    `${own}?page_info=x#fragment`,
    `${own}/../customers.json?page_info=x`,
    'http://169.254.169.254/latest/meta-data?page_info=x',
    'file:///etc/passwd?page_info=x',
    `//sandbox-store.myshopify.com${path}?page_info=x`,
    `${path}?page_info=x`,
    'x',
    '',
    7,
    ['x'],
    { href: `${own}?page_info=x` },
  ])('%j is refused, and nothing is sent', async (next_page_url) => {
    using watched = watchRequests()
    const { status, json } = await follow(next_page_url)
    expect([status, json.code, json.errors[0]?.field.startsWith('/params/next_page_url')]).toEqual([422, 'invalid_parameter', true])
    expect([watched.origins, world.sandbox.shopify.requests()]).toEqual([[], []])
  })

  test('of one list is no page of another, and takes no filter', async () => {
    const { meta } = (await world.execute(id, { ...orders, params: { limit: 1 } })).json
    world.sandbox.shopify.clear()
    const foreign = await world.execute(id, { entity: 'customers', action: 'list', params: { next_page_url: meta.next_page_url } })
    expect([foreign.status, foreign.json.errors[0].field]).toEqual([422, '/params/next_page_url'])
    const filtered = await follow(meta.next_page_url, { status: 'open' })
    expect([filtered.status, filtered.json.errors[0].field]).toEqual([422, '/params/status'])
    expect(world.sandbox.shopify.requests()).toEqual([])
    expect((await follow(meta.next_page_url)).json.data).toHaveLength(1)
  })

  test('with further parameters: only its position and page size travel', async () => {
    const { meta } = (await world.execute(id, { ...orders, params: { limit: 1 } })).json
    world.sandbox.shopify.clear()
    await follow(`${meta.next_page_url}&status=open&fields=id&_method=DELETE`)
    const query = world.sandbox.shopify.requests().map((request) => [request.method, request.path, Object.keys(request.query).toSorted()])
    expect(query).toEqual([['GET', path, ['limit', 'page_info']]])
  })

  test('that the vendor itself names is shown and never asked', async () => {
    using watched = watchRequests()
    world.sandbox.shopify.switches.set({ linkOrigin: 'https://evil.example' })
    const { data, meta } = (await world.execute(id, { ...orders, params: { limit: 1 } })).json
    const next = await world.execute(id, { ...orders, params: { limit: 1, ...meta.next_params } })
    expect([next.status, next.json.data[0].id === data[0].id]).toEqual([200, false])
    expect((await follow(meta.next_page_url)).status).toBe(422)
    expect(new Set(watched.origins)).toEqual(new Set([world.sandbox.origins.shopify.api]))
    world.sandbox.shopify.reset()
  })
})

describe('a redirect', () => {
  test.each(['https://renamed.myshopify.com/', 'http://169.254.169.254/', 'https://evil.example/'])(
    'to %s is not followed',
    async (redirectTo) => {
      using watched = watchRequests()
      world.sandbox.shopify.switches.set({ redirectTo })
      const { status, json } = await world.execute(id, { entity: 'shop', action: 'get' })
      world.sandbox.shopify.reset()
      expect([status, json.code, json.upstream.status]).toEqual([502, 'upstream_answer_invalid', 301])
      expect(watched.origins).toEqual([world.sandbox.origins.shopify.api])
    },
  )
})
