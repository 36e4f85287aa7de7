import { describe, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { Stopping } from '../../packages/server/src/http/stopping.ts'
import { share } from '../support/share.ts'
import { base, client, connectorsPath, startWorld, tokenPath } from './support.ts'

let failure: unknown
const engine = (real: Engine): Pick<Engine, 'run'> => ({
  run: (connection, call) => (failure === undefined ? real.run(connection, call) : Promise.reject(failure)),
})
const world = await share(startWorld({ engine, settings: { corsOrigins: ['https://console.example'] } }))

describe('the id of a request', () => {
  test.each(['abc', 'A-1_2.3', 'x'.repeat(128)])('is the one that was sent: %s', async (id) => {
    expect((await world.ask('/health/live', { headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(id)
  })

  test.each(['', 'a b', 'x'.repeat(129), '<script>', 'a/b'])('is a new one instead of "%s"', async (id) => {
    const answer = await world.ask('/health/live', { headers: { 'x-request-id': id } })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-/)
  })
})

describe('every answer', () => {
  test.each([
    ['a success', '/health/live', 200],
    ['a refusal', `${base}/workspaces`, 401],
    ['nothing', '/nothing', 404],
  ])('is not stored and not sniffed: %s', async (_says, path, status) => {
    const answer = await world.ask(path)
    expect([answer.status, answer.headers['cache-control'], answer.headers['x-content-type-options']]).toEqual([
      status,
      'no-store',
      'nosniff',
    ])
  })

  test.each([
    ['a success', connectorsPath, 200],
    ['a refusal', `${base}/workspaces/nothing`, 404],
    ['nothing', '/api/nothing', 404],
  ])('of the API runs nothing when a browser shows it: %s', async (_says, path, status) => {
    const answer = await world.ask(path, { token: world.token })
    expect([answer.status, answer.headers['content-security-policy']]).toEqual([status, "sandbox; default-src 'none'"])
  })

  test('to HEAD is that to GET without its body', async () => {
    const [get, head] = [
      await world.ask(connectorsPath, { token: world.token }),
      await world.ask(connectorsPath, { method: 'HEAD', token: world.token }),
    ]
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
    expect((await world.ask(connectorsPath, { method: 'HEAD' })).status).toBe(401)
  })
})

describe('browsers', () => {
  const origin = 'https://console.example'
  test('of the configured origin may call', async () => {
    const preflight = await world.ask(connectorsPath, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, content-type' },
    })
    expect([preflight.status, preflight.headers['access-control-allow-origin'], preflight.headers['access-control-allow-headers']]).toEqual(
      [204, origin, 'authorization, content-type'],
    )
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
    const answer = await world.ask(connectorsPath, { headers: { origin } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, origin])
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After')
  })

  test('of other origins may not', async () => {
    const answer = await world.ask('/health/live', { headers: { origin: 'https://evil.example' } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('the log', () => {
  test('holds neither secrets nor queries nor bodies', async () => {
    const connectorId = await world.connect('logged')
    await world.ask(`${tokenPath}?client_secret=in-the-query`, { body: { client_id: client.id, client_secret: client.secret } })
    await world.ask(`${base}/workspaces?name_contains=in-the-query`, { token: world.token })
    await world.execute(connectorId, { entity: 'users', action: 'list', intent: 'in-the-body' })
    await world.ask(connectorsPath, { token: 'in-the-header', headers: { cookie: 'in-the-cookie' } })
    const log = world.log.join('')
    expect(log).toContain('"path":"/api/v1/workspaces"')
    for (const secret of ['in-the', client.secret, world.token, 'sandbox-secret']) expect(log).not.toContain(secret)
  })

  test('tells what nobody expected, and the client does not learn it', async () => {
    const connectorId = await world.connect('failing')
    failure = new Error('a broken thing inside', { cause: new Error('its reason') })
    const answer = await world.execute(connectorId, { entity: 'users', action: 'list' })
    failure = undefined
    expect([answer.status, answer.json.code, answer.json.fault, answer.json.retryable]).toEqual([500, 'internal_error', 'service', true])
    expect(answer.text).not.toContain('broken')
    const line = world.log.map((each) => JSON.parse(each)).find((each) => each.level === 'error')
    expect(line).toMatchObject({
      request_id: answer.json.request_id,
      err: { message: 'a broken thing inside', cause: { message: 'its reason' } },
    })
  })
})

test('a stopping service says first that it is not ready, then refuses new requests, and still says that it lives', async () => {
  const stopping = new Stopping()
  const other = await startWorld({ stopping })
  const delay = stopping.leave(60)
  const before = await other.ask(connectorsPath, { token: other.token })
  expect([before.status, (await other.ask('/health/ready')).status]).toEqual([200, 503])
  expect([stopping.skipDelay(), stopping.skipDelay()]).toEqual([true, false])
  await delay
  const refused = await other.ask(connectorsPath, { token: other.token })
  expect([refused.status, refused.json.code, refused.headers.connection]).toEqual([503, 'unavailable', 'close'])
  const ready = await other.ask('/health/ready')
  expect([ready.status, ready.json.code, ready.json.message]).toEqual([503, 'unavailable', 'The service is not ready: it is stopping.'])
  expect((await other.ask('/health/live')).status).toBe(200)
  await other.close()
})
