import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { readEvents } from './event-streams.ts'
import { eventually, search, startCopyWorld } from './search-support.ts'
import { beginSession, postForm } from './session-support.ts'
import { type Answer, client, connectorsPath, type Json, type Sent, tokenPath } from './support.ts'

const base = `${connectorsPath}/{connector_id}`
const uuid = /^[0-9a-f-]{36}$/

/** Calls of syncs wait while it is closed. */
let gate: ReturnType<typeof Promise.withResolvers<void>> | undefined
const gated = (engine: Engine): Partial<Engine> => ({
  checkAccount: async () => undefined, // credentials are wrong only when a sync uses them

  run: async (connection, call) => {
    if (call.background) await gate?.promise
    return engine.run(connection, call)
  },
})

let connector: string
let number = 0
const world = await share(startCopyWorld('postgres', { engine: gated, streams: { lookMs: 50 } }))
beforeEach(async () => {
  number += 1
  connector = await world.connect(`syncs ${number}`, { entities: [{ entity: 'users' }, { entity: 'settings_scorecards' }] })
})
// A node takes some runs at a time, and one removal: work that tests leave behind would be done instead of that of the next test.
afterEach(async () => {
  await world.ask(`${connectorsPath}/${connector}`, { method: 'DELETE', token: world.token })
  await world.context.sync()
})

/** One request about the connector. @param operation such as `GET /syncs` */
async function ask(operation: string, sent: Sent = {}, slots: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name) => slots[name] ?? '')
  const answer = await world.ask(`${connectorsPath}/${connector}${filled}`, { token: world.token, ...sent, method })
  expectDocumented(`${method} ${base}${path.split('?')[0]}`, answer)
  return answer
}

const status = async (): Promise<Json> => (await ask('GET /context_store')).json
const entity = async (name: string): Promise<Json> => (await status()).entities.find((each: Json) => each.entity === name)

/** The route whose document has an event. */
const streamOf = (event: string): string => `${base}${event === 'run' ? '/syncs/{sync_id}' : '/context_store'}/events`

const events = (answer: IncomingMessage) => readEvents(answer, streamOf)

describe('a stream', () => {
  const open = (path: string) => world.open(`${connectorsPath}/${connector}${path}`, { token: world.token })

  test('of a run ends with the run', async () => {
    const { json: run } = await ask('POST /syncs')
    const answer = await open(`/syncs/${run.id}/events`)
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['x-accel-buffering']]).toEqual([
      200,
      'text/event-stream',
      'no',
    ])
    const stream = events(answer)
    const first = await stream.next()
    expect(first.value).toMatchObject({ event: 'run', data: { id: run.id, state: 'queued' } })
    await world.context.sync()
    const states = await Array.fromAsync(stream, ({ data }) => data.state)
    expect(states.at(-1)).toBe('succeeded')
  })

  test('of a status goes on until its client leaves', async () => {
    const { syncs } = world.platform
    const { watchStatus } = syncs
    const left = Promise.withResolvers<void>()
    const watched: typeof watchStatus = async function* (...given) {
      try {
        yield* watchStatus(...given)
      } finally {
        left.resolve()
      }
    }
    Object.assign(syncs, { watchStatus: watched })
    const answer = await open('/context_store/events')
    Object.assign(syncs, { watchStatus })
    const stream = events(answer)
    expect((await stream.next()).value).toMatchObject({ event: 'status', data: { state: 'loading' } })
    await world.context.sync()
    for await (const { data } of stream) if (data.state === 'ready') break
    answer.destroy()
    await left.promise
  })

  test('of a status ends with the session that opened it', async () => {
    const headers = await beginSession(world)
    const answer = await world.open(`${connectorsPath}/${connector}/context_store/events`, { headers })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const ended = new Promise((resolve) => answer.once('close', resolve).once('error', resolve).resume())
    await postForm(world, '/console/session/end', { headers })
    await ended
  })

  test('of a status ends when all is filled, for those who only wait for that', async () => {
    const answer = await open('/context_store/events?until=filled')
    const states: string[] = []
    const reading = (async () => {
      for await (const { data } of events(answer)) states.push(data.state)
    })()
    await world.context.sync()
    await reading
    expect(states.at(-1)).toBe('ready')
  })
})

