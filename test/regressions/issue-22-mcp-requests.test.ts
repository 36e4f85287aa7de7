/** What clients send to `/mcp` beside their messages: `Accept`, Host, Origin, and a slash at the end of the address. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const publicUrl = 'https://ferrule.example.com'
const world = await share(
  startWorld({ settings: { publicUrl, mcpHosts: ['ferrule.default.svc', '10.1.2.3', '[fd00::1]', 'host.docker.internal'] } }),
)
await world.connect('shown')

/** Sends a request with no header but these: `fetch` adds some of its own. */
async function send(path: string, { method = 'POST', headers = {}, body }: { method?: string; headers?: object; body?: object } = {}) {
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { method, headers: { ...headers } })
    sent.once('response', resolve).once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}
const call = (headers: object, path = '/mcp') =>
  send(path, {
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', ...headers },
    body: { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'list_connectors', arguments: {} } },
  })
const modern = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'list_connectors',
}
const callModern = (headers: object) =>
  send('/mcp', {
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', ...modern, ...headers },
    body: {
      ...{ jsonrpc: '2.0', id: 9, method: 'tools/call' },
      params: {
        ...{ name: 'list_connectors', arguments: {} },
        _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
      },
    },
  })

describe('an answer has a form that the client takes', () => {
  const json = /^application\/json/
  const stream = /^text\/event-stream/
  test.each<[string, object, RegExp, RegExp]>([
    ['no Accept', {}, json, json],
    ['an empty Accept', { accept: '' }, json, json],
    ['JSON', { accept: 'application/json' }, json, json],
    ['anything', { accept: '*/*' }, json, json],
    ['anything but streams', { accept: '*/*, text/event-stream;q=0' }, json, json],
    ['pages', { accept: 'text/html' }, json, json],
    ['a stream', { accept: 'text/event-stream' }, stream, stream],
    ['both', { accept: 'application/json, text/event-stream' }, stream, json],
    ['both with weights', { accept: 'Text/Event-Stream;q=0.5, application/*' }, stream, json],
  ])('%s', async (_name, headers, older, newer) => {
    for (const [answer, type] of [[await call(headers), older] as const, [await callModern(headers), newer] as const]) {
      expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringMatching(type)])
      const data =
        type === stream
          ? answer.text
              .split('\n')
              .findLast((line) => line.startsWith('data: '))
              ?.slice(6)
          : answer.text
      expect(JSON.parse(data ?? '')).toMatchObject({ jsonrpc: '2.0', id: 9, result: { content: [{ type: 'text' }] } })
      expect(answer.text).toContain('shown')
    }
  })

  test('a refusal is JSON', async () => {
    const headers = { authorization: `Bearer ${world.token}`, accept: 'text/event-stream' }
    const wrong = await send('/mcp', { headers, body: [] })
    expect([wrong.status, wrong.headers['content-type']]).toEqual([400, expect.stringMatching(json)])
  })
})

describe('a Host is one of the service', () => {
  test.each(['localhost', '127.0.0.1:8080', '[::1]:8080', 'ferrule.example.com', 'ferrule.default.svc', 'FERRULE.default.svc:8080'])(
    'as %s',
    async (host) => expect((await call({ host })).status).toBe(200),
  )
  test.each(['10.1.2.3', '[fd00::1]:8080', 'host.docker.internal:8080'])('as %s', async (host) =>
    expect((await call({ host })).status).toBe(200),
  )
  test.each(['ferrule.other.svc', '10.1.2.4', 'evil.example', 'ferrule.default.svc.evil.example'])('and not %s', async (host) => {
    const { status, text: said } = await call({ host })
    expect([status, said]).toEqual([403, expect.stringMatching(`${host.replaceAll('.', '\\.')} .*FERRULE_MCP_HOSTS`)])
  })
})

test('a slash at the end of the address changes nothing', async () => {
  expect((await call({}, '/mcp/')).text).toContain('shown')
  const { status, headers } = await send('/mcp/', { body: {} })
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource/mcp/`
  expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining(`resource_metadata="${metadata}"`)])
  const document = await send('/.well-known/oauth-protected-resource/mcp/', { method: 'GET', headers: { host: 'localhost' } })
  expect(JSON.parse(document.text).resource).toBe(`${publicUrl}/mcp/`)
})

describe('a page on this machine', () => {
  const origin = 'http://localhost:6274'
  const wanted = 'authorization,content-type,mcp-protocol-version'
  const paths = ['/mcp', '/mcp/', '/oauth/token', '/oauth/register', '/oauth/revoke']
  const documents = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']
  test.each([...paths, ...documents])('may call %s', async (path) => {
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted }
    const preflight = await send(path, { method: 'OPTIONS', headers: asked })
    expect([preflight.status, preflight.headers]).toMatchObject([
      204,
      { 'access-control-allow-origin': origin, 'access-control-allow-headers': wanted, vary: expect.stringMatching(/origin/i) },
    ])
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
    const answer = await send(path, { method: documents.includes(path) ? 'GET' : 'POST', headers: { origin } })
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: expect.stringMatching(/origin/i) })
    expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  })

  test('reads an answer, and a page elsewhere reads nothing', async () => {
    const answer = await call({ origin: 'http://127.0.0.1:3000' })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, 'http://127.0.0.1:3000'])
    for (const foreign of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      const asked = { origin: foreign, 'access-control-request-method': 'POST' }
      for (const path of [...paths, ...documents]) {
        const refused = await send(path, { method: 'OPTIONS', headers: asked })
        expect([path, refused.status]).toEqual([path, 403])
        expect(refused.headers).not.toHaveProperty('access-control-allow-origin')
      }
      const called = await call({ origin: foreign })
      expect([called.status, 'access-control-allow-origin' in called.headers]).toEqual([403, false])
    }
  })

  test('gets nothing of other routes', async () => {
    const asked = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
    for (const path of ['/api/v1/workspaces', '/oauth/authorize', '/health/live'])
      expect((await send(path, { method: 'OPTIONS', headers: asked })).headers).not.toHaveProperty('access-control-allow-origin')
  })
})

test('the list of allowed origins holds beside the pages of this machine', async () => {
  const listed = await startWorld({ settings: { corsOrigins: ['https://console.example'] } })
  const preflight = async (path: string, origin: string) => {
    const { headers } = await listed.open(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
    return headers['access-control-allow-origin']
  }
  for (const origin of ['https://console.example', 'http://localhost:6274']) expect(await preflight('/mcp', origin)).toBe(origin)
  expect(await preflight('/api/v1/workspaces', 'https://console.example')).toBe('https://console.example')
  expect(await preflight('/api/v1/workspaces', 'http://localhost:6274')).toBeUndefined()
  await listed.close()
})
