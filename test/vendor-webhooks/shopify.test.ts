import { expect, test } from 'vitest'
import { shopify } from '../../packages/ferrule/src/connectors/shopify/index.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import {
  listWebhookAccounts,
  readWebhook,
  type WebhookRequest,
  webhookLimits,
} from '../../packages/ferrule/src/engine/webhooks/read-webhook.ts'
import { hmac, now, post } from './vendors.ts'

const secret = 'shpss_of_the_app'
const secrets = [new Secret({ client_id: 'app', client_secret: secret })]
const account = 'my-store.myshopify.com'

const send = (topic: string, body: string, more: WebhookRequest['headers'] = {}): WebhookRequest =>
  post(body, {
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': account,
    'x-shopify-webhook-id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
    'x-shopify-hmac-sha256': hmac(secret, body).toString('base64'),
    ...more,
  })
const read = (request: WebhookRequest) => readWebhook(shopify, request, secrets, now)
const readEvents = (topic: string, body: string, more: WebhookRequest['headers'] = {}) => {
  const reading = read(send(topic, body, more))
  return reading.type === 'events' ? reading.events : reading.type
}

const order = '{"id":9007199254740993123,"name":"#1001","updated_at":"2026-11-28T10:00:00+01:00"}'
const id = 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043'
const refused = { type: 'refused' }

test('reads which order changed, with all digits of its id', () => {
  expect(readEvents('orders/updated', order)).toEqual([
    {
      id,
      topic: 'orders/updated',
      account,
      does: 'changed',
      entity: 'orders',
      key: [9007199254740993123n],
      read: { action: 'get', params: { order_id: 9007199254740993123n } },
      version: { field: 'updated_at', value: '2026-11-28T10:00:00+01:00' },
    },
  ])
})

test('tells removed records, records below others, and lists', () => {
  expect(readEvents('draft_orders/delete', '{"id":7}')).toEqual([
    {
      id,
      topic: 'draft_orders/delete',
      account,
      does: 'removed',
      entity: 'draft_orders',
      key: [7],
      read: { action: 'get', params: { draft_order_id: 7 } },
    },
  ])
  expect(readEvents('refunds/create', '{"id":5,"order_id":6,"created_at":"2026-11-28T09:00:00Z"}')).toMatchObject([
    { entity: 'order_refunds', key: [5], read: { action: 'get', params: { order_id: 6, refund_id: 5 } } },
  ])
  expect(readEvents('inventory_levels/update', '{"inventory_item_id":3,"location_id":4}')).toMatchObject([
    { entity: 'inventory_levels', key: [4, 3], read: { action: 'list', params: { location_id: 4, limit: 250 } } },
  ])
  expect(readEvents('collections/update', '{"id":8}')).toMatchObject([
    { id, entity: 'custom_collections' },
    { id: `${id}#2`, entity: 'smart_collections' },
  ])
})

test('names what is below a product by the product', () => {
  const below = (entity: string, field: string, params = {}) => ({
    entity,
    under: { field, value: 9007199254740993n },
    read: { action: 'list', params: { product_id: 9007199254740993n, ...params } },
  })
  const [variants, images] = [below('product_variants', 'product_id', { limit: 250 }), below('product_images', 'product_id')]
  const told = { topic: 'products/update', account, does: 'changed' }
  expect(readEvents('products/update', '{"id":9007199254740993,"updated_at":"2026-11-28T10:00:00Z"}')).toEqual([
    { id, ...told, ...variants },
    { id: `${id}#2`, ...told, ...images },
  ])
  expect(readEvents('products/delete', '{"id":9007199254740993}')).toMatchObject([
    { does: 'removed', ...variants },
    { does: 'removed', ...images },
    { does: 'removed', ...below('metafield_products', 'owner_id', { limit: 250 }) },
  ])
  expect(readEvents('products/update', '{"id":null}')).toEqual([{ id, topic: 'products/update', account }])
})

test('names all that must be forgotten of a customer, and calls nobody for it', () => {
  const body = `{"shop_id":1,"shop_domain":"${account}","customer":{"id":11},"orders_to_redact":[21,9007199254740993]}`
  expect(readEvents('customers/redact', body)).toEqual([
    { id, topic: 'customers/redact', account, does: 'redact', entity: 'customers', key: [11] },
    { id: `${id}#2`, topic: 'customers/redact', account, does: 'redact', entity: 'orders', key: [21] },
    { id: `${id}#3`, topic: 'customers/redact', account, does: 'redact', entity: 'orders', key: [9007199254740993n] },
    ...[21, 9007199254740993n].map((value, index) => ({
      ...{ id: `${id}#${index + 4}`, topic: 'customers/redact', account },
      ...{ does: 'redact', entity: 'draft_orders', under: { field: 'order_id', value } },
    })),
  ])
  const reached = '{"customer":{"id":11,"email":"Ada@example.com","phone":"+44 20 1"},"orders_to_redact":[]}'
  expect(readEvents('customers/redact', reached).slice(1)).toMatchObject([
    { entity: 'draft_orders', under: { field: 'email', value: 'Ada@example.com' } },
    { entity: 'abandoned_checkouts', under: { field: 'email', value: 'Ada@example.com' } },
    { entity: 'abandoned_checkouts', under: { field: 'phone', value: '+44 20 1' } },
  ])
})

