import { describe, expect, test } from 'vitest'
import { handle, insert, movedTime, queryOf, recorded, refusal, resultOf, running, select, snowflakeAt } from './snowflake-support.ts'
import { failure, heldTimers, type Reply, serve, testEngine } from './support.ts'

const status = `/api/v2/statements/${handle}`
const cancel = `${status}/cancel`
const part = (partition: number) => ({ entity: 'result_partitions', action: 'get', params: { statementHandle: handle, partition } })
const next = { next_operation: { entity: 'result_partitions', action: 'get' }, next_params: { statementHandle: handle, partition: 0 } }

/** Answers the submission, then the questions, then whatever else. */
const vendor = (answers: readonly Reply[]) => serve((_seen, count) => answers[Math.min(count, answers.length) - 1] ?? resultOf([]))

describe('a statement that is still running', () => {
  test('is asked for with growing pauses until its result is there', async () => {
    using time = movedTime()
    const still = running()
    await using server = await vendor([
      still,
      still,
      still,
      running({ status: 429 }),
      still,
      still,
      resultOf([['a']], { body: { requestId: 'r' } }),
    ])
    await using engine = testEngine({ clock: () => time.now })
    const { data, meta } = await recorded(engine.run(snowflakeAt(server.origin), select))
    expect(server.seen.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)).toEqual([
      'POST /api/v2/statements',
      ...Array.from({ length: 6 }, () => `GET ${status}`),
    ])
    expect(time.waits).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000])
    expect(data).toMatchObject({ code: '090001', data: [['a']], requestId: 'r' })
    expect(meta).toMatchObject({ statement_handle: handle, next_params: null })
  })

  test('is asked for under the same token, without a body', async () => {
    using _time = movedTime()
    await using server = await vendor([running(), resultOf([])])
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin), select)
    const [submitted, asked] = server.seen
    expect(asked?.headers['authorization']).toBe(submitted?.headers['authorization'])
    expect(asked?.headers['x-snowflake-authorization-token-type']).toBe('PROGRAMMATIC_ACCESS_TOKEN')
    expect(asked?.body).toBe('')
    expect(asked?.headers).not.toHaveProperty('content-type')
  })

  test.each([
    [422, '000904', 'statement_failed'],
    [422, '000604', 'statement_failed'],
    [422, '000630', 'statement_timeout'],
    [408, '333334', 'statement_timeout'],
    [422, '000709', 'record_not_found'],
    [401, '394400', 'upstream_auth_failed'],
  ])('and ends with %i %s is that error', async (answered, code, error) => {
    using _time = movedTime()
    await using server = await vendor([running(), running(), refusal(answered, code)])
    await using engine = testEngine()
    expect(await failure(engine.run(snowflakeAt(server.origin), select))).toMatchObject({ code: error, upstream: { code } })
    expect(server.seen).toHaveLength(3)
  })

  test('and whose result was cut short is an error, never rows', async () => {
    using _time = movedTime()
    await using server = await vendor([running(), resultOf([['a']], { body: { code: '391908', message: 'Result set too large.' } })])
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), select))).code).toBe('upstream_result_too_large')
  })

  test('survives questions that fail, and is not submitted again', async () => {
    using _time = movedTime()
    await using server = await vendor([running(), refusal(503, ''), (response) => response.destroy(), resultOf([['a']])])
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), select))).data['data']).toEqual([['a']])
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET'])
  })

  test('without a handle is an answer that is not valid', async () => {
    await using server = await vendor([running({ body: { statementHandle: undefined } })])
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), select))).code).toBe('upstream_answer_invalid')
  })

  test.each(['..', '', '../../oauth/token-request', `${handle}?x=1#`, 'https://evil.example/'])(
    'is never asked for elsewhere, whatever the vendor calls its handle: %j',
    async (statementHandle) => {
      using _time = movedTime()
      await using server = await vendor([running({ body: { statementHandle, statementStatusUrl: 'https://evil.example/' } }), resultOf([])])
      await using engine = testEngine()
      await engine.run(snowflakeAt(server.origin), select).catch(() => undefined)
      for (const { url } of server.seen.slice(1)) expect(url).toBe(`/api/v2/statements/${encodeURIComponent(statementHandle)}`)
    },
  )
})

