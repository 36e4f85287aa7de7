/** Addresses that a browser plays downloads from. */
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { share } from '../support/share.ts'
import { beginSession } from './session-support.ts'
import { type Answer, base, connectorsPath, createTenant, type Sent, startWorld } from './support.ts'

/** Type that the host of the files sends; undefined: its own. */
let sentType: string | undefined
const withType = (engine: Engine): Pick<Engine, 'run'> => ({
  run: async (connection, call) => {
    const outcome = await engine.run(connection, call)
    return outcome.type === 'file' && sentType !== undefined ? { ...outcome, file: { ...outcome.file, contentType: sentType } } : outcome
  },
})

const world = await share(startWorld({ engine: withType }))
const connector = await world.connect('Media')
const session = await beginSession(world)

const params = () => ({ filter: { callIds: [world.sandbox.gong.world.callId] }, contentSelector: { exposedFields: { media: true } } })
const create = (headers: Sent['headers'] = session, body: object = { entity: 'call_audio', params: params() }) =>
  world.ask(`${connectorsPath}/${connector}/media`, { body, headers: headers ?? {} })
const play = (url: string, headers: Sent['headers'] = session) => world.ask(url, { headers: headers ?? {} })
const refusal = ({ status, json }: Answer) => `${status} ${json.code}`

describe('an address for playing', () => {
  test('plays the file to the session that asked, whole and in ranges', async () => {
    const { status, json } = await create()
    expect(status).toBe(200)
    expect(json).toEqual({
      url: expect.stringMatching(/^\/api\/v1\/media\/[\w-]{43}\?organization_id=[\w-]{36}$/),
      content_type: 'audio/mpeg',
      expires_at: new Date(world.clock.now + 300_000).toISOString(),
    })
    expect(json.url).not.toContain(world.sandbox.gong.world.callId)
    const whole = await play(json.url)
    expect([whole.status, whole.headers['content-type']]).toEqual([200, 'audio/mpeg'])
    const part = await play(json.url, { ...session, range: 'bytes=3-9' })
    expect([part.status, part.bytes]).toEqual([206, whole.bytes.subarray(3, 10)])
    expect(part.headers['content-range']).toBe(`bytes 3-9/${whole.bytes.length}`)
    const tail = await play(json.url, { ...session, range: 'bytes=5-' })
    expect([tail.status, tail.bytes]).toEqual([206, whole.bytes.subarray(5)])
    const several = await play(json.url, { ...session, range: 'bytes=0-1,4-5' })
    expect([several.status, several.bytes]).toEqual([200, whole.bytes])
  })

  test('never lets a file become a page', async () => {
    const { json } = await create()
    const { headers } = await play(json.url)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^(?=.*sandbox)(?=.*default-src 'none')/),
      'content-disposition': expect.stringContaining('attachment'),
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    for (const type of ['text/html', 'image/svg+xml', 'application/octet-stream, text/html', 'video/mp4\r\nx: y', '']) {
      sentType = type
      expect([refusal(await create()), refusal(await play(json.url))]).toEqual(['422 not_playable', '422 not_playable'])
    }
    sentType = 'binary/octet-stream' // the definition says that the file is an .mp3
    expect((await play(json.url)).headers['content-type']).toBe('audio/mpeg')
    sentType = undefined
  })

  test('answers nobody else, nor another session of the same application, nor a link of another site', async () => {
    const { json } = await create()
    const [path = ''] = String(json.url).split('?')
    const tenant = await createTenant(world, 'Tenant')
    expect(refusal(await play(json.url, {}))).toBe('401 missing_token')
    expect(refusal(await play(json.url, await beginSession(world)))).toBe('404 record_not_found')
    expect(refusal(await play(json.url, { authorization: `Bearer ${world.token}` }))).toBe('404 record_not_found')
    expect(refusal(await play(path, { authorization: `Bearer ${tenant.token}` }))).toBe('404 record_not_found')
    expect(refusal(await play(json.url, { authorization: `Bearer ${tenant.token}` }))).toBe('403 organization_forbidden')
    expect((await play(json.url, { ...session, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
    expect((await play(json.url)).status).toBe(200)
  })

  test('ends after five minutes', async () => {
    const { json } = await create()
    world.clock.now += 300_000
    const answer = await play(json.url)
    expect([refusal(answer), answer.json.hint]).toEqual(['404 record_not_found', 'Ask for a new address.'])
  })

  test('is made by a token for that token, and for one of a workspace', async () => {
    const sent = { token: world.token, body: { workspace_name: 'default' } }
    const scoped = String((await world.ask(`${base}/account/applications/scoped-token`, sent)).json.token)
    for (const token of [world.token, scoped]) {
      const headers = { authorization: `Bearer ${token}` }
      const { json } = await create(headers)
      expect((await play(json.url, headers)).status).toBe(200)
    }
  })

  test('is refused for what cannot be played, with the error of the download', async () => {
    expect(refusal(await create(session, { entity: 'users' }))).toBe('422 action_not_supported')
    expect(refusal(await create(session, { entity: 'call_audio' }))).toBe('422 media_selector_required')
    const missing = { ...params(), filter: { callIds: ['1'] } }
    expect(refusal(await create(session, { entity: 'call_audio', params: missing }))).toBe('404 record_not_found')
    expect(refusal(await create(session, { entity: 'call_audio', params: params(), more: 1 }))).toBe('422 validation_failed')
  })
})
