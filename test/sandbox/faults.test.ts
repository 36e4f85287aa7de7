import { describe, expect, test, vi } from 'vitest'
import type { Fault } from '../../packages/sandbox/src/index.ts'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, basic, get, openWorld, rows } from './client.ts'

const world = await openWorld({ limits: true })
const { sandbox, facts, clock, read, post } = world
const { api, oauth } = sandbox.origins.gong
const control = `${api}/_sandbox`
const headers = { authorization: basic }
const march = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-04-01T00:00:00Z' }

describe('limits', () => {
  test('three requests per second, then a wait of one second', async () => {
    const statuses = [await read('/v2/users'), await read('/v2/calls'), await read('/v2/workspaces')].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200])
    const over = await read('/v2/users', { authorization: 'Bearer sandbox-access-token' })
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '1'])
    expect(get(over.body, 'errors', 0)).toBe('API request limit exceeded')
    clock.now += 1000
    expect((await read('/v2/users')).status).toBe(200)
  })

  test('ten thousand a day, then a wait until the day ends', async () => {
    expect(sandbox.gong.switches.current().dailyLimit).toBe(10_000)
    sandbox.gong.switches.set({ dailyLimit: 2 })
    expect((await read('/v2/users')).status).toBe(200)
    expect((await read('/v2/users')).status).toBe(200)
    const over = await read('/v2/users')
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, String(5 * 3600)])
    clock.now += 5 * 3_600_000
    expect((await read('/v2/users')).status).toBe(200)
  })

  test('requests that are not let in cost nothing, and limits can be off', async () => {
    for (let count = 0; count < 5; count += 1) expect((await read('/v2/users', {})).status).toBe(401)
    sandbox.gong.switches.set({ limits: false })
    for (let count = 0; count < 5; count += 1) expect((await read('/v2/users')).status).toBe(200)
  })
})

