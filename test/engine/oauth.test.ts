import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { type ConnectOptions, connectLocally } from '../../src/engine/local.ts'
import type { FerruleError } from '../../src/errors.ts'
import { callOf, failure, pageOf, type Reply, type Seen, serve } from './support.ts'

const page = { body: pageOf({ calls: [callOf('7')] }) }
const noScope = { status: 401, body: { errors: ["You don't have permission to use 'api:calls:read:basic' in your app."] } }
const revoked = { status: 401, body: { errors: ['access token has been revoked'] } }
const expired = {
  refresh_token: 'RT_1',
  access_token: 'AT_1',
  client_id: 'CID',
  client_secret: 'CSECRET',
  token_expiry_date: '2020-01-01T00:00:00Z',
}
const { token_expiry_date: _unknown, ...lasting } = expired

interface Vendor {
  /** Refresh tokens, in the order in which they were asked for. */
  readonly refreshed: string[]
  /** Bearer tokens of the API requests. */
  readonly bearers: string[]
  readonly answer: (seen: Seen) => Reply
}

/** A vendor with single-use refresh tokens: RT_1 gives AT_2 and RT_2, and so on. */
function vendor({
  api = () => page,
  token = {},
}: {
  api?: (bearer: string) => Reply
  token?: Readonly<Record<string, unknown>>
} = {}): Vendor {
  const refreshed: string[] = []
  const bearers: string[] = []
  let current = 1
  const answer = ({ url, headers }: Seen): Reply => {
    const { pathname, searchParams } = new URL(url, 'http://vendor')
    if (pathname !== '/oauth2/generate-customer-token') {
      bearers.push(headers.authorization ?? '')
      return api((headers.authorization ?? '').replace('Bearer ', ''))
    }
    const given = searchParams.get('refresh_token') ?? ''
    refreshed.push(given)
    if (given !== `RT_${current}`) return { status: 400, body: { error: 'invalid_grant', error_description: `${given} is used` } }
    current += 1
    return { body: { access_token: `AT_${current}`, refresh_token: `RT_${current}`, expires_in: 86_400, token_type: 'Bearer', ...token } }
  }
  return { refreshed, bearers, answer }
}

type Options = Partial<ConnectOptions<(typeof kinds)['gong']['definition']>>
const connected = (origin: string, options: Options = {}) =>
  connectLocally(kinds.gong, { credentials: expired, origin, limits: false, ...options })

