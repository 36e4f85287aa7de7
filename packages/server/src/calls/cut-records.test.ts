import { describe, expect, test } from 'vitest'
import { fieldProjection, longestText, shortenTexts } from './cut-records.ts'

const record = {
  id: '1',
  metaData: { id: '7', title: 'Call', system: { name: 'Zoom' } },
  parties: [
    { name: 'Ann', emails: [{ value: 'a@x', kind: 'work' }] },
    { name: 'Bo', emails: [] },
  ],
  tags: ['a', 'b'],
  nothing: null,
  empty: [],
}

describe('select_fields', () => {
  const rows: { paths: string[]; kept: unknown }[] = [
    { paths: ['id'], kept: { id: '1' } },
    { paths: ['metaData.id'], kept: { metaData: { id: '7' } } },
    { paths: ['metaData.id', 'metaData'], kept: { metaData: record.metaData } },
    { paths: ['metaData', 'metaData.id'], kept: { metaData: record.metaData } },
    { paths: ['metaData.system.name', 'metaData.id'], kept: { metaData: { system: { name: 'Zoom' }, id: '7' } } },
    { paths: ['parties.name'], kept: { parties: [{ name: 'Ann' }, { name: 'Bo' }] } },
    { paths: ['parties[].name'], kept: { parties: [{ name: 'Ann' }, { name: 'Bo' }] } },
    { paths: ['parties[].emails[].value'], kept: { parties: [{ emails: [{ value: 'a@x' }] }, { emails: [] }] } },
    { paths: ['tags', 'nothing', 'empty'], kept: { tags: ['a', 'b'], nothing: null, empty: [] } },
    { paths: ['tags.x', 'id.x', 'nothing.x', 'metaData.x', 'parties.x', 'x', 'x.y'], kept: {} },
    { paths: ['empty.x'], kept: { empty: [] } },
    { paths: ['__proto__', 'constructor', 'toString'], kept: {} },
  ]
  test.each(rows)('$paths', ({ paths, kept }) => {
    expect(fieldProjection({ select: paths })?.(record)).toEqual(kept)
  })

  test('wins over exclude_fields', () => {
    expect(fieldProjection({ select: ['id'], exclude: ['id'] })?.(record)).toEqual({ id: '1' })
  })

  test('keeps each object of an array', () => {
    const list = { parties: [{ a: 1 }, { b: 2 }] }
    expect(fieldProjection({ select: ['parties.a'] })?.(list)).toEqual({ parties: [{ a: 1 }, {}] })
  })
})

describe('exclude_fields', () => {
  const rows: { paths: string[]; gone: (whole: typeof record) => unknown }[] = [
    { paths: ['id', 'x', 'tags.x'], gone: ({ id: _id, ...rest }) => rest },
    { paths: ['metaData.system'], gone: ({ metaData: { system: _system, ...metaData }, ...rest }) => ({ ...rest, metaData }) },
    { paths: ['metaData.system', 'metaData'], gone: ({ metaData: _metaData, ...rest }) => rest },
    { paths: ['parties.emails'], gone: (whole) => ({ ...whole, parties: [{ name: 'Ann' }, { name: 'Bo' }] }) },
    {
      paths: ['parties[].emails[].kind'],
      gone: (whole) => ({
        ...whole,
        parties: [
          { name: 'Ann', emails: [{ value: 'a@x' }] },
          { name: 'Bo', emails: [] },
        ],
      }),
    },
  ]
  test.each(rows)('$paths', ({ paths, gone }) => {
    expect(fieldProjection({ exclude: paths })?.(record)).toEqual(gone(record))
  })
})

test('nothing is cut when nothing is asked', () => {
  expect(fieldProjection({})).toBeUndefined()
  expect(fieldProjection({ select: [], exclude: null })).toBeUndefined()
})

test('the record stays as it is', () => {
  const before = structuredClone(record)
  fieldProjection({ select: ['parties.name'] })?.(record)
  fieldProjection({ exclude: ['parties.name', 'metaData.id'] })?.(record)
  expect(record).toEqual(before)
})

const long = 'x'.repeat(longestText + 1)

test('texts up to the limit stay whole', () => {
  const records = [{ text: 'x'.repeat(longestText), number: 1, big: 12345678901234567890n, nothing: null, list: ['a'] }]
  expect(shortenTexts(records)).toEqual({ records, paths: [] })
})

test('longer texts say how long they were, and their paths are named once', () => {
  const { records, paths } = shortenTexts([{ a: long }, { a: long, b: [{ c: long }, { c: 'short' }] }])
  expect(records[0]).toEqual({ a: `${'x'.repeat(longestText)}… [2001 characters]` })
  expect(records[1]).toMatchObject({ b: [{ c: expect.stringContaining('…') }, { c: 'short' }] })
  expect(paths).toEqual(['a', 'b[].c'])
})

test('no character is cut in half', () => {
  const { records } = shortenTexts([{ a: `${'x'.repeat(longestText - 1)}😀😀` }])
  expect(JSON.stringify(records)).toContain(`${'x'.repeat(10)}… [2003 characters]`)
})

test('the paths are bounded', () => {
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, long]))
  expect(shortenTexts([wide]).paths).toHaveLength(100)
})
