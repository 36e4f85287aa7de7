/** Handles of `read_more`: who may use them, for how long, and what they never do. */
import { describe, expect, test } from 'vitest'
import { Handles } from '../../packages/ferrule/src/agent/handles.ts'
import {
  type AgentRequest,
  createKeptStore,
  createTools,
  type KeptStore,
  type ToolOptions,
} from '../../packages/ferrule/src/agent/index.ts'
import { isRandom } from '../../packages/ferrule/src/agent/tools/execute.ts'
import { fakeConnector, makeFakeSource } from './fake-source.ts'
import { findHandle, readAll, readRows, runTool } from './support.ts'

const list = { connector: 'team', entity: 'notes', action: 'list' }
const create = { connector: 'team', entity: 'notes', action: 'create', params: { title: 'x' } }
const start = 1_800_000_000_000
const isRefused = { isError: true, code: 'invalid_cursor' }

const makePages = (connectors = [fakeConnector('team')]) =>
  makeFakeSource(({ params }) => ({ data: [{ id: `of page ${params['page'] ?? 1}` }], meta: { next_params: { page: 2 } } }), connectors)
/** A write whose answer is far too large. */
const makeLong = (id = 1) => makeFakeSource(() => ({ data: { id, log: 'done '.repeat(4_000) }, meta: {} }))

/** Reads a handle with other tools. */
const readWith = async (source: object, options: ToolOptions, handle: unknown) =>
  runTool(await createTools(source, options), 'read_more', { handle })

describe('without a subject of the program', () => {
  test('tools made again of the same client or connections read on; others do not', async () => {
    const [one, other] = [makePages(), makePages([fakeConnector('side')])]
    const handle = findHandle(await runTool(await createTools(one), 'execute', list))
    expect(await readWith(one, {}, handle)).toMatchObject({ isError: false, text: expect.stringContaining('of page 2') })
    for (const [source, options] of [
      [other, {}],
      [[one, other], {}],
      [{ team: one }, {}],
      [one, { subject: 'somebody' }],
    ] as const)
      expect(await readWith(source, options, handle)).toMatchObject(isRefused)
    const listed = findHandle(await runTool(await createTools([one, other]), 'execute', list))
    expect(await readWith([one, other], {}, listed)).toMatchObject({ isError: false })
    expect(await readWith([other, one], {}, listed)).toMatchObject(isRefused)
  })
})

