import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { base, client, connectorsPath, createTenant, startWorld, tokenPath, type World } from './support.ts'

const world = await share(startWorld())

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const pair = { client_id: client.id, client_secret: client.secret }
const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` })

describe('a token is given for', () => {
  const accepted: Readonly<Record<string, () => Parameters<World['ask']>[1]>> = {
    JSON: () => ({ body: pair }),
    'JSON with a grant type': () => ({ body: { ...pair, grant_type: 'client_credentials' } }),
    'JSON with a charset': () => ({ headers: { 'content-type': 'application/json; charset=utf-8' }, body: pair }),
    'a form': () => ({ headers: form, body: `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.secret}` }),
    'HTTP Basic and a form': () => ({
      headers: { ...form, ...basic(client.id, client.secret) },
      body: 'grant_type=client_credentials',
    }),
    'HTTP Basic without a body': () => ({ method: 'POST', headers: basic(client.id, client.secret) }),
    'a named organization': () => ({ headers: { 'x-organization-id': world.organizationId }, body: pair }),
  }
  test.each(Object.entries(accepted))('%s', async (_says, sent) => {
    const answer = await world.ask(tokenPath, sent())
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 900,
      organization_id: world.organizationId,
    })
    expect(answer.headers['cache-control']).toBe('no-store')
    const use = await world.ask(`${base}/workspaces`, { token: answer.json.access_token })
    expect(use.status).toBe(200)
  })

  test('fewer scopes, which then bind', async () => {
    const { json } = await world.ask(tokenPath, { body: { ...pair, scope: 'connectors:read' } })
    expect(json.scope).toBe('connectors:read')
    const answer = await world.ask(`${base}/workspaces`, { token: json.access_token })
    expect([answer.status, answer.json.code, answer.json.message]).toEqual([
      403,
      'insufficient_scope',
      'The token lacks the scope workspaces:read.',
    ])
  })
})

describe('a token is refused for', () => {
  const refused: readonly (readonly [says: string, body: object, field?: string])[] = [
    ['a wrong secret', { ...pair, client_secret: 'not-the-secret' }],
    ['an unknown client', { ...pair, client_id: 'nobody' }],
    ['no secret', { client_id: client.id }, '/client_secret'],
    ['nothing', {}, '/client_id'],
    ['a number as id', { client_id: 1, client_secret: 'x' }, '/client_id'],
    ['another grant', { ...pair, grant_type: 'password' }, '/grant_type'],
    ['an unknown scope', { ...pair, scope: 'everything' }, '/scope'],
  ]
  test.each(refused)('%s', async (_says, body, field) => {
    const { json, headers, status, text } = await world.ask(tokenPath, { body })
    const problem = field === undefined ? [401, 'invalid_client', undefined] : [422, 'validation_failed', field]
    expect([status, json.code, json.errors[0]?.field]).toEqual(problem)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
    expect(text).not.toContain(client.secret)
  })

  test('a wrong secret in HTTP Basic, which is asked for again', async () => {
    const answer = await world.ask(tokenPath, { method: 'POST', headers: basic(client.id, 'not-the-secret') })
    expect([answer.status, answer.json.code, answer.headers['www-authenticate']]).toEqual([401, 'invalid_client', 'Basic realm="ferrule"'])
  })

  test('a repeated name in a form', async () => {
    const answer = await world.ask(tokenPath, { headers: form, body: `client_id=${client.id}&client_secret=a&client_secret=b` })
    expect([answer.status, answer.json.code, answer.json.errors[0].field]).toEqual([422, 'validation_failed', '/client_secret'])
  })

  test('an organization that the client does not reach', async () => {
    const headers = { 'x-organization-id': '00000000-0000-4000-8000-000000000000' }
    const answer = await world.ask(tokenPath, { headers, body: pair })
    expect([answer.status, answer.json.code]).toEqual([403, 'organization_forbidden'])
  })

  test('forms anywhere else', async () => {
    const answer = await world.ask(connectorsPath, { method: 'POST', token: world.token, headers: form, body: 'name=x' })
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type'])
  })
})

describe('a bearer token', () => {
  const path = `${base}/workspaces`
  test('is asked for', async () => {
    const answer = await world.ask(path)
    expect([answer.status, answer.json.code, answer.headers['www-authenticate']]).toEqual([401, 'missing_token', 'Bearer'])
  })

  test.each(['Bearer', 'Bearer ', 'Basic abc', 'bearer a b'])('is not found in "%s"', async (authorization) => {
    const answer = await world.ask(path, { headers: { authorization } })
    expect([answer.status, answer.json.code]).toEqual([401, 'missing_token'])
  })

  test('is refused when somebody changed it', async () => {
    const [head = '', body = '', tail = ''] = world.token.split('.')
    const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), organizationId: null }
    const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), tail].join('.')
    const unsigned = [Buffer.from('{"alg":"none"}').toString('base64url'), body, ''].join('.')
    for (const token of [forged, unsigned, 'abc', `${world.token}x`]) {
      const answer = await world.ask(path, { token })
      expect([answer.status, answer.json.code]).toEqual([401, 'invalid_token'])
    }
  })

  test('may be written in any case', async () => {
    expect((await world.ask(path, { headers: { authorization: `bearer ${world.token}` } })).status).toBe(200)
  })

  test('ends after 15 minutes', async () => {
    const before = world.clock.now
    world.clock.now += 901_000
    const answer = await world.ask(path, { token: world.token })
    world.clock.now = before
    expect([answer.status, answer.json.code]).toEqual([401, 'token_expired'])
    expect((await world.ask(path, { token: world.token })).status).toBe(200)
  })
})

describe('a scoped token', () => {
  test('reaches its workspace only', async () => {
    const inside = await world.connect('inside', { workspace_name: 'scoped', create_workspace: true })
    const outside = await world.connect('outside')
    const { json } = await world.ask(`${base}/account/applications/scoped-token`, {
      token: world.token,
      body: { workspace_name: 'scoped' },
    })
    expect(json).toEqual({ token: expect.any(String), expires_in: 1200 })
    const info = await world.ask(`${base}/account/applications/scoped-token/info`, { token: json.token })
    expect(info.json).toEqual({ organization_id: world.organizationId, workspace_id: expect.any(String), workspace_name: 'scoped' })
    expect((await world.ask(`${connectorsPath}/${inside}`, { token: json.token })).status).toBe(200)
    expect((await world.ask(`${connectorsPath}/${outside}`, { token: json.token })).json.code).toBe('connector_not_found')
    expect((await world.execute(outside, { entity: 'users', action: 'list' }, json.token)).json.code).toBe('connector_not_found')
    expect((await world.execute(inside, { entity: 'users', action: 'list' }, json.token)).status).toBe(200)
  })

  test('is asked for by its info', async () => {
    const answer = await world.ask(`${base}/account/applications/scoped-token/info`, { token: world.token })
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient_scope'])
  })
})

const issue = () => world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })

test('a client that makes an organization goes on in the one that it had, with old tokens and new ones', async () => {
  const before = await world.ask(`${base}/workspaces`, { token: world.token })
  const made = await world.ask(`${base}/organizations`, { token: world.token, body: { name: 'Its own' } })
  const issued = await issue()
  expect(issued.json.organization_id).toBe(world.organizationId)
  for (const token of [world.token, issued.json.access_token])
    expect((await world.ask(`${base}/workspaces`, { token })).json).toEqual(before.json)
  const headers = { 'x-organization-id': made.json.id }
  const there = await world.ask(`${base}/workspaces`, { token: issued.json.access_token, headers })
  expect(there.json.data).toMatchObject([{ name: 'default', organization_id: made.json.id }])
})

test('a client of several organizations names one', async () => {
  const made = await world.ask(`${base}/organizations`, { token: world.token, body: { name: 'Second' } })
  expect(made.status).toBe(200)
  const { token: otherToken } = await createTenant(world, 'Somebody')
  const theirs = await world.ask(`${base}/organizations`, { token: otherToken, body: { name: 'Theirs' } })
  await world.platform.applications.grant(client.id, theirs.json.id)
  const issued = await issue()
  expect(issued.json.organization_id).toBeNull()
  const token = issued.json.access_token
  const listed = await world.ask(`${base}/organizations`, { token })
  expect(listed.json.data.map((each: { id: string }) => each.id)).toContain(made.json.id)
  const unnamed = await world.ask(`${base}/workspaces`, { token })
  expect([unnamed.status, unnamed.json.code]).toEqual([400, 'organization_required'])
  expect(unnamed.json.message).toContain('specify target organization')
  const named = await world.ask(`${base}/workspaces`, { token, headers: { 'x-organization-id': made.json.id } })
  expect(named.json.data.map((each: { name: string }) => each.name)).toEqual(['default'])
  const malformed = await world.ask(`${base}/workspaces`, { token, headers: { 'x-organization-id': '../..' } })
  expect([malformed.status, malformed.json.code]).toEqual([422, 'validation_failed'])
  const definitions = await world.ask(`${base}/integrations/definitions/sources`, { token })
  expect(definitions.status).toBe(200)
})
