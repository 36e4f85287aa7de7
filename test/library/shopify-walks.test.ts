import { describe, expect, test } from 'vitest'
import type { Kinds, ParamsOf } from '../../packages/ferrule/src/index.ts'
import { watchRequests } from '../engine/shopify-support.ts'
import { failure } from '../engine/support.ts'
import { countOrders, day, manyOrders, openStore, start } from '../sandbox/shopify-client.ts'
import { choose } from '../support/draws.ts'
import { connectStore } from './shopify-support.ts'
import { simulateTime } from './simulated-time.ts'

const { sandbox, shopify: store, facts, clock } = await openStore()
const shopify = connectStore(sandbox)

type OrderParams = ParamsOf<Kinds['shopify']['entities']['orders'], 'list'>
const moment = (milliseconds: number): string => new Date(milliseconds).toISOString()
/** About a hundred orders. */
const month = { created_at_min: moment(start - 40 * day), created_at_max: moment(start - 10 * day) }
const idsOf = (records: readonly { readonly id: number | bigint }[]) => records.map(({ id }) => id)

describe('a walk', () => {
  test('by since_id meets each of thousands of orders once, in the order of ids', async () => {
    // In soak runs 120 MB of orders are made, sent and read in this process.
    const asked = choose({ ...manyOrders, created_at_min: moment(start - 400 * day) }, manyOrders)
    const ids: (number | bigint)[] = []
    for (let since_id: number | bigint | undefined = 0; since_id !== undefined; ) {
      const { data } = await shopify.orders.list({ ...asked, since_id, limit: 250 })
      ids.push(...idsOf(data))
      since_id = data.length === 250 ? data.at(-1)?.id : undefined
    }
    expect(ids.length).toBeGreaterThan(choose(1_000, 10_000))
    expect(ids).toHaveLength(await countOrders(sandbox.origins.shopify.api, asked))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)))
  })

  test('over records() and pages() gives the same orders, newest first, with pages of the size that was asked for', async () => {
    const params: OrderParams = { ...month, limit: 30 }
    const pages = await Array.fromAsync(shopify.orders.pages(params))
    expect(pages.slice(0, -1).map(({ data }) => data.length)).toEqual(Array(pages.length - 1).fill(30))
    expect(pages.at(-1)?.meta).toEqual({ next_page_url: null, next_params: null })
    const ids = idsOf(await Array.fromAsync(shopify.orders.records(params)))
    expect(ids).toEqual(pages.flatMap(({ data }) => idsOf(data)))
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => Number(b) - Number(a)))
    expect(ids.length).toBeGreaterThan(60)
  })

  test('by next_page_url is the same walk', async () => {
    const wanted = idsOf(await Array.fromAsync(shopify.orders.records({ ...month, limit: 40 })))
    const ids: (number | bigint)[] = []
    let params: OrderParams | undefined = { ...month, limit: 40 }
    while (params !== undefined) {
      const { data, meta }: Awaited<ReturnType<typeof shopify.orders.list>> = await shopify.orders.list(params)
      ids.push(...idsOf(data))
      params = meta.next_page_url === null ? undefined : { next_page_url: meta.next_page_url }
    }
    expect(ids).toEqual(wanted)
  })

  test('goes on whatever form the links have, and only ever asks the store', async () => {
    const wanted = idsOf(await Array.fromAsync(shopify.orders.records({ ...month, limit: 40 })))
    using watched = watchRequests()
    for (const switches of [{ linkForm: 'bare' }, { linkOrigin: 'https://evil.example' }]) {
      store.switches.set(switches)
      expect(idsOf(await Array.fromAsync(shopify.orders.records({ ...month, limit: 40 })))).toEqual(wanted)
    }
    const { meta } = await shopify.orders.list({ ...month, limit: 40 })
    expect(meta.next_page_url).toMatch(/^https:\/\/evil\.example\//)
    const followed = shopify.orders.list({ next_page_url: meta.next_page_url })
    expect(await failure(followed)).toMatchObject({ code: 'invalid_parameter', errors: [{ field: '/params/next_page_url' }] })
    expect(new Set(watched.origins)).toEqual(new Set([sandbox.origins.shopify.api]))
  })

  test('over everything that one owner has: metafields, codes, addresses, stock', async () => {
    const walks = [
      [shopify.metafield_products.records({ product_id: facts.largeProductId, limit: 9 }), 70],
      [shopify.discount_codes.records({ price_rule_id: facts.largePriceRuleId }), 230],
      [shopify.customer_address.records({ customer_id: facts.customerWithManyAddressesId, limit: 5 }), 14],
    ] as const
    for (const [records, count] of walks) expect(new Set(idsOf(await Array.fromAsync<{ id: number | bigint }>(records))).size).toBe(count)
    const levels = await Array.fromAsync(shopify.inventory_levels.records({ location_id: facts.locationIds[0] ?? 0, limit: 250 }))
    expect(levels.length).toBeGreaterThan(1000)
    expect(new Set(levels.map(({ inventory_item_id }) => inventory_item_id)).size).toBe(levels.length)
  })

  test('ends with an error at a position that is too old, and at one that comes back', async () => {
    const { meta } = await shopify.orders.list({ limit: 1 })
    clock.now += 3_601_000
    expect(await failure(shopify.orders.list({ limit: 1, ...meta.next_params }))).toMatchObject({
      code: 'invalid_cursor',
      hint: 'Positions of Shopify end after a while: start again without one.',
      upstream: { status: 400, request_id: expect.any(String) },
    })
    sandbox.faults.add({ kind: 'same-cursor', on: 'shopify', times: 10 })
    expect(await failure(Array.fromAsync(shopify.customers.records()))).toMatchObject({ code: 'upstream_answer_invalid' })
  })

  test('refuses a filter beside a position, and a page size that the vendor refuses, before anything is sent', async () => {
    const { meta } = await shopify.orders.list({ status: 'open', limit: 1 })
    store.clear()
    expect(await failure(shopify.orders.list({ status: 'open', page_info: meta.next_params?.page_info ?? '' }))).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: '/params/status' }],
    })
    expect(await failure(shopify.orders.list({ limit: 251 }))).toMatchObject({ errors: [{ field: '/params/limit' }] })
    expect(store.requests()).toEqual([])
  })
})

describe('twenty walkers on one store', () => {
  test.each([
    ['standard', 40, 2],
    ['advanced', 80, 4],
    ['plus', 400, 20],
  ])('meet no refusal and use nine tenths of the rate at least: plan %s', async (plan, size, perSecond) => {
    store.switches.set({ limits: true, plan })
    const walkers = { running: 20 }
    using time = simulateTime(walkers, clock)
    const polite = connectStore(sandbox, { limits: true }) // its clock is the one that stands now
    const walk = async () => {
      const records = await Array.fromAsync(polite.metafield_products.records({ product_id: facts.largeProductId, limit: 2 }))
      time.finished()
      return new Set(idsOf(records)).size
    }
    expect(await Promise.all(Array.from({ length: 20 }, walk))).toEqual(Array(20).fill(70))
    const calls = store.requests().length
    expect(calls).toBe(20 * 35) // none was refused and sent again
    const sentAtOnce = 0.9 * size
    expect((calls - sentAtOnce) / time.seconds()).toBeGreaterThanOrEqual(0.9 * perSecond)
  })
})
