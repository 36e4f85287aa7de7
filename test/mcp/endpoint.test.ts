/** The endpoint of the service, by real clients of both revisions and of both generations. */
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { base, client, createTenant, startWorld, tokenPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectClient, connectOldClient, type TestClient } from './clients.ts'

/** Holds calls of the engine back until they are aborted. */
let hold: ((call: Call) => void) | undefined

const world = await share(
  startWorld({
    engine: (engine) => ({
      async run(connection, call) {
        if (hold === undefined) return engine.run(connection, call)
        hold(call)
        const { signal } = call
        if (signal?.aborted === false) await once(signal, 'abort')
        throw signal?.reason
      },
    }),
  }),
)
const connector = await world.connect('calls')
const tenant = await createTenant(world, 'another')
const url = `${world.url}/mcp`

const issue = async (scope: string): Promise<string> => {
  const body = { client_id: client.id, client_secret: client.secret, scope }
  return String((await world.ask(tokenPath, { body })).json.access_token)
}

const generations: readonly (readonly [string, string, (token: string) => Promise<TestClient>])[] = [
  ['the client of today by 2026-07-28', '2026-07-28', (token) => connectClient(url, token, '2026-07-28')],
  ['the client of today by 2025-11-25', '2025-11-25', (token) => connectClient(url, token, '2025-11-25')],
  ['the client of the generation before', '2025-11-25', (token) => connectOldClient(url, token)],
]

describe.each(generations)('%s', async (_name, revision, connect) => {
  const agent = await share(connect(world.token))

  test('finds what is connected, and reads it', async () => {
    expect(agent.revision).toBe(revision)
    expect((await agent.call('list_connectors')).text).toContain(connector)
    const { text, isError } = await agent.call('execute', { connector, entity: 'users', action: 'list', fields: ['id'] })
    expect([isError, text]).toEqual([false, expect.stringContaining(String(world.sandbox.gong.world.userId))])
  })

  test('continues a bounded answer in another request', async () => {
    const first = await agent.call('execute', { connector, entity: 'users', action: 'list' })
    const handle = /read_more \{"handle":"([^"]+)"\}/.exec(first.text)?.[1]
    const second = await agent.call('read_more', { handle })
    expect([second.isError, second.text]).toEqual([false, expect.stringMatching(/^gong users\.list of "calls": rows \d+ to \d+ of 100/)])
  })

  test('is told what to change', async () => {
    const wrong = await agent.call('execute', { connector, entity: 'user', action: 'list' })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('users')])
    const foreign = await agent.call('execute', { connector: tenant.connectorId, entity: 'users', action: 'list' })
    expect([foreign.isError, foreign.text]).toEqual([true, expect.stringContaining('connector_not_found')])
    await expect(agent.call('no_tool')).rejects.toThrow('There is no tool no_tool. The tools are list_connectors')
  })

  test('reaches the call of the vendor with a cancellation', async () => {
    const begun = Promise.withResolvers<Call>()
    hold = begun.resolve
    const leaving = new AbortController()
    const left = agent.call('execute', { connector, entity: 'users', action: 'list' }, leaving.signal)
    const { signal } = await begun.promise
    leaving.abort()
    await expect(left).rejects.toThrow()
    if (signal?.aborted === false) await once(signal, 'abort')
    hold = undefined
    expect(signal?.aborted).toBe(true)
  })
})

describe('a token', () => {
  const post = (token: string | undefined, body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' }) =>
    world.open('/mcp', { ...(token === undefined ? {} : { token }), body, headers: { accept: 'application/json, text/event-stream' } })
  const challenge = async (token: string | undefined, body?: unknown) => {
    const { statusCode, headers } = await post(token, body)
    return [statusCode, headers['www-authenticate']]
  }
  const metadata = 'resource_metadata="http://127.0.0.1:0/.well-known/oauth-protected-resource/mcp"'
  const tool = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

  test('is asked for, with the address where a client learns how to get one', async () => {
    expect(await challenge(undefined)).toEqual([401, `Bearer scope="connectors:read execute:read", ${metadata}`])
  })
  test('is refused when it is wrong', async () => {
    expect(await challenge('wrong')).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"]+", scope=/),
    ])
  })
  test('needs the scope of the tool', async () => {
    const token = await issue('connectors:read')
    const [status, said] = await challenge(token, tool('execute'))
    expect([status, said]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
    expect(said).toContain('scope="connectors:read execute:read"')
    expect((await challenge(token, tool('write')))[1]).toContain('scope="connectors:read execute:read execute:write"')
    expect((await challenge(token, tool('list_connectors')))[0]).toBe(200)
  })
})

describe('the metadata', () => {
  const path = '/.well-known/oauth-protected-resource/mcp'
  test('names the endpoint by the public URL, whatever Host says; a token has a rate', async () => {
    const known = await startWorld({ settings: { publicUrl: 'https://ferrule.example.com/api', mcpRateLimit: 2 } })
    const { json } = await known.ask(path, { headers: { host: 'localhost' } })
    expect(json).toMatchObject({
      resource: 'https://ferrule.example.com/api/mcp',
      scopes_supported: expect.arrayContaining(['execute:read']),
    })
    const { headers } = await known.open('/mcp', { body: {} })
    expect(headers['www-authenticate']).toContain(`resource_metadata="https://ferrule.example.com/api${path}"`)
    const ping = { token: known.token, body: { jsonrpc: '2.0', id: 1, method: 'ping' }, headers: { host: 'ferrule.example.com' } }
    for (let asked = 0; asked < 2; asked += 1) expect((await known.open('/mcp', ping)).statusCode).not.toBe(429)
    const limited = await known.open('/mcp', ping)
    expect([limited.statusCode, Number(limited.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    await known.close()
  })
  test('is missing where a service on all addresses does not know its name', async () => {
    const unknown = await startWorld({ settings: { host: '0.0.0.0' } })
    const answer = await unknown.ask(path)
    expect([answer.status, answer.json.hint]).toEqual([404, expect.stringContaining('FERRULE_PUBLIC_URL')])
    const { statusCode, headers } = await unknown.open('/mcp', { body: {}, headers: { host: 'anything.example' } })
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer scope="connectors:read execute:read"'])
    await unknown.close()
  })
})

test('requests and calls are counted', async () => {
  const { text } = await world.ask('/metrics')
  expect(text).toMatch(/ferrule_http_request_duration_seconds_count\{route="\/mcp",method="POST",status="200"\} \d+/)
  expect(text).toMatch(/ferrule_mcp_tool_calls_total\{tool="execute",code="connector_not_found"\} 3/)
  expect(text).toMatch(/ferrule_mcp_tool_calls_total\{tool="execute",code="aborted"\} 3/)
  expect(text).toMatch(/ferrule_executes_total\{kind="gong",entity="users",action="list",code="aborted"\} 3/)
  expect(world.log.join('')).not.toContain(world.token)
  expect((await world.ask(`${base}/organizations`, { token: world.token })).status).toBe(200)
})
