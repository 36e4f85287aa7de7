/** The end of a list: 40 answers with a sign of more that the definition does not read, and 40 without one. */
import { expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { gong } from '../../packages/ferrule/src/kinds/gong.ts'
import { kindHead } from '../support/kind-head.ts'
import { accessKey, callOf, pageOf, type Reply, serve } from './support.ts'

const file = `${kindHead('notes')}check: unpaged.list
pages:
  cursor: { next: meta.after, send: after }
  sized: { next: meta.after, send: after, size: size=20 }
  flagged: { next: 'last:id', send: after, more: more, total: total, size: size=20 }
  offset: { next: rows, send: from, total: count, size: size=2 }
  link: { next: link }
entities:
  unpaged: &notes { about: Notes, fields: { id: string Id }, list: { call: GET /notes, at: list } }
  deep: { <<: *notes, list: { call: GET /notes, at: data.result.nodes } }
  single: { <<: *notes, list: { call: GET /notes, at: list, pages: none, because: The vendor returns all notes at once. } }
  cursors: { <<: *notes, list: { call: GET /notes, at: list, pages: cursor } }
  sized: { <<: *notes, list: { call: GET /notes, at: list, pages: sized } }
  flagged: { <<: *notes, list: { call: GET /notes, at: list, pages: flagged } }
  offsets: { <<: *notes, list: { call: GET /notes, at: list, pages: offset } }
  links: { <<: *notes, list: { call: GET /notes, at: list, pages: link } }
  root: { <<: *notes, list: { call: GET /notes, pages: cursor } }
`

type Body = Readonly<Record<string, unknown>>
type Case = readonly [entity: string, body: Body | readonly unknown[], headers?: Readonly<Record<string, string>> | undefined]
const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `n${index}` }))
const two: Body = { list: rows(2) }
const unpaged = (body: Body, headers?: Readonly<Record<string, string>>): Case => ['unpaged', { ...two, ...body }, headers]

/** Answers with a sign of more. */
const more: readonly Case[] = [
  ...['has_more', 'hasMore', 'has_next_page', 'more_results', 'more', 'hasMoreItems'].map((name) => unpaged({ [name]: true })),
  ...['truncated', 'incomplete_results'].map((name) => unpaged({ [name]: true })),
  ...['isLast', 'is_last_page', 'last', 'done', 'end_of_stream'].map((name) => unpaged({ [name]: false })),
  ...['next_page', 'nextPageToken', 'nextCursor', 'nextRecordsUrl', '@odata.nextLink', 'cursor'].map((name) => unpaged({ [name]: 'x' })),
  unpaged({ has_more: 'true' }),
  unpaged({ meta: { page: { next: 'x' } } }),
  unpaged({ paging: { next: { after: '20', link: 'x' } } }),
  unpaged({ _links: { next: { href: '/notes?page=2' } } }),
  unpaged({ links: [{ rel: 'self' }, { rel: 'next', href: '/notes?page=2' }] }),
  ...['total', 'totalResults', 'total_count'].map((name) => unpaged({ [name]: 3 })),
  unpaged({ meta: { pagination: { total: '3' } } }),
  unpaged({ total_pages: 2 }),
  ['deep', { data: { result: { nodes: rows(2), pageInfo: { hasNextPage: true } } } }],
  unpaged({}, { link: '</notes?page=2>; rel="next"' }),
  unpaged({}, { 'x-next-page': '2' }),
  unpaged({}, { 'x-total-count': '3' }),
  unpaged({}, { 'content-range': 'items 0-1/3' }),
  ['unpaged', { list: rows(20) }],
  ['root', rows(50)],
  ['cursors', { list: rows(100) }],
  ['links', { list: rows(250) }],
  ['cursors', { ...two, meta: { after: null, has_more: true } }],
  ['sized', { ...two, total: 3 }],
]

