import { describe, expect, test, vi } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, basic, get, openWorld } from './client.ts'

const world = await openWorld({ limits: true })
const { sandbox, facts, clock, read } = world
const { api, oauth } = sandbox.origins.gong
const control = `${api}/_sandbox`
const headers = { authorization: basic }

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
