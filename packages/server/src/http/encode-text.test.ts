import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeText } from './register.ts'

const toBytes = (given: string | Buffer): Buffer => (typeof given === 'string' ? Buffer.from(given) : given)

test('the bytes are those of Node, whatever the characters and the length', () => {
  const part = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\udc00', 'é', '–', '😀', '\u0000'))
  const text = fc.tuple(fc.array(part, { maxLength: 20 }), fc.nat(1_500)).map(([parts, length]) => parts.join('x'.repeat(length)))
  fc.assert(
    fc.property(text, (given) => {
      expect(toBytes(encodeText(given)).equals(Buffer.from(given))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['short', '–'.repeat(100), false],
  ['of Latin-1', 'é'.repeat(3_000), false],
  ['with a lone surrogate', `${'–'.repeat(3_000)}\ud800`, false],
  ['too long', '–'.repeat(300_000), false],
  ['wide', `${'x'.repeat(3_000)}–`, true],
])('a text that is %s is left to Node or not', (_says, text, isEncoded) => {
  expect(Buffer.isBuffer(encodeText(text))).toBe(isEncoded)
})
