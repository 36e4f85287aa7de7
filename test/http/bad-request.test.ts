import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { sendBytes } from './bytes.ts'
import { base, connectorsPath, type Sent, startWorld } from './support.ts'

const world = await share(startWorld())

const problemKeys = [
  ...['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'fault', 'retryable', 'hint', 'errors', 'request_id'],
]
describe('a content type is refused when it is', () => {
  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonx',
    'json',
  ])('%s', async (type) => {
    const answer = await world.ask(connectorsPath, { token: world.token, body: '{}', headers: { 'content-type': type } })
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type'])
  })

  test.each(['application/json', 'application/json;charset=UTF-8', 'application/merge-patch+json', 'APPLICATION/JSON; charset="utf-8"'])(
    'but %s is fine',
    async (type) => {
      const answer = await world.ask(connectorsPath, { token: world.token, body: '{}', headers: { 'content-type': type } })
      expect([answer.status, answer.json.code]).toEqual([422, 'validation_failed'])
    },
  )
})

describe('an id that is', () => {
  const ids = [
    '..',
    '.',
    '%2e%2e',
    '%2E%2E%2Fworkspaces',
    '..%2f..',
    '%00',
    'a%00b',
    '%F0%9F%92%A9',
    "'%20OR%201=1",
    'x'.repeat(5_000),
    '00000000-0000-4000-8000-000000000000',
    '00000000-0000-4000-8000-00000000000',
    '{id}',
    '*',
  ]
  test.each(ids.map((id) => [id.slice(0, 40), id]))('%s is not found', async (_shown, id) => {
    const connector = await world.ask(`${connectorsPath}/${id}`, { token: world.token })
    expect([connector.status, connector.json.code]).toEqual([404, expect.stringMatching(/^(connector_not_found|not_found)$/)])
    const executed = await world.execute(id, { entity: 'users', action: 'list' })
    expect([executed.status, executed.json.code]).toEqual([404, expect.stringMatching(/^(connector_not_found|not_found)$/)])
    const workspace = await world.ask(`${base}/workspaces/${id}`, { method: 'DELETE', token: world.token })
    expect([workspace.status, workspace.json.code]).toEqual([404, expect.stringMatching(/^(workspace_not_found|not_found)$/)])
    const job = await world.ask(`${base}/jobs/${id}`, { token: world.token })
    expect([job.status, job.json.code]).toEqual([404, expect.stringMatching(/^(job_not_found|not_found)$/)])
  })

  test('half an escape is no path', async () => {
    const answer = await world.ask(`${connectorsPath}/%zz?secret=1`, { token: world.token })
    expect([answer.status, answer.json.code, answer.headers['content-type']]).toEqual([
      404,
      'not_found',
      'application/problem+json; charset=utf-8',
    ])
    expect(answer.text).not.toContain('secret')
  })
})

describe('a query is refused for', () => {
  test.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=many', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['status=gone', '/status'],
    ['name=x', '/name'],
  ])('%s', async (query, field) => {
    const answer = await world.ask(`${base}/workspaces?${query}`, { token: world.token })
    expect([answer.status, answer.json.code, answer.json.errors[0]?.field]).toEqual([422, 'validation_failed', field])
  })

  test('a cursor of somebody else', async () => {
    const answer = await world.ask(`${base}/workspaces?cursor=abc`, { token: world.token })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cursor'])
  })
})

describe('a method is refused', () => {
  const rows: { method: string; path: string; allow: string }[] = [
    { method: 'PUT', path: connectorsPath, allow: 'GET, HEAD, POST' },
    { method: 'POST', path: `${connectorsPath}/x`, allow: 'DELETE, GET, HEAD, PATCH, PUT' },
    { method: 'GET', path: `${connectorsPath}/x/execute`, allow: 'POST' },
    { method: 'PROPFIND', path: `${base}/workspaces`, allow: 'GET, HEAD, POST' },
    { method: 'POST', path: '/health/live', allow: 'GET, HEAD' },
    { method: 'QUERY', path: connectorsPath, allow: 'GET, HEAD, POST' },
    { method: 'QUERY', path: '/health/live', allow: 'GET, HEAD' },
    { method: 'OPTIONS', path: connectorsPath, allow: 'GET, HEAD, POST' },
  ]
  test.each(rows)('$method $path', async ({ method, path, allow }) => {
    const answer = await world.ask(path, { method, token: world.token })
    expect([answer.status, answer.json.code, answer.headers.allow]).toEqual([405, 'method_not_allowed', allow])
  })

  test.each(['/nothing', '/api', '/api/v2/workspaces', '//api/v1/workspaces'])('and nothing is at %s', async (path) => {
    const answer = await world.ask(path, { token: world.token })
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })
})

describe('what is no HTTP', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n'],
    ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('is refused: %s', async (_says, text) => {
    const raw = await sendBytes(world.port, text)
    expect(raw).toMatch(/^HTTP\/1\.1 422 /)
    expect(raw.toLowerCase()).toContain('content-type: application/problem+json')
    expect(raw).toContain('"code":"validation_failed"')
  })
})

test('every refusal is a whole problem with the id of its request', async () => {
  const sent: [string, Sent][] = [
    ['/nothing', {}],
    [connectorsPath, { token: 'x' }],
    [connectorsPath, { token: world.token, body: '{' }],
  ]
  for (const [path, more] of sent) {
    const { json, headers } = await world.ask(path, { ...more, headers: { 'x-request-id': 'my-request.1' } })
    expect(Object.keys(json)).toEqual(problemKeys)
    expect([json.request_id, json.instance, headers['x-request-id']]).toEqual(['my-request.1', 'urn:request:my-request.1', 'my-request.1'])
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    expect(json.message).toBe(json.detail)
  }
})
