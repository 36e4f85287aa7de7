/** The log of changes of a copy: every way of writing rows is told, in order, and only while somebody reads it. */
import { expect, onTestFinished, test } from 'vitest'
import { int } from '../../packages/ferrule/src/definition/fields.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { blockEntries, mostBytes } from '../../packages/server/src/copies/store/log.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { LoggedChange } from '../../packages/server/src/copies/store/types.ts'
import { share } from '../support/share.ts'
import { Random } from './random.ts'
import { createRef, createStoreWorld, note, noteFields, notesOf, oneValue, overStatements, rowsOf, testKind } from './store-world.ts'

const dayMs = 86_400_000
const days = 7

overStatements('the log of changes', async (engine) => {
  let store: ContextStore

  const world = await share(createStoreWorld(engine))
  store = world.open()

  const keyOf = (id: number): string => note(store, { id }).key
  /** Fills an entity with ten notes, and follows it. */
  const followed = async (): Promise<EntityRef> => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 10), asked: world.now })
    await store.followChanges(ref)
    return ref
  }
  const readAll = async (ref: EntityRef, after = 0n, limit = 1_000): Promise<readonly LoggedChange[]> =>
    (await store.readLog(ref, { after, limit })).changes
  const readState = (ref: EntityRef) => store.readLog(ref, { after: 0n, limit: 0 })
  const told = async (ref: EntityRef) => (await readAll(ref)).map(({ kind, key, fields, cause }) => ({ kind, key, fields, cause }))
  const countLogged = async () => oneValue(await store.openDatabase(), 'select sum(json_array_length(keys::json)) from cs_changes')
  /** Returns everything that the log has, as text. */
  const printLog = async () => String(await oneValue(await store.openDatabase(), "select string_agg(c::text, ' ') from cs_changes c"))
  const countBlocks = async () => oneValue(await store.openDatabase(), 'select count(*) from cs_changes')

  test('begins with the first reader', async () => {
    const ref = createRef()
    expect(await readState(ref)).toMatchObject({ generation: null, position: 0n })
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: world.now })
    expect(await countBlocks()).toBe(0n)
    expect((await readState(ref)).generation).toBeNull()
    await store.followChanges(ref)
    const log = await readState(ref)
    await store.followChanges(ref)
    expect(await readState(ref)).toEqual(log)
    await store.writeBatch(ref, { records: notesOf(store, 3, 4), asked: world.now })
    expect(await told(ref)).toEqual([{ kind: 'added', key: keyOf(3), fields: [], cause: 'sync' }])
  })

  test('names the fields with another value, and leaves out records without any', async () => {
    const ref = await followed()
    const records = [
      note(store, { id: 0, title: 'Note 0', state: 'old', price: '1.50' }),
      note(store, { id: 1, title: 'Note 1', state: 'new' }),
      note(store, { id: 2, title: 'Note 2', state: 'new', parts: [{ a: 1 }] }),
    ]
    await store.writeBatch(ref, { records, asked: world.now })
    expect(await told(ref)).toEqual([
      { kind: 'changed', key: keyOf(0), fields: ['price', 'state'], cause: 'sync' },
      { kind: 'changed', key: keyOf(2), fields: ['parts'], cause: 'sync' },
    ])
  })

  test('names fields whatever their names, also those that the statement itself uses', async () => {
    const names = ['p', 'r', 'v', 'c0', 'c1', 'c2', 'sent', "it's"]
    const fields = { id: int('Id.'), ...Object.fromEntries(names.map((name) => [name, int('Number.')])) }
    const kind = { kind: 'named-kind', entities: { things: { about: 'For tests.', key: ['id'], context_store_search: fields } } }
    const other = await createStoreWorld(engine)
    onTestFinished(() => other.close())
    const of = other.open({ kinds: [kind] })
    const ref = { ...createRef('things'), kind: 'named-kind' }
    const write = (more: object) => of.writeBatch(ref, { records: [{ key: '1', fields: { id: 1, c2: 5, ...more } }], asked: other.now })
    await write({})
    await of.followChanges(ref)
    await write(Object.fromEntries(names.map((name) => [name, 5])))
    const { changes } = await of.readLog(ref, { after: 0n, limit: 10 })
    expect(changes.map((change) => change.fields)).toEqual([names.filter((name) => name !== 'c2')])
  })

  test('tells what removes records: the vendor, a complete pass, a live read', async () => {
    const ref = await followed()
    for (const ids of [[0, 99], [98, 97], [96]]) await store.writeBatch(ref, { records: [], removed: ids.map(keyOf), asked: world.now })
    await store.beginPass(ref, 'one')
    await store.writeBatch(ref, { records: notesOf(store, 1, 9), asked: world.now, pass: 'one' })
    await store.sweep(ref, 'one')
    await store.forgetRecords({ ...ref, values: [1], below: [], at: world.now + 1 })
    await store.writeBatch(ref, {
      records: [note(store, { id: 2, title: 'Note 2', state: 'new' })],
      whole: { field: 'state', values: ['new'] },
      asked: world.now,
    })
    const gone = (id: number, cause: string) => ({ kind: 'removed', key: keyOf(id), fields: [], cause })
    expect(await told(ref)).toEqual([
      gone(0, 'sync'),
      gone(9, 'sync'),
      gone(1, 'live'),
      ...[3, 4, 5, 6, 7, 8].map((id) => gone(id, 'sync')),
    ])
  })

  test('says that a live read added or changed a record', async () => {
    const ref = await followed()
    await store.foldLive(ref, [note(store, { id: 0, title: 'Other', state: 'new' }), note(store, { id: 10, title: 'New' })], world.now + 1)
    expect((await told(ref)).toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: 'added', key: keyOf(10), fields: [], cause: 'live' },
      { kind: 'changed', key: keyOf(0), fields: ['title'], cause: 'live' },
    ])
  })

  test('is read in pages, whose positions rise', async () => {
    const ref = await followed()
    for (let id = 10; id < 40; id += 5) await store.writeBatch(ref, { records: notesOf(store, id, id + 5), asked: world.now })
    const all = await readAll(ref)
    expect(all.map(({ key }) => key)).toEqual(Array.from({ length: 30 }, (_, index) => keyOf(10 + index)))
    const pages: LoggedChange[] = []
    for (let page = await readAll(ref, 0n, 7); page.length > 0; page = await readAll(ref, pages.at(-1)?.position, 7)) pages.push(...page)
    expect(pages).toEqual(all)
  })

  test('ends with a reset, and another one begins under another number', async () => {
    const ref = await followed()
    const before = await readState(ref)
    await store.writeBatch(ref, { records: notesOf(store, 10, 12), asked: world.now })
    await store.deleteAll(ref)
    expect((await readState(ref)).generation).toBeNull()
    await store.writeBatch(ref, { records: notesOf(store, 0, 2), asked: world.now })
    await store.followChanges(ref)
    const after = await readState(ref)
    expect(after.generation).not.toBe(before.generation)
    await store.writeBatch(ref, { records: notesOf(store, 2, 3), asked: world.now })
    const changes = await readAll(ref, after.position)
    expect(changes.map(({ key, kind }) => ({ key, kind }))).toEqual([{ key: keyOf(2), kind: 'added' }])
  })

  test('goes with its connector', async () => {
    const ref = await followed()
    await store.writeBatch(ref, { records: notesOf(store, 10, 12), asked: world.now })
    const before = Number(await countLogged())
    await store.removeConnector(ref.connector)
    expect(Number(await countLogged())).toBe(before - 2)
    expect((await readState(ref)).generation).toBeNull()
  })

  test('keeps changes for its days, while somebody reads it', async () => {
    const ref = await followed()
    await store.writeBatch(ref, { records: notesOf(store, 10, 11), asked: world.now })
    world.now += (days - 1) * dayMs
    const [oldest] = await readAll(ref)
    world.now += 2 * dayMs
    await store.writeBatch(ref, { records: notesOf(store, 11, 12), asked: world.now })
    await store.purgeExpired(world.now)
    const page = await store.readLog(ref, { after: 0n, limit: 10 })
    expect(page.changes.map(({ key }) => key)).toEqual([keyOf(11)])
    expect(page.keptAfter).toBe(oldest?.position)
    world.now += (days + 1) * dayMs
    await store.writeBatch(ref, { records: notesOf(store, 12, 13), asked: world.now })
    expect(await store.readLog(ref, { after: 0n, limit: 10 })).toMatchObject({ generation: null, changes: [] })
  })

  test('keeps changes for the days of its connector, once the purge knows them', async () => {
    const [short, long, usual] = [await followed(), await followed(), await followed()]
    const refs = [short, long, usual]
    const keptOf = () => Promise.all(refs.map(async (ref) => (await readAll(ref)).length))
    const own = new Map([
      [short.connector, 2],
      [long.connector, 30],
      ['00000000-0000-4000-8000-000000000000', 90],
    ])
    for (const ref of refs) await store.writeBatch(ref, { records: notesOf(store, 10, 11), asked: world.now })
    await store.purgeExpired(world.now, own)
    world.now += 3 * dayMs
    await store.purgeExpired(world.now, own)
    expect(await keptOf()).toEqual([0, 1, 1])
    expect((await readState(short)).generation).toBeNull()
    world.now += 20 * dayMs
    await store.purgeExpired(world.now, own)
    expect(await keptOf()).toEqual([0, 1, 0])
    await store.purgeExpired(world.now)
    expect(await keptOf()).toEqual([0, 0, 0])
  })

  test('is emptied after its days where nothing is written', async () => {
    const ref = await followed()
    await store.writeBatch(ref, { records: notesOf(store, 10, 30), asked: world.now })
    const before = await countLogged()
    world.now += (days + 1) * dayMs
    await store.purgeExpired(world.now)
    expect(Number(before) - Number(await countLogged())).toBeGreaterThanOrEqual(20)
    expect(await readAll(ref)).toEqual([])
    expect((await readState(ref)).generation).toBeNull()
  })

  test('makes a follower equal to the copy, whatever is written', async () => {
    const ref = await followed()
    const copy = new Map((await rowsOf(store, ref, 'pk')).map(({ pk }) => [String(pk), true]))
    const random = new Random(20_261_128)
    let after = 0n
    for (let step = 0; step < 60; step += 1) {
      world.now += 1_000
      const from = random.below(41)
      const records = notesOf(store, from, from + random.below(9)).map((record) => ({
        ...record,
        fields: { ...record.fields, state: random.pick(['new', 'old']) },
      }))
      const writes = [
        () => store.writeBatch(ref, { records, asked: world.now }),
        () => store.foldLive(ref, records, world.now),
        () => store.writeBatch(ref, { records, removed: notesOf(store, from + 3, from + 6).map(({ key }) => key), asked: world.now }),
        () => store.writeBatch(ref, { records, whole: { field: 'state', values: ['old'] }, asked: world.now }),
        () => store.forgetRecords({ ...ref, values: [from, from + 1], below: [], at: world.now }),
        async () => {
          await store.beginPass(ref, `pass ${step}`)
          await store.writeBatch(ref, { records: [...records, ...notesOf(store, 20, 40)], asked: world.now, pass: `pass ${step}` })
          await store.sweep(ref, `pass ${step}`)
        },
      ]
      await random.pick(writes)()
      for (const change of await readAll(ref, after)) {
        expect(copy.has(change.key), `${change.kind} ${change.key}`).toBe(change.kind !== 'added')
        if (change.kind === 'removed') copy.delete(change.key)
        else copy.set(change.key, true)
        after = change.position
      }
      expect([...copy.keys()].toSorted()).toEqual((await rowsOf(store, ref, 'pk')).map(({ pk }) => String(pk)).toSorted())
    }
  })

  test('holds no value of a record', async () => {
    const ref = await followed()
    await store.writeBatch(ref, { records: [note(store, { id: 0, title: 'Unmistakable secret', state: 'new' })], asked: world.now })
    await store.forgetRecords({ ...ref, values: [0], below: [], at: world.now + 1 })
    expect((await told(ref)).map(({ kind }) => kind)).toEqual(['changed', 'removed'])
    expect(await printLog()).toContain('title')
    expect((await printLog()).toLowerCase()).not.toMatch(/unmistakable|secret/)
  })

  test('has a row for many changes of one kind and of the same fields', async () => {
    const ref = await followed()
    const before = Number(await countBlocks())
    const many = 401
    const ofAdded = Math.ceil(many / blockEntries)
    await store.writeBatch(ref, { records: notesOf(store, 10, 10 + many), asked: world.now })
    expect(Number(await countBlocks())).toBe(before + ofAdded)
    const stateOf = (id: number) => (id % 2 === 0 ? { state: 'old' } : { state: 'old', title: 'Other' })
    const records = notesOf(store, 10, 110).map((record, index) => ({ ...record, fields: { ...record.fields, ...stateOf(index) } }))
    const removed = notesOf(store, 300, 310).map(({ key }) => key)
    await store.writeBatch(ref, { records, removed, asked: world.now })
    expect(Number(await countBlocks())).toBe(before + ofAdded + 3)
    const all = await readAll(ref)
    expect(all.map(({ key }) => key).slice(0, many)).toEqual(notesOf(store, 10, 10 + many).map(({ key }) => key))
    const later = all.slice(many)
    expect(later.slice(0, 10).map(({ kind, key }) => [kind, key])).toEqual(removed.map((key) => ['removed', key]))
    const named = new Map(later.slice(10).map(({ key, fields }) => [key, fields]))
    expect(named).toEqual(new Map(records.map(({ key }, index) => [key, index % 2 === 0 ? ['state'] : ['title', 'state']])))
    expect(all.at(-1)?.position).toBe((await readState(ref)).position)
  })

  test('is read and counted from the middle of a block to the middle of another', async () => {
    const ref = await followed()
    for (let from = 100; from < 1_000; from += 300)
      await store.writeBatch(ref, { records: notesOf(store, from, from + 300), asked: world.now })
    const all = await readAll(ref)
    expect(all).toHaveLength(900)
    for (const [from, to] of [
      [0, 1],
      [13, 14],
      [150, 450],
      [198, 201],
      [199, 899],
    ] as const) {
      const [after, upTo] = [all[from]?.position ?? 0n, all[to]?.position ?? 0n]
      expect(await readAll(ref, after, to - from)).toEqual(all.slice(from + 1, to + 1))
      expect(await store.countChanges(ref, { after, upTo })).toEqual({ added: to - from, changed: 0, removed: 0 })
    }
  })

  test('forgets the keys of some records, and keeps the positions of all others', async () => {
    const ref = await followed()
    const titled = (id: number, title: string) => note(store, { id, title: `Note ${id}`, state: title })
    await store.writeBatch(ref, { records: notesOf(store, 1_000, 1_020), asked: world.now })
    await store.writeBatch(ref, { records: [titled(1_007, 'old'), titled(1_008, 'old')], asked: world.now })
    await store.writeBatch(ref, { records: [], removed: [keyOf(1_019)], asked: world.now })
    const [before, blocks] = [await readAll(ref), Number(await countBlocks())]
    const forgotten = [1_007, 1_008, 1_019].map(keyOf)
    await store.forgetRecords({ ...ref, values: [1_007, 1_008, 1_019], below: [], at: world.now + 1, redacts: true })
    const after = await readAll(ref)
    const others = before.filter(({ key, kind }) => kind === 'removed' || !forgotten.includes(key))
    expect(after.slice(0, -2)).toEqual(others)
    expect(after.slice(-2).map(({ kind, key }) => [kind, key])).toEqual(forgotten.slice(0, 2).map((key) => ['removed', key]))
    for (const { position } of before) expect(await readAll(ref, position)).toEqual(after.filter((each) => each.position > position))
    const log = await printLog()
    for (const key of forgotten) expect(log.split(key).length - 1, 'its removal only').toBe(1)
    expect(Number(await countBlocks()), 'the block of changes went, that of the removal came').toBe(blocks)
  })

  test('is bounded in bytes', async () => {
    const ref = await followed()
    await store.writeBatch(ref, { records: notesOf(store, 10, 20), asked: world.now })
    const before = await readState(ref)
    const database = await store.openDatabase()
    const text = 'update cs_entities set position = position + $1 where position = $2'
    await database.transaction((session) => session.query({ text, values: [mostBytes, before.position] }))
    await store.writeBatch(ref, { records: notesOf(store, 20, 21), asked: world.now })
    const page = await store.readLog(ref, { after: 0n, limit: 100 })
    expect(page.changes.map(({ key }) => key)).toEqual([keyOf(20)])
    expect(page.keptAfter).toBe(before.position)
  })

  test('wakes who waits for it, on another node too', async () => {
    const ref = await followed()
    const other = engine === 'embedded' ? store : world.open()
    const state = await other.readLog(ref, { after: 0n, limit: 0 })
    const wait = other.waitForChange([{ ref, from: state }], { ms: 60_000 })
    await store.writeBatch(ref, { records: notesOf(store, 10, 11), asked: world.now })
    await wait
    expect(await readAll(ref, state.position)).toHaveLength(1)
  })

  test('has no gap for a reader while several write', async () => {
    const ref = await followed()
    const write = async (from: number): Promise<void> => {
      for (let id = from; id < from + 10; id += 1) await store.writeBatch(ref, { records: notesOf(store, id, id + 1), asked: world.now })
    }
    const writing = Promise.all([100, 200, 300, 400].map(write))
    const keys: string[] = []
    for (let after = 0n; keys.length < 40; ) {
      const changes = await readAll(ref, after, 3)
      keys.push(...changes.map(({ key }) => key))
      after = changes.at(-1)?.position ?? after
    }
    await writing
    expect(new Set(keys).size).toBe(40)
  })

  test('of another shape names the new field only, and no equal record', async () => {
    const ref = await followed()
    const wider = testKind({ ...noteFields, owner: noteFields.title })
    await store.close() // one process at a time opens an embedded database
    const other = world.open({ kinds: [wider] })
    store = other
    const records = notesOf(other, 0, 10).map((record) => ({
      ...record,
      fields: { ...record.fields, ...(record.key === keyOf(3) ? { owner: 'Ann' } : {}) },
    }))
    await other.writeBatch(ref, { records, asked: world.now })
    expect(await told(ref)).toEqual([{ kind: 'changed', key: keyOf(3), fields: ['owner'], cause: 'sync' }])
  })
})

