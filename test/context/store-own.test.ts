/** Kinds of organizations: their rows lie in one table, never mix, move between versions, and are removed. */
import { describe, expect, test, vi } from 'vitest'
import { bool, decimal, type Fields, id, int, known, list, num, open, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildOwnTable, checkOwnTable, listPhysicalColumns, slotTables } from '../../packages/server/src/copies/search/columns.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { createRowEncoder } from '../../packages/server/src/copies/store/row-encoder.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { findOwnMoves } from '../../packages/server/src/copies/store/types.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { eager, found, planOf, searchOften } from './indexes-world.ts'
import { createRef, createStoreWorld, notesOf, oneValue, overStatements, refusal, rowsOf } from './store-world.ts'

const organizationId = '7a000000-0000-4000-8000-000000000001'
let kinds = 0
/** Returns an id that no other kind has. */
function newId(): string {
  kinds += 1
  return `7b000000-0000-4000-8000-${String(kinds).padStart(12, '0')}`
}

const entity = (context_store_search: Fields, key: readonly string[] = ['id']) => ({ about: 'For tests.', key, context_store_search })

/** A version of a kind: its entity `deals` with some fields, and others. */
const version = (of: string, fields: Fields, more: OwnKind['entities'] = {}): OwnKind => ({
  organizationId,
  id: of,
  entities: { deals: entity({ id: id('Id.'), ...fields }), ...more },
})

const plain = { title: str('Title.'), size: int('Size.'), made: time('Time.') }

/** A reference to an entity of a new connector. */
const refTo = (own: OwnKind, name = 'deals', connector = createRef().connector): EntityRef => ({
  connector,
  kind: 'acme',
  entity: name,
  own,
})

type Range = readonly [from: number, to: number]

const dealsOf = (store: ContextStore, ref: EntityRef, [from, to]: Range, more: Readonly<Record<string, unknown>> = {}) =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index
    const made = new Date(Date.UTC(2025, 0, 1 + (number % 300))).toISOString()
    const fields = { id: number, title: `Deal ${number % 50}`, size: number % 7, made, ...more }
    return { key: buildPrimaryKey(store.getTable(ref.kind, ref.entity, ref.own).key, fields) ?? '', fields }
  })

/** Reads whole records by a search. */
async function ask(store: ContextStore, ref: EntityRef, query: object = {}): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const answer = await createSearcher(store).search({ ref, params: { query }, key: Buffer.from('key'), now: 0 })
  return answer === undefined ? [] : JSON.parse(answer.json)
}

const idsOf = async (store: ContextStore, ref: EntityRef, query: object = {}): Promise<unknown[]> =>
  (await ask(store, ref, query)).map((record) => record['id'])

