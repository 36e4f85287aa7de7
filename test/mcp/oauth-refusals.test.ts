/** What the authorization server refuses, and how it says so. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Http } from '../../packages/ferrule/src/engine/http/http.ts'
import type { DocumentHttp } from '../../packages/server/src/http/oauth/documents.ts'
import { serve } from '../engine/support.ts'
import { base, client, type Json, tokenPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import {
  agree,
  Browser,
  buildAuthorization,
  callback,
  createChallenge,
  Login,
  logIn,
  openPage,
  post,
  registerClient,
  startOAuthWorld,
} from './oauth-support.ts'

let document: { status?: number; headers?: Record<string, string>; body?: string } = {}
const real = new Http()
const documentUrl = 'https://agent.example/client.json'

/** Sends requests for the stand-in's host to the stand-in, and all others where the service sends them. */
const documents: DocumentHttp = {
  open: (request) => {
    if (request.url.host !== 'agent.example') return real.open(request)
    return real.open({ ...request, trust: 'config', url: new URL(request.url.pathname, host.origin) })
  },
  close: () => real.close(),
}

const host = await share(serve(() => ({ headers: { 'content-type': 'application/json' }, ...document })))
const world = await share(startOAuthWorld({ documents }))
const clientId = (await registerClient(world)).json.client_id
beforeEach(() => {
  world.clock.now += 61_000 // another minute of the limits
})

/** Lists tokens and grants, with a bearer token of now. */
const listTokens = async (): Promise<Json[]> => {
  const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
  return (await world.ask(`${base}/account/mcp-tokens`, { token: json.access_token })).json.data
}
const authorize = (more: Readonly<Record<string, string | undefined>> = {}) =>
  buildAuthorization(world, { client_id: clientId, code_challenge: createChallenge().challenge, ...more })
const readError = async (url: string) => {
  const { location, status, text } = await new Browser().ask(url)
  if (!location?.startsWith(callback)) return { status, text }
  const { search, hash } = new URL(location)
  return new URLSearchParams(search || hash.slice(1)).get('error')
}

describe('an authorization', () => {
  test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token in the address', { response_type: 'token' }, 'invalid_request'],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['without a page', { prompt: 'none' }, 'consent_required'],
    ['by a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ])('%s goes back with an error', async (_name, more, error) => {
    expect(await readError(authorize(more))).toBe(error)
  })

  test.each<[string, Readonly<Record<string, string>>]>([
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a longer redirect URI', { redirect_uri: `${callback}/more` }],
    ['an unknown client', { client_id: 'nobody' }],
  ])('with %s ends on a page, and sends nobody anywhere', async (_name, more) => {
    const { status, text } = Object(await readError(authorize(more)))
    expect(status).toBe(400)
    expect(text).toContain('<h1>Not connected</h1>')
    expect(text).not.toContain('<form')
  })

  test('gets known scopes only, whatever it asks for', async () => {
    const { page } = await openPage(world, authorize({ scope: 'applications:write openid claudeai execute:write' }))
    expect(page.text).toContain('Sign in with an application')
    const grantScopes = async (scope: string | undefined, form = {}) => {
      world.clock.now += 1 // ids sort by time
      expect((await agree(world, authorize({ scope }), { form })).get('code')).not.toBeNull()
      return (await listTokens()).at(-1).scopes.join(' ')
    }
    expect(await grantScopes('applications:write openid claudeai')).toBe('connectors:read execute:read')
    expect(await grantScopes('connectors:read')).toBe('connectors:read')
    expect(await grantScopes(undefined, { write: 'yes' })).toBe('connectors:read execute:read execute:write')
  })

  test('is answered in the address, whatever way the client asks for', async () => {
    expect((await agree(world, authorize({ response_mode: 'form_post' }))).get('code')).not.toBeNull()
  })

  test('knows its address from the settings, whatever a request says', async () => {
    const lies = { host: `127.0.0.1:${world.port}`, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const path = authorize().slice(world.issuer.length)
    const { headers } = await world.open(path, { headers: lies })
    expect(headers.location).toMatch(`${world.issuer}/oauth/consent/`)
    expect(String(headers['set-cookie'])).not.toContain('evil')
    for (const foreign of [{ host: 'evil.example' }, { origin: 'https://evil.example' }])
      expect((await world.open(path, { headers: foreign })).statusCode).toBe(403)
  })
})

