import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkKinds, findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Operation } from '../../packages/ferrule/src/definition/entity.ts'
import {
  byDefault,
  date,
  find,
  fromConnector,
  int,
  normalised,
  obj,
  oneOf,
  oneOrMany,
  opt,
  refuse,
  secret,
  str,
} from '../../packages/ferrule/src/definition/fields.ts'
import {
  acme,
  exchange,
  finding,
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

const host = { api: 'https://api.acme.example', test: 'https://test.acme.example' }
const region = opt(find(finding, byDefault('api', oneOf('Host', 'api', 'test'))))
const numbered: ConnectorDefinition['pages'] = {
  page_info: {
    shape: 'page_info',
    read: { page_info: 'page' },
    next: { meta: 'page_info', param: 'page', count: { page: 'at', last: 'of', size: 'n' } },
  },
}
/** A list of numbered pages that the vendor answers at once, filled from what the connector knows. */
const sliced: Operation = {
  call: 'GET /things',
  at: 'things',
  page: 'page_info',
  slice: { page: 'page', size: 'size' },
  params: { group: fromConnector('group', str('Group')), page: opt(int('Page')), size: opt(int('Size')) },
}
/** A kind that knows groups and numbers its pages. */
const counting: Partial<ConnectorDefinition> = {
  pages: numbered,
  lookups: {},
  configuration: { ...acme.configuration, group: opt(find(finding, oneOrMany(str('Group'), 'Groups', { maxItems: 3 }))) },
  known: { group: { configuration: 'group', credential: 'user' } },
  check: { entity: 'things', action: 'list', params: {} },
}
const withSliced = (more: Partial<Operation>, from = {}): Kind =>
  kind({ ...counting, entities: { things: { ...things, from, list: { ...sliced, ...more } } } })
const { slice: _slice, ...unsliced } = sliced
const problem = { message: ['message'], code: 'code', success: ['0'], partial: ['20001'] }
const next = { meta: 'page_info', param: 'page' }

/** Sentence of a path with a step that JavaScript uses itself. */
const refuses = (path: string, at: string, step: string) =>
  `has the path ${path} at ${at}, and ${step} is a name that JavaScript uses itself: take the object around it, or leave it out`

/** One row per rule. */
const wrong: readonly (readonly [says: string, kind: Kind])[] = [
  ['acme: the slug is not lower case with dashes, at most 32 characters', kind({ kind: 'Acme' })],
  ['acme: the id is not a UUID in lower case', kind({ id: 'acme' })],
  ['acme: the id is not a UUID in lower case', kind({ id: 'ABCDEF00-0000-4000-8000-000000000001' })],
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
  [
    'acme: origin api is chosen by region, which is not a configuration field with the values api, test',
    kind({ origins: { api: { by: 'region', origins: host } } }),
  ],
  [
    'acme: origin api is chosen by region, which is not a configuration field with the values api',
    kind({ origins: { api: { by: 'region', origins: { api: host.api } } }, configuration: { ...acme.configuration, region } }),
  ],
  [
    'acme: origin api is chosen by region, which has no default',
    kind({
      origins: { api: { by: 'region', origins: host } },
      configuration: { ...acme.configuration, region: opt(oneOf('Host', 'api', 'test')) },
    }),
  ],
  [
    'acme: origin test is not an https origin without a path',
    kind({
      origins: { api: { by: 'region', origins: { ...host, test: 'http://test.acme.example' } } },
      configuration: { ...acme.configuration, region },
    }),
  ],
  [
    'acme: configuration since has a default that it does not take itself',
    kind({ configuration: { ...acme.configuration, since: opt(byDefault('2016-02-30', date('First day'))) } }),
  ],
  [
    'acme: configuration region has a default that it does not take itself',
    kind({ configuration: { ...acme.configuration, region: opt(byDefault('prod', oneOf('Host', 'api', 'test'))) } }),
  ],
  [
    'acme: credentials key use code, which is not one of their fields',
    withScheme({ exchange: { ...exchange, code: { ...grant, code: 'code', field: 'code' } } }),
  ],
  [
    'acme: credentials key spend code, which is required',
    withScheme({
      fields: { ...scheme.fields, code: secret('Code') },
      exchange: { ...exchange, code: { ...grant, code: 'code', field: 'code' } },
    }),
  ],
  [
    'acme: page page_info counts by a number without a name',
    kind({
      pages: {
        page_info: { shape: 'page_info', read: { page_info: 'page' }, next: { ...next, count: { page: 'at', last: '', size: 'n' } } },
      },
    }),
  ],
  [
    'acme: page page_info says from and count',
    kind({
      pages: {
        page_info: {
          shape: 'page_info',
          read: { page_info: 'page' },
          next: { ...next, from: 'p', count: { page: 'at', last: 'of', size: 'n' } },
        },
      },
    }),
  ],
  ['acme: has codes of a success, but does not say where they are', kind({ problem: { message: [], success: ['0'] } })],
  ['acme: has codes of a success, but does not say where they are', kind({ problem: { message: [], partial: ['1'] } })],
  ['acme: has a list of the codes of a success that is empty', kind({ problem: { ...problem, success: [] } })],
  [
    'acme: has codes of a success that is not whole, and none of a whole one',
    kind({ problem: { message: [], code: 'code', partial: ['1'] } }),
  ],
  [
    'acme: error 0 has codes, but the kind does not say where they are',
    kind({ errors: [{ codes: ['40001'], is: 'upstream_permission_denied' }] }),
  ],
  ...['', 'a b', '1-', '-1', '5-1', 'a-b'].map(
    (code) =>
      [
        `acme: error 0 has ${code}, which is neither a code nor a range`,
        kind({ problem, errors: [{ codes: [code], is: 'upstream_error' }] }),
      ] as const,
  ),
  [
    'acme: error 0 says gone, but is not record_not_found of get',
    kind({ errors: [{ matches: 'none', is: 'record_not_found', gone: true }] }),
  ],
  [
    "acme: error 0 says gone, but knows no words or codes of the vendor's",
    kind({ errors: [{ status: 404, actions: ['get'], is: 'record_not_found', gone: true }] }),
  ],
  ['acme: error 0 has 0, which is a success', kind({ problem, errors: [{ codes: ['0'], is: 'upstream_error' }] })],
  ['acme: error 0 has 20000-29999, which is a success', kind({ problem, errors: [{ codes: ['20000-29999'], is: 'upstream_error' }] })],
  ['acme: error 0 has an invalid wait', kind({ errors: [{ is: 'upstream_rate_limited', wait: { first: 0, longest: 300 } }] })],
  ['acme: error 0 has an invalid wait', kind({ errors: [{ is: 'upstream_rate_limited', wait: { first: 9, longest: 3 } }] })],
  [
    'acme: other rates depend on region, which is not a configuration field',
    kind({ limits: { key: ['user'], rates: [], other: { configuration: 'region', is: 'test', rates: [] } } }),
  ],
  [
    'acme: other rates depend on region being tset, which it cannot be',
    kind({
      configuration: { ...acme.configuration, region },
      limits: { key: ['user'], rates: [], other: { configuration: 'region', is: 'tset', rates: [] } },
    }),
  ],
  [
    'acme: a rate of 0 calls in 1 seconds is not one',
    kind({ limits: { key: ['user'], rates: [], other: { configuration: 'show', is: 'all', rates: [{ calls: 0, seconds: 1 }] } } }),
  ],
  ['acme: known group is in group, which is not a configuration field', kind({ known: { group: { configuration: 'group' } } })],
  [
    'acme: known group is in groups, which is not a credential field',
    kind({ known: { group: { configuration: 'show', credential: 'groups' } } }),
  ],
  ['acme.things: from name says rename and param', withEntity({ from: { name: { rename: 'title', param: 'group' } } })],
  ['acme.things: from name takes owner, which is not a parameter of list', withEntity({ from: { name: { param: 'owner' } } })],
  [`acme.things: ${refuses('__proto__.x', 'list.send.group.to', '__proto__')}`, withList({ send: { group: { to: '__proto__.x' } } })],
  [`acme.things: ${refuses('a.constructor', 'list.constant', 'constructor')}`, withList({ constant: { 'a.constructor': 1 } })],
  [`acme.things: ${refuses('data[0].then', 'list.at', 'then')}`, withList({ at: 'data[0].then' })],
  [`acme.things: ${refuses('prototype', 'record', 'prototype')}`, withEntity({ record: { ...things.record, prototype: str('P') } })],
  [
    `acme.things: ${refuses('constructor.id', 'from.name.copy', 'constructor')}`,
    withEntity({ from: { name: { copy: 'constructor.id' } } }),
  ],
  [
    `acme: ${refuses('!then.more', 'pages.way.more', 'then')}`,
    kind({ pages: { ...acme.pages, way: { shape: 'next', position: 'last:id', send: 'a', more: '!then.more' } } }),
  ],
  ['acme.things.list: merges rows from nothing', withList({ rows: { merge: [], empty: '-' } })],
  ['acme.things.list: rule:range is not a rule of the kind', withList({ admit: 'rule:range' })],
  [
    'acme.things.get: makes or slices rows, which only a list has',
    withEntity({ get: { ...unpaged, slice: { page: 'page', size: 'size' } } }),
  ],
  ['acme.things.list: slice size is not a parameter', withSliced({ params: { page: opt(int('Page')) } })],
  ['acme.things.list: slices a list whose pages are not numbered by cursor', withList({ slice: { page: 'cursor', size: 'cursor' } })],
  ['acme.things.list: slices a list whose pages are not numbered by size', withSliced({ slice: { page: 'size', size: 'page' } })],
  ['acme.things.list: default page is for a parameter that is not sent', withSliced({ defaults: { page: 1 } })],
  [
    'acme.things.list: default page is for a parameter that is not sent',
    withSliced({ ...unsliced, slice: untyped(undefined), unsent: ['page'], defaults: { page: 1 } }),
  ],
  [
    'acme.things.list: group is filled from owner, which the kind does not know',
    withSliced({ params: { ...sliced.params, group: fromConnector('owner', str('Group')) } }),
  ],
  ['acme.things.list: group is filled from group, but neither sent nor part of a record', withSliced({ unsent: ['group'] })],
  [
    'acme.things.download: group is filled from group, but nothing fills the parameters of a download',
    kind({ ...counting, entities: { things: { ...things, download: { ...sliced } } } }),
  ],
]

describe('a definition that is wrong', () => {
  test.each(wrong)('%s', (says, given) => {
    expect(findProblems(given).map((problem) => problem.replace(/^Acme:/, 'acme:'))).toContain(says)
  })

  test('says all its problems at once, and does not load', () => {
    const two = kind({ id: 'acme', category: '' })
    expect(findProblems(two)).toHaveLength(2)
    expect(() => checkKinds({ acme: two })).toThrow(/the id is not a UUID in lower case; acme: has no sentence or no category/)
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

test('one whose words fit has no problems', () => {
  const told = withList({
    about: 'Lists them, then.',
    params: { ...things.list?.params, order: opt(oneOf('Order', 'then', 'a.constructor')) },
  })
  expect(findProblems(told)).toEqual([])
  const right = {
    ...counting,
    problem,
    origins: { api: { by: 'region', origins: host } },
    configuration: { ...counting.configuration, region, since: opt(find(finding, byDefault('2016-09-01', date('First day')))) },
    limits: { key: ['user'], rates: [], other: { configuration: 'region', is: 'test', rates: [{ calls: 1, seconds: 1 }] } },
    errors: [{ codes: ['40000-49999', 'E7'], is: 'upstream_rate_limited' as const, wait: { first: 1, longest: 300 } }],
  }
  expect(findProblems(kind({ ...right, entities: { things: { ...things, list: sliced } } }))).toEqual([])
  const echoed = { ...things, from: { name: { param: 'group' } }, list: { ...sliced, unsent: ['group'] } }
  expect(findProblems(kind({ ...right, entities: { things: echoed } }))).toEqual([])
})