describe('a new connector', () => {
  test('is synced by itself, and its status tells how far it is', async () => {
    const before = await status()
    expect([before.state, before.ready_for_search, before.records, before.synced_at]).toEqual(['loading', false, 0, null])
    expect(before.queued).toMatchObject({ state: 'queued', mode: 'full', cause: 'created', entities: null })
    await world.context.sync()
    const after = await status()
    expect([after.state, after.ready_for_search, after.queued, after.running]).toEqual(['ready', true, null, null])
    expect(after.synced_at).toBe(new Date(world.clock.now).toISOString())
    expect(await entity('users')).toMatchObject({ state: 'ready', complete: true, records: 312, last_error: null, reason: null })
    expect(await entity('calls')).toMatchObject({ state: 'disabled', reason: 'the connector is limited to other entities' })
  })

  test('is looked at as existing clients do', async () => {
    await world.context.sync()
    const { json } = await ask('GET /inspect')
    expect(json.name).toBe(`syncs ${number}`)
    expect(json.context_store_readiness.supported_context_store_entities).toContainEqual({ entity: 'calls', suggested: true })
    expect(json.context_store_readiness.configured_cache_entities).toEqual([
      {
        entity: 'users',
        status: 'ready',
        ready_for_search: true,
        supported: true,
        entity_count: 312,
        updated_at: expect.any(String),
        semantic_search_status: [],
      },
      expect.objectContaining({ entity: 'settings_scorecards', status: 'ready' }),
    ])
    expect(json.warnings).toEqual([])
    const { json: record } = await world.ask(`${connectorsPath}/${connector}`, { token: world.token })
    expect(record.source_template).toMatchObject({ runtime_mode: 'direct_and_context_store', supports_context_store: true })
  })

  test('that cannot be read says why, where it is looked for', async () => {
    const principal = await world.platform.tokens.authenticate(world.token, undefined)
    await world.platform.connectors.patch(principal, connector, { credentials: { access_key_secret: 'wrong' } })
    await world.context.sync()
    expect((await entity('users')).last_error).toMatchObject({ code: 'upstream_auth_failed', hint: expect.any(String) })
    expect((await ask('GET /inspect')).json.warnings.join()).toContain('refused the credentials')
    const answer = await search(world, connector, { entity: 'users', params: { query: {} } })
    expect([answer.status, answer.json.retryable]).toEqual([409, false])
    expect(answer.json.detail).toContain('refused the credentials')
  })
})

