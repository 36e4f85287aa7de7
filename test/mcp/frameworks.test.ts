/** Clients of frameworks at the endpoint: each speaks the protocol in its own way. */
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { expect, test } from 'vitest'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const world = await share(startWorld())
const connector = await world.connect('calls')
const server = { url: `${world.url}/mcp`, headers: { authorization: `Bearer ${world.token}` } }

const users = () => ({ connector, entity: 'users', action: 'list', fields: ['id'] })
const wrong = () => ({ ...users(), entity: 'user' })

test('the client of the AI SDK reads, and its model sees errors', async () => {
  const client = await createMCPClient({ transport: { type: 'http', url: server.url, headers: { ...server.headers } } })
  const tools = await client.tools()
  const call = async (args: object) =>
    JSON.stringify(await tools['execute']?.execute?.(args, { toolCallId: '1', messages: [], context: undefined }))
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(['list_connectors', 'describe', 'execute', 'search', 'read_more', 'write']))
  expect(await call(users())).toContain(world.sandbox.gong.world.userId)
  const failed = await call(wrong())
  expect([failed.includes('"isError":true'), failed.includes('users')]).toEqual([true, true])
  await client.close()
})

test('the adapters of LangChain read, and throw errors that say what to change', async () => {
  const client = new MultiServerMCPClient({
    mcpServers: { ferrule: { transport: 'http', url: server.url, headers: { ...server.headers }, reconnect: { enabled: false } } },
  })
  const tools = await client.getTools()
  const execute = tools.find(({ name }) => name === 'execute')
  expect(JSON.stringify(await execute?.invoke(users()))).toContain(world.sandbox.gong.world.userId)
  await expect(execute?.invoke(wrong())).rejects.toThrow(/users/)
  await client.close()
})
