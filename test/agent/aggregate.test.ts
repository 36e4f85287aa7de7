/** The tool `aggregate`, of a client of the service and over MCP, and the questions of people that few calls answer. */
import { describe, expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { openFerrule } from '../client/support.ts'
import { emptyVendors } from '../http/everything-support.ts'
import { connectHeldCalls } from '../http/held-calls.ts'
import { startCopyWorld } from '../http/search-support.ts'
import { connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectGong, findHandle, readRows, runTool } from './support.ts'
import { ways } from './ways.ts'

const world = await share(startCopyWorld('embedded', { engine: emptyVendors.engine }))
await connectHeldCalls(world, 'Calls')

const hosted = () => openFerrule(world)
const calls = { connector: 'Calls', entity: 'calls' }

describe.each(Object.entries(ways))('of %s', async (_name, open) => {
  const run = await open(world)

  test('counts and measures groups, and goes on by its handle', async () => {
    const months = {
      ...calls,
      group_by: ['month=month(started, Europe/Berlin)'],
      measures: ['count', 'sum(duration)', 'people=distinct(primaryUserId)'],
    }
    const whole = await run('aggregate', months)
    expect(readRows(whole)).toEqual([
      { month: '2026-03', count: 4, sum_duration: 600, people: 2 },
      { month: '2026-04', count: 1, sum_duration: 300, people: 1 },
    ])
    expect(whole.text).toContain('gong calls.aggregate of "Calls": 2 rows')
    expect(whole.text).toContain('"groups":2')
    const first = await run('aggregate', { ...months, limit: 1, having: 'count >= 1', sort: 'count desc' })
    expect(readRows(first)).toMatchObject([{ month: '2026-03' }])
    expect(readRows(await run('read_more', { handle: findHandle(first) }))).toMatchObject([{ month: '2026-04' }])
    const lengths = await run('aggregate', { ...calls, group_by: 'ranges(duration, 60, 200), direction', measures: '["count"]' })
    expect(readRows(lengths)).toContainEqual({ duration: { from: 60, to: 200 }, direction: 'Inbound', count: 2 })
  })

  test.each([
    [{ group_by: ['directon'] }, /Nearest: direction\.[\s\S]*A call that fits: aggregate \{"connector":"Calls","entity":"calls"/],
    [{ measures: ['sum(durations)'] }, /Nearest: duration\./],
    [{ measures: ['count', 'sum(duration'] }, /\/measures\/1 cannot be read at column 13: expected a comma or \)/],
    [{ group_by: ['months(started)'] }, /\/group_by\/0 .*months makes no groups; write a field, ranges, year/],
    [{ having: 'calls > 1' }, /calls/],
    [{ sort: 'calls desc' }, /is no group and no measure; known: count/],
    [{ entity: 'workspaces' }, /action_not_supported[\s\S]*Searchable: .*calls/],
  ])('says what is wrong with %j', async (args, says) => {
    const { text, isError } = await run('aggregate', { ...calls, ...args })
    expect({ text, isError }).toEqual({ text: expect.stringMatching(says), isError: true })
  })

  test('how many calls did each person hold in March: one call', async () => {
    const held = await run('aggregate', {
      ...calls,
      where: 'started >= 2026-03-01 and started < 2026-04-01',
      group_by: ['primaryUserId'],
      measures: ['calls=count'],
      include: ['primaryUserId.firstName'],
      sort: 'calls desc',
    })
    expect(readRows(held)).toEqual([
      { primaryUserId: '2', calls: 2, _related: { primaryUserId: { firstName: 'Grace' } } },
      { primaryUserId: '1', calls: 1, _related: { primaryUserId: { firstName: 'Ada' } } },
    ])
  })

  test('who held the last call: one call', async () => {
    const held = await run('search', { ...calls, sort: 'started desc', fields: ['id'], include: ['primaryUserId.firstName'], limit: 1 })
    expect(readRows(held)).toEqual([{ id: '5', _related: { primaryUserId: { firstName: 'Grace' } } }])
    expect((await run('search', { ...calls, include: ['firstName'] })).text).toMatch(/\/include\/0 must be a reference and a field/)
  })

  test('anything about Acme: one call', async () => {
    const found = await run('search', { text: 'acme' })
    expect(found.text).toContain('"found":{"gong.calls":2,"gong.users":1}')
    expect(readRows(found)).toContainEqual(expect.objectContaining({ connector: 'Calls', entity: 'users', key: '2' }))
    const held = await run('search', { text: 'acme', include: ['primaryUserId.firstName', 'managerId.firstName'] })
    expect(readRows(held)).toContainEqual(expect.objectContaining({ key: '4', related: { primaryUserId: { firstName: 'Grace' } } }))
    expect(held.text).toContain(
      '"not_included":["gong: calls (It has no reference managerId)","gong: users (It has no reference primaryUserId)"]',
    )
  })

  test('names related records that were never synced', async () => {
    const alone = await connectHeldCalls(world, 'Alone', ['calls'])
    const searched = { connector: 'Alone', entity: 'calls', where: 'id = "1"', include: ['primaryUserId.firstName'] }
    const found = await run('search', { ...searched, fields: ['id'] })
    expect(readRows(found)).toEqual([{ id: '1', _related: { primaryUserId: null } }])
    const groups = await run('aggregate', { ...searched, group_by: ['primaryUserId'] })
    expect(readRows(groups)).toEqual([{ primaryUserId: '1', count: 1, _related: { primaryUserId: null } }])
    for (const { text } of [found, groups]) expect(text).toContain('"not_synced":["users"]')
    const everything = await run('search', { text: 'weekly', include: ['primaryUserId.firstName'] })
    await world.ask(`${connectorsPath}/${alone}`, { method: 'DELETE', token: world.token })
    expect(everything.text).toContain('"not_synced":["Alone: users"]')
  })
})

test('what only this process knows cannot be counted', async () => {
  const tools = await createTools(connectGong(world))
  expect(tools.map(({ name }) => name)).not.toContain('aggregate')
  const live = await runTool(await createTools(hosted()), 'execute', { ...calls, action: 'context_store_aggregate' })
  expect(live.text).toContain('Use the tool aggregate.')
})
