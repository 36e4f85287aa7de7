import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { collect } from '../../packages/server/src/http/garbage-collection.ts'
import { handle, insert, recorded, resultOf, select, snowflakeAt } from './snowflake-support.ts'
import { failure, type Reply, serve, testEngine } from './support.ts'

const part = { entity: 'result_partitions', action: 'get', params: { statementHandle: handle, partition: 0 } }
const rows = Array.from({ length: 200 }, (_row, index) => [`row ${index}`, null, 'Blåbær 注文'])
const json = JSON.stringify({ data: rows })
const encoded = (body: string | Uint8Array, encoding: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-encoding': encoding, ...more },
  body,
})
/** The kind with a small bound. */
const most = 100_000
const { definition, rules } = kinds.snowflake
const small: Kind = { definition: { ...definition, patience: { seconds: 5, bytes: most } }, rules }
const sized = (bytes: number): string => JSON.stringify({ data: [['x'.repeat(bytes - 15)]] })

describe('a compressed answer', () => {
  test.each([
    ['gzip', encoded(gzipSync(json), 'gzip')],
    ['gzip in capitals', encoded(gzipSync(json), 'GZIP')],
    ['x-gzip', encoded(gzipSync(json), 'x-gzip')],
    ['deflate', encoded(deflateSync(json), 'deflate')],
    ['Brotli', encoded(brotliCompressSync(json), 'br')],
    ['nothing, said as identity', encoded(json, 'identity')],
    ['several pieces', encoded(Buffer.concat([gzipSync(json.slice(0, 90)), gzipSync(json.slice(90))]), 'gzip')],
  ])('is read: %s', async (_what, answer) => {
    await using server = await serve(() => answer)
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), part))).data['data']).toEqual(rows)
  })

  test('is read although nothing compressed was asked for', async () => {
    await using server = await serve(() => encoded(gzipSync(json), 'gzip'))
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin), part)
    expect(server.seen[0]?.headers).not.toHaveProperty('accept-encoding')
  })

  const whole = gzipSync(json)
  test.each([
    ['ends too early', encoded(whole.subarray(0, whole.length / 2), 'gzip')],
    ['is not compressed', encoded(json, 'gzip')],
    ['is not what it says', encoded(whole, 'br')],
    ['was changed on the way', encoded(Buffer.from(whole).fill(7, 40, 60), 'gzip')],
    ['is compressed in a way that nobody knows', encoded(whole, 'zstd-2')],
    ['is compressed twice', encoded(gzipSync(whole), 'gzip, gzip')],
  ])('that %s is no answer', async (_what, answer) => {
    await using server = await serve(() => answer)
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), part))).code).toBe('upstream_answer_invalid')
  })

  test('that cannot be read leaves the outcome of a write unknown', async () => {
    await using server = await serve(() => encoded(json, 'gzip'))
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), { ...insert, deadlineMs: 5_000 }))).code).toBe('outcome_unknown')
  })

  test('whose connection ends is a connection that failed', async () => {
    await using server = await serve(() => (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(whole.length) })
      response.write(whole.subarray(0, 50), () => response.destroy())
    })
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), part))).code).toBe('upstream_unreachable')
    expect(server.seen).toHaveLength(3)
  })
})

describe('the size of an answer', () => {
  const at = (origin: string) => ({ ...snowflakeAt(origin), kind: small })

  test.each([
    ['compressed', (text: string) => encoded(gzipSync(text), 'gzip')],
    ['not compressed', (text: string): Reply => ({ body: text })],
  ])('is bounded by what the kind says: %s', async (_what, answer) => {
    await using server = await serve((_seen, count) => answer(sized(count === 1 ? most : most + 1)))
    await using engine = testEngine()
    await engine.run(at(server.origin), part)
    const error = await failure(engine.run(at(server.origin), part))
    expect(error).toMatchObject({ code: 'result_too_large', status: 422 })
    expect(error.message).toContain(String(most))
    expect(server.seen).toHaveLength(2)
  })

  test('is bounded while it is unpacked: a small body cannot fill the memory', async () => {
    // Concatenated members are one body, and cheaper to compress.
    const member = gzipSync(Buffer.alloc(32 * 1024 * 1024, 'x'))
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => member))
    expect(bomb.length).toBeLessThan(600_000)
    await using server = await serve(() => encoded(bomb, 'gzip'))
    await using engine = testEngine()
    collect({ type: 'major', flavor: 'last-resort' })
    const before = process.memoryUsage().arrayBuffers
    expect((await failure(engine.run(snowflakeAt(server.origin), part))).code).toBe('result_too_large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * 1024 * 1024)
  })

  test('of a statement’s result is bounded too', async () => {
    await using server = await serve(() => resultOf([['x'.repeat(most)]]))
    await using engine = testEngine()
    expect((await failure(engine.run(at(server.origin), select))).code).toBe('result_too_large')
  })
})
