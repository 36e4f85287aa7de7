/** Cursors keep their content and are valid for their own query only. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { id, str } from '../../packages/ferrule/src/definition/fields.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { createCursor, parseCursor } from '../../packages/server/src/copies/search-cursors.ts'

const tableOf = (kind: string, entity: string) =>
  buildSearchTable(kind, entity, {
    about: 'Calls',
    key: ['id'],
    context_store_search: { id: id('Id'), title: str('Title'), note: str('Note') },
  })
const params = { query: { filter: { eq: { title: 'a', id: 7644143197428744199n } }, sort: [{ title: 'asc' }] }, fields: ['id', 'title'] }
const scopeOf = (change: { kind?: string; entity?: string; params?: unknown; connector?: string; key?: string; now?: number } = {}) => ({
  key: Buffer.from(change.key ?? 'key'),
  connector: change.connector ?? 'connector',
  query: parseSearch(tableOf(change.kind ?? 'kind', change.entity ?? 'calls'), change.params ?? params),
  now: change.now ?? 1_000_000,
})
const position = { pk: 'p0242', keys: ['a', null] }

describe('a cursor', () => {
  test('keeps every digit, every character and null', () => {
    const scope = scopeOf()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.option(fc.string({ unit: 'binary' }))), (pk, keys) => {
        expect(parseCursor(createCursor({ pk, keys }, scope), scope)).toEqual({ pk, keys })
      }),
    )
    const exact = { pk: 'p197644143197428744199', keys: ['9223372036854775807', '0.10', null] }
    expect(parseCursor(createCursor(exact, scope), scope)).toEqual(exact)
  })

  test('is good for another limit and another order of keys', () => {
    const cursor = createCursor(position, scopeOf())
    const again = {
      fields: params.fields,
      limit: 5,
      query: { sort: params.query.sort, filter: { eq: { id: 7644143197428744199n, title: 'a' } } },
    }
    expect(parseCursor(cursor, scopeOf({ params: again }))).toEqual(position)
  })

  test.each<[string, Parameters<typeof scopeOf>[0], string]>([
    [
      'another filter',
      { params: { ...params, query: { ...params.query, filter: { eq: { title: 'a', id: 7644143197428744200n } } } } },
      'another query',
    ],
    ['no filter', { params: { ...params, query: { sort: params.query.sort } } }, 'another query'],
    ['another sort', { params: { ...params, query: { ...params.query, sort: [{ title: 'desc' }] } } }, 'another query'],
    ['other fields', { params: { ...params, fields: ['id'] } }, 'another query'],
    ['another entity', { entity: 'users' }, 'another query'],
    ['another kind', { kind: 'other' }, 'another query'],
    ['another connector', { connector: 'other' }, 'another query'],
    ['another key', { key: 'other' }, 'not made here'],
    ['a day later', { now: 1_000_000 + 86_400_000 + 1000 }, 'older than 24 hours'],
  ])('is refused for %s', (_what, change, reason) => {
    const cursor = createCursor(position, scopeOf())
    expect(() => parseCursor(cursor, scopeOf(change))).toThrow(
      expect.objectContaining({ code: 'invalid_cursor', message: expect.stringContaining(reason) }),
    )
  })

  test('that was changed anywhere, or is none, was not made here', () => {
    const scope = scopeOf()
    const cursor = createCursor(position, scope)
    const changed = Array.from(
      { length: cursor.length - 1 },
      (_, index) => cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1),
    )
    for (const wrong of [...changed, '', 'abc', cursor.slice(4), `${cursor}AAAA`, '💥', 'null']) {
      expect(() => parseCursor(wrong, scope)).toThrow(
        expect.objectContaining({ code: 'invalid_cursor', message: expect.stringContaining('not made here') }),
      )
    }
  })
})
