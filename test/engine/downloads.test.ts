import { describe, expect, test } from 'vitest'
import { answerWith, at, bytesOf, download, link, vendor } from './download-support.ts'
import { failure, gongAt, opened, pageOf, type Reply, serve, testEngine } from './support.ts'

const file = Buffer.from(Array.from({ length: 1000 }, (_each, index) => index % 256))
const expiredUrl = { status: 403, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>AccessDenied</Code></Error>' }

describe('a download', () => {
  test('gives the bytes, and what the host says of them', async () => {
    const headers = { 'content-type': 'audio/mpeg', 'content-length': '1000', 'accept-ranges': 'bytes' }
    await using server = await serve(vendor(() => ({ headers, body: file })))
    await using engine = testEngine()
    const { body, ...about } = await opened(engine.run(at(server), download()))
    expect(about).toEqual({
      status: 200,
      contentType: 'audio/mpeg',
      contentLength: 1000,
      contentRange: null,
      acceptRanges: 'bytes',
      etag: null,
      name: '7.mp3',
    })
    expect(await bytesOf(body)).toEqual(file)
  })

  test('asks the host of the file without the connector’s credentials, uncompressed, at its own path', async () => {
    await using server = await serve(vendor(() => ({ body: file })))
    await using engine = testEngine()
    await bytesOf((await opened(engine.run(at(server), download({}, 'call_video')))).body)
    const [api, host] = server.seen
    expect(api?.headers.authorization).toBe('Basic QUtfREVNTzpTRUNSRVRfREVNTw==')
    expect(host).toMatchObject({ method: 'GET', url: '/media-data/11/7/7.playback.mp3?X-Amz-Expires=28800&X-Amz-Signature=abc', body: '' })
    expect(host?.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity', 'x-forwarded-host': 'honeyfy.example' })
    expect(host?.headers).not.toHaveProperty('authorization')
    expect(host?.headers).not.toHaveProperty('range')
  })

  test('hands the range on as it is, and the part with its range', async () => {
    const headers = { 'content-type': 'audio/mpeg', 'content-range': 'bytes 10-19/1000', 'content-length': '10' }
    await using server = await serve(vendor(() => ({ status: 206, headers, body: file.subarray(10, 20) })))
    await using engine = testEngine()
    const part = await opened(engine.run(at(server), download({ range_header: 'bytes=10-19' })))
    expect(part).toMatchObject({ status: 206, contentLength: 10, contentRange: 'bytes 10-19/1000' })
    expect(await bytesOf(part.body)).toEqual(file.subarray(10, 20))
    expect(server.seen[0]?.body).not.toContain('range')
    expect(server.seen[0]?.headers).not.toHaveProperty('range')
    expect(server.seen[1]?.headers.range).toBe('bytes=10-19')
  })

  test('outside of the file is refused with the size', async () => {
    await using server = await serve(vendor(() => ({ status: 416, headers: { 'content-range': 'bytes */1000' }, body: '<Error/>' })))
    await using engine = testEngine()
    const error = await failure(engine.run(at(server), download({ range_header: 'bytes=5000-' })))
    expect(error).toMatchObject({ code: 'range_not_satisfiable', status: 416, headers: { 'content-range': 'bytes */1000' } })
    expect(server.seen).toHaveLength(2)
  })

  test('has a name that is a file name, whatever the id is', async () => {
    await using server = await serve(vendor(() => ({ body: file })))
    await using engine = testEngine()
    const { body, name } = await opened(engine.run(at(server), download({ filter: { callIds: ['../"7"\r\nä'] } })))
    await bytesOf(body)
    expect(name).toBe('_.__7____.mp3') // no hidden file
  })

  test.each([
    [403, 2],
    [400, 2],
  ])('whose URL has expired (%i) asks for a fresh one, once', async (status, requests) => {
    await using server = await serve(vendor((_seen, count) => (count === 1 ? { ...expiredUrl, status } : { body: file })))
    await using engine = testEngine()
    expect(await bytesOf((await opened(engine.run(at(server), download()))).body)).toEqual(file)
    expect(server.seen.filter(({ url }) => url === '/v2/calls/extensive')).toHaveLength(requests)
    await using stubborn = await serve(vendor(() => ({ ...expiredUrl, status })))
    expect(await failure(engine.run(at(stubborn), download()))).toMatchObject({ code: 'upstream_error', fault: 'vendor' })
    expect(stubborn.seen).toHaveLength(4)
  })

  test.each<[string, Reply]>([
    ['is busy', { status: 503, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>SlowDown</Code></Error>' }],
    ['closes the connection', (response) => response.destroy()],
  ])('whose host %s once is tried again, a host that stays so is given up', async (_what, reply) => {
    await using server = await serve(vendor((_seen, count) => (count === 1 ? reply : { body: file })))
    await using engine = testEngine()
    expect(await bytesOf((await opened(engine.run(at(server), download()))).body)).toEqual(file)
    await using stubborn = await serve(vendor(() => reply))
    expect(await failure(engine.run(at(stubborn), download()))).toMatchObject({ fault: 'vendor', retryable: true })
    expect(stubborn.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET'])
  })

  test.each<[string, Reply, string]>([
    ['no call', { status: 404, body: { errors: ['No calls found corresponding to the provided filters'] } }, 'record_not_found'],
    ['an empty list', { body: pageOf({ calls: [] }) }, 'record_not_found'],
    ['no media', answerWith(undefined), 'record_not_found'],
    ['only a video', answerWith({ videoUrl: link }), 'record_not_found'],
    ['null', answerWith({ audioUrl: null }), 'record_not_found'],
    ['an empty text', answerWith({ audioUrl: '' }), 'record_not_found'],
    ['a text that is no URL', answerWith({ audioUrl: 'not a url' }), 'upstream_answer_invalid'],
    ['a path', answerWith({ audioUrl: '/etc/passwd' }), 'upstream_answer_invalid'],
  ])('of %s is an error', async (_what, reply, code) => {
    await using server = await serve(() => reply)
    await using engine = testEngine()
    expect((await failure(engine.run(at(server), download()))).code).toBe(code)
    expect(server.seen).toHaveLength(1)
  })

  test.each([
    [404, 'record_not_found'],
    [500, 'upstream_error'],
    [204, 'upstream_error'],
    [304, 'upstream_error'],
  ])('that the host answers with %i is %s', async (status, code) => {
    await using server = await serve(vendor(() => ({ status })))
    await using engine = testEngine()
    expect((await failure(engine.run(at(server), download()))).code).toBe(code)
  })
})

describe('a link of an answer', () => {
  const resolved: readonly string[] = [
    'http://honeyfy.example/f',
    'https://127.0.0.1/f',
    'https://2130706433/f',
    'https://0177.0.0.1/f',
    'https://0x7f.0.0.1/f',
    'https://127.1/f',
    'https://10.0.0.1/f',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/f',
    'https://[::ffff:127.0.0.1]/f',
    'https://[::ffff:7f00:1]/f',
    'https://[::127.0.0.1]/f',
    'https://[fd00::1]/f',
    'https://user:password@honeyfy.example/f',
    'https://localhost/f',
    'ftp://honeyfy.example/f',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:1',
  ]
  test.each(resolved)('to %s is refused', async (url) => {
    await using server = await serve(vendor(() => ({ body: file }), url))
    await using engine = testEngine()
    const error = await failure(engine.run({ ...gongAt(server.origin) }, download()))
    expect(error).toMatchObject({ code: 'upstream_answer_invalid' })
    expect(error.message).toMatch(/a link (that is not a public https address|to an address that is not public)/)
    expect(error.hint).toContain('origin.media') // the API is a stand-in here: its files may be as well
    expect(server.seen).toHaveLength(1)
  })

  test('to a port of this machine is refused, though the API is there', async () => {
    await using inner = await serve(() => ({ body: 'secret of the inner network' }))
    await using server = await serve(vendor(() => ({ body: file }), `${inner.origin}/f`))
    await using engine = testEngine()
    expect((await failure(engine.run(gongAt(server.origin), download()))).code).toBe('upstream_answer_invalid')
    expect(inner.seen).toHaveLength(0)
  })

  test('may be redirected within the host of the files', async () => {
    await using server = await serve(
      vendor((_seen, count) => (count < 3 ? { status: 302, headers: { location: `/other/${count}?s=1` } } : { body: file })),
    )
    await using engine = testEngine()
    expect(await bytesOf((await opened(engine.run(at(server), download({ range_header: 'bytes=0-' })))).body)).toEqual(file)
    expect(server.seen.map(({ url }) => url).slice(2)).toEqual(['/other/1?s=1', '/other/2?s=1'])
    for (const { headers } of server.seen.slice(1)) {
      expect(headers).not.toHaveProperty('authorization')
      expect(headers.range).toBe('bytes=0-')
    }
  })

  test.each([
    ['a ring', '/again'],
    ['no URL', 'http://[x'],
  ])('that is redirected to %s ends', async (_what, location) => {
    await using server = await serve(vendor(() => ({ status: 302, headers: { location } })))
    await using engine = testEngine()
    expect((await failure(engine.run(at(server), download()))).code).toBe('upstream_answer_invalid')
    expect(server.seen.length).toBeLessThan(10)
  })

  test.each(['http://honeyfy.example/f', 'https://127.0.0.1/f', 'https://[::1]/f', 'https://localhost/f', 'file:///etc/passwd'])(
    'whose redirect leads to %s is refused at that hop',
    async (location) => {
      // The link goes to the API's own origin, which the operator named; its redirect is the vendor's word again.
      await using server = await serve((seen) =>
        seen.url === '/v2/calls/extensive' ? answerWith({ audioUrl: `${server.origin}/file` }) : { status: 302, headers: { location } },
      )
      await using engine = testEngine()
      expect((await failure(engine.run(gongAt(server.origin), download()))).code).toBe('upstream_answer_invalid')
      expect(server.seen).toHaveLength(2)
    },
  )
})