describe('a handle', () => {
  const make = (options: ToolOptions = {}) => ({ subject: 'one', now: () => start, ...options })

  test('has 22 characters, whatever it continues', async () => {
    const source = makeFakeSource(() => ({ data: [{ id: 1 }], meta: { next_params: { cursor: 'long '.repeat(2_000) } } }))
    const handle = findHandle(await runTool(await createTools(source, make()), 'execute', list))
    expect(handle).toMatch(/^[\w-]{22}$/)
    expect(await readWith(source, make(), handle)).toMatchObject({ isError: false })
    expect(source.calls[1]?.params['cursor']).toBe('long '.repeat(2_000))
  })

  test('is refused when any character of it is changed, cut or added', async () => {
    const source = makePages()
    const handle = findHandle(await runTool(await createTools(source, make()), 'execute', list)) ?? ''
    const changed = Array.from(handle, (character, at) => `${handle.slice(0, at)}${character === 'A' ? 'B' : 'A'}${handle.slice(at + 1)}`)
    for (const other of [...changed, handle.slice(0, -3), `${handle}AAAA`, `x${handle}`, 'a.b', '__proto__'])
      expect(await readWith(source, make(), other), other).toMatchObject(isRefused)
    expect(source.calls).toHaveLength(1)
  })

  test('ends after 10 minutes, and says how to go on without a second write', async () => {
    const source = makePages()
    const handle = findHandle(await runTool(await createTools(source, make()), 'execute', list))
    expect(await readWith(source, make({ now: () => start + 9 * 60_000 }), handle)).toMatchObject({ isError: false })
    const late = await readWith(source, make({ now: () => start + 10 * 60_000 }), handle)
    expect(late).toMatchObject(isRefused)
    expect(late.text).toMatch(
      /the handle has expired\.\nNext: Run the call again that this handle came from\. If it was a write, do not: read/,
    )
  })

  test('that holds a write is refused: a write is never sent by it', async () => {
    const source = makePages()
    const kept = createKeptStore({ now: () => start })
    const handles = new Handles({ subject: 'one', kept, now: () => start })
    for (const action of ['create', 'update', 'delete']) {
      const request: AgentRequest = { entity: 'notes', action, params: {} }
      const handle = await handles.write({ type: 'read', connector: 'id-of-team', request, offset: { at: 0 } })
      expect(await readWith(source, make({ write: true, kept }), handle)).toMatchObject(isRefused)
    }
    for (const position of [null, 7, [], ['other'], { type: 'read' }])
      expect(await readWith(source, make({ kept }), await handles.write(position))).toMatchObject(isRefused)
    expect(source.calls).toEqual([])
  })

  test('works where the store is shared, for the same caller only', async () => {
    const source = makePages()
    const kept = createKeptStore({ now: () => start })
    const handle = findHandle(await runTool(await createTools(source, make({ kept })), 'execute', list))
    expect(await readWith(makePages(), make({ kept }), handle)).toMatchObject({ isError: false })
    for (const options of [{ kept, subject: 'two' }, { kept: createKeptStore() }])
      expect(await readWith(source, make(options), handle)).toMatchObject(isRefused)
    const written = await runTool(await createTools(makeLong(), make({ write: true, maxTokens: 1_500 })), 'write', create)
    const elsewhere = await readWith(makeLong(), make({ kept: createKeptStore() }), findHandle(written))
    expect(elsewhere.text).toMatch(/is no longer there.*\nNext: .*If it was a write, do not: read what it changed\./)
  })

  test('does not stand in an answer when the store fails: the answer says so', async () => {
    const kept: KeptStore = { put: () => Promise.reject(new Error('no database')), get: () => undefined }
    const { text, isError } = await runTool(await createTools(makePages(), make({ kept })), 'execute', list)
    expect([isError, text]).toEqual([false, expect.stringContaining('The rest cannot be kept: ask for fewer rows or fields.')])
  })
})

describe('what a write answered', () => {
  const open = async (source: object, options: ToolOptions = {}) => createTools(source, { write: true, maxTokens: 1_500, ...options })

  test('is read to its end without a second write, by the same tools only, for 10 minutes', async () => {
    const clock = { now: start }
    const source = makeLong()
    const memory = createKeptStore({ now: () => clock.now })
    const puts: string[] = []
    const kept: KeptStore = {
      ...memory,
      put: (id, text, untilMs) => {
        puts.push(id)
        return memory.put(id, text, untilMs)
      },
    }
    const options = { subject: 'one', now: () => clock.now, kept }
    const tools = await open(source, options)
    const answers = await readAll(tools, 'write', create)
    const shown = answers.slice(1).reduce((sum, { text }) => {
      const [, from = '0', to = '0'] = /characters (\d+) to (\d+) of/.exec(text) ?? []
      return sum + Number(to) - Number(from) + 1
    }, 0)
    expect(puts).toHaveLength(answers.length) // the answer, and a position for each part but the last
    expect(shown).toBe(JSON.stringify({ id: 1, log: 'done '.repeat(4_000) }).length)
    expect(source.calls).toHaveLength(1)
    expect(answers.map(({ text }) => text).join('\n')).not.toMatch(/To get less|ask for fewer/)
    const handle = findHandle(answers[0] ?? { text: '', isError: true })
    expect(await readWith(source, { ...options, connectors: ['other'] }, handle)).toMatchObject({
      isError: true,
      code: 'connector_not_found',
    })
    clock.now += 10 * 60_000 - 1
    expect(await runTool(tools, 'read_more', { handle })).toMatchObject({ isError: false })
    clock.now += 1
    expect(await runTool(tools, 'read_more', { handle })).toMatchObject(isRefused)
    expect(source.calls).toHaveLength(1)
  })

  test.each([
    ['it is too large for the store', createKeptStore({ mostCharacters: 1_000 })],
    ['the store fails', { put: () => Promise.reject(new Error('no database')), get: () => undefined }],
  ])('is not kept when %s: the answer says so, and is no error, because the write was carried out', async (_why, kept) => {
    const { text, isError } = await runTool(await open(makeLong(), { kept }), 'write', create)
    expect(isError).toBe(false)
    expect(text).toMatch(/^The rest cannot be kept\.$/m)
    expect(text).not.toContain('read_more')
  })

  test('goes when the store is full, the oldest first', async () => {
    const tools = await open(makeLong(), { kept: createKeptStore({ mostInAll: 50_000 }) })
    const handles = []
    for (let writes = 0; writes < 4; writes += 1) handles.push(findHandle(await runTool(tools, 'write', create)))
    const outcomes = await Promise.all(handles.map(async (handle) => (await runTool(tools, 'read_more', { handle })).isError))
    expect(outcomes).toEqual([true, true, false, false])
  })
})

