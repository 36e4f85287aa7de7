import { describe, expect, test } from 'vitest'
import { callOf, failure, gongAt, listed, pageOf, type Reply, type Seen, serve, testEngine } from './support.ts'

const none = { status: 404, body: { errors: ['No calls found corresponding to the provided filters'] } }
const include = { configuration: { private_calls: 'include' } }

/** Calls of the vendor: a public one, a private one, one whose flag is missing. */
const isPrivate: Readonly<Record<string, boolean | undefined>> = { 1: false, 2: true, 3: undefined }
const metaOf = (id: string) =>
  callOf(id, id in isPrivate && isPrivate[id] === undefined ? { isPrivate: undefined } : { isPrivate: isPrivate[id] })
const known = ['1', '2', '3']
const idsOf = (body: string): string[] => JSON.parse(body).filter?.callIds ?? known

const answers: Readonly<Record<string, (seen: Seen) => Reply>> = {
  '/v2/calls': () => ({ body: pageOf({ calls: known.map(metaOf) }, { total: 137, cursor: 'next' }) }),
  '/v2/calls/1': () => ({ body: { call: metaOf('1') } }),
  '/v2/calls/2': () => ({ body: { call: metaOf('2') } }),
  '/v2/calls/extensive': ({ body }) => {
    const found = idsOf(body).filter((id) => known.includes(id))
    return found.length === 0 ? none : { body: pageOf({ calls: found.map((id) => ({ metaData: metaOf(id) })) }) }
  },
  '/v2/calls/transcript': () => ({ body: pageOf({ callTranscripts: [...known, '4'].map((callId) => ({ callId, transcript: [] })) }) }),
  '/v2/library/folder-content': () => ({ body: { id: '9', calls: [...known, '4'].map((id) => ({ id, title: `t${id}`, note: 'n' })) } }),
}
const vendor = (seen: Seen): Reply => {
  const path = seen.url.split('?')[0] ?? ''
  return answers[path]?.(seen) ?? { status: 500, body: { errors: [`no ${path}`] } }
}

const operations = {
  calls: { entity: 'calls', action: 'list' },
  extensive: { entity: 'calls_extensive', action: 'list', params: { filter: {} } },
  transcripts: { entity: 'call_transcripts', action: 'list', params: { filter: {} } },
  folder: { entity: 'library_folder_content', action: 'list', params: { folderId: '9' } },
} as const

const idOf = (record: unknown): unknown => {
  const { id, callId, metaData } = record as { id?: string; callId?: string; metaData?: { id: string } }
  return id ?? callId ?? metaData?.id
}

describe('private calls', () => {
  test.each([
    // A list whose rows carry the flag hides what is flagged; one that looks the flag up shows what is known to be public.
    ['calls', ['1', '3'], 1],
    ['extensive', ['1', '3'], 1],
    ['transcripts', ['1'], 1],
    ['folder', ['1'], 1],
  ] as const)('are left out of %s and counted, without those of which nothing is known', async (name, ids, excluded) => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    const { data, meta } = await listed(engine.run(gongAt(server.origin), operations[name]))
    expect(data.map(idOf)).toEqual(ids)
    expect(meta['private_calls_excluded']).toBe(excluded)
  })

  test('the total is the vendor’s, and the page goes on although rows are left out', async () => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    const { meta } = await listed(engine.run(gongAt(server.origin), operations.calls))
    expect(meta).toEqual({
      cursor: 'next',
      total_records: 137,
      current_page_number: 0,
      next_params: { cursor: 'next' },
      private_calls_excluded: 1,
    })
  })

  test.each(['calls', 'extensive', 'transcripts', 'folder'] as const)('are returned by %s when the configuration says so', async (name) => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    const { data, meta } = await listed(engine.run(gongAt(server.origin, include), operations[name]))
    expect(data.length).toBeGreaterThanOrEqual(3)
    expect(meta['private_calls_excluded']).toBe(0)
  })

  test('are not found by get, with a code that says why', async () => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    const get = (id: string) => ({ entity: 'calls', action: 'get', params: { id } })
    expect(await failure(engine.run(gongAt(server.origin), get('2')))).toMatchObject({ code: 'private_call', status: 404 })
    expect(await engine.run(gongAt(server.origin), get('1'))).toMatchObject({ type: 'record', data: { id: '1' } })
    expect(await engine.run(gongAt(server.origin, include), get('2'))).toMatchObject({ type: 'record', data: { id: '2', isPrivate: true } })
  })

  test.each(['call_audio', 'call_video'])('are not downloaded by %s: no file is asked for', async (entity) => {
    await using server = await serve((seen) =>
      seen.url === '/v2/calls/extensive'
        ? {
            body: pageOf({
              calls: [{ metaData: metaOf('2'), media: { audioUrl: `${server.origin}/file`, videoUrl: `${server.origin}/file` } }],
            }),
          }
        : { body: 'bytes' },
    )
    await using engine = testEngine()
    const params = { filter: { callIds: ['2'] }, contentSelector: { exposedFields: { media: true } } }
    expect((await failure(engine.run(gongAt(server.origin), { entity, action: 'download', params }))).code).toBe('private_call')
    expect(server.seen).toHaveLength(1)
  })
})

