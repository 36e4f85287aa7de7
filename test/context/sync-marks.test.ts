/** Lists below records that are read by changes, from a mark for each parent. */
import { beforeEach, expect, test } from 'vitest'
import { bool, id, opt, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import type { Sync } from '../../packages/ferrule/src/definition/sync.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { listGroups } from '../../packages/server/src/copies/status/groups.ts'
import { acme } from '../definition/acme.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const day = 86_400_000
const each = { entity: 'shelves', take: { shelf: 'id' } }
const under = { field: 'shelf', parent: 'id' }
/** Ways in which a list has its changes: by a filter that leaves out the time itself or has it, sorted or not, and by its order alone. */
const ways: Readonly<Record<string, Sync>> = {
  sorted: { each, under, since: { param: 'after', field: 'changed', lookback: 60, sorted: true } },
  filtered: { each, under, since: { param: 'from', field: 'changed', lookback: 60 }, params: { order: 'id' } },
  newest: { each, under, newest: 'changed', params: { order: 'newest' } },
}

let shelves: Row[]
let books: Row[]
/** How many records a list shows at most. */
let most: number

const text = (at: number) => new Date(at).toISOString()
function list({ shelf, after, from, order, ...params }: Params) {
  const rows = books.filter((book) => book['shelf'] === shelf && (after === undefined || String(book['changed']) > String(after)))
  const changed = rows.filter((book) => from === undefined || String(book['changed']) >= String(from))
  const sorted = changed.toSorted((one, other) => String(one['changed']).localeCompare(String(other['changed'])))
  return page((order === 'newest' ? sorted.toReversed() : order === 'id' ? changed : sorted).slice(0, most), params)
}

const record = { shelf: id('Shelf'), changed: time('Changed'), name: str('Name') }
const params = { shelf: id('Shelf'), after: opt(time('After')), from: opt(time('From')), order: opt(str('Order')) }
const entities = (sync: Sync) => ({
  shelves: entity({ lost: opt(bool('Lost')) }, { gone: { field: 'lost', is: true } }),
  books: entity(record, sync, { params }),
  pages: entity({}, { each: { entity: 'books', take: { book: 'id' } } }, { params: { book: id('Book') } }),
})
const makeWorld = (sync: Sync) =>
  new World(entities(sync), {
    shelves: (given) => page(shelves, given),
    books: list,
    pages: ({ book }) => page([{ id: Number(book) + 1_000 }], {}),
  })

function put(world: World, number: number, shelf = 1 + (number % 2)): void {
  const book = { id: number, shelf, changed: text(world.now), name: `${number} at ${world.now}` }
  books = [...books.filter((each) => each['id'] !== number), book].toSorted((one, other) => Number(one['id']) - Number(other['id']))
}

beforeEach(() => {
  shelves = [1, 2, 3].map((number) => ({ id: number }))
  most = Number.POSITIVE_INFINITY
  // Four books of a shelf share a time, and a page has three.
  books = Array.from({ length: 40 }, (_, index) => ({
    ...{ id: index + 1, shelf: 1 + ((index + 1) % 2), name: `${index + 1}` },
    changed: text(Date.parse('2026-03-19T12:00:00Z') + Math.floor(index / 8) * 3_600_000),
  }))
})

const expectTruth = (world: World) => {
  expect(world.copy('books')).toEqual(books)
  expect(world.ids('pages')).toEqual(books.map((book) => Number(book['id']) + 1_000))
}
const listCalls = (world: World, name: string) => world.taken().filter((call) => call.startsWith(`${name} `))

test.each(Object.keys(ways))('%s: a run asks each parent for what changed, and deletes nothing; the complete one does', async (way) => {
  const world = makeWorld(ways[way] ?? {})
  expect(await world.states()).toEqual({ shelves: 'complete', books: 'complete', pages: 'complete' })
  expectTruth(world)
  const all = listCalls(world, 'books').length
  for (const number of [3, 8, 41]) put(world, number)
  expect(await world.states()).toEqual({ shelves: 'complete', books: 'changes', pages: 'changes' })
  expect(listCalls(world, 'books').length).toBeLessThan(all)
  expectTruth(world)

  const removed = books.filter((book) => book['id'] === 5 || book['id'] === 41)
  books = books.filter((book) => !removed.includes(book))
  put(world, 7)
  await world.sync()
  expect(world.ids('books')).toEqual(expect.arrayContaining([5, 7, 41]))
  world.now += 7 * day
  expect(await world.states()).toEqual({ shelves: 'complete', books: 'complete', pages: 'complete' })
  expectTruth(world)
})

test.each(Object.keys(ways))('%s: a parent that fails keeps its mark, and holds back no other', async (way) => {
  const world = makeWorld(ways[way] ?? {})
  await world.sync()
  for (const number of [1, 2]) put(world, number)
  world.before = (name, { shelf }) => {
    if (name === 'books' && shelf === 1) throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  expect(await world.states()).toMatchObject({ books: 'partial' })
  expect(world.copy('books').find((book) => book['id'] === 1)).toEqual(books[0])
  world.before = () => undefined
  expect(await world.states()).toMatchObject({ books: 'changes' })
  expectTruth(world)
})

test.each(Object.keys(ways))('%s: a walk that is killed anywhere goes on, and misses no change', async (way) => {
  const world = makeWorld(ways[way] ?? {})
  let isKilled = true
  for (let at = 1; isKilled || at < 30; at += 3) {
    for (const number of [at, at + 1, 40 + at]) put(world, number)
    let left = at
    world.store.before = () => {
      left -= 1
      if (left < 0) throw new Error('killed')
    }
    world.before = () => {
      if (left === 1) put(world, 30)
    }
    isKilled = await world.sync().then(
      () => false,
      (thrown: Error) => thrown.message === 'killed',
    )
    world.store.before = () => undefined
    world.before = () => undefined
    if (at % 2 === 0) await world.sync()
  }
  await world.sync()
  expectTruth(world)
})

test.each(Object.keys(ways))('%s: what changes while it is read is read by the next run', async (way) => {
  const world = makeWorld(ways[way] ?? {})
  let at = 0
  for (let run = 0; run < 8; run += 1) {
    world.before = (name) => {
      at = (at + 7) % 40
      if (name === 'books') put(world, at + 1)
    }
    await world.sync()
    world.before = () => undefined
    await world.sync()
    expectTruth(world)
  }
})

test('a list that ends before it reached its mark keeps the mark', async () => {
  const world = makeWorld(ways['newest'] ?? {})
  await world.sync()
  for (const number of [2, 4, 6, 8, 10, 12, 14]) {
    world.now += 120_000
    put(world, number)
  }
  most = 4
  await world.sync()
  most = Number.POSITIVE_INFINITY
  await world.sync()
  expectTruth(world)
})

test('a parent that is called deleted, and returns, is read whole', async () => {
  const world = makeWorld(ways['filtered'] ?? {})
  await world.sync()
  const [first = {}] = shelves
  first['lost'] = true
  await world.sync()
  delete first['lost']
  expect(await world.states()).toMatchObject({ books: 'changes' })
  expectTruth(world)
})

test('what is below is read whole when it is wanted later, and runs with the list on its way', async () => {
  const world = makeWorld(ways['newest'] ?? {})
  await world.sync({ wanted: (name) => name !== 'pages' })
  await world.sync({ wanted: (name) => name !== 'pages' })
  expect(await world.states()).toEqual({ shelves: 'complete', books: 'complete', pages: 'complete' })
  expectTruth(world)
  const { lookups: _lookups, hidden: _hidden, ...bare } = acme
  const kind = { ...bare, entities: entities(ways['newest'] ?? {}) }
  expect(listGroups(kind, ['shelves', 'books', 'pages'])).toEqual([
    { name: 'shelves', entities: ['shelves'] },
    { name: 'books', entities: ['books', 'pages'] },
  ])
})

test('beyond 2,000 parents a list is read whole each time, and nothing is missed', async () => {
  const world = makeWorld(ways['filtered'] ?? {})
  shelves = Array.from({ length: 2_003 }, (_, index) => ({ id: index + 1 }))
  books = shelves.map(({ id: shelf }) => ({ id: Number(shelf), shelf, name: 'old', changed: '2026-03-19T12:00:00Z' }))
  const wanted = (name: string) => name !== 'pages'
  await world.sync({ wanted })
  world.taken()
  for (const number of [1, 2_000, 2_001, 2_003]) put(world, number, number)
  expect(await world.states({ wanted })).toEqual({ shelves: 'complete', books: 'changes' })
  expect(world.copy('books')).toEqual(books)
  const calls = listCalls(world, 'books')
  expect(calls).toHaveLength(2_003)
  expect(calls.filter((call) => !call.includes('from'))).toHaveLength(3)
})
