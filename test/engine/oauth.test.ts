import { describe, expect, test } from 'vitest'
import { connected, expired, lasting, noScope, page, revoked, vendor } from './oauth-support.ts'
import { failure, serve } from './support.ts'

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
