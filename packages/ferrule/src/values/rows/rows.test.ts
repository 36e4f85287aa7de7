/** Cells in the forms of the vendor's documents, and the values that they become. */
import { describe, expect, test } from 'vitest'
import { writeJson } from '../json/json.ts'
import { createRowReader } from './rows.ts'

type Columns = readonly (readonly [name: string, type: string])[]

/** Reads rows of one part. */
function read(columns: Columns, rows: readonly unknown[], params: Readonly<Record<string, unknown>> = {}): unknown[] {
  const reader = createRowReader({ as: 'objects', params, vendor: 'Vendor' })
  const convert = reader({ resultSetMetaData: { rowType: columns.map(([name, type]) => ({ name, type })) } })
  return rows.map(convert)
}
const readOne = (type: string, cell: unknown, params = {}): unknown => Object.values(Object(read([['A', type]], [[cell]], params)[0]))[0]

/** Cells by the type of their column. */
const table: Readonly<Record<string, readonly (readonly [cell: string, value: unknown])[]>> = {
  fixed: [
    ['0', 0],
    ['2', 2],
    ['-7', -7],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['99999999999999999999999999999999999999', 99_999_999_999_999_999_999_999_999_999_999_999_999n],
    ['-99999999999999999999999999999999999999', -99_999_999_999_999_999_999_999_999_999_999_999_999n],
    ['12.50', 12.5],
    ['12.00', 12],
    ['0.00', 0],
    ['-0.01', -0.01],
    ['9999999999.99', 9_999_999_999.99],
    ['0.0000001', 1e-7],
    ['0.00000000000000000000000000000000000015', 1.5e-37],
    ['123456789012.345', 123_456_789_012.345],
    ['0.1234567890123456', 0.1234567890123456],
    ['0.12345678901234566', 0.12345678901234566],
    ['0.12345678901234567', '0.12345678901234567'],
    ['0.123456789012345678', '0.123456789012345678'],
    ['0.10000000000000001', '0.10000000000000001'],
    ['9007199254740992.00', 9_007_199_254_740_992],
    ['9007199254740993.00', '9007199254740993.00'],
    ['-99999999999999999999.999999999999999999', '-99999999999999999999.999999999999999999'],
    ['1,5', '1,5'],
    ['', ''],
  ],
  decfloat: [
    ['42', 42],
    ['12345678901234567890123456789012345678', 12_345_678_901_234_567_890_123_456_789_012_345_678n],
    ['1.25', 1.25],
    ['1.5e-20', 1.5e-20],
    ['1E+20', 1e20],
    ['1.2345678901234567890123456789e40', '1.2345678901234567890123456789e40'],
    ['1e400', '1e400'],
    ['-1e16384', '-1e16384'],
  ],
  real: [
    ['1.5', 1.5],
    ['-1e+100', -1e100],
    ['1', 1],
    ['8.300000000000001e+00', 8.300000000000001],
    ['18446744073709551616', 2 ** 64],
    ['NaN', Number.NaN],
    ['inf', Number.POSITIVE_INFINITY],
    ['-inf', Number.NEGATIVE_INFINITY],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['toString', 'toString'],
  ],
  text: [
    ['', ''],
    ['null', 'null'],
    ['007', '007'],
    ['true', 'true'],
    ['zwölf 🏬', 'zwölf 🏬'],
  ],
  boolean: [
    ['true', true],
    ['false', false],
    ['1', '1'],
  ],
  binary: [
    ['48454C50', '48454C50'],
    ['00FF', '00FF'],
    ['', ''],
  ],
  date: [
    ['0', '1970-01-01'],
    ['17982', '2019-03-27'],
    ['-1', '1969-12-31'],
    ['-2', '1969-12-30'],
    ['-141427', '1582-10-15'],
    ['-719162', '0001-01-01'],
    ['2932896', '9999-12-31'],
    ['2932897', '+010000-01-01'],
    ['100000001', '100000001'],
    ['2019-03-27', '2019-03-27'],
  ],
  time: [
    ['0.000000000', '00:00:00'],
    ['82919.000000000', '23:01:59'],
    ['82919.123456789', '23:01:59.123456789'],
    ['1.500000000', '00:00:01.5'],
    ['59.000000001', '00:00:59.000000001'],
    ['86399.999999999', '23:59:59.999999999'],
    ['86400.000000000', '86400.000000000'],
    ['-1.000000000', '-1.000000000'],
    ['11:01:59 PM', '11:01:59 PM'],
  ],
  timestamp_ntz: [
    ['0.000000000', '1970-01-01T00:00:00'],
    ['1611871777.123456789', '2021-01-28T22:09:37.123456789'],
    ['1611871777.120000000', '2021-01-28T22:09:37.12'],
    ['1611871777.120', '2021-01-28T22:09:37.12'],
    ['7263129600.000000001', '2200-02-28T00:00:00.000000001'],
    ['-0.500000000', '1969-12-31T23:59:59.5'],
    ['-0.000000001', '1969-12-31T23:59:59.999999999'],
    ['-1.000000000', '1969-12-31T23:59:59'],
    ['-1.750000000', '1969-12-31T23:59:58.25'],
    ['-86400.000000001', '1969-12-30T23:59:59.999999999'],
    ['-62135596800.000000000', '0001-01-01T00:00:00'],
    ['253402300799.999999999', '9999-12-31T23:59:59.999999999'],
    ['999999999999999.000000000', '999999999999999.000000000'],
    ['1611871777', '1611871777'], // seconds or nanoseconds: the documents have both
    ['1611871777123456789', '1611871777123456789'],
    ['Thu, 28 Jan 2021 22:09:37', 'Thu, 28 Jan 2021 22:09:37'],
  ],
  timestamp_ltz: [
    ['1611871777.123456789', '2021-01-28T22:09:37.123456789Z'],
    ['-1.750000000', '1969-12-31T23:59:58.25Z'],
    ['253402300799.000000000', '9999-12-31T23:59:59Z'],
  ],
  timestamp_tz: [
    ['1616173619.000000000 1500', '2021-03-19T18:06:59+01:00'],
    ['1616173619.000000000 1440', '2021-03-19T17:06:59+00:00'],
    ['1616173619.123456789 720', '2021-03-19T05:06:59.123456789-12:00'],
    ['1616173619.000000000 2160', '2021-03-20T05:06:59+12:00'],
    ['1616173619.000000000 1770', '2021-03-19T22:36:59+05:30'],
    ['-23399.500000000 1110', '1969-12-31T12:00:00.5-05:30'],
    ['-0.000000001 1441', '1970-01-01T00:00:59.999999999+00:01'],
    ['1616173619.000000000', '1616173619.000000000'],
    ['1616173619.000000000 2880', '1616173619.000000000 2880'],
    ['1616173619.000000000 0', '1616173619.000000000 0'],
  ],
  variant: [
    ['null', null],
    ['true', true],
    ['"text"', 'text'],
    ['"99999999999999999999"', '99999999999999999999'],
    ['12', 12],
    ['99999999999999999999999999999999999999', 99_999_999_999_999_999_999_999_999_999_999_999_999n],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['8.300000000000001e+00', 8.300000000000001],
    ['1.0000000000000001e-01', 0.1],
    ['1e400', '1e400'],
    ['-1e400', '-1e400'],
    ['{\n  "a": 9007199254740993,\n  "b": [\n    "x",\n    null\n  ]\n}', { a: 9_007_199_254_740_993n, b: ['x', null] }],
    ['not json', 'not json'],
    ['', ''],
  ],
  object: [
    ['{}', {}],
    ['{\n  "": null\n}', { '': null }],
    ['{"price": 1.10, "id": 12345678901234567890}', { price: 1.1, id: 12_345_678_901_234_567_890n }],
  ],
  array: [
    ['[]', []],
    ['[\n  {}\n]', [{}]],
    ['[\n  1,\n  "two"\n]', [1, 'two']],
    ['[\n  undefined,\n  1\n]', '[\n  undefined,\n  1\n]'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, `${'['.repeat(65)}${']'.repeat(65)}`],
  ],
  geography: [['POINT(1 2)', 'POINT(1 2)']],
  geometry: [['{"type": "Point"}', '{"type": "Point"}']],
  vector: [['[1.5,2.5]', '[1.5,2.5]']],
  map: [['{"a":1}', '{"a":1}']],
}

