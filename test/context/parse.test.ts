/** How searches are parsed, and how they are refused. */
import { describe, expect, test } from 'vitest'
import { bool, decimal, id, int, list, num, obj, open, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { catchRefusal } from '../support/refusal.ts'

const table = buildSearchTable('test', 'calls', {
  about: 'Calls',
  key: ['id'],
  context_store_search: {
    id: id('Id'),
    title: str('Title'),
    emailAddress: str('Address'),
    started: time('Start'),
    price: decimal('Price'),
    duration: int('Seconds'),
    score: num('Score'),
    isPrivate: bool('Private'),
    tags: list(str('Tag'), 'Tags'),
    parties: list(open('Party'), 'Parties'),
    days: list(time('Day'), 'Days'),
    questions: list(
      obj({ text: str('Text'), asked: time('Asked'), isRequired: bool('Required'), 'a.b': str('Dotted') }, 'Question'),
      'Questions',
    ),
    settings: obj({ language: str('Language') }, 'Settings'),
    content: open('Content'),
    'dotted.name': str('Dotted'),
  },
})

const filter = (value: unknown) => ({ query: { filter: value } })
const nested = (depth: number): unknown => (depth === 0 ? { eq: { title: 'a' } } : { not: nested(depth - 1) })
const many = (count: number) => Array.from({ length: count }, () => ({ eq: { title: 'a' } }))

function refusal(params: unknown): { code: string; field: string; message: string; sentence: string } {
  const { code, message, errors } = catchRefusal(() => parseSearch(table, params))
  const { field = '', message: sentence = '' } = errors[0] ?? {}
  return { code, field, message, sentence }
}

describe('a search that is not valid is refused with its code and field', () => {
  test.for<[string, unknown, string, string]>([
    ['no query', {}, 'missing_parameter', '/params/query'],
    ['query is null', { query: null }, 'missing_parameter', '/params/query'],
    ['query is a text', { query: 'a' }, 'invalid_parameter', '/params/query'],
    ['an unknown parameter', { query: {}, page: 1 }, 'invalid_parameter', '/params/page'],
    ['an unknown part of the query', { query: { where: {} } }, 'invalid_parameter', '/params/query/where'],
    ['an unknown field', filter({ eq: { nope: 1 } }), 'field_not_searchable', '/params/query/filter/eq/nope'],
    ['a field with odd characters', filter({ eq: { 'a/b~c': 1 } }), 'field_not_searchable', '/params/query/filter/eq/a~1b~0c'],
    [
      'an unknown member of a documented object',
      filter({ eq: { 'settings.nope': 'a' } }),
      'field_not_searchable',
      '/params/query/filter/eq/settings.nope',
    ],
    ['a path below a text', filter({ eq: { 'title.length': 1 } }), 'field_not_searchable', '/params/query/filter/eq/title.length'],
    ['elements of a text', filter({ eq: { 'title[]': 'a' } }), 'field_not_searchable', '/params/query/filter/eq/title[]'],
    [
      'an unknown member within any',
      filter({ any: { questions: { eq: { nope: 1 } } } }),
      'field_not_searchable',
      '/params/query/filter/any/questions/eq/nope',
    ],
    [
      'NUL in a path that the documents do not know',
      filter({ eq: { 'content.a\0b': 1 } }),
      'invalid_parameter',
      '/params/query/filter/eq/content.a\0b',
    ],
    [
      'half of a surrogate pair in a path within any',
      filter({ any: { parties: { like: { 'a.\ud800': 'x' } } } }),
      'invalid_parameter',
      '/params/query/filter/any/parties/like/a.\ud800',
    ],
    ['NUL in a path of fields', { query: {}, fields: ['title', 'content.\0'] }, 'invalid_parameter', '/params/fields/1'],
    [
      'half of a surrogate pair in a list of names',
      { query: {}, fields: [['content', 'a\udc00']] },
      'invalid_parameter',
      '/params/fields/0',
    ],
    ['an unknown operator', filter({ and: [{ equals: { title: 'a' } }] }), 'operator_not_supported', '/params/query/filter/and/0/equals'],
    ['an order of truth values', filter({ gt: { isPrivate: true } }), 'operator_not_supported', '/params/query/filter/gt/isPrivate'],
    ['the text of a truth value', filter({ like: { isPrivate: 'true' } }), 'operator_not_supported', '/params/query/filter/like/isPrivate'],
    ['an order of objects', filter({ gt: { settings: 1 } }), 'operator_not_supported', '/params/query/filter/gt/settings'],
    ['an object among values', filter({ in: { content: [1] } }), 'operator_not_supported', '/params/query/filter/in/content'],
    ['contains on a text', filter({ contains: { title: 'a' } }), 'operator_not_supported', '/params/query/filter/contains/title'],
    ['any on an object', filter({ any: { settings: {} } }), 'operator_not_supported', '/params/query/filter/any/settings'],
    ['a filter that is no object', filter([]), 'invalid_parameter', '/params/query/filter'],
    ['an operator without fields', filter({ eq: 'a' }), 'invalid_parameter', '/params/query/filter/eq'],
    ['and without an array', filter({ and: { eq: { title: 'a' } } }), 'invalid_parameter', '/params/query/filter/and'],
    ['a condition that is none', filter({ not: [1] }), 'invalid_parameter', '/params/query/filter/not'],
    ['a text for a number', filter({ eq: { duration: 'long' } }), 'invalid_parameter', '/params/query/filter/eq/duration'],
    ['a text that is no date', filter({ gte: { started: 'yesterday' } }), 'invalid_parameter', '/params/query/filter/gte/started'],
    ['Unix seconds', filter({ gte: { started: 1_740_787_200 } }), 'invalid_parameter', '/params/query/filter/gte/started'],
    [
      'Unix seconds as a text',
      filter({ in: { started: ['2025', '1740787200'] } }),
      'invalid_parameter',
      '/params/query/filter/in/started/1',
    ],
    ['a day that is none', filter({ eq: { started: '2025-02-30' } }), 'invalid_parameter', '/params/query/filter/eq/started'],
    ['a truth value for a time', filter({ neq: { started: true } }), 'invalid_parameter', '/params/query/filter/neq/started'],
    [
      'no date within any',
      filter({ any: { questions: { lt: { asked: 'now' } } } }),
      'invalid_parameter',
      '/params/query/filter/any/questions/lt/asked',
    ],
    ['no date as an element', filter({ contains: { days: 'now' } }), 'invalid_parameter', '/params/query/filter/contains/days'],
    ['a number beyond doubles', filter({ eq: { score: Number.POSITIVE_INFINITY } }), 'invalid_parameter', '/params/query/filter/eq/score'],
    ['a truth value for a text', filter({ eq: { title: true } }), 'invalid_parameter', '/params/query/filter/eq/title'],
    ['an array for a text', filter({ eq: { title: ['a'] } }), 'invalid_parameter', '/params/query/filter/eq/title'],
    ['another word for a truth value', filter({ eq: { isPrivate: 'yes' } }), 'invalid_parameter', '/params/query/filter/eq/isPrivate'],
    [
      'a name of every object for a truth value',
      filter({ eq: { isPrivate: 'constructor' } }),
      'invalid_parameter',
      '/params/query/filter/eq/isPrivate',
    ],
    ['an order against null', filter({ gt: { title: null } }), 'invalid_parameter', '/params/query/filter/gt/title'],
    ['in without an array', filter({ in: { title: 'a' } }), 'invalid_parameter', '/params/query/filter/in/title'],
    ['a wrong value of in', filter({ in: { duration: [1, 'x'] } }), 'invalid_parameter', '/params/query/filter/in/duration/1'],
    ['a pattern that is no text', filter({ like: { title: 5 } }), 'invalid_parameter', '/params/query/filter/like/title'],
    ['no words', filter({ fuzzy: { title: ' -- ' } }), 'invalid_parameter', '/params/query/filter/fuzzy/title'],
    ['17 levels', filter(nested(16)), 'query_too_complex', `/params/query/filter${'/not'.repeat(16)}`],
    ['257 conditions', filter({ or: many(257) }), 'query_too_complex', '/params/query/filter/or/256/eq/title'],
    ['257 empty operators', filter({ or: Array(257).fill({ eq: {} }) }), 'query_too_complex', '/params/query/filter/or/256/eq'],
    ['257 empty conditions', filter({ or: Array.from({ length: 257 }, () => ({})) }), 'query_too_complex', '/params/query/filter/or/256'],
    [
      '1,001 values',
      filter({ in: { duration: Array.from({ length: 1001 }, (_, index) => index) } }),
      'query_too_complex',
      '/params/query/filter/in/duration',
    ],
    ['a long word', filter({ keyword: { title: 'x'.repeat(251) } }), 'query_too_complex', '/params/query/filter/keyword/title'],
    [
      'many words',
      filter({ keyword: { title: Array.from({ length: 65 }, (_, index) => `w${index}`).join(' ') } }),
      'query_too_complex',
      '/params/query/filter/keyword/title',
    ],
    ['a long pattern', filter({ like: { title: 'x'.repeat(10_001) } }), 'query_too_complex', '/params/query/filter/like/title'],
    [
      'a deep value',
      filter({ eq: { content: JSON.parse('{"a":'.repeat(17) + 1 + '}'.repeat(17)) } }),
      'query_too_complex',
      '/params/query/filter/eq/content',
    ],
    [
      'a long path',
      filter({ eq: { [`content${'.a'.repeat(40)}`]: 1 } }),
      'query_too_complex',
      `/params/query/filter/eq/content${'.a'.repeat(40)}`,
    ],
    ['a sort that is no array', { query: { sort: { title: 'asc' } } }, 'invalid_parameter', '/params/query/sort'],
    ['a sort without a field', { query: { sort: [{}] } }, 'invalid_parameter', '/params/query/sort/0'],
    ['a sort of two fields', { query: { sort: [{ title: 'asc', duration: 'asc' }] } }, 'invalid_parameter', '/params/query/sort/0'],
    ['an unknown direction', { query: { sort: [{ title: 'up' }] } }, 'invalid_parameter', '/params/query/sort/0/title'],
    ['a sort by an array', { query: { sort: [{ title: 'asc' }, { tags: 'asc' }] } }, 'operator_not_supported', '/params/query/sort/1/tags'],
    [
      'a sort by a path',
      { query: { sort: [{ 'settings.language': 'asc' }] } },
      'operator_not_supported',
      '/params/query/sort/0/settings.language',
    ],
    ['a sort by an unknown field', { query: { sort: [{ nope: 'asc' }] } }, 'field_not_searchable', '/params/query/sort/0/nope'],
    ['limit 0', { query: {}, limit: 0 }, 'invalid_parameter', '/params/limit'],
    ['limit 10,001', { query: {}, limit: 10_001 }, 'invalid_parameter', '/params/limit'],
    ['a limit as a text that is no integer', { query: {}, limit: '5.0' }, 'invalid_parameter', '/params/limit'],
    ['a cursor that is no text', { query: {}, cursor: 5 }, 'invalid_parameter', '/params/cursor'],
    ['fields that are no array', { query: {}, fields: 'title' }, 'invalid_parameter', '/params/fields'],
    ['an empty path in fields', { query: {}, fields: [[]] }, 'invalid_parameter', '/params/fields/0'],
    ['an unknown path in fields', { query: {}, fields: ['title', 'settings.nope'] }, 'field_not_searchable', '/params/fields/1'],
  ])('%s', ([_what, params, code, field]) => {
    const { sentence, ...refused } = refusal(params)
    expect(refused).toMatchObject({ code, field })
    expect(sentence.slice(field.length)).toMatch(/^ (must|cannot|is|has|nests|holds|takes|asks|brings|leads) .*\.$/)
  })

  test('and the message helps', () => {
    expect(refusal(filter({ eq: { nope: 1 } })).message).toContain('Searchable: id, title, emailAddress')
    expect(refusal(filter({ equals: {} })).message).toContain('eq, neq, gt')
  })

  test('what is just within the limits is taken', () => {
    expect(() => parseSearch(table, filter(nested(15)))).not.toThrow()
    expect(() => parseSearch(table, filter({ or: many(256) }))).not.toThrow()
    expect(() => parseSearch(table, { query: {}, limit: 10_000 })).not.toThrow()
    expect(() => parseSearch(table, filter({ keyword: { title: 'x'.repeat(250) } }))).not.toThrow()
  })
})

describe('a search is understood', () => {
  const pathOf = (params: unknown) => {
    const { filter: condition } = parseSearch(table, params)
    return condition !== undefined && 'path' in condition ? condition.path : undefined
  }

  test.each<[string, string, readonly (string | null)[]]>([
    ['emailAddress', 'emailAddress', []],
    ['email_address', 'emailAddress', []],
    ['EMAILADDRESS', 'emailAddress', []],
    ['dotted.name', 'dotted.name', []],
    ['questions.text', 'questions', ['text']],
    ['questions[].is_required', 'questions', [null, 'isRequired']],
    ['questions.a.b', 'questions', ['a.b']],
    ['content.anything.at[].all', 'content', ['anything', 'at', null, 'all']],
    ['tags[]', 'tags', [null]],
  ])('the field %s', (field, column, steps) => {
    const path = pathOf(filter({ eq: { [field]: null } }))
    expect([path?.column?.name, path?.steps]).toEqual([column, steps])
  })

  test('defaults and nulls', () => {
    const query = parseSearch(table, { query: { filter: null, sort: null }, limit: null, cursor: null, fields: null })
    expect(query).toMatchObject({ filter: undefined, sort: [], limit: 1000, cursor: undefined, selection: undefined })
    expect(parseSearch(table, { query: {}, fields: [] }).selection).toBeUndefined()
  })

  test('fields keep their order, and all of a field wins over a part of it', () => {
    const { selection } = parseSearch(table, {
      query: {},
      fields: ['content.a', ['content', 'b.c'], 'title', 'parties[].name', 'parties', 'id', 'id'],
    })
    expect([...(selection ?? [])].map(([column, selected]) => [column.name, selected])).toEqual([
      ['content', { a: true, 'b.c': true }],
      ['title', true],
      ['parties', true],
      ['id', true],
    ])
  })
})

test('the refusal of a value that is no date shows what is one, and that Unix seconds are none', () => {
  for (const value of ['soon', 1_740_787_200]) {
    const parse = () => parseSearch(table, filter({ gt: { started: value } }))
    expect(parse).toThrow(expect.objectContaining({ status: 422, hint: expect.stringMatching(/"2025-03-01".*Unix seconds are not taken/) }))
  }
})