describe('a token request', () => {
  const exchange = async (more: Readonly<Record<string, string>>) => {
    const { verifier, challenge } = createChallenge()
    const code = (await agree(world, authorize({ code_challenge: challenge }))).get('code') ?? ''
    const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: callback }
    return post(`${world.issuer}/oauth/token`, { ...form, ...more })
  }
  test.each<[string, Readonly<Record<string, string>>, number, string]>([
    ['a wrong verifier', { code_verifier: createChallenge().verifier }, 400, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }, 400, 'invalid_grant'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 400, 'invalid_target'],
    ['another grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['a password', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['an unknown code', { code: 'x'.repeat(43) }, 400, 'invalid_grant'],
  ])('with %s gets an error in the form of RFC 6749', async (...[, more, status, error]) => {
    const answer = await exchange(more)
    expect([answer.status, answer.json.error, typeof answer.json.error_description]).toEqual([status, error, 'string'])
    expect(answer.headers.get('cache-control')).toContain('no-store')
  })

  test('of another client gets nothing for a stolen code or refresh token', async () => {
    const other = (await registerClient(world)).json.client_id
    expect((await exchange({ client_id: other })).json.error).toBe('invalid_grant')
    const { json } = await exchange({})
    const stolen = await post(`${world.issuer}/oauth/token`, {
      grant_type: 'refresh_token',
      client_id: other,
      refresh_token: json.refresh_token,
    })
    expect(stolen.json.error).toBe('invalid_grant')
  })

  test('asks for no more scopes than were granted', async () => {
    const { json } = await exchange({})
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: json.refresh_token, scope: 'execute:write' }
    expect((await post(`${world.issuer}/oauth/token`, form)).json.error).toBe('invalid_scope')
  })
})

describe('a malformed request', () => {
  const json = { 'content-type': 'application/json' }
  const sendForm = (form: Readonly<Record<string, string>>) => ({ method: 'POST', body: new URLSearchParams(form) })
  test.each<[string, string, RequestInit, number]>([
    ['of a token as JSON', '/oauth/token', { method: 'POST', headers: json, body: '{}' }, 400],
    ['of a token without a body', '/oauth/token', { method: 'POST' }, 400],
    [
      'of a token with a zero byte',
      '/oauth/token',
      sendForm({ grant_type: 'refresh_token', client_id: '\u0000', refresh_token: '\u0000' }),
      401,
    ],
    ['from a page of another site', '/oauth/token', { method: 'POST', headers: { origin: 'https://evil.example' } }, 403],
    ['of a registration that is no JSON', '/oauth/register', { method: 'POST', headers: json, body: '{' }, 400],
    ['of a registration that is too large', '/oauth/register', { method: 'POST', headers: json, body: `"${'x'.repeat(100_000)}"` }, 400],
    ['of a registration with odd types', '/oauth/register', { method: 'POST', headers: json, body: '{"redirect_uris":"x"}' }, 400],
  ])('%s gets an error in the form of RFC 6749', async (...[, path, sent, status]) => {
    const answer = await fetch(`${world.issuer}${path}`, sent)
    expect([answer.status, Object.keys(Object(await answer.json()))]).toEqual([status, ['error', 'error_description']])
  })

  test.each(['/oauth/authorize', '/oauth/authorize?client_id=a&client_id=b&scope=a&scope=b', '/oauth/authorize/abc', '/oauth/consent/abc'])(
    'at %s ends on a page',
    async (path) => {
      const { status, text } = await new Browser().ask(`${world.issuer}${path}`)
      expect([status, text.includes('<h1>Not connected</h1>')]).toEqual([400, true])
    },
  )
})