overStatements('kinds of organizations', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open({ indexRules: { ...eager, mostOfOrganization: 1 } })

  const countAll = async (where = 'true') =>
    Number(await oneValue(await store.openDatabase(), `select count(*) from cs_own where ${where}`))
  const fill = async (ref: EntityRef, count = 3, more: Readonly<Record<string, unknown>> = {}) => {
    const checkpoints = [{ name: 'cursor', value: '1' }]
    return store.writeBatch(ref, { records: dealsOf(store, ref, [0, count], more), asked: 1, checkpoints })
  }

  test('have no table before the first write', async () => {
    const there = async () => oneValue(await store.openDatabase(), "select to_regclass('cs_own') is not null")
    await store.writeBatch(createRef(), { records: notesOf(store, 0, 1), asked: 1 })
    const ref = refTo(version(newId(), plain))
    expect(await ask(store, ref)).toEqual([])
    expect(await there()).toBe(false)
    await fill(ref)
    expect(await there()).toBe(true)
    expect(await ask(store, ref, { filter: { fuzzy: { title: 'deel' } }, sort: [{ made: 'desc' }] })).toMatchObject([
      { id: 2, title: 'Deal 2', size: 2 },
      { id: 1 },
      { id: 0, made: '2025-01-01T00:00:00.000Z' },
    ])
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['deals', 3]]))
  })

  test('are found by their keys through the index of the key, also before there are statistics', async () => {
    const ref = refTo(version(newId(), plain))
    await fill(ref, 100)
    const { text } = createRowEncoder(store.getTable(ref.kind, ref.entity, ref.own)).probe
    const number = await oneValue(await store.openDatabase(), `select number from cs_connectors where id = '${ref.connector}'`)
    const asked = { text: `explain ${text}`, values: [Number(number), ['1', '2']] }
    const { rows } = await (await store.openDatabase()).withConnection((run) => run(asked))
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using cs_own_p\d+_pkey/)
  })

  test('of two organizations never meet, though they have one slug, and other types', async () => {
    const [one, two] = [
      refTo(version(newId(), plain)),
      refTo(version(newId(), { title: int('Number.'), size: list(str('Size.'), 'Sizes.') })),
    ]
    const shared = createRef()
    await store.writeBatch(shared, { records: notesOf(store, 0, 2), asked: 1 })
    await fill(one)
    const fields = { id: 1, title: 12, size: ['XL', 'S'] }
    await store.writeBatch(two, { records: [{ key: dealsOf(store, two, [1, 2])[0]?.key ?? '', fields }], asked: 1 })
    expect(await ask(store, two, { filter: { contains: { size: 'XL' } } })).toEqual([{ id: 1, title: 12, size: ['XL', 'S'] }])
    expect(await idsOf(store, one, { filter: { like: { title: '%eal%' } } })).toEqual([0, 1, 2])
    expect(await refusal(ask(store, { ...one, own: undefined }))).toContain('acme.deals has no table')
    // A kind with the slug of a kind that all share.
    const same = {
      ...refTo({ organizationId, id: newId(), entities: { notes: entity({ id: id('Id.'), title: int('Number.') }) } }, 'notes'),
      kind: shared.kind,
    }
    await store.writeBatch(same, { records: [{ key: dealsOf(store, same, [1, 2])[0]?.key ?? '', fields: { id: 1, title: 5 } }], asked: 1 })
    expect(await ask(store, same)).toEqual([{ id: 1, title: 5 }])
    expect(await rowsOf(store, shared)).toHaveLength(2)
    expect(await rowsOf(store, { ...shared, connector: same.connector })).toEqual([])
  })

  test('complete passes, deletions and keys reach the rows of their entity only', async () => {
    const own = version(newId(), plain, { people: entity({ id: id('Id.'), title: str('Name.') }) })
    const deals = refTo(own)
    const people = refTo(own, 'people', deals.connector)
    for (const ref of [deals, people]) await fill(ref, 5)
    await store.beginPass(deals, 'pass')
    await store.writeBatch(deals, { records: dealsOf(store, deals, [2, 4]), asked: 2, pass: 'pass' })
    expect(await store.hasUnseen(deals, 'pass')).toBe(true)
    expect(await store.sweep(deals, 'pass')).toBe(3)
    expect(await store.forgetRecords({ ...deals, values: [2], below: [], at: 3 })).toEqual(new Map([['deals', 1]]))
    expect(await store.readKeys(deals, { limit: 9 })).toHaveLength(1)
    expect(await store.foldLive(people, dealsOf(store, people, [0, 1], { title: 'New' }), 4)).toMatchObject({ updated: 1 })
    expect(await idsOf(store, people)).toEqual([0, 1, 2, 3, 4])
    expect(await idsOf(store, deals)).toEqual([3])
    await store.deleteAll({ ...people, own: undefined })
    expect(await store.countRecords(deals.connector)).toEqual(new Map([['deals', 1]]))
    await store.removeConnector(deals.connector)
    expect(await ask(store, deals)).toEqual([])
  })

  test('take their words along where a vendor asks to forget them, but not while rows of another version can have these words', async () => {
    const kind = newId()
    const [older, other] = [refTo(version(kind, plain)), refTo(version(newId(), plain))]
    const next = refTo(version(kind, { ...plain, note: str('Note.') }), 'deals', older.connector)
    const forgets = async (ref: EntityRef, word: string): Promise<boolean> => {
      await store.writeBatch(ref, { records: dealsOf(store, ref, [0, 1], { title: word }), asked: 1 })
      await store.forgetRecords({ ...ref, values: [0], below: [], at: 2, redacts: true })
      const asked = { text: 'select from cs_terms where term = $1', values: [word] }
      return (await (await store.openDatabase()).query(asked)).count === 0
    }
    expect(await forgets(other, 'forgotten')).toBe(true)
    await fill(next, 5)
    expect(await forgets(older, 'shared')).toBe(false)
  })

  test('leave nothing of a removed connector', async () => {
    const before = await countAll()
    const ref = refTo(version(newId(), plain))
    await fill(ref, 4)
    expect(await countAll()).toBe(before + 4)
    await store.removeConnector(ref.connector)
    expect(await countAll()).toBe(before)
  })

  describe('moved to another version', () => {
    test('stay as they are where they are stored alike', async () => {
      const one = version(newId(), plain)
      const ref = refTo(one)
      await fill(ref)
      const two = { ...version(one.id, plain), entities: { deals: { ...entity({ id: id('Id.'), ...plain }), about: 'Said otherwise.' } } }
      expect(findOwnMoves(one, two)).toEqual(new Map([['deals', 'same']]))
      await store.moveRows(ref.connector, one, two)
      expect(await store.readCheckpoints({ ...ref, own: two })).toEqual(new Map([['cursor', '1']]))
      expect(await idsOf(store, { ...ref, own: two })).toEqual([0, 1, 2])
    })

    test('keep the values of fields of the same type, and are filled again', async () => {
      const one = version(newId(), plain)
      const ref = refTo(one)
      await fill(ref, 3)
      const two = version(one.id, { made: plain.made, price: decimal('Price.'), more: open('More.'), title: plain.title })
      const moved = { ...ref, own: two }
      expect(findOwnMoves(one, two)).toEqual(new Map([['deals', 'extended']]))
      expect(await ask(store, moved)).toEqual([])
      for (const _time of [1, 2]) {
        await store.moveRows(ref.connector, one, two)
        expect(await ask(store, ref)).toEqual([])
        expect(await ask(store, moved, { filter: { fuzzy: { title: 'deel 2' } } })).toEqual([
          { id: 2, made: '2025-01-03T00:00:00.000Z', price: null, more: null, title: 'Deal 2' },
        ])
        expect(await ask(store, moved, { filter: { gte: { made: '2025-01-02' } }, sort: [{ made: 'desc' }] })).toMatchObject([
          { id: 2 },
          { id: 1 },
        ])
        expect(await store.readCheckpoints(moved)).toEqual(new Map())
        expect(await store.countRecords(ref.connector)).toEqual(new Map([['deals', 3]]))
      }
      const records = dealsOf(store, moved, [0, 3], { price: '1.50', more: { a: 'b' } })
      expect(await store.writeBatch(moved, { records, asked: 2 })).toMatchObject({ updated: 3 })
      expect(await idsOf(store, moved, { filter: { gt: { price: 1 } } })).toEqual([0, 1, 2])
      // Back again: a value that the second version left out is read again, so the row counts as changed.
      await store.moveRows(ref.connector, two, one)
      expect(await ask(store, ref, { filter: { eq: { size: null } } })).toHaveLength(3)
      expect(await store.writeBatch(ref, { records: dealsOf(store, ref, [0, 3]), asked: 3 })).toMatchObject({ updated: 3 })
      expect(await idsOf(store, ref, { filter: { eq: { size: 2 } } })).toEqual([2])
    })

    test('keep them on the way to a table of more columns and back, and what came there meanwhile', async () => {
      const more = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`text${index}`, str('Text.')]))
      const one = version(newId(), { ...plain, text3: str('Text.') })
      const two = version(one.id, { ...more, made: plain.made, title: plain.title })
      const tables = [one, two].map((own) => buildOwnTable(own, 'deals').storage?.table)
      expect(tables).toEqual(slotTables.map(({ table }) => table))
      const ref = refTo(one)
      const moved = { ...ref, own: two }
      await fill(ref, 3, { text3: 'Three' })
      expect(findOwnMoves(one, two)).toEqual(new Map([['deals', 'extended']]))
      await store.moveRows(ref.connector, one, two)
      expect(await ask(store, ref)).toEqual([])
      expect(await ask(store, moved, { filter: { fuzzy: { title: 'deel 2' } } })).toMatchObject([
        { id: 2, text2: null, text3: 'Three', text29: null, made: '2025-01-03T00:00:00.000Z', title: 'Deal 2' },
      ])
      await store.writeBatch(ref, { records: dealsOf(store, ref, [2, 4], { title: 'Newer' }), asked: 2 })
      await store.moveRows(ref.connector, two, one)
      expect(await ask(store, moved)).toEqual([])
      expect(await ask(store, ref, { sort: [{ made: 'desc' }] })).toMatchObject([
        { id: 3, title: 'Newer', text3: null },
        { id: 2, title: 'Newer', text3: null },
        { id: 1, title: 'Deal 1', text3: 'Three' },
        { id: 0 },
      ])
      expect(await store.countRecords(ref.connector)).toEqual(new Map([['deals', 4]]))
    })

    test.each([
      ['a field has another type', { ...plain, size: str('Size.') }, ['id']],
      ['the key differs', plain, ['id', 'size']],
    ])('are read anew when %s', async (_what, fields, key) => {
      const one = version(newId(), plain, { people: entity({ id: id('Id.'), title: str('Name.') }) })
      const ref = refTo(one)
      const people = refTo(one, 'people', ref.connector)
      for (const each of [ref, people]) await fill(each)
      const two: OwnKind = { ...one, entities: { deals: entity({ id: id('Id.'), ...fields }, key), teams: entity({ id: id('Id.') }) } }
      expect(findOwnMoves(one, two)).toEqual(
        new Map([
          ['deals', 'remade'],
          ['people', 'removed'],
          ['teams', 'created'],
        ]),
      )
      const before = await countAll()
      await store.moveRows(ref.connector, one, two)
      expect(await countAll()).toBe(before - 6)
      expect(await ask(store, { ...ref, own: two })).toEqual([])
      expect(await store.countRecords(ref.connector)).toEqual(new Map())
      await fill({ ...ref, own: two })
      expect(await idsOf(store, { ...ref, own: two })).toEqual([0, 1, 2])
    })

    test('arrive whole after any number of interruptions, beside rows that came meanwhile', async () => {
      const one = version(newId(), plain)
      const two = version(one.id, { size: plain.size, kind: known('Kind.', 'Open', 'Won'), title: plain.title })
      const [ref, bystander] = [refTo(one), refTo(one)]
      await fill(ref, 4_050)
      await fill(bystander, 70)
      const moved = { ...ref, own: two }
      await store.writeBatch(moved, { records: dealsOf(store, moved, [4_000, 4_100], { title: 'Newer' }), asked: 2 })
      const database = await store.openDatabase()
      const begin = database.transaction.bind(database)
      let interrupted = 0
      for (let done = false; !done; ) {
        let left = 2
        const spy = vi.spyOn(database, 'transaction').mockImplementation((work, options) => {
          left -= 1
          return left < 0 ? Promise.reject(new Error('killed')) : begin(work, options)
        })
        done = await store.moveRows(ref.connector, one, two).then(
          () => true,
          () => false,
        )
        interrupted += done ? 0 : 1
        spy.mockRestore()
      }
      expect(interrupted).toBeGreaterThan(2)
      expect(await store.countRecords(ref.connector)).toEqual(new Map([['deals', 4_100]]))
      expect(new Set(await store.readKeys(moved, { limit: 9_000 })).size).toBe(4_100)
      expect(await idsOf(store, moved, { filter: { keyword: { title: 'newer' } } })).toHaveLength(100)
      expect(await store.countRecords(bystander.connector)).toEqual(new Map([['deals', 70]]))
      expect(await idsOf(store, bystander, { filter: { eq: { size: 3 } } })).toHaveLength(10)
    })
  })

  test('have columns of their own where an operator says so, and mean the same there and back', async () => {
    const one = version(newId(), plain, { people: entity({ id: id('Id.'), title: str('Name.') }) })
    const two: OwnKind = { ...one, isPromoted: true }
    const [ref, stays, foreign] = [refTo(one), refTo(one), refTo({ ...one, organizationId: newId(), id: newId() })]
    const people = refTo(one, 'people', ref.connector)
    const [moved, table] = [{ ...ref, own: two }, buildOwnTable(two, 'deals').storage?.table]
    const countOwn = async () => Number(await oneValue(await store.openDatabase(), `select count(*) from ${table}`))
    const read = async (each: EntityRef) => [
      await ask(store, each, { sort: [{ made: 'desc' }, { size: 'asc' }] }),
      await idsOf(store, each, { filter: { fuzzy: { title: 'deel 2' } } }),
      await idsOf(store, each, { filter: { and: [{ gte: { made: '2025-01-02' } }, { in: { size: [1, 2, 3] } }] } }),
    ]
    for (const each of [ref, stays, foreign]) await fill(each, 60)
    await fill(people, 5)
    const [before, all] = [await read(ref), await countAll()]
    expect(findOwnMoves(one, two)).toEqual(
      new Map([
        ['deals', 'remade'],
        ['people', 'remade'],
      ]),
    )
    for (const _time of [1, 2]) {
      await store.moveRows(ref.connector, one, two)
      expect([await ask(store, moved), await countAll()]).toEqual([[], all - 65])
      await fill(moved, 60)
      expect([await read(moved), await countOwn(), await countAll()]).toEqual([before, 60, all - 65])
      await searchOften(store, moved, { query: { filter: { eq: { size: 3 } } } })
      expect(await store.countRecords(ref.connector)).toEqual(new Map([['deals', 60]]))
      await store.moveRows(ref.connector, two, one)
      expect([await ask(store, ref), await countOwn(), await countAll()]).toEqual([[], 0, all - 65])
      await fill(ref, 60)
      await fill(people, 5)
      for (const each of [ref, stays, foreign]) expect(await read(each)).toEqual(before)
    }
    await store.moveRows(ref.connector, one, two)
    await fill(moved, 9)
    await store.deleteAll({ ...moved, own: undefined })
    expect([await ask(store, moved), await countOwn()]).toEqual([[], 0])
    await fill(moved, 9)
    await store.removeConnector(ref.connector)
    expect([await ask(store, moved), await countOwn(), await countAll()]).toEqual([[], 0, all - 65])
  })

  test('have indexes on demand for one entity each, and few of an organization', async () => {
    const fields = { ...plain, state: str('State.'), score: num('Score.') }
    const [ref, other] = [refTo(version(newId(), fields)), refTo(version(newId(), fields))]
    const foreign = refTo({ ...version(newId(), fields), organizationId: newId() })
    for (const [each, count] of [
      [ref, 3_000],
      [other, 200],
      [foreign, 200],
    ] as const) {
      const records = dealsOf(store, each, [0, count]).map(({ key, fields }, index) => ({
        key,
        fields: { ...fields, title: `Deal ${index}`, state: `state-${index % 500}`, score: index % 90 },
      }))
      await store.writeBatch(each, { records, asked: 1 })
    }
    await (await store.openDatabase()).withConnection((run) => run({ text: 'analyze' }))
    const query = { filter: { eq: { state: 'state-7' } } }
    const before = await found(store, ref, { query })
    await searchOften(store, ref, { query })
    const listOf = async ({ connector, own }: EntityRef) => (await store.indexes.listByEntity(connector, own)).get('deals')
    expect(await listOf(ref)).toMatchObject([{ field: 'state', state: 'ready' }])
    expect(await planOf(store, ref, { query })).toMatch(/cs_on_demand/)
    expect(await found(store, ref, { query })).toEqual(before)
    for (const each of [other, foreign]) await searchOften(store, each, { query })
    expect(await listOf(other)).toBeUndefined()
    expect(await listOf(foreign)).toMatchObject([{ field: 'state', state: 'ready' }])
    expect(await planOf(store, ref, { query: { filter: { keyword: { title: '7' } } } })).toMatch(/_w0_w1_w2_w3_/)
    expect(await planOf(store, ref, { query: { sort: [{ made: 'desc' }] }, limit: 3 })).toMatch(/_entity_i0_pk_/)
  })
})

