import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { str } from '../../packages/ferrule/src/definition/fields.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, note, notesOf, oneValue, overBoth, refusal, rowsOf, testKind } from './store-world.ts'

overBoth('the store', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()

  const write = (ref: ReturnType<typeof createRef>, records: ReturnType<typeof note>[], asked = world.now) =>
    store.writeBatch(ref, { records, asked })

  test('keeps every digit, every character and every type', async () => {
    const ref = createRef()
    const parts = [{ id: 9007199254740993n, name: 'Ünïcode "quoted" \\ \u2028 💥', deep: [[null, true, 1.5]] }]
    const fields = { id: 9223372036854775807n, title: 'Привет, мир', made: '2025-03-01T02:00:00+02:00', price: '0.10', parts }
    await write(ref, [note(store, fields), note(store, { id: -9223372036854775808n, title: null })])
    const columns = 'id, title, made, "made$at", price, "price$n"::text as n, parts::text as parts'
    expect(await rowsOf(store, ref, columns)).toEqual([
      { id: -9223372036854775808n, title: null, made: null, made$at: null, price: null, n: null, parts: null },
      {
        id: 9223372036854775807n,
        title: 'Привет, мир',
        made: '2025-03-01T02:00:00+02:00',
        made$at: 1740787200000000n,
        price: '0.10',
        n: '0.1',
        parts: '[{"id": 9007199254740993, "deep": [[null, true, 1.5]], "name": "Ünïcode \\"quoted\\" \\\\ \u2028 💥"}]',
      },
    ])
  })

  test('tells new, changed and unchanged records apart, and counts exactly', async () => {
    const ref = createRef()
    expect(await write(ref, notesOf(store, 0, 10))).toEqual({ created: 10, updated: 0, unchanged: 0, removed: 0 })
    expect(await write(ref, notesOf(store, 0, 10))).toEqual({ created: 0, updated: 0, unchanged: 10, removed: 0 })
    const changed = [...notesOf(store, 8, 12), note(store, { id: 3, title: 'Other' })]
    expect(await write(ref, changed)).toEqual({ created: 2, updated: 1, unchanged: 2, removed: 0 })
    expect(await rowsOf(store, ref, 'title')).toContainEqual({ title: 'Other' })
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 12]]))
  })

  test('writes, finds again and removes records whatever their fields are called', async () => {
    const names = ['id', 'key', 'keys', 'name', 'pk', 'h', 'v', 'p', 'ctid', 'row', 'found', 'wanted', 'seen', 'part', 'excluded', 'c0']
    const fields = Object.fromEntries(names.map((name) => [name, str('A text.')]))
    const { entities, ...kind } = testKind()
    store.ensureKind({ ...kind, entities: { ...entities, oddities: { about: 'For tests.', key: ['id'], context_store_search: fields } } })
    const ref = createRef('oddities')
    const records = ['a', 'b', 'c'].map((id) => ({ key: id, fields: Object.fromEntries(names.map((name) => [name, `${name} of ${id}`])) }))
    expect(await store.writeBatch(ref, { records, asked: 1 })).toMatchObject({ created: 3 })
    expect(await store.writeBatch(ref, { records, asked: 2 })).toMatchObject({ unchanged: 3 })
    expect(await store.writeBatch(ref, { records: [], removed: ['a', 'other'], asked: 3 })).toMatchObject({ removed: 1 })
    await store.beginPass(ref, 'one')
    await store.writeBatch(ref, { records: records.slice(1, 2), asked: 4, pass: 'one' })
    expect(await store.sweep(ref, 'one')).toBe(1)
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['oddities', 1]]))
  })

  test('takes the newest of a key that a batch has twice', async () => {
    const ref = createRef()
    const [older, newer] = [note(store, { id: 1, title: 'older' }, 5), note(store, { id: 1, title: 'newer' }, 6)]
    expect(await write(ref, [newer, older])).toEqual({ created: 1, updated: 0, unchanged: 0, removed: 0 })
    expect(await rowsOf(store, ref, 'title')).toEqual([{ title: 'newer' }])
    await write(ref, [note(store, { id: 1, title: 'read first' }, 7), note(store, { id: 1, title: 'read last' }, 7)])
    expect(await rowsOf(store, ref, 'title')).toEqual([{ title: 'read last' }])
  })

  test('never replaces a row by an older one', async () => {
    const ref = createRef()
    await write(ref, [note(store, { id: 1, title: 'first' }), note(store, { id: 2, title: 'second' }, 100)], 1000)
    const older = [note(store, { id: 1, title: 'late page' }), note(store, { id: 2, title: 'late page' }, 99)]
    expect(await write(ref, older, 999)).toMatchObject({ updated: 0, unchanged: 2 })
    expect(await write(ref, [note(store, { id: 1, title: 'same moment' })], 1000)).toMatchObject({ updated: 1 })
    expect(await rowsOf(store, ref, 'title')).toEqual([{ title: 'same moment' }, { title: 'second' }])
  })

  test('removes what the vendor says is gone, unless it is written too', async () => {
    const ref = createRef()
    const [one, two] = notesOf(store, 1, 3)
    await write(ref, notesOf(store, 0, 5))
    const removed = [one, two, ...notesOf(store, 77, 78)].map((record) => record?.key ?? '')
    const again = two === undefined ? [] : [two]
    expect(await store.writeBatch(ref, { records: again, asked: world.now, removed })).toMatchObject({ unchanged: 1, removed: 1 })
    expect(await idsOf(store, ref)).toEqual([0, 2, 3, 4])
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 4]]))
  })

  test('keeps progress with the rows that it is the progress of', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1, checkpoints: [{ name: 'cursor', value: '{"page":1}' }] })
    await store.saveCheckpoints(ref, [{ name: 'plan', value: '"all"' }])
    expect(await store.readCheckpoints(ref)).toEqual(new Map(Object.entries({ cursor: '{"page":1}', plan: '"all"' })))
    await store.writeBatch(ref, { records: [], asked: 2, checkpoints: [{ name: 'cursor', value: null }] })
    expect(await store.readCheckpoints(ref)).toEqual(new Map([['plan', '"all"']]))
    const broken = { key: randomBytes(9_000).toString('hex'), fields: { id: 5 } } // longer than an index entry can be
    const batch = { records: [...notesOf(store, 5, 6), broken], asked: 3, checkpoints: [{ name: 'cursor', value: '{"page":2}' }] }
    await expect(store.writeBatch(ref, batch)).rejects.toThrow()
    expect(await idsOf(store, ref)).toEqual([0, 1, 2])
    expect(await store.readCheckpoints(ref)).toEqual(new Map([['plan', '"all"']]))
  })

  test('lists the words of prose with the rows, so that searches find them', async () => {
    const ref = createRef()
    await write(ref, [note(store, { id: 1, title: 'Renewal of Ünïcode' }), note(store, { id: 2, title: 'renewal' })])
    const database = await store.openDatabase()
    const { rows } = await database.query({
      text: "select term from cs_terms join cs_connectors on number = connector_id where id = $1::uuid and term ~ '^[a-z]' order by term",
      values: [ref.connector],
    })
    expect(rows.map(({ term }) => term)).toEqual(['of', 'renewal', 'unicode'])
  })

  test('folds in what was read live, and not what was gone already', async () => {
    const ref = createRef()
    expect(await store.foldLive(ref, notesOf(store, 0, 1), world.now)).toBeUndefined()
    await write(ref, notesOf(store, 0, 3))
    expect(await store.foldLive(ref, [note(store, { id: 1, title: 'live' }), ...notesOf(store, 9, 10)], world.now)).toMatchObject({
      created: 1,
      updated: 1,
    })
    const people = { ...ref, entity: 'people' }
    await store.writeBatch(createRef('people'), { records: [{ key: 'a', fields: { id: 'a' } }], asked: 1 })
    expect(await store.foldLive(people, [{ key: 'b', fields: { id: 'b' } }], world.now)).toMatchObject({ created: 0 })
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 4]]))
    world.now += 1000
    await store.writeBatch(ref, { records: [], asked: world.now, removed: notesOf(store, 2, 3).map(({ key }) => key) })
    expect(await store.foldLive(ref, notesOf(store, 2, 3), world.now - 1)).toMatchObject({ created: 0 })
    expect(await idsOf(store, ref)).toEqual([0, 1, 9])
    expect(await store.foldLive(ref, notesOf(store, 2, 3), world.now + 1)).toMatchObject({ created: 1 })
  })

  test('knows nothing of what was never written, and keeps connectors and entities apart', async () => {
    const [one, two, people] = [createRef(), createRef(), createRef('people')]
    await write(one, notesOf(store, 0, 2))
    await store.writeBatch(people, { records: [{ key: 'a', fields: { id: 'a', name: 'Ann' } }], asked: 1 })
    expect(await rowsOf(store, two)).toEqual([])
    expect(await store.readCheckpoints(two)).toEqual(new Map())
    expect(await store.countRecords(two.connector)).toEqual(new Map())
    expect(await store.countRecords(people.connector)).toEqual(new Map([['people', 1]]))
    expect(await idsOf(store, one)).toEqual([0, 1])
    expect(await refusal(store.writeBatch({ ...one, entity: 'nothing' }, { records: [], asked: 1 }))).toContain(
      'test-kind.nothing has no table',
    )
  })

  test('empties an entity and leaves the others', async () => {
    const ref = createRef()
    const people = { ...ref, entity: 'people' }
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
    await store.writeBatch(people, { records: [{ key: 'a', fields: { id: 'a' } }], asked: 1 })
    await store.deleteAll(ref)
    expect(await idsOf(store, ref)).toEqual([])
    expect(await store.readCheckpoints(ref)).toEqual(new Map())
    expect(await store.countRecords(ref.connector)).toEqual(new Map(Object.entries({ notes: 0, people: 1 })))
  })

  test('removes everything of a connector for good, and gives its number to nobody', async () => {
    const [ref, other] = [createRef(), createRef()]
    await store.writeBatch(ref, { records: notesOf(store, 0, 20), asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
    await store.writeBatch({ ...ref, entity: 'people' }, { records: [{ key: 'a', fields: { id: 'a', name: 'Ann' } }], asked: 1 })
    await write(other, notesOf(store, 0, 1))
    const database = await store.openDatabase()
    const { rows } = await database.query({ text: 'select number from cs_connectors where id = $1::uuid', values: [ref.connector] })
    const number = Number(rows[0]?.['number'])
    await store.removeConnector(ref.connector)
    for (const table of ['cs_test_kind_notes', 'cs_test_kind_people', 'cs_terms', 'cs_seen', 'cs_checkpoints', 'cs_entities'])
      expect(await oneValue(database, `select count(*) from ${table} where connector_id = ${number}`)).toBe(0n)
    expect(await refusal(write(ref, notesOf(store, 0, 1)))).toBe('connector_not_found: The connector does not exist.')
    expect(await rowsOf(store, ref)).toEqual([])
    expect(await idsOf(store, other)).toEqual([0])
    const next = createRef()
    await write(next, notesOf(store, 0, 1))
    expect(await oneValue(database, `select count(*) from cs_connectors where number > ${number} and id = '${next.connector}'`)).toBe(1n)
  })

  test('refuses a write that was on its way when the connector was removed', async () => {
    const ref = createRef()
    await write(ref, notesOf(store, 0, 1))
    const late = Array.from({ length: 5 }, (_, index) => write(ref, notesOf(store, index * 100, index * 100 + 100)).catch(() => undefined))
    await Promise.all([...late, store.removeConnector(ref.connector)])
    await store.finishRemovals()
    const database = await store.openDatabase()
    const text = `select count(*) from cs_test_kind_notes join cs_connectors c on number = connector_id where c.id = '${ref.connector}'`
    expect(await oneValue(database, text)).toBe(0n)
  })
})

describe('a store that was never written to', () => {
  test('opens nothing when it is read', async () => {
    const world = await createStoreWorld('embedded')
    const store = world.open({ settings: { ...world.settings, engine: 'embedded', folder: `${world.folder}/other`, memoryMb: 16 } })
    const ref = createRef()
    expect(await rowsOf(store, ref)).toEqual([])
    expect(await store.countRecords(ref.connector)).toEqual(new Map())
    expect(await store.readCheckpoints(ref)).toEqual(new Map())
    expect(await store.foldLive(ref, notesOf(store, 0, 1), 1)).toBeUndefined()
    await store.removeConnector(ref.connector)
    expect(store.status()).toMatchObject({ engine: 'embedded', opened: false, running: 0, waiting: 0, setAside: undefined })
    await world.close()
  })
})