describe('runs', () => {
  test('are asked for, read, listed and found by their state', async () => {
    await world.context.sync()
    world.clock.now += 1_000
    const asked = await ask('POST /syncs', { body: { mode: 'incremental', entities: ['users'] } })
    expect(asked.status).toBe(202)
    expect(asked.json).toMatchObject({
      id: expect.stringMatching(uuid),
      state: 'queued',
      mode: 'incremental',
      entities: ['users'],
      cause: 'demand',
    })
    const slots = { sync_id: asked.json.id }
    await world.context.sync()
    const { json: run } = await ask('GET /syncs/{sync_id}', {}, slots)
    expect(run).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      error: null,
      results: [{ entity: 'users', state: 'complete', error: null }],
    })
    expect(run.progress).toMatchObject({ records: 312, removed: 0 })
    const first = (await ask('GET /syncs?limit=1')).json
    expect(first.data.map(({ id }: Json) => id)).toEqual([run.id])
    const rest = await world.ask(first.next, { token: world.token })
    expect(rest.json.data.map(({ cause }: Json) => cause)).toEqual(['created'])
    expect((await ask('GET /syncs?state=failed')).json.data).toEqual([])
  })

  test('may be asked for without a body, and join the one that waits', async () => {
    const asked = await ask('POST /syncs')
    expect(asked.json).toMatchObject({ state: 'queued', mode: 'full', cause: 'created' })
    expect((await ask('POST /syncs')).json.id).toBe(asked.json.id)
  })

  test('are cancelled, and stay so', async () => {
    const { json: run } = await ask('POST /syncs')
    const cancelled = await ask('DELETE /syncs/{sync_id}', {}, { sync_id: run.id })
    expect([cancelled.status, cancelled.json.state]).toEqual([200, 'cancelled'])
    await world.context.sync()
    expect((await ask('DELETE /syncs/{sync_id}', {}, { sync_id: run.id })).json).toEqual(cancelled.json)
    expect((await status()).state).toBe('loading')
  })

  test('that are not there', async () => {
    for (const sync_id of [randomUUID(), 'none', '..%2fx'])
      for (const operation of ['GET /syncs/{sync_id}', 'DELETE /syncs/{sync_id}', 'GET /syncs/{sync_id}/events']) {
        const { status: code, json } = await ask(operation, {}, { sync_id })
        expect([code, json.code]).toEqual([404, 'sync_not_found'])
      }
  })
})

test('while a run runs, a search of what is not filled yet is told to come again soon, and may take what is there', async () => {
  gate = Promise.withResolvers()
  await world.context.worker.tick()
  await eventually(status, ({ running }) => running !== null)
  const asked = { entity: 'users', params: { query: {}, limit: 1 } }
  const early = await search(world, connector, asked)
  expect([early.status, early.json.code, early.headers['retry-after']]).toEqual([409, 'context_store_not_ready', '5'])
  const stored = { key: '1', fields: { id: '1', firstName: 'Ada' } }
  await world.context.store.writeBatch({ connector, kind: 'gong', entity: 'users' }, { records: [stored], asked: world.clock.now })
  const refused = await search(world, connector, asked)
  expect(refused.status).toBe(409)
  expect(refused.json.message).toContain(`its status is ${(await entity('users')).state}`)
  const partial = await search(world, connector, { ...asked, allow_partial: true })
  expect(partial.json.data).toMatchObject([{ id: '1', firstName: 'Ada' }])
  expect(partial.json.context_store).toMatchObject({ synced_at: null, complete: false })
  expectDocumented(`POST ${base}/execute`, partial)
  world.clock.now += 1_000
  const waiting = search(world, connector, { ...asked, max_age: 60 })
  gate.resolve()
  await world.context.worker.idle()
  // It began before the search, and that is young enough.
  expect((await waiting).json.context_store.complete).toBe(true)
  expect((await search(world, connector, asked)).json.context_store.complete).toBe(true)
})

describe('schedules', () => {
  test('are set for the connector and for entities', async () => {
    const put = (body: object) => ask('PUT /context_store/schedule', { body })
    expect((await put({ interval_seconds: 120 })).json.data).toMatchObject([
      { entities: null, interval_seconds: 120, default: false, paused: false },
    ])
    const { json } = await put({ entity: 'users', interval_seconds: 600, paused: true })
    expect(json.data).toMatchObject([
      { entities: null, interval_seconds: 120 },
      { entities: ['users'], interval_seconds: 600, paused: true, next_run_at: null },
    ])
    expect((await status()).schedules).toEqual(json.data)
    await put({ entity: 'users', interval_seconds: null })
    expect((await put({ interval_seconds: null })).json.data).toMatchObject([{ entities: null, interval_seconds: 3_600, default: true }])
  })
})