test('rows of a statement are read by their number too', async () => {
  const columns = [
    { name: 'N', type: 'fixed', scale: 0 },
    { name: 'NOTE', type: 'text' },
  ]
  const data = Array.from({ length: 40 }, (_, at) => [String(at), 'word '.repeat(at === 20 ? 900 : 200)])
  const source = makeFakeSource(() => ({
    data: { resultSetMetaData: { rowType: columns }, data },
    meta: { next_operation: null, next_params: null },
  }))
  const tools = await createTools(source, { maxTokens: 3_000 })
  const first = await runTool(tools, 'execute', { ...list, entity: 'statements', params: { statement: 'SELECT 1' } })
  const handle = findHandle(first)
  const [, ...rest] = await readAll(tools, 'execute', { ...list, entity: 'statements', params: { statement: 'SELECT 1' } })
  expect(rest.flatMap(readRows).length).toBeGreaterThan(10)
  const row = await runTool(tools, 'read_more', { handle, row: 21 })
  expect(row.text).toMatch(/of the JSON of row 21 of 40, .*\nData from .*\n\{"N":20,"NOTE":"word word/)
  expect(source.calls).toHaveLength(2)
})

describe('the kept store', () => {
  test('holds no more than its bounds', async () => {
    const store = createKeptStore({ mostCharacters: 10, mostInAll: 20, mostTexts: 3, now: () => start })
    expect(store.put('large', 'x'.repeat(11), start + 1)).toBe(false)
    for (const id of ['a', 'b', 'c', 'd']) await store.put(id, 'xx', start + 1)
    expect(['a', 'b', 'c', 'd'].map((id) => store.get(id))).toEqual([undefined, 'xx', 'xx', 'xx'])
    await store.put('e', 'x'.repeat(10), start + 1)
    await store.put('f', 'x'.repeat(9), start + 1)
    expect(['c', 'd', 'e', 'f'].map((id) => store.get(id))).toEqual([undefined, undefined, 'x'.repeat(10), 'x'.repeat(9)])
    await store.put('f', 'y', start + 1)
    expect([store.get('e'), store.get('f')]).toEqual(['x'.repeat(10), 'y'])
  })

  test('forgets at the time that was named, and makes room of what ended', async () => {
    const clock = { now: start }
    const store = createKeptStore({ mostTexts: 2, now: () => clock.now })
    await store.put('long', 'x', start + 1_000)
    await store.put('short', 'x', start + 10)
    clock.now += 10
    expect([store.get('long'), store.get('short')]).toEqual(['x', undefined])
    await store.put('new', 'x', start + 1_000)
    expect([store.get('long'), store.get('new')]).toEqual(['x', 'x'])
  })
})

test.each([
  ['call_Q2hpY2tlbk5vb2RsZQx7', true],
  ['toolu_01A09q90qw90lq917835lq9', true],
  ['chatcmpl-tool-6f1c7a0e9b3d4c5e8f7a6b5c4d3e2f1a', true],
  ['9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d', true],
  ['D681PevKs', true],
  ['call_8f3a2b1c', true],
  ['functions.write:3', false],
  ['call_00000001', false],
  [''.padStart(12, '1'), false],
  ['call_write', false],
  ['1', false],
])('the id of a call %s is unique without its run: %s', (id, expected) => {
  expect(isRandom(id)).toBe(expected)
})
