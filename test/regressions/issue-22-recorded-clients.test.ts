/** Six clients find the service, register, sign in and call, with what they really send. */
import { expect, test } from 'vitest'
import type { Json } from '../http/support.ts'
import {
  agree,
  buildAuthorization,
  createChallenge,
  openPage,
  post,
  readFormToken,
  registerClient,
  signIn,
  startOAuthWorld,
} from '../mcp/oauth-support.ts'
import { type RecordedClient, recordedClients } from '../mcp/recorded-clients.ts'
import { share } from '../support/share.ts'

const world = await share(startOAuthWorld())
await world.connect('shown')

/** Address that a user of a client typed. */
const typeAddress = ({ typed: [host, path] }: RecordedClient): string => {
  const url = new URL(world.issuer)
  url.hostname = host
  return `${url.origin}${path}`
}

/** Sends a message as a client does. `fetch` would add an `Accept` of its own, so none is an empty one. */
async function send({ accept, origin, protocol }: RecordedClient, [url, token, message]: readonly [string, string | undefined, Json]) {
  const headers = {
    'content-type': 'application/json',
    accept: accept ?? '',
    ...(origin === undefined ? {} : { origin }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(message.method === 'initialize' ? {} : { 'mcp-protocol-version': protocol }),
  }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  return { answer, text: await answer.text() }
}

/** Reads the result of an answer, in whichever form it came. */
function readResult({ answer, text }: Awaited<ReturnType<typeof send>>): Json {
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const data = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice(6)
    : text
  return JSON.parse(data ?? '').result
}

/** Finds the authorization server by the refusal of the endpoint, as each client does. */
async function discover(client: RecordedClient, url: string): Promise<{ readonly metadata: Json; readonly server: Json }> {
  const { answer } = await send(client, [url, undefined, { id: 0, method: 'initialize', params: {} }])
  expect(answer.status).toBe(401)
  const [, address = ''] = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
  const metadata: Json = await (await fetch(address)).json()
  const server: Json = await (await fetch(`${metadata.authorization_servers[0]}/.well-known/oauth-authorization-server`)).json()
  return { metadata, server }
}

test.each(recordedClients.map((client) => [client.name, client] as const))(
  '%s registers, signs in, renews and calls',
  async (_name, client) => {
    const url = typeAddress(client)
    const { metadata, server } = await discover(client, url)
    expect(metadata.resource).toBe(url) // a client compares it with what its user typed

    const registered = await fetch(server.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(client.registration),
    })
    const registration: Json = await registered.json()
    expect([registered.status, registration.error_description]).toEqual([201, undefined])
    expect(registration).toMatchObject({ token_endpoint_auth_method: 'none', redirect_uris: client.registration.redirect_uris })
    expect(registration).not.toHaveProperty('client_secret')
    expect(registration.grant_types).toEqual(['authorization_code', 'refresh_token'])

    const { client_id } = registration
    const { verifier, challenge } = createChallenge()
    const asked = { client_id, redirect_uri: client.redirect, code_challenge: challenge, resource: url, scope: client.scope }
    const code = (await agree(world, buildAuthorization(world, asked))).get('code') ?? ''
    const form = {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: verifier,
      redirect_uri: client.redirect,
      resource: url,
    }
    const { json: tokens } = await post(server.token_endpoint, form)
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^frl_mcp_/), scope: 'connectors:read execute:read' })
    const renewal = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token, resource: url }
    const { access_token: token } = (await post(server.token_endpoint, renewal)).json

    const { protocol: protocolVersion } = client
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: client.name, version: '1' } }
    const hello = readResult(await send(client, [url, token, { id: 1, method: 'initialize', params }]))
    expect(hello).toMatchObject({ protocolVersion, serverInfo: { name: 'ferrule' } })
    expect((await send(client, [url, token, { method: 'notifications/initialized' }])).answer.status).toBe(202)
    const { tools } = readResult(await send(client, [url, token, { id: 2, method: 'tools/list' }]))
    expect(tools.map(({ name }: Json) => name)).toContain('list_connectors')
    const call = { name: 'list_connectors', arguments: {} }
    expect(JSON.stringify(readResult(await send(client, [url, token, { id: 3, method: 'tools/call', params: call }])))).toContain('shown')
  },
)

