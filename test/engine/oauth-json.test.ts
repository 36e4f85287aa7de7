/** An exchange in JSON of a code that is good for one, at a vendor that reports errors by codes of its own. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { type ConnectOptions, connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { type ErrorCode, FerruleError } from '../../packages/ferrule/src/errors.ts'
import { failure, type Reply, type Seen, serve } from './support.ts'

const app = { app_id: '7301122334455667788', secret: 'app+secret/1&2"3' }
const first = { ...app, auth_code: 'code_demo_1' }
const [one, two] = ['7412085530917364481', '7412085530917364503']

const ok = (data: unknown): Reply => ({ body: { code: 0, message: 'OK', request_id: 'r1', data } })
const refusal = (code: number, message: string): Reply => ({ body: { code, message, request_id: 'r2', data: {} } })
const empty = ok({ list: [], page_info: { page: 1, page_size: 1000, total_number: 0, total_page: 0 } })
const exchanged = ok({ access_token: 'zx-token-1', advertiser_ids: [one, two], scope: [4, 100] })
const isExchange = ({ url }: Seen): boolean => url === '/open_api/v1.3/oauth2/access_token/'

type Options = Partial<ConnectOptions<(typeof kinds)['tiktok-marketing']['definition']>>
const connected = (origin: string, options: Options = {}) =>
  connectLocally(kinds['tiktok-marketing'], { credentials: first, origin, limits: false, ...options })
/** A vendor with one answer for exchanges and one for everything else. */
const vendor = (exchange: Reply, api: (token: string) => Reply = () => empty) =>
  serve((seen) => (isExchange(seen) ? exchange : api(String(seen.headers['access-token']))))

describe('a code', () => {
  test('is exchanged in JSON, once for many calls, and forgotten; what it discovered is known from then on', async () => {
    await using server = await vendor(exchanged)
    const handed: unknown[] = []
    await using ads = connected(server.origin, { onCredentials: (next) => void handed.push(next) })
    await Promise.all(Array.from({ length: 20 }, () => ads.campaigns.list({ advertiser_id: one })))
    const [exchange, ...calls] = server.seen
    expect(server.seen.filter(isExchange)).toHaveLength(1)
    expect(exchange).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-host': 'business-api.tiktok.com' },
    })
    expect(exchange?.headers).not.toHaveProperty('authorization')
    expect(exchange?.headers).not.toHaveProperty('access-token')
    expect(JSON.parse(exchange?.body ?? '')).toEqual(first)
    expect(new Set(calls.map(({ headers }) => headers['access-token']))).toEqual(new Set(['zx-token-1']))
    expect(handed).toEqual([{ ...app, access_token: 'zx-token-1', advertiser_ids: `${one},${two}` }])
  })

  test('is exchanged first where a call needs what it discovers', async () => {
    await using server = await vendor(exchanged, () => ok({ list: [] }))
    await using ads = connected(server.origin)
    await ads.advertisers.list()
    expect(server.seen.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/open_api/v1.3/oauth2/access_token/',
      `/open_api/v1.3/advertiser/info/?advertiser_ids=["${one}","${two}"]`,
    ])
    expect((await failure(ads.campaigns.list())).message).toContain(`several are known: advertiser ${one}, ${two}`)
    expect(server.seen).toHaveLength(2)
  })

  test('that discovers nothing leaves what was known', async () => {
    for (const advertiser_ids of [undefined, [], [{}], '']) {
      await using server = await vendor(ok({ access_token: 'zx-token-1', advertiser_ids }))
      const handed: { advertiser_ids?: string }[] = []
      const credentials = { ...first, advertiser_ids: two }
      await using ads = connected(server.origin, { credentials, onCredentials: (next) => void handed.push(next) })
      await ads.campaigns.list()
      expect(handed).toEqual([{ ...app, access_token: 'zx-token-1', advertiser_ids: two }])
    }
  })

  test('is left alone while there is a token, and exchanged when that is refused', async () => {
    await using server = await vendor(exchanged, (token) => (token === 'zx-token-1' ? empty : refusal(40105, 'Access token is incorrect.')))
    const credentials = { ...first, access_token: 'zx-token-0' }
    await using ads = connected(server.origin, { credentials })
    await ads.campaigns.list({ advertiser_id: one })
    expect(server.seen.map((seen) => (isExchange(seen) ? 'exchange' : seen.headers['access-token']))).toEqual([
      'zx-token-0',
      'exchange',
      'zx-token-1',
    ])
  })

  test('that is gone cannot renew a token: the refusal ends the call', async () => {
    await using server = await vendor(exchanged, () => refusal(40105, 'Access token is incorrect.'))
    await using ads = connected(server.origin, { credentials: { ...app, access_token: 'zx-token-0' } })
    expect(await failure(ads.campaigns.list({ advertiser_id: one }))).toMatchObject({
      code: 'upstream_auth_failed',
      upstream: { code: '40105' },
    })
    expect(server.seen).toHaveLength(1)
  })

  test('is not spent on a permission that is missing', async () => {
    await using server = await vendor(exchanged, () => refusal(40001, 'No permission to operate advertiser.'))
    await using ads = connected(server.origin, { credentials: { ...first, access_token: 'zx-token-0' } })
    expect((await failure(ads.campaigns.list({ advertiser_id: one }))).code).toBe('upstream_permission_denied')
    expect(server.seen.filter(isExchange)).toEqual([])
  })

  test('is missed where there is neither it nor a token', async () => {
    const error = await failure(connected('http://127.0.0.1:1', { credentials: app }).campaigns.list({ advertiser_id: one }))
    expect(error).toMatchObject({ code: 'upstream_auth_failed', hint: 'Connect the account again.' })
    expect(error.message).toContain('there is no access token, and no auth_code to get one')
  })
})

