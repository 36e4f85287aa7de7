/** The answer names paths below undocumented fields that no record has. */
import { expect, test } from 'vitest'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, overStatements } from './store-world.ts'

overStatements('paths that no record had', async (engine) => {
  const write = (id: number, parts: unknown, where = ref) =>
    store.writeBatch(where, { records: [note(store, { id, parts })], asked: world.now })
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const ref = createRef()
  await write(1, [{ name: 'a', more: { deep: [{ end: 1 }] } }])
  await write(2, null)

  const answer = async (params: object, where = ref) => {
    const found = await createSearcher(store).search({ ref: where, params, key: Buffer.from('key'), now: world.now })
    if (found === undefined) throw new Error('nothing was ever stored')
    return found
  }
  const unseen = async (params: object, where = ref) => (await answer(params, where)).unseenPaths

  test('are told, wherever they stand in a query', async () => {
    expect(await unseen({ query: { filter: { eq: { 'parts.nmae': 'a' } } } })).toEqual(['parts.nmae'])
    expect(await unseen({ query: { filter: { not: { like: { 'parts[].more.dep': 'a' } } } } })).toEqual(['parts.more.dep'])
    expect(await unseen({ query: { filter: { any: { parts: { or: [{ eq: { name: 'a' } }, { gt: { size: 1 } }] } } } } })).toEqual([
      'parts.size',
    ])
    expect(await unseen({ query: {}, fields: ['id', 'parts.name', 'parts.more.end'] })).toEqual(['parts.more.end'])
  })

  test('are none where some record had them', async () => {
    expect(await unseen({ query: { filter: { eq: { 'parts.more.deep.end': 7 } } }, fields: ['parts', 'parts.more'] })).toEqual([])
    expect(await unseen({ query: { filter: { eq: { title: 'a' }, fuzzy: { parts: 'nothing' } } } })).toEqual([])
  })

  test('are told on the first page only, and no longer when a record has them', async () => {
    const params = { query: { filter: { neq: { 'parts.size': 1 } } }, limit: 1 }
    const first = await answer(params)
    expect(first.unseenPaths).toEqual(['parts.size'])
    expect(await unseen({ ...params, cursor: first.cursor })).toEqual([])
    await write(3, [{ size: 2 }])
    expect(await unseen(params)).toEqual([])
  })

  test('are not told of a copy whose records were written before names were noted, or have too many', async () => {
    const old = createRef()
    await write(1, [{ name: 'a' }], old)
    const database = await store.openDatabase()
    await database.transaction((session) => session.query({ text: "delete from cs_terms where term = ''" }))
    expect(await unseen({ query: { filter: { eq: { 'parts.nmae': 'a' } } } }, old)).toEqual([])
    const many = createRef()
    await write(1, [Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`id${index}`, 1]))], many)
    expect(await unseen({ query: { filter: { eq: { 'parts.nmae': 'a' } } } }, many)).toEqual([])
  })
})
