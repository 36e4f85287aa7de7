/** A part of a result that is shorter or longer than the vendor declared never passes as whole. */
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { connectTo } from '../client/support.ts'
import { configuration, handle, insert, resultOf, select, snowflakeAt, token } from '../engine/snowflake-support.ts'
import { failure, type Reply, type Seen, serve, testEngine } from '../engine/support.ts'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { startWorld } from '../http/support.ts'
import { openWarehouse } from '../library/snowflake-support.ts'

const library = (origin: string) =>
  connect('snowflake', { credentials: { programmatic_access_token: token }, config: configuration, origin, limits: false })
const statement = 'SELECT * FROM T'
const partOf = (partition: number) => ({ entity: 'result_partitions', action: 'get', params: { statementHandle: handle, partition } })
const rowsOf = (part: number, count: number) => Array.from({ length: count }, (_, row) => [`${part}.${row}`, 'x'.repeat(1_000)])
const compressed = (rows: readonly (readonly string[])[]): Reply => ({
  headers: { 'content-encoding': 'gzip' },
  body: gzipSync(JSON.stringify({ data: rows })),
})
/** Names what a request asks for: a statement, a statement again, or a part. */
const asked = ({ method, url }: Seen): string => {
  const query = new URL(url, 'http://vendor.example').searchParams
  if (method === 'POST') return query.get('retry') === 'true' ? 'again' : 'statement'
  return query.get('partition') ?? '0'
}
/** A vendor that declares three parts of as many rows. `spoil` says how many rows an answer really has. */
const vendor = (rows: number, spoil: (what: string, times: number) => number | undefined) => {
  const times = new Map<string, number>()
  return serve((seen) => {
    const what = asked(seen)
    times.set(what, (times.get(what) ?? 0) + 1)
    const count = spoil(what, times.get(what) ?? 0) ?? rows
    if (Number(what) > 0) return compressed(rowsOf(Number(what), count))
    const whole = resultOf(rowsOf(0, rows), { parts: 3 })
    return { ...whole, body: { ...Object(whole.body), data: rowsOf(0, count) } }
  })
}
beforeAll(() => void vi.spyOn(Deadline.prototype, 'pause').mockImplementation(async () => undefined))
afterAll(() => vi.restoreAllMocks())

describe.each([
  ['small parts', 3],
  ['parts that are never parsed as a whole', 200],
])('%s', (_what, rows) => {
  const whole = [0, 1, 2].flatMap((part) => rowsOf(part, rows))

  test.each([
    ['shorter', rows - 1],
    ['longer', rows + 1],
    ['empty', 0],
  ])('a part that is %s once is asked for once more', async (_how, count) => {
    await using server = await vendor(rows, (what, times) => (what === '1' && times === 1 ? count : undefined))
    await using snowflake = library(server.origin)
    expect(await Array.fromAsync(snowflake.record.rows({ statement }))).toEqual(whole)
    expect(server.seen.map(asked)).toEqual(['statement', '1', '1', '2'])
  })

  test('a first part is asked for once more, and the statement does not run again', async () => {
    await using server = await vendor(rows, (what) => (what === 'statement' ? rows - 1 : undefined))
    await using snowflake = library(server.origin)
    const parts = await Array.fromAsync(snowflake.record.parts({ statement }))
    expect(parts.flatMap(({ data }) => data.data)).toEqual(whole)
    expect(server.seen.map(asked)).toEqual(['statement', 'again', '1', '2'])
  })

  test.each(['parts', 'rows'] as const)('a part that stays shorter ends the walk of %s with an error that names it', async (walker) => {
    await using server = await vendor(rows, (what) => (what === '2' ? rows - 1 : undefined))
    await using snowflake = library(server.origin)
    const walk = walker === 'parts' ? snowflake.record.parts({ statement }) : snowflake.record.rows({ statement })
    expect(await failure(Array.fromAsync<unknown>(walk))).toMatchObject({
      code: 'upstream_answer_invalid',
      message: `The answer of Snowflake cannot be used: part 2 of the result has ${rows - 1} rows instead of ${rows}.`,
    })
    expect(server.seen.map(asked)).toEqual(['statement', '1', '2', '2'])
  })
})

