import { describe, expect, test } from 'vitest'
import type { VendorNotice } from '../../packages/ferrule/src/engine/connection.ts'
import { host, shopifyAt } from './shopify-support.ts'
import { failure, type Reply, serve, testEngine } from './support.ts'

const draft = { entity: 'draft_orders', action: 'get', params: { draft_order_id: 7 } }
const drafts = { entity: 'draft_orders', action: 'list', params: {} }
const computing = (retryAfter?: string): Reply => ({
  status: 202,
  headers: {
    location: `${host}/admin/api/2026-07/draft_orders/7.json`,
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  },
  body: { draft_order: { id: 7, status: 'open', total_price: null } },
})
const ready = { body: { draft_order: { id: 7, total_price: '9.90' }, draft_orders: [{ id: 7, total_price: '9.90' }] } }

describe('an answer that is not ready', () => {
  test.each([
    ['a record', draft, '/admin/api/2026-07/draft_orders/7.json'],
    ['a list', drafts, '/admin/api/2026-07/draft_orders.json'],
  ])('of %s is waited for, and never taken for one that is', async (_what, call, url) => {
    await using server = await serve((_seen, count) => (count < 3 ? computing('0.01') : ready))
    await using engine = testEngine()
    const outcome = await engine.run(shopifyAt(server.origin), call)
    expect([outcome.type === 'file' ? undefined : outcome.data].flat()).toMatchObject([{ id: 7, total_price: '9.90' }])
    expect(server.seen.map((seen) => seen.url)).toEqual([url, url, url])
  })

  test.each([
    ['a short wait', '0.01'],
    ['no wait, which is none to hurry by', '0'],
    ['no header', undefined],
  ])('for ever ends with the call: %s', async (_what, header) => {
    await using server = await serve(() => computing(header))
    await using engine = testEngine()
    const error = await failure(engine.run(shopifyAt(server.origin), { ...draft, deadlineMs: 350 }))
    expect(error).toMatchObject({ code: 'upstream_timeout', retryable: true })
    expect(server.seen.length).toBeLessThan(6)
  })

  test('for longer than the call may take ends at once, with the time to come back', async () => {
    await using server = await serve(() => computing('120.0'))
    await using engine = testEngine()
    const error = await failure(engine.run(shopifyAt(server.origin), draft))
    expect(error).toMatchObject({ code: 'upstream_timeout', retryAfterMs: 120_000, hint: expect.stringContaining('not ready') })
    expect(server.seen).toHaveLength(1)
  })

  test('ends when the caller goes away', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    await using server = await serve(() => (response) => {
      response.writeHead(202, { 'retry-after': '20' }).end('{}', () => setImmediate(() => controller.abort(reason)))
    })
    await using engine = testEngine()
    await expect(engine.run(shopifyAt(server.origin), { ...draft, signal: controller.signal })).rejects.toBe(reason)
  })

  test('is one only where the vendor has such answers', async () => {
    await using server = await serve(() => ({ status: 202, body: { order: { id: 7 } } }))
    await using engine = testEngine()
    const outcome = await engine.run(shopifyAt(server.origin), { entity: 'orders', action: 'get', params: { order_id: 7 } })
    expect(outcome).toMatchObject({ type: 'record', data: { id: 7 } })
  })

  test('that fails on the way is tried again as any other', async () => {
    await using server = await serve((_seen, count) => (count === 1 ? computing('0.01') : count === 2 ? { status: 503 } : ready))
    await using engine = testEngine()
    expect(await engine.run(shopifyAt(server.origin), draft)).toMatchObject({ data: { total_price: '9.90' } })
    expect(server.seen).toHaveLength(3)
  })
})

describe('what the vendor says beside an answer', () => {
  /** Notices of one call whose answer has these headers. */
  async function notices(headers: Readonly<Record<string, string>>, configuration?: Readonly<Record<string, unknown>>) {
    const met: VendorNotice[] = []
    const more = { notice: (notice: VendorNotice) => met.push(notice), ...(configuration === undefined ? {} : { configuration }) }
    await using server = await serve(() => ({ headers, body: { products: [] } }))
    await using engine = testEngine()
    await engine.run(shopifyAt(server.origin, more), { entity: 'products', action: 'list' })
    return met
  }

  test('another version than was asked for', async () => {
    expect(await notices({ 'X-Shopify-API-Version': '2026-10' })).toEqual([{ type: 'api_version', asked: '2026-07', answered: '2026-10' }])
    expect(await notices({ 'x-shopify-api-version': '2025-10' }, { shop: 'a', api_version: '2025-01' })).toEqual([
      { type: 'api_version', asked: '2025-01', answered: '2025-10' },
    ])
  })

  test('nothing, when it is the version that was asked for', async () => {
    expect(await notices({ 'x-shopify-api-version': '2026-07' })).toEqual([])
    expect(await notices({})).toEqual([])
  })

  test('something is deprecated: with the entity, the reason cut to a bounded length', async () => {
    const reason = 'https://shopify.dev/docs/apps/build/graphql/migrate/new-product-model'
    expect(await notices({ 'x-shopify-api-deprecated-reason': reason })).toEqual([{ type: 'deprecated', entity: 'products', reason }])
    const [long] = await notices({ 'x-shopify-api-deprecated-reason': 'x'.repeat(4000) })
    expect(long).toEqual({ type: 'deprecated', entity: 'products', reason: 'x'.repeat(500) })
  })

  test('is told with an error too', async () => {
    const met: VendorNotice[] = []
    await using server = await serve(() => ({
      status: 404,
      headers: { 'x-shopify-api-version': '2026-10' },
      body: { errors: 'Not Found' },
    }))
    await using engine = testEngine()
    await failure(engine.run(shopifyAt(server.origin, { notice: (notice) => met.push(notice) }), { entity: 'products', action: 'list' }))
    expect(met).toHaveLength(1)
  })
})
