/** The tool `changes`, of a client of the service and over MCP: all records once, then what changed, within the budget of an answer. */
import { describe, expect, test } from 'vitest'
import { type AgentAnswer, createTools } from '../../packages/ferrule/src/agent/index.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { openFerrule } from '../client/support.ts'
import { allFound, startCopyWorld } from '../http/search-support.ts'
import { share } from '../support/share.ts'
import { connectGong, findHandle, readRows, runTool } from './support.ts'
import { ways } from './ways.ts'

const ref = () => ({ connector, kind: 'gong', entity: 'users' })
const keyOf = (id: string): string => buildPrimaryKey(world.context.store.getTable('gong', 'users').key, { id }) ?? id
const write = (users: Readonly<Record<string, string>>, removed: readonly string[] = []) =>
  world.context.store.writeBatch(ref(), {
    records: Object.entries(users).map(([id, title]) => ({ key: keyOf(id), fields: { id, title } })),
    removed: removed.map(keyOf),
    asked: world.clock.now,
  })
const hosted = () => openFerrule(world)
const findAfter = ({ text }: Pick<AgentAnswer, 'text'>): string => /"after":"([^"]+)"/.exec(text)?.[1] ?? ''
const users = { connector: 'Calls', entity: 'users' }

const world = await share(startCopyWorld('embedded'))
const connector = await world.connect('Calls', { entities: [{ entity: 'users' }] })
await world.context.sync()

describe.each(Object.entries(ways))('of %s', async (_name, open) => {
  const run = await open(world)

  test('has all records first, then what changed', async () => {
    const found = await allFound(world, connector, { entity: 'users', params: { query: {} } })
    const keys: unknown[] = []
    let answer = await run('changes', { ...users, limit: 400 })
    for (let handle = findHandle(answer); ; handle = findHandle(answer)) {
      expect(answer.isError, answer.text).toBe(false)
      for (const row of readRows(answer)) keys.push(Object(row).key ?? Object(row).type)
      if (handle === undefined) break
      answer = await run('read_more', { handle })
    }
    expect(keys).toEqual(['snapshot_begin', ...found.map(({ id }) => id), 'snapshot_end'])
    const { text } = await run('changes', { ...users, after: 'now' })
    expect(text).toMatch(/^gong users\.changes of "Calls": no rows\.$/m)
    const id = String(found[0]?.id)
    await write({ 1: 'one' }, [id])
    const told = await run('changes', { ...users, after: findAfter({ text }) })
    expect(readRows(told)).toMatchObject([
      { type: 'removed', key: id },
      { type: 'added', key: '1', cause: 'sync', record: { title: 'one' } },
    ])
    await write({ 1: 'first' })
    expect(readRows(await run('changes', { ...users, after: findAfter(told) }))).toMatchObject([{ type: 'changed', fields: ['title'] }])
  })

  test('says what is wrong, and how to begin again', async () => {
    expect((await run('changes', { ...users, limit: 2_000 })).text).toContain('/limit must be 1 to 1000')
    expect((await run('changes', { ...users, entity: 'workspaces' })).text).toMatch(/action_not_supported[\s\S]*Searchable: .*users/)
    const now = await run('changes', { ...users, after: 'now' })
    await world.context.store.deleteAll(ref())
    await write({ 2: 'two', 3: 'three' })
    const expired = await run('changes', { ...users, after: findAfter(now) })
    expect([expired.isError, expired.text]).toEqual([
      true,
      expect.stringMatching(/changes_expired[\s\S]*without after: all records come first/),
    ])
  })
})

test('keeps the rows of an answer that is cut, whatever changes meanwhile', async () => {
  const tools = await createTools(hosted(), { maxTokens: 1_000 })
  const now = await runTool(tools, 'changes', { ...users, after: 'now' })
  expect(findAfter(now)).not.toBe('')
  const ids = Array.from({ length: 30 }, (_, index) => String(10 + index))
  for (const id of ids) await write({ [id]: `a title of ${'some length '.repeat(20)}` })
  const first = await runTool(tools, 'changes', { ...users, after: findAfter(now) })
  const keys = readRows(first).map((row) => Object(row).key)
  expect(keys.length).toBeLessThan(ids.length)
  await write({ 10: 'again' })
  for (let handle = findHandle(first); handle !== undefined; ) {
    const answer = await runTool(tools, 'read_more', { handle })
    keys.push(...readRows(answer).map((row) => Object(row).key))
    handle = findHandle(answer)
  }
  expect(keys).toEqual(ids)
})

test('is there only where copies are', async () => {
  const local = connectGong(world)
  const names = async (source: object) => (await createTools(source)).map(({ name }) => name)
  expect(await names(local)).not.toContain('changes')
  const both = await createTools([hosted(), local])
  expect(readRows(await runTool(both, 'changes', { ...users, limit: 1 }))).toHaveLength(2)
  const refused = await runTool(both, 'changes', { connector: 'gong', entity: 'users' })
  expect(refused.text).toContain('Nothing of this connector can be searched')
})