describe('the deadline of a call', () => {
  test.each([
    ['read', select],
    ['write', insert],
  ])('ends a %s with the status record and what asks for the result', async (_what, call) => {
    using _time = movedTime(400)
    await using server = await serve(({ method }) => running({ body: method === 'GET' ? { createdOn: 1780000000000 } : {} }))
    await using engine = testEngine()
    const { data, meta } = await recorded(engine.run(snowflakeAt(server.origin), call))
    const [submitted, ...asked] = server.seen
    const requestId = submitted === undefined ? '' : queryOf(submitted)['requestId']
    expect(data).toMatchObject({ code: '333334', statementHandle: handle, data: null, requestId, createdOn: 1780000000000 })
    expect(meta).toEqual({ next_page_url: null, request_id: requestId, statement_handle: handle, partition_info: null, ...next })
    expect(asked.map(({ url }) => url)).toEqual([status])
  })

  test('that comes before the first question ends it with the answer to the submission', async () => {
    using _time = movedTime(200)
    await using server = await serve(() => running())
    await using engine = testEngine()
    const { data, meta } = await recorded(engine.run(snowflakeAt(server.origin), select))
    expect(data).toMatchObject({ code: '333334', statementHandle: handle })
    expect(meta).toMatchObject(next)
    expect(server.seen).toHaveLength(1)
  })

  test('that comes amid a question ends it with the last status', async () => {
    using _time = movedTime()
    using timers = heldTimers()
    await using server = await vendor([running(), () => timers.pass(500)])
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), { ...select, deadlineMs: 500 }))).meta).toMatchObject(next)
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  test('after a question that was answered with 429 gives the last 202', async () => {
    using _time = movedTime(500)
    await using server = await vendor([running({ body: { message: 'first' } }), running({ status: 429, body: { code: '390505' } })])
    await using engine = testEngine()
    const { data } = await recorded(engine.run(snowflakeAt(server.origin), select))
    expect(data).toMatchObject({ code: '333334', message: 'first' })
  })

  test('ends what asks for the result in the same way, and another call goes on', async () => {
    using _time = movedTime(200)
    await using server = await serve((_seen, count) => (count < 2 ? running() : resultOf([['a']])))
    await using engine = testEngine()
    const waiting = await recorded(engine.run(snowflakeAt(server.origin), part(0)))
    expect(waiting.meta).toMatchObject(next)
    const { data, meta } = await recorded(
      engine.run(snowflakeAt(server.origin), { ...part(0), params: Object(waiting.meta['next_params']) }),
    )
    expect(data).toMatchObject({ data: [['a']], statementHandle: handle })
    expect(meta['next_params']).toBeNull()
  })
})

describe('a part of a result that is not ready', () => {
  test('is asked for by its own number', async () => {
    using time = movedTime()
    await using server = await vendor([running(), running({ status: 429 }), { body: { data: [['c']] } }])
    await using engine = testEngine({ clock: () => time.now })
    const { data } = await recorded(engine.run(snowflakeAt(server.origin), part(2)))
    const polls = Array.from({ length: 3 }, () => `${status}?partition=2`)
    expect(server.seen.map(({ url }) => url)).toEqual([...polls, `${status}?partition=0`]) // the first part says how many rows it should have
    expect(data['data']).toEqual([['c']])
  })
})

describe('a caller that goes away', () => {
  /** A vendor that keeps running; the caller leaves at the first question. */
  async function abandoned(call: { entity: string; action: string; params: object }) {
    const controller = new AbortController()
    const cancelled = Promise.withResolvers<void>()
    await using server = await serve(({ method, url }) => {
      if (url === cancel) cancelled.resolve()
      if (method === 'GET') controller.abort(new Error('gone'))
      return running()
    })
    await using engine = testEngine()
    const ended: unknown = await engine
      .run(snowflakeAt(server.origin), { ...call, signal: controller.signal })
      .catch((error: unknown) => error)
    return { ended, requests: server.seen.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`), seen: [...server.seen] }
  }

  test('ends a read at the vendor', async () => {
    const { ended, requests, seen } = await abandoned(select)
    expect(ended).toMatchObject({ message: 'gone' })
    expect(requests).toEqual(['POST /api/v2/statements', `GET ${status}`, `POST ${cancel}`])
    expect(seen[2]?.body).toBe('')
  })

  test('never ends a write', async () => {
    const { ended, requests } = await abandoned(insert)
    expect(ended).toMatchObject({ code: 'outcome_unknown' })
    expect(requests).toEqual(['POST /api/v2/statements', `GET ${status}`])
  })

  test('does not end what another call began: it may be a write', async () => {
    const { ended, requests } = await abandoned(part(0))
    expect(ended).toMatchObject({ message: 'gone' })
    expect(requests).toEqual([`GET ${status}`])
  })

  test('gets its own reason, also where the vendor does not take the cancellation', async () => {
    const controller = new AbortController()
    await using server = await serve(({ method, url }) => {
      if (method === 'GET') controller.abort(new Error('gone'))
      return url === cancel ? refusal(422, '000709') : running()
    })
    await using engine = testEngine()
    await expect(engine.run(snowflakeAt(server.origin), { ...select, signal: controller.signal })).rejects.toThrow('gone')
    expect(server.seen).toHaveLength(3)
  })
})
