/** Every code of the vendor, which comes with HTTP 200, and the faults where the ways of an advertising call differ. Through both doors. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { type ErrorCode, errorTable } from '../../packages/ferrule/src/errors.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { type Fault, tiktokCredentials as known, type Sandbox } from '../../packages/sandbox/src/index.ts'
import type { Json } from '../http/support.ts'
import { sandboxAds } from '../http/tiktok-support.ts'
import { share } from '../support/share.ts'
import { type Call, type Door, type Ended, openHosted, openLibrary, withoutJitter } from './doors.ts'

/** A small account that the documented token reads. */
const advertiser_id = '7398164205713920643'
const ads: Call = { entity: 'ads', action: 'list', params: { page_size: 5 } }
const path = '/open_api/v1.3/ad/get/'
const connectAds = ({ origins }: Sandbox) =>
  connect('tiktok-marketing', {
    credentials: { access_token: known.accessToken },
    config: { advertiser_id },
    origin: origins['tiktok-marketing'],
    limits: false,
  })
const doors: readonly [string, () => Promise<Door>][] = [
  ['the service', () => openHosted(60, sandboxAds('faults', { replication_config: { advertiser_id } }))],
  ['the library', () => openLibrary(60_000, connectAds)],
]

/** What each code is told as, row by row as the vendor's codes are grouped: error, whether to retry, requests that it takes. */
const rows: readonly [readonly number[], ErrorCode, boolean, number][] = [
  [[40104], 'upstream_auth_failed', false, 1],
  [[40105], 'upstream_auth_failed', false, 1],
  [[40102], 'upstream_auth_failed', false, 1],
  [[40101, 40110, 40113, 40115, 40116, 40108, 40109, 40103, 40107], 'upstream_auth_failed', false, 1],
  [[40106, 40119], 'upstream_permission_denied', false, 1],
  [[40001], 'upstream_permission_denied', false, 1],
  [[40118, 40124, 40125], 'upstream_permission_denied', false, 1],
  [[41000], 'upstream_permission_denied', false, 1],
  [[40000, 40002], 'upstream_invalid_request', false, 1],
  [[40006, 40051, 40010, 41001, 41002, 40117], 'upstream_invalid_request', false, 1],
  [[40011], 'upstream_invalid_request', false, 1],
  [[40067], 'upstream_invalid_request', false, 1],
  [[40007, 40300, 40301], 'record_not_found', false, 1],
  [[40008, 40009, 40013, 40014], 'upstream_unsupported', false, 1],
  [[40100, 40016, 40133, 40132], 'upstream_rate_limited', true, 3],
  [[40050], 'upstream_conflict', false, 1],
  [[40202], 'upstream_conflict', true, 3],
  [[40200, 40201, 40700], 'upstream_error', true, 3],
  [[51001, 51039], 'upstream_timeout', true, 3],
  [[40900, 40912, 40999, 40052, 40053, 40502], 'upstream_invalid_request', false, 1],
  [[50000, 50002, 51305], 'upstream_error', true, 3],
  [[60001], 'upstream_error', true, 1],
  [[40114, 40130], 'upstream_auth_failed', false, 1],
  [[61000], 'upstream_rate_limited', true, 3],
  [[40003, 41999, 42900, 49999], 'upstream_invalid_request', false, 1],
  [[50001, 55555, 59999], 'upstream_error', true, 3],
]
const codes = rows.flatMap(([group, ...told]) => group.map((code) => [code, ...told] as const))

/** Seconds to wait that the caller gets where the vendor names none. */
const waits: Readonly<Record<number, number>> = { 40100: 1, 40016: 1, 40132: 1, 40133: 1, 61000: 1, 60001: 300 }