describe.each(Object.entries(table))('a cell of the type %s', (type, cells) => {
  test.each(cells)('%j', (cell, value) => {
    expect(readOne(type, cell)).toEqual(value)
    expect(readOne(type.toUpperCase(), cell)).toEqual(value)
  })

  test('is null for NULL', () => {
    expect(readOne(type, null)).toBeNull()
  })
})

test('a number of 100,000 digits stays a string', () => {
  const digits = `0.${'0'.repeat(100_000)}1`
  expect(readOne('variant', `{"a":${digits}}`)).toEqual({ a: digits })
})

test('digits survive being written as JSON', () => {
  const [row] = read(
    [
      ['ID', 'fixed'],
      ['DOC', 'variant'],
    ],
    [['12345678901234567890', '{"n":99999999999999999999999999999999999999}']],
  )
  expect(writeJson(row)).toBe('{"ID":12345678901234567890,"DOC":{"n":99999999999999999999999999999999999999}}')
})

describe('times in the form of a session parameter', () => {
  test.each([
    ['DATE_OUTPUT_FORMAT', 'YYYYMMDD', 'date', '20190327'],
    ['date_output_format', 'YYMMDD', 'date', '190327'],
    ['TIME_OUTPUT_FORMAT', 'SS.FF9', 'time', '59.000000000'],
    ['TIMESTAMP_OUTPUT_FORMAT', 'HH24MISS.FF9', 'timestamp_ntz', '230159.000000000'],
    ['TIMESTAMP_OUTPUT_FORMAT', 'HH24MISS.FF9', 'timestamp_ltz', '230159.000000000'],
    ['TIMESTAMP_OUTPUT_FORMAT', 'HH24MISS.FF9 YYYY', 'timestamp_tz', '230159.000000000 2021'],
    ['TIMESTAMP_NTZ_OUTPUT_FORMAT', 'HH24MISS.FF9', 'timestamp_ntz', '230159.000000000'],
    ['TIMESTAMP_LTZ_OUTPUT_FORMAT', 'HH24MISS.FF9', 'timestamp_ltz', '230159.000000000'],
    ['TIMESTAMP_TZ_OUTPUT_FORMAT', 'HH24MISS.FF9 YYYY', 'timestamp_tz', '230159.000000000 2021'],
  ])('stay strings: %s %s, %s', (name, format, ...column) => {
    expect(readOne(...column, { parameters: { [name]: format } })).toBe(column[1])
    expect(readOne(...column, { parameters: { TIMEZONE: 'UTC' } })).not.toBe(column[1])
  })
})

