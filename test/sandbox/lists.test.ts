import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, basic, get, openWorld, rows } from './client.ts'

const world = await openWorld()
const { sandbox, facts, read, post } = world
const callsPath = (query: Record<string, string>) => `/v2/calls?${new URLSearchParams(query)}`
const march = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-04-01T00:00:00Z' }
const ids = (body: unknown, key: string, ...path: string[]) => rows(body, key).map((row) => get(row, ...path))

describe('paging', () => {
  test('a list without dates begins with the oldest calls', async () => {
    const { body } = await read('/v2/calls?limit=5')
    expect(get(body, 'records', 'totalRecords')).toBe(facts.counts.calls)
    expect(ids(body, 'calls', 'scheduled').every((time) => String(time).startsWith('2023-01-0'))).toBe(true)
  })

  test('a POST takes its cursor from the body and ignores one in the query', async () => {
    const first = await post('/v2/calls/extensive', { filter: march })
    const cursor = String(get(first.body, 'records', 'cursor'))
    const ignored = await post(`/v2/calls/extensive?cursor=${cursor}`, { filter: march })
    expect(get(ignored.body, 'records', 'currentPageNumber')).toBe(0)
    const second = await post('/v2/calls/extensive', { filter: march, cursor })
    expect(get(second.body, 'records', 'currentPageNumber')).toBe(1)
    expect(ids(second.body, 'calls', 'metaData', 'id')).not.toEqual(ids(first.body, 'calls', 'metaData', 'id'))
  })

  test('a cursor is a signed token that lives an hour', async () => {
    const first = await read(callsPath(march))
    const cursor = String(get(first.body, 'records', 'cursor'))
    const payload = JSON.parse(Buffer.from(cursor.split('.')[1] ?? '', 'base64url').toString())
    expect(payload).toMatchObject({ pageNumber: 0, pageSize: 100, exp: Math.floor(world.clock.now / 1000) + 3600 })
    world.clock.now += 3_599_000
    expect((await read(callsPath({ ...march, cursor }))).status).toBe(200)
    world.clock.now += 1000
    const late = await read(callsPath({ ...march, cursor }))
    expect([late.status, get(late.body, 'errors')]).toEqual([400, ['Invalid or expired cursor']])
  })

  test.each([
    ['garbled', { ...march, cursor: 'garbled' }, '/v2/calls'],
    ['of another filter', { ...march, toDateTime: '2025-05-01T00:00:00Z' }, '/v2/calls'],
    ['of another list', {}, '/v2/users'],
  ])('a cursor that is %s is refused', async (_, query, path) => {
    const first = await read(callsPath(march))
    const cursor = String(get(first.body, 'records', 'cursor'))
    const { status, body } = await read(`${path}?${new URLSearchParams({ cursor, ...query })}`)
    expect([status, get(body, 'errors')]).toEqual([400, ['Invalid or expired cursor']])
  })
})

describe('which calls', () => {
  test('the first moment is included, the last excluded, with and without offset', async () => {
    const { body } = await post('/v2/calls/extensive', { filter: { callIds: [facts.callId] } })
    const started = String(get(body, 'calls', 0, 'metaData', 'started'))
    const found = await post('/v2/calls/extensive', { filter: { callIds: [facts.callId], fromDateTime: started } })
    expect(found.status).toBe(200)
    const missed = await post('/v2/calls/extensive', { filter: { callIds: [facts.callId], toDateTime: new Date(started).toISOString() } })
    expect(missed.status).toBe(404)
  })

  test('GET compares with the scheduled time, the others with the actual start', async () => {
    const { body } = await post('/v2/calls/extensive', { filter: march })
    const shifted = rows(body, 'calls')
      .map((row) => get(row, 'metaData'))
      .find((call) => Date.parse(String(get(call, 'started'))) > Date.parse(String(get(call, 'scheduled'))))
    const window = { fromDateTime: String(get(shifted, 'scheduled')), toDateTime: String(get(shifted, 'started')) }
    const id = get(shifted, 'id')
    expect(ids((await read(callsPath(window))).body, 'calls', 'id')).toContain(id)
    const byStart = await post('/v2/calls/extensive', { filter: { ...window, callIds: [id] } })
    expect(byStart.status).toBe(404)
  })

  test('workspace, host and ids narrow together', async () => {
    const [, workspaceId = ''] = facts.workspaceIds
    const filter = { ...march, workspaceId }
    const { body } = await post('/v2/calls/extensive', { filter })
    expect(new Set(rows(body, 'calls').map((row) => get(row, 'metaData', 'workspaceId')))).toEqual(new Set([workspaceId]))
    const host = get(body, 'calls', 0, 'metaData', 'primaryUserId')
    const hosted = await post('/v2/calls/extensive', { filter: { ...filter, primaryUserIds: [host] } })
    expect(new Set(rows(hosted.body, 'calls').map((row) => get(row, 'metaData', 'primaryUserId')))).toEqual(new Set([host]))
    expect((await post('/v2/calls/extensive', { filter: { ...filter, callIds: [facts.callId] } })).status).toBe(404)
    expect((await read(callsPath({ ...march, workspaceId: '1' }))).status).toBe(404)
  })

  test.each([
    ['no ids', { callIds: [] }],
    ['a moment without offset', { fromDateTime: '2025-03-01T00:00:00' }],
    ['a moment that is none', { toDateTime: 'yesterday' }],
  ])('%s is refused', async (_, filter) => {
    expect((await post('/v2/calls/extensive', { filter })).status).toBe(400)
    expect((await post('/v2/calls/transcript', { filter })).status).toBe(400)
  })

  test('a filter is required, unknown fields are not minded', async () => {
    expect((await post('/v2/calls/extensive', {})).status).toBe(400)
    expect((await post('/v2/calls/extensive', { filter: { callIds: [facts.callId], colour: 'red' }, more: 1 })).status).toBe(200)
  })
})

