/** Every fault of the vendor, through both doors: what recovers by itself, and the documented problem of what does not. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fault, startSandbox } from '../../packages/sandbox/src/index.ts'
import { heldTimers, serve } from '../engine/support.ts'
import type { Json } from '../http/support.ts'
import { share } from '../support/share.ts'
import { type Call, connectTo, type Door, type Ended, metBy, openHosted, openLibrary, withoutJitter } from './doors.ts'

const workspaces: Call = { entity: 'workspaces', action: 'list' }
const calls: Call = { entity: 'calls', action: 'list' }
const path = '/v2/workspaces'
const forever = 100

/** What the documents say of each code. */
const documented = {
  upstream_rate_limited: { status: 429, fault: 'vendor', retryable: true, hint: 'Wait for the time of Retry-After.' },
  upstream_error: { status: 502, fault: 'vendor', retryable: true, hint: 'Try again later.' },
  upstream_unreachable: {
    status: 502,
    fault: 'vendor',
    retryable: true,
    hint: 'Try again later; check the egress network if it persists.',
  },
  upstream_timeout: { status: 504, fault: 'vendor', retryable: true, hint: 'Try again, or ask for less.' },
  upstream_answer_invalid: { status: 502, fault: 'vendor', retryable: true, hint: 'Try again; report it if it persists.' },
  result_too_large: { status: 422, fault: 'caller', retryable: false, hint: 'Ask for fewer records or fields.' },
  invalid_cursor: {
    status: 400,
    fault: 'caller',
    retryable: false,
    hint: 'Gong cursors live for one hour: start again without a cursor.',
  },
} as const

/** The whole problem: members that are not expected here must be absent, but for the id of the request and the wording. */
function expectProblem(ended: Ended, code: keyof typeof documented, more: Readonly<Record<string, unknown>> = {}): void {
  const problem: Json = 'problem' in ended ? ended.problem : { code: 'it succeeded' }
  const { detail, message, instance, request_id, type, title, ...rest } = problem
  expect(rest).toEqual({ code, ...documented[code], errors: [], ...more })
  expect([detail, type]).toEqual([message, `urn:ferrule:error:${code}`])
  expect(JSON.stringify(problem)).not.toMatch(/sandbox-secret|c2FuZGJveDpzYW5kYm94LXNlY3JldA/)
}

const doors: readonly [string, (limit?: number) => Promise<Door>, number][] = [
  ['the service', openHosted, 1],
  ['the library', openLibrary, 1000],
]