describe('columns', () => {
  test('of one name are told apart by a number that no other column has', () => {
    const columns = ['ID', 'ID', 'ID_2', 'ID', 'NAME', 'id'].map((name) => [name, 'fixed'] as const)
    expect(read(columns, [['1', '2', '3', '4', '5', '6']])).toEqual([{ ID: 1, ID_3: 2, ID_2: 3, ID_4: 4, NAME: 5, id: 6 }])
  })

  test('may have the names of members of every object', () => {
    const [row] = read(
      ['__proto__', 'constructor', 'toString'].map((name) => [name, 'text'] as const),
      [['a', 'b', 'c']],
    )
    expect(Object.entries(Object(row))).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ])
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
  })

  test('are those of the first part, for all parts', () => {
    const reader = createRowReader({ as: 'objects', params: undefined, vendor: 'Vendor' })
    const first = reader({ resultSetMetaData: { rowType: [{ name: 'A', type: 'fixed' }] } })
    const second = reader({ resultSetMetaData: null })
    expect([first(['1']), second(['2'])]).toEqual([{ A: 1 }, { A: 2 }])
  })

  test.each([
    ['no columns', {}, ['1']],
    ['columns that are no list', { resultSetMetaData: { rowType: {} } }, ['1']],
    ['a cell too many', { resultSetMetaData: { rowType: [{ name: 'A', type: 'fixed' }] } }, ['1', '2']],
    ['a cell too few', { resultSetMetaData: { rowType: [{ name: 'A', type: 'fixed' }] } }, []],
    ['a row that is no array', { resultSetMetaData: { rowType: [{ name: 'A', type: 'fixed' }] } }, { A: '1' }],
  ])('that do not fit the rows are an error: %s', (_what, part, row) => {
    const convert = createRowReader({ as: 'objects', params: {}, vendor: 'Vendor' })(part)
    expect(() => convert(row)).toThrow(expect.objectContaining({ code: 'upstream_answer_invalid' }))
  })
})

test('arrays are passed on as they are', () => {
  const row = ['1', null]
  expect(createRowReader({ as: 'arrays', params: {}, vendor: 'Vendor' })({})(row)).toBe(row)
  expect(createRowReader({ as: undefined, params: {}, vendor: 'Vendor' })({})(row)).toBe(row)
})
