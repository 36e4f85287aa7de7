/** The server over any tools: progress of long calls, and failures that no answer may show. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fastify } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import type { AgentSource, AgentTool } from '../../packages/ferrule/src/agent/index.ts'
import { createMcpServer } from '../../packages/ferrule/src/mcp/server.ts'
import { createDoor } from '../../packages/server/src/http/mcp/doors.ts'
import { mountMcp } from '../../packages/server/src/http/mcp/mount.ts'

let release = Promise.withResolvers<void>()
const failures: unknown[] = []
const app = fastify()

const tool = (name: string, run: () => Promise<string>): AgentTool => ({
  ...{ name, description: name, inputSchema: { type: 'object' } },
  annotations: { title: name, readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  run: async () => ({ text: await run(), isError: false }),
})
const wait = async (): Promise<string> => {
  await release.promise
  return 'done'
}
const fail = async (): Promise<string> => {
  throw new Error('/home/somebody/a-path of another tenant')
}
const refuse = async (): Promise<never> => {
  throw new Error('no source is asked')
}
const source: AgentSource = { listConnectors: refuse, getConnector: refuse, readKind: refuse, execute: refuse }

mountMcp<string>(app, {
  path: '/mcp',
  door: createDoor({ host: '127.0.0.1', publicUrl: undefined, corsOrigins: [], mcpHosts: [] }),
  authenticate: async () => 'anybody',
  identify: (who) => who,
  createServer: (sdk, { message }) =>
    createMcpServer({
      ...{ sdk, source, version: '1.0.0', tools: [tool('wait', wait), tool('fail', fail)], reportEveryMs: 5 },
      findArguments: () => message.params['arguments'],
      onError: (thrown) => failures.push(thrown),
    }),
})
const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
afterAll(() => app.close())

const connect = async (options: ConstructorParameters<typeof Client>[1]): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

test.each([
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025-11-25', {}],
] as const)('a long call reports that it still runs, by %s', async (_revision, options) => {
  const client = await connect(options)
  release = Promise.withResolvers()
  const reports: number[] = []
  const onprogress = ({ progress }: { readonly progress: number }) => {
    reports.push(progress)
    if (reports.length === 2) release.resolve()
  }
  const result = await client.callTool({ name: 'wait', arguments: {} }, { onprogress })
  expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  const [first = 0, second = 0] = reports
  expect(second).toBeGreaterThan(first)
  await client.close()
})

test('a failure inside of a tool is logged, and answered without its words', async () => {
  const client = await connect({})
  const { content, isError } = await client.callTool({ name: 'fail', arguments: {} })
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('Error internal_error')])
  expect(JSON.stringify(content)).not.toContain('somebody')
  expect(failures).toHaveLength(1)
  await client.close()
})
