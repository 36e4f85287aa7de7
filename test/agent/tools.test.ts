/** The tools of agents against a hosted service and against a connection of this process. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { Ferrule } from '../../packages/ferrule/src/index.ts'
import { connectTo } from '../client/support.ts'
import { client, startWorld, type World } from '../http/support.ts'
import { connectGong } from './support.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.connect('Calls')
})
afterAll(() => world.close())

const sources = {
  'a client': () => new Ferrule({ url: world.url, clientId: client.id, clientSecret: client.secret }),
  'a hosted connection': () => connectTo(world, 'gong'),
  'a local connection': () => connectGong(world),
  'a list of both': () => [connectTo(world, 'gong'), connectGong(world)],
} as const

describe.each(Object.entries(sources))('the tools of %s', (_name, make) => {
  test('list, describe and read', async () => {
    const tools = await createTools(make())
    const run = async (name: string, args: unknown) =>
      (await tools.find((tool) => tool.name === name)?.run(args)) ?? { text: '', isError: true }
    const listed = await run('list_connectors', {})
    expect(listed).toMatchObject({ isError: false, text: expect.stringContaining('"kind":"gong"') })
    const [{ name: connector = '' } = {}] = (listed.result ?? []) as readonly { readonly name?: string }[]
    expect((await run('describe', { connector })).text).toContain('calls')
    const read = await run('execute', { connector, entity: 'users', action: 'list', fields: ['id'] })
    expect(read).toMatchObject({ isError: false })
    expect(read.text).toMatch(/"id"/)
    expect(read.text).not.toMatch(/emailAddress/)
  })
})
