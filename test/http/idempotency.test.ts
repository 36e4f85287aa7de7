import { afterEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { type Answer, connectorsPath, createTenant, startWorld } from './support.ts'

const operation = `POST ${connectorsPath}/{connector_id}/execute`
const body = { entity: 'users', action: 'create', params: { name: 'Ada' } }

let calls: Call[]
/** What the vendor answers to a write; no kind of this service takes writes by every action yet. */
let answer: (call: Call) => Promise<Outcome> | Outcome
const created = () => ({ type: 'record', data: { id: 9_007_199_254_740_993n, n: calls.length }, meta: {} }) as const

const engine = (real: Engine): Pick<Engine, 'run'> => ({
  run: async (connection, call) => {
    if (call.action === 'list') return real.run(connection, call)
    calls.push(call)
    return answer(call)
  },
})
calls = []
answer = created
const world = await share(startWorld({ engine, settings: { concurrency: 2, corsOrigins: ['https://console.example'] } }))
const connectorId = await world.connect('written to')
afterEach(() => {
  calls = []
  answer = created
})

const sent = (key: string, more: object = {}, headers: Readonly<Record<string, string>> = {}) => ({
  token: world.token,
  body: { ...body, ...more },
  headers: { 'idempotency-key': key, ...headers },
})
const path = (id = connectorId) => `${connectorsPath}/${id}/execute`
const write = (key: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  world.ask(path(), sent(key, more, headers))

describe('a repeat with the same Idempotency-Key', () => {
  test.each(['create', 'update', 'delete'])('gives the answer of a %s again, byte for byte, and says so', async (action) => {
    const key = `again ${action}`
    const first = await write(key, { action })
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined])
    expect(first.text).toBe('{"data":{"id":9007199254740993,"n":1},"meta":{}}')
    const again = await write(key, { action })
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([200, 'true', first.text])
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect([again.headers['cache-control'], again.headers['x-content-type-options']]).toEqual(['no-store', 'nosniff'])
    expect(calls).toHaveLength(1)
  })

  test('gives an error again, byte for byte, with the id of the first request', async () => {
    answer = () => Promise.reject(fail('upstream_error', { vendor: 'Gong', reason: 'status 500' }, { upstream: { status: 500 } }))
    const first = await write('failed', {}, { 'x-request-id': 'the-first' })
    expect(first).toMatchObject({ status: 502, json: { code: 'upstream_error', retryable: false, request_id: 'the-first' } })
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    answer = created
    const again = await write('failed', {}, { 'x-request-id': 'the-second' })
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([502, 'true', first.text])
    expect([again.headers['content-type'], again.headers['x-request-id']]).toEqual([first.headers['content-type'], 'the-second'])
    expect(again.headers['retry-after']).toBeUndefined()
    expectDocumented(operation, again)
    expect(calls).toHaveLength(1)
  })

  test('gives an unknown outcome again, with the time after which the vendor can be asked', async () => {
    const slots = { vendor: 'Gong', request_id: 'r-1', reason: 'no answer came' }
    answer = () => Promise.reject(fail('outcome_unknown', slots, { retryAfterMs: 45_000 }))
    const first = await write('unknown')
    const again = await write('unknown')
    expect(first).toMatchObject({ status: 504, json: { code: 'outcome_unknown', retryable: false, retry_after_seconds: 45 } })
    expect([again.text, again.headers['retry-after'], again.headers['idempotent-replayed']]).toEqual([first.text, '45', 'true'])
    expectDocumented(operation, again)
  })

  test('and another body is refused', async () => {
    await write('other body')
    const refused = await write('other body', { params: { name: 'Bob' } })
    expect(refused).toMatchObject({ status: 409, json: { code: 'idempotency_key_conflict', fault: 'caller', retryable: false } })
    expect(refused.headers['idempotent-replayed']).toBeUndefined()
    expectDocumented(operation, refused)
  })

  test('while the first call runs is refused for a while', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    answer = async () => {
      arrive()
      await opened
      return created()
    }
    const first = write('running')
    await arrived
    const refused = await write('running')
    expect(refused).toMatchObject({ status: 409, json: { code: 'idempotency_key_in_flight', retryable: true, retry_after_seconds: 1 } })
    expect(refused.headers['retry-after']).toBe('1')
    expectDocumented(operation, refused)
    open()
    const { status, text } = await first
    expect([status, (await write('running')).text]).toEqual([200, text])
    expect(calls).toHaveLength(1)
  })

  test('in another organization is another write', async () => {
    const other = await createTenant(world, 'Other')
    const [mine, theirs] = [await write('shared'), await world.ask(path(other.connectorId), { ...sent('shared'), token: other.token })]
    expect([mine.status, theirs.status, theirs.headers['idempotent-replayed']]).toEqual([200, 200, undefined])
    const foreign = await world.ask(path(), { ...sent('shared'), token: other.token })
    expect(foreign).toMatchObject({ status: 404, json: { code: 'connector_not_found' } })
  })
})

describe('the header', () => {
  test.each(['', '~'.repeat(256), 'ü', 'a\tb'])('%j is refused with its field', async (key) => {
    const refused = await write(key)
    const errors = [
      { field: 'Idempotency-Key', message: 'Idempotency-Key must have 1 to 255 printable ASCII characters.', error_code: 'pattern' },
    ]
    expect(refused).toMatchObject({ status: 422, json: { code: 'validation_failed', errors } })
    expect(calls).toEqual([])
  })

  test('is no matter of reads, whatever it holds', async () => {
    for (const key of ['read', 'read', '~'.repeat(300)]) {
      const { status, headers } = await write(key, { action: 'list', params: {} })
      expect([status, headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    expect((await write('read')).headers['idempotent-replayed']).toBeUndefined()
  })

  test('of the answer can be read by scripts of a browser', async () => {
    const { headers } = await write('browser', {}, { origin: 'https://console.example' })
    expect(headers['access-control-expose-headers']).toContain('Idempotent-Replayed')
  })

  test('is in the document of the API', async () => {
    const { paths, components } = (await world.ask('/openapi.json')).json
    const { parameters, responses } = paths[`${connectorsPath}/{connector_id}/execute`].post
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    expect(components.parameters.IdempotencyKey).toMatchObject({ name: 'Idempotency-Key', in: 'header', schema: { maxLength: 255 } })
    expect(responses['200'].headers['Idempotent-Replayed']).toEqual({ $ref: '#/components/headers/IdempotentReplayed' })
    expect(responses['409'].description).toContain('idempotency_key_conflict, idempotency_key_in_flight, request_id_conflict')
    expect(responses['504'].description).toContain('outcome_unknown')
  })
})

describe('a write whose client goes away', () => {
  test('ends all the same, keeps its slot until then, and its answer can be asked for', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    answer = async (call) => {
      arrive()
      await opened
      expect(call.signal).toBeUndefined()
      return created()
    }
    const client = new AbortController()
    const gone = fetch(`${world.url}${path()}`, {
      method: 'POST',
      signal: client.signal,
      headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', 'idempotency-key': 'gone' },
      body: JSON.stringify(body),
    })
    await arrived
    client.abort()
    await expect(gone).rejects.toThrow()
    for (const _ of [1, 2]) await world.ask('/health/live') // what comes after the end of the other connection
    const second = write('second')
    expect((await write('third')).json.code).toBe('overloaded')
    open()
    expect((await second).status).toBe(200)
    expect(await write('gone')).toMatchObject({ status: 200, text: '{"data":{"id":9007199254740993,"n":2},"meta":{}}' })
  })
})
