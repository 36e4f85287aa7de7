import { expect, test } from 'vitest'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, notesOf, oneValue, overStatements, refusal } from './store-world.ts'

overStatements('a complete pass', async (engine) => {
  let store: ContextStore

  const world = await share(createStoreWorld(engine))
  store = world.open()

  const filled = async (): Promise<EntityRef> => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 10), asked: world.now })
    return ref
  }
  const see = (ref: EntityRef, pass: string, [from, to]: readonly [number, number]) =>
    store.writeBatch(ref, { records: notesOf(store, from, to), asked: world.now, pass })

  test('removes what it did not see, and nothing before its end', async () => {
    const ref = await filled()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [0, 4])
    await see(ref, 'one', [8, 12])
    expect(await idsOf(store, ref)).toHaveLength(12)
    expect(await store.sweep(ref, 'one')).toBe(4)
    expect(await idsOf(store, ref)).toEqual([0, 1, 2, 3, 8, 9, 10, 11])
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 8]]))
    expect(await oneValue(await store.openDatabase(), 'select count(*) from cs_seen')).toBe(0n)
  })

  test('that is given up removes nothing', async () => {
    const ref = await filled()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [0, 1])
    await store.abandonPass(ref, 'one')
    expect(await refusal(store.sweep(ref, 'one'))).toContain('another complete pass has begun')
    expect(await idsOf(store, ref)).toHaveLength(10)
  })

  test('goes on after a restart with what it had seen', async () => {
    const ref = await filled()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [0, 4])
    await store.close()
    store = world.open()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [6, 8])
    expect(await store.sweep(ref, 'one')).toBe(4)
    expect(await idsOf(store, ref)).toEqual([0, 1, 2, 3, 6, 7])
  })

  test('takes the place of an older one, whose pages come too late', async () => {
    const ref = await filled()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [0, 2])
    await store.beginPass(ref, 'two')
    expect(await refusal(see(ref, 'one', [2, 4]))).toContain('another complete pass has begun')
    await see(ref, 'two', [5, 6])
    expect(await store.sweep(ref, 'two')).toBe(9)
    expect(await idsOf(store, ref)).toEqual([5])
  })

  test('keeps what was read live while it ran', async () => {
    const ref = await filled()
    await store.beginPass(ref, 'one')
    await see(ref, 'one', [0, 2])
    await store.foldLive(ref, [...notesOf(store, 5, 6), ...notesOf(store, 99, 100)], world.now)
    await store.writeBatch(ref, { records: notesOf(store, 7, 8), asked: world.now })
    expect(await store.sweep(ref, 'one')).toBe(6)
    expect(await idsOf(store, ref)).toEqual([0, 1, 5, 7, 99])
  })

  test('that saw nothing removes everything, of its own entity and connector only', async () => {
    const [ref, other] = [await filled(), await filled()]
    const people = { ...ref, entity: 'people' }
    await store.writeBatch(people, { records: [{ key: 'a', fields: { id: 'a' } }], asked: 1 })
    await store.beginPass(ref, 'one')
    expect(await store.sweep(ref, 'one')).toBe(10)
    expect(await idsOf(store, ref)).toEqual([])
    expect(await idsOf(store, other)).toHaveLength(10)
    expect(await store.countRecords(ref.connector)).toEqual(new Map(Object.entries({ notes: 0, people: 1 })))
  })

  test('is swept in slices when there are many rows', async () => {
    const ref = createRef()
    const many = 110_000
    const database = await store.openDatabase()
    await store.writeBatch(ref, { records: notesOf(store, 0, 1), asked: 1 })
    const number = String(await oneValue(database, `select number from cs_connectors where id = '${ref.connector}'`))
    await database.transaction(async ({ query }) => {
      await query({
        text: `insert into cs_test_kind_notes (connector_id, pk, h, "$v", id)
          select ${number}, 'k' || n, 1, 1, n from generate_series(1, ${many}) n`,
      })
      await query({ text: `update cs_entities set records = ${many + 1} where connector_id = ${number}` })
    })
    await store.beginPass(ref, 'one')
    await database.transaction(({ query }) =>
      query({
        text: `insert into cs_seen select ${number}, 'cs_test_kind_notes', array_agg('k' || n) from generate_series(1, ${many}) n
          where n % 10 <> 0 group by n / 1000`,
      }),
    )
    expect(await store.sweep(ref, 'one')).toBe(many / 10 + 1)
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', (many / 10) * 9]]))
    expect(await oneValue(database, `select count(*) from cs_test_kind_notes where connector_id = ${number} and id % 10 = 0`)).toBe(0n)
  })
})
