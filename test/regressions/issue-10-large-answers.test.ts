/** Large answers of a vendor: read apart from the loop that serves everybody, and the same to their last digit. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { createAsk } from '../../packages/server/src/copies/sync/attempt.ts'
import { ApartThreads } from '../../packages/server/src/main/apart-threads.ts'
import { callOf, failure, gongAt, listed, type Seen, serve, testEngine } from '../engine/support.ts'
import { type Answer, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

let answer: (seen: Seen) => { status?: number; body: unknown } = () => ({ body: {} })

const vendor = await share(serve((seen) => answer(seen)))
const world = await share(startWorld({ settings: { origins: { gong: { api: vendor.origin } } } }))
const gong = await world.connect('large', { environment: undefined })
afterEach(() => vi.restoreAllMocks())

const long = 12345678901234567890n
/** Calls with more than 2 MB in all; every third is private. */
const calls = Array.from({ length: 300 }, (_, index) =>
  callOf(String(index), { isPrivate: index % 3 === 0, extra: { id: long + BigInt(index), text: `${index} ${'ä"\\'.repeat(1_500)}` } }),
)
const page = { requestId: 'r', records: { totalRecords: 300, currentPageSize: 300, currentPageNumber: 0, cursor: 'next' }, calls }
const pageText = writeJson(page)
const list = { entity: 'calls', action: 'list' }

/** Returns the answer of an engine that reads everything in the event loop. */
async function inTheLoop(call: { entity: string; action: string; params?: unknown }) {
  await using engine = testEngine()
  const { data, meta } = await listed(engine.run(gongAt(vendor.origin), call))
  return { data, meta }
}

/** Runs a call, and returns the longest string that the event loop read or wrote as JSON meanwhile. */
async function watched(body: unknown): Promise<{ answer: Answer; longest: number }> {
  let longest = 0
  const { parse, stringify } = JSON
  vi.spyOn(JSON, 'parse').mockImplementation((text: string, ...more: []) => {
    longest = Math.max(longest, text.length)
    return parse(text, ...more)
  })
  vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown, ...more: []) => {
    const text = stringify(value, ...more)
    longest = Math.max(longest, text?.length ?? 0)
    return text
  })
  const got = await world.ask(`/api/v1/integrations/connectors/${gong}/execute`, {
    token: world.token,
    body: stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  vi.restoreAllMocks()
  return { answer: got, longest }
}

describe('a list of 2 MB', () => {
  test('is answered with all digits and without what is hidden, and the loop reads and writes none of it', async () => {
    answer = () => ({ body: pageText })
    const { answer: got, longest } = await watched(list)
    expect(got.status).toBe(200)
    expect(parseJson(got.text)).toEqual(await inTheLoop(list))
    expect(got.text).toContain(`"id":${long + 1n}`)
    expect(parseJson(got.text)).toMatchObject({ meta: { private_calls_excluded: 100, next_params: { cursor: 'next' } } })
    expect(longest).toBeLessThan(100_000)
  })

  test('is cut to the fields that are asked for', async () => {
    answer = () => ({ body: pageText })
    const { answer: got, longest } = await watched({ ...list, select_fields: ['id', 'extra.id'] })
    const { data } = await inTheLoop(list)
    const wanted = data.map((call) => ({
      id: Reflect.get(Object(call), 'id'),
      extra: { id: Reflect.get(Object(Reflect.get(Object(call), 'extra')), 'id') },
    }))
    expect(parseJson(got.text)).toMatchObject({ data: wanted })
    expect(got.text.length).toBeLessThan(20_000)
    expect(longest).toBeLessThan(100_000)
  })

  test('has its long texts cut, and says where', async () => {
    answer = () => ({ body: pageText })
    const { answer: got } = await watched({ ...list, skip_truncation: false })
    expect(parseJson(got.text)).toMatchObject({ truncated_fields: ['extra.text'] })
    expect(got.json.data).toHaveLength(200)
    expect(got.json.data[0].extra.text).toMatch(/… \[\d+ characters\]$/)
  })

  test('is completed by a lookup before anything of it is shown', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => ({
      callId: String(index),
      transcript: [{ speakerId: String(long), sentences: [{ start: 0, end: 1, text: 'x'.repeat(40_000) }] }],
    }))
    const transcripts = writeJson({ requestId: 'r', records: {}, callTranscripts: texts })
    answer = ({ url }) =>
      url.startsWith('/v2/calls/transcript')
        ? { body: transcripts }
        : { body: { requestId: 'r', calls: calls.slice(0, 30).map((metaData) => ({ metaData })) } }
    const call = { entity: 'call_transcripts', action: 'list', params: { filter: { callIds: ['1'] } } }
    const { answer: got, longest } = await watched(call)
    expect(parseJson(got.text)).toEqual(await inTheLoop(call))
    expect(got.json.meta).toMatchObject({ private_calls_excluded: 10, warnings: [expect.stringContaining('10 records are left out')] })
    expect(longest).toBeLessThan(1_000_000)
  })
})

