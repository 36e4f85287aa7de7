/** Lists that a vendor answers in lines: NDJSON and CSV, in the loop, apart from it, from recordings and by the stand-in of them. */
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import {
  addRecording,
  buildRecording,
  createReplayConnection,
  makeCall,
  PastedVendor,
  readRecordings,
  testKind,
} from '../../packages/ferrule/src/kind-recordings/index.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { ApartThreads } from '../../packages/server/src/main/apart-threads.ts'
import { everythingApart, readable } from '../conformance/run.ts'
import { fixed, type Reply, serve, testEngine } from '../engine/support.ts'
import { kindTop } from '../support/kind-head.ts'

const file = `${kindTop('ledger')}api: https://api.ledger.example
headers: { accept: application/vnd.ledger+json }
auth:
  key: { title: Key, fields: { key: secret Key }, find: Settings, send: { authorization: 'Bearer {key}' } }
errors: { message: error, failed: { ok: false } }
check: events.list
pages:
  last: { next: 'last:seq', send: after, size: size=2 }
  numbers: { next: pages, send: page, size: per_page=2 }
lists: { at: data }
entities:
  payments:
    about: Payments
    fields:
      id: integer Id
      order_id: string Order
      amount: number? Amount
      paid: boolean? Whether it is paid
      note: string? Note
    from: { order_id: Order ID }
    list: { call: GET /payments.csv, format: csv, pages: numbers }
    sync: full
  events:
    about: Events
    fields: { seq: integer Number, data: object What happened }
    key: seq
    list: { call: GET /events, format: ndjson, pages: last }
    sync: full
`
const kind: Kind = { definition: (await parseKind(file)).definition, rules: {} }
const names = ['id', 'Order ID', 'amount', 'paid', 'note'].join(',')
const csv = `${names}\r\n9223372036854775807,007,1.50,TRUE,"said ""so"",\nand left"\r\n-2,8,,false,\r\n`
const payments = [
  { id: 9223372036854775807n, order_id: '007', amount: 1.5, paid: true, note: 'said "so",\nand left', 'Order ID': '007' },
  { id: -2, order_id: '8', amount: null, paid: false, note: null, 'Order ID': '8' },
]
const events = [
  { seq: 9007199254740993n, data: { n: 12345678901234567890n } },
  { seq: 2, data: { n: 1.5 } },
]
const ndjson = '{"seq":9007199254740993,"data":{"n":12345678901234567890}}\n\n{"seq":2,"data":{"n":1.5}}\r\n'
const types: Readonly<Record<string, string>> = { payments: 'text/csv; charset=utf-8', events: 'application/x-ndjson' }

/** Runs a list at a vendor that answers so, in the loop and apart from it. */
async function list(entity: string, body: string, reply: Partial<Exclude<Reply, (...never: never[]) => unknown>> = {}) {
  await using vendor = await serve(() => ({ headers: { 'content-type': types[entity] ?? '' }, ...reply, body }))
  const connection = {
    kind,
    configuration: {},
    credentials: fixed({ key: 'k' }),
    origin: { api: vendor.origin },
    cursorKey: Buffer.alloc(32),
  }
  const results: unknown[] = []
  for (const apart of [undefined, everythingApart({ ledger: kind })]) {
    await using engine = testEngine(apart === undefined ? {} : { apart })
    const call = { entity, action: 'list', params: {} }
    const outcome = await engine.run(connection, call).then(
      (done) => (done.type === 'list' ? readable(done.data) : done),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    )
    results.push(outcome)
  }
  expect(results[1]).toEqual(results[0])
  return { data: results[0], accept: vendor.seen[0]?.headers.accept }
}

