import { describe, expect, test } from 'vitest'
import { get, rows } from './client.ts'
import { day, idsOf, linkOf, openStore, walkLinks } from './shopify-client.ts'

const { shopify, facts, clock, read } = await openStore()
const ascending = (ids: readonly number[]) => ids.every((id, index) => index === 0 || id > Number(ids[index - 1]))
const field = (answer: { body: unknown }, key: string, name: string) => rows(answer.body, key).map((record) => get(record, name))

describe('pages', () => {
  test('50 records unless a limit is given, at most 250', async () => {
    expect(idsOf(await read('/orders.json'), 'orders')).toHaveLength(50)
    expect(idsOf(await read('/orders.json?limit=250&fields=id'), 'orders')).toHaveLength(250)
    expect(await read('/orders.json?limit=251')).toMatchObject({ status: 400, body: { errors: 'Limit exceeds maximum limit of 250' } })
    for (const limit of ['0', '-1', 'many']) expect((await read(`/orders.json?limit=${limit}`)).status).toBe(400)
  })

  test('links lead on and back, the ends have one, a single page has none', async () => {
    const first = await read('/collects.json?limit=3')
    const second = await read(linkOf(first, 'next') ?? '')
    const again = await read(linkOf(second, 'previous') ?? '')
    expect([linkOf(first, 'previous'), linkOf(again, 'previous')]).toEqual([undefined, undefined])
    expect(idsOf(again, 'collects')).toEqual(idsOf(first, 'collects'))
    expect(ascending([...idsOf(first, 'collects'), ...idsOf(second, 'collects')])).toBe(true)
    const last = (await walkLinks(read, '/smart_collections.json?limit=5')).at(-1)
    expect(last && [linkOf(last, 'next'), typeof linkOf(last, 'previous')]).toEqual([undefined, 'string'])
    expect((await read('/smart_collections.json')).headers.get('link')).toBeNull()
  })

  test('filters go on through the cursor and may not be repeated', async () => {
    const next = linkOf(await read('/orders.json?status=cancelled&limit=2'), 'next') ?? ''
    const second = await read(next)
    expect(field(second, 'orders', 'cancelled_at').every((moment) => typeof moment === 'string')).toBe(true)
    for (const parameter of ['status', 'since_id', 'order', 'updated_at_min']) {
      expect(await read(`${next}&${parameter}=any`)).toMatchObject({
        status: 400,
        body: {
          errors: {
            [parameter]: `${parameter} cannot be passed when page_info is present. See https://shopify.dev/api/usage/pagination-rest for more information.`,
          },
        },
      })
    }
    expect((await read(`${next}&fields=id`)).status).toBe(200)
  })

  test('a cursor keeps its position while the list changes', async () => {
    const first = await read('/orders.json?status=any&limit=3')
    const ids = idsOf(first, 'orders')
    clock.now += 1800 * 1000
    shopify.switches.set({ cursorSeconds: 100_000_000 })
    const long = await read('/orders.json?status=any&limit=3')
    clock.now += 30 * day
    expect(Number(idsOf(await read('/orders.json?status=any&limit=1'), 'orders')[0])).toBeGreaterThan(Number(ids[0]))
    expect(Math.max(...idsOf(await read(linkOf(long, 'next') ?? ''), 'orders'))).toBeLessThan(Number(ids[2]))
  })
})

describe('order and ranges', () => {
  test('by a moment, both ends included', async () => {
    const all = await read('/orders.json?status=any&limit=9')
    const moments = field(all, 'orders', 'created_at').map(String)
    const range = new URLSearchParams({ status: 'any', created_at_min: String(moments[5]), created_at_max: String(moments[2]) })
    expect(idsOf(await read(`/orders.json?${range}`), 'orders')).toEqual(idsOf(all, 'orders').slice(2, 6))
    expect((await read('/orders.json?created_at_min=soon')).status).toBe(400)
    expect((await read(`/orders.json?updated_at_min=${moments[0]}`)).status).toBe(400)
  })

  test('updated_at ascending, as a replication reads it', async () => {
    const path = '/orders.json?status=any&limit=50&order=updated_at+asc&updated_at_min=2026-10-01'
    const pages = await walkLinks(read, path)
    const moments = pages.flatMap((page) => field(page, 'orders', 'updated_at')).map((moment) => Date.parse(String(moment)))
    expect(moments.length).toBeGreaterThan(100)
    expect(moments.every((moment, index) => index === 0 || moment >= Number(moments[index - 1]))).toBe(true)
    expect(Number(moments[0])).toBeGreaterThanOrEqual(Date.UTC(2026, 8, 30, 22))
  })

  test('tender transactions in both directions', async () => {
    const first = async (order: string) =>
      field(await read(`/tender_transactions.json?limit=1&order=${order}`), 'tender_transactions', 'processed_at')[0]
    expect(await first('processed_at+ASC')).toMatch(/^2019-/)
    expect(await first('processed_at+DESC')).toMatch(/^2026-11-/)
    const range = await read('/tender_transactions.json?processed_at_max=2019-01-02T00:00:00Z')
    expect(field(range, 'tender_transactions', 'processed_at').every((moment) => Date.parse(String(moment)) <= Date.UTC(2019, 0, 2))).toBe(
      true,
    )
  })
})

