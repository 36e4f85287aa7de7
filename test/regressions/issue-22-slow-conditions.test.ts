/** What a search does in each row: cheap conditions first, no look into JSON that nothing needs, words of a record split once (issue 22, D1). */
import { describe, expect, test } from 'vitest'
import { id, int, list, open, str } from '../../packages/ferrule/src/definition/fields.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { buildSearchStatement } from '../../packages/server/src/copies/search/sql.ts'
import { createTable, fillTable, openDatabase } from '../context/databases.ts'
import { databasesUnderTest } from '../support/postgres.ts'
import { share } from '../support/share.ts'

const table = buildSearchTable('work', 'calls', {
  about: 'Calls',
  key: ['id'],
  context_store_search: {
    id: id('Id'),
    seconds: int('Seconds'),
    title: str('Title'),
    content: open('Content'),
    parties: list(open('Party'), 'Parties'),
  },
})
const records = 40
const callOf = (number: number) => ({
  id: number,
  seconds: number,
  title: number === 7 ? null : `Call ${number}`,
  content: number === 7 ? {} : { brief: `Prices of plan ${number}`, points: [{ text: 'Renewal', at: number }] },
  parties: [{ name: 'Zoë', share: number / 100, code: String(number) }],
})

describe.each(databasesUnderTest(['pglite', 'postgres']))('searches on %s', async (engine) => {
  const database = await share(openDatabase(engine))
  await createTable(database, table)
  const sent = Array.from({ length: records }, (_, number) => ({ record: callOf(number) }))
  await fillTable(database, table, { connector: 1, sent })
  await database.run(`set track_functions = 'all'`)

  const statementOf = (filter: object) =>
    buildSearchStatement({ ...parseSearch(table, { query: { filter }, fields: ['id'] }), relevance: undefined }, { connector: 1, reliance })
  const reliance = { onLookups: false, onRegular: false }
  /** Without lookups every row is a candidate, as for words that many records have. */
  const find = async (filter: object): Promise<readonly number[]> =>
    (await database.query(statementOf(filter))).map(({ json }) => JSON.parse(String(json)).id)
  const explain = async (filter: object): Promise<string> => {
    const { text, values } = statementOf(filter)
    return (await database.query({ text: `explain ${text}`, values })).map((row) => String(Object.values(row)[0])).join('\n')
  }
  /** Counts the comparisons of words of a search, in one transaction: between two the server may put its counts away. */
  const countFuzzy = async (filter: object): Promise<number> => {
    await database.run('begin')
    const before = await readCalls()
    await find(filter)
    const after = await readCalls()
    await database.run('commit')
    return after - before
  }
  const readCalls = async (): Promise<number> => {
    const text = `select coalesce(sum(pg_stat_get_xact_function_calls(oid)), 0)::int4 as calls from pg_proc where proname = 'cs_fuzzy'`
    return Number((await database.query({ text, values: [] }))[0]?.['calls'])
  }

  test.each([
    ['', 39],
    ['%', 39],
    ['%%', 39],
  ])('a pattern %j that everything matches finds who has a value, and takes no value apart', async (pattern, count) => {
    for (const path of ['content', 'title', 'content.brief', 'content.points']) {
      expect(await find({ like: { [path]: pattern } }), path).toHaveLength(count)
      expect(await find({ not: { like: { [path]: pattern } } }), path).toEqual([7])
      expect(await explain({ like: { [path]: pattern } })).not.toMatch(/Function Scan|SubPlan/)
    }
  })

  test('words are compared only where the cheap parts of an or do not hold', async () => {
    const words = { fuzzy: { 'content.brief': 'renewol' } }
    expect(await countFuzzy({ or: [words, { gte: { seconds: 0 } }] })).toBe(0)
    expect(await countFuzzy({ or: [words, { gte: { 'parties[].share': 0.1 } }] })).toBe(10)
    expect(await countFuzzy({ or: [{ and: [words, { lt: { seconds: 5 } }] }, { gte: { seconds: 5 } }] })).toBe(5)
  })

  test('words of nested values are those of all their leaves, also beyond ASCII', async () => {
    expect(await find({ fuzzy: { 'content.points': 'renewol' } })).toHaveLength(39)
    expect(await find({ fuzzy: { 'parties.name': 'zoe' } })).toHaveLength(records)
    expect(await find({ any: { parties: { fuzzy: { name: 'zoe' }, gt: { share: 0.37 } } } })).toEqual([38, 39])
    expect(await find({ keyword: { 'content.brief': '12' } })).toEqual([12])
  })

  test('orders of paths compare numbers, strings and numbers in strings', async () => {
    expect(await find({ gt: { 'parties[].share': 0.37 } })).toEqual([38, 39])
    expect(await find({ gt: { 'parties.code': 37 } })).toEqual([38, 39])
    expect(await find({ gte: { 'parties.code': '7' }, lte: { 'parties.code': '8' } })).toEqual([7, 8])
    expect(await find({ lt: { 'content.points.at': -1 } })).toEqual([])
    expect(await find({ lt: { 'content.points.at': '2' } })).toEqual([0, 1])
  })
})
