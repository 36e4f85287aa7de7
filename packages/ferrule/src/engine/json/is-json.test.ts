import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJson } from './raw-rows.ts'

const isRead = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const told = (text: string) => isJson(Buffer.from(text))

test('all that JSON.parse reads is JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, ' ', '\r\n\t'), (text, space) => {
      expect(told(JSON.stringify(JSON.parse(text), null, space))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

test('what JSON.parse refuses is none', () => {
  const parts = [
    ...['"', '\\', '\\u00e', '\\u00e9', '\\x', '\n', '\u0001', ',', ':', '[', ']', '{'],
    ...['}', 'tru', 'null', '-', '01', '1.', '.5', '1e', '1e+5', '+1', 'é', ' '],
  ]
  const piece = fc.oneof(
    fc.constantFrom(...parts),
    fc.constantFrom('"a"', '1', '[1]', '{"a":1}', 'true', 'false', '-0', '1.5E-3', '"\\\\"'),
  )
  let refused = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), fc.boolean(), (pieces, isInArray) => {
      const text = isInArray ? `[${pieces.join('')}]` : pieces.join('')
      if (!isRead(text)) refused += 1
      expect(told(text), text).toBe(isRead(text))
    }),
    { numRuns: 20_000 },
  )
  expect(refused).toBeGreaterThan(5_000)
})

test.each([
  ...['', ' ', '[', '[1', '"a', '{"a"', '{"a":', '{"a":1', '{"a":1,}', '[1,]', '[,1]'],
  ...['{1:2}', '"\\', '"\\u', '"\\u12', '1 2', '[] []', 'nul', '\ufeff1'],
])('%j is none', (text) => {
  expect([isRead(text), told(text)]).toEqual([false, false])
})

test('depth has a bound', () => {
  expect(told('['.repeat(64) + ']'.repeat(64))).toBe(true)
  expect(told('['.repeat(65) + ']'.repeat(65))).toBe(false)
  expect(told('['.repeat(1_000_000))).toBe(false)
})