describe('single records', () => {
  test('a call has its twenty fields, a private one too', async () => {
    const { body } = await read(`/v2/calls/${facts.privateCallId}`)
    expect(Object.keys(Object(get(body, 'call')))).toHaveLength(20)
    expect(get(body, 'call')).toMatchObject({ id: facts.privateCallId, isPrivate: true })
    const unicode = await read(`/v2/calls/${facts.unicodeCallId}`)
    expect(get(unicode.body, 'call', 'title')).toContain('東京オフィス ☕')
  })

  test('a user has the fields of the list', async () => {
    const list = await read('/v2/users')
    const { body } = await read(`/v2/users/${get(list.body, 'users', 7, 'id')}`)
    expect(get(body, 'user')).toEqual(get(list.body, 'users', 7))
    expect(Object.keys(Object(get(body, 'user')))).toContain('conferencingProviders')
  })

  test('ids have 18 or 19 digits and are above 2^53', async () => {
    const { body } = await read(callsPath(march))
    for (const id of [...ids(body, 'calls', 'id'), ...ids(body, 'calls', 'primaryUserId'), ...facts.workspaceIds]) {
      expect(id).toMatch(/^\d{18,19}$/)
      expect(BigInt(String(id))).toBeGreaterThan(2n ** 53n)
      expect(BigInt(String(id))).toBeLessThan(2n ** 63n)
    }
  })

  test('times are in the zone of the company, across its change, with 0, 3 or 6 digits', async () => {
    const { body } = await read(callsPath({ fromDateTime: '2025-03-05T00:00:00Z', toDateTime: '2025-03-15T00:00:00Z' }))
    const started = ids(body, 'calls', 'started').map(String)
    expect(new Set(started.map((time) => time.slice(-6)))).toEqual(new Set(['-08:00', '-07:00']))
    expect(new Set(started.map((time) => time.slice(19, -6).length))).toEqual(new Set([0, 4, 7]))
  })
})

describe('calls that change later', () => {
  const isPrivate = async () => get((await read(`/v2/calls/${facts.callId}`)).body, 'call', 'isPrivate')
  const total = async () => get((await read('/v2/calls')).body, 'records', 'totalRecords')

  test('can be hidden and renamed', async () => {
    expect(await isPrivate()).toBe(false)
    sandbox.gong.editCall(facts.callId, { isPrivate: true })
    sandbox.gong.editCall(facts.callId, { title: 'Later' })
    expect(await isPrivate()).toBe(true)
    const { body } = await post('/v2/calls/extensive', { filter: { callIds: [facts.callId] } })
    expect(get(body, 'calls', 0, 'metaData')).toMatchObject({ title: 'Later', isPrivate: true })
    sandbox.gong.reset()
    expect(await isPrivate()).toBe(false)
  })

  test('can be erased, also from outside', async () => {
    expect(await total()).toBe(facts.counts.calls)
    const url = `${sandbox.origins.gong.api}/_sandbox/calls`
    expect((await ask(url, { method: 'POST', body: { id: facts.callId, erased: true } })).status).toBe(200)
    expect(await total()).toBe(facts.counts.calls - 1)
    expect((await read(`/v2/calls/${facts.callId}`)).status).toBe(404)
    expect((await post('/v2/calls/transcript', { filter: { callIds: [facts.callId] } })).status).toBe(404)
    expect((await ask(url, { method: 'POST', body: { id: facts.callId, colour: 'red' } })).status).toBe(400)
    expect((await ask(url, { method: 'POST', body: { id: facts.unknownCallId, erased: true } })).status).toBe(404)
    expect(() => sandbox.gong.editCall(facts.unknownCallId, {})).toThrow('There is no call')
  })
})

test('a body that is too long is refused', async () => {
  const { status } = await post('/v2/calls/extensive', { filter: {}, more: 'x'.repeat(9 * 1024 * 1024) })
  expect(status).toBe(413)
})

test('the same seed is the same company, whatever the clock', async () => {
  await using later = await startSandbox({ clock: () => Date.UTC(2026, 10, 20), limits: false })
  expect(later.gong.world.callId).toBe(facts.callId)
  expect(later.gong.world.lastScheduled.slice(0, 10)).toBe('2026-11-01')
  expect(facts.lastScheduled.slice(0, 10)).toBe('2025-06-16')
  const url = `${later.origins.gong.api}/v2/calls/${facts.callId}`
  const then = await ask(url, { headers: { authorization: basic } })
  expect(get(then.body, 'call')).toEqual(get((await read(`/v2/calls/${facts.callId}`)).body, 'call'))
  await using stranger = await startSandbox({ seed: 2 })
  expect(stranger.gong.world.callId).not.toBe(facts.callId)
  await expect(startSandbox({ clock: () => 0 })).rejects.toThrow('must not be before 2024')
})