describe('an exchange that fails', () => {
  const echo = `you sent ${app.secret} and ${first.auth_code}, in a form ${encodeURIComponent(app.secret)} and in JSON ${JSON.stringify(app.secret)}`

  test.each<[string, Reply, ErrorCode, Readonly<Record<string, unknown>>]>([
    ['a code that was used', refusal(40110, echo), 'upstream_auth_failed', { hint: expect.stringContaining('one exchange') }],
    ['a wrong secret', refusal(40101, echo), 'upstream_auth_failed', {}],
    ['a parameter', refusal(40002, echo), 'upstream_invalid_request', {}],
    ['too many', refusal(40100, echo), 'upstream_rate_limited', { retryAfterMs: 1_000 }],
    ['a failure of the vendor', refusal(50000, echo), 'upstream_error', {}],
    ['a failure before the vendor', { status: 502, body: `<html>${echo}</html>` }, 'upstream_error', {}],
    ['a 401', { status: 401, body: { message: echo } }, 'upstream_auth_failed', {}],
    ['no code', { body: { message: echo, data: { access_token: 'zx-token-1' } } }, 'upstream_answer_invalid', {}],
    ['no token', { body: { code: 0, message: echo, data: { token: app.secret } } }, 'upstream_answer_invalid', {}],
    ['a token that no header carries', ok({ access_token: 'zx-token\r\n1' }), 'upstream_answer_invalid', {}],
    ['no JSON', { body: `<html>${echo}</html>` }, 'upstream_answer_invalid', {}],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }, 'upstream_answer_invalid', {}],
    ['a cut connection', (response) => response.destroy(), 'upstream_unreachable', {}],
  ])('%s: it is asked once, and its error holds no secret', async (_what, reply, ...[code, more]) => {
    await using server = await vendor(reply)
    await using ads = connected(server.origin)
    const error = await failure(ads.campaigns.list({ advertiser_id: one }))
    expect(error).toMatchObject({ code, ...more })
    expect(server.seen).toHaveLength(1)
    const printed = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error.toProblem())].join()
    for (const secret of [app.secret, first.auth_code, encodeURIComponent(app.secret), JSON.stringify(app.secret).slice(1, -1), 'zx-token'])
      expect(printed).not.toContain(secret)
  })

  test('is the error of every call that waits for it; the next call tries again', async () => {
    let replies = 0
    await using server = await serve((seen) => (isExchange(seen) ? (++replies === 1 ? refusal(50000, 'busy') : exchanged) : empty))
    await using ads = connected(server.origin)
    const ended = await Promise.allSettled([ads.ads.list({ advertiser_id: one }), ads.campaigns.list({ advertiser_id: one })])
    expect(ended.map((end) => end.status === 'rejected' && end.reason instanceof FerruleError && end.reason.code)).toEqual([
      'upstream_error',
      'upstream_error',
    ])
    await ads.ads.list({ advertiser_id: one })
    expect(replies).toBe(2)
  })
})
