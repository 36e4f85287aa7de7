/** Answers of vendors that tell their errors by codes of their own, whatever the status. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readVerdict } from '../../packages/ferrule/src/engine/call/answer.ts'
import { createRedactor } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { ErrorCode } from '../../packages/ferrule/src/errors.ts'
import { maxAttempts } from '../../packages/ferrule/src/retry.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { failure, listed, type Reply, serve, testEngine } from './support.ts'
import { coded, codedAt, token } from './verdict-support.ts'

const body = (code: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  code,
  message: 'Said.',
  request_id: 'r1',
  data: {},
  ...more,
})
const rows = { list: [{ id: '7' }] }

/** Returns the end of one call; a wait that is longer than its deadline is reported, not slept. */
async function ended(reply: Reply, { action = 'list', params = {} }: { action?: string; params?: Readonly<Record<string, unknown>> } = {}) {
  await using server = await serve(() => reply)
  await using engine = testEngine()
  const call = { entity: 'things', action, params }
  const end = await engine.run(codedAt(server.origin), call).catch((error: unknown) => error)
  return { end, requests: server.seen.length }
}
const failed = async (reply: Reply, call: Parameters<typeof ended>[1] = {}) =>
  failure(ended(reply, call).then(({ end }) => Promise.reject(end)))

describe('a code', () => {
  test.each([0, '0', 'OK'])('%j is a success', async (code) => {
    const { end } = await ended({ body: body(code, { data: rows }) })
    expect(end).toEqual({ type: 'list', data: [{ id: '7' }], meta: { next_params: null } })
  })

  test.each<[unknown, ErrorCode, string]>([
    [40105, 'upstream_auth_failed', '40105'],
    ['40105', 'upstream_auth_failed', '40105'],
    ['E_TOKEN', 'upstream_auth_failed', 'E_TOKEN'],
    [40000, 'upstream_invalid_request', '40000'],
    [49999, 'upstream_invalid_request', '49999'],
    [50000, 'upstream_error', '50000'],
    [59999, 'upstream_error', '59999'],
    [39999, 'upstream_error', '39999'],
    [60000, 'upstream_error', '60000'],
    [-1, 'upstream_error', '-1'],
    [1, 'upstream_error', '1'],
    ['00', 'upstream_error', '00'],
    ['e_token', 'upstream_error', 'e_token'],
    [9007199254740993n, 'upstream_error', '9007199254740993'],
  ])('%s in a 200 is %s', async (code, is, kept) => {
    const error = await failed({ body: body(code) })
    expect(error).toMatchObject({ code: is, upstream: { status: 200, code: kept, message: 'Said.', request_id: 'r1' } })
    expect(error.message).toContain(`Said (${kept})`)
  })

  test('that is none of a success is never a list, whatever comes with it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.integer(), fc.string(), fc.double(), fc.bigInt()), async (code) => {
        fc.pre(!['0', 'OK', '20001', '40404'].includes(String(code)))
        const { end } = await ended((response) => response.end(writeJson(body(code, { data: rows }))))
        expect(end).toBeInstanceOf(Error)
      }),
      { numRuns: 60 },
    )
  })

  test.each([[undefined], [null], [[]], [[0]], [{}], [{ '0': 0 }], [true], ['']])(
    '%j is no code: the answer cannot be used',
    async (code) => {
      const { end, requests } = await ended({ body: body(code, { data: rows }) })
      expect(end).toMatchObject({
        code: 'upstream_answer_invalid',
        message: 'The answer of Coded cannot be used: there is no code in it.',
        upstream: { status: 200, message: 'Said.', request_id: 'r1' },
      })
      expect(requests).toBe(2) // asked for once more
    },
  )

  test.each(['<html><body>Bad gateway</body></html>', '', '{"code":0,"data":{"list":[', '[]', 'null', '"OK"', '0'])(
    'in %j there is none, though the status is 200',
    async (text) => {
      expect((await failed({ body: text })).code).toBe('upstream_answer_invalid')
    },
  )

  test('counts before the status; without one the status decides', async () => {
    expect((await failed({ status: 500, body: body(40105) })).code).toBe('upstream_auth_failed')
    expect((await failed({ status: 404, body: '404 page not found' })).code).toBe('upstream_unsupported')
    expect((await failed({ status: 418, body: {} })).code).toBe('upstream_invalid_request')
    expect(await failed({ status: 502, body: '<html>' })).toMatchObject({ code: 'upstream_error', upstream: { status: 502 } })
    expect((await failed({ status: 500, body: body(0) })).code).toBe('upstream_error')
  })

  test('and a status, an action or a parameter of one row must all hold', async () => {
    expect((await failed({ status: 403, body: body(42000) })).code).toBe('upstream_permission_denied')
    expect((await failed({ body: body(42000) })).code).toBe('upstream_invalid_request')
    expect((await ended({ body: body(40404) })).end).toMatchObject({ type: 'list', data: [] })
    expect((await failed({ body: body(40404) }, { action: 'get', params: { id: '7' } })).code).toBe('record_not_found')
  })

  test('can be tried again as its error says, unless its row says otherwise', async () => {
    expect(await ended({ body: body(50000) })).toMatchObject({ end: { code: 'upstream_error', retryable: true }, requests: maxAttempts })
    expect(await ended({ body: body(40050) })).toMatchObject({ end: { code: 'upstream_conflict', retryable: false }, requests: 1 })
    expect(await ended({ body: body(40105) })).toMatchObject({ end: { hint: 'Connect anew.', retryable: false }, requests: 1 })
  })
})

