import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import {
  insert,
  lostAnswers,
  movedTime,
  queryOf,
  recorded,
  refusal,
  requestId,
  resultOf,
  select,
  snowflakeAt,
} from './snowflake-support.ts'
import { failure, serve, testEngine } from './support.ts'

const inserted = resultOf([['1']])
const write = { ...insert, params: { ...insert.params, requestId } }
const first = { requestId }
const again = { requestId, retry: 'true' }
/** A write runs for 20 seconds at most, and two more are for the way there. */
const over = 22_000

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
