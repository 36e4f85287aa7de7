import { expect, test } from 'vitest'
import { printProblemsAt, printProblemsWithin } from './problems.ts'
import {
  completeValue,
  findKind,
  hasSecrets,
  parseInteger,
  parseLocal,
  parseNumber,
  printLocal,
  readProperties,
  type Schema,
} from './schema.ts'

const kinds: readonly (readonly [kind: string, schema: Schema])[] = [
  ['fixed', { type: 'boolean', const: true }],
  ['choice', { type: 'string', enum: ['a'] }],
  ['boolean', { type: ['boolean', 'null'] }],
  ['secret', { type: 'string', writeOnly: true }],
  ['secretLines', { type: 'string', writeOnly: true, description: 'Private RSA key of the user, PEM (PKCS #8)' }],
  ['date', { type: 'string', format: 'date' }],
  ['dateTime', { type: 'string', format: 'date-time' }],
  ['integer', { type: 'integer', format: 'int64' }],
  ['number', { type: 'number' }],
  ['lines', { type: 'string', examples: ['SELECT * FROM ORDERS LIMIT 100'] }],
  ['text', { type: 'string', examples: ['2025-03-01T00:00:00Z'] }],
  ['list', { type: 'array', items: { type: 'string' } }],
  ['list', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }],
  ['list', { type: 'string', format: 'json-array' }],
  ['objects', { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } }],
  ['object', { type: 'object', properties: { a: { type: 'string' } } }],
  ['json', { type: 'object' }],
  ['json', {}],
]
test.each(kinds)('a field of the kind %s', (kind, schema) => {
  expect(findKind(schema)).toBe(kind)
})

const download: Schema = {
  type: 'object',
  properties: {
    range: { type: 'string' },
    filter: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    selector: { type: 'object', properties: { media: { type: 'boolean', const: true } }, required: ['media'] },
  },
  required: ['filter', 'selector'],
}

test('required properties come first', () => {
  expect(readProperties(download).map(({ name }) => name)).toEqual(['filter', 'selector', 'range'])
})

test('what nobody has to choose is added, and what was given stays', () => {
  expect(completeValue(download, { filter: { id: '1' } })).toEqual({ filter: { id: '1' }, selector: { media: true } })
  expect(completeValue(download, {})).toEqual({ filter: {}, selector: { media: true } })
})

test('a secret is found within objects', () => {
  expect(
    hasSecrets({ type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string', writeOnly: true } } } } }),
  ).toBe(true)
  expect(hasSecrets(download)).toBe(false)
})

test('every digit of a number is kept, and what is no number stays for the service to refuse', () => {
  expect(['9007199254740993', '-5', ' 7 ', '', '7a'].map(parseInteger)).toEqual([9007199254740993n, -5, 7, undefined, '7a'])
  expect(['1.5', '.5', '1e3', '9007199254740993', 'x'].map(parseNumber)).toEqual([1.5, 0.5, 1000, 9007199254740993n, 'x'])
})

test('a timestamp passes through a field of local time', () => {
  expect(parseLocal(printLocal('2025-03-01T00:00:00Z'))).toBe('2025-03-01T00:00:00Z')
  expect(printLocal('nothing')).toBe('')
  expect(parseLocal('')).toBeUndefined()
})

test('problems are shown at their fields, without the pointers', () => {
  const problem = (field: string, message: string) => ({ field, message: `${field} ${message}`, error_code: 'value' })
  const problems = [problem('/params/filter/to~1Date', 'is required.'), problem('/params/ids/0', 'must be a string.')]
  expect(printProblemsAt(problems, '/params/filter/to~1Date')).toBe('is required.')
  expect(printProblemsWithin(problems, '/params/ids')).toBe('must be a string.')
  expect(printProblemsAt(problems, '/params')).toBeUndefined()
})
