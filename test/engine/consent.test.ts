/** The exchange of a consent's code: one request, whose end is clear or says that it is not. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { ErrorCode } from '../../packages/ferrule/src/errors.ts'
import { kind } from '../definition/acme.ts'
import { failure, type Reply, serve, testEngine } from './support.ts'

const redirectUrl = 'https://ferrule.example/connect/callback/gong'
const client = { client_id: 'CID', client_secret: 'c+secret/1&2"3' }
const app = { app_id: '7301122334455667788', secret: 'a+secret/1&2"3' }
const code = 'code/with+signs 1'
const basic = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`
const now = Date.UTC(2026, 0, 2)

const token = { access_token: 'AT_1', refresh_token: 'RT_1', expires_in: 86_400, token_type: 'Bearer', scope: 'api:users:read' }
const refusal = (vendorCode: number, message: string): Reply => ({ body: { code: vendorCode, message, request_id: 'r2', data: {} } })
const granted = (data: unknown): Reply => ({ body: { code: 0, message: 'OK', request_id: 'r1', data } })

const exchangeAt = async (kind: 'gong' | 'tiktok-marketing', reply: Reply) => {
  await using server = await serve(() => reply)
  await using engine = testEngine({ clock: () => now })
  const oauthClient: Readonly<Record<string, string>> = kind === 'gong' ? client : app
  const connection = { kind: kinds[kind], configuration: {}, origin: { api: server.origin } }
  const exchanged = engine.exchangeConsent(connection, { oauthClient: new Secret(oauthClient), code, redirectUrl })
  const result = await exchanged.then(
    (values) => ({ values: values.reveal() }),
    (thrown: unknown) => ({ thrown }),
  )
  return { ...result, seen: [...server.seen] }
}

describe('a code', () => {
  test('of Gong is exchanged by Basic, in the query, with the address of the return', async () => {
    const { seen, ...result } = await exchangeAt('gong', {
      body: { ...token, api_base_url_for_customer: 'https://company-17.api.gong.io' },
    })
    expect(seen).toHaveLength(1)
    const [request] = seen
    const url = new URL(request?.url ?? '', 'http://vendor')
    expect(request).toMatchObject({ method: 'POST', body: '', headers: { authorization: basic, 'x-forwarded-host': 'app.gong.io' } })
    expect(url.pathname).toBe('/oauth2/generate-customer-token')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      grant_type: 'authorization_code',
      client_id: 'CID',
      code,
      redirect_uri: redirectUrl,
    })
    expect(result).toEqual({
      values: {
        ...client,
        access_token: 'AT_1',
        refresh_token: 'RT_1',
        token_expiry_date: '2026-01-03T00:00:00.000Z',
        api_base_url_for_customer: 'https://company-17.api.gong.io',
      },
    })
  })

  test('of TikTok is exchanged in JSON, without the address, and is not kept', async () => {
    const { seen, ...result } = await exchangeAt(
      'tiktok-marketing',
      granted({ access_token: 'AT_1', advertiser_ids: [7412085530917364481n, '7412085530917364503'], scope: [4] }),
    )
    expect(seen.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/open_api/v1.3/oauth2/access_token/', { ...app, auth_code: code }],
    ])
    expect(result).toEqual({ values: { ...app, access_token: 'AT_1', advertiser_ids: '7412085530917364481,7412085530917364503' } })
  })

  test('without any account is exchanged too: nothing else lists none', async () => {
    const { values } = {
      values: undefined,
      ...(await exchangeAt('tiktok-marketing', granted({ access_token: 'AT_1', advertiser_ids: [] }))),
    }
    expect(values).toEqual({ ...app, access_token: 'AT_1' })
  })
})

const echo = `you sent ${client.client_secret} and ${code}, as ${encodeURIComponent(code)} and ${basic}`
const tiktokEcho = `you sent ${app.secret} and ${code}, as ${encodeURIComponent(code)}`
const again = { hint: expect.stringContaining('Start the consent again') }
const unclear = { ...again, retryable: false }

describe('an exchange that fails is asked once, and its error holds no secret:', () => {
  test.each<[string, 'gong' | 'tiktok-marketing', Reply, ErrorCode, Readonly<Record<string, unknown>>]>([
    ['a used code', 'gong', { status: 400, body: { error: 'invalid_grant', error_description: echo } }, 'upstream_auth_failed', again],
    [
      'a wrong client',
      'gong',
      { status: 401, body: { error: 'invalid_client' } },
      'upstream_auth_failed',
      { hint: expect.stringContaining('Check the id and the secret of the OAuth client') },
    ],
    ['a 400 of a proxy', 'gong', { status: 400, body: `<html>${echo}</html>` }, 'upstream_auth_failed', again],
    ['too many', 'gong', { status: 429, body: echo }, 'upstream_rate_limited', {}],
    ['a failure', 'gong', { status: 502, body: `<html>${echo}</html>` }, 'consent_unclear', unclear],
    [
      'a redirect',
      'gong',
      { status: 302, headers: { location: `https://elsewhere.example/?${encodeURIComponent(code)}` } },
      'consent_unclear',
      unclear,
    ],
    ['no JSON', 'gong', { body: `<html>${echo}</html>` }, 'consent_unclear', unclear],
    ['no token', 'gong', { body: { ...token, access_token: undefined, message: echo } }, 'consent_unclear', unclear],
    ['a token that no header carries', 'gong', { body: { ...token, access_token: 'A\r\nB' } }, 'consent_unclear', unclear],
    ['a cut connection', 'gong', (response) => response.destroy(), 'consent_unclear', unclear],
    [
      'a used code',
      'tiktok-marketing',
      refusal(40110, tiktokEcho),
      'upstream_auth_failed',
      { hint: expect.stringContaining('one exchange'), upstream: { code: '40110' } },
    ],
    [
      'a wrong secret',
      'tiktok-marketing',
      refusal(40101, tiktokEcho),
      'upstream_auth_failed',
      { hint: expect.stringContaining('developer app') },
    ],
    ['too many', 'tiktok-marketing', refusal(40100, tiktokEcho), 'upstream_rate_limited', {}],
    ['a failure', 'tiktok-marketing', refusal(50000, tiktokEcho), 'consent_unclear', unclear],
    ['no code', 'tiktok-marketing', { body: { message: tiktokEcho } }, 'consent_unclear', unclear],
  ])('%s of %s', async (_what, kind, ...[reply, expected, more]) => {
    const { seen, ...result } = await exchangeAt(kind, reply)
    const thrown = await failure('thrown' in result ? Promise.reject(result.thrown) : Promise.resolve(result))
    expect(thrown).toMatchObject({ code: expected, ...more })
    expect(seen).toHaveLength(1)
    const printed = [inspect(thrown, { depth: 9, showHidden: true }), JSON.stringify(thrown.toProblem())].join()
    for (const secret of [client.client_secret, app.secret, code, encodeURIComponent(code), basic, 'AT_1', 'RT_1'])
      expect(printed).not.toContain(secret)
  })

  test('a connection that never was: the code is unspent', async () => {
    await using engine = testEngine()
    const connection = { kind: kinds.gong, configuration: {}, origin: { api: 'http://127.0.0.1:1' } }
    const error = await failure(engine.exchangeConsent(connection, { oauthClient: new Secret(client), code, redirectUrl }))
    expect(error.code).toBe('upstream_unreachable')
  })

  test('a kind without a consent page', async () => {
    await using engine = testEngine()
    const connection = { kind: kind({}), configuration: {} }
    const error = await failure(engine.exchangeConsent(connection, { oauthClient: new Secret({}), code, redirectUrl }))
    expect(error.code).toBe('validation_failed')
  })
})

describe('the base address of the customer', () => {
  const exchangeWith = async (base: string, hasOverride: boolean) => {
    await using server = await serve(() => ({ body: { ...token, api_base_url_for_customer: base } }))
    await using engine = testEngine()
    const { definition, rules } = kinds.gong
    const own = { definition: { ...definition, origins: { api: server.origin, oauth: server.origin } }, rules }
    const connection = { kind: own, configuration: {}, ...(hasOverride ? { origin: { api: server.origin } } : {}) }
    return (await engine.exchangeConsent(connection, { oauthClient: new Secret(client), code, redirectUrl })).reveal()
  }

  test.each(['https://evil.example', 'https://api.gong.io.evil.example', 'http://company-17.api.gong.io', 'https://a@b.api.gong.io'])(
    'of somebody else is refused: %s',
    async (base) => {
      expect(await failure(exchangeWith(base, false))).toMatchObject({ code: 'upstream_answer_invalid', ...unclear })
    },
  )

  test('of the vendor is kept; behind an override, where nothing is sent to it, another is left out', async () => {
    const base = 'https://company-17.api.gong.io'
    expect(await exchangeWith(base, false)).toMatchObject({ api_base_url_for_customer: base })
    expect(await exchangeWith('http://127.0.0.1:1', true)).not.toHaveProperty('api_base_url_for_customer')
  })
})
