import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { createMemoryClaims, type WriteClaims } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import {
  cut,
  handle,
  insert,
  lostAnswers,
  movedTime,
  queryOf,
  recorded,
  refusal,
  requestId,
  resultOf,
  running,
  select,
  snowflakeAt,
} from './snowflake-support.ts'
import { failure, heldTimers, serve, testEngine } from './support.ts'

const inserted = resultOf([['1']])
const write = { ...insert, params: { ...insert.params, requestId } }
const first = { requestId }
const again = { requestId, retry: 'true' }
/** A write runs for 20 seconds at most, and two more are for the way there. */
const over = 22_000

describe('a write whose outcome is not known', () => {
  test.each(lostAnswers)('after %s is sent again, as a repetition, once the first cannot be at work any more', async (_what, answer) => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? answer : inserted))
    await using engine = testEngine({ clock: () => time.now })
    const { data } = await recorded(engine.run(snowflakeAt(server.origin), write))
    expect(server.seen.map(queryOf)).toEqual([first, again])
    expect(server.seen[1]?.body).toBe(server.seen[0]?.body)
    expect(time.waits).toEqual([over])
    expect(data).toMatchObject({ data: [['1']], requestId })
  })

  test('is sent again at once when its time limit has passed already', async () => {
    using time = movedTime()
    await using server = await serve((_seen, count) => {
      if (count > 1) return inserted
      time.now += 55_000
      return cut
    })
    await using engine = testEngine({ clock: () => time.now })
    await engine.run(snowflakeAt(server.origin), write)
    expect(server.seen.map(queryOf)).toEqual([first, again])
    expect(time.waits).toEqual([])
  })

  test('waits as long as the caller’s own time limit', async () => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count < 3 ? cut : inserted))
    await using engine = testEngine({ clock: () => time.now })
    await engine.run(snowflakeAt(server.origin), { ...write, params: { ...write.params, timeout: 5 } })
    expect(server.seen.map(queryOf)).toEqual([first, again, again])
    expect(time.waits).toEqual([7_000, 7_000])
  })

  test('and whose time limit is longer than the call may take is not sent again, and the error says so', async () => {
    await using server = await serve(() => cut)
    const time = { now: 1_780_000_000_000 }
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), { ...write, params: { ...write.params, timeout: 3_600 } }))
    expect(error).toMatchObject({ code: 'outcome_unknown', status: 504, upstream: { request_id: requestId } })
    expect(error.message).toContain(requestId)
    expect(error.hint).toContain(`requestId ${requestId} and retry true`)
    expect(error.retryAfterMs).toBe(3_602_000)
    expect(server.seen).toHaveLength(1)
  })

  test('and that has no time limit is not repeated for seven days: the first error and those of repetitions say so', async () => {
    await using server = await serve(() => cut)
    const time = { now: 1_780_000_000_000 }
    await using engine = testEngine({ clock: () => time.now })
    const writes = createMemoryClaims(() => time.now)
    const unlimited = { ...write, params: { ...write.params, timeout: 0 } }
    const repeated = { ...unlimited, params: { ...unlimited.params, retry: true } }
    for (const call of [unlimited, repeated]) {
      const error = await failure(engine.run(snowflakeAt(server.origin, { writes }), call))
      expect(error).toMatchObject({ code: 'outcome_unknown', status: 504, retryAfterMs: undefined, upstream: { request_id: requestId } })
      expect(error.message).toContain(requestId)
      if (call === repeated) expect(error.message).toContain('an earlier submission of it may still be at work')
      expect(error.message).not.toContain('given up')
      expect(error.hint).not.toContain('Repeat')
      expect(error.hint).toMatch(/7 days.*history of Snowflake.*new requestId.*timeout above 0/)
      time.now += 60_000
    }
    expect(server.seen).toHaveLength(1)
  })

  test('and that has no time limit is a write that can be sent with a new id', async () => {
    await using server = await serve((_seen, count) => (count === 1 ? cut : inserted))
    await using engine = testEngine()
    const writes = createMemoryClaims()
    const call = { ...insert, params: { ...insert.params, timeout: 0 } }
    const { hint } = await failure(engine.run(snowflakeAt(server.origin, { writes }), { ...call, idempotencyKey: 'a' }))
    expect(hint).toContain('without this Idempotency-Key')
    await engine.run(snowflakeAt(server.origin, { writes }), { ...insert, params: { ...insert.params, timeout: 5 } })
    expect(server.seen).toHaveLength(2)
  })

  test('is known in the end when the repetition is refused as a statement', async () => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? cut : refusal(422, '002003', "Object 'T' does not exist")))
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'statement_failed', upstream: { code: '002003', request_id: requestId } })
  })

  test.each([
    [401, '394400'],
    [403, ''],
    [404, ''],
    [400, '391918'],
  ])('is not known by a refusal of the repetition with %i', async (status, code) => {
    using time = movedTime()
    await using server = await serve((_seen, count) => (count === 1 ? cut : refusal(status, code)))
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { status, request_id: requestId } })
    expect(server.seen).toHaveLength(2)
  })

  test('is claimed again before it is sent again, so that whoever comes after a crash waits for it', async () => {
    using time = movedTime()
    const claims = createMemoryClaims(() => time.now)
    const start = time.now
    const log: string[] = []
    const writes: WriteClaims = {
      claim: (id, fingerprint, hold) => {
        log.push(`claim at ${time.now - start}`)
        expect(hold.until).toBeGreaterThan(time.now + over)
        return claims.claim(id, fingerprint, hold)
      },
      settle: (id, hold) => {
        log.push(`settle until ${hold.until}`)
        return claims.settle(id, hold)
      },
    }
    await using server = await serve((_seen, count) => {
      log.push('sent')
      return count === 1 ? cut : inserted
    })
    await using engine = testEngine({ clock: () => time.now })
    await engine.run(snowflakeAt(server.origin, { writes }), write)
    expect(log).toEqual(['claim at 0', 'sent', `claim at ${over}`, 'sent', 'settle until 0'])
  })

  test('is not sent again where its id cannot be claimed again', async () => {
    using time = movedTime()
    const { claim, settle } = createMemoryClaims(() => time.now)
    let claims = 0
    const writes: WriteClaims = {
      claim: (...asked) => {
        claims += 1
        return claims === 1 ? claim(...asked) : Promise.reject(fail('unavailable', { reason: 'no database' }))
      },
      settle,
    }
    await using server = await serve(() => cut)
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin, { writes }), write))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(server.seen).toHaveLength(1)
  })

  test('is given up after ten attempts', async () => {
    using time = movedTime()
    await using server = await serve(() => cut)
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), { ...write, params: { ...write.params, timeout: 1 } }))
    expect(error.code).toBe('outcome_unknown')
    expect(server.seen).toHaveLength(10)
  })

  test('under an Idempotency-Key is repeated by its request id instead of the key: both name the write', async () => {
    await using server = await serve(() => cut)
    await using engine = testEngine()
    const call = { ...insert, params: { ...insert.params, timeout: 600 } }
    const { hint } = await failure(engine.run(snowflakeAt(server.origin), { ...call, idempotencyKey: 'a' }))
    expect(hint).toMatch(/requestId [-0-9a-f]{36} and retry true, instead of the Idempotency-Key/)
    expect((await failure(engine.run(snowflakeAt(server.origin), call))).hint).not.toMatch(/Idempotency-Key|statementHandle/)
  })

  test('as nobody tells what became of a statement that ran is asked for by its handle', async () => {
    using time = movedTime()
    let told = handle
    const started = () => running({ body: { statementHandle: told } })
    await using server = await serve(({ method }) => (method === 'POST' ? started() : refusal(401, '394400')))
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(error.hint).toContain(`result_partitions get with statementHandle ${handle} and partition 0`)
    told = '../<b>'
    expect((await failure(engine.run(snowflakeAt(server.origin), insert))).hint).not.toContain(told)
  })

  test('of a caller that went away is told so', async () => {
    const controller = new AbortController()
    await using server = await serve(() => (response) => {
      controller.abort(new Error('gone'))
      response.destroy()
    })
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), { ...write, signal: controller.signal }))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(server.seen).toHaveLength(1)
  })

  test('when the deadline ends it amid the request', async () => {
    using timers = heldTimers()
    await using server = await serve(() => () => timers.pass(100))
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), { ...write, deadlineMs: 100 }))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(error.retryAfterMs).toBeGreaterThan(20_000)
  })
})

