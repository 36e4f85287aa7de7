/** Lists that keep only the records that fulfil conditions. */
import { describe, expect, test } from 'vitest'
import { connectLocally, openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { checkUploadedKind, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { buildRecording, makeCall } from '../../packages/ferrule/src/kind-recordings/record.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { everythingApart } from '../conformance/run.ts'
import { serve, testEngine } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { loadThroughJson, testMistakes } from './edits.ts'

const file = `${kindHead('box')}configuration: { teams: 'string[]? Teams whose files count' }
check: files.list
pages:
  offset: { next: rows, send: offset, size: limit=2 }
entities:
  files:
    about: Files
    fields: { id: integer Id, type: string What it is, size: integer? Bytes, owner: { team: string? Team } }
    list: { call: GET /items, at: entries, where: { type: file }, pages: offset }
    get: 'GET /items/{id}'
    sync: full
`
const credentials = { key: 'k' }
/** An item as the vendor has it. */
const item = (id: number, type: string, rest: object = {}) => ({ id, type, size: 1, owner: { team: 'a' }, ...rest })
const items = [
  item(1, 'folder'),
  item(2, 'file', { size: 0 }),
  item(3, 'folder'),
  item(4, 'link'),
  item(5, 'file', { size: null, owner: { team: 'b' } }),
]

const load = (text = file) => loadThroughJson(text)

const startBox = () =>
  serve(({ url }) => {
    const { searchParams } = new URL(url, 'http://box')
    const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 9)]
    return { body: { entries: items.slice(offset, offset + limit) } }
  })

const isIded = (record: unknown): record is { readonly id: number } => typeof record === 'object' && record !== null && 'id' in record
const listIds = (records: readonly unknown[]): readonly number[] => records.filter(isIded).map(({ id }) => id)
const withWhere = (where: string): string => file.replace('{ type: file }', where)

test('pages count the rows before, and a page without a record that fits has a next one', async () => {
  await using vendor = await startBox()
  await using box = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect(listIds(await Array.fromAsync(box.records('files')))).toEqual([2, 5])
  expect(vendor.seen.map(({ url }) => url)).toEqual(['/items?limit=2', '/items?limit=2&offset=2', '/items?limit=2&offset=4'])
  const second = await box.execute('files', 'list', { cursor: (await box.execute('files', 'list', {})).meta.next_params?.['cursor'] })
  expect(second).toMatchObject({ data: [], meta: { next_params: { cursor: expect.any(String) } } })
})

test('nobody counts the records that fit, so their total is unknown', async () => {
  await using vendor = await serve(() => ({ body: { entries: items, total: 5 } }))
  const text = file.replace('size: limit=2', 'size: limit=2, total: total')
  await using box = connectLocally(await load(text), { credentials, origin: vendor.origin })
  expect((await box.execute('files', 'list', {})).meta).toMatchObject({ total_records: null })
  await using all = connectLocally(await load(text.replace('where: { type: file }, ', '')), { credentials, origin: vendor.origin })
  expect((await all.execute('files', 'list', {})).meta).toMatchObject({ total_records: 5 })
})

test('a record that is asked for by its key is shown, whatever the list leaves out', async () => {
  await using vendor = await serve(() => ({ body: items[0] }))
  await using box = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect((await box.execute('files', 'get', { id: 1 })).data).toMatchObject({ id: 1, type: 'folder' })
})

test.each([
  ['{ type: [file, link] }', [2, 4, 5]],
  ['{ type: { not: file } }', [1, 3, 4]],
  ['{ type: { not: [file, link] } }', [1, 3]],
  ['size', [1, 2, 3, 4]],
  ["'!size'", [5]],
  ['{ size: { exists: true } }', [1, 2, 3, 4]],
  ['{ size: { exists: false } }', [5]],
  ['{ size: { above: 0 } }', [1, 3, 4]],
  ['{ size: { above: -1, below: 1 } }', [2]],
  ['{ owner.team: b }', [5]],
  ['{ type: file, owner.team: a }', [2]],
  ["{ owner.team: '{teams}' }", [1, 2, 3, 4, 5]],
])('where: %s', async (where, ids) => {
  await using vendor = await serve(() => ({ body: { entries: items } }))
  const kind = await load(withWhere(where).replace('pages: offset', 'pages: none, because: Few'))
  await using box = connectLocally(kind, { credentials, origin: vendor.origin })
  expect(listIds((await box.execute('files', 'list', {})).data)).toEqual(ids)
})

const ofTeams = withWhere("{ owner.team: '{teams}', type: file }").replace('pages: offset', 'pages: none, because: Few')

