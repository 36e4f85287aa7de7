import { expect, test } from 'vitest'
import { listMissing } from './required.ts'

const text = { type: 'string' }

test('a form lists its required fields that are empty', () => {
  const inner = { type: 'object', required: ['a'], properties: { a: text } }
  const schema = {
    type: 'object',
    required: ['key', 'given', 'blank', 'fixed', 'inner'],
    properties: { key: text, given: text, blank: text, fixed: { const: 1 }, inner, other: text, more: inner },
  }
  expect(listMissing(schema, { given: 'x', blank: '', more: {} }, '/params').map(({ field }) => field)).toEqual(
    expect.arrayContaining(['/params/key', '/params/blank', '/params/inner/a', '/params/more/a']),
  )
  expect(listMissing(schema, { key: '1', given: 'x', blank: 'y', inner: { a: 'z' } }, '/params')).toEqual([])
})