describe.each(doors)('%s', async (_name, open) => {
  beforeEach(() => door.sandbox.tiktok.clear())
  afterEach(() => door.sandbox.faults.clear())
  const add = (fault: Fault) => door.sandbox.faults.add({ on: 'tiktok', ...fault })
  const data = async (): Promise<Json> => {
    const ended = await door.run(ads)
    return 'data' in ended ? ended.data : ended
  }
  const met = () => door.sandbox.tiktok.requests().map((request) => `${request.method} ${request.path}`)
  const problemOf = (ended: Ended): Json => ('problem' in ended ? ended.problem : { code: 'it succeeded' })

  withoutJitter()
  const door = await share(open())
  const reference = await data()
  expect(reference).toHaveLength(5)

  test.each(codes)('%i is %s, retryable: %s', async (code, ...[error, retryable, requests]) => {
    using pause = vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
    const message = `said of ${code} by the vendor`
    add({ kind: 'code', code, message, times: 100 })
    const problem = problemOf(await door.run(ads))
    expect(problem).toMatchObject({
      ...{ code: error, retryable, status: errorTable[error].status, fault: errorTable[error].fault },
      upstream: { status: 200, code: String(code), message, request_id: expect.stringMatching(/^\d{14}[0-9A-F]{20}$/) },
      hint: expect.stringMatching(/\.$/),
    })
    expect(problem.retry_after_seconds).toBe(waits[code])
    if (error !== 'upstream_rate_limited') expect(problem.message).toContain(`${message} (${code})`)
    expect(JSON.stringify(problem)).not.toContain(known.accessToken)
    expect(met()).toEqual(Array(requests).fill(`GET ${path}`))
    expect(pause.mock.calls.filter(([milliseconds]) => milliseconds > 60_000)).toEqual([])
  })

  test('20001 is a success that is not whole: without records it is an empty list that says so', async () => {
    add({ kind: 'code', code: 20001 })
    expect(await door.run(ads)).toMatchObject({ data: [], meta: { warnings: expect.arrayContaining([expect.any(String)]) } })
  })

  const recoveries: readonly [string, Fault, number][] = [
    ['one 40100', { kind: 'code', code: 40100 }, 2],
    ['two 40133', { kind: 'code', code: 40133, times: 2 }, 3],
    ['two 50000', { kind: 'code', code: 50000, times: 2 }, 3],
    ['one 503 and another', { kind: 'status', status: 503, times: 2 }, 3],
    ['one page of a gateway', { kind: 'html-502' }, 2],
    ['one answer that is cut in its body', { kind: 'cut', after: 100 }, 2],
    ['one connection that is reset', { kind: 'reset' }, 2],
  ]
  test.each(recoveries)('recovers from %s', async (_what, fault, requests) => {
    using _pause = vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
    add(fault)
    expect(await data()).toEqual(reference)
    expect(met()).toEqual(Array(requests).fill(`GET ${path}`))
  })

  const offPath = { code: 'upstream_unsupported', status: 422, retryable: false, hint: expect.stringContaining('defect of the connector') }
  const unreadable = { code: 'upstream_answer_invalid', status: 502, retryable: true, upstream: { status: 200 } }
  const problems: readonly [string, Fault, number, object][] = [
    ['a 404', { kind: 'status', status: 404 }, 1, { ...offPath, upstream: { status: 404 } }],
    ['a 405', { kind: 'status', status: 405 }, 1, { ...offPath, upstream: { status: 405 } }],
    [
      'a 500 without end',
      { kind: 'status', status: 500, times: 9 },
      3,
      { code: 'upstream_error', upstream: { status: 500, code: '50000' } },
    ],
    ['a gateway that stays', { kind: 'html-502', times: 9 }, 3, { code: 'upstream_error', upstream: { status: 502 } }],
    ['another gateway that stays', { kind: 'html-503', times: 9 }, 3, { code: 'upstream_error', upstream: { status: 503 } }],
    ['a 503 for two hours', { kind: 'status', status: 503, retryAfter: 7200 }, 1, { code: 'upstream_error', retry_after_seconds: 7200 }],
    ['a redirect', { kind: 'redirect', location: 'http://169.254.169.254/' }, 1, { code: 'upstream_answer_invalid' }],
    ['answers that are always cut', { kind: 'cut', after: 100, times: 9 }, 3, { code: 'upstream_unreachable' }],
    ['malformed JSON', { kind: 'malformed-json', times: 2 }, 2, unreadable],
    ['half of the JSON', { kind: 'truncated-json', times: 2 }, 2, unreadable],
    ['an empty body', { kind: 'empty-body', times: 2 }, 2, unreadable],
    ['JSON of another shape, which has no code', { kind: 'wrong-shape', times: 2 }, 2, unreadable],
    ['a body of 40 MB', { kind: 'huge-body', bytes: 40_000_000 }, 1, { code: 'result_too_large', retryable: false }],
  ]
  test.each(problems)('tells of %s', async (_what, fault, ...[requests, problem]) => {
    using _pause = vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
    add(fault)
    const told = problemOf(await door.run(ads))
    expect(told).toMatchObject(problem)
    expect(JSON.stringify(told)).not.toContain(known.accessToken)
    expect(met()).toHaveLength(requests)
    door.sandbox.faults.clear()
    expect(await data()).toEqual(reference)
  })
})
