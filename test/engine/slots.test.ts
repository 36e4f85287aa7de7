import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'
import { buildPrefix, resolveOrigins } from '../../packages/ferrule/src/engine/http/origin.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { choose } from '../support/draws.ts'
import { findRefusal } from '../support/refusal.ts'
import { shopifyAt, token, watchRequests } from './shopify-support.ts'
import { drawHostParts, hostileHostParts } from './slot-support.ts'
import { failure, serve, testEngine } from './support.ts'

const { definition } = kinds.shopify
const addressOf = (configuration: Readonly<Record<string, unknown>>): string => {
  const connection = shopifyAt(undefined, { configuration })
  return resolveOrigins(connection, { api_key: token }).api + buildPrefix(connection)
}

describe('the name of a store', () => {
  test.each([
    'my-store',
    'My-Store',
    '  my-store\n',
    'my-store.myshopify.com',
    'MY-STORE.MyShopify.com',
    'my-store.myshopify.com/',
    'https://my-store.myshopify.com',
    'https://my-store.myshopify.com/',
    'http://my-store.myshopify.com',
    'HTTPS://My-Store.myshopify.com/',
    'admin.shopify.com/store/my-store',
    'admin.shopify.com/store/my-store/',
    'https://admin.shopify.com/store/my-store',
    'https://admin.shopify.com/store/my-store/',
  ])('%j is my-store', (shop) => {
    const configuration = checkConfiguration(definition, { shop })
    expect(configuration).toEqual({ shop: 'my-store' })
    expect(addressOf(configuration)).toBe('https://my-store.myshopify.com/admin/api/2026-07')
  })

  test.each(['a', '7', 'a_b', '0-0', 'x'.repeat(63), 'xn--nordlicht', 'www', 'admin'])('%j stays as it is', (shop) => {
    expect(checkConfiguration(definition, { shop })).toEqual({ shop })
  })

  const bypasses: readonly unknown[] = [
    ...hostileHostParts,
    // Values that would send the token elsewhere.
    'evil.example',
    'a:b',
    'a@b',
    'a\nb',
    'evil.example/\nmy-store',
    'my-store\nevil.example/',
    'my store',
    'a.b',
    'x'.repeat(64),
    // Forms that are almost accepted ones.
    'www.brand.example',
    'my-store.myshopify.com.evil.example',
    'my-store.myshopify.com@evil.example',
    'my-store.myshopify.com#@evil.example',
    'my-store.myshopify.com:443',
    'my-store.myshopify.com//',
    'my-store.myshopify.com/admin',
    'my-store.myshopify.com?x',
    'my-store.myshopify.com.',
    'my-store.shopify.com',
    'my-store.myshopify.io',
    'a.my-store.myshopify.com',
    'evil.example/my-store.myshopify.com',
    'https://evil.example/my-store.myshopify.com',
    'https://user@my-store.myshopify.com',
    'https://my-store.myshopify.com:8443',
    'https:my-store.myshopify.com',
    'https:///my-store.myshopify.com',
    '//my-store.myshopify.com',
    'ftp://my-store.myshopify.com',
    'javascript://my-store.myshopify.com',
    'https://https://my-store.myshopify.com',
    'https://admin.shopify.com/store/my-store/products',
    'https://admin.shopify.com/store/',
    'https://admin.shopify.com/store/../my-store',
    'https://admin.shopify.com.evil.example/store/my-store',
    'http://admin.shopify.com/store/my-store',
    'admin.shopify.com/my-store',
    // Letters that look alike, and some whose lower case is an ASCII letter.
    'my-stоre',
    'my‐store',
    'my-store。myshopify.com',
    'ｍy-store',
    'my-store\u200B',
    // No texts.
    ['my-store'],
    { toString: 'my-store' },
  ]

  test.each(bypasses)('%j is refused, and nothing goes out with what was stored under other rules', async (shop) => {
    expect(findRefusal(() => checkConfiguration(definition, { shop }))).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/replication_config/shop' }],
    })
    expect(findRefusal(() => connect('shopify', { credentials: { api_key: token }, config: { shop: shop as string } }))).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/config/shop' }],
    })
    using watch = watchRequests()
    await using engine = testEngine()
    const stored = shopifyAt(undefined, { configuration: { shop } })
    expect((await failure(engine.run(stored, { entity: 'shop', action: 'get' }))).code).toBe('validation_failed')
    expect(watch.origins).toEqual([])
  })

  test('says what it must be, and that a domain of its own is none', () => {
    expect(findRefusal(() => checkConfiguration(definition, { shop: 'www.brand.example' }))?.message).toContain('before .myshopify.com')
  })

  test('is needed: without it, and with null, nothing goes out', async () => {
    for (const configuration of [undefined, null, {}]) {
      expect(findRefusal(() => checkConfiguration(definition, configuration))?.errors).toMatchObject([
        { field: '/replication_config/shop', message: '/replication_config/shop is required.' },
      ])
    }
    await using server = await serve(() => ({ body: {} }))
    await using engine = testEngine()
    const without = shopifyAt(server.origin, { configuration: {} })
    expect((await failure(engine.run(without, { entity: 'shop', action: 'get' }))).code).toBe('validation_failed')
    expect(server.seen).toHaveLength(0)
  })

  test('whatever is given, requests go to one host below myshopify.com, or nowhere', async () => {
    // 10,000 inputs: seconds alone, half a minute beside other work.
    const shops = drawHostParts('my-store', '.myshopify.com', 'admin.shopify.com/store/')
    using watch = watchRequests()
    await using engine = testEngine()
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(shops, async (shop) => {
        const refused = findRefusal(() => checkConfiguration(definition, { shop }))
        if (refused === undefined) {
          accepted += 1
          const address = addressOf(checkConfiguration(definition, { shop }))
          expect(address).toMatch(/^https:\/\/[a-z0-9][a-z0-9_-]{0,62}\.myshopify\.com\/admin\/api\/2026-07$/)
          expect(new URL(address).hostname.split('.').slice(1)).toEqual(['myshopify', 'com'])
          expect(shop.toLowerCase()).toContain(new URL(address).hostname.split('.')[0])
          return
        }
        expect(refused.code).toBe('validation_failed')
        const stored = shopifyAt(undefined, { configuration: { shop } })
        expect((await failure(engine.run(stored, { entity: 'shop', action: 'get' }))).code).toBe('validation_failed')
      }),
      { numRuns: choose(2_000, 10_000) },
    )
    expect(watch.origins).toEqual([])
    expect(accepted).toBeGreaterThan(choose(20, 100))
  })
})

