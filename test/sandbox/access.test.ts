import { describe, expect, test } from 'vitest'
import type { Answered } from './client.ts'
import { ask, basic, get, openWorld, rows } from './client.ts'

const world = await openWorld()
const { sandbox, facts, read, post } = world
const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
const client = `Basic ${Buffer.from('sandbox-client:sandbox-client-secret').toString('base64')}`
const tokenUrl = `${sandbox.origins.gong.oauth}/oauth2/generate-customer-token`

function token(parameters: Record<string, string>, authorization = client): Promise<Answered> {
  return ask(`${tokenUrl}?${new URLSearchParams(parameters)}`, { method: 'POST', headers: { authorization } })
}

const refresh = (refreshToken: unknown) => token({ grant_type: 'refresh_token', refresh_token: String(refreshToken) })

describe('who may ask', () => {
  test.each([
    ['nothing', {}],
    ['a wrong secret', { authorization: `Basic ${Buffer.from('sandbox:wrong').toString('base64')}` }],
    ['an unknown token', bearer('whatever')],
    ['a token whose time is over', bearer('sandbox-expired-token')],
    ['a revoked token', bearer('sandbox-revoked-token')],
    ['a refresh token', bearer('sandbox-refresh-token')],
  ])('%s is refused in the shape of the vendor', async (_, headers) => {
    const { status, body } = await read('/v2/users', headers)
    expect(status).toBe(401)
    expect(Object.keys(Object(body))).toEqual(['requestId', 'errors'])
    expect(get(body, 'errors', 0)).not.toContain("You don't have permission")
  })

  test.each([
    ['GET', '/v2/workspaces', 'api:workspaces:read'],
    ['POST', '/v2/calls/extensive', 'api:calls:read:extensive'],
    ['POST', '/v2/calls/transcript', 'api:calls:read:transcript'],
    ['POST', '/v2/stats/activity/aggregate', 'api:stats:user-actions'],
    ['POST', '/v2/stats/activity/day-by-day', 'api:stats:user-actions:detailed'],
    ['POST', '/v2/stats/interaction', 'api:stats:interaction'],
    ['POST', '/v2/stats/activity/scorecards', 'api:stats:scorecards'],
    ['GET', '/v2/settings/scorecards', 'api:settings:scorecards:read'],
    ['GET', '/v2/settings/trackers', 'api:settings:trackers:read'],
    ['GET', '/v2/library/folders', 'api:library:read'],
    ['GET', '/v2/library/folder-content', 'api:library:read'],
    ['GET', '/v2/coaching', 'api:coaching:read'],
  ])('%s %s needs the scope %s', async (method, path, scope) => {
    const headers = bearer('sandbox-limited-token')
    const { status, body } = method === 'GET' ? await read(path, headers) : await post(path, { filter: {} }, headers)
    expect(status).toBe(401)
    expect(get(body, 'errors')).toEqual([`You don't have permission to use '${scope}' in your app.`])
  })

  test('media addresses need a scope of their own', async () => {
    sandbox.gong.switches.set({ scopes: 'api:calls:read:extensive' })
    const given = await token({ grant_type: 'authorization_code', code: 'sandbox-code' })
    const headers = bearer(get(given.body, 'access_token'))
    const filter = { callIds: [facts.callId] }
    expect((await post('/v2/calls/extensive', { filter }, headers)).status).toBe(200)
    const { status, body } = await post('/v2/calls/extensive', { filter, contentSelector: { exposedFields: { media: true } } }, headers)
    expect(status).toBe(401)
    expect(get(body, 'errors', 0)).toBe("You don't have permission to use 'api:calls:read:media-url' in your app.")
  })

  test('three endpoints can answer 403', async () => {
    sandbox.gong.switches.set({ accessDenied: true })
    for (const path of ['/v2/users', '/v2/workspaces', '/v2/coaching']) {
      const { status, body } = await read(path)
      expect([status, get(body, 'errors', 0)]).toEqual([403, 'Access denied'])
    }
    expect((await read('/v2/calls')).status).toBe(200)
  })
})

describe('requests that are wrong before they are read', () => {
  const json = { 'content-type': 'application/json' }
  const plain = { 'content-type': 'text/plain' }

  test.each([
    { what: 'an unknown path', method: 'GET', path: '/v2/nothing', headers: {}, status: 404, error: 'Not found' },
    { what: 'a wrong method', method: 'DELETE', path: '/v2/calls', headers: {}, status: 405, error: 'Method Not Allowed' },
    { what: 'a GET of a POST list', method: 'GET', path: '/v2/calls/extensive', headers: {}, status: 405, error: 'Method Not Allowed' },
    {
      what: 'another media type',
      method: 'POST',
      path: '/v2/calls/extensive',
      headers: plain,
      status: 415,
      error: 'Unsupported Media Type',
    },
    { what: 'a body that is no JSON', method: 'POST', path: '/v2/calls/extensive', headers: json, status: 400, error: 'Bad request' },
  ])('$what', async ({ method, path, headers, status, error }) => {
    const content = method === 'POST' ? { body: '{"filter":' } : {}
    const url = `${sandbox.origins.gong.api}${path}`
    const answer = await ask(url, { method, headers: { authorization: basic, ...headers }, ...content })
    expect(answer.status).toBe(status)
    expect(get(answer.body, 'errors', 0)).toContain(error)
  })

  test('every answer carries its request id twice', async () => {
    const { body, headers } = await read('/v2/nothing')
    expect(get(body, 'requestId')).toMatch(/^[0-9a-z]{18,20}$/)
    expect(headers.get('x-traceid')).toBe(get(body, 'requestId'))
    expect(headers.get('x-gong-service-version')).not.toBeNull()
  })
})

describe('tokens', () => {
  test('an access token ends by the clock', async () => {
    sandbox.gong.switches.set({ expiresIn: 60 })
    const { body } = await refresh('sandbox-refresh-token')
    const headers = bearer(get(body, 'access_token'))
    world.clock.now += 59_000
    expect((await read('/v2/users', headers)).status).toBe(200)
    world.clock.now += 1000
    const late = await read('/v2/users', headers)
    expect([late.status, get(late.body, 'errors', 0)]).toEqual([401, 'The access token has expired'])
  })

  test('a wrong client and other grants are refused', async () => {
    const wrong = await token({ grant_type: 'refresh_token', refresh_token: 'sandbox-refresh-token' }, 'Basic bm86bm8=')
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid_client' }])
    expect((await token({ grant_type: 'password' })).body).toEqual({ error: 'unsupported_grant_type' })
    expect((await token({ grant_type: 'authorization_code', code: 'other' })).body).toMatchObject({ error: 'invalid_grant' })
    expect((await ask(tokenUrl)).status).toBe(405)
  })
})

test('requests are recorded with what was sent', async () => {
  await post('/v2/calls/extensive?cursor=x', { filter: { callIds: [facts.callId] } })
  expect(sandbox.gong.requests()).toHaveLength(1)
  expect(sandbox.gong.requests()[0]).toMatchObject({ origin: 'api', method: 'POST', path: '/v2/calls/extensive', query: { cursor: 'x' } })
  expect(sandbox.gong.requests()[0]?.body).toBe(JSON.stringify({ filter: { callIds: [facts.callId] } }))
  const outside = await ask(`${sandbox.origins.gong.api}/_sandbox/requests`)
  expect(rows(outside.body, 'requests')).toHaveLength(1)
  sandbox.gong.clear()
  expect(sandbox.gong.requests()).toEqual([])
})
