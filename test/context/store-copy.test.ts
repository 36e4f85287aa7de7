import { hash } from 'node:crypto'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { ListedWords } from '../../packages/server/src/copies/store/batch.ts'
import { createRowEncoder } from '../../packages/server/src/copies/store/row-encoder.ts'
import { digestTable } from '../../packages/server/src/copies/store/tables.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, noteFields, notesOf, overBoth, rowsOf } from './store-world.ts'

/** Texts that a format of rows could take for something else, and what the copy keeps of each. */
const texts: readonly (readonly [text: string, kept?: string])[] = [
  ['tab\tline\nreturn\rback\\slash "quoted" {braces},'],
  ['\\N'],
  ['\\.'],
  ['NULL null \\x41 \\101'],
  [''],
  [' '],
  ['zero\0 and half \ud800', 'zero\ufffd and half \ufffd'],
  ['Ünï – 漢字かな ßø'],
]

overBoth('new rows', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const search = async (ref: ReturnType<typeof createRef>, query: object) => {
    const page = await createSearcher(store).search({ ref, params: { query }, key: Buffer.from('k'), now: 0 })
    return JSON.parse(page?.json ?? '[]') as { id: number; title: string; parts: unknown }[]
  }

  test('keep every character and digit, whatever separates rows, and their words', async () => {
    const ref = createRef()
    const part = (text: string) => [{ [text]: text, deep: [1, 2.5, true, null] }]
    const all = texts.map(([title], id) => note(store, { id, title, price: id === 3 ? '12.50' : null, parts: part(title) }))
    expect(await store.writeBatch(ref, { records: all.slice(0, 4), asked: 1 })).toMatchObject({ created: 4 })
    expect(await store.writeBatch(ref, { records: all, asked: 2 })).toMatchObject({ created: 4, unchanged: 4 })
    const kept = texts.map(([title, stays = title], id) => ({ id, title: stays, parts: part(stays) }))
    expect(await search(ref, { sort: [{ id: 'asc' }] })).toMatchObject(kept)
    const idsOf = async (filter: object) => (await search(ref, { filter, sort: [{ id: 'asc' }] })).map(({ id }) => id)
    expect(await idsOf({ keyword: { title: 'null' } })).toEqual([3])
    expect(await idsOf({ keyword: { parts: 'slash' } })).toEqual([0])
    expect(await idsOf({ fuzzy: { parts: 'uni' } })).toEqual([7])
    expect(await idsOf({ gt: { price: '12.4' } })).toEqual([3])
    const long = await rowsOf(store, ref, 'state, price')
    expect(long.map(({ state, price }) => [state, price])).toEqual(texts.map((_, id) => [null, id === 3 ? '12.50' : null]))
  })

  test('lie beside changed ones in one batch, with the same progress', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1 })
    const changed = [note(store, { id: 1, title: 'Changed' }), ...notesOf(store, 2, 5)]
    const checkpoints = [{ name: 'cursor', value: '"next"' }]
    expect(await store.writeBatch(ref, { records: changed, asked: 2, checkpoints })).toEqual({
      created: 2,
      updated: 1,
      unchanged: 1,
      removed: 0,
    })
    expect((await rowsOf(store, ref)).map(({ title }) => title)).toEqual(['Note 0', 'Changed', 'Note 2', 'Note 3', 'Note 4'])
    expect((await store.readCheckpoints(ref)).get('cursor')).toBe('"next"')
    expect((await store.countRecords(ref.connector)).get('notes')).toBe(5)
  })

  if (engine === 'postgres') {
    test('are copied; changed ones are not', async () => {
      const sent: string[] = []
      const query = pg.Client.prototype.query
      const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
        const text: unknown = typeof given[0] === 'object' && given[0] !== null ? Reflect.get(given[0], 'text') : undefined
        if (typeof text === 'string' && text.includes('cs_test_kind_notes')) sent.push(text.slice(0, 6))
        return Reflect.apply(query, this, given)
      })
      const ref = createRef()
      await store.writeBatch(ref, { records: notesOf(store, 0, 2), asked: 1 })
      await store.writeBatch(ref, { records: [note(store, { id: 1, title: 'Changed' }), ...notesOf(store, 2, 3)], asked: 2 })
      spy.mockRestore()
      expect(sent).toEqual(['copy "', 'select', 'copy "', 'insert'])
    })

    test('are written where rows exist that no count shows', async () => {
      const ref = createRef()
      await store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1 })
      await (await store.openDatabase()).transaction((session) =>
        session.query({
          text: `update cs_entities set records = 0 where connector_id = (select number from cs_connectors where id = $1::uuid)`,
          values: [ref.connector],
        }),
      )
      await store.writeBatch(ref, { records: [note(store, { id: 1, title: 'Changed' }), ...notesOf(store, 2, 5)], asked: 2 })
      expect((await rowsOf(store, ref)).map(({ title }) => title)).toEqual(['Note 0', 'Changed', 'Note 2', 'Note 3', 'Note 4'])
    })

    test('have columns of fixed length first, and LZ4 where the server has it', async () => {
      const { rows } = await (await store.openDatabase()).query({
        text: `select attlen > 0 as fixed, attcompression::text as compression,
            case when (select 'lz4' = any(enumvals) from pg_settings where name = 'default_toast_compression') and attlen < 0 and attname <> 'pk'
              then 'l' else '' end as wanted
          from pg_attribute where attrelid = 'cs_test_kind_notes_p0'::regclass and attnum > 0 order by attnum`,
      })
      const fixed = rows.map((row) => row['fixed'] === true)
      expect(fixed).toEqual(fixed.toSorted((a, b) => Number(b) - Number(a)))
      expect(rows.map(({ compression }) => compression)).toEqual(rows.map(({ wanted }) => wanted))
    })
  }
})

test('words are listed again by a transaction that runs again', async () => {
  const words = new ListedWords()
  const [lists, term] = [
    { number: 1, pruned: '0' },
    { field: 1, term: 'word' },
  ]
  const listed = await words.remember(async (begin) => [begin(), begin()].map((each) => each.unlisted(lists, [term, term]).length))
  expect(listed).toEqual([1, 1])
  expect(await words.remember(async (begin) => begin().unlisted(lists, [term]))).toEqual([])
})

test('the hash is that of all fields as JSON, as it was when they were written at once', () => {
  const table = buildSearchTable('test-kind', 'notes', { about: 'For tests.', key: ['id'], context_store_search: noteFields })
  const fields = { b: 1, 2: 'x', parts: [{ n: 9_007_199_254_740_993n, u: undefined, t: '\ud800"' }], no: undefined, id: 7 }
  const json = '{"2":"x","b":1,"parts":[{"n":9007199254740993,"t":"\\ud800\\""}],"id":7}'
  const { hash: found, texts: kept } = createRowEncoder(table).fingerprint({ key: '7', fields }, 1)
  expect(found).toBe(hash('sha256', `${digestTable(table)}${json}`, 'buffer').readBigInt64BE(0))
  expect([...kept]).toEqual([['parts', '[{"n":9007199254740993,"t":"\\ud800\\""}]']])
})
