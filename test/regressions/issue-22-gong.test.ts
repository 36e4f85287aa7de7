/** What people who read calls met elsewhere: filters, dates, cursors and transcripts of Gong. */
import { afterAll, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { KindSide } from '../context/kind-side.ts'
import { callOf, gongAt, listed, pageOf, type Reply, type Seen, serve, testEngine } from '../engine/support.ts'

const calls = ['1', '2', '3', '4']
/** Call 2 is private; the extensive list knows 1 and 2 only, the call's own record says more; nothing knows 4. */
const flags: Readonly<Record<string, boolean>> = { 1: false, 2: true, 3: false }
const noCalls = { status: 404, body: { errors: ['No calls found corresponding to the provided filters'] } }
const unknown = (id: string): Reply => ({ status: 404, body: { errors: [`Call ID ${id} was not found`] } })

function answer({ url, body }: Seen): Reply {
  const path = url.split('?')[0] ?? ''
  if (path === '/v2/calls/transcript') return { body: pageOf({ callTranscripts: calls.map((callId) => ({ callId, transcript: [] })) }) }
  if (path === '/v2/library/folder-content') return { body: { calls: calls.map((id) => ({ id, title: `Call ${id}` })) } }
  if (path === '/v2/calls/extensive') {
    const wanted: readonly string[] = JSON.parse(body).filter.callIds ?? []
    const known = wanted.filter((id) => ['1', '2'].includes(id))
    return known.length === 0
      ? noCalls
      : { body: pageOf({ calls: known.map((id) => ({ metaData: callOf(id, { isPrivate: flags[id] }) })) }) }
  }
  const id = /^\/v2\/calls\/(\d+)$/.exec(path)?.[1]
  if (id === undefined) return { status: 500, body: { errors: [`no ${path}`] } }
  return flags[id] === undefined ? unknown(id) : { body: { call: callOf(id, { isPrivate: flags[id] }) } }
}

const lists = [
  { entity: 'call_transcripts', params: { filter: {} } },
  { entity: 'library_folder_content', params: { folderId: '9' } },
] as const

describe('a record whose call the extensive list does not know yet', () => {
  test.each(lists)('$entity: the call itself says whether it is private', async ({ entity, params }) => {
    await using server = await serve(answer)
    await using engine = testEngine()
    const { data, meta, doubt } = await listed(engine.run(gongAt(server.origin), { entity, action: 'list', params }))
    expect(data.map((record) => Reflect.get(Object(record), 'callId'))).toEqual(['1', '3'])
    expect(meta['private_calls_excluded']).toBe(1)
    expect(meta['warnings']).toEqual(['1 record is left out: Gong does not say yet whether it is private.'])
    expect(doubt).toContain('left out')
  })

  test.each(lists)(
    '$entity: is left out and said, and not counted as private, while nothing knows the call',
    async ({ entity, params }) => {
      await using server = await serve((seen) => (/^\/v2\/calls\/\d+$/.test(seen.url) ? unknown('3') : answer(seen)))
      await using engine = testEngine()
      const { data, meta } = await listed(engine.run(gongAt(server.origin), { entity, action: 'list', params }))
      expect(data).toHaveLength(1)
      expect(meta['private_calls_excluded']).toBe(1)
      expect(meta['warnings']).toEqual(['2 records are left out: Gong does not say yet whether they are private.'])
    },
  )

  test('few calls are asked for one by one, and none again after a failure', async () => {
    const many = Array.from({ length: 60 }, (_, index) => String(100 + index))
    await using server = await serve((seen) => {
      if (seen.url === '/v2/calls/transcript')
        return { body: pageOf({ callTranscripts: many.map((callId) => ({ callId, transcript: [] })) }) }
      return seen.url === '/v2/calls/extensive' ? noCalls : { status: 500, body: { errors: ['Internal server error occurred'] } }
    })
    await using engine = testEngine()
    const { data, meta } = await listed(
      engine.run(gongAt(server.origin), { entity: 'call_transcripts', action: 'list', params: { filter: {} } }),
    )
    expect([data, meta['private_calls_excluded']]).toEqual([[], 0])
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(10)
  })
})

describe('a cursor that is empty', () => {
  test.each(['users', 'calls', 'calls_extensive'])('ends the list of %s', async (entity) => {
    const records = { totalRecords: 1, currentPageSize: 1, currentPageNumber: 0, cursor: '' }
    await using server = await serve(() => ({ body: { records, users: [{ id: '1' }], calls: [] } }))
    await using engine = testEngine()
    const params = entity === 'calls_extensive' ? { filter: {} } : {}
    const { meta } = await listed(engine.run(gongAt(server.origin), { entity, action: 'list', params }))
    expect(meta).toMatchObject({ cursor: null, next_params: null, total_records: 1 })
  })
})

describe('filters of calls', () => {
  test('go where the vendor takes them', async () => {
    await using server = await serve(() => ({ body: pageOf({ calls: [], callTranscripts: [] }) }))
    await using engine = testEngine()
    const at = gongAt(server.origin)
    const run = (entity: string, params: object) => engine.run(at, { entity, action: 'list', params })
    await run('calls', { workspaceId: '33' })
    await run('calls_extensive', { filter: { workspaceId: '33', primaryUserIds: ['7', '8'] } })
    await run('calls_extensive', { filter: { primaryUserIds: [] } })
    await run('call_transcripts', { filter: { workspaceId: '33' } })
    expect(server.seen.map(({ url, body }) => [url, body === '' ? undefined : JSON.parse(body)])).toEqual([
      ['/v2/calls?workspaceId=33', undefined],
      ['/v2/calls/extensive', { filter: { workspaceId: '33', primaryUserIds: ['7', '8'] } }],
      ['/v2/calls/extensive', { filter: {} }],
      ['/v2/calls/transcript', { filter: { workspaceId: '33' } }],
    ])
  })
})

describe('a sync of calls', () => {
  const clock = { now: Date.UTC(2025, 5, 16, 12) }
  const open = async () => {
    const sandbox = await startSandbox({ limits: false, clock: () => clock.now, calls: 120 })
    afterAll(() => sandbox.close())
    const credentials = { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }
    const side = new KindSide({ kind: kinds.gong, origin: sandbox.origins.gong, credentials, clock: () => clock.now })
    return { sandbox, side }
  }

  test('sends both dates, the first time and later', async () => {
    const { sandbox, side } = await open()
    sandbox.gong.switches.set({ datesNeeded: true })
    for (const mode of ['full', 'incremental'] as const)
      expect((await side.sync(['calls'], { mode })).entities).toEqual([{ entity: 'calls', state: 'complete' }])
    const queries = sandbox.gong.requests().map(({ query }) => [query['fromDateTime'], query['toDateTime']])
    expect(queries[0]).toEqual(['1970-01-01T00:00:00Z', '2025-06-17T12:00:00.000Z'])
    expect(queries.flat().filter((date) => date === undefined)).toEqual([])
    const { calls: all, privateCalls } = sandbox.gong.world.counts
    expect(side.rows('calls')).toHaveLength(all - privateCalls)
  })

  test('reads a transcript although the extensive list does not know its call yet, and ends with an empty cursor', async () => {
    const { side } = await open()
    await side.sync(['calls', 'call_transcripts'], { mode: 'full' })
    const known = side.rows('call_transcripts').length
    const other = await open()
    other.sandbox.gong.switches.set({ extensiveDelay: 86_400, emptyCursor: true })
    expect((await other.side.sync(['calls', 'call_transcripts'], { mode: 'full' })).entities.map(({ state }) => state)).toEqual([
      'complete',
      'complete',
    ])
    expect(other.side.rows('call_transcripts')).toHaveLength(known)
  })
})

describe('a position at which nothing is found', () => {
  test('does not end the list as if it were whole', async () => {
    await using server = await serve(({ url }) =>
      url.includes('cursor=') ? noCalls : { body: pageOf({ calls: [] }, { total: 300, cursor: 'two' }) },
    )
    await using engine = testEngine()
    const run = (params: object) => engine.run(gongAt(server.origin), { entity: 'calls', action: 'list', params })
    expect((await listed(run({}))).meta['next_params']).toEqual({ cursor: 'two' })
    await expect(run({ cursor: 'two' })).rejects.toMatchObject({ code: 'invalid_cursor', hint: expect.stringContaining('start again') })
  })
})
