import { describe, expect, test } from 'vitest'
import { tiktokCredentials as known } from '../../packages/sandbox/src/index.ts'
import { failure } from '../engine/support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { reportOf } from './tiktok-operations.ts'
import { app, connectAds, freshCode, type TiktokCredentials } from './tiktok-support.ts'

const { sandbox, tiktok, facts } = await openDesk()
const ads = connectAds(sandbox)

/** Returns the vendor's last request. */
const asked = () => tiktok.requests().at(-1)
const asJson = (values: readonly string[]) => JSON.stringify(values)

describe('a code of the consent page', () => {
  test('becomes a token that is handed on once, with the advertisers that it reads, and is forgotten', async () => {
    const handed: TiktokCredentials[] = []
    const auth_code = await freshCode(sandbox)
    tiktok.clear()
    const connector = connectAds(sandbox, {
      credentials: { ...app, auth_code },
      onCredentials: (next) => void handed.push(next),
      config: {},
    })
    const pages = await Promise.all(Array.from({ length: 20 }, () => connector.advertisers.list()))
    expect(new Set(pages.map(({ data }) => data.length))).toEqual(new Set([3]))
    const exchanges = tiktok.requests().filter(({ method }) => method === 'POST')
    expect(exchanges.map(({ path, headers, body }) => [path, headers['x-forwarded-host'], JSON.parse(body)])).toEqual([
      ['/open_api/v1.3/oauth2/access_token/', 'business-api.tiktok.com', { ...app, auth_code }],
    ])
    const advertiser_ids = [facts.advertiserId, facts.secondAdvertiserId, facts.emptyAdvertiserId].join(',')
    expect(handed).toEqual([{ ...app, access_token: expect.stringMatching(/^\w{40}$/), advertiser_ids }])
    const [credentials] = handed
    const next = connectAds(sandbox, { ...(credentials === undefined ? {} : { credentials }), config: {} })
    expect((await next.advertisers.list()).data).toHaveLength(3)
    expect(tiktok.requests().filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('that was used says what to do', async () => {
    const auth_code = await freshCode(sandbox)
    await connectAds(sandbox, { credentials: { ...app, auth_code } }).check()
    const error = await failure(connectAds(sandbox, { credentials: { ...app, auth_code } }).check())
    expect(error).toMatchObject({
      code: 'upstream_auth_failed',
      retryable: false,
      hint: expect.stringContaining('Connect the account again'),
      upstream: { code: '40110', message: 'The auth_code is invalid, expired or has been used.', request_id: expect.any(String) },
    })
    expect(String(error)).not.toContain(auth_code)
  })

  test('is needed where there is no token', async () => {
    expect(await failure(connectAds(sandbox, { credentials: app }).campaigns.list())).toMatchObject({
      code: 'upstream_auth_failed',
      message: expect.stringContaining('auth_code'),
      hint: 'Connect the account again.',
    })
    expect(tiktok.requests()).toEqual([])
  })
})

describe('a check', () => {
  test('reads the advertisers that are known, else asks for the user alone', async () => {
    await ads.check()
    expect(asked()).toMatchObject({ path: '/open_api/v1.3/advertiser/info/', query: { advertiser_ids: asJson([facts.advertiserId]) } })
    await connectAds(sandbox, { config: {} }).check()
    expect(asked()).toMatchObject({ path: '/open_api/v1.3/user/info/', query: {} })
  })

  test.each([
    [known.expiredToken, '40102'],
    [known.revokedToken, '40105'],
    ['some-other-token', '40105'],
  ])('of the token %s fails with %s, with and without an advertiser, and does not show it', async (access_token, code) => {
    for (const config of [{}, { advertiser_id: facts.advertiserId }]) {
      const error = await failure(connectAds(sandbox, { credentials: { access_token }, config }).check())
      expect(error).toMatchObject({ code: 'upstream_auth_failed', fault: 'credentials', retryable: false, upstream: { status: 200, code } })
      expect(JSON.stringify([String(error), error])).not.toContain(access_token)
    }
  })
})

describe("the vendor's own sandbox", () => {
  const connector = connectAds(sandbox, {
    credentials: { access_token: known.environmentToken },
    config: { api_host: 'sandbox', advertiser_id: facts.sandboxAdvertiserId },
  })
  const mock = reportOf('campaigns_reports_daily', '2020-12-08', '2020-12-19')

  test('is another host', async () => {
    await connector.check()
    const { data } = await connector.ad_groups.list()
    expect(data.length).toBeGreaterThan(0)
    expect(data.every(({ secondary_status }) => secondary_status === null)).toBe(true)
    expect(new Set((await connector.campaigns_reports_daily.list(mock)).data.map(({ stat_time_day }) => stat_time_day)).size).toBe(12)
    expect(new Set(tiktok.requests().map(({ headers }) => headers['x-forwarded-host']))).toEqual(new Set(['sandbox-ads.tiktok.com']))
    await ads.campaigns.list()
    expect(asked()?.headers['x-forwarded-host']).toBe('business-api.tiktok.com')
  })

  test('lacks operations, and takes no token of live accounts', async () => {
    const lacking = {
      code: 'upstream_unsupported',
      hint: "TikTok's sandbox accounts do not offer this; use a live account with api_host production.",
    }
    expect(await failure(connector.promoted_post_ads.list())).toMatchObject({ ...lacking, upstream: { code: '40008' } })
    const whole = { ...mock, data_level: 'AUCTION_ADVERTISER', dimensions: '["advertiser_id"]', metrics: '["spend"]' } as const
    expect(await failure(connector.advertisers_reports_daily.list(whole))).toMatchObject({ ...lacking, upstream: { code: '40009' } })
    const crossed = connectAds(sandbox, { config: { api_host: 'sandbox', advertiser_id: facts.sandboxAdvertiserId } })
    expect(await failure(crossed.campaigns.list())).toMatchObject({ code: 'upstream_auth_failed', upstream: { code: '40105' } })
  })
})
