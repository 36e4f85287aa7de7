/** `changes`: prints what changes in a copy. A cursor file is written after the entries were printed, so none is lost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { type FakeService, type ListChanges, startFakeService } from './fake-service.ts'
import { buildEnvironment, type Caller, cli, openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

/** Reads lines of JSON. */
const readLines = (text: string): ReturnType<typeof JSON.parse>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('against a service', async () => {
  beforeEach(() => rmSync(file, { force: true }))

  const ref = () => ({ connector, kind: 'gong', entity: 'users' })
  const write = (id: string, title: string) => {
    const { store } = running.world.context
    const key = buildPrimaryKey(store.getTable('gong', 'users').key, { id })
    if (key === undefined) throw new Error(id)
    return store.writeBatch(ref(), { records: [{ key, fields: { id, title } }], asked: running.world.clock.now })
  }
  const run = (...args: readonly string[]) => runFerrule(running.caller, 'changes', 'gong', 'users', ...args)

  const running = await share(startCommandWorld())
  const connector = await running.world.connect('gong', { entities: [{ entity: 'users' }] })
  await running.world.context.sync()
  const file = join(running.caller.folder, 'users.cursor')

  test('prints all records once, and with a cursor file only what changed since', async () => {
    const kept = ['--cursor-file', file, '--format', 'ndjson']
    const first = await run(...kept)
    const entries = readLines(first.stdout)
    expect([entries[0], entries.at(-1)]).toEqual([{ type: 'snapshot_begin' }, { type: 'snapshot_end' }])
    const found = await runForJson(running.caller, 'search', 'gong', 'users', '--all')
    expect(entries.slice(1, -1).map(({ record }) => record.id)).toEqual(found.map(({ id }: { id: string }) => id))
    expect((await run(...kept)).stdout).toBe('')
    await write('1', 'one')
    // Of two beginnings the file is the later one.
    expect(readLines((await run(...kept, '--after', 'now')).stdout)).toMatchObject([{ type: 'added', key: '1', record: { title: 'one' } }])
    expect((await run(...kept)).stdout).toBe('')
  })

  test('begins now, and --jq runs over each entry', async () => {
    expect(await run('--after', 'now', '--cursor-file', file)).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
    await write('2', 'two')
    await write('3', 'three')
    expect((await run('--cursor-file', file, '--jq', '.key')).stdout).toBe('2\n3\n')
  })

  test('says how to begin again when changes are lost', async () => {
    await run('--after', 'now', '--cursor-file', file)
    const cursor = readFileSync(file, 'utf8').trim()
    await running.world.context.store.deleteAll(ref())
    const all = 'all records come first. Delete what you have and did not meet between snapshot_begin and snapshot_end.'
    const expired = { code: 'changes_expired', hint: `Delete ${file}, and run it again: ${all}` }
    const kept = await run('--cursor-file', file)
    expect([kept.code, JSON.parse(kept.stderr)]).toEqual([4, expect.objectContaining(expired)])
    expect(JSON.parse((await run('--after', cursor)).stderr)).toMatchObject({ hint: `Run it again without --after: ${all}` })
  })

  test('is followed until Ctrl-C, which says how to go on', async () => {
    await write('4', 'four')
    const terminal = openTerminal(running.caller, ['changes', 'gong', 'users', '--follow', '--fields', 'type,key', '--format', 'ndjson'])
    await terminal.waitFor('snapshot_end')
    await write('4', 'fourth')
    await terminal.waitFor('"changed"')
    terminal.type('\u0003')
    expect(await terminal.end()).toBe(130)
    expect(plain(terminal.drawn)).toMatch(/Interrupted\. Continue with: --after \S+/)
  })

  test('entities are completed', async () => {
    const { stdout } = await runFerrule(running.caller, 'complete', '--', '--timeout', '30', 'changes', 'gong', 'use')
    expect(stdout).toMatch(/^users\t.*\n:4\n$/)
  })
})

describe('a cursor file', () => {
  let config: string
  let file: string
  let service: FakeService | undefined
  beforeEach(() => {
    config = makeFolder('cursor', onTestFinished)
    file = join(config, 'cursor')
    return () => service?.close()
  })
  const start = async (listChanges: ListChanges): Promise<Caller> => {
    service = await startFakeService(() => undefined, listChanges)
    return { config, env: service.env }
  }
  const args = () => ['changes', 'gong', 'users', '--cursor-file', file, '--format', 'ndjson']
  const begin = (caller: Caller) => spawn(process.execPath, [cli, ...args()], { env: buildEnvironment(caller) })
  const page = (number: number, text = '') => ({
    data: [{ type: 'added', key: String(number), record: { text } }],
    next: `c${number}`,
    has_more: number < 3,
  })

  test('outlives a kill between two pages: the next run continues behind the last printed one', async () => {
    const reached = Promise.withResolvers<void>()
    let isHanging = true
    const asked: (string | null)[] = []
    const caller = await start((after) => {
      asked.push(after)
      if (after === 'c1' && isHanging) return reached.resolve()
      return page(after === null ? 1 : Number(after.slice(1)) + 1)
    })
    const child = begin(caller)
    const printed = readAll(child.stdout)
    await reached.promise
    child.kill('SIGKILL')
    expect(readLines(await printed).map(({ key }) => key)).toEqual(['1'])
    expect(readFileSync(file, 'utf8')).toBe('c1\n')
    isHanging = false
    expect(readLines((await runFerrule(caller, ...args())).stdout).map(({ key }) => key)).toEqual(['2', '3'])
    expect(asked).toEqual([null, 'c1', 'c1', 'c2'])
    expect(readFileSync(file, 'utf8')).toBe('c3\n')
  })

  /** More than a pipe and the buffers around it hold. */
  const long = 'x'.repeat(8_000_000)

  test('is not written before the entries are: after a kill they come again', async () => {
    writeFileSync(file, 'c2')
    const caller = await start((after) => page(Number(after?.slice(1)) + 1, long))
    const child = begin(caller)
    await once(child.stdout, 'readable')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readFileSync(file, 'utf8')).toBe('c2')
    expect(readLines((await runFerrule(caller, ...args())).stdout).map(({ key }) => key)).toEqual(['3'])
  })

  test('stays when the reader has left', async () => {
    const left = Promise.withResolvers<void>()
    const caller = await start(async (after) => {
      if (after !== null) await left.promise
      return page(after === null ? 1 : 2)
    })
    const { stdout, stderr } = begin(caller)
    await once(stdout, 'readable')
    stdout.destroy()
    await once(stdout, 'close')
    left.resolve()
    expect(await readAll(stderr)).toBe('')
    expect(readFileSync(file, 'utf8')).toBe('c1\n')
  })

  test('must have a cursor, and a folder that exists', async () => {
    const caller = await start(() => page(3))
    writeFileSync(file, '\n')
    const empty = await runFerrule(caller, ...args())
    expect([empty.code, JSON.parse(empty.stderr).message]).toEqual([4, `The file ${file} has no cursor.`])
    const lost = await runFerrule(caller, ...args(), '--cursor-file', join(config, 'none', 'cursor'))
    expect([lost.code, lost.stdout.length > 0, JSON.parse(lost.stderr).message]).toEqual([4, true, expect.stringContaining('(ENOENT)')])
    const folder = await runFerrule(caller, ...args(), '--cursor-file', config)
    expect([folder.code, JSON.parse(folder.stderr).message]).toEqual([4, `The file ${config} cannot be read (EISDIR).`])
  })
})
