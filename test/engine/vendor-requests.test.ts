import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { gong } from '../../packages/ferrule/src/connectors/gong/index.ts'
import { shopify } from '../../packages/ferrule/src/connectors/shopify/index.ts'
import { snowflake } from '../../packages/ferrule/src/connectors/snowflake/index.ts'
import { tiktokMarketing } from '../../packages/ferrule/src/connectors/tiktok-marketing/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { VendorRequest } from '../../packages/ferrule/src/engine/call/vendor-request.ts'
import { readHeader } from '../../packages/ferrule/src/engine/http/http.ts'
import { failure, fixed, type Reply, serve, testEngine } from './support.ts'

let reply: Reply = { body: {} }
/** How many requests meet a passing failure first. */
let failures = 0
/** Requests of earlier tests. */
let before = 0
const seenNow = () => server.seen.slice(before)
const server = await serve(() => {
  failures -= 1
  return failures >= 0 ? { status: 503, body: {} } : reply
})
const engine = testEngine()
afterEach(() => {
  reply = { body: {} }
  failures = 0
  before = server.seen.length
})
afterAll(async () => {
  await engine.close()
  await server[Symbol.asyncDispose]()
})

const connection = (kind: Kind = shopify) => ({
  kind,
  configuration: { shop: 'acme' },
  credentials: fixed({ api_key: 'shpat_secret' }),
  origin: { api: server.origin },
})
const send = (request: Partial<VendorRequest>, idempotencyKey?: string) =>
  engine.request(connection(), { request: { method: 'GET', path: '/shop.json', ...request }, idempotencyKey })

describe('a request of the caller to the vendor', () => {
  test('has the credentials of the connector and the base of the kind, and returns all digits', async () => {
    reply = { headers: { link: '<https://acme.example/next>; rel="next"', 'x-other': 'no' }, body: '{"shop":{"id":9007199254740993}}' }
    const answer = await send({ query: { fields: 'id', ids: [1, 2] }, headers: { prefer: 'small' } })
    expect(answer).toEqual({
      status: 200,
      headers: { link: '<https://acme.example/next>; rel="next"' },
      body: { shop: { id: 9007199254740993n } },
    })
    const [seen] = seenNow()
    expect(seen).toMatchObject({ method: 'GET', headers: { 'x-shopify-access-token': 'shpat_secret', prefer: 'small' } })
    expect(seen?.url).toMatch(/^\/admin\/api\/[\d-]+\/shop\.json\?fields=id&ids=1&ids=2$/)
  })

  test('answers the headers that callers need only, whatever their names are to JavaScript', async () => {
    reply = { headers: { constructor: 'a', ['__proto__']: 'b', etag: '"7"' }, body: {} }
    expect((await send({})).headers).toEqual({ etag: '"7"' })
    expect(['constructor', 'toString'].map((name) => readHeader({ headers: {} }, name))).toEqual([undefined, undefined])
  })

  test('is read again after a passing failure', async () => {
    failures = 1
    reply = { body: { shop: {} } }
    expect((await send({})).body).toEqual({ shop: {} })
    expect(seenNow()).toHaveLength(2)
  })

  test('HEAD is repeated too, and answers headers without a body', async () => {
    failures = 1
    reply = { headers: { etag: '"7"', 'content-encoding': 'gzip', 'content-length': '9000' }, body: '' }
    expect(await send({ method: 'HEAD', query: { fields: 'id' } })).toEqual({ status: 200, headers: { etag: '"7"' }, body: {} })
    expect(seenNow().map(({ method, url }) => [method, url?.endsWith('/shop.json?fields=id')])).toEqual([
      ['HEAD', true],
      ['HEAD', true],
    ])
    reply = { status: 404, body: '' }
    expect((await failure(send({ method: 'HEAD' }))).code).toBe('record_not_found')
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s is sent once, and a failure leaves its outcome open', async (method) => {
    reply = { status: 500, body: {} }
    const error = await failure(
      send({ method, path: '/orders/1.json', ...(method === 'DELETE' ? {} : { body: { order: { note: 'a' } } }) }),
    )
    expect([error.code, seenNow().length]).toEqual(['outcome_unknown', 1])
  })

  test('carries JSON of any form, or a form', async () => {
    await send({ method: 'POST', path: '/a.json', body: [1, 'two', null] })
    await send({ method: 'POST', path: '/a.json', form: { a: { b: 1 }, c: [1, 2] } })
    expect(seenNow().map(({ body, headers }) => [headers['content-type'], body])).toEqual([
      ['application/json', '[1,"two",null]'],
      ['application/x-www-form-urlencoded', 'a%5Bb%5D=1&c%5B%5D=1&c%5B%5D=2'],
    ])
  })

  test.each([
    ['GET', { body: {} }, '/body'],
    ['HEAD', { form: {} }, '/body'],
    ['POST', { body: {}, form: {} }, '/form'],
  ] as const)('a %s with too many bodies is refused', async (method, more, field) => {
    const error = await failure(send({ method, ...more }))
    expect([error.code, error.errors?.[0]?.field]).toEqual(['validation_failed', field])
    expect(seenNow()).toHaveLength(0)
  })

  test('goes to a path whose escapes are no text', async () => {
    await send({ path: '/files/%ff' })
    expect(seenNow()[0]?.url).toMatch(/\/files\/%ff$/)
  })

  test('errors are those of the kind, without the secret', async () => {
    reply = { status: 401, body: { errors: 'wrong shpat_secret' } }
    const error = await failure(send({}))
    expect(error.code).toBe('upstream_auth_failed')
    expect(JSON.stringify(error.toProblem())).not.toContain('shpat_secret')
  })

  test('an answer that is no JSON is none', async () => {
    reply = { body: 'hello' }
    expect((await failure(send({}))).code).toBe('upstream_answer_invalid')
  })
})

describe('a path that leads elsewhere is refused before anything is sent:', () => {
  test.each([
    ...['shop.json', '', '//evil.example/a', 'https://evil.example/a', '/a/../b', '/..', '/./a', '/a/%2e%2e/b', '/a/.%2E', '/a//b'],
    ...['/a\\b', '/a%2fb', '/a%5Cb', '/a?b=1', '/a#b', '/a%', '/a%zz', '/a;b', '/a b', '/ä', '/a\nb', '/a\0b', '/a%00'],
    // Shopify's own endpoints of tokens and scopes, in every spelling.
    ...['/admin/oauth/access_token', '/admin/oauth/access_scopes.json', '/admin/OAuth/Access%5Ftoken/'],
  ])('%j', async (path) => {
    const error = await failure(send({ method: 'POST', path, body: {} }))
    expect([error.code, error.errors?.[0]?.field]).toEqual(['validation_failed', '/path'])
    expect(seenNow()).toHaveLength(0)
  })
})

test.each<[string, Kind]>([
  ['gong, which hides private calls', gong],
  ['snowflake, which checks statements', snowflake],
  ['tiktok-marketing, which checks ranges', tiktokMarketing],
])('%s takes no request', async (_why, kind) => {
  const error = await failure(engine.request(connection(kind), { request: { method: 'GET', path: '/a' } }))
  expect(error.code).toBe('action_not_supported')
  expect(seenNow()).toHaveLength(0)
})
