import { expect, test } from 'vitest'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { Answer, Session, Statement } from '../../packages/server/src/copies/store/database/database.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { createSearcher } from '../support/searcher.ts'
import { createRef, createStoreWorld, note, overStatements } from './store-world.ts'

const key = Buffer.from('key')

/** Creates searches of titles. `between` runs after each statement that looks words up; `statements` counts all. */
function createTitleSearch(store: ContextStore, ref: EntityRef, between: () => Promise<void> = async () => undefined) {
  const counted = { statements: 0 }
  const observe = (session: Session): Session => ({
    query: async <R>(statement: Statement): Promise<Answer<R>> => {
      counted.statements += 1
      const answer = await session.query<R>(statement)
      if (!statement.text.includes('row_to_json')) await between()
      return answer
    },
  })
  const searcher = createSearcher({
    getTable: (...of) => store.getTable(...of),
    hasRows: (of) => store.hasRows(of),
    search: (of, work, options) => store.search(of, (session, number) => work(observe(session), number), options),
  })
  const find = async (query: object): Promise<readonly unknown[]> => {
    const answer = await searcher.search({ ref, params: { query, fields: ['id'] }, key, now: 0 })
    return JSON.parse(answer?.json ?? '[]').map(({ id }: { id: string }) => Number(id))
  }
  return { counted, find }
}

overStatements('searches that look up words', (engine) => {
  test('find a record whose words are new since the same search before, which needs no second lookup', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open()
    const ref = createRef()
    const write = (id: number, title: string) => store.writeBatch(ref, { records: [note(store, { id, title })], asked: world.now })
    await write(1, 'Pricing')
    const { counted, find } = createTitleSearch(store, ref)
    expect(await find({ filter: { fuzzy: { title: 'prcing' } } })).toEqual([1])
    expect(counted.statements).toBe(2)
    expect(await find({ filter: { fuzzy: { title: 'prcing' } } })).toEqual([1])
    expect(counted.statements).toBe(3)
    await write(2, 'Pracing')
    expect(await find({ filter: { fuzzy: { title: 'prcing' } } })).toEqual([1, 2])
    await store.deleteAll(ref)
    await write(3, 'Prucing')
    expect(await find({ filter: { fuzzy: { title: 'prcing' } } })).toEqual([3])
    await world.close()
  })

  test('find no word of a record that a vendor asks to forget, and find it when it comes back', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open()
    const ref = createRef()
    const listWords = async (): Promise<readonly unknown[]> => {
      const { rows } = await (await store.openDatabase()).query({ text: "select term from cs_terms where term <> '' order by term" })
      return rows.map(({ term }) => term)
    }
    const write = (id: number, title: string, asked = world.now) => store.writeBatch(ref, { records: [note(store, { id, title })], asked })
    const forget = (id: number, redacts: boolean) => store.forgetRecords({ ...ref, values: [id], below: [], at: world.now, redacts })
    await write(1, 'Featherstone of Leeds')
    await write(2, 'Leeds')
    const before = await listWords()
    expect(before).toEqual(expect.arrayContaining(['featherstone', 'leeds', 'of']))
    await forget(1, false)
    expect(await listWords(), 'other deletions leave words').toEqual(before)
    await write(1, 'Featherstone of Leeds', world.now + 1)
    world.now += 1
    await forget(1, true)
    expect(await listWords()).toEqual(before.filter((word) => word !== 'featherstone' && word !== 'of'))
    const { find } = createTitleSearch(store, ref)
    expect(await find({ filter: { fuzzy: { title: 'fetherstone' } } })).toEqual([])
    await write(3, 'Featherstone again', world.now + 1)
    expect(await find({ filter: { fuzzy: { title: 'fetherstone' } } })).toEqual([3])
    await store.deleteAll(ref)
    expect(await listWords(), 'an emptied copy').toEqual([])
    await world.close()
  })

  test('sort and compare values that are irregular since the same search before', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open()
    const ref = createRef()
    const write = (id: number, price: string) => store.writeBatch(ref, { records: [note(store, { id, price })], asked: world.now })
    await write(1, '10.5')
    const { find } = createTitleSearch(store, ref)
    expect(await find({ filter: { lt: { price: '9' } } })).toEqual([])
    await write(2, '1 or 2')
    expect(await find({ filter: { lt: { price: '9' } } })).toEqual([2])
    expect(await find({ filter: { lt: { price: '9' } } })).toEqual([2])
    await world.close()
  })
})

overStatements('a part of a word', (engine) => {
  test('is found in numbers, in words with digits, and in words with letters', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open()
    const ref = createRef()
    const titles = ['call 5530918274460172839', 'order ab918274', 'nine', '918 and 274']
    await store.writeBatch(ref, { records: titles.map((title, id) => note(store, { id, title })), asked: world.now })
    const { find } = createTitleSearch(store, ref)
    for (const [part, ids] of [
      ['18274', [0, 1]],
      ['b918', [1]],
      ['918', [0, 1, 3]],
      ['nin', [2]],
    ] as const)
      expect(await find({ filter: { like: { title: part } } })).toEqual(ids)
    await world.close()
  })
})

test('a record that gets a new word between the statements of a search is found', async () => {
  const world = await createStoreWorld('postgres')
  const store = world.open()
  const ref = createRef()
  const write = (title: string, version: number) =>
    store.writeBatch(ref, { records: [note(store, { id: 1, title }, version)], asked: world.now })
  await write('Prcing', 1)
  const titles = ['Prizing', 'Pricing', 'Pracing', 'Prucing']
  let version = 1
  const { counted, find } = createTitleSearch(store, ref, async () => {
    const [title] = titles.splice(0, 1)
    version += 1
    if (title !== undefined) await write(title, version)
  })
  for (const filter of [{ fuzzy: { title: 'pricing' } }, { like: { title: 'cing' } }]) expect(await find({ filter })).toEqual([1])
  expect(counted.statements).toBeGreaterThan(5)
  await world.close()
})

test('the functions of earlier versions, which read the words within a search, are dropped', async () => {
  const world = await createStoreWorld('postgres')
  const store = world.open()
  const database = await store.openDatabase()
  const old = 'cs_irregular(connector int4, list int4) returns boolean language sql as $$ select true $$'
  await database.withConnection((run) => run({ text: `create function ${old}` }))
  await database.withConnection((run) => run({ text: "delete from cs_meta where name = 'own'" }))
  const { rows } = await (await world.open().openDatabase()).query({ text: "select to_regproc('cs_irregular')::text as old" })
  expect(rows).toEqual([{ old: null }])
  await world.close()
})
