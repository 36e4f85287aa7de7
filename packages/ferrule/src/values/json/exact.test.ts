import { expect, test } from 'vitest'
import { readDigits, readExactJson } from './exact.ts'

test.each([
  '12.50',
  ' -1e2',
  '[1.0,0.1234567890123456789,-12345678901234567890]',
  '{"a":{"b":[{"c":1E+400}]},"d":9007199254740993}',
  '{"at":"2026-01-01T10:00:35.123Z","of":"1.0, 2.0","n":1.10}',
])('the numbers of %s are written as they were read', (text) => {
  expect(JSON.stringify(readExactJson(text))).toBe(text.trim())
})

test.each(['{"a" : 1.50}', '{"a"\n:\t1.50}', '[ 1.50 ]', '[0,\n1.50]'])('spaces change nothing: %j', (text) => {
  expect(JSON.stringify(readExactJson(text))).toContain('1.50')
})

test('other values are those of JSON.parse, and no number is taken for one', () => {
  const text = '{"plain":[1,0.5,-3],"text":"12.50","none":null,"on":true}'
  expect(readExactJson(text)).toEqual(JSON.parse(text))
  expect([1, 0.5, 2n, readExactJson('1.50'), '1', null, true, {}].map(readDigits)).toEqual([
    ...['1', '0.5', '2', '1.50'],
    ...[undefined, undefined, undefined, undefined],
  ])
})
