import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { listen } from '../support/listen.ts'
import { movedTime } from './snowflake-support.ts'
import { callOf, failure, gongAt, heldTimers, listed, pageOf, serve, type TestServer, testEngine } from './support.ts'

const page = pageOf({ calls: [callOf('7')] })
const listCalls = { entity: 'calls', action: 'list' }
const ok = { body: page }
const broken = { status: 500, body: { errors: ['Internal server error occurred'] } }

/** A length that the body does not reach, then the end of the connection. */
const cut = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
  response.write('{"calls":[', () => response.destroy())
}
const cutChunks = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"calls":[', () => response.destroy())
}

/** Speaks raw TCP: answers each request with this text and ends the connection. */
async function serveRaw(text: string): Promise<TestServer> {
  const seen: TestServer['seen'][number][] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      seen.push({ method: '', url: '', headers: {}, body: data.toString() })
      socket.end(text)
    })
  })
  return { seen, ...(await listen(server)) }
}

describe('a read survives', () => {
  test.each([
    ['one 500', broken],
    ['one 429 that asks for no wait', { status: 429, body: { errors: ['slow down'] } }],
    ['one 429 with a short wait', { status: 429, headers: { 'retry-after': '0.005' }, body: { errors: ['slow down'] } }],
    ['one 503 with a short wait', { status: 503, headers: { 'retry-after': '0.005' }, body: 'busy' }],
    ['one answer that is cut', cut],
    ['one answer that is cut between chunks', cutChunks],
    ['one connection that is closed', (response: ServerResponse) => response.destroy()],
  ])('%s', async (_what, first) => {
    await using server = await serve((_seen, count) => (count === 1 ? first : ok))
    await using engine = testEngine()
    const { data } = await listed(engine.run(gongAt(server.origin), listCalls))
    expect(data).toHaveLength(1)
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v2/calls', 'GET /v2/calls'])
  })
})

