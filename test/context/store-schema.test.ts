import { beforeEach, expect, test } from 'vitest'
import { date, int, str } from '../../packages/ferrule/src/definition/fields.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { ContextStoreOptions, SearchableKind } from '../../packages/server/src/copies/store/types.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, note, noteFields, notesOf, oneValue, overStatements, rowsOf, testKind } from './store-world.ts'

overStatements('tables', async (engine) => {
  let changes: string[]

  const world = await share(createStoreWorld(engine))
  beforeEach(() => {
    changes = []
  })

  const open = (kind: SearchableKind = testKind(), more: Partial<ContextStoreOptions> = {}): ContextStore =>
    world.open({ kinds: [kind], onTableChange: ({ name }, change) => changes.push(`${name} ${change}`), ...more })
  const filled = async (store: ContextStore) => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
    return ref
  }

  test('come into being with the first write, and stay', async () => {
    const store = open()
    expect(await rowsOf(store, createRef())).toEqual([])
    expect(changes).toEqual([])
    const ref = await filled(store)
    expect(changes).toEqual(['cs_test_kind_notes created'])
    await filled(store)
    await store.close()
    const again = open()
    expect(await idsOf(again, ref)).toEqual([0, 1, 2])
    await filled(again)
    expect(changes).toEqual(['cs_test_kind_notes created'])
    await again.close()
  })

  test('get the columns of a new field, and are filled again', async () => {
    const before = open()
    const ref = await filled(before)
    await before.close()
    const kind = testKind({ ...noteFields, author: str('Author.'), size: int('Size.'), due: date('Due.') })
    const store = open(kind)
    expect(await idsOf(store, ref)).toEqual([0, 1, 2])
    expect(changes).toEqual(['cs_test_kind_notes extended'])
    expect(await store.readCheckpoints(ref)).toEqual(new Map())
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 3]]))
    const full = { id: 0, title: 'Note 0', state: 'new', author: 'Ann', size: 5, due: '2025-01-02' }
    expect(await store.writeBatch(ref, { records: [note(store, full), ...notesOf(store, 1, 3)], asked: 2 })).toMatchObject({ updated: 3 })
    expect((await rowsOf(store, ref, 'author, size, "due$at"'))[0]).toEqual({ author: 'Ann', size: 5n, due$at: 1735776000000000n })
    await store.close()
    await open(kind).close()
    expect(changes).toHaveLength(1)
  })

  test('are made anew when a field is held otherwise', async () => {
    const before = open()
    const ref = await filled(before)
    await before.close()
    changes = []
    const store = open(testKind({ ...noteFields, state: int('State as a number.') }))
    expect(await rowsOf(store, ref)).toEqual([])
    expect(changes).toEqual(['cs_test_kind_notes remade'])
    expect(await store.readCheckpoints(ref)).toEqual(new Map())
    expect(await store.countRecords(ref.connector)).toEqual(new Map())
    await store.writeBatch(ref, { records: [note(store, { id: 1, state: 7 })], asked: 1 })
    expect(await rowsOf(store, ref, 'state')).toEqual([{ state: 7n }])
    await store.close()
  })

  test('keep a field that an older version does not know, and fill it again when a newer one comes back', async () => {
    const newer = testKind({ ...noteFields, author: str('Author.') })
    const first = open(newer)
    const ref = await filled(first)
    await first.close()
    changes = []
    const older = open()
    expect(await idsOf(older, ref)).toEqual([0, 1, 2])
    await older.writeBatch(ref, { records: notesOf(older, 0, 4), asked: 2 })
    await older.close()
    const back = open(newer)
    expect(await idsOf(back, ref)).toEqual([0, 1, 2, 3])
    expect(changes).toEqual(['cs_test_kind_notes extended', 'cs_test_kind_notes extended'])
    await back.close()
  })

  test('have few indexes: the key, the main moment and the words', async () => {
    const store = open()
    await filled(store)
    const database = await store.openDatabase()
    const text = `select count(*)::int8 from pg_index where indrelid = 'cs_test_kind_notes'::regclass`
    expect(await oneValue(database, text)).toBe(3n)
    await store.close()
  })

  // An embedded database belongs to one store.
  if (engine === 'postgres')
    test('are known to two stores at one time', async () => {
      const [one, two] = [open(), open()]
      await Promise.all([filled(one), filled(two), filled(one), filled(two)])
      const ref = await filled(one)
      expect(await idsOf(two, ref)).toEqual([0, 1, 2])
      await Promise.all([one.close(), two.close()])
    })
})