describe('lines', () => {
  test('of CSV: names, quotes, and values of their types with all digits', async () => {
    expect(await list('payments', csv)).toEqual({ data: payments, accept: 'text/csv, */*;q=0.1' })
  })

  test('of NDJSON: all digits, and empty lines between', async () => {
    expect(await list('events', ndjson)).toEqual({ data: events, accept: 'application/x-ndjson, */*;q=0.1' })
  })

  test('a byte order mark, a last line without an end, names alone and no line at all are rows too, or none', async () => {
    expect((await list('payments', `\uFEFF${names}\n1,2,3,true,x`)).data).toMatchObject([{ id: 1, amount: 3 }])
    expect((await list('payments', `${names}\n`)).data).toEqual([])
    expect((await list('payments', '')).data).toEqual([])
    expect((await list('events', '')).data).toEqual([])
    expect((await list('events', '{"seq":1,"data":{}}')).data).toEqual([{ seq: 1, data: {} }])
  })

  test('a text that is no value of its type stays what it is', async () => {
    const { data } = await list('payments', `${names}\n1.0,2,N/A,yes,x\n`)
    expect(data).toMatchObject([{ id: '1.0', amount: 'N/A', paid: 'yes' }])
  })

  test('a column may have any name', async () => {
    const { data } = await list('payments', `id,__proto__,a.b\n1,x,y\n`)
    expect(JSON.parse(JSON.stringify(data))).toMatchObject([{ id: 1, 'a.b': 'y' }])
    expect(Object.getOwnPropertyDescriptor((data as object[])[0], '__proto__')?.value).toBe('x')
  })

  test.each([
    ['payments', `${names}\n1,2,3,true,x\n2,3\n`, 'line 3 has more or fewer values than line 1'],
    ['payments', `${names}\n1,2,3,true,"x\n`, 'line 2 is not valid CSV'],
    ['payments', `${names}\n1,2,3,true,x"y\n`, 'line 2 is not valid CSV'],
    ['payments', `id,id\n1,2\n`, 'line 1 names "id" twice'],
    ['payments', 'Too many requests', 'line 1 names no documented field'],
    ['events', '{"seq":1,"data":{}}\n{"seq":2,\n', 'line 2 is not valid JSON'],
    ['events', '{"seq":1,"data":{}}\n7\n', 'line 2 is no object'],
    ['events', `{"seq":1,"data":{}}\n\n{"seq":1,"data":${'['.repeat(70)}${']'.repeat(70)}}\n`, 'line 3 is nested too deep'],
  ])('a bad line of %s is an error with its number: %j', async (entity, body, says) => {
    const { data } = await list(entity, body)
    expect(data).toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining(says) })
  })

  test('an error instead of rows is an error', async () => {
    const refused = { code: 'upstream_error', message: expect.stringContaining('the export is over') }
    const error = '{"ok":false,"error":"the export is over"}'
    expect((await list('events', error)).data).toMatchObject(refused)
    expect((await list('payments', error, { headers: { 'content-type': 'application/json' } })).data).toMatchObject(refused)
    expect((await list('payments', error, { status: 500, headers: { 'content-type': 'application/json' } })).data).toMatchObject(refused)
    expect((await list('payments', '<html></html>', { headers: { 'content-type': 'text/html' } })).data).toMatchObject({
      code: 'upstream_answer_invalid',
    })
  })

  test('are read by the threads of a service when they are large', async () => {
    const threads = new ApartThreads()
    const line = `9223372036854775807,7,1.5,true,${'x'.repeat(100)}\n`
    const body = `${names}\n${line.repeat(10_000)}`
    await using vendor = await serve(() => ({ headers: { 'content-type': 'text/csv' }, body }))
    await using engine = testEngine({ apart: threads })
    const connection = {
      kind,
      configuration: {},
      credentials: fixed({ key: 'k' }),
      origin: { api: vendor.origin },
      cursorKey: Buffer.alloc(32),
    }
    const outcome = await engine.run(connection, { entity: 'payments', action: 'list', params: {} })
    const data = outcome.type === 'list' ? readable(outcome.data) : undefined
    expect(threads.alive).toBe(1)
    expect(data).toHaveLength(10_000)
    expect((data as unknown[])[9_999]).toMatchObject({ id: 9223372036854775807n, amount: 1.5 })
    await threads.close()
  })
})

test('a walk goes on behind the last line', async () => {
  await using vendor = await serve(({ url }) => ({
    headers: { 'content-type': 'application/x-ndjson' },
    body: url.includes('after=2') ? '{"seq":3,"data":{}}\n' : '{"seq":1,"data":{}}\n{"seq":2,"data":{}}\n',
  }))
  await using ledger = connectLocally(kind, { credentials: { key: 'k' }, origin: vendor.origin })
  const found = await Array.fromAsync(ledger.entity('events').records(), ({ seq }) => seq)
  expect(found).toEqual([1, 2, 3])
})

