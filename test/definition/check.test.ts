import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkKinds, findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { normalised, obj, opt, refuse, str } from '../../packages/ferrule/src/definition/fields.ts'
import {
  acme,
  exchange,
  grant,
  idle,
  kind,
  list,
  open,
  recordless,
  scheme,
  things,
  unpaged,
  untyped,
  withEntity,
  withList,
  withScheme,
} from './acme.ts'

/** One row per rule. */
const wrong: readonly (readonly [says: string, kind: Kind])[] = [
  ['acme: the slug is not lower case with dashes, at most 32 characters', kind({ kind: 'Acme' })],
  ['acme: the id is not a UUID', kind({ id: 'acme' })],
  ['acme: has no sentence or no category', kind({ category: '' })],
  ['acme: origin api is not an https origin without a path', kind({ origins: { api: 'http://api.acme.example/v1' } })],
  ['acme: origin api is not an https origin without a path', kind({ origins: { api: 'https://{show}/v1' } })],
  ['acme: origin api has the slot store, which is not a configuration field', kind({ origins: { api: 'https://{store}.acme.example' } })],
  [
    'acme: origin api has the slot show, whose field has no anchored pattern',
    kind({ origins: { api: 'https://{show}.acme.example' }, configuration: { show: str('Show', { pattern: '[a-z]+' }) } }),
  ],
  ['acme: prefix has the slot version, which is not a configuration field', kind({ prefix: '/v{version}' })],
  ['acme: prefix /v1/ is not a path that begins with a slash and does not end with one', kind({ prefix: '/v1/' })],
  [
    'acme: configuration show is normalised by ([a-z]+), which is not an anchored pattern with a group',
    kind({ configuration: { show: normalised(['([a-z]+)'], str('Show')) } }),
  ],
  [
    'acme: version is asked for by api, which is not a configuration field',
    kind({ version: { configuration: 'api', header: 'v', deprecation: 'd', supportedUntil: '2027-01-01' } }),
  ],
  ['acme: base.matches is not an anchored pattern', kind({ base: { fields: ['user'], matches: 'acme' } })],
  ['acme: base field host is neither a credential nor a configuration field', kind({ base: { fields: ['host'], matches: '^a$' } })],
  ['acme: has no credentials', kind({ credentials: {}, limits: { key: ['show'], rates: [] } })],
  [
    'acme: credentials key use secret, which is not one of their fields',
    withScheme({ send: { headers: { authorization: 'Bearer {secret}' } } }),
  ],
  [
    'acme: credentials key exchange a code, but there is no origin oauth',
    withScheme({ exchange: { ...exchange, code: { ...grant, code: 'code' } } }),
  ],
  ['acme: credentials other cannot be told from another scheme', kind({ credentials: { key: scheme, other: scheme } })],
  [
    'acme: page cursor continues from position, which it does not read',
    kind({ pages: { cursor: { shape: 'cursor', read: {}, next: { meta: 'position', param: 'cursor' } } } }),
  ],
  ['acme: error 0 is gone, which is not an error code', kind({ errors: [{ is: untyped('gone') }] })],
  ['acme: error 0 has an invalid pattern', kind({ errors: [{ matches: '(', is: 'record_not_found' }] })],
  ['acme: error 0 says status and statuses', kind({ errors: [{ status: 400, statuses: [400, 499], is: 'record_not_found' }] })],
  ['acme: error 0 has an empty range', kind({ errors: [{ statuses: [499, 400], is: 'record_not_found' }] })],
  ['acme: error 0 is for remove, which is not an action', kind({ errors: [{ actions: ['remove'], is: 'record_not_found' }] })],
  ['acme: a rate of 0.5 calls in 1 seconds is not one', kind({ limits: { key: ['user'], rates: [{ calls: 0.5, seconds: 1 }] } })],
  [
    'acme: limits are shared by company, which is neither a credential nor a configuration field',
    kind({ limits: { key: ['company'], rates: [] } }),
  ],
  [
    'acme: limits expect a call to cost 50 of 40 points',
    kind({ limits: { key: ['user'], bucket: { size: 40, perSecond: 2, points: { cost: 'h', expected: 50, form: 'seconds' } } } }),
  ],
  [
    'acme: a bucket of 0 calls that leaks 2 in a second is not one',
    kind({ limits: { key: ['user'], bucket: { header: 'h', size: 0, perSecond: 2 } } }),
  ],
  [
    'acme: lookup thing uses stuff list, which does not exist',
    kind({ lookups: { thing: { entity: 'stuff', action: 'list', ids: 'filter.from', batch: 1, key: 'id' } } }),
  ],
  [
    'acme: lookup thing sends ids as filter.ids, which is not a parameter',
    kind({ lookups: { thing: { entity: 'things', action: 'list', ids: 'filter.ids', batch: 1, key: 'id' } } }),
  ],
  [
    'acme: lookup thing has a batch of 0',
    kind({ lookups: { thing: { entity: 'things', action: 'list', ids: 'filter.from', batch: 0, key: 'id' } } }),
  ],
  [
    'acme: hidden rows depend on private, which is not a configuration field',
    kind({ hidden: { unless: { field: 'private', is: 'x' }, count: 'n', error: 'record_not_found', flag: 'f' } }),
  ],
  [
    'acme: hidden rows answer gone, which is not an error code',
    kind({ hidden: { unless: { field: 'show', is: 'x' }, count: 'n', error: untyped('gone'), flag: 'f' } }),
  ],
  ['acme: the check is things get, which does not exist', kind({ check: { entity: 'things', action: 'get', params: {} } })],
  ['acme.things: has no sentence', withEntity({ about: ' ' })],
  ['acme.prototype: is a name that JavaScript uses itself', kind({ entities: { things, prototype: things } })],
  ['acme.things: has no key, so it can have no copy', withEntity({ key: [], sync: {} })],
  ['acme.things: key uid is not a field of the record', withEntity({ key: ['uid'] })],
  ['acme.things: from title is not a field of the record', withEntity({ from: { title: { rename: 'name' } } })],
  ['acme.things: from name says rename and copy', withEntity({ from: { name: { rename: 'a', copy: 'b' } } })],
  ['acme.things: from name says nothing', withEntity({ from: { name: {} } })],
  ['acme.things: searchable name has no sentence', withEntity({ context_store_search: { name: str('') } })],
  ['acme.things: filled title is not a field of the record', withEntity({ filled: { record: ['title'] } })],
  ['acme.things: filled get is not an action of the entity', withEntity({ filled: { params: ['get'] } })],
  [
    'acme.things: has no action',
    kind({ entities: { things: idle, others: things }, lookups: {}, check: { entity: 'others', action: 'list', params: {} } }),
  ],
  ['acme.things.list: path slot owner is not a parameter', withList({ call: 'GET /things/{owner}' })],
  ['acme.things.list: call GET /things?all=1 is not a method and a path', withList({ call: 'GET /things?all=1' })],
  ['acme.things.list: parameter group has no sentence', withList({ params: { ...list.params, group: str('') } })],
  [
    'acme.things.list: parameter filter. from has no sentence',
    withList({ params: { ...list.params, filter: obj({ from: str('') }, 'Filter') } }),
  ],
  [
    'acme.things.list: refuses with wrong_group, which is not an error code',
    withList({ params: { ...list.params, group: refuse('wrong_group', str('Group')) } }),
  ],
  ['acme.things.list: page number is not a page of the kind', withList({ page: untyped('number') })],
  [
    'acme.things.list: page cursor continues with cursor, which is not a parameter',
    withList({ params: { group: str('Group'), filter: opt(obj({ from: str('From') }, 'Filter')) } }),
  ],
  [
    'acme.things.list: page cursor continues with url, which is not a parameter',
    kind({
      pages: {
        cursor: { ...acme.pages.cursor, shape: 'cursor', read: { cursor: 'next' }, next: { meta: 'cursor', param: 'cursor' }, url: 'url' },
      },
    }),
  ],
  ['acme.things.list: unsent owner is not a parameter', withList({ unsent: ['owner'] })],
  ['acme.things.list: unsent group is in the path', withList({ unsent: ['group'] })],
  ['acme.things.list: default owner is not a parameter', withList({ defaults: { owner: 'a' } })],
  ['acme.things.list: default group is for a parameter that is required', withList({ defaults: { group: 'a' } })],
  ['acme.things.list: 404 is not a status that means "not ready yet"', withList({ running: { status: 404 } })],
  ['acme.things.list: 200 is not a status that means "not ready yet"', withList({ running: { status: 200 } })],
  ['acme.things.get: only a list has pages', withEntity({ get: list })],
  ['acme.things.list: send filter.to is not a parameter', withList({ send: { 'filter.to': { to: 'until' } } })],
  ['acme.things.list: local filter.to is not a parameter', withList({ local: { 'filter.to': { field: 'name', keep: 'equals' } } })],
  [
    'acme.things.list: local filters by title, which is not a field of the record',
    withList({ local: { 'filter.from': { field: 'title', keep: 'equals' } } }),
  ],
  ['acme.things.list: constant group is a parameter too', withList({ constant: { group: 'a' } })],
  ['acme.things.list: rule:flat is not a rule of the kind', withList({ rows: 'rule:flat' })],
  [
    'acme.things.list: hides rows, but the kind does not say what hiding means',
    { definition: { ...open, entities: { things: { ...things, list: { ...list, hidden: 'secret' } } } }, rules: {} },
  ],
  ['acme.things.list: join uses stuff, which is not a lookup of the kind', withList({ join: { lookup: 'stuff', on: 'id' } })],
  [
    'acme.things.list: join takes title, which is not a field of the record',
    withList({ join: { lookup: 'thing', on: 'id', take: { title: 'name' } } }),
  ],
  ['acme.things.download: a download has a file, and nothing else has', withEntity({ download: unpaged })],
  ['acme.things.list: file range part is not a parameter', withList({ file: { at: 'url', range: 'part', renew: [], name: 'a' } })],
  [
    'acme.things.list: has no record',
    { definition: { ...acme, entities: { things: { ...recordless, key: ['param.group'] } } }, rules: {} },
  ],
  [`acme.${'t'.repeat(60)}.list: makes a tool name of more than 64 characters`, kind({ entities: { things, ['t'.repeat(60)]: things } })],
]