describe('faults of the wire', () => {
  test('a status, once, with a time to wait and the shape of the vendor', async () => {
    sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 7200 })
    const first = await read('/v2/users')
    expect([first.status, first.headers.get('retry-after'), get(first.body, 'errors', 0)]).toEqual([
      429,
      '7200',
      'API request limit exceeded',
    ])
    expect((await read('/v2/users')).status).toBe(200)
  })

  test('a fault meets its origin, path and count only', async () => {
    sandbox.faults.add({ kind: 'status', status: 500, on: 'api', path: '/v2/calls', times: 2 })
    expect((await read('/v2/users')).status).toBe(200)
    expect((await read('/v2/calls')).status).toBe(500)
    expect(sandbox.faults.pending()).toEqual([{ kind: 'status', status: 500, on: 'api', path: '/v2/calls', times: 1 }])
    const { body, status } = await read(`/v2/calls/${facts.callId}`)
    expect([status, get(body, 'errors', 0)]).toEqual([500, 'Internal server error occurred'])
    expect((await read('/v2/calls')).status).toBe(200)
    expect(sandbox.faults.pending()).toEqual([])
  })

  test('each origin refuses in its own shape', async () => {
    sandbox.faults.add({ kind: 'status', status: 503, on: 'oauth' })
    sandbox.faults.add({ kind: 'status', status: 503, on: 'media' })
    expect((await ask(`${oauth}/oauth2/generate-customer-token`, { method: 'POST' })).body).toEqual({ error: 'server_error' })
    expect((await ask(sandbox.origins.gong.media)).text).toContain('<Code>SlowDown</Code>')
  })

  test.each<[Fault, number, RegExp]>([
    [{ kind: 'html-502' }, 502, /^<html>/],
    [{ kind: 'malformed-json' }, 200, /^\{.+\}$/],
    [{ kind: 'truncated-json' }, 200, /^\{"requestId".+/],
    [{ kind: 'empty-body' }, 200, /^$/],
  ])('%o answers no JSON', async (fault, status, text) => {
    sandbox.faults.add(fault)
    const answer = await read('/v2/workspaces')
    expect([answer.status, answer.body]).toEqual([status, undefined])
    expect(answer.text).toMatch(text)
  })

  test('JSON without the expected key', async () => {
    sandbox.faults.add({ kind: 'wrong-shape' })
    expect((await read('/v2/users')).body).toEqual({ requestId: 'wrongshape', status: 'ok' })
  })

  test('a redirect', async () => {
    sandbox.faults.add({ kind: 'redirect', location: 'http://169.254.169.254/latest' })
    const answer = await read('/v2/users')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://169.254.169.254/latest'])
  })

  test.each([true, false])('a huge body that is valid JSON, chunked: %s', async (chunked) => {
    sandbox.faults.add({ kind: 'huge-body', bytes: 1_000_001, chunked })
    const { body, text, headers: sent } = await read('/v2/users')
    expect(text).toHaveLength(1_000_001)
    expect(get(body, 'padding')).toBe('x'.repeat(1_000_001 - 14))
    expect(sent.get('content-length')).toBe(chunked ? null : '1000001')
  })

  test('a body that comes byte by byte is whole in the end', async () => {
    sandbox.faults.add({ kind: 'slow-body', intervalMs: 1 })
    expect(get((await read('/v2/users/1')).body, 'errors')).toEqual(['User not found'])
  })

  test('a body that never comes', async () => {
    sandbox.faults.add({ kind: 'slow-body' })
    const abort = new AbortController()
    const response = await fetch(`${api}/v2/users`, { headers, signal: abort.signal })
    expect(response.status).toBe(200)
    abort.abort()
    await expect(response.text()).rejects.toThrow()
  })

  test('a body that is cut', async () => {
    sandbox.faults.add({ kind: 'cut', after: 1000 })
    const response = await fetch(`${api}/v2/users`, { headers })
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1000)
    expect(first?.value).toHaveLength(1000)
    await expect(reader?.read()).rejects.toThrow()
  })

  test('a file that is cut', async () => {
    const selector = { filter: { callIds: [facts.largeCallId] }, contentSelector: { exposedFields: { media: true } } }
    const { body } = await post('/v2/calls/extensive', selector)
    sandbox.faults.add({ kind: 'cut', after: 300_000, on: 'media' })
    const response = await fetch(String(get(body, 'calls', 0, 'media', 'audioUrl')))
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  test('a connection that is reset', async () => {
    sandbox.faults.add({ kind: 'reset' })
    await expect(fetch(`${api}/v2/users`, { headers })).rejects.toThrow()
  })

  test('no answer at all, until the sandbox closes', async () => {
    const own = await startSandbox({ limits: false })
    own.faults.add({ kind: 'never-answer', path: '/v2/users' })
    const held = expect(fetch(`${own.origins.gong.api}/v2/users`, { headers })).rejects.toThrow()
    await vi.waitFor(() => expect(own.gong.requests()).toHaveLength(1), { timeout: 240_000 })
    expect((await ask(`${own.origins.gong.api}/v2/workspaces`, { headers })).status).toBe(200)
    await own.close()
    await held
  })
})

