import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/index.ts'
import { choose } from '../support/draws.ts'
import { base, customersPage, host, pageUrl, shop, shopifyAt, token, watchRequests } from './shopify-support.ts'
import { failure, listed, serve, testEngine } from './support.ts'

const list = (params: Readonly<Record<string, unknown>>, entity = 'customers') => ({ entity, action: 'list', params })

/** The path of the one request that a call sends. */
async function sent(params: Readonly<Record<string, unknown>>, entity = 'customers', at = 'customers'): Promise<string | undefined> {
  await using server = await serve(() => ({ body: { [at]: [] } }))
  await using engine = testEngine()
  await engine.run(shopifyAt(server.origin), list(params, entity))
  expect(server.seen).toHaveLength(1)
  return server.seen[0]?.url
}

/** The refusal of a call that sends nothing. */
async function refused(params: Readonly<Record<string, unknown>>, entity = 'customers') {
  using watch = watchRequests()
  await using engine = testEngine()
  const error = await failure(engine.run(shopifyAt(undefined), list(params, entity)))
  expect(watch.origins).toEqual([])
  return { code: error.code, fields: error.errors.map(({ field }) => field) }
}

describe('a position', () => {
  test('travels with the page size, and with nothing else', async () => {
    expect(await sent({ page_info: 'eyJhIjoxfQ==', limit: 250 })).toBe(`${base}/customers.json?page_info=eyJhIjoxfQ%3D%3D&limit=250`)
    expect(await sent({ page_info: 'a+b/c=' })).toBe(`${base}/customers.json?page_info=a%2Bb%2Fc%3D`)
  })

  test('keeps a default away that it excludes, and a required parameter of the query', async () => {
    expect(await sent({ page_info: 'x' }, 'orders', 'orders')).toBe(`${base}/orders.json?page_info=x`)
    expect(await sent({ page_info: 'x', ids: '1,2' }, 'inventory_items', 'inventory_items')).toBe(
      `${base}/inventory_items.json?page_info=x&limit=100`,
    )
    const image = { product_id: 1, image_id: 2, page_info: 'x' }
    expect(await sent(image, 'metafield_product_images', 'metafields')).toBe(`${base}/product_images/2/metafields.json?page_info=x`)
  })

  test('with null beside it is alone', async () => {
    expect(await sent({ page_info: 'x', status: null, since_id: null, next_page_url: null }, 'orders', 'orders')).toBe(
      `${base}/orders.json?page_info=x`,
    )
    expect(await sent({ page_info: null, status: null }, 'orders', 'orders')).toBe(`${base}/orders.json?status=any`)
  })

  test('with a filter beside it is refused at the filter’s field', async () => {
    expect(await refused({ page_info: 'x', status: 'any' }, 'orders')).toEqual({ code: 'invalid_parameter', fields: ['/params/status'] })
    expect(await refused({ next_page_url: pageUrl('/customers.json', 'x'), since_id: 0 })).toEqual({
      code: 'invalid_parameter',
      fields: ['/params/since_id'],
    })
  })

  test('twice is refused', async () => {
    expect(await refused({ page_info: 'x', next_page_url: pageUrl('/customers.json', 'x') })).toEqual({
      code: 'invalid_parameter',
      fields: ['/params/next_page_url'],
    })
  })

  test.each([[''], [5], ['x'.repeat(4097)], [{}]])('that is %j is refused', async (page_info) => {
    expect(await refused({ page_info })).toEqual({ code: 'invalid_parameter', fields: ['/params/page_info'] })
  })

  test('that has ended is told from a request that is wrong', async () => {
    await using server = await serve(() => ({ status: 400, body: { errors: { page_info: 'Invalid value.' } } }))
    await using engine = testEngine()
    expect((await failure(engine.run(shopifyAt(server.origin), list({ page_info: 'x' })))).code).toBe('invalid_cursor')
    const url = pageUrl('/customers.json', 'x')
    expect((await failure(engine.run(shopifyAt(server.origin), list({ next_page_url: url })))).code).toBe('invalid_cursor')
    expect((await failure(engine.run(shopifyAt(server.origin), list({})))).code).toBe('upstream_invalid_request')
  })
})