describe('a token that has expired', () => {
  test('is renewed once for fifty calls at the same time, and handed on', async () => {
    const { answer, refreshed, bearers } = vendor()
    await using server = await serve(answer)
    const handed: unknown[] = []
    await using gong = connected(server.origin, { onCredentials: (next) => void handed.push(next) })
    await Promise.all(Array.from({ length: 50 }, () => gong.calls.list()))
    expect(refreshed).toEqual(['RT_1'])
    expect(new Set(bearers)).toEqual(new Set(['Bearer AT_2']))
    expect(bearers).toHaveLength(50)
    expect(handed).toEqual([{ ...expired, access_token: 'AT_2', refresh_token: 'RT_2', token_expiry_date: expect.any(String) }])
  })

  test('is asked for with the client’s credentials and the grant in the query', async () => {
    const { answer } = vendor()
    await using server = await serve(answer)
    await using gong = connected(server.origin)
    await gong.calls.list()
    const [request] = server.seen
    expect(request?.method).toBe('POST')
    expect(request?.url).toBe('/oauth2/generate-customer-token?grant_type=refresh_token&refresh_token=RT_1')
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('CID:CSECRET').toString('base64')}`)
    expect(request?.headers['x-forwarded-host']).toBe('app.gong.io')
    expect(request?.body).toBe('')
  })

  test('ends within a minute: it is renewed too; a later end is not', async () => {
    const { answer, refreshed } = vendor()
    await using server = await serve(answer)
    const endingIn = (seconds: number) => ({ ...expired, token_expiry_date: new Date(Date.now() + seconds * 1000).toISOString() })
    await using soon = connected(server.origin, { credentials: endingIn(50) })
    await soon.calls.list()
    expect(refreshed).toEqual(['RT_1'])
    await using later = connected(server.origin, { credentials: endingIn(90) })
    await later.calls.list()
    expect(refreshed).toEqual(['RT_1'])
  })

  test('a refresh token is used once only: the next renewal uses its successor', async () => {
    const { answer, refreshed, bearers } = vendor({ token: { expires_in: 1 } })
    await using server = await serve(answer)
    await using gong = connected(server.origin)
    await gong.calls.list()
    await gong.calls.list()
    await gong.calls.list()
    expect(refreshed).toEqual(['RT_1', 'RT_2', 'RT_3'])
    expect(bearers).toEqual(['Bearer AT_2', 'Bearer AT_3', 'Bearer AT_4'])
  })

  test('a first access token is got with the refresh token alone', async () => {
    const { answer, bearers } = vendor()
    await using server = await serve(answer)
    await using gong = connected(server.origin, { credentials: { refresh_token: 'RT_1', client_id: 'CID', client_secret: 'CSECRET' } })
    await gong.calls.list()
    expect(bearers).toEqual(['Bearer AT_2'])
  })

  test('without the client’s credentials it cannot be renewed, and the error says what is needed', async () => {
    const { answer } = vendor()
    await using server = await serve(answer)
    await using gong = connected(server.origin, { credentials: { refresh_token: 'RT_1' } })
    const error = await failure(gong.calls.list())
    expect(error.code).toBe('upstream_auth_failed')
    expect(error.message).toContain('client_id and client_secret are needed')
    expect(server.seen).toHaveLength(0)
  })
})

describe('new credentials', () => {
  test('are handed on before any call uses them, also by calls that begin meanwhile', async () => {
    const { answer, bearers } = vendor()
    await using server = await serve(answer)
    const stored = Promise.withResolvers<void>()
    const handed = Promise.withResolvers<void>()
    await using gong = connected(server.origin, {
      onCredentials: () => {
        handed.resolve()
        return stored.promise
      },
    })
    const first = gong.calls.list()
    await handed.promise
    const second = gong.calls.list()
    const third = gong.users.list().catch(() => undefined)
    expect(bearers).toEqual([])
    stored.resolve()
    await Promise.all([first, second, third])
    expect(bearers).toEqual(['Bearer AT_2', 'Bearer AT_2', 'Bearer AT_2'])
  })

  test('that cannot be stored fail the calls that wait, and stay in memory', async () => {
    const { answer, refreshed, bearers } = vendor()
    await using server = await serve(answer)
    const full = new Error('the disk is full')
    let stores = 0
    await using gong = connected(server.origin, { onCredentials: () => (++stores === 1 ? Promise.reject(full) : undefined) })
    const ended = await Promise.allSettled([gong.calls.list(), gong.calls.list()])
    expect(ended).toEqual([
      { status: 'rejected', reason: full },
      { status: 'rejected', reason: full },
    ])
    expect(bearers).toEqual([])
    await gong.calls.list()
    expect(refreshed).toEqual(['RT_1'])
  })

  test('that are never stored do not hold a call beyond its deadline', async () => {
    const { answer, bearers } = vendor()
    await using server = await serve(answer)
    await using gong = connected(server.origin, { onCredentials: () => new Promise<void>(() => {}) })
    expect((await failure(gong.calls.list({}, { deadlineMs: 50 }))).code).toBe('upstream_timeout')
    expect((await failure(gong.calls.list({}, { deadlineMs: 50 }))).code).toBe('upstream_timeout')
    expect(bearers).toEqual([])
  })

  test('come too late for a caller that goes away, and are kept for the next', async () => {
    const { answer, refreshed, bearers } = vendor()
    const controller = new AbortController()
    const gone = new Error('gone')
    const release = Promise.withResolvers<void>()
    await using server = await serve(async (seen) => {
      const reply = answer(seen)
      if (seen.url.startsWith('/oauth2')) {
        controller.abort(gone)
        await release.promise
      }
      return reply
    })
    await using gong = connected(server.origin)
    await expect(gong.calls.list({}, { signal: controller.signal })).rejects.toBe(gone)
    release.resolve()
    await gong.calls.list()
    expect(refreshed).toEqual(['RT_1'])
    expect(bearers).toEqual(['Bearer AT_2'])
  })

  test('are not asked for by a call that is over before it begins', async () => {
    const { answer, refreshed } = vendor()
    await using server = await serve(answer)
    await using gong = connected(server.origin)
    await expect(gong.calls.list({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
    expect(refreshed).toEqual([])
  })
})

describe('a 401', () => {
  test('about a missing scope does not spend the refresh token', async () => {
    const { answer, refreshed } = vendor({ api: () => noScope })
    await using server = await serve(answer)
    await using gong = connected(server.origin, { credentials: lasting })
    expect((await failure(gong.calls.list())).code).toBe('upstream_permission_denied')
    expect(refreshed).toEqual([])
  })

  test('about the token renews once and sends the call again, also for many calls', async () => {
    const { answer, refreshed, bearers } = vendor({ api: (bearer) => (bearer === 'AT_1' ? revoked : page) })
    await using server = await serve(answer)
    await using gong = connected(server.origin, { credentials: lasting })
    const pages = await Promise.all(Array.from({ length: 20 }, () => gong.calls.list()))
    expect(pages.every(({ data }) => data.length === 1)).toBe(true)
    expect(refreshed).toEqual(['RT_1'])
    expect(bearers.filter((bearer) => bearer === 'Bearer AT_2')).toHaveLength(20)
  })

  test('again after the renewal ends the call', async () => {
    const { answer, refreshed, bearers } = vendor({ api: () => revoked })
    await using server = await serve(answer)
    await using gong = connected(server.origin, { credentials: lasting })
    expect((await failure(gong.calls.list())).code).toBe('upstream_auth_failed')
    expect(refreshed).toEqual(['RT_1'])
    expect(bearers).toEqual(['Bearer AT_1', 'Bearer AT_2'])
  })

  test('with an access key is the end: there is nothing to renew', async () => {
    await using server = await serve(() => revoked)
    await using gong = connected(server.origin, { credentials: { access_key: 'AK', access_key_secret: 'SECRET' } })
    expect(await failure(gong.calls.list())).toMatchObject({ code: 'upstream_auth_failed', fault: 'credentials', retryable: false })
    expect(server.seen).toHaveLength(1)
  })
})

describe('a renewal that fails', () => {
  const failing = async (reply: Reply): Promise<{ error: FerruleError; requests: number }> => {
    await using server = await serve(() => reply)
    await using gong = connected(server.origin)
    return { error: await failure(gong.calls.list({}, { deadlineMs: 5000 })), requests: server.seen.length }
  }

  test('because it is refused says what to do next', async () => {
    const { error } = await failing({ status: 400, body: { error: 'invalid_grant', error_description: 'Refresh token code is invalid' } })
    expect(error).toMatchObject({ code: 'upstream_auth_failed', hint: 'Connect the account anew: the refresh token was used or revoked.' })
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
    await using server = await serve(() => () => {})
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
