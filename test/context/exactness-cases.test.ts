/** Cases that generated worlds are too small for: full pages, very many words, and functions that exist on both sides. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { int, list, open, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { RecentWords } from '../../packages/server/src/copies/search/lookups/run.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { type SearchStatement, StatementNames } from '../../packages/server/src/copies/search/statement.ts'
import { parseDecimal } from '../../packages/server/src/copies/search/text.ts'
import { parseTimestamp } from '../../packages/server/src/copies/search/timestamps.ts'
import type { Position } from '../../packages/server/src/copies/search/tree.ts'
import { runSearch } from '../../packages/server/src/copies/searcher.ts'
import { databasesOfStatements } from '../support/postgres.ts'
import { share } from '../support/share.ts'
import { createTable, fillTable, openDatabase, type SearchDatabase } from './databases.ts'
import { momentOf, plainText } from './oracle-values.ts'

const mebibyte = 1024 * 1024
const texts = buildSearchTable('cases', 'texts', {
  about: 'Texts',
  key: ['id'],
  context_store_search: { id: int('Id'), body: str('Body') },
})
const objects = buildSearchTable('cases', 'objects', {
  about: 'Objects',
  key: ['id'],
  context_store_search: { id: int('Id'), turns: list(open('Turn'), 'Turns') },
})
const words = buildSearchTable('cases', 'words', {
  about: 'Words',
  key: ['id'],
  context_store_search: { id: int('Id'), title: str('Title'), created: time('Time') },
})

const ties = buildSearchTable('cases', 'ties', {
  about: 'Ties',
  key: ['id'],
  context_store_search: { id: int('Id'), title: str('Title') },
})

/** Reads all pages: their bytes, and the ids on them. @param isOrdered whether the order is written for an index over the first key */
async function pagesOf(
  database: SearchDatabase,
  table: typeof texts,
  params: object,
  isOrdered?: boolean,
): Promise<{ bytes: number; ids: number[] }[]> {
  const query = parseSearch(table, params)
  const pages: { bytes: number; ids: number[] }[] = []
  let after: Position | undefined
  do {
    const run = { ask: (statement: SearchStatement) => database.query(statement), recent: new RecentWords() }
    const { json, next } = await runSearch(
      run,
      { ...query, after },
      { connector: 1, ...(isOrdered === undefined ? {} : { isOrdered: () => isOrdered }) },
    )
    pages.push({ bytes: Buffer.byteLength(json), ids: JSON.parse(json).map((record: { id: number }) => record.id) })
    after = next
  } while (after !== undefined)
  return pages
}

