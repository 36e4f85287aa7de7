import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/index.ts'
import { sandboxCredentials } from '../../packages/sandbox/src/index.ts'
import { bytesOf } from '../engine/download-support.ts'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectTo, readBody, type SentRequest, watchFetch } from './support.ts'

const world = await share(startWorld())
await world.connect('Downloads')
afterEach(() => world.sandbox.faults.clear())

const params = (range_header?: string) => ({
  filter: { callIds: [world.sandbox.gong.world.callId] },
  contentSelector: { exposedFields: { media: true as const } },
  ...(range_header === undefined ? {} : { range_header }),
})
const file = (): Uint8Array => world.sandbox.gong.mediaBytes(world.sandbox.gong.world.callId, 'audio')
const lengthOf = async (stream: ReadableStream<Uint8Array>): Promise<number> => (await bytesOf(stream)).length
const isExecute = ({ url }: SentRequest): boolean => url.endsWith('/execute')
const cutAt = 60_000

/** The ways to the same file: by the service, and from this process. */
const ways = [
  ['the service', () => connectTo(world, 'gong')],
  [
    'this process',
    () =>
      connect('gong', {
        credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
        origin: world.sandbox.origins.gong,
        limits: false,
      }),
  ],
] as const

describe.each(ways)('a download by %s', (_way, open) => {
  test('is the file, with what its headers say', async () => {
    await using gong = open()
    const { stream, ...rest } = await gong.call_audio.download(params())
    expect(rest).toEqual({
      ...{ status: 200, type: 'audio/mpeg', length: file().length, range: null },
      ...{ name: `${world.sandbox.gong.world.callId}.mp3`, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
    })
    expect((await bytesOf(stream)).equals(file())).toBe(true)
  })

  test('of a range is that range', async () => {
    await using gong = open()
    const { stream, ...rest } = await gong.call_audio.download(params('bytes=10-19'))
    expect(rest).toMatchObject({ status: 206, length: 10, range: `bytes 10-19/${file().length}` })
    expect((await bytesOf(stream)).equals(file().subarray(10, 20))).toBe(true)
    await expect(gong.call_audio.download(params('bytes=99999999-'))).rejects.toMatchObject({ code: 'range_not_satisfiable' })
  })

  test('that breaks off fails, and never ends as if it were whole', async () => {
    world.sandbox.faults.add({ kind: 'cut', after: cutAt, on: 'media' })
    await using gong = open()
    const { stream } = await gong.call_audio.download(params())
    await expect(lengthOf(stream)).rejects.toMatchObject({
      name: 'FerruleError',
      code: expect.stringMatching(/_unreachable$/),
      retryable: true,
    })
  })

  test('that breaks off twice continues by range when asked to', async () => {
    world.sandbox.faults.add({ kind: 'cut', after: cutAt, on: 'media', times: 2 })
    await using gong = open()
    const { stream, length } = await gong.call_audio.download(params(), { resume: true })
    expect(length).toBe(file().length)
    expect((await bytesOf(stream)).equals(file())).toBe(true)
    const ranges = world.sandbox.gong.requests().flatMap(({ headers }) => headers.range ?? [])
    expect(ranges.slice(-2)).toEqual([expect.stringMatching(/^bytes=\d+-/), expect.stringMatching(/^bytes=\d+-/)])
  })

  test('of a range continues within that range', async () => {
    world.sandbox.faults.add({ kind: 'cut', after: cutAt, on: 'media' })
    await using gong = open()
    const { stream } = await gong.call_audio.download(params('bytes=1000-150999'), { resume: true })
    expect((await bytesOf(stream)).equals(file().subarray(1_000, 151_000))).toBe(true)
  })

  test('that always breaks off before a byte comes ends with the error', async () => {
    world.sandbox.faults.add({ kind: 'cut', after: 0, on: 'media', times: 20 })
    await using gong = open()
    const opened = gong.call_audio.download(params(), { resume: true }).then(({ stream }) => lengthOf(stream))
    await expect(opened).rejects.toMatchObject({ code: expect.stringMatching(/_unreachable$/) })
  })

  test('ends with its signal', async () => {
    await using gong = open()
    const leaving = new AbortController()
    const { stream } = await gong.call_audio.download(params(), { signal: leaving.signal, resume: true })
    const reader = stream.getReader()
    expect((await reader.read()).done).toBe(false)
    leaving.abort(new Error('the user left'))
    const rest = async () => {
      for (;;) if ((await reader.read()).done) return
    }
    await expect(rest()).rejects.toThrow('the user left')
  })
})

describe('a download of the service', () => {
  /** Lets the answers with files pass through the test. */
  const changeFiles = (change: (answer: Response, count: number) => Response) => {
    let count = 0
    return watchFetch(async (request, pass) => {
      const answer = await pass()
      return isExecute(request) && readBody(request)['action'] === 'download' ? change(answer, count++) : answer
    })
  }
  const withHeaders = (answer: Response, change: (headers: Headers) => void): Response => {
    const headers = new Headers(answer.headers)
    change(headers)
    return new Response(answer.body, { status: answer.status, headers })
  }

  test('does not continue with another file', async () => {
    world.sandbox.faults.add({ kind: 'cut', after: cutAt, on: 'media' })
    const { fetch } = changeFiles((answer, count) =>
      count === 0 ? answer : withHeaders(answer, (headers) => headers.set('etag', '"another"')),
    )
    const { stream } = await connectTo(world, 'gong', { fetch }).call_audio.download(params(), { resume: true })
    await expect(lengthOf(stream)).rejects.toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining('changed') })
  })

  test.each<[string, (headers: Headers) => void]>([
    ['no tag', (headers) => headers.delete('etag')],
    ['a weak tag', (headers) => headers.set('etag', 'W/"weak"')],
  ])('with %s does not continue, because the file may be another', async (_name, change) => {
    world.sandbox.faults.add({ kind: 'cut', after: cutAt, on: 'media' })
    const { fetch, sent } = changeFiles((answer) => withHeaders(answer, change))
    const { stream } = await connectTo(world, 'gong', { fetch }).call_audio.download(params(), { resume: true })
    await expect(lengthOf(stream)).rejects.toMatchObject({ code: 'service_unreachable' })
    expect(sent.filter(isExecute)).toHaveLength(1)
  })

  test('that ends before its length fails, whatever the runtime says', async () => {
    const { fetch } = changeFiles((answer) => {
      const short = new Response(new Uint8Array(10), { status: 200, headers: answer.headers })
      return answer.body === null ? answer : short
    })
    const { stream } = await connectTo(world, 'gong', { fetch }).call_audio.download(params())
    await expect(lengthOf(stream)).rejects.toMatchObject({ message: expect.stringContaining(`after 10 of ${file().length} bytes`) })
  })

  test('ends the request when its reader cancels', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const { fetch } = watchFetch((request) => {
      if (isExecute(request)) signals.push(request.init.signal)
      return undefined
    })
    const { stream } = await connectTo(world, 'gong', { fetch }).call_audio.download(params(), { resume: true })
    const [signal] = signals
    if (!signal) throw new Error('nothing was sent')
    const aborted = once(signal, 'abort')
    await stream.cancel()
    await aborted
    expect(signal.aborted).toBe(true)
  })

  test('with a wrong parameter is the error of the service', async () => {
    const gong = connectTo(world, 'gong')
    await expect(gong.call_audio.download({ ...params(), range_header: 'lines=1' })).rejects.toMatchObject({ code: 'range_invalid' })
    await expect(gong.call_audio.download({ ...params(), filter: { callIds: ['1'] } })).rejects.toMatchObject({ code: 'record_not_found' })
  })
})
