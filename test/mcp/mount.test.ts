/** The mount alone: what reaches a server, what is refused before it, and how a request is cancelled. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Server } from '@modelcontextprotocol/server'
import { fastify } from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import type { McpSdk } from '../../packages/ferrule/src/mcp/server.ts'
import { createDoor } from '../../packages/server/src/http/mcp/doors.ts'
import { type McpExchange, mountMcp } from '../../packages/server/src/http/mcp/mount.ts'

/** Calls of the tool `wait`, in the order of their beginning. */
const begun: { readonly who: string; readonly signal: AbortSignal; end(): void }[] = []
let arguments_: unknown
const waiting: (() => void)[] = []

function createServer(sdk: McpSdk, { who, message }: McpExchange<string>): Server {
  const server = new sdk.Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [] }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    arguments_ = message.params['arguments']
    if (params.name === 'wait') {
      await new Promise<void>((resolve) => {
        begun.push({ who, signal, end: resolve })
        signal.addEventListener('abort', () => resolve())
        for (const wake of waiting.splice(0)) wake()
      })
    }
    return { content: [{ type: 'text', text: params.name }] }
  })
  return server
}

afterAll(() => app.close())

const message = (method: string, params: object, id?: unknown) => ({ jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) })
const call = (name: string, id: unknown = 1) => message('tools/call', { name, arguments: {} }, id)

function post(body: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}
/** Waits for the next call of the tool `wait`. */
const begin = async (): Promise<(typeof begun)[number]> => {
  await new Promise<void>((resolve) => waiting.push(resolve))
  const found = begun.at(-1)
  if (found === undefined) throw new Error('no call has begun')
  return found
}

const app = fastify()
mountMcp<string>(app, {
  path: '/mcp',
  door: createDoor({
    host: '127.0.0.1',
    publicUrl: 'https://ferrule.example.com',
    corsOrigins: ['https://console.example.org'],
    mcpHosts: [],
  }),
  authenticate: async ({ request: { headers } }) => headers.authorization ?? 'nobody',
  identify: (who) => who,
  createServer,
})
const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`

describe('what reaches a server', () => {
  test('arguments keep every digit', async () => {
    const text = JSON.stringify(call('echo')).replace(
      '"arguments":{}',
      '"arguments":{"id":9007199254740993,"deep":[-18446744073709551616]}',
    )
    expect(await (await post(text)).text()).toContain('echo')
    expect(arguments_).toEqual({ id: 9_007_199_254_740_993n, deep: [-18_446_744_073_709_551_616n] })
  })
})

describe('what is refused before it', () => {
  test.each([
    ['no JSON', '{', -32_700],
    ['a batch', [call('echo')], -32_600],
    ['no object', '3', -32_600],
    ['an id that clients could not find again', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32_600],
    ['a name that reaches into prototypes', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"x":1}}}', -32_600],
  ])('%s', async (_what, body, code) => {
    const answer = await post(body)
    expect([answer.status, await answer.json()]).toMatchObject([400, { jsonrpc: '2.0', id: null, error: { code } }])
  })

  const ask = async (headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
    const sent = request(url, { method: 'GET', headers })
    sent.end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode
  }
  test.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an opaque Origin', { origin: 'null' }],
  ])('%s', async (_what, headers) => {
    expect(await ask(headers)).toBe(403)
  })
  test.each([
    ['this machine', {}],
    ['the public URL', { host: 'ferrule.example.com', origin: 'https://ferrule.example.com' }],
    ['an allowed site', { origin: 'https://console.example.org' }],
  ])('but not %s', async (_what, headers) => {
    expect(await ask(headers)).toBe(405)
  })
})

describe('a request', () => {
  test('does not wait for a slow one', async () => {
    const slow = post(call('wait'))
    const running = await begin()
    expect(await (await post(call('echo', 2))).text()).toContain('echo')
    running.end()
    expect(await (await slow).text()).toContain('wait')
  })

  test('ends with its client', async () => {
    const leaving = new AbortController()
    const left = post(call('wait'), {}, leaving.signal).then((answer) => answer.text())
    const { signal } = await begin()
    leaving.abort()
    await expect(left).rejects.toThrow()
    if (!signal.aborted) await once(signal, 'abort')
    expect(signal.aborted).toBe(true)
  })

  test('is cancelled by a notification of its own session, and by no other', async () => {
    const opened = await post(
      message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }, 1),
    )
    const session = opened.headers.get('mcp-session-id') ?? ''
    expect(session).not.toBe('')
    await opened.text()
    const own = { 'mcp-session-id': session, authorization: 'one' }
    const answer = post(call('wait', 7), own)
    const { signal } = await begin()
    const cancel = async (headers: Readonly<Record<string, string>>, requestId = 7) => {
      const { status } = await post(message('notifications/cancelled', { requestId }), headers)
      expect(status).toBe(202)
    }
    await cancel({ ...own, authorization: 'two' })
    await cancel({ ...own, 'mcp-session-id': 'another' })
    await cancel(own, 8)
    expect(signal.aborted).toBe(false)
    await cancel(own)
    expect(signal.aborted).toBe(true)
    await (await answer).text().catch(() => '')
  })
})
