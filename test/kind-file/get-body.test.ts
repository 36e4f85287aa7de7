/** Reads by GET whose parameters stand in a body. */
import { describe, expect, test } from 'vitest'
import { connectLocally, openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { checkUploadedKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { buildRecording, makeCall } from '../../packages/ferrule/src/kind-recordings/record.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { loadThroughJson } from './edits.ts'

const file = `${kindHead('finder')}check: notes.list
lists: { at: hits }
pages:
  offset: { next: rows, send: from, size: size=2 }
entities:
  notes:
    about: Notes
    fields: { id: string Id }
    list:
      call: GET /notes
      params: { lang: string Language }
      body: { state: string State }
      always: { 'query.kind': note }
      pages: offset
    get: 'GET /notes/{id}'
  tags:
    about: Tags
    fields: { id: string Id }
    list: { call: GET /tags, as: json, always: { all: true }, pages: none, because: Few }
  users:
    about: Users
    fields: { id: string Id }
    list: { call: GET /users, as: form, body: { state: string State }, pages: none, because: Few }
`
const credentials = { key: 'k' }
const rows = ['a', 'b', 'c'].map((id) => ({ id }))

const load = (text = file) => loadThroughJson(text)

const startVendor = () =>
  serve(({ body }) => {
    const { from = 0, size = 3 } = body.startsWith('{') ? Object(JSON.parse(body)) : {}
    return { body: { hits: rows.slice(from, from + size) } }
  })

test('the body has what stands in body, in always and in pages; the address has params', async () => {
  await using vendor = await startVendor()
  await using finder = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect(await Array.fromAsync(finder.records('notes', { lang: 'en', state: 'open' }))).toEqual(rows)
  const sent = vendor.seen.map(({ method, url, body }) => [method, url, JSON.parse(body)])
  const fixed = { state: 'open', query: { kind: 'note' }, size: 2 }
  expect(sent).toEqual([
    ['GET', '/notes?lang=en', fixed],
    ['GET', '/notes?lang=en', { ...fixed, from: 2 }],
  ])
  expect(vendor.seen[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(vendor.seen[0]?.body.length),
  })
})

test('a body as JSON has only fixed values, and a form is a body too', async () => {
  await using vendor = await startVendor()
  await using finder = connectLocally(await load(), { credentials, origin: vendor.origin })
  await finder.execute('tags', 'list', {})
  await finder.execute('users', 'list', { state: 'open' })
  expect(vendor.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/tags', '{"all":true}'],
    ['GET', '/users', 'state=open'],
  ])
  expect(vendor.seen[1]?.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' })
})

test('a GET whose own call names no body has none, whatever all lists say', async () => {
  await using vendor = await serve(() => ({ body: { hits: [] } }))
  const text = file.replace('lists: { at: hits }', 'lists: { at: hits, as: form }').replace('as: json, always', 'always')
  await using finder = connectLocally(await load(text), { credentials, origin: vendor.origin })
  await finder.execute('tags', 'list', {})
  expect(vendor.seen).toMatchObject([{ url: '/tags?all=true', body: '' }])
})

test('a read that failed is sent again with its body', async () => {
  await using vendor = await serve((_seen, count) => (count === 1 ? { status: 503, body: {} } : { body: { hits: rows } }))
  await using finder = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect((await finder.execute('notes', 'list', { state: 'open' })).data).toEqual(rows)
  const [first, second] = vendor.seen
  expect(vendor.seen).toHaveLength(2)
  expect([second?.method, second?.url, second?.body]).toEqual([first?.method, first?.url, first?.body])
})

test('a recording has the body, and the stand-in answers by it', async () => {
  await using vendor = await serve(({ body }) => ({ body: { hits: [{ id: JSON.parse(body).state }] } }))
  const kind = await load()
  const connection = openConnection(kind, { credentials, origin: vendor.origin })
  const record = async (state: string) => {
    const call = { entity: 'notes', action: 'list', params: { state } }
    const made = await makeCall(connection, call, { mostPages: 1, signal: new AbortController().signal })
    const { entry, problems } = await buildRecording(connection, made, { configuration: undefined, secrets: [['key', 'k']] })
    expect(problems).toEqual([])
    return entry
  }
  const recordings = [await record('open'), { ...(await record('closed')), name: 'closed' }]
  expect(recordings[1]).toMatchObject({ exchanges: [{ request: { call: 'GET /notes', body: { state: 'closed', size: 2 } } }] })
  const read = await readRecordings(JSON.stringify({ kind: 'finder', recordings }), { name: 'finder' })
  if (read.file === undefined) throw new Error(JSON.stringify(read.mistakes))
  const standIn = await startStandIn(kind.definition, read.file)
  try {
    await using finder = connectLocally(kind, { credentials, origin: standIn.origin })
    for (const state of ['open', 'closed']) expect((await finder.execute('notes', 'list', { state })).data).toEqual([{ id: state }])
  } finally {
    await standIn.close()
  }
})

test('lists that are always sent stand in the body as they are, and tell two calls apart', async () => {
  const sort = [{ field: { name: 'id' }, down: false }]
  const text = file
    .replace('always: { all: true }', `always: { 'query.sort': [{ field: { name: id }, down: false }], only: [] }`)
    .replace('GET /users, as: form, body: { state: string State }', "GET /tags, as: json, always: { 'query.sort': [users] }")
  await using vendor = await serve(() => ({ body: { hits: [] } }))
  const kind = await load(text)
  await using finder = connectLocally(kind, { credentials, origin: vendor.origin })
  await finder.execute('tags', 'list', {})
  expect(JSON.parse(vendor.seen[0]?.body ?? '')).toEqual({ query: { sort }, only: [] })
  const record = (entity: string, body: unknown) => ({
    ...{ call: `${entity}.list`, source: 'document', from: 'https://finder.example/docs', data: [{ id: entity }] },
    exchanges: [{ request: { call: 'GET /tags', body }, answer: { body: { hits: [{ id: entity }] } } }],
  })
  const recordings = [record('users', { query: { sort: ['users'] } }), record('tags', { query: { sort }, only: [] })]
  const read = await readRecordings(JSON.stringify({ kind: 'finder', recordings }), { name: 'finder' })
  if (read.file === undefined) throw new Error(JSON.stringify(read.mistakes))
  const standIn = await startStandIn(kind.definition, read.file)
  try {
    await using played = connectLocally(kind, { credentials, origin: standIn.origin })
    for (const entity of ['tags', 'users']) expect((await played.execute(entity, 'list', {})).data).toEqual([{ id: entity }])
  } finally {
    await standIn.close()
  }
})

describe('mistakes', () => {
  test('none for uploads', async () => {
    expect((await checkUploadedKind(file, { name: 'finder' })).mistakes).toEqual([])
  })
})
