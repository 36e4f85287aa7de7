import { describe, expect, test } from 'vitest'
import { shopifyCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, get, rows } from './client.ts'
import { day, idsOf, openStore, start, withToken } from './shopify-client.ts'

const { shopify, facts, clock, read } = await openStore()
const since = (moment: number) => encodeURIComponent(new Date(moment).toISOString().replace('.000Z', 'Z'))
const changed = (path: string, moment: number) => read(`${path}updated_at_min=${since(moment)}`)

describe('the store lives on', () => {
  test('orders come, are paid, shipped and closed while time passes', async () => {
    const shipped = JSON.stringify(['paid', 'fulfilled', true])
    const young = await read('/orders.json?limit=20&financial_status=paid&fulfillment_status=unshipped')
    const ids = idsOf(young, 'orders').join(',')
    clock.now += 20 * day
    expect(idsOf(await read(`/orders.json?status=any&since_id=${facts.newestOrderId}`), 'orders').length).toBeGreaterThan(10)
    const later = rows((await read(`/orders.json?status=any&ids=${ids}`)).body, 'orders').map((order) =>
      JSON.stringify([get(order, 'financial_status'), get(order, 'fulfillment_status'), get(order, 'closed_at') !== null]),
    )
    expect(later).toContain(shipped)
    const moved = await changed('/orders.json?status=any&limit=250&', start)
    expect(rows(moved.body, 'orders').some((order) => Date.parse(String(get(order, 'created_at'))) < start)).toBe(true)
  })

  test('nothing is told before it happened', async () => {
    const paths = ['/orders.json?status=any&', '/customers.json?', '/draft_orders.json?', '/checkouts.json?status=any&', '/products.json?']
    for (const path of [...paths, '/price_rules.json?', '/smart_collections.json?']) {
      expect(Object.values(Object((await changed(`${path}limit=1&`, clock.now + 1000)).body))).toEqual([[]])
    }
  })

  test('the same seed is the same store at the same moment', async () => {
    await using twin = await startSandbox({ clock: () => start, limits: false })
    await using stranger = await startSandbox({ clock: () => start, limits: false, seed: 2 })
    const path = '/admin/api/2026-01/orders.json?status=any&limit=3'
    const headers = withToken(shopifyCredentials.token)
    const [own, same, other] = [
      await read('/orders.json?status=any&limit=3'),
      await ask(`${twin.origins.shopify.api}${path}`, { headers }),
      await ask(`${stranger.origins.shopify.api}${path}`, { headers }),
    ]
    expect(same.body).toEqual(own.body)
    expect(idsOf(other, 'orders')).not.toEqual(idsOf(own, 'orders'))
    expect(twin.shopify.world).toEqual(facts)
  })

  test('a young store has its first twelve thousand orders', async () => {
    await using young = await startSandbox({ clock: () => Date.UTC(2024, 0, 2), limits: false })
    expect(young.shopify.world.counts.orders).toBeGreaterThan(11_900)
    expect(young.shopify.world.counts.customers).toBeGreaterThan(2900)
  })
})

describe('records that are changed by hand', () => {
  test('have other fields and are updated now', async () => {
    clock.now += 1000
    shopify.edit('customers', facts.customerId, { fields: { note: 'met in person' } })
    shopify.edit('customers', facts.customerId, { fields: { tags: 'friend' } })
    const found = await changed('/customers.json?', clock.now)
    expect(rows(found.body, 'customers')).toMatchObject([{ id: facts.customerId, note: 'met in person', tags: 'friend' }])
    expect(Date.parse(String(get(found.body, 'customers', 0, 'updated_at')))).toBe(clock.now)
  })

  test('are gone when they are erased, and the events say so', async () => {
    const destroyed = (filter: string) => read(`/events.json?filter=${filter}&verb=destroy&limit=250&created_at_min=${since(clock.now)}`)
    clock.now += 1000
    shopify.edit('products', facts.productId, { erased: true })
    shopify.edit('orders', facts.oldOrderId, { erased: true })
    expect((await read(`/products/${facts.productId}.json`)).status).toBe(404)
    expect((await read(`/products/${facts.productId}/metafields.json`)).status).toBe(404)
    expect((await read(`/variants/${facts.variantId}.json`)).status).toBe(404)
    expect((await read(`/orders/${facts.oldOrderId}/transactions.json`)).status).toBe(404)
    expect((await read('/products/count.json')).body).toEqual({ count: facts.counts.products - 1 })
    expect(rows((await destroyed('Product')).body, 'events')).toMatchObject([
      { subject_id: facts.productId, subject_type: 'Product', verb: 'destroy' },
    ])
    expect(rows((await destroyed('Product,Order')).body, 'events')).toHaveLength(2)
    shopify.reset()
    expect((await read(`/products/${facts.productId}.json`)).status).toBe(200)
  })

  test('the store destroys some by itself', async () => {
    const { body } = await read('/events.json?filter=Order&verb=destroy')
    expect(rows(body, 'events').map((event) => get(event, 'subject_id'))).toContain(facts.destroyedOrderId)
    expect((await read(`/orders/${facts.destroyedOrderId}.json`)).status).toBe(404)
    expect((await read(`/products/${facts.destroyedProductId}.json`)).status).toBe(404)
  })
})