/** Answers without one. */
const none: readonly Case[] = [
  ...['has_more', 'hasNextPage', 'more'].map((name) => unpaged({ [name]: false })),
  ...['isLast', 'done', 'complete'].map((name) => unpaged({ [name]: true })),
  ...[null, '', 0, false].map((value) => unpaged({ next: value, next_cursor: value })),
  ...['next_action', 'nextId', 'nexthop', 'cursors'].map((name) => unpaged({ [name]: 'x' })),
  unpaged({ more: 'x', last: 'n1' }),
  unpaged({ total: 2, total_count: '2' }),
  unpaged({ count: 9, page_size: 100, total_amount: 900 }),
  unpaged({ total_pages: 1 }),
  unpaged({ next: { title: 'Weekend' } }),
  unpaged({ links: [{ rel: 'self', href: '/notes' }] }),
  unpaged({ links: { self: '/notes', last: '/notes' } }),
  unpaged({ included: [{ next: 'x', has_more: true }] }),
  unpaged({ comments: { data: [{ id: 1 }], has_more: true, total_count: 9 } }),
  unpaged({ a: { b: { c: { has_more: true } } } }),
  unpaged({ list: [{ id: 'a', has_more: true, next: 'x', lines: { has_more: true, total: 9 } }, { id: 'b' }] }),
  unpaged({ meta: { has_more: false, after_cursor: 'x' }, links: { next: '/notes?page=2' } }),
  unpaged({ pageInfo: { hasNextPage: false, endCursor: 'x' } }),
  ['deep', { data: { result: { nodes: [{ id: 'a', next: 'x' }], pageInfo: { hasNextPage: false } } } }],
  unpaged({}, { link: '</notes>; rel="self"' }),
  unpaged({}, { 'x-next-page': '', 'x-total-count': '2' }),
  unpaged({}, { 'content-range': 'items 0-1/2' }),
  unpaged({}, { 'x-ratelimit-reset': '9', 'x-cursor-kind': 'x' }),
  ['unpaged', { list: rows(19) }],
  ['unpaged', { list: [] }],
  ['single', { list: rows(100), has_more: true, total: 900 }, { link: '</notes?page=2>; rel="next"' }],
  ['sized', { list: rows(20), meta: {} }],
  ['cursors', { list: rows(20), meta: { after: null }, total: 900 }],
  ['cursors', { ...two, meta: { after: '', size: 100 } }],
  ['flagged', { list: rows(20), more: false, total: 900, next_page: 'x' }],
  ['offsets', { list: rows(1), count: 1 }],
]

test('is in doubt for 40 answers with a sign of more, and for none of 40 without one', async () => {
  let answer: Exclude<Reply, (...never: never[]) => unknown> = {}
  await using vendor = await serve(() => answer)
  await using notes = connect(await parseKind(file), { credentials: { key: 'k' }, origin: vendor.origin })
  const warnings = async ([entity, body, headers = {}]: Case) => {
    answer = { headers, body }
    return (await notes.entity(entity).list({})).meta.warnings
  }
  expect([more.length, none.length]).toEqual([40, 40])
  for (const one of more) expect.soft([one, await warnings(one)]).toEqual([one, [expect.stringContaining('Notes may have more records: ')]])
  for (const one of none) expect.soft([one, await warnings(one)]).toEqual([one, undefined])
})

test('is in doubt when a walk over several pages brought less than the total', async () => {
  await using vendor = await serve(({ url }) => {
    const page = url.includes('after=2') ? 2 : 1
    return { body: { list: rows(2), total: 5, meta: page === 1 ? { after: '2' } : {} } }
  })
  await using notes = connect(await parseKind(file), { credentials: { key: 'k' }, origin: vendor.origin })
  const warnings = await Array.fromAsync(notes.pages('sized'), ({ meta }) => meta.warnings)
  expect(warnings).toEqual([undefined, ['Notes may have more records: total is 5, and 4 came.']])
})

test.each([
  [150, undefined],
  [151, ['Gong may have more records: records.totalRecords is 151, and 150 came.']],
])('compares what Gong counts, private calls too, with what came: %i', async (total, warnings) => {
  const calls = (count: number) => ({
    calls: Array.from({ length: count }, (_, index) => callOf(String(index + 1), { isPrivate: index === 0 })),
  })
  await using vendor = await serve(({ url }) => ({
    body: url.includes('cursor=x') ? pageOf(calls(50), { total, page: 1 }) : pageOf(calls(100), { total, cursor: 'x' }),
  }))
  await using connector = connect(gong, { credentials: accessKey, origin: vendor.origin })
  const first = await connector.calls.list({ fromDateTime: '2025-01-01T00:00:00Z' })
  const last = await connector.calls.list({ fromDateTime: '2025-01-01T00:00:00Z', ...first.meta.next_params })
  expect([first.data.length, first.meta.warnings, last.data.length, last.meta.warnings]).toEqual([99, undefined, 49, warnings])
})
