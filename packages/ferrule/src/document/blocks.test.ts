import { expect, test } from 'vitest'
import { fieldRows } from './blocks.ts'

/** Returns the rows of one field, as path and type. */
const rowsOf = (schema: object) => fieldRows({ type: 'object', properties: { a: schema } }).map(({ path, type }) => `${path}: ${type}`)

test('alternatives of a schema are all named, each once, with null at the end', () => {
  const id = { anyOf: [{ type: 'null' }, { type: 'integer' }, { type: 'string', format: 'uuid' }, { type: 'integer' }] }
  expect(rowsOf(id)).toEqual(['a: integer or string (uuid), or null'])
  expect(rowsOf({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })).toEqual(['a: string or array of string'])
  expect(rowsOf({ type: ['string', 'number', 'null'] })).toEqual(['a: string or number, or null'])
  expect(rowsOf({})).toEqual(['a: any'])
})

test('fields within an alternative are listed below it', () => {
  const inner = { type: 'object', properties: { b: { type: 'boolean' } } }
  expect(rowsOf({ anyOf: [{ type: 'string' }, { type: 'array', items: inner }] })).toEqual([
    'a: string or array of object',
    'a[].b: boolean',
  ])
})
