/** Rows within rows: the lists within the records of an answer are the rows, with values of the record around. */
import { describe, expect, test } from 'vitest'
import { connectLocally, openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { checkUploadedKind, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { everythingApart } from '../conformance/run.ts'
import { failure, serve, testEngine } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { loadThroughJson, testMistakes } from './edits.ts'

const file = `${kindHead('shop')}check: lines.list
pages:
  offset: { next: rows, send: offset, size: limit=2 }
entities:
  lines:
    about: Lines of orders
    key: [order_id, sku]
    fields: { order_id: integer Order, buyer: string? Name of the buyer, sku: string Article, count: integer How many }
    list: { call: GET /orders, at: 'data.orders[].lines', outer: { order_id: id, buyer: buyer.name }, pages: offset }
    sync: full
`
const credentials = { key: 'k' }
const orders = [
  {
    id: 1,
    buyer: { name: 'Ada' },
    lines: [
      { sku: 'a', count: 1 },
      { sku: 'b', count: 2 },
      { sku: 'c', count: 3 },
    ],
  },
  { id: 2, lines: [{ sku: 'a', count: 4, buyer: 'Own' }] },
  { id: 3, lines: null },
  { id: 4, lines: [] },
  { id: 5, buyer: { name: 'Grace' }, lines: [{ sku: 'd', count: 5 }] },
]
const lines = [
  { order_id: 1, buyer: 'Ada', sku: 'a', count: 1 },
  { order_id: 1, buyer: 'Ada', sku: 'b', count: 2 },
  { order_id: 1, buyer: 'Ada', sku: 'c', count: 3 },
  { order_id: 2, buyer: 'Own', sku: 'a', count: 4 },
  { order_id: 5, buyer: 'Grace', sku: 'd', count: 5 },
]

const load = (text = file) => loadThroughJson(text)

const startShop = () =>
  serve(({ url }) => {
    const offset = Number(new URL(url, 'http://shop').searchParams.get('offset') ?? 0)
    return { body: { data: { orders: orders.slice(offset, offset + 2) } } }
  })

test('pages count the records around, and rows take values from them', async () => {
  await using vendor = await startShop()
  await using shop = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect(await Array.fromAsync(shop.records('lines'))).toEqual(lines)
  expect(vendor.seen.map(({ url }) => url)).toEqual(['/orders?limit=2', '/orders?limit=2&offset=2', '/orders?limit=2&offset=4'])
})

test('a worker thread reads the same', async () => {
  await using vendor = await startShop()
  const kind = await load()
  await using engine = testEngine({ apart: everythingApart({ shop: kind }) })
  const outcome = await engine.run(openConnection(kind, { credentials, origin: vendor.origin }), {
    entity: 'lines',
    action: 'list',
    params: {},
  })
  expect(JSON.parse(JSON.stringify(outcome))).toMatchObject({
    data: lines.slice(0, 4),
    meta: { next_params: { cursor: expect.any(String) } },
  })
})

test('lists stand at any depth, also in a list at the root', async () => {
  const body = [{ id: 1, parts: [{ buyer: { name: 'Ada' }, lines: [{ sku: 'a', count: 1 }] }, { lines: [{ sku: 'b', count: 2 }] }] }]
  await using vendor = await serve(() => ({ body }))
  const text = file
    .replace('data.orders[].lines', '[].parts[].lines')
    .replace('pages: offset }\n    sync', 'pages: none, because: Few }\n    sync')
  await using shop = connectLocally(await load(text), { credentials, origin: vendor.origin })
  expect((await shop.execute('lines', 'list', {})).data).toEqual([
    { order_id: 1, buyer: 'Ada', sku: 'a', count: 1 },
    { order_id: 1, buyer: null, sku: 'b', count: 2 },
  ])
})

test('something else instead of a list between is an invalid answer', async () => {
  const body = [
    { id: 1, parts: [{ lines: [{ sku: 'a', count: 1 }] }] },
    { id: 2, parts: { lines: [{ sku: 'b', count: 2 }] } },
  ]
  await using vendor = await serve(() => ({ body }))
  const text = file
    .replace('data.orders[].lines', '[].parts[].lines')
    .replace('pages: offset }\n    sync', 'pages: none, because: Few }\n    sync')
  await using shop = connectLocally(await load(text), { credentials, origin: vendor.origin })
  expect(await failure(shop.execute('lines', 'list', {}))).toMatchObject({ code: 'upstream_answer_invalid' })
})

test.each([
  ['no list around', { data: {} }],
  ['something else instead of an inner list', { data: { orders: [{ id: 1, lines: 'none' }] } }],
])('%s is an invalid answer', async (_name, body) => {
  await using vendor = await serve(() => ({ body }))
  await using shop = connectLocally(await load(), { credentials, origin: vendor.origin })
  expect(await failure(shop.execute('lines', 'list', {}))).toMatchObject({
    code: 'upstream_answer_invalid',
    message: expect.stringContaining('data.orders[].lines'),
  })
})

test('the stand-in cuts pages of the records around', async () => {
  const kind = await load()
  const page = (from: number) => ({
    request: from === 0 ? 'GET /orders?limit=2' : `GET /orders?limit=2&offset=${from}`,
    answer: { body: { data: { orders: orders.slice(from, from + 2) } } },
  })
  const call = {
    call: 'lines.list',
    source: 'document',
    from: 'https://shop.example/docs',
    exchanges: [page(0), page(2), page(4)],
    data: lines,
  }
  const { file: recordings, mistakes } = await readRecordings(JSON.stringify({ kind: 'shop', recordings: [call] }), { name: 'shop' })
  if (recordings === undefined) throw new Error(JSON.stringify(mistakes))
  const standIn = await startStandIn(kind.definition, recordings)
  try {
    await using shop = connectLocally(kind, { credentials, origin: standIn.origin })
    expect(await Array.fromAsync(shop.records('lines', { limit: 1 }))).toEqual(lines)
  } finally {
    await standIn.close()
  }
})

describe('mistakes', () => {
  test('none for uploads', async () => {
    expect((await checkUploadedKind(file, { name: 'shop' })).mistakes).toEqual([])
  })

  testMistakes(file, [
    ['outer: { order_id: id,', 'outer: { order: id,', 'entities.lines.list.outer', 'order is not a field of the record'],
    ["'data.orders[].lines'", 'data.lines', 'entities.lines.list.outer', 'is for rows within rows'],
    ["lines', outer", "lines', keyed: sku, outer", 'entities.lines.list', 'keyed rows are not within rows'],
    ["'data.orders[].lines'", "'data.__proto__[].lines'", 'entities.lines.list.at', '__proto__'],
  ])
})

describe('values of several parameters', () => {
  const withValues = (values: string) =>
    file.replace(
      'pages: offset }\n    sync: full',
      `pages: offset, params: { state: string State, kind: integer Kind } }\n    sync: { values: ${values} }`,
    )

  test('make one walk for each combination', async () => {
    const { definition } = await parseKind(withValues('{ state: [open, closed], kind: [1, 2] }'))
    expect(definition.entities['lines']?.sync?.values).toEqual([
      { state: 'open', kind: 1 },
      { state: 'open', kind: 2 },
      { state: 'closed', kind: 1 },
      { state: 'closed', kind: 2 },
    ])
  })

  test.each([
    ['{ state: [] }', 'is walked for no value'],
    ['{ stat: [open] }', 'stat is not a parameter of list'],
    [`{ state: [${Array.from({ length: 101 }, (_, index) => index).join(', ')}], kind: [1, 2] }`, 'makes 202 walks'],
  ])('%s is a mistake', async (values, says) => {
    const { mistakes } = await readKind(withValues(values), { name: 'shop' })
    expect(mistakes).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining('entities.lines.sync'), message: expect.stringContaining(says) }),
    )
  })
})
