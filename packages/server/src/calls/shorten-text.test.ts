import { expect, test } from 'vitest'
import { longestText, shortenTexts } from './shorten-text.ts'

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
