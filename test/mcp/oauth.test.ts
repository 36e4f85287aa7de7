/** The way of a hosted client to its tokens, by the official client, until the grant ends. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { auth as authOld } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, expect, test } from 'vitest'
import { buildServerMetadata } from '../../packages/server/src/http/oauth/metadata.ts'
import { base, client, createTenant, type Json } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import {
  agree,
  buildAuthorization,
  callback,
  connectLogin,
  createChallenge,
  Login,
  logIn,
  openPage,
  post,
  readFormToken,
  refresh,
  registerClient,
  signIn,
  startOAuthWorld,
} from './oauth-support.ts'

const folder = makeFolder('oauth')
const world = await startOAuthWorld({ folder })
await world.connect('shown')
afterAll(() => world.close())

/** Everything that must be neither stored nor logged in clear. */
const secrets: string[] = [client.secret]
/** Lines of the log before the restart. */
const log: string[] = []
const list = async (token = world.token): Promise<Json[]> => (await world.ask(`${base}/account/mcp-tokens`, { token })).json.data
const ping = async (token: string) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  return (await world.open('/mcp', { token, body, headers: { accept: 'application/json, text/event-stream' } })).statusCode
}
const tokenUrl = () => `${world.issuer}/oauth/token`

/** Gets tokens by hand. */
async function getTokens(
  form: Readonly<Record<string, string | readonly string[]>> = {},
  id: string = client.id,
  secret: string = client.secret,
) {
  const { client_id } = (await registerClient(world)).json
  const { verifier, challenge } = createChallenge()
  const scope = 'connectors:read execute:read execute:write'
  const answer = await agree(world, buildAuthorization(world, { client_id, code_challenge: challenge, scope }), { id, secret, form })
  const code = answer.get('code') ?? ''
  const exchange = {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri: callback,
    resource: world.resource,
  }
  const { json } = await post(tokenUrl(), exchange)
  secrets.push(code, json.access_token, json.refresh_token)
  const renew = async (refresh_token: string) => {
    const answer = await post(tokenUrl(), { grant_type: 'refresh_token', client_id, refresh_token })
    if (answer.json.access_token !== undefined) secrets.push(answer.json.access_token, answer.json.refresh_token)
    return answer
  }
  return { clientId: client_id, tokens: json, exchange, renew }
}

test('the metadata leads from the endpoint to the server, and states what the server does', async () => {
  const resource = await (await fetch(`${world.issuer}/.well-known/oauth-protected-resource/mcp`)).json()
  expect(resource).toMatchObject({ resource: world.resource, authorization_servers: [world.issuer] })
  const answer = await fetch(`${world.issuer}/.well-known/oauth-authorization-server`)
  expect(await answer.json()).toEqual(buildServerMetadata(world.issuer))
})

test('a client finds the server by the refusal, registers, and reads with a token of one hour', async () => {
  const login = new Login()
  const answer = await logIn(world, login)
  expect([answer.get('iss'), answer.get('state')]).toEqual([world.issuer, 'state-of-the-client'])
  const scope = 'connectors:read execute:read'
  expect(login.stored).toMatchObject({ access_token: expect.stringMatching(/^frl_mcp_/), expires_in: 3_600, token_type: 'Bearer', scope })
  const agent = await connectLogin(world, login)
  const { tools } = await agent.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('write')
  expect(JSON.stringify(await agent.callTool({ name: 'list_connectors', arguments: {} }))).toContain('shown')
  await agent.close()

  const [grant] = await list()
  const client_id = login.information?.client_id
  expect(grant).toMatchObject({
    name: 'Test client',
    client_id,
    workspaces: [{ name: 'default' }],
    connector_ids: null,
    resource: world.resource,
  })
  expect(grant.scopes.join(' ')).toBe(scope)
  expect(grant.last_used_at).not.toBeNull()

  const first = login.stored
  expect(await refresh(world, login)).toBe('AUTHORIZED')
  expect(login.stored?.access_token).not.toBe(first?.access_token)
  expect(login.stored?.refresh_token).not.toBe(first?.refresh_token)
  const renewed = await connectLogin(world, login)
  expect((await renewed.listTools()).tools).toEqual(tools)
  await renewed.close()
  expect((await list()).length).toBe(1) // a refresh adds no entry
  for (const { access_token = '', refresh_token = '' } of [first, login.stored].map((each) => ({ ...each })))
    secrets.push(access_token, refresh_token)

  await world.ask(`${base}/account/mcp-tokens/${grant.id}`, { method: 'DELETE', token: world.token })
  expect(await ping(login.stored?.access_token ?? '')).toBe(401)
  const gone = await post(tokenUrl(), {
    grant_type: 'refresh_token',
    client_id: client_id ?? '',
    refresh_token: login.stored?.refresh_token ?? '',
  })
  expect([gone.status, gone.json.error]).toEqual([400, 'invalid_grant'])
})