describe.each(doors)('%s', async (_name, open, hasty) => {
  withoutJitter()
  const door = await share(open())
  const reference = await door.run(workspaces)
  beforeEach(() => door.sandbox.gong.clear())
  afterEach(() => door.sandbox.faults.clear())

  const recoveries: readonly [string, Fault, number][] = [
    ['one 429 that asks for a second', { kind: 'status', status: 429, retryAfter: 1 }, 2],
    ['one 500', { kind: 'status', status: 500 }, 2],
    ['two 503', { kind: 'status', status: 503, times: 2 }, 3],
    ['one page of a gateway', { kind: 'html-502' }, 2],
    ['one answer that is cut in its body', { kind: 'cut', after: 100 }, 2],
    ['one answer that is cut after its headers', { kind: 'cut', after: 0 }, 2],
    ['two connections that are reset', { kind: 'reset', times: 2 }, 3],
    ['a body that comes byte by byte', { kind: 'slow-body', intervalMs: 1 }, 1],
  ]
  test.each(recoveries)('recovers from %s', async (_what, fault, requests) => {
    door.sandbox.faults.add(fault)
    expect(await door.run(workspaces)).toEqual(reference)
    expect(metBy(door.sandbox)).toEqual(Array.from({ length: requests }, () => `GET ${path}`))
    expect(door.sandbox.faults.pending()).toEqual([])
  })

  const gateway = { upstream: { status: 502 } }
  const failed = { upstream: { status: 500, message: 'Internal server error occurred', request_id: expect.any(String) } }
  const slowDown = { upstream: { status: 429, message: 'API request limit exceeded', request_id: expect.any(String) } }
  const unreadable = { upstream: { status: 200 } }
  const problems: readonly [string, Fault, number, keyof typeof documented, Readonly<Record<string, unknown>>?][] = [
    [
      'a 429 for two hours',
      { kind: 'status', status: 429, retryAfter: 7200 },
      1,
      'upstream_rate_limited',
      { ...slowDown, retry_after_seconds: 7200 },
    ],
    [
      'a 429 without end',
      { kind: 'status', status: 429, retryAfter: 0, times: forever },
      3,
      'upstream_rate_limited',
      { ...slowDown, retry_after_seconds: 1 },
    ],
    ['a 500 without end', { kind: 'status', status: 500, times: forever }, 3, 'upstream_error', failed],
    ['a gateway that stays', { kind: 'html-502', times: forever }, 3, 'upstream_error', gateway],
    ['answers that are always cut', { kind: 'cut', after: 100, times: forever }, 3, 'upstream_unreachable'],
    ['connections that are always reset', { kind: 'reset', times: forever }, 3, 'upstream_unreachable'],
    ['malformed JSON', { kind: 'malformed-json', times: 2 }, 2, 'upstream_answer_invalid', unreadable],
    ['half of the JSON', { kind: 'truncated-json', times: 2 }, 2, 'upstream_answer_invalid', unreadable],
    ['an empty body', { kind: 'empty-body', times: 2 }, 2, 'upstream_answer_invalid', unreadable],
    ['JSON of another shape', { kind: 'wrong-shape' }, 1, 'upstream_answer_invalid'],
    ['a body of 40 MB', { kind: 'huge-body', bytes: 40_000_000 }, 1, 'result_too_large'],
    ['a body of 40 MB in chunks', { kind: 'huge-body', bytes: 40_000_000, chunked: true }, 1, 'result_too_large'],
  ]
  test.each(problems)('tells of %s', async (_what, fault, ...[requests, code, more]) => {
    door.sandbox.faults.add(fault)
    expectProblem(await door.run(workspaces), code, more)
    expect(metBy(door.sandbox)).toHaveLength(requests)
    door.sandbox.faults.clear()
    expect(await door.run(workspaces)).toEqual(reference)
  })

  test('tells of a redirect, and never calls where it leads', async () => {
    await using target = await serve(() => ({}))
    door.sandbox.faults.add({ kind: 'redirect', location: `${target.origin}/v2/workspaces` })
    const hint = 'Check the egress network: a proxy on the way can answer like this. Report it if it persists.'
    expectProblem(await door.run(workspaces), 'upstream_answer_invalid', { upstream: { status: 302 }, hint, retryable: false })
    expect([target.seen.length, metBy(door.sandbox).length]).toEqual([0, 1])
  })

  describe('in a walk', () => {
    const next = async (): Promise<Call> => {
      const first = await door.run(calls)
      if ('problem' in first) throw new Error(first.problem.message)
      return { ...calls, params: first.meta.next_params }
    }

    test('tells of a cursor that has expired', async () => {
      const second = await next()
      door.sandbox.faults.add({ kind: 'expired-cursor' })
      const upstream = { status: 400, message: 'Invalid or expired cursor', request_id: expect.any(String) }
      expectProblem(await door.run(second), 'invalid_cursor', { upstream })
      expect(await door.run(second)).toMatchObject({ meta: { current_page_number: 1 } })
    })

    test('shows a cursor that comes back as it is: the records are right, and the next position is the same', async () => {
      const second = await next()
      const page = await door.run(second)
      door.sandbox.faults.add({ kind: 'same-cursor' })
      const again = await door.run(second)
      expect(again).toMatchObject({ meta: { next_params: second.params } })
      expect('data' in again && 'data' in page && again.data).toEqual('data' in page && page.data)
    })

    test('tells of a lookup of its own that lost its position: the caller sent no cursor', async () => {
      const { callId } = door.sandbox.gong.world
      for (const kind of ['private-page', 'expired-cursor'] as const) door.sandbox.faults.add({ kind, path: '/v2/calls/extensive' })
      const ended = await door.run({ entity: 'call_transcripts', action: 'list', params: { filter: { callIds: [callId] } } })
      const upstream = { status: 400, message: 'Invalid or expired cursor', request_id: expect.any(String) }
      expectProblem(ended, 'upstream_answer_invalid', { upstream })
    })

    test('goes on after a page on which everything is private', async () => {
      door.sandbox.faults.add({ kind: 'private-page' })
      const page = await door.run(calls)
      expect(page).toMatchObject({ data: [], meta: { private_calls_excluded: 100, cursor: expect.any(String), current_page_number: 0 } })
      const params = 'meta' in page ? page.meta.next_params : {}
      expect(await door.run({ ...calls, params })).toMatchObject({ meta: { current_page_number: 1 } })
    })
  })

  describe('with a file', () => {
    const file = (): Call => ({
      entity: 'call_audio',
      action: 'download',
      params: {
        filter: { callIds: [door.sandbox.gong.world.callId] },
        contentSelector: { exposedFields: { media: true } },
        range_header: 'bytes=100-1099',
      },
    })
    const expected = () => ({
      status: 206,
      bytes: Buffer.from(door.sandbox.gong.mediaBytes(door.sandbox.gong.world.callId, 'audio', { offset: 100, length: 1000 })),
    })
    const add = (fault: Fault) => door.sandbox.faults.add({ on: 'media', ...fault })

    test('takes a new link when the first one is refused', async () => {
      add({ kind: 'status', status: 403 })
      expect(await door.bytes(file())).toEqual(expected())
      expect(metBy(door.sandbox)).toHaveLength(4)
    })

    test.each<[string, Fault]>([
      ['one 500', { kind: 'status', status: 500 }],
      ['two pages of a gateway', { kind: 'html-502', times: 2 }],
      ['one reset', { kind: 'reset' }],
    ])('recovers from %s of its host', async (_what, fault) => {
      add(fault)
      expect(await door.bytes(file())).toEqual(expected())
      expect(door.sandbox.faults.pending()).toEqual([])
    })

    const words = { code: 'InternalError', message: 'We encountered an internal error.' } // the host's own
    const faults: readonly [string, Fault, keyof typeof documented, Readonly<Record<string, unknown>>?][] = [
      ['a 500 without end', { kind: 'status', status: 500, times: 3 }, 'upstream_error', { upstream: { status: 500, ...words } }],
      ['a gateway that stays', { kind: 'html-502', times: 3 }, 'upstream_error', gateway],
      ['connections that are always reset', { kind: 'reset', times: 3 }, 'upstream_unreachable'],
      [
        'links that are always refused',
        { kind: 'status', status: 403, times: 2 },
        'upstream_error',
        { upstream: { status: 403, ...words } },
      ],
    ]
    test.each(faults)('tells of %s', async (_what, fault, ...[code, more]) => {
      add(fault)
      const ended = await door.bytes(file())
      if (ended === 'broken' || !('problem' in ended)) throw new Error('it succeeded')
      expectProblem(ended, code, more)
      expect(await door.bytes(file())).toEqual(expected())
    })

    test('breaks when the transfer is cut: a part is never taken for the whole', async () => {
      add({ kind: 'cut', after: 500 })
      expect(await door.bytes(file())).toBe('broken')
    })
  })

  describe('at the end of its time', async () => {
    const limited = await share(open(hasty))

    test.each<[string, Fault]>([
      ['never answers', { kind: 'never-answer' }],
      ['stops after the headers', { kind: 'slow-body' }],
      ['sends a byte now and then', { kind: 'slow-body', intervalMs: 200 }],
    ])('tells of a vendor that %s', async (_what, fault) => {
      limited.sandbox.faults.add(fault)
      using timers = heldTimers()
      const ending = limited.run(workspaces)
      await expect.poll(() => metBy(limited.sandbox)).toHaveLength(1)
      timers.pass(1_000)
      const ended = await ending
      expectProblem(ended, 'upstream_timeout')
      expect(ended).toMatchObject({ problem: { message: 'Gong did not answer in time: no answer within 1 second.' } })
      expect(metBy(limited.sandbox)).toHaveLength(1)
      limited.sandbox.gong.clear()
    })
  })
})

describe('the library, walking', () => {
  test('stops with an error at a cursor that comes back', async () => {
    await using sandbox = await startSandbox({ limits: false })
    await using gong = connectTo(sandbox)
    sandbox.faults.add({ kind: 'same-cursor' })
    const seen: number[] = []
    const walk = async () => {
      for await (const { data } of gong.users.pages()) seen.push(data.length)
    }
    await expect(walk()).rejects.toMatchObject({ code: 'upstream_answer_invalid', fault: 'vendor', retryable: true })
    expect(seen).toEqual([100, 100])
  })
})
