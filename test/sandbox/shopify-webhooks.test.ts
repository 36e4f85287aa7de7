import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { shopifyCredentials as known } from '../../packages/sandbox/src/index.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { ask, get, rows } from './client.ts'
import { openStore, start, withToken } from './shopify-client.ts'

const { shopify, facts, origin, read } = await openStore()
const base = `${origin}/admin/api/2026-01`

/** What came, and the statuses that are answered next; then 200. */
const got: { headers: IncomingHttpHeaders; body: string }[] = []
let statuses: number[] = []
const receiver = createServer(async (request, response) => {
  got.push({ headers: request.headers, body: await text(request) })
  response.writeHead(statuses.shift() ?? 200).end()
})
const address = `${(await share(listen(receiver))).origin}/hook`
beforeEach(() => {
  got.length = 0
  statuses = []
})

const subscribe = (topic: string, token: string = known.token, to = address) =>
  ask(`${base}/webhooks.json`, { method: 'POST', headers: withToken(token), body: { webhook: { topic, address: to, format: 'json' } } })
const productId = facts.productId
const topics = () => got.map(({ headers }) => headers['x-shopify-topic'])

test('a subscription is made once for a topic and an address, listed, counted and deleted', async () => {
  const made = await subscribe('products/update')
  expect(made).toMatchObject({
    status: 201,
    body: { webhook: { topic: 'products/update', address, format: 'json', api_version: '2026-01' } },
  })
  expect((await subscribe('products/update')).body).toEqual({ errors: { address: ['for this topic has already been taken'] } })
  expect((await subscribe('products/delete')).status).toBe(201)
  expect(rows((await read('/webhooks.json?topic=products/delete')).body, 'webhooks')).toHaveLength(1)
  expect((await read('/webhooks/count.json')).body).toEqual({ count: 2 })
  const path = `/webhooks/${get(made.body, 'webhook', 'id')}.json`
  expect((await read(path)).status).toBe(200)
  expect((await ask(`${base}${path}`, { method: 'DELETE', headers: withToken(known.token) })).status).toBe(200)
  expect((await read(path)).status).toBe(404)
})

test.each([
  ['orders/updated', known.limitedToken, undefined, 403],
  ['orders/update', known.token, undefined, 422],
  ['products/update', known.token, 'http://shop.example/hook', 422],
  ['products/update', known.revokedToken, undefined, 401],
] as const)('%s with %s at %s is refused with %i', async (topic, token, to, status) => {
  expect((await subscribe(topic, token, to)).status).toBe(status)
})

test('a change of a record is told to its subscription, signed over the bytes of its body', async () => {
  await subscribe('products/update')
  shopify.edit('products', productId, { fields: { title: 'Told' } })
  shopify.edit('customers', facts.newestCustomerId, { fields: { note: 'Nobody subscribed' } })
  await shopify.webhooks.settled()
  const [{ headers, body } = { headers: {}, body: '' }, ...others] = got
  expect(others).toEqual([])
  expect(JSON.parse(body)).toMatchObject({ id: productId, title: 'Told' })
  expect(JSON.parse(body)).toEqual(get((await read(`/products/${productId}.json`)).body, 'product'))
  expect(headers).toMatchObject({
    'x-shopify-topic': 'products/update',
    'x-shopify-shop-domain': 'sandbox-store.myshopify.com',
    'x-shopify-hmac-sha256': createHmac('sha256', known.clientSecret).update(body).digest('base64'),
    'x-shopify-triggered-at': new Date(start).toISOString(),
  })
  expect(headers['x-shopify-webhook-id']).toMatch(/^[\da-f-]{36}$/)
})

test('a deletion has the id only', async () => {
  await subscribe('products/delete')
  shopify.edit('products', productId, { erased: true })
  await shopify.webhooks.settled()
  expect(got.map(({ body }) => JSON.parse(body))).toEqual([{ id: productId }])
})

test('a switch sends each webhook twice, with the same id', async () => {
  shopify.switches.set({ webhooks: 'twice' })
  await subscribe('products/update')
  shopify.edit('products', productId, { fields: { title: 'Twice' } })
  await shopify.webhooks.settled()
  expect(got).toHaveLength(2)
  expect(new Set(got.map(({ headers }) => headers['x-shopify-webhook-id'])).size).toBe(1)
})

test.each([
  ['late', ['products/update', 'products/delete']],
  ['swapped', ['products/delete', 'products/update']],
])('with the switch %s webhooks wait, and come as %j', async (webhooks, order) => {
  shopify.switches.set({ webhooks })
  await subscribe('products/update')
  await subscribe('products/delete')
  shopify.edit('products', productId, { fields: { title: 'Late' } })
  shopify.edit('products', productId, { erased: true })
  await shopify.webhooks.settled()
  expect(got).toEqual([])
  await shopify.webhooks.sendWaiting()
  expect(topics()).toEqual(order)
})

test('what was not taken is sent again', async () => {
  await subscribe('products/update')
  statuses = [503]
  shopify.edit('products', productId, { fields: { title: 'Again' } })
  await shopify.webhooks.settled()
  await shopify.webhooks.sendWaiting()
  await shopify.webhooks.sendWaiting()
  expect(shopify.webhooks.sent().map(({ answers }) => answers)).toEqual([[503, 200]])
})

test('a switch signs wrongly, or not at all', async () => {
  await subscribe('app/uninstalled')
  for (const webhookHmac of ['wrong', 'missing']) {
    shopify.switches.set({ webhookHmac })
    shopify.webhooks.tell('app/uninstalled', {})
    await shopify.webhooks.settled()
  }
  const right = createHmac('sha256', known.clientSecret).update('{}').digest('base64')
  expect(got.map(({ headers }) => headers['x-shopify-hmac-sha256'] === right)).toEqual([false, false])
  expect(got[1]?.headers['x-shopify-hmac-sha256']).toBeUndefined()
})

test('topics of privacy go to all addresses, without a subscription', async () => {
  await subscribe('products/update')
  await subscribe('products/delete')
  await ask(`${origin}/_sandbox/webhooks`, { method: 'POST', body: { topic: 'shop/redact', body: { shop_id: 1 } } })
  await shopify.webhooks.settled()
  expect(topics()).toEqual(['shop/redact'])
})
