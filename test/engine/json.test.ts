import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonText, parseJson, writeBody, writeJson } from '../../packages/ferrule/src/values/json/json.ts'

/** Canonical JSON texts with integers of any length: written again, each must be the same text. */
const canonical = fc.letrec<{ value: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map(String),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).map((digits) => JSON.stringify(`a: ${digits}, [${digits}] {"b":${digits}}`)),
    fc.constantFrom('true', 'false', 'null', '""', '[]', '{}'),
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('value')).map((values) => `[${values.join(',')}]`),
    // Keys that look like array indices come back in another order, in every JSON reader of the language.
    fc
      .uniqueArray(fc.tuple(fc.string(), tie('value')), { selector: ([key]) => key })
      .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(`k${key}`)}:${value}`).join(',')}}`),
  ),
})).value

describe('JSON', () => {
  test('any JSON comes back digit for digit', () => {
    fc.assert(
      fc.property(canonical, (text) => {
        expect(writeJson(parseJson(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('white space between the tokens changes nothing', () => {
    const spaces = fc.constantFrom(' ', '\n', '\t', '\r\n  ')
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })), spaces, (numbers, space) => {
        const text = `${space}[${space}${numbers.join(`${space},${space}`)}${space}]${space}`
        expect(writeJson(parseJson(text))).toBe(`[${numbers.join(',')}]`)
      }),
    )
  })

  test('an integer is a bigint exactly where a double would lose digits', () => {
    expect(parseJson('{"a":9007199254740991,"b":9007199254740992,"c":-9007199254740993,"d":[6107734829915563302]}')).toEqual({
      a: 9007199254740991,
      b: 9007199254740992n,
      c: -9007199254740993n,
      d: [6107734829915563302n],
    })
    expect(parseJson('6107734829915563302')).toBe(6107734829915563302n)
    expect(parseJson('-6107734829915563302')).toBe(-6107734829915563302n)
  })

  test('fractions and exponents stay doubles, also long ones', () => {
    const text = '[1234567890123456789.5, 1234567890123456789e2, 0.12345678901234567890, 1e400, -0]'
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  test('long digit runs in texts and keys stay texts', () => {
    const value = {
      '12345678901234567890': 'x',
      text: 'id: 12345678901234567890, [98765432109876543210]',
      nested: [{ a: '-9007199254740993' }],
    }
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  })

  test('a key named __proto__ is a key', () => {
    const text = '{"__proto__":{"a":12345678901234567890},"b":1}'
    expect(writeJson(parseJson(text))).toBe(text)
    expect(Object.getPrototypeOf(parseJson(text))).toBe(Object.prototype)
  })

  test('a ring is still an error', () => {
    const ring: { self?: unknown; big: bigint } = { big: 2n ** 60n }
    ring.self = ring
    expect(() => writeJson(ring)).toThrow(TypeError)
  })
})

test('a body takes JSON text as it is, and writes everything else', () => {
  const body = {
    data: new JsonText('[{"price": 12.50, "id": 6107734829915563302}]'),
    meta: { cursor: null, id: 9007199254740993n },
    left: undefined,
  }
  expect(writeBody(body)).toBe('{"data":[{"price": 12.50, "id": 6107734829915563302}],"meta":{"cursor":null,"id":9007199254740993}}')
  expect(writeBody({ data: [1n], left: undefined })).toBe('{"data":[1]}')
  expect(writeBody(['a'])).toBe('["a"]')
})
