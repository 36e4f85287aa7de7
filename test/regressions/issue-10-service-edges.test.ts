/** Edges of the service: cursors of lists, names, methods, slow requests, and whether the document has every answer. */
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Route } from '../../packages/server/src/http/route.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { answerBrokenRequest } from '../../packages/server/src/http/server.ts'
import { sendBytes } from '../http/bytes.ts'
import { expectDocumented } from '../http/contract.ts'
import { base, connectorsPath, createTenant, startWorld } from '../http/support.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'

const world = await share(startWorld())
const other = await createTenant(world, 'Other')
for (const name of ['one', 'two', 'three']) await world.ask(`${base}/workspaces`, { token: world.token, body: { name } })
for (const name of ['one', 'two']) await world.connect(name)

describe('a cursor of a list', () => {
  const next = async (path: string) => String((await world.ask(path, { token: world.token })).json.next)
  const refused = async (path: string, token = world.token) => {
    const { status, json } = await world.ask(path, { token })
    return [status, json.code]
  }

  test('leads on in its own list', async () => {
    const page = await world.ask(await next(`${base}/workspaces?limit=1`), { token: world.token })
    expect(page.json.data).toHaveLength(1)
  })

  test('that was made elsewhere is refused, also one that looks like one of an older version', async () => {
    const cursor = new URLSearchParams((await next(`${base}/workspaces?limit=1`)).split('?')[1]).get('cursor') ?? ''
    const bytes = Buffer.from(cursor, 'base64url')
    for (const index of [0, bytes.length - 2]) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(await refused(`${base}/workspaces?limit=1&cursor=${changed.toString('base64url')}`)).toEqual([400, 'invalid_cursor'])
    }
    const unsigned = Buffer.from('00000000-0000-7000-8000-000000000000.AAAAAAAAAAAA').toString('base64url')
    expect(await refused(`${base}/workspaces?cursor=${unsigned}`)).toEqual([400, 'invalid_cursor'])
  })

  test('of another organization, list, query or day is refused', async () => {
    const workspaces = await next(`${base}/workspaces?limit=1`)
    expect(await refused(workspaces, other.token)).toEqual([400, 'invalid_cursor'])
    expect(await refused(workspaces.replace(`${base}/workspaces`, connectorsPath))).toEqual([400, 'invalid_cursor'])
    expect(await refused(`${workspaces}&status=active`)).toEqual([400, 'invalid_cursor'])
    const before = world.clock.now
    world.clock.now += 24 * 3_600_000 + 2_000
    const later = await world.platform.tokens.issueApplicationToken({ clientId: 'test-client', clientSecret: 'a-secret-for-tests' })
    expect(await refused(workspaces, later.access_token)).toEqual([400, 'invalid_cursor'])
    world.clock.now = before
  })
})

describe('a name with half of a surrogate pair', () => {
  const half = '"bad \\ud800 name"'
  const whole = '"good \\ud83d\\ude00 name"'
  const rows: readonly (readonly [string, (name: string) => string, string])[] = [
    [`${base}/organizations`, (name) => `{"name":${name}}`, '/name'],
    [`${base}/workspaces`, (name) => `{"name":${name}}`, '/name'],
    [`${base}/account/applications/scoped-token`, (name) => `{"workspace_name":${name}}`, '/workspace_name'],
    [
      connectorsPath,
      (name) =>
        `{"workspace_name":"default","check":false,"connector_type":"gong","name":${name},"credentials":{"access_key":"a","access_key_secret":"b"}}`,
      '/name',
    ],
  ]

  test.each(rows)('is refused at %s', async (path, bodyOf, field) => {
    const refused = await world.ask(path, { token: world.token, body: bodyOf(half) })
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      [expect.objectContaining({ field, message: `${field} must not hold half of a surrogate pair.` })],
    ])
    const taken = await world.ask(path, { token: other.token, body: bodyOf(whole).replace('"default"', '"default"') })
    expect(taken.status).toBe(200)
  })
})

test.each([
  ['POST', `${base}/workspaces/stats`, 'GET, HEAD'],
  ['POST', `${base}/workspaces/x`, 'DELETE, GET, HEAD, PUT'],
  ['PROPFIND', `${connectorsPath}/check`, 'POST'],
])('a method that is refused names those of its own route: %s %s', async (method, path, allow) => {
  const answer = await world.ask(path, { method, token: world.token })
  expect([answer.status, answer.headers.allow]).toEqual([405, allow])
  expect(answer.json.message).toContain(`Allowed: ${allow}`)
})

test('a request that is not sent in time is 408, a problem, and the end of the connection', async () => {
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const server = createServer((socket) => answerBrokenRequest(late, socket))
  await using listening = await listen(server)
  const raw = await sendBytes(listening.port, 'POST / HTTP/1.1\r\n')
  expect(raw).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(raw.toLowerCase()).toContain('content-type: application/problem+json')
  expect(raw.toLowerCase()).toContain('connection: close')
  expect(raw).toContain('"code":"request_timeout"')
  expect(raw).toContain('"retryable":true')
})

describe('the document tells the answer', () => {
  const documented = routes.filter(({ document, path }) => document !== undefined || path.endsWith('/execute'))
  const filled = (path: string) => path.replace(/\{(\w+)\}/g, '00000000-0000-4000-8000-000000000000')
  /** What can be wrong with any request. */
  const mistakes: readonly { readonly says: string; readonly for: (route: Route) => boolean; readonly sent: () => object }[] = [
    { says: 'no token', for: ({ auth }) => auth !== 'none', sent: () => ({ token: null }) },
    {
      says: 'an organization that is none',
      for: ({ auth }) => auth === 'principal',
      sent: () => ({ headers: { 'x-organization-id': 'x' } }),
    },
    {
      says: 'an organization of others',
      for: ({ auth }) => auth === 'principal',
      sent: () => ({ headers: { 'x-organization-id': other.organizationId } }),
    },
    { says: 'an id that is not there', for: ({ path, auth }) => path.includes('{') && auth !== 'none', sent: () => ({}) },
    { says: 'a body that is no JSON', for: ({ method }) => method !== 'GET', sent: () => ({ body: '{' }) },
    {
      says: 'a body of another type',
      for: ({ method }) => method !== 'GET',
      sent: () => ({ body: 'x', headers: { 'content-type': 'text/plain' } }),
    },
    { says: 'a body that is too large', for: ({ method }) => method !== 'GET', sent: () => ({ body: `{"x":"${'x'.repeat(5_000_000)}"}` }) },
    { says: 'a member that is not known', for: ({ method }) => method !== 'GET', sent: () => ({ body: { surprise: 1 } }) },
  ]
  test.each(mistakes)('to $says, of every operation', async ({ for: isFor, sent }) => {
    for (const route of documented.filter(isFor)) {
      const { method, path } = route
      const answer = await world.ask(filled(path), { method, token: world.token, ...sent() })
      if (answer.status < 400) continue
      expectDocumented(`${method} ${path}`, answer)
    }
  })
})
