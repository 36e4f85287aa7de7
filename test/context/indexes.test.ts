import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { day, eager, fillRecords, found, inDatabase, indexed, minute, openEager, planOf, records, searchOften } from './indexes-world.ts'
import { createStoreWorld, note, overStatements, type StoreWorld } from './store-world.ts'

const byState = { filter: { eq: { state: 'state-7' } } }
const made = /cs_on_demand_\d+_[0-9a-f]{12}/

overStatements('indexes on demand', async (engine) => {
  let world: StoreWorld
  let store: ContextStore
  const errors: unknown[] = []
  const open = (rules = {}) => openEager(world, rules, { onUpkeepError: (error) => errors.push(error) })
  const filled = await share(createStoreWorld(engine))
  const first = openEager(filled)
  const ref = await fillRecords(first)
  await first.close()
  beforeEach(async () => {
    world = await createStoreWorld(engine, filled)
    store = open()
  })
  afterEach(async () => {
    await world.close()
    expect(errors.splice(0)).toEqual([])
  })
  const turn = async (after = 0, at = store): Promise<void> => {
    world.now += after
    await at.indexes.tick()
  }
  const names = async () => inDatabase(await store.openDatabase())
  /** Flushes the statistics of the database about used indexes, which are written when a connection has been idle. */
  const flush = async () => (await store.openDatabase()).query({ text: 'select pg_stat_force_next_flush()' })

  test('are made for what was slow three times, and used by the same search, whose answer stays', async () => {
    const before = await found(store, ref, { query: byState })
    expect(before[0]).toHaveLength(6)
    expect(await planOf(store, ref, { query: byState })).not.toMatch(made)
    await searchOften(store, ref, { query: byState, times: 1 })
    expect(await indexed(store, ref)).toEqual([])
    await searchOften(store, ref, { query: byState, times: 1 })
    expect(await indexed(store, ref)).toEqual(['state ready'])
    expect(await planOf(store, ref, { query: byState })).toMatch(made)
    expect(await found(store, ref, { query: byState })).toEqual(before)
    const [record] = (await store.indexes.listByEntity(ref.connector)).get('notes') ?? []
    expect(record).toMatchObject({ createdAt: world.now, usedAt: null, error: null })
    expect(record?.bytes).toBeGreaterThan(8_000)
    expect(store.indexes.readyCount).toBe(1)
  })

  test('are made for counts and groups too', async () => {
    const params = { query: byState, group_by: ['price'] }
    const groups = async () => (await createSearcher(store).aggregate({ ref, params, key: Buffer.from('key'), now: 0 }))?.json
    const before = await groups()
    for (const _ of [1, 2]) await groups()
    await turn()
    expect(await indexed(store, ref)).toEqual(['state ready'])
    expect(await groups()).toBe(before)
  })

  test('give the order of a sort, page after page, in both directions, with what has no value last', async () => {
    const sorts = (direction: 'asc' | 'desc') => [
      [{ price: direction }],
      [{ price: direction }, { title: 'asc' }],
      [{ price: direction }, { id: 'desc' }],
    ]
    const words = { keyword: { title: 'note' } } // the planner cannot estimate how many rows have them
    const queries = (['asc', 'desc'] as const).flatMap(sorts).flatMap((sort) => [{ sort }, { sort, filter: words }])
    const answers = () => Promise.all(queries.map((query) => found(store, ref, { query, limit: 700 })))
    await store.close()
    store = open({ mostInAll: 0 })
    const expected = await answers()
    await store.close()
    store = open()
    expect(expected.map((pages) => pages.map((page) => page.length))).toEqual(queries.map(() => [700, 700, 700, 700, 200]))
    await searchOften(store, ref, { query: { sort: [{ price: 'desc' }] } })
    expect(await indexed(store, ref)).toEqual(['price ready'])
    expect(await planOf(store, ref, { query: { sort: [{ price: 'desc' }] }, limit: 50 })).toMatch(
      new RegExp(`Index Scan Backward using ${made.source}`),
    )
    for (const direction of ['asc', 'desc'])
      expect(await planOf(store, ref, { query: { sort: [{ price: direction }], filter: words }, limit: 50 })).not.toMatch(made)
    expect(await answers()).toEqual(expected)
  })

  test('are made one after the other when several are wanted at one time', async () => {
    const queries = [byState, { sort: [{ price: 'desc' }] }]
    for (const _ of [1, 2, 3]) await Promise.all(queries.map((query) => found(store, ref, { query, limit: 10_000 })))
    await turn()
    expect((await indexed(store, ref)).toSorted()).toEqual(['price ready', 'state ready'])
  })

  test('are made for ranges and lists of values', async () => {
    const query = { filter: { in: { state: ['state-1', 'state-2'] }, lt: { price: '2' } } }
    const before = await found(store, ref, { query })
    await searchOften(store, ref, { query })
    await searchOften(store, ref, { query })
    expect((await indexed(store, ref)).toSorted()).toEqual(['price ready', 'state ready'])
    expect(await planOf(store, ref, { query: { filter: { in: { state: ['state-1', 'state-2'] } } } })).toMatch(made)
    expect(await found(store, ref, { query })).toEqual(before)
  })

  test('are made for what read far more rows than it returned, three times in a day', async () => {
    const counting = { slowMs: Number.POSITIVE_INFINITY, suspectMs: Number.NEGATIVE_INFINITY, mostRowsRead: records }
    await store.close()
    store = open({ ...counting, mostRowsRead: records + 1 })
    await searchOften(store, ref, { query: byState })
    expect(await indexed(store, ref)).toEqual([])
    await store.close()
    store = open(counting)
    // Returns 36 records, more than a hundredth. A column is measured three times an hour, so the next search is left out.
    const many = { filter: { in: { state: Array.from({ length: 6 }, (_, index) => `state-${index}`) } } }
    await searchOften(store, ref, { query: many })
    await searchOften(store, ref, { query: byState })
    await turn(60 * minute)
    await searchOften(store, ref, { query: byState, times: 2 })
    expect(await indexed(store, ref)).toEqual([])
    await searchOften(store, ref, { query: byState, times: 1 })
    expect(await indexed(store, ref)).toEqual(['state ready'])
    expect(await planOf(store, ref, { query: byState })).toMatch(made)
  })

  test('are not made for small connectors, for searches that are fast, nor where none may be', async () => {
    const calm = open({ leastRecords: records + 1 })
    const fast = open({ slowMs: 60_000 })
    const without = open({ mostInAll: 0 })
    for (const each of engine === 'embedded' ? [] : [calm, fast, without]) {
      await searchOften(each, ref, { query: byState, times: 4 })
      expect(await indexed(each, ref)).toEqual([])
    }
    const small = await fillRecords(store, eager.leastRecords - 1)
    await searchOften(store, small, { query: byState, times: 4 })
    expect(await indexed(store, small)).toEqual([])
    await searchOften(store, ref, { query: byState, times: 2 })
    await turn(day + 1)
    await searchOften(store, ref, { query: byState, times: 2 })
    expect(await indexed(store, ref)).toEqual([])
    expect(await names()).toEqual([])
  })

  test('are few: the one that was unused for longest goes when it was not used for a day', async () => {
    await store.close()
    store = open({ mostOfEntity: 1, mostInAll: 2 })
    await searchOften(store, ref, { query: byState })
    await searchOften(store, ref, { query: { sort: [{ price: 'asc' }] } })
    expect(await indexed(store, ref)).toEqual(['state ready'])
    const other = await fillRecords(store)
    const third = await fillRecords(store)
    world.now += day - 1
    await searchOften(store, other, { query: byState })
    await searchOften(store, third, { query: byState })
    expect([await indexed(store, other), await indexed(store, third)]).toEqual([['state ready'], []])
    world.now += 1
    await searchOften(store, third, { query: byState })
    expect([await indexed(store, ref), await indexed(store, third)]).toEqual([[], ['state ready']])
    expect(await names()).toHaveLength(2)
  })

  test('go when they were not used for a week', async () => {
    await searchOften(store, ref, { query: byState })
    await turn(6 * day)
    expect(await planOf(store, ref, { query: byState })).toMatch(made)
    await found(store, ref, { query: byState })
    await flush()
    await turn(10 * minute)
    const used = world.now
    expect((await store.indexes.listByEntity(ref.connector)).get('notes')).toMatchObject([{ usedAt: used }])
    await turn(7 * day - 1)
    expect(await indexed(store, ref)).toEqual(['state ready'])
    await turn(10 * minute)
    expect([await indexed(store, ref), await names()]).toEqual([[], []])
    expect(store.indexes.readyColumns(ref).size).toBe(0)
  })

  test('go with their connector, and with what they are over', async () => {
    const other = await fillRecords(store)
    await searchOften(store, ref, { query: byState })
    await searchOften(store, other, { query: byState })
    expect(await names()).toHaveLength(2)
    await store.removeConnector(ref.connector)
    await turn()
    expect([await indexed(store, ref), await names().then(({ length }) => length)]).toEqual([[], 1])
    await store.deleteAll(other)
    await turn()
    expect([await indexed(store, other), await names()]).toEqual([[], []])
  })

  test('that are gone without us are forgotten', async () => {
    await searchOften(store, ref, { query: byState })
    const [name = ''] = await names()
    await (await store.openDatabase()).withConnection((run) => run({ text: `drop index ${name}` }))
    await turn(10 * minute)
    expect(await indexed(store, ref)).toEqual([])
  })

  test('that a killed process was making are taken over, and what it left behind goes', async () => {
    const database = await store.openDatabase()
    const leaf = 'cs_test_kind_notes_p0'
    const left = `create index cs_on_demand_1_left on ${leaf} (state) where connector_id = 1`
    const row = `insert into cs_indexes (connector_id, name, col, id, state, owner, until, attempts, created_at)
      select number, 'cs_test_kind_notes', 'state', 'cs_on_demand_1_left', 'building', 'dead', $2, 1, $3 from cs_connectors where id = $1::uuid`
    await database.withConnection((run) => run({ text: left }))
    await database.transaction((session) => session.query({ text: row, values: [ref.connector, world.now + 20 * minute, world.now] }))
    await turn()
    // No other process can work on an embedded database.
    expect(await indexed(store, ref)).toEqual([engine === 'embedded' ? 'state ready' : 'state building'])
    await searchOften(store, ref, { query: { sort: [{ price: 'asc' }] } })
    await turn(20 * minute)
    expect((await indexed(store, ref)).toSorted()).toEqual(['price ready', 'state ready'])
    expect((await names()).filter((name) => !made.test(name))).toEqual([])
  })

  test('that cannot hold a value are given up, and the status says why', async () => {
    const long = Array.from({ length: 6_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join('')
    await store.writeBatch(ref, { records: [note(store, { id: 1, state: long })], asked: 2 })
    await searchOften(store, ref, { query: byState })
    expect(await indexed(store, ref)).toEqual(['state failed 54000'])
    await searchOften(store, ref, { query: byState })
    expect([await indexed(store, ref), await names()]).toEqual([['state failed 54000'], []])
    await turn(7 * day)
    expect(await indexed(store, ref)).toEqual([])
    // Later values are written too. PostgreSQL names the index when a value is shorter than a page.
    for (const [id, value] of [long, long.slice(0, 2_000)].entries()) {
      await store.writeBatch(ref, { records: [note(store, { id: 1, state: 'short' })], asked: 3 + id })
      await searchOften(store, ref, { query: byState })
      expect(await indexed(store, ref)).toEqual(['state ready'])
      expect(await store.writeBatch(ref, { records: [note(store, { id: 1, state: value })], asked: 3 + id })).toMatchObject({ updated: 1 })
      expect(await found(store, ref, { query: { filter: { eq: { state: value } } } })).toEqual([[1]])
      expect([await indexed(store, ref), await names()]).toEqual([['state failed 54000'], []])
      await turn(7 * day)
    }
  })

  if (engine === 'postgres') {
    test('are made once by two nodes', async () => {
      const second = open()
      for (const _ of [1, 2, 3]) await Promise.all([store, second].map((each) => found(each, ref, { query: byState })))
      await Promise.all([store, second].map((each) => each.indexes.tick()))
      await turn(minute, second)
      expect(await indexed(second, ref)).toEqual(['state ready'])
      expect(await names()).toHaveLength(1)
      expect(await planOf(second, ref, { query: byState })).toMatch(made)
    })

    test('that fail are tried again after a pause, and the status says so', async () => {
      const database = await store.openDatabase()
      await database.withConnection(async (run) => {
        await run({
          text: `create function refuse() returns event_trigger language plpgsql as $$ begin raise exception 'no' using errcode = '53400'; end $$`,
        })
        await run({ text: `create event trigger refusing on ddl_command_start when tag in ('CREATE INDEX') execute function refuse()` })
      })
      await searchOften(store, ref, { query: byState })
      expect(await indexed(store, ref)).toEqual(['state failed context_store_unavailable'])
      await turn(minute - 1)
      await database.withConnection((run) => run({ text: 'drop event trigger refusing' }))
      await turn()
      expect(await indexed(store, ref)).toEqual(['state failed context_store_unavailable'])
      await turn(1)
      expect(await indexed(store, ref)).toEqual(['state ready'])
    })

    test('that are under way when the store closes are given back, and made by the next one', async () => {
      const writer = new Client({ connectionString: world.settings.engine === 'postgres' ? world.settings.url.reveal() : '' })
      await writer.connect()
      await writer.query('begin; lock table cs_test_kind_notes in row exclusive mode') // building an index waits for all writers
      for (const _ of [1, 2, 3]) await found(store, ref, { query: byState })
      await expect.poll(() => indexed(store, ref)).toEqual(['state building'])
      await expect.poll(names).toHaveLength(1)
      await store.close()
      await writer.end()
      const next = open()
      await turn(0, next)
      store = next
      await found(store, ref, { query: byState })
      await turn()
      expect(await indexed(store, ref)).toEqual(['state ready'])
      expect(await names()).toHaveLength(1)
    })
  }
})