describe('the engine', () => {
  test('compares the rows of all parts with their declared sum', async () => {
    await using server = await serve(() => {
      const result = resultOf([['a']], { parts: 2 })
      const { resultSetMetaData, ...rest } = Object(result.body)
      return { ...result, body: { ...rest, resultSetMetaData: { ...resultSetMetaData, numRows: 3 } } }
    })
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), select))
    expect(error.message).toBe('The answer of Snowflake cannot be used: the parts of the result have 2 rows together instead of 3.')
    expect(server.seen.map(asked)).toEqual(['statement', 'again'])
  })

  test('asks once for the first part where it does not know what was declared', async () => {
    await using server = await vendor(2, (what, times) => (what === '2' && times === 1 ? 1 : undefined))
    await using engine = testEngine()
    const connection = snowflakeAt(server.origin)
    const { data } = Object(await engine.run(connection, partOf(2)))
    expect(data.data).toEqual(rowsOf(2, 2))
    await engine.run(connection, partOf(1))
    expect(server.seen.map(asked)).toEqual(['2', '0', '2', '1'])
  })

  test('takes a part as it is where the vendor declares nothing', async () => {
    await using server = await serve((seen) =>
      asked(seen) === '0' ? resultOf([['a']], { body: { resultSetMetaData: null } }) : compressed([['b']]),
    )
    await using engine = testEngine()
    for (const part of [3, 4]) await engine.run(snowflakeAt(server.origin), partOf(part))
    expect(server.seen.map(asked)).toEqual(['3', '0', '4'])
  })

  test('never repeats a write for the rows of its answer', async () => {
    await using server = await serve(() => resultOf([['1']], { parts: 2, body: { data: [] } }))
    await using engine = testEngine()
    expect(await engine.run(snowflakeAt(server.origin), insert)).toMatchObject({ type: 'record', data: { code: '090001' } })
    expect(server.seen).toHaveLength(1)
  })
})

describe('by way of the service', async () => {
  const world = await startWorld()
  const id = await world.connect('warehouse', sandboxWarehouse('warehouse'))
  const local = openWarehouse(world.sandbox)
  const hosted = connectTo(world, 'snowflake')
  afterEach(() => {
    world.sandbox.faults.clear()
    world.sandbox.snowflake.reset()
  })
  afterAll(async () => {
    await local.close()
    await world.close()
  })

  const numbers = (count: number) => `SELECT SEQ8() AS N, 'a note that makes rows long' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => ${count}))`
  const sizes = { firstPartitionBytes: 20_000, partitionBytes: 1_500_000 }
  const spoilParts = (times: number) => {
    world.sandbox.snowflake.switches.set(sizes)
    for (const kind of ['short-part', 'long-part'] as const) world.sandbox.faults.add({ kind, on: 'snowflake', method: 'GET', times })
  }

  test.each(['library', 'service'])('rows arrive whole though parts were spoiled once: %s', async (mode) => {
    world.sandbox.snowflake.switches.set(sizes)
    const warehouse = mode === 'library' ? local : hosted
    const rows: unknown[] = []
    for await (const [number] of warehouse.record.rows({ statement: numbers(60_000) })) {
      if (rows.length === 0) world.sandbox.faults.add({ kind: 'short-part', on: 'snowflake', method: 'GET' })
      if (rows.length === 20_000) world.sandbox.faults.add({ kind: 'long-part', on: 'snowflake', method: 'GET' })
      rows.push(number)
    }
    expect(rows).toEqual(Array.from({ length: 60_000 }, (_, number) => String(number)))
    expect(world.sandbox.faults.pending()).toEqual([])
  })

  test.each(['library', 'service'])('parts that stay wrong end with an error: %s', async (mode) => {
    spoilParts(9)
    const warehouse = mode === 'library' ? local : hosted
    expect(await failure(Array.fromAsync(warehouse.record.parts({ statement: numbers(60_000) })))).toMatchObject({
      code: 'upstream_answer_invalid',
      message: expect.stringMatching(/part 1 of the result has \d+ rows instead of \d+/),
    })
  })

  test('a plain client gets 502 for such a part, and not its rows', async () => {
    spoilParts(2)
    const first = await world.execute(id, { entity: 'record', action: 'list', params: { statement: numbers(60_000) } })
    const { next_operation: operation, next_params: params } = first.json.meta
    const part = await world.execute(id, { ...operation, params })
    expect([part.status, part.json.code]).toEqual([502, 'upstream_answer_invalid'])
    expect(part.json.message).toMatch(/part 1 of the result has \d+ rows instead of \d+/)
  })
})
