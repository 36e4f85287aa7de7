import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson, writeJson } from '../../values/json/json.ts'
import { parsePath } from '../json/paths.ts'
import { readRowText } from './answer.ts'

const read = (json: string | Buffer, at = 'data.list') => {
  const bytes = Buffer.from(json)
  const whole = Buffer.from(new Uint8Array(bytes).buffer)
  const found = readRowText({ text: bytes.toString(), bytes: whole }, parsePath(at))
  return found === undefined ? undefined : { body: found.body, text: found.text.bytes.toString(), count: found.text.count }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('"', '\\', '"list":[', '],"list":[', ']', '}', '\n', '\u2028', '🏬', 'list'),
)
const value = fc.oneof(text, fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }), fc.boolean(), fc.constant(null))
const row = fc.oneof(
  fc.dictionary(
    text.filter((name) => !/^(\d+|__proto__)$/.test(name)),
    value,
    { maxKeys: 5 },
  ),
  value,
)

test('whatever the rows and what is around them, the text is that of the rows, and the body is that of the parser', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), text, text, (list, before, after) => {
      const json = writeJson({ code: 0, message: before, data: { list, page: { after, total: 2n ** 63n } }, request_id: after })
      const found = read(json)
      if (found === undefined) return
      expect(found.text).toBe(writeJson(list))
      expect(found.count).toBe(list.length)
      expect(writeJson(found.body)).toBe(writeJson(readJson(json)))
    }),
    { numRuns: 300 },
  )
})

test('the rows of a usual answer are found, with every digit', () => {
  const rows = '[{"id":9223372036854775807,"spend":0.1234567890123456789,"title":"Démo – “été”"},{"id":1}]'
  const found = read(`{"code":0,"data":{"list":${rows},"page_info":{"page":1}}}`)
  expect(found).toMatchObject({ text: rows, count: 2 })
  expect(found?.body).toEqual({
    code: 0,
    data: {
      list: [{ id: 9_223_372_036_854_775_807n, spend: 0.12345678901234568, title: 'Démo – “été”' }, { id: 1 }],
      page_info: { page: 1 },
    },
  })
})

describe('the whole body is parsed instead', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  test.each([
    ['the name occurs twice', '{"data":{"list":[1],"list":[2]}}'],
    ['the object of the list occurs twice', '{"data":{"list":[1]},"data":{"list":[2]}}'],
    ['the list is empty and comes again', '{"data":{"list":[],"list":[]}}'],
    ['a list follows', '{"data":{"list":[1]},"warnings":[]}'],
    ['the name stands elsewhere first', '{"list":[1],"data":{"list":[2]}}'],
    ['the name stands elsewhere only', '{"other":{"list":[1]},"data":{}}'],
    ['the rows are no list', '{"data":{"list":{"a":[1]}}}'],
    ['there are spaces', '{"data":{"list":[{"a": 1}]}}'],
    ['there are lines', '{"data":{"list":[\n1]}}'],
    ['it is no JSON behind the rows', '{"data":{"list":[1]}'],
    ['it is no JSON within the rows', '{"data":{"list":[{"a":}]}}'],
    ['the rows are two values', '{"data":{"list":[1],[2]}}'],
    ['it begins with a byte order mark', '\uFEFF{"data":{"list":[1]}}'],
    ['it is a list', '[{"data":{"list":[1]}}]'],
    ['it is not UTF-8', Buffer.from('{"data":{"list":["\xe9"]}}', 'latin1')],
    ['it is nested too deep', `{"data":{"list":[${deep(62)}]}}`],
    ['much stands around the rows', `{"data":{"list":[1]},"message":"${'x'.repeat(20_000)}"}`],
  ])('%s', (_name, json) => {
    expect(read(json)).toBeUndefined()
  })

  test('the deepest nesting that is read anyway is found', () => {
    expect(read(`{"data":{"list":[${deep(61)}]}}`)).toBeDefined()
    expect(() => readJson(`{"data":{"list":[${deep(61)}]}}`)).not.toThrow()
    expect(() => readJson(`{"data":{"list":[${deep(62)}]}}`)).toThrow('nested deeper')
  })
})
