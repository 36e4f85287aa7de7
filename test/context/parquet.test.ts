import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, describe, expect, test } from 'vitest'
import { bool, date, decimal, type Fields, int, list, num, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { encodeHere } from '../../packages/server/src/copies/parquet/encoder.ts'
import { writeParquet } from '../../packages/server/src/copies/parquet/file.ts'
import { buildSearchTable, type Column, listNamed } from '../../packages/server/src/copies/search/columns.ts'
import { makeFolder } from '../support/folder.ts'

const fields = {
  id: int('Id'),
  title: str('Title'),
  ratio: num('Ratio'),
  on: bool('On'),
  made: time('Made'),
  day: date('Day'),
  price: decimal('Price'),
  parts: list(str('Part'), 'Parts'),
}

const tableOf = (context_store_search: Fields) => buildSearchTable('test', 'things', { about: 'Things', key: ['id'], context_store_search })
const columns = listNamed(tableOf(fields))

const folder = makeFolder('parquet')
const database = await (await DuckDBInstance.create(':memory:')).connect()
afterAll(() => database.closeSync())

async function* asPages(...pages: readonly (readonly string[])[]) {
  yield* pages
}

let files = 0
/** Writes an export, and returns SQL that names its file. */
async function write(pages: AsyncIterable<readonly string[]>, chosen: readonly Column[] = columns): Promise<string> {
  const path = join(folder, `${++files}.parquet`)
  const parts: Uint8Array[] = []
  try {
    for await (const part of writeParquet({ columns: chosen, pages })) parts.push(part)
  } finally {
    writeFileSync(path, Buffer.concat(parts))
  }
  return `read_parquet('${path}')`
}

const ask = async (sql: string): Promise<readonly Record<string, unknown>[]> => (await database.runAndReadAll(sql)).getRowObjectsJson()

/** Writes one record with a value of a field, and returns what the column and the last one have, as text. */
async function pass(name: keyof typeof fields, json: string) {
  const file = await write(asPages([`{"id": 1, "${name}": ${json}}`]))
  const [row] = await ask(`select "${name}"::text as value, _rescued::text as rescued from ${file}`)
  return [row?.['value'], row?.['rescued']]
}

describe('a Parquet file', () => {
  test('has the types of the definition, the same for any records', async () => {
    const types = {
      id: 'BIGINT',
      title: 'VARCHAR',
      ratio: 'DOUBLE',
      on: 'BOOLEAN',
      made: 'TIMESTAMP WITH TIME ZONE',
      day: 'DATE',
      price: 'DECIMAL(38,9)',
      parts: 'JSON',
      _rescued: 'JSON',
    }
    for (const page of [[], ['{"id": 1, "made": "no time", "price": "many"}']]) {
      const rows = await ask(`select column_name, column_type from (describe select * from ${await write(asPages(page))})`)
      expect(Object.fromEntries(rows.map((row) => [row['column_name'], row['column_type']]))).toEqual(types)
    }
  })

  test.each([
    ['id', '9223372036854775807', '9223372036854775807'],
    ['id', '-9223372036854775808', '-9223372036854775808'],
    ['id', '9007199254740993', '9007199254740993'],
    ['title', '"Ünïcödé \\u0000😀 \\"quoted\\"\\n"', 'Ünïcödé \u0000😀 "quoted"\n'],
    ['title', '""', ''],
    ['ratio', '12.50', '12.5'],
    ['ratio', '0.1', '0.1'],
    ['ratio', '1e300', '1e+300'],
    ['on', 'false', 'false'],
    ['day', '"2024-02-29"', '2024-02-29'],
    ['price', '"199.00"', '199.000000000'],
    ['price', '"-12345678901234567890123456789.123456789"', '-12345678901234567890123456789.123456789'],
    ['price', '"0.000000001000"', '0.000000001'],
    ['parts', '["a",9007199254740993,1.10]', '["a",9007199254740993,1.10]'],
    ['parts', '"text"', '"text"'],
  ] as const)('keeps %s %s', async (name, json, value) => {
    expect(await pass(name, json)).toEqual([value, null])
  })

  test.each([
    ['2026-03-01T10:00:00.123456+02:00', '2026-03-01 08:00:00.123456'],
    ['0001-01-01T00:00:00Z', '0001-01-01 00:00:00'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31 23:59:59.999999'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31 23:59:59.999999'],
    ['2026-03-01 10:00:00', '2026-03-01 10:00:00'],
    ['2026-03-01T10:00:00.120000000Z', '2026-03-01 10:00:00.12'],
  ])('has the instant %s', async (text, value) => {
    await database.run("set TimeZone = 'UTC'")
    expect(await pass('made', JSON.stringify(text))).toEqual([`${value}+00`, null])
  })

  test.each([
    ['id', '9223372036854775808'],
    ['id', '-9223372036854775809'],
    ['id', '"7"'],
    ['ratio', '0.12345678901234567890'],
    ['ratio', '1e400'],
    ['ratio', '9007199254740993'],
    ['made', '"2016-12-31T23:59:60Z"'],
    ['made', '"2026-03-01T10:00:00.1234567Z"'],
    ['made', '"2026-02-30T10:00:00Z"'],
    ['made', '"soon"'],
    ['day', '"2026-03-01T10:00:00Z"'],
    ['price', '"0.0000000001"'],
    ['price', '"123456789012345678901234567890"'],
    ['price', '"1,5"'],
    ['title', '{"a":1}'],
  ] as const)('has %s %s beside the column, as it is', async (name, json) => {
    expect(await pass(name, json)).toEqual([null, `{"${name}":${json}}`])
  })

  test('has what the copy kept of other types in the same field', async () => {
    const record = `{"id": 1, "ratio": null, "day": "soon", "_rescued": {"ratio": "many", "on": [1.10]}}`
    expect(
      await ask(`select ratio, day, _rescued::text as rescued from ${await write(asPages([record, '{"id": 2, "_rescued": null}']))}`),
    ).toEqual([
      { ratio: null, day: null, rescued: '{"ratio":"many","on":[1.10],"day":"soon"}' },
      { ratio: null, day: null, rescued: null },
    ])
  })

  test('has nulls, and fields that a record lacks, as null', async () => {
    const file = await write(asPages([`{${Object.keys(fields).map((name) => `"${name}": null`)}}`, '{}']))
    expect(await ask(`select count(*)::int as many, count(columns(*))::int from ${file}`)).toEqual([
      { many: 2, ...Object.fromEntries([...Object.keys(fields), '_rescued'].map((name) => [name, 0])) },
    ])
  })

  test('has row groups of bounded size, with every record', async () => {
    const many = 30
    const page = (at: number) =>
      Array.from({ length: 100 }, (_, index) => `{"id": ${at * 100 + index}, "title": "${'long '.repeat(2_000)}"}`)
    async function* pages() {
      for (let at = 0; at < many; at += 1) yield page(at)
    }
    const file = await write(pages())
    const sizes = await ask(
      `select distinct row_group_num_rows::int as size from parquet_metadata(${file.slice('read_parquet('.length)} order by 1`,
    )
    expect(sizes.map((row) => row['size'])).toEqual([300, 900])
    expect(await ask(`select count(*)::int as many, sum(id)::int as sum from ${file}`)).toEqual([{ many: 3_000, sum: 4_498_500 }])
  })

  test('has only the chosen columns, and a free name for the last one', async () => {
    const file = await write(asPages(['{"id": 1, "_rescued": "mine"}']), listNamed(tableOf({ id: fields.id, _rescued: str('Mine') })))
    expect(await ask(`select * from ${file}`)).toEqual([{ id: '1', _rescued: 'mine', __rescued: null }])
  })

  test('that breaks off cannot be read', async () => {
    async function* pages() {
      yield [`{"id": 1, "title": "${'x'.repeat(9_000_000)}"}`]
      yield ['{"id": 2}']
      throw new Error('the copy was emptied')
    }
    await expect(write(pages())).rejects.toThrow('the copy was emptied')
    await expect(ask(`select * from read_parquet('${join(folder, `${files}.parquet`)}')`)).rejects.toThrow(/magic bytes/)
  })

  test('keeps bounds of short values only, so that its footer stays small', () => {
    const lines = [new TextEncoder().encode(`{"id": 1, "title": "${'x'.repeat(1_000)}", "parts": ["${'y'.repeat(1_000)}"]}`)]
    const { groups } = encodeHere({
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'title', type: 'text' },
        { name: 'parts', type: 'json' },
        { name: '_rescued', type: 'json' },
      ],
      offset: 0,
      content: { lines },
    })
    expect(JSON.stringify(groups, (_, value) => (typeof value === 'bigint' ? String(value) : value)).length).toBeLessThan(2_500)
  })
})