describe('a registration', () => {
  test.each<[string, object, string]>([
    ['http elsewhere', { redirect_uris: ['http://client.example/callback'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${callback}#a`] }, 'invalid_redirect_uri'],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['tokens in the address', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['client credentials', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('with %s is refused', async (_name, more, error) => {
    const { status, json } = await registerClient(world, more)
    expect([status, json.error]).toEqual([400, error])
  })

  test('leaves out addresses that the service would have to fetch', async () => {
    const seen = host.seen.length
    const uris = { sector_identifier_uri: 'https://agent.example/', jwks_uri: 'https://agent.example/' }
    const { status, json } = await registerClient(world, uris)
    expect([status, Object.keys(uris).filter((name) => name in json), host.seen.length]).toEqual([201, [], seen])
  })

  test('takes loopback redirects on any port (RFC 8252)', async () => {
    const { json } = await registerClient(world, { redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback', callback] })
    for (const redirect_uri of ['http://localhost:5217/callback', 'http://127.0.0.1:40123/callback', callback]) {
      const { page } = await openPage(world, authorize({ client_id: json.client_id, redirect_uri }))
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${new URL(redirect_uri).origin};`)
    }
  })

  test('is limited per address', async () => {
    const states: number[] = []
    for (let count = 0; count < 11; count += 1) states.push((await registerClient(world)).status)
    expect(states).toEqual([...Array(10).fill(201), 429])
    const { json, headers } = await registerClient(world)
    expect([json.error, Number(headers.get('retry-after')) > 0]).toEqual(['temporarily_unavailable', true])
  })

  test('is deleted after a day without use, and a used one stays', async () => {
    const [unused, used] = [(await registerClient(world)).json.client_id, (await registerClient(world)).json.client_id]
    await agree(world, authorize({ client_id: used }))
    const now = world.clock.now
    world.clock.now += 25 * 60 * 60 * 1_000
    await world.platform.oauth.purgeExpired(world.clock.now)
    const find = (id: string) => world.platform.oauth.find({ type: 'Client', id })
    expect([await find(unused), (await find(used)) !== undefined]).toEqual([undefined, true])
    world.clock.now = now
  })
})

describe('a metadata document', () => {
  const valid = { client_id: documentUrl, client_name: 'Agent', redirect_uris: [callback], token_endpoint_auth_method: 'none' }
  const ask = (url = documentUrl) => readError(authorize({ client_id: url }))

  test('introduces a client without a registration', async () => {
    document = { headers: { 'cache-control': 'max-age=0' }, body: JSON.stringify(valid) }
    const login = new Login(callback, documentUrl)
    await logIn(world, login)
    expect(login.information?.client_id).toBe(documentUrl)
    expect(login.stored?.access_token).toMatch(/^frl_mcp_/)
    expect((await listTokens()).at(-1)).toMatchObject({ name: 'Agent', client_id: documentUrl })
    const { page } = await openPage(world, authorize({ client_id: documentUrl }))
    expect(page.text).toContain('describes itself at agent.example')
  })

  test('may prefer a signed assertion, as long as the client can do without', async () => {
    const url = 'https://agent.example/signed.json'
    const signed = { ...valid, client_id: url, token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'RS256' }
    const choices = { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'], jwks_uri: 'https://agent.example/jwks.json' }
    document = { body: JSON.stringify({ ...signed, ...choices }) }
    const login = new Login(callback, url)
    await logIn(world, login)
    expect(login.stored?.access_token).toMatch(/^frl_mcp_/)
    document = { body: JSON.stringify({ ...signed, client_id: `${url}?only` }) }
    expect(await ask(`${url}?only`)).toMatchObject({ status: 400 })
  })

  test.each<[string, typeof document]>([
    ['of another client', { body: JSON.stringify({ ...valid, client_id: 'https://agent.example/other.json' }) }],
    ['that redirects', { status: 302, headers: { location: '/client.json' } }],
    ['that is too large', { body: JSON.stringify({ ...valid, client_name: 'x'.repeat(17_000) }) }],
    ['that is no JSON', { body: '<html>' }],
    ['that leads elsewhere', { body: JSON.stringify({ ...valid, redirect_uris: ['http://client.example/'] }) }],
  ])('%s is refused', async (name, given) => {
    document = given
    const url = `https://agent.example/${encodeURIComponent(name)}.json`
    document = { ...given, ...(given.body === undefined ? {} : { body: given.body.replaceAll(documentUrl, url) }) }
    expect(await ask(url)).toMatchObject({ status: 400 })
  })

  test.each([
    'https://127.0.0.1/client.json',
    'https://10.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://localhost/client.json',
    'https://169.254.169.254/client.json',
    'http://agent.example/client.json',
  ])('at %s is not fetched', async (url) => {
    const seen = host.seen.length
    const { status, text } = Object(await ask(url))
    expect(status).toBe(400)
    expect(text).not.toContain('127.0.0.1')
    expect(host.seen.length).toBe(seen)
  })
})
