/** The words of definitions about consent: the address of the page, what comes back, what a connector reads. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/index.ts'
import {
  buildConsentUrl,
  type ConsentReturn,
  describeReadable,
  findConsent,
  readConsentReturn,
} from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { OriginOverride } from '../../packages/ferrule/src/engine/http/origin.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { acme } from '../definition/acme.ts'

const gong = kinds.gong.definition
const tiktok = kinds['tiktok-marketing'].definition
const client = new Secret({ client_id: '038HLrv1cef0h7', client_secret: 'hidden secret' })
const app = new Secret({ app_id: '7301122334455667788', secret: 'hidden secret' })
const redirectUrl = 'https://ferrule.example/connect/callback/gong'

describe('the scheme of a consent', () => {
  test('names what the operator gives, and what the owner chooses', () => {
    expect(findConsent(gong)).toMatchObject({ name: 'oauth', title: 'OAuth 2.0', oauthClientFields: ['client_id', 'client_secret'] })
    expect(findConsent(gong)?.accounts).toBeUndefined()
    expect(findConsent(gong)?.scopes).toContain('api:workspaces:read')
    expect(findConsent(tiktok)).toMatchObject({
      name: 'oauth',
      oauthClientFields: ['app_id', 'secret'],
      scopes: [],
      accounts: { configuration: 'advertiser_id' },
    })
  })

  test('is missing where a kind has no page', () => {
    expect(findConsent(acme)).toBeUndefined()
  })
})

describe('the address of the page', () => {
  test('of Gong is as its documents write it, with spaces as %20', () => {
    const scopes = ['api:calls:create', 'api:calls:read:basic']
    const url = buildConsentUrl({ definition: gong, oauthClient: client, redirectUrl, state: '296bc9a0', scopes })
    expect(url).toBe(
      'https://app.gong.io/oauth2/authorize?client_id=038HLrv1cef0h7&response_type=code&scope=api%3Acalls%3Acreate%20api%3Acalls%3Aread%3Abasic&redirect_uri=https%3A%2F%2Fferrule.example%2Fconnect%2Fcallback%2Fgong&state=296bc9a0',
    )
  })

  test('asks Gong for the scopes of every entity, and TikTok for none', () => {
    const ask = (url: string) => new URL(url).searchParams
    const asked = ask(buildConsentUrl({ definition: gong, oauthClient: client, redirectUrl, state: 's' })).get('scope')
    expect(asked?.split(' ')).toHaveLength(14)
    const tiktokUrl = buildConsentUrl({ definition: tiktok, oauthClient: app, redirectUrl, state: 's' })
    expect(tiktokUrl).toMatch(/^https:\/\/business-api\.tiktok\.com\/portal\/auth\?/)
    expect(Object.fromEntries(ask(tiktokUrl))).toEqual({ app_id: '7301122334455667788', redirect_uri: redirectUrl, state: 's' })
  })

  test('has the digest of a verifier where the vendor has PKCE, and is refused without one', () => {
    const definition: ConnectorDefinition = JSON.parse(JSON.stringify(gong), (name, value) =>
      name === 'consent' ? { ...value, pkce: true } : value,
    )
    // The example of RFC 7636, appendix B.
    const verifier = new Secret('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
    const options = { definition, oauthClient: client, redirectUrl, state: 's' }
    expect(Object.fromEntries(new URL(buildConsentUrl({ ...options, verifier })).searchParams)).toMatchObject({
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    expect(findConsent(definition)?.hasVerifier).toBe(true)
    expect(() => buildConsentUrl(options)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
    expect(() => buildConsentUrl({ ...options, verifier: new Secret('short') })).toThrow(FerruleError)
  })

  test('holds no secret, and keeps every character of the state', () => {
    const state = 'a b&c=d#e+f%20/é'
    for (const [definition, oauthClient] of [[gong, client] as const, [tiktok, app] as const]) {
      const url = buildConsentUrl({ definition, oauthClient, redirectUrl, state })
      expect(decodeURIComponent(url)).not.toContain('hidden secret')
      expect(new URL(url).searchParams.get('state')).toBe(state)
    }
  })

  test('goes to the origin that replaces the vendor', () => {
    const at = (origins: OriginOverride) =>
      new URL(buildConsentUrl({ definition: gong, oauthClient: client, redirectUrl, state: 's', origins })).origin
    expect(at({ api: 'http://localhost:1', oauth: 'http://localhost:2/' })).toBe('http://localhost:2')
    expect(at({ api: 'http://localhost:1' })).toBe('http://localhost:1')
    expect(at({ api: 'http://egress:8080', oauth: 'http://egress:8080', consent: 'https://app.gong.io' })).toBe('https://app.gong.io')
  })

  test("is on the customer's host, which is a further domain of the vendor for some, and on no other", () => {
    const at = (account: string) =>
      new URL(
        buildConsentUrl({
          definition: kinds.snowflake.definition,
          ...{ oauthClient: client, redirectUrl, state: 's', verifier: new Secret('v'.repeat(43)), configuration: { account, role: 'R' } },
        }),
      ).origin
    expect(at('myorg-a')).toBe('https://myorg-a.snowflakecomputing.com')
    expect(at('myorg-a.snowflakecomputing.cn')).toBe('https://myorg-a.snowflakecomputing.cn')
    for (const wrong of ['', 'evil.example/', 'a.snowflakecomputing.com', 'a@evil.example#']) expect(() => at(wrong)).toThrow(FerruleError)
  })

  test('needs the OAuth client, and a kind with a page', () => {
    const attempt = (definition: ConnectorDefinition) => () =>
      buildConsentUrl({ definition, oauthClient: new Secret({ client_secret: 'hidden secret' }), redirectUrl, state: 's' })
    expect(attempt(gong)).toThrow(
      expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ field: '/oauthClient/client_id' })] }),
    )
    expect(attempt(acme)).toThrow(FerruleError)
    expect(attempt(acme)).toThrow('Acme has no consent page')
  })
})

describe('the return', () => {
  const read = (definition: typeof gong | typeof tiktok, query: string) => readConsentReturn(definition, new URLSearchParams(query))

  test.each<[string, typeof gong | typeof tiktok, string, ConsentReturn]>([
    ['a code', gong, 'code=c1&state=s1', { state: 's1', code: 'c1' }],
    ['two names of one code', tiktok, 'auth_code=a1&code=c1&state=s1', { state: 's1', code: 'a1' }],
    ['the other name alone', tiktok, 'code=c1&state=s1', { state: 's1', code: 'c1' }],
    ['a name of another vendor', gong, 'auth_code=a1&state=s1', { state: 's1', empty: true }],
    ['a refusal', gong, 'error=access_denied&state=s1', { state: 's1', refused: 'access_denied' }],
    ['a refusal beside a code', gong, 'error=access_denied&code=c1&state=s1', { state: 's1', refused: 'access_denied' }],
    ['a refusal with a text', gong, 'error=%3Cscript%3E&state=s1', { state: 's1', refused: 'unknown' }],
    ['a refusal without a word', gong, 'error=&state=s1', { state: 's1', refused: 'unknown' }],
    ['nothing', gong, '', { empty: true }],
    ['an empty code', gong, 'code=&state=', { empty: true }],
    ['a code without a state', gong, 'code=c1', { code: 'c1' }],
    ['a repeated state', gong, 'code=c1&state=s1&state=s2', { code: 'c1' }],
    ['a repeated code', gong, 'code=c1&code=c2&state=s1', { state: 's1', empty: true }],
  ])('with %s', (_what, definition, ...[query, expected]) => {
    expect(read(definition, query)).toEqual(expected)
  })
})

test('what a connector reads is said in words', () => {
  const readable = describeReadable(gong)
  expect(readable).toHaveLength(16)
  expect(readable.map(({ entity }) => entity)).toContain('call_transcripts')
  expect(readable.every(({ about }) => about.length > 0)).toBe(true)
  expect(inspect(readable)).not.toContain('_id')
  expect(readable.some(({ isChangeable }) => isChangeable)).toBe(false)
  expect(describeReadable(kinds.snowflake.definition).filter(({ isChangeable }) => isChangeable)).toMatchObject([{ entity: 'record' }])
})