describe('a write that began earlier', () => {
  const repeated = { ...write, params: { ...write.params, retry: true } }
  /** A call that ends without knowing what became of its write, for 602 seconds. */
  const long = { ...write, params: { ...write.params, timeout: 600 } }

  test('and can be at work longer than the call may take is not repeated: the error says when', async () => {
    await using server = await serve(() => cut)
    const time = { now: 1_780_000_000_000 }
    await using engine = testEngine({ clock: () => time.now })
    const writes = createMemoryClaims(() => time.now)
    await failure(engine.run(snowflakeAt(server.origin, { writes }), long))
    time.now += 100_000
    const error = await failure(
      engine.run(snowflakeAt(server.origin, { writes }), { ...repeated, params: { ...long.params, retry: true } }),
    )
    expect(error).toMatchObject({ code: 'outcome_unknown', retryAfterMs: 502_000, upstream: { request_id: requestId } })
    expect(server.seen).toHaveLength(1)
  })

  test('is not the same write with another time limit: it would not be known when the first is over', async () => {
    await using server = await serve(() => cut)
    await using engine = testEngine()
    const writes = createMemoryClaims()
    await failure(engine.run(snowflakeAt(server.origin, { writes }), long))
    const error = await failure(engine.run(snowflakeAt(server.origin, { writes }), repeated))
    expect(error).toMatchObject({ code: 'request_id_conflict', status: 409, hint: expect.stringContaining('timeout') })
    expect(server.seen).toHaveLength(1)
  })

  test('is the same write with the usual time limit written out', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const writes = createMemoryClaims()
    await engine.run(snowflakeAt(server.origin, { writes }), write)
    await engine.run(snowflakeAt(server.origin, { writes }), { ...repeated, params: { ...repeated.params, timeout: 20 } })
    expect(server.seen.map(queryOf)).toEqual([first, again])
  })
})