test('values of configuration choose, also in a worker thread', async () => {
  await using vendor = await serve(() => ({ body: { entries: items } }))
  const kind = await load(ofTeams)
  const options = { credentials, origin: vendor.origin, config: { teams: ['b', 'c'] } }
  await using box = connectLocally(kind, options)
  expect(listIds((await box.execute('files', 'list', {})).data)).toEqual([5])
  await using engine = testEngine({ apart: everythingApart({ box: kind }) })
  const call = { entity: 'files', action: 'list', params: {} }
  const apart = JSON.parse(JSON.stringify(await engine.run(openConnection(kind, options), call)))
  expect(listIds(apart.data)).toEqual([5])
  const all = JSON.parse(JSON.stringify(await engine.run(openConnection(kind, options), { ...call, unfiltered: true })))
  expect(listIds(all.data)).toEqual([1, 2, 3, 4, 5])
})

test('a recording has all rows and the records that fit, and the stand-in answers by it', async () => {
  await using vendor = await startBox()
  const kind = await load()
  const connection = openConnection(kind, { credentials, origin: vendor.origin })
  const made = await makeCall(
    connection,
    { entity: 'files', action: 'list', params: {} },
    { mostPages: 3, signal: new AbortController().signal },
  )
  const { entry, problems } = await buildRecording(connection, made, { configuration: undefined, secrets: [['key', 'k']] })
  expect(problems).toEqual([])
  expect(entry).toMatchObject({ data: [{ id: 2 }, { id: 5 }] })
  const read = await readRecordings(JSON.stringify({ kind: 'box', recordings: [entry] }), { name: 'box' })
  if (read.file === undefined) throw new Error(JSON.stringify(read.mistakes))
  const standIn = await startStandIn(kind.definition, read.file)
  try {
    await using box = connectLocally(kind, { credentials, origin: standIn.origin })
    expect(listIds(await Array.fromAsync(box.records('files', { limit: 1 })))).toEqual([2, 5])
  } finally {
    await standIn.close()
  }
})

describe('mistakes', () => {
  test('none for uploads', async () => {
    expect((await checkUploadedKind(ofTeams, { name: 'box' })).mistakes).toEqual([])
  })

  test.each([
    ['{ typ: file }', 'typ is not a field of the record'],
    ["'!typ'", 'typ is not a field of the record'],
    ["{ owner.team: '{team}' }", 'team is not a field of configuration'],
    ['{ type: {} }', 'says nothing'],
    ['{ type: { exists: true, not: file } }', 'several things of type'],
    ['{ type: { not: file, below: 3 } }', 'several things of type'],
    ['{ type: { above: 3 } }', 'type, which is not a number'],
    ['{ size: { above: 3, below: 3 } }', 'above 3 and below 3, which nothing is'],
    ['{ size: { above: much } }', 'must be a whole number'],
    ['{ type: [] }', 'type with 0 values'],
    [`{ type: [${Array.from({ length: 51 }, (_, index) => `v${index}`).join(', ')}] }`, 'type with 51 values'],
    [`{ ${Array.from({ length: 11 }, (_, index) => `owner.f${index}: a`).join(', ')} }`, 'at most 10'],
    ['{ type: { is: file } }', 'is not a key of a test of a field'],
    ['{ __proto__.x: file }', '__proto__'],
    ['[type]', 'must be a field'],
  ])('where: %s', async (where, says) => {
    const { mistakes } = await readKind(withWhere(where), { name: 'box' })
    expect(mistakes).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining('entities.files.list'), message: expect.stringContaining(says) }),
    )
  })

  testMistakes(file, [
    ["get: 'GET /items/{id}'", "get: { call: 'GET /items/{id}', where: { type: file } }", 'entities.files.get', 'only a list does'],
    [
      '    sync: full\n',
      '    of: folders\n  folders: { about: F, fields: { id: integer Id }, get: GET /f }\n',
      'entities.files',
      'parts of folders',
    ],
  ])
})

describe('the same conditions elsewhere', () => {
  const withGone = (gone: string): string => file.replace('sync: full', `sync: { gone: ${gone} }`)

  test.each([
    ['{ type: [trash, gone] }', { field: 'type', is: ['trash', 'gone'] }],
    ["'!size'", { field: 'size', not: true }],
    ['{ size: { below: 0 } }', { field: 'size', below: 0 }],
    ["{ type: '{teams}' }", { field: 'type', is: '{teams}' }],
  ])('gone: %s', async (gone, condition) => {
    const { definition } = await parseKind(withGone(gone))
    expect(definition.entities['files']?.sync?.gone).toEqual(condition)
  })

  test.each([
    ['{ type: { below: 0 } }', 'type, which is not a number'],
    ['{ type: file, size: 1 }', 'at most 1'],
  ])('a mistake in gone: %s', async (gone, says) => {
    const { mistakes } = await readKind(withGone(gone), { name: 'box' })
    expect(mistakes).toContainEqual(expect.objectContaining({ message: expect.stringContaining(says) }))
  })
})