const recordings = `{
 "kind": "ledger",
 "recordings": [
  {
   "call": "payments.list", "source": "document", "from": "https://ledger.example/docs/payments",
   "exchanges": [
    {"request": "GET /payments.csv?per_page=2", "answer": {"headers": {"content-type": "text/csv"}, "text": ${JSON.stringify(csv)}}},
    {"request": "GET /payments.csv?page=2&per_page=2", "answer": {"headers": {"content-type": "text/csv"}, "text": "${names}\\n3,9,2,true,x\\n"}}
   ],
   "data": [{"id": 9223372036854775807, "order_id": "007", "amount": 1.5, "paid": true}, {"id": -2, "amount": null}, {"id": 3}]
  },
  {
   "call": "events.list", "source": "document", "from": "https://ledger.example/docs/events",
   "exchanges": [
    {"request": "GET /events?size=2", "answer": {"text": ${JSON.stringify(ndjson)}}},
    {"request": "GET /events?size=2&after=2", "answer": {"text": "{\\"seq\\":3,\\"data\\":{}}\\n"}}
   ],
   "data": [{"seq": 9007199254740993, "data": {"n": 12345678901234567890}}, {"seq": 2}, {"seq": 3}]
  }
 ]
}`

async function readAll(text = recordings) {
  const { file: read, mistakes } = await readRecordings(text, { name: 'ledger.recordings.json' })
  if (read === undefined) throw new Error(JSON.stringify(mistakes))
  return read
}

describe('recordings of lines', () => {
  test('are tested like others', async () => {
    const findPlace = () => ({ line: 1, column: 1 })
    const { findings } = await testKind(kind, await readAll(), { kind: 'a', recordings: 'b', findPlace })
    expect(findings.filter(({ is }) => is === 'failure')).toEqual([])
  })

  test('play the vendor, page by page, also in pages of another size', async () => {
    const standIn = await startStandIn(kind.definition, await readAll())
    await using ledger = connectLocally(kind, { credentials: { key: 'any' }, origin: standIn.origin, limits: false })
    for (const limit of [2, 1]) {
      const found = await Array.fromAsync(ledger.entity('payments').records({ limit }))
      expect(found).toMatchObject([...payments, { id: 3, note: 'x' }])
    }
    const found = await Array.fromAsync(ledger.entity('events').records(), ({ seq }) => seq)
    expect(found).toEqual([9007199254740993n, 2, 3])
    await standIn.close()
  })

  test('are made of calls, with names of people replaced', async () => {
    const connection = createReplayConnection(kind, {})
    const from = new PastedVendor(`${names}\n5,6,1.5,true,Grace Hopper wrote\n`)
    const call = { entity: 'payments', action: 'list', params: {} }
    const made = await makeCall(connection, call, { mostPages: 1, from, signal: new AbortController().signal })
    const built = await buildRecording(connection, made, { page: 'https://ledger.example/docs', configuration: {}, secrets: [] })
    expect(built.problems).toEqual([])
    const text = await addRecording(undefined, { kind: 'ledger', ...built })
    expect(text).not.toContain('Hopper')
    expect(text).toContain('5,6,1.5,true,')
  })
})

describe('a file', () => {
  test.each([
    ['format: csv, pages: numbers', 'format: csv, at: data, pages: numbers', 'rows of csv are the lines of the whole answer'],
    ['format: csv, pages: numbers', 'format: tsv, pages: numbers', 'tsv is not a word for this'],
    ["next: 'last:seq', send", 'next: meta.next, send', 'page last reads meta.next, which the lines of ndjson do not have'],
    ['GET /events, format', 'GET /events, keyed: seq, format', 'rows of ndjson are the lines of the whole answer'],
  ])('that says %s as %s is refused', async (from, to, says) => {
    expect(file).toContain(from)
    const { mistakes } = await readKind(file.replace(from, to), { name: 'ledger.kind.yaml' })
    expect(mistakes.map(({ message }) => message).join()).toMatch(new RegExp(says))
  })

  test('that reads one record in lines is refused', async () => {
    const wrong = file.replace('    sync: full\n', "    get: { call: 'GET /payments/{id}', format: csv }\n    sync: full\n")
    const { mistakes } = await readKind(wrong, { name: 'ledger.kind.yaml' })
    expect(mistakes.map(({ message }) => message)).toEqual(['only a list has the format csv'])
  })
})