describe('a wait', () => {
  test('stands in where the vendor tells no time', async () => {
    expect(await ended({ body: body(40100) })).toMatchObject({ end: { code: 'upstream_rate_limited', retryAfterMs: 120_000 }, requests: 1 })
    expect(await ended({ body: body(60001) })).toMatchObject({ end: { code: 'upstream_error', retryAfterMs: 300_000 }, requests: 1 })
    expect(await failed({ body: body(40100), headers: { 'retry-after': '77' } })).toMatchObject({ retryAfterMs: 77_000 })
  })
})

describe('what the vendor tells beside its records', () => {
  test('of a success that is not whole, its message', async () => {
    const { meta, data } = await told({ body: body(20001, { data: rows, message: 'Some were left out.' }) })
    expect(data).toEqual([{ id: '7' }])
    expect(meta).toEqual({ next_params: null, warnings: ['Some were left out.'] })
    expect((await told({ body: body(20001, { data: rows, message: '' }) })).meta['warnings']).toEqual(['code 20001'])
  })

  test('headers that the kind names, in its order, the message first', async () => {
    const headers = { 'x-left-out': '3 things', 'x-told': 'slow', 'x-other': 'no' }
    expect((await told({ headers: { 'x-told': '' }, body: body(0, { data: rows }) })).meta).toEqual({ next_params: null })
    expect((await told({ headers, body: body(0, { data: rows }) })).meta['warnings']).toEqual(['slow', '3 things'])
    expect((await told({ headers, body: body(20001, { data: rows }) })).meta['warnings']).toEqual(['Said.', 'slow', '3 things'])
  })

  test('also of one record', async () => {
    const { end } = await ended(
      { headers: { 'x-told': 'slow' }, body: body(0, { data: { id: '7' } }) },
      { action: 'get', params: { id: '7' } },
    )
    expect(end).toEqual({ type: 'record', data: { id: '7' }, meta: { warnings: ['slow'] } })
  })

  test('is cut, and holds no secret', async () => {
    const { meta } = await told({
      headers: { 'x-told': `with ${encodeURIComponent(token)} ${'x'.repeat(1_000)}` },
      body: body(20001, { data: rows, message: `${token} ${'y'.repeat(1_000)}` }),
    })
    expect(meta['warnings']).toEqual([expect.stringMatching(/^.{500}$/), expect.stringMatching(/^.{500}$/)])
    expect(writeJson(meta)).not.toContain('zxsecret')
  })

  const told = async (reply: Reply) => {
    await using server = await serve(() => reply)
    await using engine = testEngine()
    return await listed(engine.run(codedAt(server.origin), { entity: 'things', action: 'list' }))
  }
})

describe('what the vendor says', () => {
  const verdict = (text: string) => {
    const answer = { status: 200, headers: {}, text }
    const found = readVerdict({ kind: coded, action: 'list' }, answer, { params: {}, redact: createRedactor(() => [token]), now: 0 })
    if (found.is !== 'error') throw new Error('it is empty')
    return found.error
  }

  test('is kept without secrets, in whatever form they come back', () => {
    const said = [token, encodeURIComponent(token), new URLSearchParams({ a: token }).toString(), JSON.stringify(token)].join(' ')
    const error = verdict(writeJson(body(40105, { message: said, request_id: token })))
    expect(writeJson(error.toProblem())).not.toContain('zxsecret')
    expect(error.upstream).toMatchObject({ request_id: '[secret]' })
  })

  test('is the first message that is there', () => {
    expect(verdict(writeJson({ code: 40000, message: '', error: { text: ['a', 'b'] } })).upstream?.message).toBe('a; b')
    expect(verdict(writeJson({ code: 40000 })).message).toContain('status 200 (40000)')
  })
})
