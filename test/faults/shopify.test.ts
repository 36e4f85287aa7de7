/** Faults where the ways of a Shopify call differ: decimal waits, the token in a header, positions in links. Through both doors. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { type Fault, type Sandbox, shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { serve } from '../engine/support.ts'
import { type Json, sandboxStore } from '../http/support.ts'
import { share } from '../support/share.ts'
import { type Call, type Door, type Ended, openHosted, openLibrary, withoutJitter } from './doors.ts'

const { shop, token } = shopifyCredentials
const orders: Call = { entity: 'orders', action: 'list', params: { limit: 2, since_id: 0 } }
const path = '/admin/api/2026-07/orders.json'
const connectStore = ({ origins }: Sandbox) =>
  connect('shopify', { credentials: { api_key: token }, config: { shop }, origin: origins.shopify, limits: false })

const doors: readonly [string, () => Promise<Door>][] = [
  ['the service', () => openHosted(60, sandboxStore('faults'))],
  ['the library', () => openLibrary(60_000, connectStore)],
]
const refusal = (errors: string) => ({ message: errors, request_id: expect.any(String) })
const slowDown = refusal('Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.')

describe.each(doors)('%s', async (_name, open) => {
  beforeEach(() => door.sandbox.shopify.clear())
  afterEach(() => door.sandbox.faults.clear())
  const add = (fault: Fault) => door.sandbox.faults.add({ on: 'shopify', ...fault })
  /** The records: positions hold the time until which they are good. */
  const data = async (): Promise<Json> => {
    const ended = await door.run(orders)
    return 'data' in ended ? ended.data : ended
  }
  const met = () => door.sandbox.shopify.requests().map((request) => `${request.method} ${request.path}`)
  const problemOf = (ended: Ended): Json => ('problem' in ended ? ended.problem : { code: 'it succeeded' })

  withoutJitter()
  const door = await share(open())
  const reference = await data()
  expect(reference).toHaveLength(2)

  test('waits for the two seconds of a 429 that says 2.0', async () => {
    using pause = vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
    add({ kind: 'status', status: 429, retryAfter: 2 })
    expect(await data()).toEqual(reference)
    expect(pause.mock.calls).toEqual([[2000]])
    expect(met()).toEqual([`GET ${path}`, `GET ${path}`])
  })

  const recoveries: readonly [string, Fault, number][] = [
    ['one 429 that says 0.0', { kind: 'status', status: 429, retryAfter: 0 }, 2],
    ['one 503 and another', { kind: 'status', status: 503, times: 2 }, 3],
    ['one page of a gateway', { kind: 'html-502' }, 2],
    ['one answer that is cut in its body', { kind: 'cut', after: 100 }, 2],
    ['one connection that is reset', { kind: 'reset' }, 2],
  ]
  test.each(recoveries)('recovers from %s', async (_what, fault, requests) => {
    add(fault)
    expect(await data()).toEqual(reference)
    expect(met()).toEqual(Array.from({ length: requests }, () => `GET ${path}`))
  })

  const problems: readonly [string, Fault, number, object][] = [
    [
      'a 429 for two hours, at once',
      { kind: 'status', status: 429, retryAfter: 7200 },
      1,
      { code: 'upstream_rate_limited', status: 429, retry_after_seconds: 7200, upstream: { status: 429, ...slowDown } },
    ],
    [
      'a 429 without end',
      { kind: 'status', status: 429, retryAfter: 0, times: 100 },
      3,
      { code: 'upstream_rate_limited', upstream: { status: 429, ...slowDown } },
    ],
    [
      'a 500 without end',
      { kind: 'status', status: 500, times: 100 },
      3,
      { code: 'upstream_error', status: 502, upstream: { status: 500, ...refusal('Internal Server Error') } },
    ],
    ['a 501', { kind: 'status', status: 501 }, 1, { code: 'upstream_unsupported', retryable: false }],
    [
      'a 422',
      { kind: 'status', status: 422, message: 'is too late' },
      1,
      { code: 'upstream_invalid_request', retryable: false, upstream: { status: 422, ...refusal('base: is too late') } },
    ],
    ['answers that are always cut', { kind: 'cut', after: 100, times: 100 }, 3, { code: 'upstream_unreachable', status: 502 }],
    [
      'malformed JSON',
      { kind: 'malformed-json', times: 2 },
      2,
      { code: 'upstream_answer_invalid', status: 502, upstream: { status: 200 } },
    ],
    ['half of the JSON', { kind: 'truncated-json', times: 2 }, 2, { code: 'upstream_answer_invalid', upstream: { status: 200 } }],
    ['an empty body', { kind: 'empty-body', times: 2 }, 2, { code: 'upstream_answer_invalid', upstream: { status: 200 } }],
    ['JSON of another shape', { kind: 'wrong-shape' }, 1, { code: 'upstream_answer_invalid' }],
    ['a body of 40 MB', { kind: 'huge-body', bytes: 40_000_000 }, 1, { code: 'result_too_large', retryable: false }],
  ]
  test.each(problems)('tells of %s', async (_what, fault, ...[requests, problem]) => {
    add(fault)
    const told = problemOf(await door.run(orders))
    expect(told).toMatchObject(problem)
    expect(JSON.stringify(told)).not.toContain(token)
    expect(met()).toHaveLength(requests)
    door.sandbox.faults.clear()
    expect(await data()).toEqual(reference)
  })

  test('tells of a redirect to another host, and never sends the token there', async () => {
    await using target = await serve(() => ({ body: { orders: [] } }))
    for (const status of [301, 302, 303, 307, 308]) {
      add({ kind: 'redirect', status, location: `${target.origin}${path}` })
      expect(problemOf(await door.run(orders))).toMatchObject({ code: 'upstream_answer_invalid', upstream: { status } })
    }
    expect([target.seen, met().length]).toEqual([[], 5])
  })

  test('tells of a position that has ended, and goes on with it where it has not', async () => {
    const first = await door.run(orders)
    const second = { ...orders, params: { ...orders.params, ...('meta' in first ? first.meta.next_params : {}) } }
    add({ kind: 'expired-cursor' })
    expect(problemOf(await door.run(second))).toMatchObject({
      code: 'invalid_cursor',
      status: 400,
      upstream: { status: 400, ...refusal('page_info: Invalid value.') },
    })
    const page = await door.run(second)
    expect('data' in page && page.data).toHaveLength(2)
  })
})
