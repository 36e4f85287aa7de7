import { describe, expect, test } from 'vitest'
import {
  byDefault,
  date,
  decimal,
  type Field,
  fromConnector,
  jsonArray,
  oneOf,
  oneOrMany,
  opt,
  orNull,
  stamp,
  str,
} from '../../packages/ferrule/src/definition/fields.ts'
import { buildObjectSchema, formatDocumentedType, toPlainSchema } from '../../packages/ferrule/src/definition/plain-schema.ts'
import { compileSchema } from '../../packages/ferrule/src/engine/json/validate.ts'

/** Lists the messages about a value of a field. */
const said = (field: Field, value: unknown): string[] =>
  compileSchema(buildObjectSchema({ field }))
    .problems({ field: value })
    .map(({ field: at, message }) => `${at} ${message}`)

describe('a JSON array of strings in a string', () => {
  const noArray = '/field must be a list of strings, or a string that holds a JSON array of strings, such as ["a","b"]'

  test.each(['["a"]', ' [ "7412085530917364481" , "a" ] ', '["a","a"]', '["\\u00e9]["]', '["日本"]'])('%j is one', (text) => {
    expect(said(jsonArray('Names'), text)).toEqual([])
  })

  test.each(['', 'a', '7412085530917364481', '[]', '[1]', '["a",null]', '[["a"]]', '{"0":"a"}', '"a"', 'null', "['a']", '["a"', '["a",]'])(
    '%j is none',
    (text) => {
      expect(said(jsonArray('Names'), text)).toEqual([noArray])
    },
  )

  test('is one text however deep it is', () => {
    expect(said(jsonArray('Names'), '['.repeat(100_000))).toEqual([noArray])
  })

  test('what is no text is told to be none', () => {
    expect(said(jsonArray('Names'), ['a'])).toEqual(['/field must be a string'])
  })
})

describe('one value or several', () => {
  const ids = oneOrMany(str('Id', { pattern: '^\\d+$', says: 'must be digits' }), 'Ids', { maxItems: 3 })

  test.each([['7'], [['7']], [['7', '8', '9']]])('%j', (value) => {
    expect(said(ids, value)).toEqual([])
  })

  test.each([['a'], [7], [[]], [['7', '7']], [['7', 'a']], [['1', '2', '3', '4']], [null], [{}]])(
    '%j is neither: one sentence says so',
    (value) => {
      expect(said(ids, value)).toEqual(['/field must be digits; one, or a list of 1 to 3 different ones'])
    },
  )

  test('problems of other fields are told beside it, each once', () => {
    const { problems } = compileSchema(buildObjectSchema({ ids, name: str('Name') }))
    expect(
      problems({ ids: ['a', 'b'], name: 7, more: 1 })
        .map(({ field }) => field)
        .sort(),
    ).toEqual(['/ids', '/more', '/name'])
  })

  test('the documents know both forms', () => {
    expect(formatDocumentedType(ids)).toBe('string|array')
    expect(toPlainSchema(ids)).toEqual({
      description: 'Ids',
      anyOf: [
        { type: 'string', description: 'Id', pattern: '^\\d+$' },
        { type: 'array', items: { type: 'string', description: 'Id', pattern: '^\\d+$' }, minItems: 1, maxItems: 3, uniqueItems: true },
      ],
    })
  })
})

describe('texts that compare otherwise', () => {
  test.each([
    ['instant', stamp('When')],
    ['decimal', decimal('How much')],
  ])('%s: a text as the vendor wrote it, with a mark that documents do not show', (how, field) => {
    expect(said(field, 'as the vendor wrote it')).toEqual([])
    expect(said(field, 7)).toEqual(['/field must be a string'])
    expect(Reflect.get(orNull(field), 'x-compare')).toBe(how)
    expect(said(orNull(field), null)).toEqual([])
    expect(toPlainSchema(field)).toEqual({ type: 'string', description: expect.any(String) })
  })
})

describe('a value that stands in', () => {
  test('is told by the documents, and changes no check', () => {
    const since = byDefault('2016-09-01', date('First day'))
    expect(toPlainSchema(since)).toEqual({ type: 'string', format: 'date', description: 'First day', default: '2016-09-01' })
    expect(said(opt(since), undefined)).toEqual([])
    expect(said(since, '2016-13-01')).toEqual(['/field must be a date such as 2025-03-01'])
  })

  test('of a choice is one of it', () => {
    expect(toPlainSchema(byDefault('a', oneOf('Side', 'a', 'b')))).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      description: 'Side',
      default: 'a',
    })
  })
})

describe('a parameter that the connector supplies', () => {
  test('may be left out, and is checked as before when it is given', () => {
    const one = fromConnector('owner', str('Owner', { minLength: 1 }))
    const all = fromConnector('owner', jsonArray('Owners'), 'json_array')
    const { problems } = compileSchema(buildObjectSchema({ one, all }))
    expect(problems({})).toEqual([])
    expect(problems({ one: '', all: '[]' }).map(({ field }) => field)).toEqual(['/one', '/all'])
    expect(problems({ one: '7', all: '["7"]' })).toEqual([])
  })

  test('tells from what and how; others tell nothing', () => {
    expect(fromConnector('owner', str('Owner'))['x-fill']).toEqual({ known: 'owner', as: 'one' })
    expect(fromConnector('owner', jsonArray('Owners'), 'json_array')['x-fill']).toEqual({ known: 'owner', as: 'json_array' })
    expect(str('Owner')['x-fill']).toBeUndefined()
    expect(toPlainSchema(fromConnector('owner', str('Owner')))).toEqual({ type: 'string', description: 'Owner' })
  })
})
