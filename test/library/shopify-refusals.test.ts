import { describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { connect, type VendorNotice } from '../../packages/ferrule/src/index.ts'
import { shopifyCredentials as known } from '../../packages/sandbox/src/index.ts'
import { watchRequests } from '../engine/shopify-support.ts'
import { failure } from '../engine/support.ts'
import { openStore } from '../sandbox/shopify-client.ts'
import { connectStore } from './shopify-support.ts'

const { sandbox, shopify: store, facts, clock } = await openStore()
const shopify = connectStore(sandbox)

describe('a store that is not to be had', () => {
  test.each([
    ['frozen', 402, 'upstream_account_unavailable', 'Unavailable Shop'],
    ['forbidden', 403, 'upstream_account_unavailable', 'Unavailable Shop'],
    ['locked', 423, 'upstream_account_unavailable', 'This shop is currently locked. Contact support.'],
    ['rejected', 430, 'upstream_account_unavailable', 'Shopify Security Rejection'],
    ['gone', 404, 'record_not_found', 'Not Found'],
  ])('%s: %i is %s, after one request', async (shopState, ...[status, code, message]) => {
    store.switches.set({ shopState })
    const upstream = { status, message, request_id: expect.any(String) }
    expect(await failure(shopify.shop.get())).toMatchObject({ code, retryable: false, upstream })
    expect(store.requests()).toHaveLength(1)
  })

  test('moves away: the token is not sent after it', async () => {
    using watched = watchRequests()
    for (const redirectTo of ['https://renamed.myshopify.com/', 'http://169.254.169.254/', 'https://evil.example/']) {
      store.switches.set({ redirectTo })
      expect(await failure(shopify.shop.get())).toMatchObject({ code: 'upstream_answer_invalid', upstream: { status: 301 } })
    }
    expect(new Set(watched.origins)).toEqual(new Set([sandbox.origins.shopify.api]))
  })

  test('has another name', async () => {
    const origin = sandbox.origins.shopify
    await using other = connect('shopify', { credentials: { api_key: known.token }, config: { shop: 'other-store' }, origin })
    expect(await failure(other.check())).toMatchObject({ code: 'record_not_found' })
  })
})

describe('a token', () => {
  test('that is wrong, and one that ended, say so', async () => {
    for (const token of [known.revokedToken, 'shpss_00000000000000000000000000000000']) {
      const error = await failure(connectStore(sandbox, { token }).check())
      expect(error).toMatchObject({ code: 'upstream_auth_failed', retryable: false, upstream: { status: 401 } })
      expect(String(error)).not.toContain(token)
    }
  })

  test('without a scope names the scope, and reads the rest', async () => {
    const limited = connectStore(sandbox, { token: known.limitedToken })
    expect(await failure(limited.orders.list())).toMatchObject({
      code: 'upstream_permission_denied',
      upstream: { status: 403, message: '[API] This action requires merchant approval for read_orders scope.' },
    })
    await limited.check()
    expect((await limited.locations.list()).data).toHaveLength(facts.counts.locations)
    store.switches.set({ scopes: 'read_orders' })
    expect((await limited.orders.list()).data.length).toBeGreaterThan(0)
  })

  test('of an app that may not read personal data says what is missing', async () => {
    store.switches.set({ customerData: false })
    for (const refused of [
      shopify.customers.list(),
      shopify.orders.list(),
      shopify.draft_orders.list(),
      shopify.abandoned_checkouts.list(),
    ])
      expect(await failure(refused)).toMatchObject({
        code: 'upstream_permission_denied',
        hint: 'The app needs the approval of Shopify for protected customer data.',
      })
    await shopify.check()
  })

  test('without read_all_orders does not see old orders', async () => {
    const recent = connectStore(sandbox, { token: known.recentOrdersToken })
    expect(await failure(recent.orders.get({ order_id: facts.oldOrderId }))).toMatchObject({ code: 'record_not_found' })
    expect((await recent.orders.get({ order_id: facts.newestOrderId })).data.id).toBe(facts.newestOrderId)
  })

  test('with some scopes of fulfillment orders sees those', async () => {
    store.switches.set({ scopes: 'read_orders,read_all_orders,read_third_party_fulfillment_orders' })
    expect((await shopify.fulfillment_orders.list({ order_id: facts.splitOrderId })).data).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test.each(['string', 'object', 'fields', 'array', 'oauth', 'html', 'empty'])('in the form %s keeps its meaning', async (errorForm) => {
    store.switches.set({ errorForm })
    const error = await failure(shopify.orders.get({ order_id: facts.unknownId }))
    expect(error).toMatchObject({ code: 'record_not_found', upstream: { status: 404, request_id: expect.any(String) } })
    if (!['oauth', 'html', 'empty'].includes(errorForm))
      expect(error).toMatchObject({ upstream: { message: expect.stringContaining('Not Found') } })
    expect(String(error)).not.toContain('<')
  })

  test('of something that was destroyed', async () => {
    const { destroyedOrderId: order_id, destroyedProductId: product_id } = facts
    for (const call of [shopify.orders.get({ order_id }), shopify.products.get({ product_id })])
      expect(await failure(call)).toMatchObject({ code: 'record_not_found' })
  })
})

describe('a draft order whose totals are computed', () => {
  test('is waited for', async () => {
    using pause = vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
    store.switches.set({ draftPolls: 2 })
    const { data } = await shopify.draft_orders.get({ draft_order_id: facts.openDraftId })
    expect(data).toMatchObject({ id: facts.openDraftId, total_price: expect.any(String) })
    expect(store.requests()).toHaveLength(3)
    expect(pause.mock.calls).toEqual([[1000], [1000]])
  })

  test('is an error with a time when it is not ready before the deadline', async () => {
    using _left = vi.spyOn(Deadline.prototype, 'remaining', 'get').mockReturnValue(900)
    store.switches.set({ draftPolls: 100 })
    const call = shopify.draft_orders.get({ draft_order_id: facts.completedDraftId })
    expect(await failure(call)).toMatchObject({ code: 'upstream_timeout', retryable: true, retryAfterMs: 1000 })
    expect(store.requests()).toHaveLength(1)
  })
})

describe('notices', () => {
  const deprecated = (entity: string) => ({
    type: 'deprecated',
    entity,
    reason: 'https://shopify.dev/docs/apps/build/graphql/migrate/new-product-model',
  })

  test('of what is deprecated come once for each entity, and again for another connector', async () => {
    const met: VendorNotice[] = []
    const onNotice = (notice: VendorNotice) => void met.push(notice)
    const [first, second] = [connectStore(sandbox, { onNotice }), connectStore(sandbox, { onNotice })]
    for (const _again of [1, 2]) {
      await first.products.list({ limit: 1 })
      await first.product_variants.get({ variant_id: facts.variantId })
      await first.orders.list({ limit: 1 })
    }
    expect(met).toEqual([deprecated('products'), deprecated('product_variants')])
    await second.products.list({ limit: 1 })
    expect(met.slice(2)).toEqual([deprecated('products')])
  })

  test('of a version that fell forward come once for each version that answers', async () => {
    const met: VendorNotice[] = []
    const old = connectStore(sandbox, { api_version: '2025-01', onNotice: (notice) => void met.push(notice) })
    for (const _again of [1, 2]) await old.check()
    expect(met).toEqual([{ type: 'api_version', asked: '2025-01', answered: '2026-01' }])
    clock.now = Date.UTC(2027, 0, 1, 18)
    for (const _again of [1, 2]) await old.check()
    expect(met.slice(1)).toEqual([{ type: 'api_version', asked: '2025-01', answered: '2026-04' }])
  })

  test('do not come where the vendor tells nothing; nobody has to take them', async () => {
    const met: VendorNotice[] = []
    store.switches.set({ deprecations: false })
    const quiet = connectStore(sandbox, { onNotice: (notice) => void met.push(notice) })
    await quiet.products.list({ limit: 1 })
    expect(met).toEqual([])
    store.switches.set({ deprecations: true })
    expect((await shopify.products.list({ limit: 1 })).data).toHaveLength(1)
  })

  test('that cannot be taken fail their call and no other', async () => {
    const onNotice = () => {
      throw new RangeError('the log is full')
    }
    const noisy = connectStore(sandbox, { onNotice })
    await expect(noisy.products.list({ limit: 1 })).rejects.toEqual(new RangeError('the log is full'))
    expect((await noisy.products.list({ limit: 1 })).data).toHaveLength(1)
  })
})
