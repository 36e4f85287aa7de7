import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContextStore, EntityPlace } from '../../src/context/store/types.ts'
import { createStoreWorld, idsOf, newPlace, notesOf, oneValue, overBoth, refusal, type StoreWorld } from './store-world.ts'

overBoth('a complete pass', (engine) => {
  let world: StoreWorld
  let store: ContextStore

  beforeAll(async () => {
    world = await createStoreWorld(engine)
    store = world.open()
  })
  afterAll(() => world.close())

  const filled = async (): Promise<EntityPlace> => {
    const place = newPlace()
    await store.write(place, { records: notesOf(store, 0, 10), asked: world.now })
    return place
  }
  const see = (place: EntityPlace, pass: string, [from, to]: readonly [number, number]) =>
    store.write(place, { records: notesOf(store, from, to), asked: world.now, pass })

  test('removes what it did not see, and nothing before its end', async () => {
    const place = await filled()
    await store.beginPass(place, 'one')
    await see(place, 'one', [0, 4])
    await see(place, 'one', [8, 12])
    expect(await idsOf(store, place)).toHaveLength(12)
    expect(await store.sweep(place, 'one')).toBe(4)
    expect(await idsOf(store, place)).toEqual([0, 1, 2, 3, 8, 9, 10, 11])
    expect(await store.counts(place.connector)).toEqual(new Map([['notes', 8]]))
    expect(await oneValue(await store.database(), 'select count(*) from cs_seen')).toBe(0n)
  })

  test('that is given up removes nothing', async () => {
    const place = await filled()
    await store.beginPass(place, 'one')
    await see(place, 'one', [0, 1])
    await store.abandonPass(place, 'one')
    expect(await refusal(store.sweep(place, 'one'))).toContain('another complete pass has begun')
    expect(await idsOf(store, place)).toHaveLength(10)
  })

  test('goes on after a restart with what it had seen', async () => {
    const place = await filled()
    await store.beginPass(place, 'one')
    await see(place, 'one', [0, 4])
    await store.close()
    store = world.open()
    await store.beginPass(place, 'one')
    await see(place, 'one', [6, 8])
    expect(await store.sweep(place, 'one')).toBe(4)
    expect(await idsOf(store, place)).toEqual([0, 1, 2, 3, 6, 7])
  })

  test('takes the place of an older one, whose pages come too late', async () => {
    const place = await filled()
    await store.beginPass(place, 'one')
    await see(place, 'one', [0, 2])
    await store.beginPass(place, 'two')
    expect(await refusal(see(place, 'one', [2, 4]))).toContain('another complete pass has begun')
    await see(place, 'two', [5, 6])
    expect(await store.sweep(place, 'two')).toBe(9)
    expect(await idsOf(store, place)).toEqual([5])
  })

  test('keeps what was read live while it ran', async () => {
    const place = await filled()
    await store.beginPass(place, 'one')
    await see(place, 'one', [0, 2])
    await store.fold(place, [...notesOf(store, 5, 6), ...notesOf(store, 99, 100)], world.now)
    await store.write(place, { records: notesOf(store, 7, 8), asked: world.now })
    expect(await store.sweep(place, 'one')).toBe(6)
    expect(await idsOf(store, place)).toEqual([0, 1, 5, 7, 99])
  })

  test('that saw nothing removes everything, of its own entity and connector only', async () => {
    const [place, other] = [await filled(), await filled()]
    const people = { ...place, entity: 'people' }
    await store.write(people, { records: [{ key: 'a', fields: { id: 'a' } }], asked: 1 })
    await store.beginPass(place, 'one')
    expect(await store.sweep(place, 'one')).toBe(10)
    expect(await idsOf(store, place)).toEqual([])
    expect(await idsOf(store, other)).toHaveLength(10)
    expect(await store.counts(place.connector)).toEqual(new Map(Object.entries({ notes: 0, people: 1 })))
  })

  test('is swept in slices when there are many rows', { timeout: 120_000 }, async () => {
    const place = newPlace()
    const many = 110_000
    const database = await store.database()
    await store.write(place, { records: notesOf(store, 0, 1), asked: 1 })
    const number = String(await oneValue(database, `select number from cs_connectors where id = '${place.connector}'`))
    await database.transaction(async ({ query }) => {
      await query({
        text: `insert into cs_test_kind_notes (connector_id, pk, h, "$v", id)
          select ${number}, 'k' || n, 1, 1, n from generate_series(1, ${many}) n`,
      })
      await query({ text: `update cs_entities set records = ${many + 1} where connector_id = ${number}` })
    })
    await store.beginPass(place, 'one')
    await database.transaction(({ query }) =>
      query({
        text: `insert into cs_seen select ${number}, 'cs_test_kind_notes', array_agg('k' || n) from generate_series(1, ${many}) n
          where n % 10 <> 0 group by n / 1000`,
      }),
    )
    expect(await store.sweep(place, 'one')).toBe(many / 10 + 1)
    expect(await store.counts(place.connector)).toEqual(new Map([['notes', (many / 10) * 9]]))
    expect(await oneValue(database, `select count(*) from cs_test_kind_notes where connector_id = ${number} and id % 10 = 0`)).toBe(0n)
  })
})
