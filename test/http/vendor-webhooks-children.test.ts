/** Events of a parent whose children are copied: Shopify reports a product when one of its variants or images changes. */
import { afterEach, describe, expect, test } from 'vitest'
import { shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { ask as askVendor, get, rows } from '../sandbox/client.ts'
import { withToken } from '../sandbox/shopify-client.ts'
import { share } from '../support/share.ts'
import { search } from './search-support.ts'
import type { Json } from './support.ts'
import { VendorWorld } from './vendor-webhooks-support.ts'

const here = await share(VendorWorld.start())
const owner = await here.tenant('Owner')
const id = await here.connect(owner, ['product_variants', 'product_images'])
const address = await here.makeAddress(owner, id)
afterEach(() => here.shopify.reset())

const vendor = `${here.world.sandbox.origins.shopify.api}/admin/api/2026-07`
const read = (path: string) => askVendor(`${vendor}${path}`, { headers: withToken(shopifyCredentials.token) })
const products = rows((await read('/products.json?limit=50')).body, 'products')
  .filter((product) => rows(product, 'variants').length > 2 && rows(product, 'images').length > 1)
  .map((product) => Number(get(product, 'id')))

const lists = { product_variants: 'variants', product_images: 'images' } as const
type Below = keyof typeof lists

/** Records below a product in the copy, in the order of their ids. */
async function copied(entity: Below, product: number): Promise<readonly Json[]> {
  const params = {
    query: { filter: { eq: { product_id: product } }, sort: [{ id: 'asc' }] },
    fields: ['id', 'position', 'updated_at'],
    limit: 100,
  }
  const execute = (connector: string, body: object) => here.world.execute(connector, body, owner.token)
  const { status, json, text } = await search({ ...here.world, execute }, id, { entity, params, allow_partial: true })
  if (status !== 200) throw new Error(text)
  return json.data
}

/** Records below a product at the vendor, of which none gets into the copy. */
async function offered(entity: Below, product: number): Promise<readonly Json[]> {
  const { body } = await read(`/products/${product}/${lists[entity]}.json?limit=250`)
  const found: Json[] = rows(body, lists[entity]).map((row) => ({
    id: get(row, 'id'),
    position: get(row, 'position'),
    updated_at: get(row, 'updated_at'),
  }))
  return found.toSorted((one, other) => one.id - other.id)
}

async function expectEqual(product: number): Promise<void> {
  for (const entity of ['product_variants', 'product_images'] as const) {
    const wanted = await offered(entity, product)
    expect(await copied(entity, product), entity).toEqual(wanted)
  }
}

const edit = (kind: 'variants' | 'images', of: number, change: object) => here.shopify.edit(kind, of, change)
const send = (product: number, topic: string) =>
  here.send(address, { id: product, updated_at: '2001-01-01T00:00:00Z' }, { headers: { 'x-shopify-topic': topic } })

describe('an event of a product', () => {
  test('brings what is below it into the copy, and removes what is gone there only', async () => {
    const [product = 0, other = 0] = products
    const before = await copied('product_variants', other)
    const [first, second] = await copied('product_variants', product)
    const [image] = await copied('product_images', product)
    await here.subscribe(address, 'products/update')
    here.world.clock.now += 1_000
    edit('variants', first.id, { fields: { position: 77 } })
    edit('variants', second.id, { erased: true })
    edit('images', image.id, { erased: true })
    await here.work()
    const now = await copied('product_variants', product)
    expect(now.find((variant) => variant.id === first.id)).toMatchObject({ position: 77 })
    expect(now.some((variant) => variant.id === second.id)).toBe(false)
    expect((await copied('product_images', product)).some((each) => each.id === image.id)).toBe(false)
    await expectEqual(product)
    expect(await copied('product_variants', other)).toEqual(before)
    expect(before.length).toBeGreaterThan(2)
  })

  test.each(['twice', 'late', 'swapped'])('that comes %s leaves the copy as the vendor has it', async (webhooks) => {
    const product = products[['twice', 'late', 'swapped'].indexOf(webhooks) + 2] ?? 0
    here.shopify.switches.set({ webhooks })
    await here.subscribe(address, 'products/update')
    const [first, second] = await copied('product_variants', product)
    for (const position of [91, 92, 93]) {
      here.world.clock.now += 1_000
      edit('variants', first.id, { fields: { position } })
    }
    edit('variants', second.id, { erased: true })
    await here.shopify.webhooks.settled()
    await here.shopify.webhooks.sendWaiting()
    await here.work()
    here.world.clock.now += 1_000
    await send(product, 'products/update') // an old one, once more
    await here.work()
    expect((await copied('product_variants', product))[0]).toMatchObject({ id: first.id, position: 93 })
    await expectEqual(product)
  })

  test('that says it is gone changes nothing while the vendor has it', async () => {
    const product = products[5] ?? 0
    const before = await copied('product_variants', product)
    here.world.clock.now += 1_000
    await send(product, 'products/delete')
    await here.work()
    expect(await copied('product_variants', product)).toEqual(before)
    await expectEqual(product)
  })

  test('that is gone takes what was below it only, and an old event does not bring it back', async () => {
    const [product = 0, other = 0] = products.slice(6)
    const before = [await copied('product_variants', other), await copied('product_images', other)]
    await here.subscribe(address, 'products/delete')
    here.world.clock.now += 1_000
    here.shopify.edit('products', product, { erased: true })
    here.shopify.edit('products', products[8] ?? 0, { erased: true }) // two in one batch
    await here.work()
    for (const each of [product, products[8] ?? 0])
      expect([await copied('product_variants', each), await copied('product_images', each)]).toEqual([[], []])
    await send(product, 'products/update')
    await here.work()
    expect(await copied('product_variants', product)).toEqual([])
    expect([await copied('product_variants', other), await copied('product_images', other)]).toEqual(before)
    expect(await here.status(owner, id)).toMatchObject({ waiting: 0, given_up: 0 })
  })

  test('is asked for where what is below it is copied', async () => {
    const { subscriptions } = await here.ok(owner, 'PUT', `/api/v1/integrations/connectors/${id}/webhooks`, { subscribe: true })
    const topics = subscriptions.map(({ topic }: Json) => topic)
    expect(topics).toEqual(expect.arrayContaining(['products/create', 'products/update', 'products/delete']))
    expect(topics).not.toContain('orders/updated')
  })
})
