import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { Link } from '../../packages/server/src/copies/store/types.ts'
import { findLinks } from '../../packages/server/src/copies/sync/walk/records.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, note, notesOf, overStatements, rowsOf } from './store-world.ts'

overStatements('records that are known to be gone', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()

  const people = (ref: EntityRef): EntityRef => ({ ...ref, entity: 'people' })
  const person = (key: string, name: string) => ({ key, fields: { id: key, name } })
  const forget = (ref: EntityRef, values: readonly unknown[], below: readonly Link[] = []) =>
    store.forgetRecords({ ...ref, values, below, at: world.now })

  test('leave with what hangs on them: by the same key, and by a field of theirs', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 4), asked: world.now })
    const records = [person('1', 'Note 3'), person('2', 'Note 2'), person('9', 'Note 9')]
    await store.writeBatch(people(ref), { records, asked: world.now })
    const below = [
      { entity: 'people', below: [] },
      { entity: 'people', field: 'name', parent: 'title', below: [] },
    ]
    expect(await forget(ref, ['1', 2n, 7, null, {}], below)).toEqual(
      new Map([
        ['notes', 2],
        ['people', 2],
      ]),
    )
    expect(await idsOf(store, ref)).toEqual([0, 3])
    expect(await idsOf(store, people(ref))).toEqual([9])
    expect(await store.countRecords(ref.connector)).toEqual(
      new Map([
        ['notes', 2],
        ['people', 1],
      ]),
    )
  })

  test('leave by their whole key too, where it has several parts', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: world.now })
    const [first = '', second = ''] = await store.readKeys(ref, { limit: 2 })
    expect(await store.forgetRecords({ ...ref, values: [], keys: [second], below: [], at: world.now })).toEqual(new Map([['notes', 1]]))
    expect(await store.readKeys(ref, { limit: 2 })).not.toContain(second)
    expect(await store.findKnownKeys(ref, [first, second])).toEqual(new Set([first]))
  })

  test('do not come back with a page that was asked for before, of a sync or of a live read, and do with one that was asked for later', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 2), asked: world.now - 10 })
    await forget(ref, [1, 5])
    for (const late of [world.now - 5, world.now]) {
      await store.writeBatch(ref, { records: notesOf(store, 0, 6), asked: late })
      await store.foldLive(ref, notesOf(store, 0, 6), late)
    }
    expect(await idsOf(store, ref)).toEqual([0, 2, 3, 4])
    await store.writeBatch(ref, { records: notesOf(store, 5, 6), asked: world.now + 1 })
    await store.foldLive(ref, notesOf(store, 1, 2), world.now + 1)
    expect(await idsOf(store, ref)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('keep away what hangs on them and was not copied yet', async () => {
    const ref = createRef()
    await store.writeBatch(people(ref), { records: [person('9', 'other')], asked: world.now - 10 })
    await forget(ref, ['gone'], [{ entity: 'people', field: 'name', below: [] }])
    await store.writeBatch(people(ref), { records: [person('1', 'gone'), person('2', 'here')], asked: world.now - 5 })
    expect(await idsOf(store, people(ref))).toEqual([2, 9])
  })

  test('stay when they were read later than that was learned, unless by a clock that was wrong', async () => {
    const ref = createRef()
    const versions = [world.now, world.now + 50, world.now + 1_000_000]
    await store.writeBatch(ref, { records: versions.map((version, id) => note(store, { id }, version)), asked: world.now })
    world.now += 100
    await store.forgetRecords({ ...ref, values: [0, 1, 2], below: [], at: world.now - 100 })
    expect(await idsOf(store, ref)).toEqual([1])
  })

  test('are remembered for a day', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 1), asked: world.now })
    await forget(ref, [1])
    const asked = world.now
    world.now += 86_400_001
    await forget(ref, [2])
    await store.writeBatch(ref, { records: notesOf(store, 1, 3), asked })
    expect(await idsOf(store, ref)).toEqual([0, 1])
  })

  test('are found by a text that a vendor asks to forget, and a page that was asked for before does not bring it back', async () => {
    const ref = createRef()
    const titled = (...titles: readonly string[]) => titles.map((title, id) => note(store, { id, title }))
    const records = titled('ada@example.com', 'Ada@Example.com', 'bob@example.com')
    await store.writeBatch(ref, { records: records.slice(1), asked: world.now })
    const under = { field: 'title', text: 'ADA@example.com' }
    const gone = await store.forgetRecords({ ...ref, values: [], under, below: [], at: world.now, redacts: true })
    expect(gone).toEqual(new Map([['notes', 1]]))
    await store.writeBatch(ref, { records, asked: world.now })
    await store.foldLive(ref, records, world.now)
    expect(await idsOf(store, ref)).toEqual([2])
    await store.writeBatch(ref, { records: records.slice(0, 1), asked: world.now + 1 })
    expect(await idsOf(store, ref)).toEqual([0, 2])
    const { rows } = await (await store.openDatabase()).query({
      text: 'select field, value from cs_gone where field = $1',
      values: ['title'],
    })
    expect(rows).toEqual([{ field: 'title', value: expect.stringMatching(/^~[0-9a-f]{64}$/) }])
  })

  test('cost nothing where no copy was ever made', async () => {
    expect(await forget(createRef(), [1])).toEqual(new Map())
  })

  test('are listed in the order of their keys, and known', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 8, 12), asked: world.now })
    const pks = (await rowsOf(store, ref, 'pk')).map(({ pk }) => String(pk))
    expect(await store.readKeys(ref, { limit: 3 })).toEqual(pks.slice(0, 3))
    expect(await store.readKeys(ref, { after: pks[2], limit: 3 })).toEqual(pks.slice(3))
    expect(await store.findKnownKeys(ref, ['nothing', pks[1] ?? ''])).toEqual(new Set([pks[1]]))
  })
})

test('what hangs on a record is read off the definitions', () => {
  const named = (kind: keyof typeof kinds, entity: string) => findLinks(kinds[kind].definition, entity)
  expect(named('gong', 'calls')).toEqual([
    { entity: 'calls_extensive', below: [] },
    { entity: 'call_transcripts', below: [] },
  ])
  const below: Readonly<Record<string, readonly string[]>> = {
    customers: ['metafield_customers'],
    orders: ['order_refunds', 'fulfillments', 'fulfillment_orders', 'metafield_orders'],
    products: ['product_variants', 'product_images', 'metafield_products'],
    product_variants: ['metafield_product_variants'],
    price_rules: ['discount_codes'],
  }
  for (const [entity, links] of Object.entries(below))
    expect([
      entity,
      named('shopify', entity)
        .map((link) => link.entity)
        .toSorted(),
    ]).toEqual([entity, [...links].toSorted()])
  const variants = named('shopify', 'products').find(({ entity }) => entity === 'product_variants')
  expect(variants).toMatchObject({ field: 'product_id', below: [{ entity: 'metafield_product_variants', field: 'owner_id' }] })
})