describe('filters', () => {
  const counted = async (path: string) => Number(get((await read(path)).body, 'count'))

  test.each([
    ['financial_status', 'refunded', ['refunded']],
    ['financial_status', 'unpaid', ['authorized', 'partially_paid']],
    ['fulfillment_status', 'shipped', ['fulfilled']],
    ['fulfillment_status', 'partial', ['partial']],
    ['fulfillment_status', 'unshipped', [null]],
    ['fulfillment_status', 'unfulfilled', [null, 'partial']],
  ])('orders by %s %s', async (parameter, value, allowed) => {
    const found = field(await read(`/orders.json?status=any&limit=100&${parameter}=${value}`), 'orders', parameter)
    expect(found.length).toBeGreaterThan(10)
    expect([...new Set(found)].sort()).toEqual([...allowed].sort())
  })

  test('products by status, type, vendor and collection', async () => {
    expect(new Set(field(await read('/products.json?limit=100&status=draft,archived'), 'products', 'status'))).toEqual(
      new Set(['draft', 'archived']),
    )
    expect(new Set(field(await read('/products.json?product_type=Lighting'), 'products', 'product_type'))).toEqual(new Set(['Lighting']))
    expect(new Set(field(await read('/products.json?vendor=Quellwerk'), 'products', 'vendor'))).toEqual(new Set(['Quellwerk']))
    const inside = idsOf(await read(`/products.json?limit=250&collection_id=${facts.customCollectionId}`), 'products')
    const collects = field(await read(`/collects.json?limit=250&collection_id=${facts.customCollectionId}`), 'collects', 'product_id')
    expect([inside.length > 10, [...inside].sort()]).toEqual([true, collects.map(Number).sort()])
    const single = await read(`/custom_collections/${facts.customCollectionId}.json`)
    expect(get(single.body, 'custom_collection', 'products_count')).toBe(inside.length)
    const holding = idsOf(await read(`/custom_collections.json?product_id=${inside[0]}`), 'custom_collections')
    expect(holding).toContain(facts.customCollectionId)
  })

  test('drafts by status, metafields by namespace, key and type', async () => {
    expect(new Set(field(await read('/draft_orders.json?status=invoice_sent'), 'draft_orders', 'status'))).toEqual(
      new Set(['invoice_sent']),
    )
    const shop = await read('/metafields.json?namespace=facts&key=weight&type=number_decimal')
    expect(field(shop, 'metafields', 'value').every((value) => typeof value === 'string')).toBe(true)
    expect(rows(shop.body, 'metafields')).toHaveLength(1)
    expect(await counted('/metafields/count.json')).toBe(60)
  })

  test('levels by locations and items', async () => {
    const [first, second] = facts.locationIds
    const both = await read(
      `/inventory_levels.json?location_ids=${first},${second}&inventory_item_ids=${facts.inventoryItemId},${facts.untrackedItemId}`,
    )
    expect(rows(both.body, 'inventory_levels').length).toBeGreaterThanOrEqual(2)
    expect(
      field(await read(`/inventory_levels.json?inventory_item_ids=${facts.untrackedItemId}`), 'inventory_levels', 'available'),
    ).toContain(null)
    expect((await read('/inventory_levels.json')).status).toBe(422)
    expect((await read(`/locations/${facts.emptyLocationId}/inventory_levels.json`)).body).toEqual({ inventory_levels: [] })
    const pages = await walkLinks(read, `/locations/${first}/inventory_levels.json?limit=250`)
    const keys = pages.flatMap((page) => field(page, 'inventory_levels', 'inventory_item_id'))
    expect([keys.length > 2000, new Set(keys).size]).toEqual([true, keys.length])
  })

  test('fields cut records, unknown parameters do nothing', async () => {
    const { body } = await read('/customers.json?limit=1&fields=id,email&colour=blue')
    expect(Object.keys(Object(rows(body, 'customers')[0])).sort()).toEqual(['email', 'id'])
    expect(Object.keys(Object(get((await read('/shop.json?fields=name')).body, 'shop')))).toEqual(['name'])
  })
})
