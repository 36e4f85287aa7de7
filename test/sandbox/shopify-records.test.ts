import { describe, expect, test } from 'vitest'
import { shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { ask, get, rows } from './client.ts'
import { idsOf, openStore, withToken } from './shopify-client.ts'

const { shopify, facts, origin, clock, read } = await openStore()
const one = async (path: string, key: string) => get((await read(`${path}.json`)).body, key)
const list = async (path: string, key: string) => rows((await read(`${path}.json`)).body, key)
const { refundedOrderId: order, productId: product, customerId: customer, metafieldOwners: owners } = facts
const keysOf = (record: unknown) => Object.keys(Object(record))

const children: readonly { path: string; key: string; single: string; name: string }[] = [
  { path: '/customers', key: 'customers', single: '/customers/', name: 'customer' },
  { path: `/customers/${customer}/addresses`, key: 'addresses', single: `/customers/${customer}/addresses/`, name: 'customer_address' },
  { path: '/orders', key: 'orders', single: '/orders/', name: 'order' },
  { path: `/orders/${order}/refunds`, key: 'refunds', single: `/orders/${order}/refunds/`, name: 'refund' },
  { path: `/orders/${order}/fulfillments`, key: 'fulfillments', single: `/orders/${order}/fulfillments/`, name: 'fulfillment' },
  { path: `/orders/${order}/transactions`, key: 'transactions', single: `/orders/${order}/transactions/`, name: 'transaction' },
  { path: `/orders/${order}/fulfillment_orders`, key: 'fulfillment_orders', single: '/fulfillment_orders/', name: 'fulfillment_order' },
  { path: '/products', key: 'products', single: '/products/', name: 'product' },
  { path: `/products/${product}/variants`, key: 'variants', single: '/variants/', name: 'variant' },
  { path: `/products/${product}/images`, key: 'images', single: `/products/${product}/images/`, name: 'image' },
  { path: '/locations', key: 'locations', single: '/locations/', name: 'location' },
  { path: '/price_rules', key: 'price_rules', single: '/price_rules/', name: 'price_rule' },
  {
    path: `/price_rules/${facts.priceRuleId}/discount_codes`,
    key: 'discount_codes',
    single: `/price_rules/${facts.priceRuleId}/discount_codes/`,
    name: 'discount_code',
  },
  { path: '/custom_collections', key: 'custom_collections', single: '/custom_collections/', name: 'custom_collection' },
  { path: '/smart_collections', key: 'smart_collections', single: '/smart_collections/', name: 'smart_collection' },
  { path: '/collects', key: 'collects', single: '/collects/', name: 'collect' },
  { path: '/draft_orders', key: 'draft_orders', single: '/draft_orders/', name: 'draft_order' },
  { path: '/countries', key: 'countries', single: '/countries/', name: 'country' },
  { path: '/metafields', key: 'metafields', single: '/metafields/', name: 'metafield' },
]

describe('every record has its own address', () => {
  test.each(children)('$path', async ({ path, key, single, name }) => {
    const id = get((await list(path, key))[0], 'id')
    expect(get(await one(`${single}${id}`, name), 'id')).toBe(id)
    expect(await read(`${single}${facts.unknownId}.json`)).toMatchObject({ status: 404, body: { errors: 'Not Found' } })
  })

  test('children are not found below another parent', async () => {
    const [refund] = idsOf(await read(`/orders/${order}/refunds.json`), 'refunds')
    const [image] = idsOf(await read(`/products/${product}/images.json`), 'images')
    expect((await read(`/orders/${facts.openOrderId}/refunds/${refund}.json`)).status).toBe(404)
    expect((await read(`/products/${facts.largeProductId}/images/${image}.json`)).status).toBe(404)
    expect((await read(`/orders/${facts.unknownId}/refunds.json`)).status).toBe(404)
  })
})

describe('customers', () => {
  test('no old marketing fields, money as text, moments with the offset of the store', async () => {
    const records = await list('/customers', 'customers')
    for (const record of records) {
      expect(keysOf(record)).not.toContain('accepts_marketing')
      expect(get(record, 'total_spent')).toMatch(/^\d+\.\d\d$/)
      expect(get(record, 'created_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/)
    }
    expect(records.some((record) => get(record, 'email') === null && get(record, 'first_name') === null)).toBe(true)
    expect(records.some((record) => get(record, 'sms_marketing_consent') === null)).toBe(true)
  })

  test('sums are those of their orders', async () => {
    const path = `/customers/${owners.customerId}`
    const record = await one(path, 'customer')
    const orders = await read('/orders.json?status=any&limit=250')
    const own = rows(orders.body, 'orders').filter((found) => get(found, 'customer', 'id') === get(record, 'id'))
    expect([get(record, 'orders_count'), get(record, 'last_order_id')]).toEqual([own.length, get(own[0], 'id')])
    expect(await one(`/customers/${facts.idleCustomerId}`, 'customer')).toMatchObject({
      orders_count: 0,
      total_spent: '0.00',
      last_order_id: null,
    })
  })

  test('ten addresses are inside, all of them in the list', async () => {
    const id = facts.customerWithManyAddressesId
    expect(rows(await one(`/customers/${id}`, 'customer'), 'addresses')).toHaveLength(10)
    expect(await list(`/customers/${id}/addresses`, 'addresses')).toHaveLength(14)
    const homeless = await one(`/customers/${facts.customerWithoutAddressesId}`, 'customer')
    expect([get(homeless, 'addresses'), keysOf(homeless).includes('default_address')]).toEqual([[], false])
  })
})

describe('orders', () => {
  test('what is inside leaves fields out', async () => {
    const record = await one(`/orders/${order}`, 'order')
    for (const name of ['gateway', 'company']) expect(keysOf(record)).not.toContain(name)
    for (const name of ['orders_count', 'total_spent', 'last_order_id', 'addresses'])
      expect(keysOf(get(record, 'customer'))).not.toContain(name)
    for (const name of ['return', 'refund_shipping_lines']) expect(keysOf(get(record, 'refunds', 0))).not.toContain(name)
    const refund = (await list(`/orders/${order}/refunds`, 'refunds'))[0]
    expect(refund).toMatchObject({ return: null, additional_fees: [], total_additional_fees_set: { shop_money: { amount: '0.00' } } })
    expect([typeof get(refund, 'refund_line_items', 0, 'subtotal'), typeof get(refund, 'transactions', 0, 'amount')]).toEqual([
      'number',
      'string',
    ])
  })

  test('money adds up', async () => {
    const records = rows((await read('/orders.json?status=any&limit=250')).body, 'orders')
    const cents = (value: unknown) => Math.round(Number(value) * 100)
    for (const record of records) {
      const lines = rows(record, 'line_items').reduce(
        (sum: number, line) => sum + cents(get(line, 'price')) * Number(get(line, 'quantity')),
        0,
      )
      expect(cents(get(record, 'total_line_items_price'))).toBe(lines)
      const shipping = cents(get(record, 'total_shipping_price_set', 'shop_money', 'amount'))
      expect(cents(get(record, 'total_price'))).toBe(lines - cents(get(record, 'total_discounts')) + shipping)
      const refunds = rows(record, 'refunds').flatMap((refund) => rows(refund, 'transactions'))
      const refunded = refunds.reduce((sum: number, payment) => sum + cents(get(payment, 'amount')), 0)
      expect(cents(get(record, 'current_total_price'))).toBe(cents(get(record, 'total_price')) - refunded)
    }
  })

  test('transactions follow one another', async () => {
    const kinds = (await list(`/orders/${facts.cancelledOrderId}/transactions`, 'transactions')).map((payment) => get(payment, 'kind'))
    expect([
      ['authorization', 'void'],
      ['sale', 'refund'],
    ]).toContainEqual(kinds)
    const payments = await list(`/orders/${order}/transactions`, 'transactions')
    expect(get(payments.at(-1), 'parent_id')).toBe(get(payments.at(-2), 'id'))
    expect(keysOf(get(payments[0], 'total_unsettled_set', 'shop_money'))).toEqual(['amount', 'currency'])
    const single = await one(`/orders/${order}/transactions/${get(payments[0], 'id')}`, 'transaction')
    expect(keysOf(single)).toContain('authorization_expires_at')
  })

  test('drafts that are complete name their order, computing ones are not ready', async () => {
    const draft = await one(`/draft_orders/${facts.completedDraftId}`, 'draft_order')
    expect(await one(`/orders/${get(draft, 'order_id')}`, 'order')).toMatchObject({ source_name: 'shopify_draft_order' })
    expect(draft).toMatchObject({ created_on_api_version: null, 'b2b?': false })
    expect(keysOf(draft)).toContain('allow_discount_codes_in_checkout?')
    expect([
      keysOf(draft).includes('total_price_set'),
      keysOf((await list('/draft_orders', 'draft_orders'))[0]).includes('total_price_set'),
    ]).toEqual([false, true])
    shopify.switches.set({ draftPolls: 2 })
    const answers = [1, 2, 3].map(() => read(`/draft_orders/${facts.openDraftId}.json`))
    const [first, , third] = await Promise.all(answers)
    expect([first?.status, first?.headers.get('retry-after'), third?.status]).toEqual([202, '1', 200])
    expect(first?.headers.get('location')).toContain(`/admin/api/2026-01/draft_orders/${facts.openDraftId}.json`)
  })

  test('checkouts have lines without id and shipping ids of letters', async () => {
    const records = rows((await read('/checkouts.json?status=any&limit=100')).body, 'checkouts')
    for (const line of records.flatMap((record) => rows(record, 'line_items'))) expect(keysOf(line)).not.toContain('id')
    expect(
      get(
        records.find((record) => rows(record, 'shipping_lines').length > 0),
        'shipping_lines',
        0,
        'id',
      ),
    ).toMatch(/^[0-9a-f]{16}$/)
    expect(records.some((record) => keysOf(record).includes('customer'))).toBe(true)
    expect(records.some((record) => get(record, 'completed_at') !== null)).toBe(true)
    expect(records.filter((record) => keysOf(record).includes('admin_graphql_api_id'))).toEqual([])
  })
})

describe('the catalogue', () => {
  test('100 variants are shown, the others answer at their own address', async () => {
    const id = facts.largeProductId
    expect(rows(await one(`/products/${id}`, 'product'), 'variants')).toHaveLength(100)
    expect(idsOf(await read(`/products/${id}/variants.json?limit=250`), 'variants')).toHaveLength(100)
    expect(get(await one(`/variants/${facts.hiddenVariantId}`, 'variant'), 'product_id')).toBe(id)
  })

  test('an image owns metafields by its media image, at both addresses', async () => {
    const shared = await read(`/product_images/${owners.imageId}/metafields.json`)
    const image = rows((await read('/products.json?limit=250')).body, 'products')
      .flatMap((found) => rows(found, 'images'))
      .find((found) => get(found, 'id') === owners.imageId)
    const below = await read(`/products/${get(image, 'product_id')}/images/${owners.imageId}/metafields.json`)
    expect(below.body).toEqual(shared.body)
    const metafield = rows(shared.body, 'metafields')[0]
    expect(metafield).toMatchObject({ owner_resource: 'media_image' })
    expect(get(image, 'admin_graphql_api_id')).toBe(`gid://shopify/MediaImage/${get(metafield, 'owner_id')}`)
  })

  test.each([
    [`/customers/${owners.customerId}`, 'customer', owners.customerId],
    [`/orders/${owners.orderId}`, 'order', owners.orderId],
    [`/draft_orders/${owners.draftOrderId}`, 'draft_order', owners.draftOrderId],
    [`/products/${owners.productId}`, 'product', owners.productId],
    [`/variants/${owners.variantId}`, 'variant', owners.variantId],
    [`/locations/${owners.locationId}`, 'location', owners.locationId],
    [`/smart_collections/${owners.collectionId}`, 'collection', owners.collectionId],
    [`/collections/${owners.collectionId}`, 'collection', owners.collectionId],
  ])('%s has metafields', async (path, resource, id) => {
    expect((await list(`${path}/metafields`, 'metafields'))[0]).toMatchObject({ owner_resource: resource, owner_id: id })
  })

  test('values of metafields are texts, whole numbers or truth values', async () => {
    const found = await list(`/products/${facts.largeProductId}/metafields`, 'metafields')
    expect(found).toHaveLength(50)
    const types = new Map(found.map((metafield) => [String(get(metafield, 'type')), typeof get(metafield, 'value')]))
    expect(Object.fromEntries(types)).toMatchObject({
      number_integer: 'number',
      boolean: 'boolean',
      json: 'string',
      number_decimal: 'string',
    })
  })

  test('collects of smart collections have no dates, collections without image no key', async () => {
    const smart = rows((await read(`/collects.json?collection_id=${facts.smartCollectionId}`)).body, 'collects')[0]
    expect(smart).toMatchObject({ created_at: null, updated_at: null })
    expect(get(smart, 'sort_value')).toMatch(/^\d{10}$/)
    const collections = await list('/custom_collections', 'custom_collections')
    expect(new Set(collections.map((found) => keysOf(found).includes('image')))).toEqual(new Set([true, false]))
    expect(keysOf(collections[0])).not.toContain('products_count')
    expect(await one(`/custom_collections/${facts.emptyCollectionId}`, 'custom_collection')).toMatchObject({ products_count: 0 })
  })

  test('unlisted products are active for versions that do not know the word', async () => {
    const [id] = idsOf(await read('/products.json?status=unlisted&limit=1'), 'products')
    clock.now = Date.UTC(2025, 10, 15)
    const status = async (version: string) => {
      const answer = await ask(`${origin}/admin/api/${version}/products/${id}.json`, { headers: withToken(shopifyCredentials.token) })
      return get(answer.body, 'product', 'status')
    }
    expect([await status('2025-07'), await status('2025-10')]).toEqual(['active', 'unlisted'])
  })

  test('locations, codes, countries and the store', async () => {
    const [location] = await list('/locations', 'locations')
    const single = await one(`/locations/${get(location, 'id')}`, 'location')
    expect([keysOf(location).includes('localized_country_name'), keysOf(single).includes('localized_country_name')]).toEqual([true, false])
    expect(idsOf(await read(`/price_rules/${facts.largePriceRuleId}/discount_codes.json?limit=250`), 'discount_codes')).toHaveLength(230)
    expect(
      get(
        (await list('/countries', 'countries')).find((found) => get(found, 'code') === 'US'),
        'provinces',
        1,
      ),
    ).toMatchObject({ tax: 0.065, tax_percentage: 6.5 })
    expect(await one('/shop', 'shop')).toMatchObject({ myshopify_domain: 'sandbox-store.myshopify.com', id: facts.shopId })
  })
})

test('ids can be larger than JavaScript counts', async () => {
  shopify.switches.set({ hugeIds: true })
  const huge = '9007199254740993'
  const newest = await read('/customers.json?limit=1')
  expect(newest.text).toContain(`"id":${huge},`)
  expect(newest.text).toContain(`gid://shopify/Customer/${huge}`)
  expect((await read(`/customers/${huge}.json`)).text).toContain(`"id":${huge},`)
  expect((await read(`/customers.json?since_id=${huge}`)).body).toEqual({ customers: [] })
  expect((await read(`/orders/${facts.cancelledOrderId}/transactions.json`)).text).toContain('18014398509481985')
  expect(shopify.requests().some(({ path }) => path.includes(huge))).toBe(true)
})