describe('a reset', () => {
  test('empties the copy and fills it anew', async () => {
    await world.context.sync()
    const { status: code, json: run } = await ask('DELETE /context_store')
    expect([code, run.state, run.mode]).toEqual([202, 'queued', 'full'])
    expect(await status()).toMatchObject({ state: 'loading', ready_for_search: false })
    const answer = await search(world, connector, { entity: 'users', params: { query: {} } })
    expect([answer.status, answer.json.code]).toEqual([409, 'context_store_not_ready'])
    for (let turn = 0; turn < 3; turn += 1) await world.context.sync()
    expect(await status()).toMatchObject({ state: 'ready', ready_for_search: true })
  })

  test('of some entities leaves the others', async () => {
    await world.context.sync()
    expect((await ask('DELETE /context_store?entities=settings_scorecards')).json.entities).toEqual(['settings_scorecards'])
    expect([(await entity('users')).state, (await entity('settings_scorecards')).state]).toEqual(['ready', 'loading'])
  })
})

describe('what is wrong is refused, with its field', () => {
  test.each([
    ['POST /syncs', { mode: 'quick' }, '/mode'],
    ['POST /syncs', { entities: [] }, '/entities'],
    ['POST /syncs', { entities: ['users', 'workspaces'] }, '/entities/1'],
    ['POST /syncs', { full: true }, '/full'],
    ['GET /syncs?state=done', undefined, '/state'],
    ['GET /syncs?limit=101', undefined, '/limit'],
    ['PUT /context_store/schedule', { interval_seconds: 59 }, '/interval_seconds'],
    ['PUT /context_store/schedule', { interval_seconds: 2_592_001 }, '/interval_seconds'],
    ['PUT /context_store/schedule', { paused: 'no' }, '/paused'],
    ['PUT /context_store/schedule', { entity: 'workspaces', paused: true }, '/entity'],
    ['DELETE /context_store?entities=users,none', undefined, '/entities/1'],
    ['DELETE /context_store?all=1', undefined, '/all'],
  ])('%s %o', async (operation, body, field) => {
    const { status: code, json } = await ask(operation, body === undefined ? {} : { body })
    expect([code, json.code, json.errors[0]?.field]).toEqual([422, 'validation_failed', field])
  })

  test('a cursor of another list', async () => {
    expect((await ask('GET /syncs?cursor=AAAA')).json.code).toBe('invalid_cursor')
  })
})

describe('scopes', () => {
  async function tokenOf(scope: string): Promise<string> {
    const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret, scope } })
    return String(json.access_token)
  }
  const reading = [
    'GET /context_store',
    'GET /context_store/events',
    'GET /inspect',
    'GET /syncs',
    `GET /syncs/{sync_id}`,
    'GET /syncs/{sync_id}/events',
  ]
  const writing = ['POST /syncs', 'DELETE /syncs/{sync_id}', 'PUT /context_store/schedule', 'DELETE /context_store']

  test.each([
    [writing, 'connectors:read'],
    [reading, 'execute:read'],
    [['GET /entities/{entity}/export', 'GET /entities/{entity}/changes', 'GET /consumers', 'GET /consumers/{name}'], 'connectors:read'],
    [['DELETE /consumers/{name}', 'PUT /consumers/{name}'], 'execute:read'],
  ])('%s need more than %s', async (operations, scope) => {
    const token = await tokenOf(scope)
    for (const operation of operations) {
      const answer = await ask(
        operation,
        { token, ...(operation.startsWith('P') ? { body: {} } : {}) },
        { sync_id: randomUUID(), entity: 'users', name: 'none' },
      )
      expect([operation, answer.status, answer.json.code]).toEqual([operation, 403, 'insufficient_scope'])
    }
  })
})

// The last one: earlier tokens end with the hour.
test('schedules start what is due', async () => {
  // What is due joins a run that waits: the first one must have ended.
  await world.context.sync()
  expect((await status()).state).toBe('ready')
  world.clock.now += 3_700_000
  await world.context.sync()
  const issued = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
  const { json } = await ask('GET /syncs', { token: String(issued.json.access_token) })
  expect(json.data).toMatchObject([
    { state: 'succeeded', cause: 'schedule', mode: 'incremental' },
    { state: 'succeeded', cause: 'created', mode: 'full' },
  ])
})