describe('a read ends', () => {
  test('after three attempts', async () => {
    await using server = await serve(() => broken)
    await using engine = testEngine()
    const error = await failure(engine.run(gongAt(server.origin), listCalls))
    expect(error).toMatchObject({
      code: 'upstream_error',
      retryable: true,
      upstream: { status: 500, message: 'Internal server error occurred' },
    })
    expect(server.seen).toHaveLength(3)
  })

  test.each([
    ['3600', 3_600_000],
    ['7200.5', 7_200_500],
    [new Date(Date.parse('2026-01-01T02:00:00Z')).toUTCString(), 7_200_000],
  ])('at once when the vendor asks for %s', async (header, retryAfterMs) => {
    await using server = await serve(() => ({ status: 429, headers: { 'retry-after': header }, body: { errors: ['quota'] } }))
    await using engine = testEngine({ clock: () => Date.parse('2026-01-01T00:00:00Z') })
    const error = await failure(engine.run(gongAt(server.origin), listCalls))
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs })
    expect(error.toProblem().retry_after_seconds).toBe(Math.ceil(retryAfterMs / 1000))
    expect(server.seen).toHaveLength(1)
  })

  test('when nothing listens', async () => {
    const { origin } = await (async () => {
      await using server = await serve(() => ok)
      return server
    })()
    await using engine = testEngine()
    expect(await failure(engine.run(gongAt(origin), listCalls))).toMatchObject({ code: 'upstream_unreachable', retryable: true })
  })

  test('on a redirect, which is not followed', async () => {
    await using other = await serve(() => ok)
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await serve(() => ({ status, headers: { location: `${other.origin}/v2/calls?secret=1` } }))
      await using engine = testEngine()
      const error = await failure(engine.run(gongAt(server.origin), listCalls))
      expect(error.code).toBe('upstream_answer_invalid')
      expect(error.message).not.toContain('secret')
      expect(server.seen).toHaveLength(1)
    }
    expect(other.seen).toHaveLength(0)
  })

  test.each(['{"calls":[', '', '<html></html>', '\uFEFF\uFEFF{}'])(
    'on %j, which is not JSON when it is asked for once more either',
    async (body) => {
      await using server = await serve(() => ({ body }))
      await using engine = testEngine()
      expect((await failure(engine.run(gongAt(server.origin), listCalls))).code).toBe('upstream_answer_invalid')
      expect(server.seen).toHaveLength(2)
    },
  )

  test('on an answer that is larger than it may be', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20)
    await using server = await serve(() => (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (response.write(chunk)) if (response.destroyed) return
        response.once('drain', more)
      }
      more()
    })
    await using engine = testEngine()
    expect((await failure(engine.run(gongAt(server.origin), listCalls))).code).toBe('result_too_large')
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    ['a vendor that does not answer', (_response: ServerResponse, over: () => void) => over()],
    [
      'a vendor that stops amid its answer',
      (response: ServerResponse, over: () => void) => {
        response.writeHead(200, { 'content-length': '500' })
        response.write('{"calls":[', over)
      },
    ],
  ])('at its deadline: %s', async (_what, answer) => {
    using timers = heldTimers()
    await using server = await serve(() => (response) => answer(response, () => timers.pass(60)))
    await using engine = testEngine()
    const error = await failure(engine.run(gongAt(server.origin), { ...listCalls, deadlineMs: 60 }))
    expect(error).toMatchObject({ code: 'upstream_timeout', retryable: true })
    expect(server.seen).toHaveLength(1)
  })

  test('at its deadline while it waits for the vendor rate', async () => {
    await using server = await serve(() => ok)
    using time = movedTime(500)
    await using engine = testEngine({ limits: true, clock: () => time.now })
    const call = () => engine.run(gongAt(server.origin), listCalls)
    for (let count = 0; count < 3; count++) await call()
    const error = await failure(call())
    expect(error.code).toBe('upstream_rate_limited')
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(server.seen).toHaveLength(3)
  })

  test('for every connector with the same key when the vendor asks to wait', async () => {
    await using server = await serve(() => ({ status: 429, headers: { 'retry-after': '3600' }, body: { errors: ['daily quota'] } }))
    await using engine = testEngine({ limits: true })
    await failure(engine.run(gongAt(server.origin), listCalls))
    const error = await failure(engine.run(gongAt(server.origin), { entity: 'users', action: 'list' }))
    expect(error.code).toBe('upstream_rate_limited')
    expect(server.seen).toHaveLength(1)
    const other = gongAt(server.origin, { values: { access_key: 'OTHER', access_key_secret: 'SECRET' } })
    await failure(engine.run(other, listCalls))
    expect(server.seen).toHaveLength(2)
  })

  test('when the caller aborts, with the caller’s reason', async () => {
    const reason = new Error('the client went away')
    const controller = new AbortController()
    await using server = await serve(() => () => controller.abort(reason))
    await using engine = testEngine()
    const ended = engine.run(gongAt(server.origin), { ...listCalls, signal: controller.signal })
    await expect(ended).rejects.toBe(reason)
    expect(server.seen).toHaveLength(1)
  })

  test('before it begins when the caller has aborted already', async () => {
    const reason = new Error('gone')
    await using server = await serve(() => ok)
    await using engine = testEngine()
    await expect(engine.run(gongAt(server.origin), { ...listCalls, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.seen).toHaveLength(0)
  })

  test('when the caller aborts during a pause that the vendor asked for', async () => {
    const reason = new Error('gone')
    const controller = new AbortController()
    await using server = await serve(() => (response) => {
      response.writeHead(429, { 'retry-after': '20' }).end('{}', () => setImmediate(() => controller.abort(reason)))
    })
    await using engine = testEngine()
    await expect(engine.run(gongAt(server.origin), { ...listCalls, signal: controller.signal })).rejects.toBe(reason)
  })

  test.each([
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nnot a chunk',
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}',
  ])('on %j, which is not HTTP', async (text) => {
    await using server = await serveRaw(text)
    await using engine = testEngine()
    expect((await failure(engine.run(gongAt(server.origin), listCalls))).code).toBe('upstream_unreachable')
  })

  test('when the engine is closed', async () => {
    const engine = testEngine()
    await using server = await serve(() => async () => {
      await engine.close()
    })
    const ended = await engine.run(gongAt(server.origin), listCalls).catch((error: unknown) => error)
    expect(ended).toBeInstanceOf(FerruleError)
  })
})

describe('deadlines', () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_SAFE_INTEGER])('a deadline of %s ms is a long one', async (deadlineMs) => {
    await using server = await serve(() => ok)
    await using engine = testEngine()
    expect((await listed(engine.run(gongAt(server.origin), { ...listCalls, deadlineMs }))).data).toHaveLength(1)
  })
})
