/** Where a write could happen twice, or look as if it had happened: calls side by side, waits for a connection, invalid answers. */
import { createServer, type ServerResponse } from 'node:http'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createMemoryClaims } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { listen } from '../support/listen.ts'
import { cut, insert, movedTime, queryOf, recorded, requestId, resultOf, running, select, snowflakeAt } from './snowflake-support.ts'
import { failure, heldTimers, type Reply, serve, testEngine } from './support.ts'

const inserted = resultOf([['1']])
const write = { ...insert, params: { ...insert.params, requestId } }
const first = { requestId }
const again = { requestId, retry: 'true' }

describe('two calls with one id at the same time', () => {
  test('are never at the vendor together, also when the first is lost and sent again', async () => {
    using time = hastenTime(50)
    let open = 0
    let most = 0
    await using server = await serve(async (_seen, count) => {
      open += 1
      most = Math.max(most, open)
      for (let turns = 0; turns < 50; turns += 1) await yieldToEventLoop()
      open -= 1
      return count === 1 ? cut : inserted
    })
    await using engine = testEngine({ clock: time.clock })
    const writes = createMemoryClaims(time.clock)
    const run = () => recorded(engine.run(snowflakeAt(server.origin, { writes }), write))
    const told = await Promise.all([run(), run(), run()])
    expect(told.map(({ data }) => data['data'])).toEqual([[['1']], [['1']], [['1']]])
    expect([most, server.seen.map(queryOf)]).toEqual([1, [first, again, again, again]])
  })

  test('end differently when the first one lasts longer than the second may: nobody knows yet, and the error says for how long', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>()
    await using server = await serve((_seen, count) => (count === 1 ? arrive : inserted))
    await using engine = testEngine()
    const writes = createMemoryClaims()
    const one = engine.run(snowflakeAt(server.origin, { writes }), write)
    const response = await arrived
    using time = movedTime(50)
    const error = await failure(engine.run(snowflakeAt(server.origin, { writes }), write))
    time.left = undefined
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(error.retryAfterMs).toBeGreaterThan(60_000)
    expect(server.seen).toHaveLength(1)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(Reflect.get(inserted, 'body')))
    expect((await recorded(one)).data['data']).toEqual([['1']])
    await engine.run(snowflakeAt(server.origin, { writes }), write)
    expect(server.seen.map(queryOf)).toEqual([first, again])
  })
})

describe('what an ended call left behind', () => {
  test('is waited for where there is time, and told at once with the time where there is not', async () => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? cut : inserted))
    await using engine = testEngine({ clock: () => time.now })
    const writes = createMemoryClaims(() => time.now)
    const long = { ...write, params: { ...write.params, timeout: 58 } }
    const run = () => engine.run(snowflakeAt(server.origin, { writes }), { ...long, deadlineMs: 50_000 })
    expect(await failure(run())).toMatchObject({ code: 'outcome_unknown', retryAfterMs: 60_000 })
    time.now += 100
    expect(await failure(run())).toMatchObject({ code: 'outcome_unknown', retryAfterMs: 59_900 })
    time.now += 10_000
    await run()
    expect([time.waits, server.seen.map(queryOf)]).toEqual([[49_900], [first, again]])
  })
})