test('a record of 2 MB is answered with all digits, and cut', async () => {
  const body = writeJson({ requestId: 'r', call: callOf('1', { extra: [long, 'y'.repeat(2_000_000)] }) })
  answer = () => ({ body })
  const get = { entity: 'calls', action: 'get', params: { id: '1' } }
  const { answer: got, longest } = await watched(get)
  expect(parseJson(got.text)).toMatchObject({ data: { id: '1', extra: [long, 'y'.repeat(2_000_000)] }, meta: {} })
  expect(longest).toBeLessThan(100_000)
  const { answer: cut } = await watched({ ...get, exclude_fields: ['extra'] })
  expect(cut.json.data).toEqual(Object.fromEntries(Object.entries(callOf('1')).map(([name, value]) => [name, value])))
})

const refusals: readonly (readonly [string, { status?: number; body: unknown }, object])[] = [
  [
    'a refusal',
    { status: 400, body: { requestId: 'r', errors: ['Bad dates', 'z'.repeat(2_000_000)] } },
    { code: 'upstream_invalid_request' },
  ],
  ['a page of a proxy', { status: 503, body: `<html>${'p'.repeat(2_000_000)}</html>` }, { code: 'upstream_error' }],
  ['what is no JSON', { body: `{"calls":[${'1,'.repeat(1_000_000)}` }, { code: 'upstream_answer_invalid' }],
  ['nothing but brackets', { body: `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}` }, { code: 'upstream_answer_invalid' }],
  ['a list that is none', { body: { requestId: 'r', calls: { text: 'c'.repeat(2_000_000) } } }, { code: 'upstream_answer_invalid' }],
  [
    'more beside the records than anybody reads',
    { body: { requestId: 'r'.repeat(5_000_000), calls: [] } },
    { code: 'upstream_answer_invalid' },
  ],
]

test.for(refusals)('%s of 2 MB is told as one of 2 kB is', async ([, reply, problem]) => {
  const body = typeof reply.body === 'string' ? reply.body : writeJson(reply.body)
  answer = () => ({ ...reply, body })
  const { answer: got, longest } = await watched(list)
  expect(got.json).toMatchObject(problem)
  expect(got.text.length).toBeLessThan(3_000)
  expect(longest).toBeLessThan(2_100_000) // what a vendor says around its records is read
})

describe('the threads', () => {
  const large = { body: { requestId: 'r', calls: [callOf('1', { extra: 'e'.repeat(2_000_000) })] } }

  test('start when they are needed and end when they are idle', async () => {
    answer = () => large
    const apart = new ApartThreads({ idleMs: 1 })
    await using engine = testEngine({ apart })
    expect(apart.alive).toBe(0)
    const run = () => listed(engine.run(gongAt(vendor.origin), list))
    await Promise.all([run(), run(), run(), run()])
    await vi.waitFor(() => expect(apart.alive).toBe(0), 240_000)
    expect((await run()).data).toHaveLength(1)
    await apart.close()
  })

  test('a body that stands for too much memory is refused, and no other', async () => {
    answer = ({ url }) => (url.includes('tiny') ? { body: `{"calls":[${'{},'.repeat(1_000_000)}{}]}` } : large)
    const apart = new ApartThreads({ maxBytes: 64 * 1_048_576 })
    await using engine = testEngine({ apart })
    const error = await failure(engine.run(gongAt(vendor.origin), { ...list, params: { cursor: 'tiny' } }))
    expect(error).toMatchObject({ code: 'upstream_answer_invalid' })
    expect(error.message).toContain('it takes more than 64 MB of memory to read')
    expect((await listed(engine.run(gongAt(vendor.origin), list))).data).toHaveLength(1)
    await apart.close()
  })

  test('who does not wait any more ends the call at once', async () => {
    answer = () => large
    const apart = new ApartThreads({ threads: 1 })
    await using engine = testEngine({ apart })
    const ending = new AbortController()
    const run = engine.run(gongAt(vendor.origin), { ...list, signal: ending.signal })
    await vi.waitFor(() => expect(apart.alive).toBe(1), { timeout: 240_000, interval: 1 })
    ending.abort(new Error('gone'))
    await expect(run).rejects.toThrow('gone')
    await apart.close()
  })
})

test('a sync is given every record of it, with all digits', async () => {
  answer = () => ({ body: pageText })
  const apart = new ApartThreads()
  await using engine = testEngine({ apart })
  const connectors = { markAuthError: async () => undefined, markHealthy: async () => undefined }
  const services = { connectors, engine, onBackgroundError: () => undefined }
  const ref = { organizationId: 'o', workspaceId: 'w', connectorId: 'c' }
  const access = { ref, status: 'active' as const, connection: gongAt(vendor.origin) }
  const ask = createAsk(services, { access, signal: new AbortController().signal, called: () => undefined })
  const { rows, next } = await ask({ entity: 'calls', action: 'list', params: {} })
  expect({ data: rows, next }).toEqual({ data: (await inTheLoop(list)).data, next: { cursor: 'next' } })
  await apart.close()
})