const registerWith = (more: object) => {
  world.clock.now += 61_000 // another minute of the limits
  return registerClient(world, more)
}

test('a registration that names no method of authentication gets no secret', async () => {
  const { status, json } = await registerWith({ token_endpoint_auth_method: undefined })
  expect([status, json.token_endpoint_auth_method, 'client_secret' in json]).toEqual([201, 'none', false])
})

test.each<[string, object, object]>([
  ['a secret in a header', { token_endpoint_auth_method: 'client_secret_basic' }, { token_endpoint_auth_method: 'none' }],
  ['a signed assertion', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }, { token_endpoint_auth_method: 'none' }],
  ['a secret of its own', { client_secret: 'own', client_secret_expires_at: 0 }, { token_endpoint_auth_method: 'none' }],
  ['grants that nobody has', { grant_types: ['authorization_code', 'implicit', 'password'] }, { grant_types: ['authorization_code'] }],
  ['answers that nobody has', { response_types: ['code', 'token', 'code id_token'] }, { response_types: ['code'] }],
  ['null and empty members', { client_uri: null, logo_uri: '', scope: null, grant_types: null, application_type: null }, {}],
  ['a page that is no URL', { client_uri: 'none', contacts: ['nobody'], default_max_age: '0' }, {}],
  ['signatures of ID tokens', { id_token_signed_response_alg: 'HS256', subject_type: 'pairwise' }, {}],
])('a registration with %s is fitted to this service', async (_name, more, expected) => {
  const { status, json } = await registerWith(more)
  expect([status, json.error_description]).toEqual([201, undefined])
  expect(json).toMatchObject({ grant_types: expect.arrayContaining(['authorization_code']), ...expected })
  expect(json).not.toHaveProperty('client_secret')
})

test.each<[string, string, string]>([
  ['a private-use scheme', 'com.example.agent:/oauth', "form-action 'self' com.example.agent:;"],
  ['a private-use scheme with a host', 'cursor://anysphere.cursor-mcp/oauth/callback', "form-action 'self' cursor:;"],
  ['https on this machine', 'https://localhost:8443/oauth/callback', "form-action 'self' https://localhost:8443;"],
  ['an IPv6 address of this machine', 'http://[::1]:6274/oauth/callback', "form-action 'self';"],
])('a client with %s gets its code there, and nowhere else', async (_name, uri, policy) => {
  const { status, json } = await registerWith({ redirect_uris: [uri] })
  expect([status, json.error_description]).toEqual([201, undefined])
  const authorize = (redirect_uri: string) =>
    buildAuthorization(world, { client_id: json.client_id, redirect_uri, code_challenge: createChallenge().challenge })
  const opened = await openPage(world, authorize(uri))
  expect(opened.page.headers.get('content-security-policy')).toContain(policy)
  const consent = await signIn(world, opened)
  expect(consent.text).toContain(uri.startsWith('http') ? new URL(uri).host : uri.split('/oauth')[0])
  const form = { form_token: readFormToken(consent.text), organization: world.organizationId, workspace: 'default', reach: 'all' }
  const sent = await opened.browser.ask(opened.at, { ...form, action: 'allow' })
  const done = await opened.browser.follow(sent, world.issuer)
  expect(done.location?.split('?')[0]).toBe(uri)
  expect(done.location).toContain('code=')
  expect((await openPage(world, authorize(`${uri}/more`))).page.status).toBe(400)
})

test.each([
  ...['javascript:alert(1)', 'javascript://x/%0aalert(1)', 'data://text/html,x', 'file:///etc/passwd', 'blob://x/y', 'vbscript://x/y'],
  ...[
    'view-source://x/y',
    'filesystem://x/y',
    'chrome-extension://x/y',
    'ftp://client.example/',
    'wss://client.example/',
    'mailto:a@b.example',
  ],
  ...['http://client.example/callback', 'http://10.0.0.1/callback', 'cursor://user:password@host/callback', 'cursor://host/callback#a'],
])('a registration with the redirect %s is refused', async (uri) => {
  const { status, json } = await registerWith({ redirect_uris: ['https://client.example/callback', uri] })
  expect([status, json.error]).toEqual([400, 'invalid_redirect_uri'])
})
