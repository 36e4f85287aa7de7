import { describe, expect, test } from 'vitest'
import { shopifyCredentials as known, startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, get, rows } from './client.ts'
import { openStore, start, withToken } from './shopify-client.ts'

const { sandbox, shopify, facts, origin, clock, read } = await openStore()
const headers = withToken(known.token)
const admin = (path: string, further: Readonly<Record<string, string>> = {}) =>
  ask(`${origin}${path}`, { headers: { ...headers, ...further } })

describe('versions', () => {
  const served = async (version: string) => {
    const answer = await admin(`/admin/${version}shop.json`)
    return [answer.status, answer.headers.get('x-shopify-api-version')]
  }

  test.each([
    ['api/2026-10/', 200, '2026-10'],
    ['api/2026-01/', 200, '2026-01'],
    ['api/2025-01/', 200, '2026-01'],
    ['', 200, '2026-01'],
    ['api/2027-01/', 404, '2026-01'],
    ['api/2026-02/', 404, '2026-01'],
  ])('%s answers %i by %s', async (version, status, by) => {
    expect(await served(version)).toEqual([status, by])
  })

  test('run out a year after their release', async () => {
    clock.now = Date.UTC(2027, 0, 1, 16)
    expect(await served('api/2026-01/')).toEqual([200, '2026-01'])
    clock.now = Date.UTC(2027, 0, 1, 18)
    expect(await served('api/2026-01/')).toEqual([200, '2026-04'])
    expect(await served('api/2027-01/')).toEqual([200, '2027-01'])
  })
})

describe('the call limit', () => {
  const limit = (answer: { headers: Headers }) => answer.headers.get('x-shopify-shop-api-call-limit')

  test('is a bucket of 40 that leaks two calls a second', async () => {
    shopify.switches.set({ limits: true })
    for (let count = 1; count <= 40; count += 1) expect(limit(await read('/shop.json'))).toBe(`${count}/40`)
    const full = await read('/shop.json')
    expect([full.status, limit(full), full.headers.get('retry-after')]).toEqual([429, '40/40', '2.0'])
    expect(full.body).toEqual({
      errors: 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.',
    })
    clock.now += 1000
    expect([limit(await read('/shop.json')), limit(await read('/shop.json')), (await read('/shop.json')).status]).toEqual([
      '39/40',
      '40/40',
      429,
    ])
  })

  test('can be small, and can be refused although there is room', async () => {
    shopify.switches.set({ limits: true, bucketSize: 1, leakPerSecond: 4 })
    expect([(await read('/shop.json')).status, (await read('/shop.json')).status]).toEqual([200, 429])
    shopify.reset()
    sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 4, on: 'shopify' })
    const answer = await read('/shop.json')
    expect([answer.status, answer.headers.get('retry-after'), limit(answer)]).toEqual([429, '4.0', '0/40'])
  })
})

describe('refusals', () => {
  test.each([
    ['/nothing.json', 404, { errors: 'Not Found' }],
    ['/orders', 404, { errors: 'Not Found' }],
    ['/orders/abc.json', 400, { errors: { id: 'expected String to be a id' } }],
    ['/orders/abc/refunds.json', 400, { errors: { order_id: 'expected String to be a id' } }],
    ['/inventory_items.json', 400, { errors: { ids: 'Required parameter missing or invalid' } }],
  ])('%s answers %i', async (path, status, body) => {
    expect(await read(path)).toMatchObject({ status, body })
  })

  test('of a method, of what the client accepts, of a long address', async () => {
    const posted = await ask(`${origin}/admin/api/2026-01/orders.json`, { method: 'POST', headers })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    expect((await admin('/admin/api/2026-01/shop.json', { accept: 'text/csv' })).status).toBe(406)
    expect((await read(`/orders.json?ids=${'1,'.repeat(5000)}`)).status).toBe(414)
  })

  test('every answer has an id and the store', async () => {
    for (const answer of [await read('/shop.json'), await read('/nothing.json'), await read('/shop.json', {})]) {
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]+$/)
      expect(answer.headers.get('x-shopid')).toBe(String(facts.shopId))
    }
  })

  test('by the shared faults', async () => {
    sandbox.faults.add({ kind: 'html-502', on: 'shopify' })
    sandbox.faults.add({ kind: 'truncated-json', on: 'shopify' })
    sandbox.faults.add({ kind: 'redirect', location: 'http://169.254.169.254/', on: 'shopify' })
    sandbox.faults.add({ kind: 'reset', on: 'shopify' })
    sandbox.faults.add({ kind: 'status', status: 500, on: 'api' })
    expect((await read('/shop.json')).status).toBe(502)
    expect(await read('/shop.json')).toMatchObject({ status: 200, body: undefined })
    expect((await read('/shop.json')).headers.get('location')).toBe('http://169.254.169.254/')
    await expect(read('/shop.json')).rejects.toThrow()
    expect((await read('/shop.json')).status).toBe(200)
    expect(sandbox.faults.pending()).toHaveLength(1)
  })
})

describe('control', () => {
  const control = (path: string, body?: unknown, method = 'POST') =>
    ask(`${origin}/_sandbox${path}`, { method, ...(body === undefined ? {} : { body }) })

  test('from outside: switches, records, requests, the world', async () => {
    expect((await control('/switches', { plan: 'plus' })).body).toMatchObject({ switches: { plan: 'plus' } })
    expect((await control('/switches', { plan: 'golden' })).body).toEqual({
      error: 'plan must be one of standard, advanced, plus, enterprise',
    })
    expect((await control('/records', { kind: 'products', id: facts.productId, fields: { title: 'New' } })).status).toBe(200)
    expect(get((await read(`/products/${facts.productId}.json`)).body, 'product', 'title')).toBe('New')
    expect((await control('/records', { kind: 'products', id: 5, erased: true })).status).toBe(404)
    expect((await control('/records', { kind: 'moons', id: 5 })).status).toBe(400)
    const recorded = (await control('/requests', undefined, 'GET')).body
    expect(rows(recorded, 'requests').map((request) => get(request, 'origin'))).toEqual(['shopify'])
    expect((await control('/world', undefined, 'GET')).body).toEqual({ world: facts })
    expect((await control('/reset')).status).toBe(204)
    expect(get((await read(`/products/${facts.productId}.json`)).body, 'product', 'title')).not.toBe('New')
  })

  test('the requests are those of the store alone', async () => {
    await read('/shop.json?fields=id')
    expect(shopify.requests()).toMatchObject([
      { origin: 'shopify', path: '/admin/api/2026-01/shop.json', query: { fields: 'id' }, at: start },
    ])
    shopify.clear()
    expect([shopify.requests(), sandbox.gong.requests()]).toEqual([[], []])
    expect(() => shopify.edit('orders', 5, { erased: true })).toThrow('There is no record 5 among orders')
  })

  test('a port that is taken leaves nothing behind', async () => {
    const port = Number(new URL(origin).port)
    await expect(startSandbox({ ports: { shopify: port } })).rejects.toThrow('EADDRINUSE')
  })
})
