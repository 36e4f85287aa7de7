/** What the store's statements do grows with what they are about, whatever PostgreSQL knows or believes of the tables. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSearcher } from '../../src/context/search.ts'
import type { ContextStore } from '../../src/context/store/types.ts'
import { databasesUnderTest } from '../support/postgres.ts'
import { countWork, type StatementWork, type WorkCounter } from './statement-work.ts'
import { createStoreWorld, newPlace, note, type StoreWorld } from './store-world.ts'

const many = 6_000
const batch = 500
/** Rows of work for each row that an action is about: steps of the plan, and indexes. */
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

/** What the planner knows: nothing, what was true when the tables were nearly empty, or what is true. */
const knowledge = ['nothing', 'the first batch', 'everything'] as const

describe.each(databasesUnderTest(['postgres']).flatMap(() => [...knowledge]))('the store, where PostgreSQL knows %s', (known) => {
  let world: StoreWorld
  let store: ContextStore
  let work: WorkCounter
  const place = newPlace()

  const tell = async (): Promise<void> => (await store.database()).pinned(async (run) => void (await run({ text: 'analyze' })))
  const write = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += batch)
      await store.write(place, { records: notes(store, [at, Math.min(to, at + batch)]), asked: world.now, pass: 'one' })
  }

  beforeAll(async () => {
    world = await createStoreWorld('postgres')
    if (world.settings.engine !== 'postgres') throw new Error('it needs a server')
    work = await countWork(world.settings.url.reveal())
    store = world.open()
    await store.write(newPlace(), { records: notes(store, [0, batch]), asked: world.now })
    await store.beginPass(place, 'one')
    await write(0, batch)
    if (known === 'the first batch') await tell()
    await write(batch, many)
    if (known === 'everything') await tell()
    work.take()
  }, 120_000)
  afterAll(async () => {
    work.stop()
    await world.close()
  })

  /** Does something; it must not do more than its rows need. */
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
      store.write(place, { records: notes(store, [from, to], state), asked: world.now, pass: 'one' })
    expect(await does(100, () => put(many, many + 100))).toMatchObject({ created: 100 })
    expect(await does(100, () => put(many, many + 100))).toMatchObject({ unchanged: 100 })
    expect(await does(100, () => put(100, 200, 'old'))).toMatchObject({ updated: 100 })
    expect(await does(100, () => store.fold(place, notes(store, [300, 400], 'old'), world.now + 1))).toMatchObject({ updated: 100 })
    const removed = notes(store, [many, many + 100]).map(({ key }) => key)
    expect(await does(100, () => store.write(place, { records: [], removed, asked: world.now }))).toMatchObject({ removed: 100 })
    const whole = { field: 'state', values: ['old'] }
    expect(
      await does(many, () => store.write(place, { records: notes(store, [100, 200], 'old'), whole, asked: world.now + 1 })),
    ).toMatchObject({
      removed: 100,
    })
    await does(100, () => put(300, 400))
  })

  test('tells what is there, and keeps progress', async () => {
    expect(await does(1, () => store.counts(place.connector))).toEqual(new Map([['notes', many]]))
    await does(1, () => store.keep(place, [{ part: 'cursor', value: '1' }]))
    expect(await does(1, () => store.checkpoints(place))).toEqual(new Map([['cursor', '1']]))
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
    const found = (next: object) => searcher.search({ place, params: { query, limit: 50, ...next }, key: Buffer.from('k'), now: world.now })
    const first = await does(many, () => found({}))
    if (typeof first?.cursor === 'string') await does(many, () => found({ cursor: first.cursor }))
  })

  test('looks for what a pass has not seen, and removes it', async () => {
    expect(await does(2 * many, () => store.unseen(place, 'one'))).toBe(false)
    expect(await does(2 * many, () => store.unseen(place, 'one', span))).toBe(false)
    await store.write(place, { records: notes(store, [many, many + batch]), asked: world.now })
    await store.beginPass(place, 'two')
    await store.write(place, { records: notes(store, [0, 10]), asked: world.now, pass: 'two' })
    work.take()
    expect(await does(2 * many, () => store.unseen(place, 'two'))).toBe(true)
    expect(await does(2 * many, () => store.sweepSpan(place, 'two', span))).toBe(many - 10)
    await store.beginPass(place, 'three')
    work.take()
    expect(await does(2 * many, () => store.sweep(place, 'three'))).toBe(batch + 10)
  })

  test('empties and removes', async () => {
    await store.beginPass(place, 'one')
    await write(0, many)
    work.take()
    await does(2 * many, () => store.empty(place))
    await store.beginPass(place, 'one')
    await write(0, many)
    work.take()
    await does(4 * many, () => store.remove(place.connector))
  })
})