describe('an id is free again', () => {
  const cases: readonly (readonly [string, Reply, object])[] = [
    ['a success', inserted, {}],
    ['a refusal of the statement', { status: 422, body: { code: '000904', message: 'invalid' } }, { code: 'statement_failed' }],
    ['a refusal of the call', { status: 401, body: { code: '394400', message: 'invalid' } }, { code: 'upstream_auth_failed' }],
  ]
  test.each(cases)('at once after %s', async (_what, answer, told) => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? answer : inserted))
    await using engine = testEngine({ clock: () => time.now })
    const writes = createMemoryClaims(() => time.now)
    const ended = await engine.run(snowflakeAt(server.origin, { writes }), write).catch((error: unknown) => error)
    expect(ended).toMatchObject(told)
    await engine.run(snowflakeAt(server.origin, { writes }), write)
    expect(time.waits).toEqual([])
  })

  test('when a statement that was left running must have ended', async () => {
    using time = movedTime()
    await using server = await serve(({ method }, count) => (count === 1 || method === 'GET' ? running() : inserted))
    await using engine = testEngine({ clock: () => time.now })
    const writes = createMemoryClaims(() => time.now)
    time.left = 200
    const status = await recorded(engine.run(snowflakeAt(server.origin, { writes }), write))
    time.left = undefined
    expect(status.data).toMatchObject({ code: '333334', data: null })
    await engine.run(snowflakeAt(server.origin, { writes }), write)
    expect(time.waits).toEqual([22_000])
    expect(server.seen.at(-1)?.url).toContain('retry=true')
  })
})

describe('a write that waits for a connection', () => {
  /** As many as there are connections to one origin. */
  const connections = 128

  /** A vendor that answers nothing by itself. */
  async function silent() {
    const open: ServerResponse[] = []
    const server = createServer((_request, response) => open.push(response))
    const full = async (count: number) => {
      while (open.length < count) await yieldToEventLoop()
    }
    return { open, full, ...(await listen(server)) }
  }

  test('was not sent: when its deadline comes first, nothing can have happened', async () => {
    await using vendor = await silent()
    await using engine = testEngine()
    const others = Array.from({ length: connections }, () => failure(engine.run(snowflakeAt(vendor.origin), select)))
    await vendor.full(connections)
    using timers = heldTimers()
    const ended = failure(engine.run(snowflakeAt(vendor.origin), { ...write, deadlineMs: 100 }))
    for (let turns = 0; turns < 50; turns += 1) await yieldToEventLoop()
    timers.pass(100)
    expect(await ended).toMatchObject({ code: 'upstream_timeout', upstream: { request_id: requestId } })
    expect(vendor.open).toHaveLength(connections)
    await engine.close()
    await Promise.all(others)
  })

  test('counts as at work from the moment when it was sent', async () => {
    const time = { now: 1_780_000_000_000 }
    await using vendor = await silent()
    await using engine = testEngine({ clock: () => time.now })
    const others = Array.from({ length: connections }, () => failure(engine.run(snowflakeAt(vendor.origin), select)))
    await vendor.full(connections)
    const lost = failure(engine.run(snowflakeAt(vendor.origin), { ...write, params: { ...write.params, timeout: 600 } }))
    time.now += 30_000
    vendor.open[0]?.end('{}')
    await vendor.full(connections + 1)
    vendor.open.at(-1)?.destroy()
    expect(await lost).toMatchObject({ code: 'outcome_unknown', retryAfterMs: 602_000 })
    await engine.close()
    await Promise.all(others)
  })
})

describe('an answer that is JSON and no result', () => {
  const proxies: readonly (readonly [string, unknown])[] = [
    ['an object', { requestId: 'x', status: 'ok' }],
    ['nothing', {}],
    ['a status', { code: '090001', statementHandle: '01bd5a21-0001-6f3c-0000-77e500a1c0de', message: 'Statement executed successfully.' }],
  ]

  test.each(proxies)('is no success of a write: %s', async (_what, body) => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? { body } : inserted))
    await using engine = testEngine({ clock: () => time.now })
    expect((await recorded(engine.run(snowflakeAt(server.origin), write))).data['data']).toEqual([['1']])
    expect(server.seen.map(queryOf)).toEqual([first, again])
  })

  test.each(proxies)('is no result of a read, and no part of one: %s', async (_what, body) => {
    await using server = await serve(() => ({ body }))
    await using engine = testEngine()
    const part = { entity: 'result_partitions', action: 'get', params: { statementHandle: requestId, partition: 1 } }
    for (const call of [select, part])
      expect((await failure(engine.run(snowflakeAt(server.origin), call))).code).toBe('upstream_answer_invalid')
  })
})
