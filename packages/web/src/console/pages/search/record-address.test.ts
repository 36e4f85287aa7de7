import { parseFilter } from 'ferrule/core'
import { expect, test } from 'vitest'
import { buildKeyFilter } from './record-address.ts'

const searchable = {
  type: 'object',
  properties: { id: { type: 'integer' }, code: { type: ['string', 'null'] }, metaData: { type: 'object' } },
}
const find = (path: string, key: string) => buildKeyFilter({ key: [path], searchable }, key)

test('the key of a record becomes a filter of the type that its field has', () => {
  expect(find('id', '9007199254740993')).toBe('id = 9007199254740993')
  expect(find('code', '12')).toBe('code = "12"')
  expect(find('code', 'a "b"')).toBe('code = "a \\"b\\""')
  // Nothing is declared below an object: a number can be there, and its text.
  expect(parseFilter(find('metaData.id', '12') ?? '')).toEqual({ in: { 'metaData.id': ['12', 12] } })
  expect(find('metaData.id', 'c-1')).toBe('metaData.id = "c-1"')
})

test('a key of several parts, and one that no field has, make no filter', () => {
  expect(buildKeyFilter({ key: ['id', 'code'], searchable }, '1\u0001a')).toBeUndefined()
  expect(find('other', '1')).toBeUndefined()
  expect(buildKeyFilter({ key: ['id'], searchable: null }, '1')).toBeUndefined()
})
