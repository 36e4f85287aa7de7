import { expect, test } from 'vitest'
import { parseParams, printParams } from '../../data/params.ts'
import { printValue, quoteShell } from './snippets.ts'

test('a shell gets every text as one word', () => {
  expect(['plain', "it's", '$(rm -rf /)', 'a\nb', ''].map(quoteShell)).toEqual(['plain', `'it'\\''s'`, "'$(rm -rf /)'", "'a\nb'", "''"])
})

test('TypeScript gets every digit, and names that are no identifiers as texts', () => {
  const value = { id: 9007199254740993n, 'workspace-id': 'it\'s "this"\n', list: [1, null, true], empty: {} }
  expect(printValue(value)).toBe(
    `{\n  id: 9007199254740993n,\n  'workspace-id': 'it\\'s "this"\\n',\n  list: [1, null, true],\n  empty: {},\n}`,
  )
})

test('parameters pass through the address with every digit; what is too long or no object is left out', () => {
  expect(parseParams(printParams({ id: 9007199254740993n }))).toEqual({ id: 9007199254740993n })
  expect(printParams({})).toBeUndefined()
  expect(printParams({ statement: 'x'.repeat(5_000) })).toBeUndefined()
  expect(['[1]', '{', undefined].map(parseParams)).toEqual([{}, {}, {}])
})