describe('the version of the API', () => {
  test('is that of the configuration, and one constant without it', () => {
    expect(addressOf({ shop: 'a' })).toBe('https://a.myshopify.com/admin/api/2026-07')
    expect(addressOf({ shop: 'a', api_version: '2025-10' })).toBe('https://a.myshopify.com/admin/api/2025-10')
  })

  test.each(['2026-7', '2026-02', '2026-07/', '../2026-07', 'unstable', '', ' 2026-07', '2026-07\n', '２０２６-07'])(
    '%j is refused',
    (api_version) => {
      expect(findRefusal(() => checkConfiguration(definition, { shop: 'a', api_version }))?.errors).toMatchObject([
        { field: '/replication_config/api_version', message: '/replication_config/api_version must be a version such as 2026-07.' },
      ])
      expect(findRefusal(() => addressOf({ shop: 'a', api_version }))?.code).toBe('validation_failed')
    },
  )
})

describe('the token', () => {
  test('goes in its header, and with nothing else that would be one', async () => {
    await using server = await serve(() => ({ body: { shop: { id: 1 } } }))
    await using engine = testEngine()
    await engine.run(shopifyAt(server.origin), { entity: 'shop', action: 'get' })
    const { host: _host, connection: _connection, ...headers } = server.seen[0]?.headers ?? {}
    expect(headers).toEqual({
      accept: 'application/json',
      'user-agent': 'ferrule',
      'x-forwarded-host': 'nordlicht-test.myshopify.com',
      'x-shopify-access-token': token,
    })
  })

  test.each(['shpat_a b', 'shpat_a\nb', 'shpat_ä', ' '])('that is %j is refused before it is sent', (api_key) => {
    expect(findRefusal(() => connect('shopify', { credentials: { api_key }, config: { shop: 'a' } }))).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/credentials/api_key' }],
    })
  })

  test('is not in an error, also where the vendor repeats it', async () => {
    await using server = await serve(() => ({ status: 400, headers: { 'x-request-id': token }, body: { errors: { [token]: token } } }))
    await using engine = testEngine()
    const error = await failure(engine.run(shopifyAt(server.origin), { entity: 'shop', action: 'get' }))
    expect(JSON.stringify(error.toProblem())).not.toContain(token)
    expect(error.upstream?.message).toBe('[secret]: [secret]')
  })
})
