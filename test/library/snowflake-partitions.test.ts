/** Results in parts: every row once, in order, by the library and by a plain client of the service. */
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { failure } from '../engine/support.ts'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { type Json, startWorld } from '../http/support.ts'
import { choose } from '../support/draws.ts'
import { openWarehouse } from './snowflake-support.ts'

const count = choose(12_000, 30_000)
/** Texts that a reader of JSON could stumble over, and a null. */
const odd = `CASE MOD(SEQ8(), 5) WHEN 0 THEN 'a"]],[["b' WHEN 1 THEN 'back\\\\slash\\\\' WHEN 2 THEN 'zwölf 🏬' WHEN 3 THEN NULL ELSE '1, 9007199254740993' END`
const statement = `SELECT SEQ8() AS N, ${odd} AS ODD, 'a note that makes rows long' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => ${count}))`
const oddTexts = ['a"]],[["b', 'back\\slash\\', 'zwölf 🏬', null, '1, 9007199254740993']
const expected = Array.from({ length: count }, (_, n) => [String(n), oddTexts[n % 5], 'a note that makes rows long'])

const clock = { now: Date.UTC(2026, 0, 5) }
const world = await startWorld({ sandbox: { clock: () => clock.now } })
const id = await world.connect('warehouse', sandboxWarehouse('warehouse'))
const warehouse = openWarehouse(world.sandbox)
afterEach(() => {
  vi.restoreAllMocks()
  clock.now = Date.UTC(2026, 0, 5)
  world.sandbox.snowflake.reset()
})
afterAll(async () => {
  await warehouse.close()
  await world.close()
})

/** The rows of a statement as a plain client of the service gets them: it merges nothing and takes nothing apart. */
async function hostedRows(more: object = {}): Promise<Json[]> {
  const rows: Json[] = []
  let call: object | null = { entity: 'record', action: 'list', params: { statement } }
  while (call !== null) {
    const { status, text, json } = await world.execute(id, { ...call, ...more })
    if (status !== 200) throw new Error(text)
    rows.push(...json.data.data)
    const { next_operation: operation, next_params: params }: Json = json.meta
    call = operation === null ? null : { ...operation, params }
  }
  return rows
}

/** Pauses between attempts pass at once. */
const withoutPauses = () => vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
const asked = () => world.sandbox.snowflake.requests().map(({ method, query }) => query['partition'] ?? method)
const sizes = { firstPartitionBytes: 20_000, partitionBytes: 150_000 }

describe.each(['normal', 'inside', 'fetch', 'shuffled', 'none'])('with links of the form %s', (linkForm) => {
  test('every row comes once, in order, in the library and over HTTP', async () => {
    world.sandbox.snowflake.switches.set({ ...sizes, linkForm })
    expect(await Array.fromAsync(warehouse.record.rows({ statement }))).toEqual(expected)
    const parts = asked()
    expect(parts.length).toBeGreaterThan(choose(4, 10))
    expect(parts).toEqual(['POST', ...Array.from({ length: parts.length - 1 }, (_, index) => String(index + 1))])
    expect(world.sandbox.snowflake.executed()).toHaveLength(1)
    if (linkForm === 'none') return // a client of the service has to count the parts itself then
    expect(await hostedRows()).toEqual(expected)
    expect(asked().slice(parts.length)).toEqual(parts)
  })
})

test('parts come one by one, with what the vendor tells of them', async () => {
  world.sandbox.snowflake.switches.set({ ...sizes })
  const parts = await Array.fromAsync(warehouse.record.parts({ statement }))
  expect(parts.flatMap(({ data }) => data.data)).toEqual(expected)
  const [first, second, ...others] = parts
  const info = first?.meta.partition_info
  expect(info).toHaveLength(parts.length)
  expect(info?.map(({ rowCount }) => rowCount)).toEqual(parts.map(({ data }) => data.data?.length))
  expect(first?.data.resultSetMetaData?.numRows).toBe(count)
  const handle = first?.meta.statement_handle
  expect(second?.data).toMatchObject({ statementHandle: handle, resultSetMetaData: null, code: null, message: null, stats: null })
  expect(first?.meta.next_params).toEqual({ statementHandle: handle, partition: 1 })
  expect(others.at(-1)?.meta).toMatchObject({ partition_info: null })
})

