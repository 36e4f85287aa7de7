/** MCP tokens at the endpoint, by a real client. */
import { expect, test } from 'vitest'
import { base, connectorsPath, type Json, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectClient } from './clients.ts'

const make = async (body: object): Promise<Json> =>
  (await world.ask(`${base}/account/mcp-tokens`, { token: world.token, body: { name: 'agent', ...body } })).json
const connect = (token: string) => connectClient(`${world.url}/mcp`, token, '2026-07-28')
const ping = async (token: string, more: object = { method: 'ping' }) => {
  const body = { jsonrpc: '2.0', id: 1, ...more }
  const { statusCode, headers } = await world.open('/mcp', { token, body, headers: { accept: 'application/json, text/event-stream' } })
  return [statusCode, headers['www-authenticate']]
}

const world = await share(startWorld())
const shown = await world.connect('shown')
const hidden = await world.connect('hidden')
const elsewhere = await world.connect('elsewhere', { workspace_name: 'Elsewhere', create_workspace: true })

test('an agent sees the connectors that its token names, and no others', async () => {
  const agent = await connect((await make({ connector_ids: [shown] })).token)
  expect(await agent.tools()).not.toContain('write')
  const { text } = await agent.call('list_connectors')
  expect([text.includes(shown), text.includes(hidden), text.includes('Elsewhere')]).toEqual([true, false, false])
  expect((await agent.call('execute', { connector: shown, entity: 'users', action: 'list' })).isError).toBe(false)
  const ask = async (connector: string) => {
    const said = await agent.call('execute', { connector, entity: 'users', action: 'list' })
    return { ...said, text: said.text.replaceAll(connector, 'it') }
  }
  const unknown = await ask('00000000-0000-4000-8000-000000000000')
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('connector_not_found') })
  expect([await ask(hidden), await ask(elsewhere)]).toEqual([unknown, unknown])
  await agent.close()
})

test('an agent sees several workspaces, and writes only when its token says so', async () => {
  const { token } = await make({ workspace_names: ['default', 'Elsewhere'], scopes: ['connectors:read', 'execute:read', 'execute:write'] })
  const agent = await connect(token)
  const { text } = await agent.call('list_connectors')
  expect([shown, hidden, elsewhere].map((id) => text.includes(id))).toEqual([true, true, true])
  await agent.close()
  const write = { method: 'tools/call', params: { name: 'write', arguments: {} } }
  const [status, said] = await ping((await make({})).token, write)
  expect([status, said]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
  expect((await ping(token, write))[0]).not.toBe(403)
})

test('a revoked token and an expired one are refused at once, in the same words', async () => {
  const [revoked, expired] = [await make({}), await make({ expires_in_days: 1 })]
  for (const { token } of [revoked, expired]) expect((await ping(token))[0]).not.toBe(401)
  await world.ask(`${base}/account/mcp-tokens/${revoked.id}`, { method: 'DELETE', token: world.token })
  const before = world.clock.now
  world.clock.now += 86_400_000
  const refusals = [await ping(revoked.token), await ping(expired.token)]
  world.clock.now = before
  expect(refusals[0]).toEqual([401, expect.stringMatching(/^Bearer error="invalid_token", error_description="[^"]+", scope=/)])
  expect(refusals[1]).toEqual(refusals[0])
})

test('a token that the endpoint takes is refused by the API, and no log has it', async () => {
  const { token } = await make({})
  expect((await ping(token))[0]).not.toBe(401)
  const answer = await world.ask(connectorsPath, { token })
  expect([answer.status, answer.json.code]).toEqual([401, 'invalid_token'])
  expect(world.log.join('')).not.toContain('frl_mcp_')
})
