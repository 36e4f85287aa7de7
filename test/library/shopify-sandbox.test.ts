import { describe, expect, test } from 'vitest'
import { openStore } from '../sandbox/shopify-client.ts'
import { operations, type Uses, usesOf } from './shopify-operations.ts'
import { connectStore, execute } from './shopify-support.ts'

const { sandbox, shopify: store, facts } = await openStore()
const shopify = connectStore(sandbox)
const uses: Readonly<Record<string, Uses>> = usesOf(facts)

describe('every operation', () => {
  test('of the documents is there', () => {
    expect(operations).toHaveLength(52)
  })

  // Their records are looked at where the service passes them on, in test/http/shopify.test.ts.
  test.each(operations.filter(({ action }) => action === 'list'))('$entity list: meta', async ({ entity, definition }) => {
    const { meta } = await execute(shopify, entity, 'list', uses[entity]?.list)
    expect(Object.keys(meta)).toEqual(['next_page_url', 'next_params'])
    expect(meta['next_params'] === null).toBe(meta['next_page_url'] === null)
    if ('list' in definition && 'onePage' in definition.list) expect(meta['next_page_url']).toBeNull()
  })
})

describe('names', () => {
  test('of the documents where the vendor has others', async () => {
    const { data: shop } = await shopify.shop.get()
    expect([shop.store_platform_domain, 'myshopify_domain' in shop]).toEqual([facts.host, false])
    store.edit('draft_orders', facts.openDraftId, { fields: { created_on_api_version: '2025-10' } })
    const { data: draft } = await shopify.draft_orders.get({ draft_order_id: facts.openDraftId })
    expect(draft).toMatchObject({ created_on_api_version_handle: '2025-10', created_on_api_version: '2025-10' })
  })

  test('that end in a question mark', async () => {
    const { data: drafts } = await shopify.draft_orders.list()
    expect(drafts.map((draft) => typeof draft['b2b?'])).not.toContain('undefined')
    expect(drafts.every((draft) => typeof draft['allow_discount_codes_in_checkout?'] === 'boolean')).toBe(true)
  })

  test('that the vendor leaves out are there, with null', async () => {
    const { data: customer } = await shopify.customers.get({ customer_id: facts.customerId })
    expect(customer).toMatchObject({ accepts_marketing: null, accepts_marketing_updated_at: null, marketing_opt_in_level: null })
    expect((await shopify.orders.get({ order_id: facts.openOrderId })).data).toMatchObject({ company: null, gateway: null })
  })
})

describe('lists that would be cut', () => {
  test('orders of every status come without a filter, and those of one with it', async () => {
    const { data: recent } = await shopify.orders.list({ limit: 250 })
    expect(new Set(recent.map(({ closed_at, cancelled_at }) => [closed_at === null, cancelled_at === null].join()))).toHaveProperty(
      'size',
      3,
    )
    const open = await Array.fromAsync(shopify.orders.records({ limit: 250, status: 'open' }))
    expect(open).toHaveLength(facts.counts.openOrders)
    expect(open.filter((order) => order.closed_at !== null || order.cancelled_at !== null)).toEqual([])
  })

  test('checkouts of every status come without a filter', async () => {
    const ids = async (params: Parameters<typeof shopify.abandoned_checkouts.list>[0]) =>
      (await Array.fromAsync(shopify.abandoned_checkouts.records({ limit: 250, ...params }))).map(({ id }) => id)
    const [all, open, closed] = [await ids({}), await ids({ status: 'open' }), await ids({ status: 'closed' })]
    expect(closed.length).toBeGreaterThan(0)
    expect(all.toSorted()).toEqual([...open, ...closed].toSorted())
  })

  test('a hundred inventory items come with a hundred ids, and the 101st id is refused', async () => {
    const { data: products } = await shopify.products.list({ limit: 100 })
    const ids = products.flatMap(({ variants }) => variants?.map(({ inventory_item_id }) => inventory_item_id) ?? [])
    const { data, meta } = await shopify.inventory_items.list({ ids: ids.slice(0, 100).join(',') })
    expect(data.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 100).toSorted())
    expect(meta).toEqual({ next_page_url: null, next_params: null })
    const refused = shopify.inventory_items.list({ ids: ids.slice(0, 101).join(',') })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_parameter', errors: [{ field: '/params/ids' }] })
  })

  test('lists without pages come whole', async () => {
    const { data: images } = await shopify.product_images.list({ product_id: facts.productId })
    expect(images.map(({ id }) => id)).toContain(facts.imageId)
    expect((await shopify.countries.list()).data.length).toBeGreaterThan(1)
    const { data: split } = await shopify.fulfillment_orders.list({ order_id: facts.splitOrderId })
    expect(split).toHaveLength(2)
    const { data: transactions } = await shopify.transactions.list({ order_id: facts.refundedOrderId })
    const since_id = transactions[0]?.id ?? 0
    const rest = await shopify.transactions.list({ order_id: facts.refundedOrderId, since_id })
    expect(rest.data).toEqual(transactions.slice(1))
  })

  test('a product of 140 variants shows a hundred of them, and the others by their id', async () => {
    const variants = await Array.fromAsync(shopify.product_variants.records({ product_id: facts.largeProductId, limit: 30 }))
    expect(variants).toHaveLength(100)
    expect((await shopify.product_variants.get({ variant_id: facts.hiddenVariantId })).data.product_id).toBe(facts.largeProductId)
  })
})

describe('numbers above 2^53', () => {
  const huge = 9007199254740993n

  test('are found, sent and shown with every digit', async () => {
    store.switches.set({ hugeIds: true })
    const { data: customer } = await shopify.customers.get({ customer_id: huge })
    expect(customer.id).toBe(huge)
    expect(store.requests().at(-1)?.path).toBe('/admin/api/2026-07/customers/9007199254740993.json')
    const { data: customers } = await shopify.customers.list({ limit: 1 })
    expect(customers.map(({ id }) => id)).toEqual([huge])
    const { data: addresses } = await shopify.customer_address.list({ customer_id: huge })
    expect(addresses.filter(({ customer_id }) => customer_id !== huge)).toEqual([])
    expect((await shopify.customers.list({ since_id: huge })).data).toEqual([])
    expect(store.requests().at(-1)?.query).toMatchObject({ since_id: '9007199254740993' })
  })

  test('are kept in what a gateway sent', async () => {
    store.switches.set({ hugeIds: true })
    const { data } = await shopify.transactions.list({ order_id: facts.refundedOrderId })
    expect(JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))).toContain('"18014398509481985n"')
  })
})