describe('the URL of a next page', () => {
  test.each([
    ['as it was returned', pageUrl('/customers.json', 'eyJhIjoxfQ%3D%3D', 50), 'page_info=eyJhIjoxfQ%3D%3D&limit=50'],
    ['without a page size', `${host}${base}/customers.json?page_info=x`, 'page_info=x'],
    ['with the port that https has anyway', `${host}:443${base}/customers.json?page_info=x`, 'page_info=x'],
    ['with further values, which are left', `${host}${base}/customers.json?status=any&page_info=x&fields=id`, 'page_info=x'],
    ['in capitals where they do not count', `HTTPS://${shop.toUpperCase()}.MYSHOPIFY.COM${base}/customers.json?page_info=x`, 'page_info=x'],
  ])('%s', async (_what, next_page_url, query) => {
    const url = new URL((await sent({ next_page_url })) ?? '', host)
    expect(url.pathname).toBe(`${base}/customers.json`)
    expect([...url.searchParams].sort()).toEqual([...new URLSearchParams(query)].sort())
  })

  test('leaves the page size that the caller names', async () => {
    expect(await sent({ next_page_url: pageUrl('/customers.json', 'x', 50), limit: 3 })).toBe(`${base}/customers.json?limit=3&page_info=x`)
  })

  test('is one of this record’s own list, where the list belongs to a record', async () => {
    const next_page_url = pageUrl('/orders/7/refunds.json', 'x')
    expect(await sent({ order_id: 7, next_page_url }, 'order_refunds', 'refunds')).toBe(`${base}/orders/7/refunds.json?limit=2&page_info=x`)
    expect((await refused({ order_id: 8, next_page_url }, 'order_refunds')).fields).toEqual(['/params/next_page_url'])
  })

  const query = '?page_info=x'
  const own = `${base}/customers.json${query}`
  test.each([
    ['another host', `https://evil.example${own}`],
    ['another store', `https://other.myshopify.com${own}`],
    ['a host that begins like it', `${host}.evil.example${own}`],
    ['a host that ends like it', `https://evil${shop}.myshopify.com${own}`],
    ['a host below it', `https://a.${shop}.myshopify.com${own}`],
    ['the name without the vendor', `https://${shop}${own}`],
    ['a dot at the end of the host', `${host}.${own}`],
    ['an address', `https://127.0.0.1${own}`],
    ['another port', `${host}:8443${own}`],
    ['port 0', `${host}:0${own}`],
    ['no encryption', `http://${shop}.myshopify.com${own}`],
    ['another scheme', `ftp://${shop}.myshopify.com${own}`],
    ['no scheme', `//${shop}.myshopify.com${own}`],
    ['a path', own],
    ['a user', `https://user@${shop}.myshopify.com${own}`],
    ['a user and a password', `https://user:password@${shop}.myshopify.com${own}`],
    ['the own host as user of another', `${host}@evil.example${own}`],
    ['the own host as user, encoded', `${host}%40evil.example${own}`],
    ['a fragment', `${host}${own}#x`],
    ['an empty fragment before the rest', `${host}${base}/customers.json#${query}`],
    ['a fragment instead of the host', `https://evil.example#${host}${own}`],
    ['a query instead of the host', `https://evil.example?${host}${own}`],
    ['a backslash before another host', `https://evil.example\\@${shop}.myshopify.com${own}`],
    ['another list', `${host}${base}/orders.json${query}`],
    ['another record', `${host}${base}/customers/1.json${query}`],
    ['another version', `${host}/admin/api/2025-01/customers.json${query}`],
    ['no version', `${host}/admin/customers.json${query}`],
    ['a step up', `${host}${base}/../../oauth/access_scopes.json${query}`],
    ['a step up, encoded', `${host}${base}/customers.json/%2e%2e/orders.json${query}`],
    ['two slashes', `${host}/${base}/customers.json${query}`],
    ['a slash at the end', `${host}${base}/customers.json/${query}`],
    ['no position', `${host}${base}/customers.json?limit=5`],
    ['an empty position', `${host}${base}/customers.json?page_info=`],
    ['a position that is too long', `${host}${base}/customers.json?page_info=${'x'.repeat(4097)}`],
    ['a page size beyond the vendor’s', `${host}${own}&limit=251`],
    ['another way to write a host', `https://xn--nordlicht-test.myshopify.com${own}`],
    ['letters that look alike', `https://nоrdlicht-test.myshopify.com${own}`],
    ['no URL', 'x'],
    ['a text that runs', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
  ])('with %s is refused, and nothing is sent', async (_what, next_page_url) => {
    expect(await refused({ next_page_url })).toEqual({ code: 'invalid_parameter', fields: ['/params/next_page_url'] })
  })

  test('whatever it is, only its position goes out, to the connector’s own list', async () => {
    await using server = await serve(() => ({ body: { customers: [] } }))
    await using engine = testEngine()
    using watch = watchRequests()
    const piece = fc.oneof(
      fc.constantFrom(
        shop,
        ...['evil.example', '.myshopify.com', 'https:', 'http:', '//', '/', '\\', '@'],
        ...[':', '#', '?', '&', '%2f', '%00', '\r\n', '..', '127.0.0.1', '[::1]'],
        base,
        '/customers.json',
        'page_info=x',
        'limit=2',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    const genuine = pageUrl('/customers.json', 'x')
    const hostile = fc.oneof(
      { weight: 3, arbitrary: fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')) },
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.nat(genuine.length), fc.nat(3), piece)
          .map(([at, cut, insert]) => genuine.slice(0, at) + insert + genuine.slice(at + cut)),
      },
      { weight: 1, arbitrary: fc.webUrl({ validSchemes: ['http', 'https'], withFragments: true, withQueryParameters: true }) },
    )
    let refusals = 0
    const runs = choose(1_000, 10_000)
    await fc.assert(
      fc.asyncProperty(hostile, async (next_page_url) => {
        const before = watch.origins.length
        const ended = await engine.run(shopifyAt(server.origin), list({ next_page_url })).catch((error: unknown) => error)
        if (ended instanceof Error) {
          refusals += 1
          expect(ended).toMatchObject({ code: 'invalid_parameter', errors: [{ field: '/params/next_page_url' }] })
          expect(watch.origins).toHaveLength(before)
          return
        }
        const url = new URL(server.seen.at(-1)?.url ?? '', server.origin)
        expect(url.pathname).toBe(`${base}/customers.json`)
        expect([...url.searchParams.keys()].filter((name) => name !== 'page_info' && name !== 'limit')).toEqual([])
      }),
      { numRuns: runs },
    )
    expect(new Set(watch.origins)).toEqual(new Set([server.origin]))
    expect(refusals).toBeGreaterThan(runs / 2)
  })
})

describe('a walk', () => {
  const filters = { limit: 2, updated_at_min: '2026-03-01T00:00:00+01:00', since_id: 0 }

  test('takes the filters back with the position that holds them, here and in what a client merges', async () => {
    await using server = await serve((_seen, count) => customersPage([count], count < 3 ? `p${count + 1}` : undefined))
    await using engine = testEngine()
    let params: Record<string, unknown> = filters
    for (let page = 1; page < 3; page++) {
      const { meta } = await listed(engine.run(shopifyAt(server.origin), list(params)))
      // Filters that are taken back already are not named again.
      expect(meta['next_params']).toEqual({ ...(page === 1 ? { updated_at_min: null, since_id: null } : {}), page_info: `p${page + 1}` })
      params = { ...params, ...Object(meta['next_params']) }
    }
    expect((await listed(engine.run(shopifyAt(server.origin), list(params)))).meta).toEqual({ next_page_url: null, next_params: null })
    expect(server.seen.map(({ url }) => url)).toEqual([
      `${base}/customers.json?limit=2&updated_at_min=2026-03-01T00%3A00%3A00%2B01%3A00&since_id=0`,
      `${base}/customers.json?limit=2&page_info=p2`,
      `${base}/customers.json?limit=2&page_info=p3`,
    ])
  })

  test('of the library does the same', async () => {
    await using server = await serve((_seen, count) => customersPage([count], count < 3 ? `p${count + 1}` : undefined))
    await using shopify = connect('shopify', { credentials: { api_key: token }, config: { shop }, origin: server.origin, limits: false })
    const ids = await Array.fromAsync(shopify.customers.records(filters), ({ id }) => id)
    expect(ids).toEqual([1, 2, 3])
    expect(server.seen.at(-1)?.url).toBe(`${base}/customers.json?limit=2&page_info=p3`)
  })

  test('that began with a URL goes on with positions', async () => {
    await using server = await serve((_seen, count) => customersPage([count], count < 2 ? 'p2' : undefined))
    await using shopify = connect('shopify', { credentials: { api_key: token }, config: { shop }, origin: server.origin, limits: false })
    for await (const _customer of shopify.customers.records({ next_page_url: pageUrl('/customers.json', 'p1') }));
    expect(server.seen.map(({ url }) => url)).toEqual([
      `${base}/customers.json?limit=2&page_info=p1`,
      `${base}/customers.json?page_info=p2`,
    ])
  })

  test('of a ring of positions ends with an error', async () => {
    await using server = await serve((_seen, count) => customersPage([count], `p${count % 3}`))
    await using shopify = connect('shopify', { credentials: { api_key: token }, config: { shop }, origin: server.origin, limits: false })
    const walk = async () => {
      for await (const _customer of shopify.customers.records(filters));
    }
    expect((await failure(walk())).code).toBe('upstream_answer_invalid')
    expect(server.seen.length).toBeLessThan(6)
  })
})
