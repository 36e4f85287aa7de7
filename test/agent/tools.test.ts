/** The tools of agents against a hosted service and against a connection of this process. */
import { describe, expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { connectTo, openFerrule } from '../client/support.ts'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectGong, findHandle, readRows, runTool } from './support.ts'

const world = await share(startWorld())
await world.connect('Calls')

const sources = {
  'a client': () => openFerrule(world),
  'a hosted connection': () => connectTo(world, 'gong'),
  'a local connection': () => connectGong(world),
  'a list of both': () => [connectTo(world, 'gong'), connectGong(world)],
} as const

describe.each(Object.entries(sources))('the tools of %s', (_name, make) => {
  test('list, describe and read', async () => {
    const tools = await createTools(make())
    const listed = await runTool(tools, 'list_connectors', {})
    expect(listed.text).toMatch(/^"(Calls|gong)": gong, active/m)
    const connector = /^"([^"]+)": gong/m.exec(listed.text)?.[1]
    expect((await runTool(tools, 'describe', { connector })).text).toMatch(/^- calls \(list, get/m)
    expect((await runTool(tools, 'describe', { connector, entity: 'calls' })).text).toMatch(/^ {2}fromDateTime\? date-time: /m)
    const read = await runTool(tools, 'execute', { connector, entity: 'users', action: 'list', fields: ['id'] })
    expect(read.text).toMatch(/^gong users\.list of "[^"]+": 100 rows; more follow behind them\.$/m)
    expect(readRows(read)[0]).toEqual({ id: expect.stringMatching(/^\d{15,}$/) })
    const next = await runTool(tools, 'read_more', { handle: findHandle(read) })
    expect(next.text).toMatch(/: 100 rows; more follow behind them\.$/m)
    expect(readRows(next)[0]).not.toEqual(readRows(read)[0])
  })
})