overStatements('the table of kinds of organizations', (engine) => {
  test('gets new slots and keeps its rows; with another meaning of them it is made anew, and everything is read again', async () => {
    const world = await createStoreWorld(engine)
    const changes: string[] = []
    const openStore = () => world.open({ onTableChange: ({ name, kind }, change) => changes.push(`${name}${kind} ${change}`) })
    const ref = refTo(version(newId(), plain))
    const first = openStore()
    await first.writeBatch(ref, { records: dealsOf(first, ref, [0, 3]), asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
    const database = await first.openDatabase()
    await database.withConnection(async (run) => {
      await run({ text: 'alter table cs_own drop column j15' })
      await run({ text: `update cs_tables set shape = replace(shape, ',"j15":"jsonb"', '') where name = 'cs_own'` })
    })
    await first.close()
    const second = openStore()
    expect(await idsOf(second, ref)).toEqual([0, 1, 2])
    expect(await second.readCheckpoints(ref)).toEqual(new Map([['cursor', '1']]))
    const text = "select count(*) from pg_attribute where attrelid = 'cs_own'::regclass and attname = 'j15'"
    expect(await oneValue(await second.openDatabase(), text)).toBe(1n)
    const older = "update cs_tables set shape = replace(shape, 'slots 4', 'slots 2') where name = 'cs_own'"
    await (await second.openDatabase()).withConnection((run) => run({ text: older }))
    await second.close()
    const third = openStore()
    expect(await ask(third, ref)).toEqual([])
    expect(await third.readCheckpoints(ref)).toEqual(new Map())
    expect(await third.countRecords(ref.connector)).toEqual(new Map())
    expect(changes).toEqual(['cs_own created', 'cs_own remade'])
    await world.close()
  })
})

describe('slots of an entity', () => {
  const many = (count: number, field: Fields[string]): Fields =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, field]))
  const [narrow, wide] = slotTables
  const kindOf = (fields: Fields): OwnKind => ({ organizationId, id: newId(), entities: { deals: { ...entity(fields), key: ['f0'] } } })

  test.each([
    ['known values', known('Way.', 'In', 'Out')],
    ['decimals', decimal('Price.')],
    ['times', time('Time.')],
    ['integers', int('Size.')],
    ['numbers', num('Score.')],
    ['booleans', bool('Flag.')],
    ['strings', str('Text.')],
  ])('are enough for %s beside JSON', (_what, field) => {
    const own = kindOf({ ...many(100, open('JSON.')), ...many(60, field) })
    expect(checkOwnTable(own)).toEqual([])
    const table = buildOwnTable(own, 'deals')
    expect(table.storage?.table).toBe(wide.table)
    const all = new Map(wide.slots.map(({ name, type }) => [name, type]))
    const columns = listPhysicalColumns(table)
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length)
    for (const { name, type } of columns) expect([name, all.get(name)]).toEqual([name, type])
  })

  test('are counted before: what does not fit is named', () => {
    expect(checkOwnTable(kindOf(many(101, open('JSON.'))))).toEqual(['deals has 101 searchable fields, 100 fit'])
    const typed = kindOf(many(61, str('Text.')))
    expect(checkOwnTable(typed)).toEqual(['deals has 61 searchable fields besides JSON, 60 fit'])
    expect(() => buildOwnTable(typed, 'deals')).toThrow('61 searchable fields')
  })

  test('are those of a narrow table while they suffice, because each column of a table makes planning a search dearer', () => {
    expect(narrow.slots).toHaveLength(100)
    expect(wide.slots.length).toBeLessThan(1_000)
    const tableOf = (fields: Fields) => buildOwnTable(kindOf({ f0: id('Id.'), ...fields }), 'deals').storage?.table
    expect(tableOf(many(20, str('Text.')))).toBe(narrow.table)
    expect(tableOf(many(21, str('Text.')))).toBe(wide.table)
    expect(tableOf({ ...many(10, str('Text.')), j: open('J.'), k: list(str('K.'), 'K.'), ...plain })).toBe(narrow.table)
  })
})
