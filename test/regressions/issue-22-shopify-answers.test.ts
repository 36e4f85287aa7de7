/** Answers of Shopify that public reports describe: limits as 422, addresses that lead elsewhere, and bodies that break. */
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { failure, type Reply, serve } from '../engine/support.ts'
import { sandboxStore, startWorld } from '../http/support.ts'
import { token as tiktokToken } from '../library/tiktok-support.ts'
import { share } from '../support/share.ts'

const store = (origin: string) =>
  connect('shopify', { credentials: { api_key: 'shpat_0001' }, config: { shop: 'my-store' }, origin, limits: false })
beforeAll(() => void vi.spyOn(Deadline.prototype, 'pause').mockImplementation(async () => undefined))
afterAll(() => vi.restoreAllMocks())

describe('a refusal with 422', () => {
  test.each(['Too many requests', ['Too many requests.'], { base: ['too many requests'] }])(
    'that says too many requests is a rate limit: %j',
    async (errors) => {
      await using server = await serve((_seen, count) => (count < 3 ? { status: 422, body: { errors } } : { body: { shop: { id: 1 } } }))
      await using shopify = store(server.origin)
      expect((await shopify.shop.get()).data).toMatchObject({ id: 1 })
      expect(server.seen).toHaveLength(3)
    },
  )

  test('that says it without end ends as a rate limit, and one of other words is the refusal of a request', async () => {
    let errors: unknown = 'Too many requests'
    await using server = await serve(() => ({ status: 422, body: { errors } }))
    await using shopify = store(server.origin)
    expect(await failure(shopify.shop.get())).toMatchObject({ code: 'upstream_rate_limited', retryable: true })
    errors = { base: ['is too late'] }
    expect(await failure(shopify.shop.get())).toMatchObject({ code: 'upstream_invalid_request', retryable: false })
  })
})

describe('an answer from another address', () => {
  const page = '<!doctype html><html><head><title>Opening Soon</title></head><body>Enter store using password</body></html>'
  const html = { 'content-type': 'text/html; charset=utf-8' }
  const cases: readonly (readonly [what: string, reply: Reply, says: string])[] = [
    ['301', { status: 301, headers: { location: 'https://renamed.myshopify.com/admin/api/x.json?token=t' } }, 'renamed.myshopify.com'],
    ['302', { status: 302, headers: { location: '/password' } }, '/password'],
    ['302 of the same host', { status: 302, headers: { location: 'https://my-store.myshopify.com/password' } }, '/password'],
    ['303', { status: 303, headers: { location: 'https://accounts.shopify.com/login?a=b' } }, 'accounts.shopify.com'],
    ['200 with a page', { status: 200, headers: html, body: page }, 'a web page'],
    ['200 with a packed page', { headers: { ...html, 'content-encoding': 'gzip' }, body: gzipSync(page) }, 'a web page'],
  ]
  test.each(cases)('names it, says what to change, and is asked for once: %s', async (_what, reply, says) => {
    await using server = await serve(() => reply)
    await using shopify = store(server.origin)
    const error = await failure(shopify.orders.list())
    expect(error).toMatchObject({ code: 'upstream_answer_invalid', retryable: false })
    expect(error.message).toContain(says)
    expect(error.message).not.toMatch(/token|a=b/)
    expect(error.hint).toMatch(/^Change the value of shop if .*admin\.shopify\.com\/store\/my-store\.$/)
    expect(server.seen).toHaveLength(1)
  })
})

describe('a broken body in a whole frame', async () => {
  const world = await share(startWorld())
  const id = await world.connect('store', sandboxStore('store'))
  afterEach(() => {
    world.sandbox.faults.clear()
    world.sandbox.shopify.clear()
    world.sandbox.tiktok.clear()
  })

  const kinds = ['truncated-json', 'truncated-gzip', 'malformed-json', 'empty-body'] as const
  test.each(kinds)('of a read is asked for once more, by the service and the library: %s', async (kind) => {
    world.sandbox.faults.add({ kind, on: 'shopify', path: '/admin/api' })
    const answer = await world.execute(id, { entity: 'shop', action: 'get' })
    expect([answer.status, world.sandbox.shopify.requests().length]).toEqual([200, 2])
    const { origins, tiktok: vendor, faults } = world.sandbox
    const config = { advertiser_id: vendor.world.advertiserId }
    await using tiktok = connect('tiktok-marketing', {
      credentials: tiktokToken,
      config,
      origin: origins['tiktok-marketing'],
      limits: false,
    })
    faults.add({ kind, on: 'tiktok' })
    expect((await tiktok.campaigns.list()).data.length).toBeGreaterThan(0)
    expect(world.sandbox.tiktok.requests()).toHaveLength(2)
  })

  test.each(kinds)('that comes twice is an error of the vendor: %s', async (kind) => {
    world.sandbox.faults.add({ kind, on: 'shopify', path: '/admin/api', times: 9 })
    const answer = await world.execute(id, { entity: 'shop', action: 'get' })
    expect([answer.status, answer.json.code, world.sandbox.shopify.requests().length]).toEqual([502, 'upstream_answer_invalid', 2])
  })
})