describe('a write that is still running', () => {
  test('and whose result cannot be asked for ends as unknown, and is never sent again', async () => {
    using time = movedTime()
    await using server = await serve(({ method }) => (method === 'POST' ? running() : refusal(500, '')))
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'outcome_unknown', upstream: { request_id: requestId } })
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET'])
  })

  test('and fails is a statement that failed', async () => {
    using time = movedTime()
    await using server = await serve(({ method }) => (method === 'POST' ? running() : refusal(422, '100038', 'Numeric value')))
    await using engine = testEngine({ clock: () => time.now })
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'statement_failed', upstream: { code: '100038', request_id: requestId } })
  })

  test('and whose handle is missing ends as unknown', async () => {
    await using server = await serve(() => running({ body: { statementHandle: undefined } }))
    await using engine = testEngine()
    expect(await failure(engine.run(snowflakeAt(server.origin), write))).toMatchObject({ code: 'outcome_unknown' })
    expect(server.seen).toHaveLength(1)
  })
})

describe('a write that was certainly not carried out', () => {
  test('as the connection was refused is sent again at once, as a first one', async () => {
    await using closed = await serve(() => inserted)
    const { origin } = closed
    await closed[Symbol.asyncDispose]()
    const seen: string[] = []
    const late = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.end(JSON.stringify(Reflect.get(inserted, 'body')))
    })
    const waits: number[] = []
    vi.spyOn(Deadline.prototype, 'pause').mockImplementation(async (milliseconds) => {
      waits.push(milliseconds)
      if (waits.filter((wait) => wait === 0).length > 2 && !late.listening) {
        late.listen(Number(new URL(origin).port), '127.0.0.1')
        await once(late, 'listening')
      }
    })
    await using engine = testEngine()
    await engine.run(snowflakeAt(origin), write).finally(() => {
      vi.restoreAllMocks()
      late.closeAllConnections()
      late.close()
    })
    expect(seen).toEqual([`/api/v2/statements?requestId=${requestId}`])
    expect(waits.every((wait) => wait === 0)).toBe(true)
  })

  test('as no connection can be made ends with that', async () => {
    await using closed = await serve(() => inserted)
    const { origin } = closed
    await closed[Symbol.asyncDispose]()
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(origin), write))
    expect(error).toMatchObject({ code: 'upstream_unreachable', upstream: { request_id: requestId } })
  })

  test('as there were too many requests waits for its turn, and is sent as a repetition', async () => {
    using time = movedTime()
    const busy = { ...refusal(429, '390505', 'Too many requests.'), headers: { 'retry-after': '3' } }
    await using server = await serve((_seen, count) => (count < 4 ? busy : inserted))
    await using engine = testEngine({ clock: () => time.now })
    await engine.run(snowflakeAt(server.origin), write)
    expect(server.seen.map(queryOf)).toEqual([first, again, again, again])
    expect(time.waits).toEqual([3_000, 3_000, 3_000])
  })

  test('as there are too many requests for longer than the call may take is told so, with the time', async () => {
    const busy = { ...refusal(429, '390505', 'Too many requests.'), headers: { 'retry-after': '600' } }
    await using server = await serve(() => busy)
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 600_000, upstream: { request_id: requestId } })
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    [400, '391917', 'upstream_invalid_request'],
    [401, '394400', 'upstream_auth_failed'],
    [403, '', 'upstream_permission_denied'],
    [404, '', 'upstream_invalid_request'],
    [422, '000904', 'statement_failed'],
    [422, '000606', 'upstream_permission_denied'],
    [408, '000630', 'statement_timeout'],
  ])('as the vendor refused it with %i %s is not sent again', async (status, vendorCode, code) => {
    await using server = await serve(() => refusal(status, vendorCode))
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), write))
    expect(error).toMatchObject({ code, upstream: { status, request_id: requestId } })
    expect(server.seen).toHaveLength(1)
  })
})

describe('a read', () => {
  test.each([...lostAnswers.slice(0, 6), ['a refused turn', refusal(429, '390505')] as const])(
    'after %s is sent again without waiting for the first, under the same id',
    async (_what, answer) => {
      using time = movedTime()
      await using server = await serve((_seen, count) => (count < 3 ? answer : resultOf([['a']])))
      await using engine = testEngine({ clock: () => time.now })
      const { data } = await recorded(engine.run(snowflakeAt(server.origin), select))
      const [one, ...others] = server.seen.map(queryOf)
      expect(one).toEqual({ requestId: expect.any(String) })
      expect(others).toEqual([
        { ...one, retry: 'true' },
        { ...one, retry: 'true' },
      ])
      expect(data['data']).toEqual([['a']])
      expect(time.waits.every((wait) => wait < over)).toBe(true)
    },
  )

  test('is given up after three attempts, with the vendor’s own error', async () => {
    await using server = await serve(() => refusal(500, ''))
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), select))).code).toBe('upstream_error')
    expect(server.seen).toHaveLength(3)
  })
})
