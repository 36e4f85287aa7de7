/** MCP over two nodes of one service: any node continues an answer, and any refuses a token that another revoked. */
import { afterAll, expect, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask } from '../faults/client.ts'
import { install } from '../faults/installation.ts'
import { runSql } from '../support/postgres.ts'
import { share } from '../support/share.ts'
import { connectClient, type TestClient } from './clients.ts'

const sandbox = await share(startSandbox({ limits: false }))
const agents: TestClient[] = []
const addresses: string[] = []
afterAll(async () => {
  for (const agent of agents) await agent.close()
  await installed[Symbol.asyncDispose]()
})

const scopes = ['connectors:read', 'execute:read', 'execute:write']
const statement = `SELECT SEQ8() AS N, '${'x'.repeat(500)}' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => 300)) ORDER BY 1`
const readHandle = (text: string): string | undefined => /read_more \{"handle":"([^"]+)"/.exec(text)?.[1]
const nextAgent = (turn: number): TestClient => {
  const agent = agents[turn % agents.length]
  if (agent === undefined) throw new Error('no agent')
  return agent
}

await sandbox.snowflake.open()
const installed = await install({ sandbox, name: 'agents', publicUrl: 'http://127.0.0.1' })
const { url, token: bearer } = installed.clients[0].execute(installed.connectorId)
const made = await ask({ url: new URL('/api/v1/account/mcp-tokens', url).href, token: bearer, body: { name: 'agent', scopes } })
const token = made.json.token
for (const client of installed.clients) addresses.push(new URL('/mcp', client.execute('any').url).href)
for (const address of addresses) agents.push(await connectClient(address, token, '2026-07-28'))

test('a statement runs once, and each node continues its answer', async () => {
  const params = { connector: 'warehouse', entity: 'record', action: 'list', params: { statement } }
  let said = await nextAgent(0).call('execute', params)
  const seen: number[] = []
  for (let turn = 1; ; turn += 1) {
    expect(said, said.text.slice(0, 300)).toMatchObject({ isError: false })
    for (const [, number] of said.text.matchAll(/^[[{](?:"N":)?(\d+),/gm)) seen.push(Number(number))

    const handle = readHandle(said.text)
    if (handle === undefined) break
    said = await nextAgent(turn).call('read_more', { handle })
  }
  expect(seen).toEqual(Array.from({ length: 300 }, (_each, index) => index))
  expect(sandbox.snowflake.executed()).toHaveLength(1)
  // Both nodes are one process here, so its memory would do: the rest must stand where another process finds it.
  expect((await runSql(installed.databaseUrl, 'select digest from kept_answers')).length).toBeGreaterThan(0)
})

test('a token that one node revoked is refused by the other at once', async () => {
  const [, second = ''] = addresses
  const status = async () => (await ask({ url: second, token, body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).status
  expect(await status()).not.toBe(401)
  const { url, token: bearer } = installed.clients[0].execute(installed.connectorId)
  const tokens = new URL('/api/v1/account/mcp-tokens', url).href
  const [{ id }] = (await ask({ url: tokens, token: bearer })).json.data
  await fetch(`${tokens}/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } })
  expect(await status()).toBe(401)
})