describe('a definition that is wrong', () => {
  test.each(wrong)('%s', (says, given) => {
    expect(findProblems(given).map((problem) => problem.replace(/^Acme:/, 'acme:'))).toContain(says)
  })

  test('says all its problems at once, and does not load', () => {
    const two = kind({ id: 'acme', category: '' })
    expect(findProblems(two)).toHaveLength(2)
    expect(() => checkKinds({ acme: two })).toThrow(/the id is not a UUID; acme: has no sentence or no category/)
  })

  test('does not load beside another one of its id, or under another name', () => {
    expect(() => checkKinds({ acme: kind({}), other: kind({ kind: 'other' }) })).toThrow(
      '00000000-0000-4000-8000-000000000001 is the id of two kinds',
    )
    expect(() => checkKinds({ shop: kind({}) })).toThrow('shop: its slug is acme')
  })
})

test('a definition that is right has no problems', () => {
  expect(findProblems(kind({}))).toEqual([])
  expect(checkKinds(kinds)).toBe(kinds)
})

test('a kind is frozen data: JSON all through, and nothing can change it', () => {
  for (const { definition } of Object.values(kinds)) {
    expect(JSON.parse(JSON.stringify(definition)).kind).toBe(definition.kind)
    expect(Object.isFrozen(definition.entities)).toBe(true)
    expect(() => Object.assign(definition, { kind: 'other' })).toThrow(TypeError)
  }
})
