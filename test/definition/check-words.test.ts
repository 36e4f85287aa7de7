import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Operation } from '../../packages/ferrule/src/definition/entity.ts'
import {
  byDefault,
  date,
  find,
  fromConnector,
  int,
  oneOf,
  oneOrMany,
  opt,
  secret,
  str,
} from '../../packages/ferrule/src/definition/fields.ts'
import { acme, exchange, finding, grant, kind, scheme, things, unpaged, untyped, withEntity, withList, withScheme } from './acme.ts'

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

describe('a definition whose words do not fit', () => {
  test.each(wrong)('%s', (says, given) => {
    expect(findProblems(given)).toContain(says)
  })
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