describe('lookups', () => {
  test('ask for each call once, in batches of a hundred, and for no content', async () => {
    const ids = Array.from({ length: 250 }, (_each, index) => String(index % 240))
    const asked: string[][] = []
    await using server = await serve(({ url, body }) => {
      if (url === '/v2/calls/transcript') return { body: pageOf({ callTranscripts: ids.map((callId) => ({ callId, transcript: [] })) }) }
      expect(Object.keys(JSON.parse(body))).toEqual(['filter'])
      asked.push(idsOf(body))
      return { body: pageOf({ calls: idsOf(body).map((id) => ({ metaData: callOf(id) })) }) }
    })
    await using engine = testEngine()
    const { data, meta } = await listed(engine.run(gongAt(server.origin), operations.transcripts))
    expect(data).toHaveLength(250)
    expect(meta['private_calls_excluded']).toBe(0)
    expect(asked.map((batch) => batch.length)).toEqual([100, 100, 40])
    expect(new Set(asked.flat()).size).toBe(240)
  })

  test('follow the pages of a batch, up to a bound', async () => {
    const answer =
      (pages: number) =>
      (seen: Seen): Reply => {
        if (seen.url !== '/v2/calls/extensive') return vendor(seen)
        const page = Number(JSON.parse(seen.body).cursor ?? 0)
        const more = page + 1 < pages ? { cursor: String(page + 1) } : {}
        return { body: pageOf({ calls: [{ metaData: metaOf(String(page + 1)) }] }, more) }
      }
    await using engine = testEngine()
    await using short = await serve(answer(3))
    expect((await listed(engine.run(gongAt(short.origin), operations.transcripts))).data).toHaveLength(1)
    await using endless = await serve(answer(Number.POSITIVE_INFINITY))
    expect((await failure(engine.run(gongAt(endless.origin), operations.transcripts))).code).toBe('upstream_answer_invalid')
    expect(endless.seen.length).toBeLessThan(20)
  })

  test.each([
    ['fails', { status: 500, body: { errors: ['Internal server error occurred'] } }, 'upstream_error'],
    [
      'may not be used',
      { status: 401, body: { errors: ["You don't have permission to use 'api:calls:read:extensive' in your app."] } },
      'upstream_permission_denied',
    ],
    ['is nonsense', { body: {} }, 'upstream_answer_invalid'],
  ] as const)('that %s fails the list: nothing is shown', async (_what, reply, code) => {
    for (const name of ['transcripts', 'folder'] as const) {
      await using server = await serve((seen) => (seen.url === '/v2/calls/extensive' ? reply : vendor(seen)))
      await using engine = testEngine()
      expect((await failure(engine.run(gongAt(server.origin), operations[name]))).code).toBe(code)
    }
  })

  test('that find none of the calls hide them all', async () => {
    await using server = await serve((seen) => (/extensive|\d$/.test(seen.url) ? none : vendor(seen)))
    await using engine = testEngine()
    const { data, meta } = await listed(engine.run(gongAt(server.origin), operations.transcripts))
    expect(data).toEqual([])
    expect(meta).toMatchObject({ private_calls_excluded: 0, warnings: [expect.stringContaining('4 records are left out')] })
  })

  test('are not made for an empty page', async () => {
    await using server = await serve((seen) =>
      seen.url === '/v2/calls/transcript' ? { body: pageOf({ callTranscripts: [] }) } : vendor(seen),
    )
    await using engine = testEngine()
    await listed(engine.run(gongAt(server.origin), operations.transcripts))
    expect(server.seen).toHaveLength(1)
  })

  test('are not made for rows without an id, which are hidden: no call named "undefined" is asked for', async () => {
    const rows = { callTranscripts: [{ transcript: [] }, { callId: null, transcript: [] }, { callId: '1', transcript: [] }] }
    await using server = await serve((seen) => (seen.url === '/v2/calls/transcript' ? { body: pageOf(rows) } : vendor(seen)))
    await using engine = testEngine()
    const { data, meta } = await listed(engine.run(gongAt(server.origin), operations.transcripts))
    expect(data.map(idOf)).toEqual(['1'])
    expect(meta).toMatchObject({ private_calls_excluded: 0, warnings: [expect.stringContaining('2 records are left out')] })
    expect(idsOf(server.seen[1]?.body ?? '')).toEqual(['1'])
  })

  test('complete the calls of a folder; what is not known is null when private calls are included', async () => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    const { data } = await listed(engine.run(gongAt(server.origin, include), operations.folder))
    expect(data[0]).toEqual({
      callId: '1',
      title: 't1',
      note: 'n',
      url: null,
      started: '2025-03-03T09:01:12-08:00',
      duration: 1384,
      primaryUserId: '5530918274460172839',
    })
    expect(data[3]).toEqual({ callId: '4', title: 't4', note: 'n', url: null, started: null, duration: null, primaryUserId: null })
  })

  test('are not made for transcripts when private calls are included', async () => {
    await using server = await serve(vendor)
    await using engine = testEngine()
    await listed(engine.run(gongAt(server.origin, include), operations.transcripts))
    expect(server.seen.map(({ url }) => url)).toEqual(['/v2/calls/transcript'])
  })
})
