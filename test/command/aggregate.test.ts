/** `aggregate` against a service: groups and measures as text, in each format, and what a reader of the rows does not see. */
import { expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { emptyVendors } from '../http/everything-support.ts'
import { connectHeldCalls } from '../http/held-calls.ts'
import { share } from '../support/share.ts'
import { openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

const running = await share(startCommandWorld({ engine: emptyVendors.engine }))
const connector = await connectHeldCalls(running.world, 'my calls')

const line = (...args: readonly string[]) => ['aggregate', 'my calls', 'calls', ...args]
const run = (...args: readonly string[]) => runFerrule(running.caller, ...line(...args))
const directions = ['--group-by', 'direction', '--measure', 'calls=count', '--measure', 'minutes=sum(duration)', '--sort', 'calls:desc']

test('counts and measures groups, in each format', async () => {
  const { data, meta, context_store } = await runForJson(running.caller, ...line(...directions))
  expect(data).toEqual([
    { direction: 'Inbound', calls: 3, minutes: 420 },
    { direction: 'Conference', calls: 1, minutes: 300 },
    { direction: 'Outbound', calls: 1, minutes: 180 },
  ])
  expect(meta).toMatchObject({ groups: 3, has_more: false })
  expect(context_store).toMatchObject({ complete: true })
  const csv = await run(...directions, '--having', 'calls >= 2 or minutes > 200', '--format', 'csv')
  expect(csv).toMatchObject({ code: 0, stdout: 'direction,calls,minutes\r\nInbound,3,420\r\nConference,1,300\r\n', stderr: '' })
  expect((await run('--where', 'duration > 60', '--format', 'ndjson')).stdout).toBe('{"count":4}\n')
  expect((await run('--filter', '{"gt":{"duration":60}}', '--jq', '.data[0].count')).stdout).toBe('4\n')
  const months = [
    '--group-by',
    'month=month(started, Europe/Berlin)',
    '--group-by',
    'ranges(duration, 100)',
    '--fields',
    'month,duration,count',
  ]
  expect((await run(...months, '--format', 'csv')).stdout).toBe(
    'month,duration,count\r\n2026-03,"{""from"":null,""to"":100}",1\r\n2026-03,"{""from"":100,""to"":null}",3\r\n2026-04,"{""from"":100,""to"":null}",1\r\n',
  )
  const terminal = openTerminal(running.caller, line(...directions))
  expect(await terminal.end()).toBe(0)
  expect(plain(terminal.drawn)).toMatch(/direction +calls +minutes\r\n[\s\S]*Inbound +3 +420\r\n/)
})

test('groups have fields of related records', async () => {
  const asked = ['--group-by', 'primaryUserId', '--include', 'primaryUserId.firstName', '--include', 'primaryUserId.title']
  const { data } = await runForJson(running.caller, ...line(...asked, '--sort', 'count:desc', '--limit', '1'))
  expect(data).toEqual([{ primaryUserId: '2', count: 3, _related: { primaryUserId: { firstName: 'Grace', title: 'Engineer' } } }])
  const csv = ['--format', 'csv', '--sort', 'primaryUserId:asc']
  expect((await run(...asked, ...csv, '--fields', 'count')).stdout).toBe(
    'count,_related\r\n2,"{""primaryUserId"":{""firstName"":""Ada"",""title"":null}}"\r\n3,"{""primaryUserId"":{""firstName"":""Grace"",""title"":""Engineer""}}"\r\n',
  )
  expect((await run(...asked, ...csv, '--fields', '_related.primaryUserId.firstName,count')).stdout).toBe(
    '_related.primaryUserId.firstName,count\r\nAda,2\r\nGrace,3\r\n',
  )
})

test('says what was not counted, that there is more, and that the copy has changed', async () => {
  const skipped = await runFerrule(running.caller, 'aggregate', 'my calls', 'users', '--measure', 'sum(title)')
  expect(skipped).toMatchObject({ code: 0, stderr: 'Not counted in sum_title: 1 value that is no number or no time.\n' })
  const pages = ['--group-by', 'direction', '--limit', '2']
  const first = await run(...pages)
  const [, cursor = ''] = /^There are more: continue with --cursor (\S+), or raise --limit, up to 10000\.$/m.exec(first.stderr) ?? []
  const second = await run(...pages, '--cursor', cursor)
  expect(JSON.parse(second.stdout).data).toEqual([{ direction: 'Outbound', count: 1 }])
  expect(second.stderr).toBe('')
  const { store } = running.world.context
  await store.writeBatch({ connector, kind: 'gong', entity: 'calls' }, { records: [], removed: ['1'], asked: running.world.clock.now })
  const changed = await run(...pages, '--cursor', cursor)
  expect(changed.stderr).toBe('The copy has changed since the first page: groups can be missing or come twice.\n')
})

test('what is found in everything has fields of related records, and what lacks them is said', async () => {
  const asked = ['find', 'acme', '--include', 'primaryUserId.firstName', '--kind', 'gong']
  const found = await runFerrule(running.caller, ...asked, '--format', 'csv', '--fields', 'entity,key,related.primaryUserId.firstName')
  expect(found).toMatchObject({ code: 0, stderr: 'Not included: users of gong. It has no reference primaryUserId.\n' })
  expect(found.stdout.split('\r\n').toSorted()).toEqual(
    ['', 'calls,2,Ada', 'calls,4,Grace', 'entity,key,related.primaryUserId.firstName', 'users,2,'].toSorted(),
  )
  const terminal = openTerminal(running.caller, asked)
  expect(await terminal.end()).toBe(0)
  expect(plain(terminal.drawn)).toMatch(/title +connector\.name +entity +key +time +related/)
})

test('related records that were never synced are named', async () => {
  const alone = await connectHeldCalls(running.world, 'alone', ['calls'])
  const include = ['--include', 'primaryUserId.firstName']
  const says = { code: 0, stderr: 'Not synced: users, so its records are missing.\n' }
  expect(await runFerrule(running.caller, 'search', alone, 'calls', '--where', 'id = "2"', ...include)).toMatchObject(says)
  expect(await runFerrule(running.caller, 'aggregate', alone, 'calls', '--group-by', 'primaryUserId', ...include)).toMatchObject(says)
  const found = await runFerrule(running.caller, 'find', 'weekly', '--connector', alone, ...include)
  expect(found).toMatchObject({ code: 0, stderr: 'Not synced: users of alone, so its records are missing.\n' })
})

test('a search has fields of related records', async () => {
  const asked = ['--fields', 'id', '--include', 'primaryUserId.firstName', '--include', 'primaryUserId.title', '--sort', 'started:desc']
  const { data } = await runForJson(running.caller, 'search', 'my calls', 'calls', ...asked, '--limit', '1')
  expect(data).toEqual([{ id: '5', _related: { primaryUserId: { firstName: 'Grace', title: 'Engineer' } } }])
})

test.each([
  [['--group-by', 'moth(started)'], '--group-by cannot be read at column 1: moth makes no groups'],
  [['--measure', 'sum(duration'], '--measure cannot be read at column 13: expected a comma or )'],
  [['--measure', 'count', '--having', 'count >'], '--having cannot be read at column 8'],
  [['--where', 'started >'], '--where cannot be read at column 10'],
  [['--sort', 'calls down'], '--sort must say asc or desc'],
  [['--group-by', 'directon'], 'directon'],
  [['--fields', 'nope'], 'There is no field nope.'],
])('%j is refused with the option', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout, message: JSON.parse(stderr).message }).toEqual({ code: 4, stdout: '', message: expect.stringContaining(message) })
})

test('sums beyond a double and averages have every digit', async () => {
  const exact = await connectHeldCalls(running.world, 'long calls')
  const { store } = running.world.context
  const fields = { id: '6', duration: 9007199254741093n }
  const records = [{ key: buildPrimaryKey(store.getTable('gong', 'calls').key, fields) ?? '', fields }]
  await store.writeBatch({ connector: exact, kind: 'gong', entity: 'calls' }, { records, asked: running.world.clock.now })
  const measures = ['--measure', 'sum=sum(duration)', '--measure', 'average=avg(duration)']
  const asked = ['aggregate', exact, 'calls', ...measures]
  const average = '1501199875790332.16666666666666666667'
  const as = async (...options: readonly string[]) => (await runFerrule(running.caller, ...asked, ...options)).stdout
  expect(await as('--format', 'csv')).toBe(`sum,average\r\n9007199254741993,${average}\r\n`)
  expect(await as('--format', 'ndjson')).toBe(`{"sum":9007199254741993,"average":${average}}\n`)
  expect(await as()).toContain(`"average": ${average}`)
  const terminal = openTerminal(running.caller, asked)
  expect(await terminal.end()).toBe(0)
  expect(plain(terminal.drawn)).toContain(`9007199254741993  ${average}`)
})