overStatements('a log that is always on', async (engine) => {
  const world = await share(createStoreWorld(engine))

  test('begins with the first record, ends with the setting, and begins again', async () => {
    const ref = createRef()
    const open = (isAlwaysOn: boolean) => world.open({ log: { isAlwaysOn } })
    const readState = (store: ContextStore) => store.readLog(ref, { after: 0n, limit: 100 })
    let store = open(true)
    const write = (id: number) => store.writeBatch(ref, { records: notesOf(store, id, id + 1), asked: world.now })
    const passDays = async (): Promise<void> => {
      world.now += 30 * dayMs
      await store.purgeExpired(world.now)
    }
    await write(0)
    const first = await readState(store)
    expect(first.changes.map(({ kind }) => kind)).toEqual(['added'])
    await passDays()
    await store.forgetRecords({ ...ref, values: [0], below: [], at: world.now })
    expect(await readState(store)).toMatchObject({ generation: first.generation, changes: [{ kind: 'removed' }] })
    await passDays()
    const emptied = await readState(store)
    expect(emptied).toMatchObject({ generation: first.generation, changes: [] })

    await store.close()
    store = open(false)
    await write(1)
    await store.purgeExpired(world.now)
    expect((await readState(store)).generation).toBe(first.generation)
    await passDays()
    await write(2)
    expect(await readState(store)).toMatchObject({ generation: null, changes: [] })

    await store.close()
    store = open(true)
    await write(2)
    expect((await readState(store)).generation).not.toBeNull()
    await passDays()
    await write(3)
    expect((await readState(store)).changes).toHaveLength(1)
  })
})
