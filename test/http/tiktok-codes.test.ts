/** Codes of the vendor's consent page: exchanged once, stored, never shown. */
import { afterEach, describe, expect, test } from 'vitest'
import { tiktokCredentials as known } from '../../packages/sandbox/src/index.ts'
import { app } from '../library/tiktok-support.ts'
import { share } from '../support/share.ts'
import { startWorld } from './support.ts'
import { clientOf } from './tiktok-support.ts'

const world = await share(startWorld())
const client = clientOf(world)
const facts = world.sandbox.tiktok.world
afterEach(() => {
  const tokens = world.sandbox.tiktok.requests().flatMap(({ headers }) => headers['access-token'] ?? [])
  client.expectSecrecy('a-wrong-secret', ...tokens)
  world.sandbox.tiktok.reset()
})

describe('a code of the consent page', () => {
  test('is exchanged once for fifty calls at once; its token and advertisers are stored, the code is not', async () => {
    const auth_code = await client.code()
    const made = await client.create('fifty', {}, { ...app, auth_code })
    world.sandbox.tiktok.clear()
    world.sandbox.faults.add({ kind: 'delay', ms: 200, on: 'tiktok', method: 'POST' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.list(made, 'advertisers', {})))
    expect(new Set(answers.map(({ status, json }) => [status, json.data?.length].join()))).toEqual(new Set(['200,3']))
    expect(client.exchanges().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/open_api/v1.3/oauth2/access_token/', { ...app, auth_code }],
    ])
    expect((await client.record(made)).credential_fields).toEqual(['app_id', 'secret', 'access_token', 'advertiser_ids'])
    const several = await client.list(made, 'ads', {})
    expect([several.status, several.json.errors[0].message]).toEqual([
      422,
      expect.stringContaining([facts.advertiserId, facts.secondAdvertiserId, facts.emptyAdvertiserId].join(', ')),
    ])
    expect(client.exchanges()).toHaveLength(1)
  })

  test('that the sandbox documents works for every connector', async () => {
    for (const name of ['one', 'two']) {
      const made = await client.create(`documented ${name}`, {}, { ...app, auth_code: known.authCode })
      expect((await client.list(made, 'advertisers')).json.data).toHaveLength(3)
    }
  })

  test('that was used marks the connector; a new code makes it good', async () => {
    const auth_code = await client.code()
    await client.check(await client.create('first', {}, { ...app, auth_code }))
    const second = await client.create('second', {}, { ...app, auth_code })
    const { status, json } = await client.list(second, 'advertisers', {})
    expect([status, json.code, json.upstream.code, json.hint]).toEqual([
      424,
      'upstream_auth_failed',
      '40110',
      expect.stringContaining('Connect the account again'),
    ])
    expect(await client.record(second)).toMatchObject({ status: 'auth_error', status_reason: expect.stringContaining('PATCH') })
    await client.ask(`/${second}`, 'PATCH', { credentials: { auth_code: await client.code() } })
    expect((await client.list(second, 'advertisers', {})).json.data).toHaveLength(3)
    expect((await client.record(second)).status).toBe('active')
  })

  test('gives way to a new one at once: the old token and its advertisers are forgotten', async () => {
    const made = await client.create('again', {}, { ...app, access_token: known.accessToken, advertiser_ids: facts.secondAdvertiserId })
    expect((await client.list(made, 'ads', {})).json.data).toHaveLength(74)
    expect(client.exchanges()).toEqual([])
    await client.ask(`/${made}`, 'PATCH', { credentials: { auth_code: await client.code() } })
    expect((await client.list(made, 'advertisers', {})).json.data).toHaveLength(3)
    expect(client.exchanges()).toHaveLength(1)
  })

  test('meets an answer that is lost: the code is spent, and the connector says what to do', async () => {
    const made = await client.create('lost', {}, { ...app, auth_code: await client.code() })
    world.sandbox.faults.add({ kind: 'cut', after: 20, on: 'tiktok', method: 'POST' })
    expect((await client.list(made, 'advertisers', {})).json).toMatchObject({ code: 'upstream_unreachable', retryable: true })
    expect((await client.list(made, 'advertisers', {})).json).toMatchObject({
      code: 'upstream_auth_failed',
      hint: expect.stringContaining('Connect the account again'),
    })
  })

  test('meets a wrong secret, and too many calls', async () => {
    const wrong = await client.create('wrong', {}, { ...app, secret: 'a-wrong-secret', auth_code: await client.code() })
    expect((await client.list(wrong, 'advertisers', {})).json).toMatchObject({ code: 'upstream_auth_failed', upstream: { code: '40101' } })
    expect((await client.record(wrong)).status).toBe('auth_error')
    const busy = await client.create('busy', {}, { ...app, auth_code: await client.code() })
    world.sandbox.faults.add({ kind: 'code', code: 40100, on: 'tiktok' })
    expect((await client.list(busy, 'advertisers', {})).json).toMatchObject({
      code: 'upstream_rate_limited',
      retryable: true,
      retry_after_seconds: 1,
    })
    expect((await client.list(busy, 'advertisers', {})).json.data).toHaveLength(3)
  })
})