describe.each(databasesOfStatements(['pglite', 'postgres']))('on %s', async (engine) => {
  const database = await share(openDatabase(engine))
  for (const table of [texts, objects, words, ties]) await createTable(database, table)

  test.each([
    // Reading the words of so long texts takes half a second of a core for each megabyte.
    ['texts', texts, (size: number) => ({ body: 'é'.repeat(size / 2) }), { more: [], expected: [17, 3] }],
    ['objects', objects, (size: number) => ({ turns: [{ text: 'x'.repeat(size) }] }), { more: [17, 0.9, 0.9], expected: [17, 3, 1, 2] }],
  ] as const)('a page of large %s ends before 16 MiB, and the next one goes on', async (_what, table, recordOf, { more, expected }) => {
    const sizes = [...Array.from({ length: 20 }, () => 0.9), ...more]
    await fillTable(database, table, { connector: 1, sent: sizes.map((size, id) => ({ record: { id, ...recordOf(size * mebibyte) } })) })
    const pages = await pagesOf(database, table, { query: {} })
    expect(pages.flatMap(({ ids }) => ids)).toEqual(sizes.map((_size, id) => id))
    expect(pages.map(({ ids }) => ids.length)).toEqual(expected)
    for (const { bytes, ids } of pages) expect(bytes <= 16 * mebibyte || ids.length === 1).toBe(true)
  })

  test('pages that end among equal titles lose nothing, though the keys go the other way', async () => {
    await fillTable(database, ties, {
      connector: 1,
      sent: Array.from({ length: 12 }, (_, id) => ({ record: { id, title: id < 6 ? 'a' : 'b' } })),
    })
    for (const [title, id, expected] of [
      ['asc', 'desc', [5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6]],
      ['desc', 'asc', [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]],
    ] as const) {
      for (const isOrdered of [false, true]) {
        const pages = await pagesOf(database, ties, { query: { sort: [{ title }, { id }] }, limit: 4 }, isOrdered)
        expect(pages.map(({ ids }) => ids)).toEqual([expected.slice(0, 4), expected.slice(4, 8), expected.slice(8)])
      }
    }
  })

  test('words and parts of words that a thousand others have find all of them', async () => {
    const record = (id: number) => ({
      id,
      title: `renew${id} plan`,
      created: id % 7 === 0 ? 'unknown' : `2025-01-01T00:00:${String(id % 60).padStart(2, '0')}Z`,
    })
    const sent = Array.from({ length: 1300 }, (_, id) => ({ record: record(id) }))
    await fillTable(database, words, { connector: 1, sent })
    await database.run('set enable_seqscan = off; set enable_indexscan = off')
    const found = async (filter: object) => (await pagesOf(database, words, { query: { filter } })).flatMap(({ ids }) => ids).length
    expect(await found({ fuzzy: { title: 'ren' } })).toBe(1300)
    expect(await found({ fuzzy: { title: 'renew12' } })).toBe(
      sent.filter(({ record: { id } }) => `renew${id}`.startsWith('renew12')).length,
    )
    expect(await found({ fuzzy: { title: 'plna' } })).toBe(1300)
    expect(await found({ like: { title: 'renew%' } })).toBe(1300)
    expect(await found({ like: { title: '%new12%' } })).toBe(sent.filter(({ record: { title } }) => title.includes('new12')).length)
    expect(await found({ keyword: { title: 'renew7 nothing renew8' } })).toBe(2)
    expect(await found({ lt: { created: '2025-01-01T00:00:30Z' } })).toBe(
      sent.filter(({ record: { created } }) => created < '2025-01-01T00:00:30Z').length,
    )
    expect(await found({ gt: { created: '2025-01-01T00:00:30Z' } })).toBe(
      sent.filter(({ record: { created } }) => created > '2025-01-01T00:00:30Z' && created !== 'unknown').length,
    )
    expect(await found({ gt: { created: '2024' } })).toBe(sent.filter(({ record: { created } }) => created !== 'unknown').length)
    await database.run('set enable_seqscan = on; set enable_indexscan = on')
  })

  test('times and decimal numbers are read alike by the database, the product and the oracle', async () => {
    const times = fc.sample(oddTime, { numRuns: 3000, seed: 7 })
    const numbers = fc.sample(oddNumber, { numRuns: 3000, seed: 7 })
    const [row] = await database.query({
      text: `select array(select cs_instant(value)::text from unnest($1::text[]) with ordinality as v(value, number) order by number)::text as times,
        array(select trim_scale(cs_number(value))::text from unnest($2::text[]) with ordinality as v(value, number) order by number)::text as numbers`,
      values: [times, numbers],
    })
    const listed = (value: unknown) => String(value).slice(1, -1).split(',')
    expect(listed(row?.['times'])).toEqual(times.map((text) => String(parseTimestamp(text) ?? 'NULL')))
    expect(times.map(momentOf)).toEqual(times.map(parseTimestamp))
    expect(times.filter((text) => parseTimestamp(text) !== undefined).length).toBeGreaterThan(300)
    expect(listed(row?.['numbers'])).toEqual(numbers.map((text) => parseDecimal(text) ?? 'NULL'))
    expect(numbers.filter((text) => parseDecimal(text) !== undefined).length).toBeGreaterThan(300)
  })
})

const digits = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(String(most).length, '0'))
const oddTime = fc
  .tuple(
    fc.oneof(digits(9999), fc.constantFrom('2024', '1900', '0000', '0001')),
    fc.oneof(digits(14), fc.constant('02')),
    fc.oneof(digits(33), fc.constantFrom('28', '29', '30', '31')),
    fc.constantFrom('', 'T', ' ', 't'),
    fc.tuple(
      digits(25),
      digits(61),
      fc.oneof(
        fc.constant(''),
        digits(61).map((value) => `:${value}`),
      ),
    ),
    fc.constantFrom('', '', '.5', '.123456', '.1234567', ',000001', '.'),
    fc.constantFrom('', 'Z', 'z', '+02:00', '-0530', '+14', '+24:00', '-00:00', '+2', '+05:', '+05:60'),
  )
  .map(([year, month, day, between, [hour, minute, second], fraction, zone]) =>
    between === ''
      ? `${year}-${month}-${day}`
      : `${year}-${month}-${day}${between}${hour}:${minute}${second}${second === '' ? '' : fraction}${zone}`,
  )
const oddNumber = fc.oneof(
  fc.stringMatching(/^[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{1,2})?$/),
  fc.stringMatching(/^[ +-]?[0-9]{1,25}[.,]?[0-9]{0,20}$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.constantFrom('NaN', 'Infinity', '0x10', '1_000', '٣', '1e999', '1e1000', '-0', '.', '-.', 'e5'),
)

test('a number in plain notation is that of the oracle', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt()), (value) => {
      expect(parseDecimal(String(value))).toBe(plainText(value))
    }),
  )
})

test('only statements that come again get a name, and only so many', () => {
  const names = new StatementNames(2)
  const statement = (name: string) => ({ name, text: name, values: [] })
  const named = (name: string) => names.takeName(statement(name))
  expect([named('a'), named('a'), named('a'), named('a')]).toEqual([undefined, undefined, 'a', 'a'])
  for (const name of ['b', 'b', 'b', 'c', 'c', 'c']) named(name)
  expect([named('b'), named('c')]).toEqual(['b', undefined])
})