test('writing takes a tick, and a token is bound to its address', async () => {
  const { tokens } = await getTokens({ write: 'yes' })
  expect(tokens.scope).toBe('connectors:read execute:read execute:write')
  expect(await ping(tokens.access_token)).toBe(200)
  expect((await world.ask(`${base}/organizations`, { token: tokens.access_token })).json.code).toBe('invalid_token')
  expect((await getTokens()).tokens.scope).toBe('connectors:read execute:read')
})

test('a used refresh token that comes again later ends the family, and so does a used code', async () => {
  const { tokens, renew, exchange } = await getTokens()
  const renewed = (await renew(tokens.refresh_token)).json
  expect([await ping(tokens.access_token), await ping(renewed.access_token)]).toEqual([200, 200])
  world.clock.now += 61_000
  expect((await renew(tokens.refresh_token)).json.error).toBe('invalid_grant')
  expect([await ping(tokens.access_token), await ping(renewed.access_token)]).toEqual([401, 401])
  expect((await renew(renewed.refresh_token)).json.error).toBe('invalid_grant')
  expect((await post(tokenUrl(), exchange)).json.error).toBe('invalid_grant')

  const other = await getTokens()
  expect((await post(tokenUrl(), other.exchange)).json.error).toBe('invalid_grant')
  expect(await ping(other.tokens.access_token)).toBe(401)
})

test('a client revokes its own tokens only', async () => {
  const { tokens, clientId, renew } = await getTokens()
  const stranger = (await registerClient(world)).json.client_id
  const revoke = (client_id: string) => post(`${world.issuer}/oauth/revoke`, { client_id, token: tokens.refresh_token })
  expect((await revoke(stranger)).status).toBe(200) // RFC 7009: no word about tokens of others
  expect(await ping(tokens.access_token)).toBe(200)
  expect((await revoke(clientId)).status).toBe(200)
  expect(await ping(tokens.access_token)).toBe(401)
  expect((await renew(tokens.refresh_token)).json.error).toBe('invalid_grant')
})

test('a grant ends with the secret of its application, and nobody else sees it', async () => {
  const tenant = await createTenant(world, 'Other')
  const made = await world.ask(`${base}/account/applications`, { token: tenant.token, body: { name: 'Signs in' } })
  const { id, client_id, client_secret } = made.json
  secrets.push(client_secret)
  const { tokens, clientId, renew } = await getTokens({ organization: tenant.organizationId }, client_id, client_secret)
  expect(await ping(tokens.access_token)).toBe(200)
  const [mine, theirs] = [await list(), await list(tenant.token)].map((all) => all.filter((each) => each.client_id === clientId).length)
  expect([mine, theirs]).toEqual([0, 1])
  await world.ask(`${base}/account/applications/${id}/rotate-secret`, { method: 'POST', token: tenant.token })
  expect(await ping(tokens.access_token)).toBe(401)
  expect((await renew(tokens.refresh_token)).json.error).toBe('invalid_grant')
})

test('a restart keeps registrations, grants, and what waits for an operator', async () => {
  const { tokens, clientId, renew } = await getTokens()
  const { verifier, challenge } = createChallenge()
  const opened = await openPage(world, buildAuthorization(world, { client_id: clientId, code_challenge: challenge }))
  const consent = await signIn(world, opened)
  log.push(...world.log)
  await world.restart()
  expect(await ping(tokens.access_token)).toBe(200)
  const renewed = await renew(tokens.refresh_token)
  expect([renewed.status, await ping(renewed.json.access_token)]).toEqual([200, 200])
  const form = { form_token: readFormToken(consent.text), organization: world.organizationId, workspace: 'default', action: 'allow' }
  const done = await opened.browser.follow(await opened.browser.ask(opened.at, form), world.issuer)
  const code = new URL(done.location ?? '').searchParams.get('code') ?? ''
  secrets.push(code)
  const exchange = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: callback }
  expect((await post(tokenUrl(), exchange)).status).toBe(200)
})

test('the client of the generation before signs in too', async () => {
  const login = new Login()
  const given = { serverUrl: world.resource }
  expect(await authOld(login, given)).toBe('REDIRECT')
  const code = (await agree(world, String(login.url))).get('code') ?? ''
  expect(await authOld(login, { ...given, authorizationCode: code })).toBe('AUTHORIZED')
  expect(await ping(login.stored?.access_token ?? '')).toBe(200)
  expect(await authOld(login, given)).toBe('AUTHORIZED') // by the refresh token
  expect(await ping(login.stored?.access_token ?? '')).toBe(200)
})

test('neither the database nor the log has a secret in clear', async () => {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const stored = await Promise.all(names.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
  const known = secrets.filter((secret) => secret !== undefined && secret !== '')
  expect(known.length).toBeGreaterThan(20)
  expect(
    known.filter((secret) => stored.some((text) => text.includes(secret)) || [...log, ...world.log].join('').includes(secret)),
  ).toEqual([])
  expect(stored.some((text) => text.includes('By hand'))).toBe(true) // what is searched is the database
})
