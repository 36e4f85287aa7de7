import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeJson } from '../../values/json/json.ts'
import { isRows, RawRows, readBodyWithRows, splitRawJson } from './raw-rows.ts'

/** A body is large from 65,536 bytes on. */
const padding = 'x'.repeat(66_000)
const large = (data: unknown, space?: string) => Buffer.from(JSON.stringify({ padding, data, code: '090001' }, null, space))

const cell = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  fc.constantFrom('"', '\\', '\\"', '"]', '],[', '{"data":[', '\u2028', '🏬', '\\\\', 'a, 90071992547409931'),
  fc.constant(null),
)
const rows = fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 700 })
const spaces = fc.constantFrom(undefined, ' ', '\n\t', '\r\n')

test('rows are read as JSON.parse reads them, in batches, whatever their texts and spaces', () => {
  fc.assert(
    fc.property(rows, spaces, (data, space) => {
      const json = large(data, space)
      const expected = JSON.parse(json.toString())
      for (const how of ['checked', 'unread'] as const) {
        const body = Object(readBodyWithRows(json, how))
        expect(body.data).toBeInstanceOf(RawRows)
        const batches: (readonly unknown[])[] = [...body.data.batches()]
        expect(batches.flat()).toEqual(expected.data)
        expect(Math.max(0, ...batches.map(({ length }) => length))).toBeLessThanOrEqual(256)
        expect(JSON.parse(JSON.stringify(body))).toEqual(expected)
        const answer = Buffer.concat([...(splitRawJson({ data: body, meta: { next: null } })?.parts ?? [])])
        expect(JSON.parse(answer.toString())).toEqual({ data: expected, meta: { next: null } })
      }
    }),
    { numRuns: 100 },
  )
})

test('what is no JSON is refused where it is checked, and where it is read', () => {
  const spoilt = fc.tuple(
    rows,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom('', ',', ']', '[', '"', '\\', 'x', '}', '{', ':'),
  )
  let refused = 0
  fc.assert(
    fc.property(spoilt, ([data, share, more]) => {
      const text = large(data).toString()
      const at = padding.length + 12 + Math.floor(share * (text.length - padding.length - 12))
      const wrong = `${text.slice(0, at)}${more}${text.slice(more === '' ? at + 1 : at)}`.toWellFormed()
      const read = (): unknown => JSON.parse(JSON.stringify(readBodyWithRows(Buffer.from(wrong), 'checked')))
      let expected: unknown
      try {
        expected = JSON.parse(wrong)
      } catch {
        refused += 1
        expect(read).toThrow(SyntaxError)
        expect(() => JSON.stringify(readBodyWithRows(Buffer.from(wrong), 'unread'))).toThrow(SyntaxError)
        return
      }
      expect(read()).toEqual(expected)
    }),
    { numRuns: 300 },
  )
  expect(refused).toBeGreaterThan(30)
})

describe('a body', () => {
  test('that is small, has no rows, or holds bytes that are no UTF-8 is read at once', () => {
    const small = { data: [['1']] }
    expect(readBodyWithRows(Buffer.from(JSON.stringify(small)), 'unread')).toEqual(small)
    for (const body of [{ padding }, { padding, data: null }, { padding, data: 'x' }, [padding]])
      expect(readBodyWithRows(Buffer.from(JSON.stringify(body)), 'checked')).toEqual(body)
    const latin = Buffer.concat([Buffer.from(`{"padding":"${padding}","data":[["`), Buffer.from([0xe9]), Buffer.from('"]]}')])
    expect(readBodyWithRows(latin, 'checked')).toEqual({ padding, data: [['\ufffd']] })
  })

  test('with two members of the name has the last one, as JSON.parse has it', () => {
    const json = Buffer.from(`{"padding":"${padding}","data":[["1"]],"data":[["2"]]}`)
    expect(JSON.parse(JSON.stringify(readBodyWithRows(json, 'checked')))).toEqual(JSON.parse(json.toString()))
  })

  test('keeps every digit of numbers', () => {
    const json = Buffer.from(`{"padding":"${padding}","data":[[9007199254740993]],"createdOn":9007199254740993}`)
    const body = Object(readBodyWithRows(json, 'checked'))
    expect([body.createdOn, [...body.data.batches()]]).toEqual([9007199254740993n, [[[9007199254740993n]]]])
    expect(Buffer.concat([...(splitRawJson({ data: body })?.parts ?? [])]).toString()).toBe(`{"data":${json.toString()}}`)
    expect(writeJson({ a: 1 })).toBe('{"a":1}')
  })
})

test('rows are arrays, or raw', () => {
  expect([[], new RawRows(Buffer.from('[]')), null, {}, 'x'].map(isRows)).toEqual([true, true, false, false, false])
  expect([...new RawRows(Buffer.from('[ ]')).batches()]).toEqual([])
  expect(splitRawJson({ data: { data: [] } })).toBeUndefined()
})