test.each([1, 3, 299, 300, 301, 30_000])('of %i rows at most are right too', async (partitionRows) => {
  world.sandbox.snowflake.switches.set({ partitionRows })
  const rows = await Array.fromAsync(
    warehouse.record.rows({ statement: 'SELECT ORDER_ID FROM SALES.ORDERS WHERE ORDER_ID <= 600 ORDER BY 1' }),
  )
  expect(rows.map(([order]) => order)).toEqual(Array.from({ length: 600 }, (_, index) => String(index + 1)))
})

test('fields can be chosen over HTTP: rows come with them or stay away', async () => {
  world.sandbox.snowflake.switches.set({ ...sizes })
  const chosen = await world.execute(id, { entity: 'record', action: 'list', params: { statement }, select_fields: ['data', 'code'] })
  expect(Object.keys(chosen.json.data)).toEqual(['data', 'code'])
  expect(chosen.json.data.data).toEqual(expected.slice(0, chosen.json.data.data.length))
  const without = await world.execute(id, { entity: 'record', action: 'list', params: { statement }, exclude_fields: ['data'] })
  expect([without.json.data.code, 'data' in without.json.data]).toEqual(['090001', false])
})

test('an answer over HTTP is the same, large or small, byte for byte', async () => {
  world.sandbox.snowflake.switches.set({ firstPartitionBytes: 3_000_000, linkForm: 'none' })
  const { text, headers } = await world.execute(id, { entity: 'record', action: 'list', params: { statement } })
  const plain = await warehouse.record.list({ statement })
  const { data, meta } = JSON.parse(text)
  const same = { statementHandle: '', statementStatusUrl: '', requestId: '' }
  expect({ ...data, ...same }).toEqual({ ...plain.data, ...same })
  expect(Object.keys(data)).toEqual(Object.keys(plain.data))
  expect({ ...meta, request_id: '', statement_handle: '' }).toEqual({ ...plain.meta, request_id: '', statement_handle: '' })
  expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
})

describe('faults amid a walk', () => {
  const faults = [
    ['two parts that fail', { kind: 'status', status: 503, times: 2 }],
    ['a part that is cut', { kind: 'cut', after: 1_000 }],
    ['a part that is reset', { kind: 'reset' }],
    ['a refused turn', { kind: 'status', status: 429, retryAfter: 1 }],
  ] as const
  test.each(faults)('lose and repeat no row: %s', async (_what, fault) => {
    withoutPauses()
    world.sandbox.snowflake.switches.set({ ...sizes })
    const met: unknown[] = []
    for await (const row of warehouse.record.rows({ statement })) {
      met.push(row)
      if (met.length % 9_000 === 0) world.sandbox.faults.add({ ...fault, on: 'snowflake', method: 'GET' })
    }
    expect(met).toEqual(expected)
    expect(world.sandbox.faults.pending()).toEqual([])
  })

  test.each(['truncated-json', 'truncated-gzip', 'malformed-json', 'empty-body', 'wrong-shape'] as const)(
    'are never the end of the rows: %s',
    async (kind) => {
      world.sandbox.snowflake.switches.set({ ...sizes })
      let met = 0
      const walk = async () => {
        for await (const _row of warehouse.record.rows({ statement })) {
          met += 1
          if (met === 10_000) world.sandbox.faults.add({ kind, on: 'snowflake', method: 'GET', times: 5 })
        }
      }
      expect(await failure(walk())).toMatchObject({ code: 'upstream_answer_invalid', status: 502 })
      expect(met).toBeGreaterThanOrEqual(10_000)
      expect(met).toBeLessThan(count)
    },
  )

  test('a result that has ended meanwhile is told so', async () => {
    world.sandbox.snowflake.switches.set({ ...sizes })
    const walk = async () => {
      for await (const [n] of warehouse.record.rows({ statement })) if (n === '5000') clock.now += 25 * 3_600_000
    }
    expect(await failure(walk())).toMatchObject({ code: 'record_not_found', hint: expect.stringContaining('24 hours') })
  })

  test('a walk that is given up asks for nothing more', async () => {
    world.sandbox.snowflake.switches.set({ ...sizes })
    for await (const [n] of warehouse.record.rows({ statement })) if (n === '3000') break
    expect(asked().length).toBeLessThan(6)
  })

  test('a walk has a budget of parts', async () => {
    world.sandbox.snowflake.switches.set({ ...sizes })
    const walk = Array.fromAsync(warehouse.record.rows({ statement }, { maxPages: 3 }))
    expect(await failure(walk)).toMatchObject({ code: 'page_budget_exhausted' })
    expect(asked()).toEqual(['POST', '1', '2'])
  })
})
