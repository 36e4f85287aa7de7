import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import type { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { connected, expired, vendor } from './oauth-support.ts'
import { failure, heldTimers, type Reply, serve } from './support.ts'

describe('a renewal that fails', () => {
  const failing = async (reply: Reply): Promise<{ error: FerruleError; requests: number }> => {
    await using server = await serve(() => reply)
    await using gong = connected(server.origin)
    return { error: await failure(gong.calls.list({}, { deadlineMs: 60_000 })), requests: server.seen.length }
  }

  test('because it is refused says what to do next', async () => {
    const { error } = await failing({ status: 400, body: { error: 'invalid_grant', error_description: 'Refresh token code is invalid' } })
    expect(error).toMatchObject({ code: 'upstream_auth_failed', hint: 'Connect the account again: the refresh token was used or revoked.' })
  })

  test.each<[string, Reply, string]>([
    ['refused', { status: 401, body: {} }, 'upstream_auth_failed'],
    ['a failure of the vendor', { status: 503, body: 'busy' }, 'upstream_error'],
    ['too many', { status: 429, body: {} }, 'upstream_rate_limited'],
    ['cut', (response) => response.destroy(), 'upstream_unreachable'],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }, 'upstream_answer_invalid'],
    ['without a token', { body: { refresh_token: 'RT_2' } }, 'upstream_answer_invalid'],
    ['not JSON', { body: '<html>' }, 'upstream_answer_invalid'],
    ['an array', { body: [] }, 'upstream_answer_invalid'],
  ])('%s: the refresh token is not sent again within the call', async (_what, reply, code) => {
    const { error, requests } = await failing(reply)
    expect(error.code).toBe(code)
    expect(requests).toBe(1)
  })

  test('tells how long the vendor asks to wait', async () => {
    const { error } = await failing({ status: 429, headers: { 'retry-after': '7' }, body: {} })
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 7000 })
  })

  test('does not hold the call beyond its deadline, nor does it send the token twice', async () => {
    using timers = heldTimers()
    await using server = await serve(() => () => timers.pass(60))
    await using gong = connected(server.origin)
    expect((await failure(gong.calls.list({}, { deadlineMs: 60 }))).code).toBe('upstream_timeout')
    expect(server.seen).toHaveLength(1)
  })
})

describe('the base address of the customer', () => {
  const bases: readonly [string, boolean][] = [
    ['https://company-17.api.gong.io', true],
    ['https://company-17.api.gong.io/', true],
    ['https://evil.example', false],
    ['https://api.gong.io.evil.example', false],
    ['https://a.b.api.gong.io', false],
    ['http://company-17.api.gong.io', false],
    ['https://company-17.api.gong.io@evil.example', false],
    ['https://company-17.api.gong.io:8443', false],
    ['https://company-17.api.gong.io/v2/', false],
    ['https://company-17.api.gong.io\n.evil.example', false],
    ['', false],
  ]
  test.each(bases)('%j in a token answer is obeyed: %s', async (base, obeyed) => {
    const { answer } = vendor({ token: { api_base_url_for_customer: base } })
    await using server = await serve(answer)
    const handed: { api_base_url_for_customer?: string }[] = []
    await using gong = connected(server.origin, { onCredentials: (next) => void handed.push(next) })
    await gong.calls.list()
    // Behind an override the vendor's own host travels in a header.
    expect(server.seen.at(-1)?.headers['x-forwarded-host']).toBe(obeyed ? 'company-17.api.gong.io' : 'api.gong.io')
    expect(handed[0]?.api_base_url_for_customer).toBe(obeyed ? base : undefined)
  })

  test.each(bases.filter(([base, obeyed]) => !obeyed && base !== ''))('%j is refused as a credential and as configuration', (base) => {
    const credentials = { ...expired, api_base_url_for_customer: base }
    expect(() => connectLocally(kinds.gong, { credentials })).toThrow(/credentials\/api_base_url_for_customer must be an address of Gong/)
    const config = { api_base_url_for_customer: base }
    expect(() => connectLocally(kinds.gong, { credentials: expired, config })).toThrow(
      /config\/api_base_url_for_customer must be an address of Gong/,
    )
  })
})

describe('a connection that waits', () => {
  test('a renewal goes on when the connector is closed meanwhile: the call fails, nothing crashes', async () => {
    const asked = Promise.withResolvers<void>()
    await using server = await serve(() => (response) => {
      asked.resolve()
      void once(response, 'close')
    })
    const gong = connected(server.origin)
    const ended = gong.calls.list().catch((error: unknown) => error)
    await asked.promise
    await gong.close()
    expect(await ended).toMatchObject({ name: 'FerruleError' })
  })
})