describe('faults of a page', () => {
  const page = (cursor?: unknown) => read(`/v2/calls?${new URLSearchParams({ ...march, ...(cursor ? { cursor: String(cursor) } : {}) })}`)
  const cursorOf = (answer: { body: unknown }) => get(answer.body, 'records', 'cursor')

  test('the same cursor again waits for a page that came with one', async () => {
    sandbox.faults.add({ kind: 'same-cursor' })
    const cursor = cursorOf(await page())
    expect(sandbox.faults.pending()).toHaveLength(1)
    expect(cursorOf(await page(cursor))).toBe(cursor)
    expect(cursorOf(await page(cursor))).not.toBe(cursor)
  })

  test('an expired cursor', async () => {
    sandbox.faults.add({ kind: 'expired-cursor' })
    const cursor = cursorOf(await page())
    const refused = await page(cursor)
    expect([refused.status, get(refused.body, 'errors')]).toEqual([400, ['Invalid or expired cursor']])
    expect((await page(cursor)).status).toBe(200)
  })

  test('a page of private calls leads on, also when it is the only one', async () => {
    sandbox.gong.switches.set({ limits: false })
    const filter = { callIds: [facts.callId, facts.largeCallId] }
    const isPrivate = (answer: { body: unknown }) => rows(answer.body, 'calls').map((call) => get(call, 'metaData', 'isPrivate'))
    sandbox.faults.add({ kind: 'private-page' })
    const first = await post('/v2/calls/extensive', { filter })
    expect(isPrivate(first)).toEqual([true, true])
    const second = await post('/v2/calls/extensive', { filter, cursor: cursorOf(first) })
    expect([isPrivate(second), cursorOf(second)]).toEqual([[false, false], undefined])
    sandbox.faults.add({ kind: 'private-page', on: 'api' })
    const list = await page()
    expect(rows(list.body, 'calls').every((call) => get(call, 'isPrivate') === true)).toBe(true)
    expect(get((await page(cursorOf(list))).body, 'records', 'currentPageNumber')).toBe(1)
  })
})

describe('control from outside', () => {
  const send = (path: string, body?: unknown, method = 'POST') =>
    ask(`${control}${path}`, { method, ...(body === undefined ? {} : { body }) })

  test('faults are added, listed and removed', async () => {
    const fault = { kind: 'status', status: 500, times: 3 }
    expect(await send('/faults', fault)).toMatchObject({ status: 201, body: { faults: [fault] } })
    expect((await read('/v2/users')).status).toBe(500)
    expect((await ask(`${control}/faults`)).body).toEqual({ faults: [{ ...fault, times: 2 }] })
    expect((await send('/faults', undefined, 'DELETE')).status).toBe(204)
    expect((await read('/v2/users')).status).toBe(200)
  })

  test.each([
    [{ kind: 'earthquake' }, 'kind must be one of status, html-403, html-502'],
    [{ kind: 'status' }, 'status must be a number'],
    [{ kind: 'status', status: 99 }, 'status must be from 200 to 599'],
    [{ kind: 'reset', times: -1 }, 'times must be a number'],
    [{ kind: 'reset', on: 'moon' }, 'on must be one of api, oauth, media'],
    [{ kind: 'reset', after: 3 }, 'after is not a field of the fault reset'],
    ['reset', 'A fault is a JSON object'],
  ])('%o is no fault', async (fault, says) => {
    const { status, body } = await send('/faults', fault)
    expect(status).toBe(400)
    expect(get(body, 'error')).toContain(says)
  })

  test('switches are set and checked', async () => {
    expect((await send('/switches', { limits: false })).body).toMatchObject({ switches: { limits: false, dailyLimit: 10_000 } })
    expect((await send('/switches', { limits: 'no' })).body).toEqual({ error: 'limits must be a boolean' })
    expect((await send('/switches', { apiBaseUrl: 'home' })).status).toBe(400)
    expect(get((await send('/switches', { gravity: true })).body, 'error')).toContain('gravity is not a switch')
    expect(() => sandbox.gong.switches.set(Object({ gravity: true }))).toThrow('gravity is not a switch')
    expect(() => sandbox.faults.add(Object({ kind: 'earthquake' }))).toThrow('kind must be one of')
  })

  test('a reset brings everything back', async () => {
    await send('/switches', { accessDenied: true })
    await send('/faults', { kind: 'reset' })
    await read('/v2/users', {}).catch(() => undefined)
    expect((await send('/reset')).status).toBe(204)
    expect(sandbox.gong.requests()).toEqual([])
    expect((await read('/v2/users')).status).toBe(200)
  })

  test('the world can be asked for, other addresses tell what there is', async () => {
    expect((await ask(`${control}/world`)).body).toEqual({ world: JSON.parse(JSON.stringify(facts)) })
    const unknown = await ask(`${control}/moon`)
    expect([unknown.status, String(get(unknown.body, 'error')).includes('POST /_sandbox/faults')]).toEqual([404, true])
  })
})
