/** The work of the store's statements grows with their rows, whatever PostgreSQL knows of the tables. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { databasesUnderTest } from '../support/postgres.ts'
import { createSearcher } from '../support/searcher.ts'
import { countWork, type StatementWork, type WorkCounter } from './statement-work.ts'
import { createRef, createStoreWorld, note, type StoreWorld } from './store-world.ts'

const many = 6_000
const batch = 500
/** Rows of work per row of an action, for plan steps and indexes. */
const stepsOfRow = 15

const day = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
const notes = (store: ContextStore, [from, to]: readonly [number, number], state = 'new') =>
  Array.from({ length: to - from }, (_, offset) => {
    const id = from + offset
    return note(store, {
      id,
      title: `Note ${id} about word${id % 700}`,
      made: day(id),
      price: String(id),
      state,
      parts: [{ name: `part${id}` }],
    })
  })

const told = (statements: readonly StatementWork[]): string =>
  statements
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, 2)
    .map(({ rows, text, plan }) => `${rows} rows of work: ${text}\n${plan}`)
    .join('\n')

/** The planner's statistics: none, those of nearly empty tables, or current ones. */
const knowledge = ['nothing', 'the first batch', 'everything'] as const

describe.each(databasesUnderTest(['postgres']).flatMap(() => [...knowledge]))('the store, where PostgreSQL knows %s', (known) => {
  let world: StoreWorld
  let store: ContextStore
  let work: WorkCounter
  const ref = createRef()

  const tell = async (): Promise<void> => (await store.openDatabase()).withConnection(async (run) => void (await run({ text: 'analyze' })))
  const write = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += batch)
      await store.writeBatch(ref, { records: notes(store, [at, Math.min(to, at + batch)]), asked: world.now, pass: 'one' })
  }

  beforeAll(async () => {
    world = await createStoreWorld('postgres')
    if (world.settings.engine !== 'postgres') throw new Error('it needs a server')
    work = await countWork(world.settings.url.reveal())
    store = world.open()
    await store.writeBatch(createRef(), { records: notes(store, [0, batch]), asked: world.now })
    await store.beginPass(ref, 'one')
    await write(0, batch)
    if (known === 'the first batch') await tell()
    await write(batch, many)
    if (known === 'everything') await tell()
    work.take()
  })
  afterAll(async () => {
    work.stop()
    await world.close()
  })

  /** Runs an action, which must not do more work than its rows need. */
  const does = async <T>(rows: number, act: () => Promise<T>): Promise<T> => {
    const result = await act()
    const statements = work.take()
    const sum = statements.reduce((total, each) => total + each.rows, 0)
    expect(statements.length).toBeGreaterThan(0)
    expect(sum, told(statements)).toBeLessThan((rows + 200) * stepsOfRow)
    return result
  }
  const span = { field: 'made', from: day(0), before: day(many) }

  test('writes what is new, changed and unchanged', async () => {
    const put = (from: number, to: number, state?: string) =>
      store.writeBatch(ref, { records: notes(store, [from, to], state), asked: world.now, pass: 'one' })
    expect(await does(100, () => put(many, many + 100))).toMatchObject({ created: 100 })
    expect(await does(100, () => put(many, many + 100))).toMatchObject({ unchanged: 100 })
    expect(await does(100, () => put(100, 200, 'old'))).toMatchObject({ updated: 100 })
    expect(await does(100, () => store.foldLive(ref, notes(store, [300, 400], 'old'), world.now + 1))).toMatchObject({ updated: 100 })
    const removed = notes(store, [many, many + 100]).map(({ key }) => key)
    expect(await does(100, () => store.writeBatch(ref, { records: [], removed, asked: world.now }))).toMatchObject({ removed: 100 })
    const whole = { field: 'state', values: ['old'] }
    expect(
      await does(many, () => store.writeBatch(ref, { records: notes(store, [100, 200], 'old'), whole, asked: world.now + 1 })),
    ).toMatchObject({
      removed: 100,
    })
    await does(100, () => put(300, 400))
  })

  test('tells what is there, and keeps progress', async () => {
    expect(await does(1, () => store.countRecords(ref.connector))).toEqual(new Map([['notes', many]]))
    await does(1, () => store.saveCheckpoints(ref, [{ name: 'cursor', value: '1' }]))
    expect(await does(1, () => store.readCheckpoints(ref))).toEqual(new Map([['cursor', '1']]))
  })

  test.each<readonly [string, object]>([
    ['equality', { filter: { eq: { state: 'old' } } }],
    ['a key', { filter: { eq: { id: 77 } } }],
    ['many keys', { filter: { in: { id: Array.from({ length: 1_000 }, (_, index) => index) } } }],
    ['a range of time', { filter: { gte: { made: day(40) } }, sort: [{ made: 'desc' }] }],
    ['a part of a word', { filter: { like: { title: '%ord69%' } } }],
    ['words', { filter: { keyword: { title: 'word12 word13' } } }],
    ['a misspelt word', { filter: { fuzzy: { title: 'wrod12' } } }],
    ['an element', { filter: { contains: { parts: { name: 'part7' } } } }],
    ['a member', { filter: { any: { parts: { eq: { name: 'part7' } } } } }],
    ['all', { filter: { not: { eq: { state: 'none' } } }, sort: [{ state: 'desc' }, { price: 'asc' }] }],
  ])('searches by %s', async (_what, query) => {
    const searcher = createSearcher(store)
    const found = (next: object) => searcher.search({ ref, params: { query, limit: 50, ...next }, key: Buffer.from('k'), now: world.now })
    const first = await does(many, () => found({}))
    if (typeof first?.cursor === 'string') await does(many, () => found({ cursor: first.cursor }))
  })

  test('looks for what a pass has not seen, and removes it', async () => {
    expect(await does(2 * many, () => store.hasUnseen(ref, 'one'))).toBe(false)
    expect(await does(2 * many, () => store.hasUnseen(ref, 'one', span))).toBe(false)
    await store.writeBatch(ref, { records: notes(store, [many, many + batch]), asked: world.now })
    await store.beginPass(ref, 'two')
    await store.writeBatch(ref, { records: notes(store, [0, 10]), asked: world.now, pass: 'two' })
    work.take()
    expect(await does(2 * many, () => store.hasUnseen(ref, 'two'))).toBe(true)
    expect(await does(2 * many, () => store.sweep(ref, 'two', span))).toBe(many - 10)
    await store.beginPass(ref, 'three')
    work.take()
    expect(await does(2 * many, () => store.sweep(ref, 'three'))).toBe(batch + 10)
  })

  test('reads a page of the log of changes', async () => {
    const followed = createRef()
    await store.followChanges(followed)
    for (let at = 0; at < many; at += batch) await store.writeBatch(followed, { records: notes(store, [at, at + batch]), asked: world.now })
    if (known === 'everything') await tell()
    work.take()
    const read = (after: bigint) => does(200, () => store.readLog(followed, { after, limit: 50 }))
    const first = await read(0n)
    expect(first.changes).toHaveLength(50)
    expect((await read(first.changes.at(-1)?.position ?? 0n)).changes).toHaveLength(50)
    await does(many, () => store.countChanges(followed, { after: 0n, upTo: first.position }))
    await store.deleteAll(followed)
    work.take()
  })

  test('empties and removes', async () => {
    await store.beginPass(ref, 'one')
    await write(0, many)
    work.take()
    await does(2 * many, () => store.deleteAll(ref))
    await store.beginPass(ref, 'one')
    await write(0, many)
    work.take()
    await does(4 * many, () => store.removeConnector(ref.connector))
  })
})
