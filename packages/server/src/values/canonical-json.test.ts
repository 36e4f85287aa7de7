import fc from 'fast-check'
import { parseJson, writeJson } from 'ferrule/engine'
import { expect, test } from 'vitest'
import { canonicalJson } from './ids.ts'

test.each<[unknown, string]>([
  [{ b: 1, a: [true, null, { d: 'x', c: 2 }] }, '{"a":[true,null,{"c":2,"d":"x"}],"b":1}'],
  [{ 10: 'a', 9: 'b', é: 1, z: 2 }, '{"10":"a","9":"b","z":2,"é":1}'],
  [9_007_199_254_740_993n, '9007199254740993'],
  [{ a: undefined, b: 1n }, '{"b":1}'],
  [-0, '0'],
  ['"\n\ud800', '"\\"\\n\\ud800"'],
  [undefined, 'null'],
])('value %# is written in one way', (value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, part]) => [name, reversed(part)]),
  )
}

test('the order of keys does not matter, and everything else does', () => {
  const json = fc.jsonValue({ maxDepth: 5 })
  fc.assert(
    fc.property(json, json, (one, other) => {
      expect(canonicalJson(reversed(one))).toBe(canonicalJson(one))
      expect(canonicalJson(parseJson(writeJson(one)))).toBe(canonicalJson(one))
      const same = writeJson(parseJson(canonicalJson(one))) === writeJson(parseJson(canonicalJson(other)))
      expect(canonicalJson(one) === canonicalJson(other)).toBe(same)
    }),
  )
})

test('integers that a double cannot tell apart are apart', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (digits) => {
      const texts = [digits, digits + 1n].map((each) => canonicalJson(parseJson(`{"id":${each}}`)))
      expect(texts).toEqual([`{"id":${digits}}`, `{"id":${digits + 1n}}`])
    }),
  )
})
