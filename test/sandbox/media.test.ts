import { describe, expect, test } from 'vitest'
import { ask, get, openWorld } from './client.ts'

const mediaBytes = 5 * 2 ** 30
const world = await openWorld({ mediaBytes })
const { sandbox, facts, post } = world

async function urlOf(callId: string, kind: 'audioUrl' | 'videoUrl'): Promise<string> {
  const { body } = await post('/v2/calls/extensive', { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true } } })
  return String(get(body, 'calls', 0, 'media', kind))
}

async function fetchBytes(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const audio = await urlOf(facts.callId, 'audioUrl')
const video = await urlOf(facts.largeCallId, 'videoUrl')
const whole = Buffer.from(sandbox.gong.mediaBytes(facts.callId, 'audio'))

describe('an address', () => {
  test('is a presigned one of another origin', () => {
    const url = new URL(audio)
    expect(url.origin).toBe(sandbox.origins.gong.media)
    expect(url.pathname).toMatch(new RegExp(`^/media-data/\\d+/${facts.callId}/${facts.callId}\\.playback\\.mp3$`))
    expect(url.searchParams.get('X-Amz-Expires')).toBe('28800')
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    expect(url.searchParams.get('X-Amz-Date')).toBe('20250616T190000Z')
    expect(audio.length).toBeGreaterThan(1000)
  })

  test('ends after eight hours', async () => {
    world.clock.now += 28_799_000
    expect((await fetchBytes(audio)).status).toBe(200)
    world.clock.now += 1000
    const { status, headers, text } = await ask(audio)
    expect([status, headers.get('content-type')]).toEqual([403, 'application/xml'])
    expect(text).toContain('<Code>AccessDenied</Code><Message>Request has expired</Message>')
  })

  test('is bound to its signature', async () => {
    expect((await ask(audio.replace(/Signature=../, 'Signature=zz'))).text).toContain('SignatureDoesNotMatch')
    expect((await ask(audio.replace('Expires=28800', 'Expires=99999999'))).status).toBe(403)
    expect((await ask(audio.replaceAll(facts.callId, facts.privateCallId))).status).toBe(403)
    expect((await ask(audio.split('?')[0] ?? '')).status).toBe(403)
  })

  test('is good for GET alone and without further credentials', async () => {
    const { status, text } = await ask(audio, { headers: { authorization: 'Bearer sandbox-access-token' } })
    expect(status).toBe(400)
    expect(text).toContain('<Code>InvalidArgument</Code>')
    expect((await ask(audio, { method: 'HEAD' })).status).toBe(403)
    expect((await ask(audio, { method: 'POST' })).status).toBe(403)
  })
})

describe('bytes', () => {
  test.each([
    { range: 'bytes=0-99', first: 0, last: 99 },
    { range: 'bytes=65530-65545', first: 65_530, last: 65_545 },
    { range: `bytes=${whole.length - 5}-`, first: whole.length - 5, last: whole.length - 1 },
    { range: 'bytes=-7', first: whole.length - 7, last: whole.length - 1 },
    { range: 'bytes=10-999999999', first: 10, last: whole.length - 1 },
    { range: 'bytes=-999999999', first: 0, last: whole.length - 1 },
  ])('$range is a part', async ({ range, first, last }) => {
    const { status, headers, bytes } = await fetchBytes(audio, { range })
    expect(status).toBe(206)
    expect(headers.get('content-range')).toBe(`bytes ${first}-${last}/${whole.length}`)
    expect(bytes.equals(whole.subarray(first, last + 1))).toBe(true)
  })

  test.each(['bytes=9-1', 'bytes=a-b', 'items=0-1', 'bytes=-', 'bytes=0-1,5-6'])('%s is not minded', async (range) => {
    const { status, bytes } = await fetchBytes(audio, { range })
    expect([status, bytes.length]).toEqual([200, whole.length])
  })

  test.each(['bytes=999999999-', 'bytes=-0'])('%s lies outside', async (range) => {
    const { status, headers, bytes } = await fetchBytes(audio, { range })
    expect(status).toBe(416)
    expect(headers.get('content-range')).toBe(`bytes */${whole.length}`)
    expect(bytes.toString()).toContain('<Code>InvalidRange</Code>')
  })

  test('of a file beyond 2 GiB are made where they are asked for', async () => {
    const offset = 4 * 2 ** 30 + 12_345
    const { status, headers, bytes } = await fetchBytes(video, { range: `bytes=${offset}-${offset + 199_999}` })
    expect(status).toBe(206)
    expect(headers.get('content-range')).toBe(`bytes ${offset}-${offset + 199_999}/${mediaBytes}`)
    expect(headers.get('content-type')).toBe('video/mp4')
    expect(bytes.equals(sandbox.gong.mediaBytes(facts.largeCallId, 'video', { offset, length: 200_000 }))).toBe(true)
    const other = sandbox.gong.mediaBytes(facts.largeCallId, 'video', { offset: offset - 65_536, length: 200_000 })
    expect(bytes.equals(other)).toBe(false)
  })

  test('stop when the client goes away', async () => {
    const abort = new AbortController()
    const response = await fetch(video, { signal: abort.signal })
    const reader = response.body?.getReader()
    const first = await reader?.read()
    abort.abort()
    expect(first?.value?.length).toBeGreaterThan(0)
    await expect(reader?.read()).rejects.toThrow()
    expect((await fetchBytes(video, { range: 'bytes=0-0' })).status).toBe(206)
  })
})
