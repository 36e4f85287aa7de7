import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { resolveOrigins } from '../../packages/ferrule/src/engine/http/origin.ts'
import { accessKey, fixed, gongAt, pageOf, serve, testEngine } from './support.ts'

const base = (configuration: Readonly<Record<string, unknown>> = {}) => ({ kind: kinds.gong, configuration, credentials: fixed(accessKey) })
const customer = { api_base_url_for_customer: 'https://company-17.api.gong.io/' }

describe('where requests go', () => {
  test('to the vendor, without a word about it', () => {
    expect(resolveOrigins(base(), accessKey)).toMatchObject({
      api: 'https://api.gong.io',
      oauth: 'https://app.gong.io',
      media: undefined,
      forwarded: { api: {}, oauth: {} },
    })
  })

  test('to the customer’s own base: that of the credentials before that of the configuration', () => {
    expect(resolveOrigins(base(customer), accessKey).api).toBe('https://company-17.api.gong.io')
    const values = { refresh_token: 'r', api_base_url_for_customer: 'https://company-18.api.gong.io' }
    expect(resolveOrigins(base(customer), values).api).toBe('https://company-18.api.gong.io')
    expect(resolveOrigins(base(customer), values).oauth).toBe('https://app.gong.io')
  })

  test('never to a base that is not the vendor’s', () => {
    expect(() => resolveOrigins(base({ api_base_url_for_customer: 'https://evil.example' }), accessKey)).toThrow(/not one of the vendor/)
  })

  test('to an override before all of these, which is told whom they were for', () => {
    const override = { api: 'http://127.0.0.1:1/', oauth: 'http://127.0.0.1:2', media: 'http://127.0.0.1:3//' }
    expect(resolveOrigins({ ...base(customer), origin: override }, accessKey)).toMatchObject({
      api: 'http://127.0.0.1:1',
      oauth: 'http://127.0.0.1:2',
      media: 'http://127.0.0.1:3',
      forwarded: { api: { 'x-forwarded-host': 'company-17.api.gong.io' }, oauth: { 'x-forwarded-host': 'app.gong.io' } },
    })
    expect(resolveOrigins({ ...base(), origin: { api: 'http://127.0.0.1:1' } }, accessKey).oauth).toBe('http://127.0.0.1:1')
  })

  test('below the path of an override, for a proxy that has one', async () => {
    await using server = await serve(() => ({ body: pageOf({ users: [] }) }))
    await using engine = testEngine()
    await engine.run(gongAt(`${server.origin}/egress/gong/`), { entity: 'users', action: 'list' })
    expect(server.seen[0]).toMatchObject({ url: '/egress/gong/v2/users', headers: { 'x-forwarded-host': 'api.gong.io' } })
  })
})
