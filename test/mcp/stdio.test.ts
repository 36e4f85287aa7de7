/** `ferrule mcp`: the same tools over standard input and output, by the service or by credentials of the environment. */
import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { StdioTransport } from '../../packages/ferrule/src/cli/actions/mcp.ts'
import { buildEnvironment, cli, runFerrule, writeProfile } from '../command/support.ts'
import { client, startWorld } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { startClient } from './clients.ts'

const world = await share(startWorld())
const connector = await world.connect('calls')

const config = makeFolder('stdio')
const service = () => ({ FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret })
const vendor = () => ({
  GONG_ACCESS_KEY: 'sandbox',
  GONG_ACCESS_KEY_SECRET: 'sandbox-secret',
  GONG_ORIGIN: JSON.stringify(world.sandbox.origins['gong']),
})
const program = (args: readonly string[], env: Readonly<Record<string, string>>) => ({
  ...{ command: process.execPath, args: [cli, 'mcp', ...args], env: buildEnvironment({ config, env }) },
})

describe('the command', () => {
  test('serves the connectors of a service by both revisions', async () => {
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      const agent = await startClient(program([], service()), revision)
      expect(agent.revision).toBe(revision)
      expect((await agent.call('list_connectors')).text).toContain(connector)
      expect((await agent.call('execute', { connector, entity: 'users', action: 'list', fields: ['id'] })).text).toContain(
        world.sandbox.gong.world.userId,
      )
      await agent.close()
    }
  })

  test('is started as the entry of a client says, with nothing else in its environment', async () => {
    writeProfile(config, { url: world.url, client_id: client.id, client_secret: client.secret })
    const { stdout } = await runFerrule({ config }, 'mcp', 'install', 'claude-desktop', '--print')
    const { command, args, env } = JSON.parse(stdout).mcpServers.ferrule
    const agent = await startClient({ command, args, env }, '2026-07-28')
    expect((await agent.call('list_connectors')).text).toContain(connector)
    await agent.close()
  })

  test('serves a vendor without any service', async () => {
    const agent = await startClient(program(['--local', 'gong'], vendor()), '2026-07-28')
    const { text } = await agent.call('execute', { connector: 'gong', entity: 'users', action: 'list', fields: ['id'] })
    expect(text).toContain(world.sandbox.gong.world.userId)
    await agent.close()
  })

  test('writes nothing but the protocol to standard output, and ends with its client', async () => {
    const input = `no json\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`
    const ended = await runFerrule({ config, env: vendor(), input }, 'mcp', '--local', 'gong')
    expect(ended.code).toBe(0)
    const lines = ended.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'))
    expect(lines.map((line) => JSON.parse(line).id).toSorted()).toEqual([1, null])
  })

  test('says on standard error what is missing', async () => {
    const ended = await runFerrule({ config }, 'mcp', '--local', 'gong')
    expect([ended.stdout, ended.stderr]).toEqual(['', expect.stringContaining('GONG_ACCESS_KEY')])
    expect(ended.code).not.toBe(0)
  })
})

describe('the transport', () => {
  const open = () => {
    const streams = { input: new PassThrough(), output: new PassThrough() }
    const transport = new StdioTransport(streams, parseJSONRPCMessage)
    return { ...streams, transport }
  }
  const request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"id":9007199254740993}}}'

  test('keeps every digit of arguments until the answer', async () => {
    const { input, output, transport } = open()
    const met = Promise.withResolvers<unknown>()
    transport.onmessage = met.resolve
    await transport.start()
    input.write(`${request.slice(0, 50)}`)
    input.write(`${request.slice(50)}\r\n`)
    expect(await met.promise).toMatchObject({ id: 1, method: 'tools/call' })
    expect(transport.findArguments(1)).toEqual({ id: 9_007_199_254_740_993n })
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    expect(transport.findArguments(1)).toBeUndefined()
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
  })

  test('answers what is open before it ends', async () => {
    const { input, output, transport } = open()
    const met = Promise.withResolvers<unknown>()
    transport.onmessage = met.resolve
    await transport.start()
    input.end(`${request}\n`)
    await met.promise
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    await transport.closed
    expect(String(output.read())).toContain('"id":1')
  })

  test('ends when its input ends, and when a message never does', async () => {
    for (const bytes of ['', 'x'.repeat(4_194_305)]) {
      const { input, output, transport } = open()
      await transport.start()
      if (bytes === '') input.end()
      else input.write(bytes)
      await transport.closed
      output.end()
      expect(await readAll(output)).toContain(bytes === '' ? '' : 'at most 4194304 characters')
    }
  })
})