test('forgets a store, and notices a removed app, only by a body that names the store', () => {
  expect(readEvents('shop/redact', `{"shop_id":1,"shop_domain":"${account}"}`)).toEqual([
    { id, topic: 'shop/redact', account, does: 'redact' },
  ])
  expect(readEvents('app/uninstalled', `{"id":1,"myshopify_domain":"${account}"}`)).toEqual([
    { id, topic: 'app/uninstalled', account, does: 'uninstalled' },
  ])
  // The topic is not signed: the body of an order under another topic does nothing.
  for (const topic of ['shop/redact', 'app/uninstalled', 'customers/redact'])
    expect(readEvents(topic, order)).toEqual([{ id, topic, account }])
  const customer = '"customer":{"id":11,"email":"ada@example.com","phone":"+44 20 1"}'
  for (const body of [`{"id":1,${customer}}`, `{"shop_domain":"${account}",${customer},"orders_requested":[21]}`])
    expect(readEvents('customers/redact', body)).toEqual([{ id, topic: 'customers/redact', account }])
  expect(read(send('shop/redact', '{"shop_id":1,"shop_domain":"other.myshopify.com"}'))).toEqual(refused)
})

test('leaves other topics alone', () => {
  expect(readEvents('customers/data_request', `{"shop_domain":"${account}","customer":{"id":1}}`)).toEqual([
    { id, topic: 'customers/data_request', account },
  ])
  expect(readEvents('themes/publish', '{"id":1}')).toEqual([{ id, topic: 'themes/publish', account }])
  expect(readEvents('constructor', '{"id":1}')).toEqual([{ id, topic: 'constructor', account }])
})

test('refuses what is not signed with the secret', () => {
  const signature = hmac(secret, order)
  const wrong: readonly WebhookRequest['headers'][] = [
    { 'x-shopify-hmac-sha256': undefined },
    { 'x-shopify-hmac-sha256': '' },
    { 'x-shopify-hmac-sha256': hmac('shpss_of_another_app', order).toString('base64') },
    { 'x-shopify-hmac-sha256': hmac(secret, `${order} `).toString('base64') },
    { 'x-shopify-hmac-sha256': signature.toString('hex') },
    { 'x-shopify-hmac-sha256': signature.toString('base64url') },
    { 'x-shopify-hmac-sha256': signature.toString('base64').replace('=', '') },
    { 'x-shopify-hmac-sha256': `${signature.toString('base64')}, ${signature.toString('base64')}` },
    { 'x-shopify-hmac-sha256': [signature.toString('base64'), signature.toString('base64')] },
  ]
  for (const headers of wrong) expect(read(send('orders/updated', order, headers))).toEqual(refused)
  expect(read({ ...send('orders/updated', order), body: new TextEncoder().encode(order.replace('1001', '1002')) })).toEqual(refused)
})

test('takes no header that came twice', () => {
  expect(readEvents('orders/updated', order, { 'x-shopify-shop-domain': `${account}, other.myshopify.com` })).toMatchObject([
    { topic: 'orders/updated' },
  ])
  expect(readEvents('orders/updated', order, { 'x-shopify-shop-domain': [account, 'other.myshopify.com'] })).not.toHaveProperty('0.account')
  expect(readEvents('orders/updated, orders/delete', order)).toEqual([{ id, topic: '', account }])
})

test('takes each of several secrets, and refuses everything without one', () => {
  const old = new Secret({ client_secret: 'shpss_before' })
  expect(readWebhook(shopify, send('orders/updated', order), [old, ...secrets], now).type).toBe('events')
  for (const none of [[], [new Secret({ api_key: secret })], [new Secret({ client_secret: '' })]])
    expect(readWebhook(shopify, send('orders/updated', order), none, now)).toEqual(refused)
})

test('refuses bodies that are too large, too deep or no object', () => {
  const bodies = [
    `{"id":1,"note":"${'x'.repeat(webhookLimits.bytes)}"}`,
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '[]',
    '"text"',
    'id=1',
    '',
    `{"shop_domain":"${account}","customer":{"id":1},"orders_to_redact":[${'1,'.repeat(webhookLimits.events)}1]}`,
  ]
  for (const body of bodies) expect(read(send('customers/redact', body))).toEqual(refused)
  const bytes = Buffer.from('{"id":"\xff"}', 'latin1') // no UTF-8
  expect(read(post(bytes, { 'x-shopify-hmac-sha256': hmac(secret, bytes).toString('base64') }))).toEqual(refused)
})

test('names the account of a connector as events do', () => {
  expect(listWebhookAccounts(shopify.definition, { shop: 'my-store' }, ['1'])).toEqual([account])
  expect(listWebhookAccounts(shopify.definition, {}, ['1'])).toEqual([])
})
