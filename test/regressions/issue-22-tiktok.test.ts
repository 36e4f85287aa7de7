/** What people who read advertising accounts met elsewhere: figures, names, pages and filters of TikTok Marketing. */
import { describe, expect, test } from 'vitest'
import { reportOf } from '../library/tiktok-operations.ts'
import { connectAds, execute } from '../library/tiktok-support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'

const { sandbox, tiktok, facts } = await openDesk()
const ads = connectAds(sandbox)
const small = { advertiser_id: facts.secondAdvertiserId }
const refuse = (code: number, message?: string, times = 1) =>
  sandbox.faults.add({ kind: 'code', on: 'tiktok', code, times, ...(message === undefined ? {} : { message }) })

describe('codes', () => {
  test.each([40001, 40002])('%i says that an object was deleted: it is not found', async (code) => {
    refuse(code, "The advertiser doesn't exist or has been deleted.")
    await expect(ads.campaigns.list()).rejects.toMatchObject({ code: 'record_not_found', upstream: { code: String(code) } })
  })

  test('40001 says that a permission is missing: it is denied', async () => {
    refuse(40001, 'No permission to operate advertiser: 1')
    await expect(ads.campaigns.list()).rejects.toMatchObject({ code: 'upstream_permission_denied' })
  })

  test.each([40200, 40700])('%i passes: the read is sent again', async (code) => {
    refuse(code, undefined, 2)
    expect((await ads.campaigns.list({ page_size: 1 })).data).toHaveLength(1)
    expect(tiktok.requests()).toHaveLength(3)
  })

  test.each([51_001, 51_039])('%i is a timeout, which a smaller report may not meet', async (timeoutCode) => {
    tiktok.switches.set({ timeoutDays: 3, timeoutCode })
    await expect(ads.campaigns_reports_daily.list(reportOf('campaigns_reports_daily', '2025-06-01', '2025-06-08'))).rejects.toMatchObject({
      code: 'upstream_timeout',
      message: expect.stringContaining(`Internal service timeout (${timeoutCode})`),
      hint: expect.stringContaining('fewer days'),
    })
    expect((await ads.campaigns_reports_daily.list(reportOf('campaigns_reports_daily', '2025-06-01', '2025-06-03'))).data).not.toEqual([])
  })
})

describe('a name that is a dash', () => {
  test('stays a name; a figure that is a dash is none', async () => {
    const report = reportOf('campaigns_reports_daily', '2025-06-01', '2025-06-14')
    const named = (await ads.campaigns_reports_daily.list(report)).data.find(({ campaign_id }) => campaign_id !== null)
    tiktok.edit('campaigns', String(named?.campaign_id), { fields: { campaign_name: '-' } })
    const rows = (await ads.campaigns_reports_daily.list(report)).data
    expect(rows.find(({ campaign_id }) => campaign_id === named?.campaign_id)).toMatchObject({ campaign_name: '-' })
    const { data } = await execute(ads, 'ad_groups_reports_daily', 'list', reportOf('ad_groups_reports_daily', '2025-06-01', '2025-06-14'))
    expect(data.some(({ conversion }) => conversion === null)).toBe(true)
    const figures = data.map(({ campaign_name: _name, ...row }) => row)
    expect(figures.flatMap((row) => Object.values(row)).filter((value) => value === '-')).toEqual([])
  })
})

describe('the advertiser of a row', () => {
  test.each(['advertisers_reports_daily', 'campaigns_reports_daily', 'ad_groups_reports_daily', 'ads_reports_daily'] as const)(
    'stands in every row of %s, as an integer with all its digits',
    async (entity) => {
      const { data } = await execute(ads, entity, 'list', { ...reportOf(entity, facts.yesterday), page_size: 5 })
      expect(data.length).toBeGreaterThan(0)
      expect(new Set(data.map(({ advertiser_id }) => advertiser_id))).toEqual(new Set([BigInt(facts.advertiserId)]))
    },
  )

  test.each(['audiences', 'creative_assets_images', 'creative_assets_videos', 'promoted_post_ads'])(
    'stands in every record of %s',
    async (entity) => {
      const { data } = await execute(ads, entity, 'list', { ...small, page_size: 5 })
      expect(data.length).toBeGreaterThan(0)
      expect(new Set(data.map(({ advertiser_id }) => advertiser_id))).toEqual(new Set([facts.secondAdvertiserId]))
    },
  )
})

describe('numbers of a page in strings', () => {
  test('are numbers, and all pages are read', async () => {
    const all = await ads.ads.list(small)
    tiktok.switches.set({ pageTexts: true })
    const pages: unknown[] = []
    const ids: string[] = []
    for await (const { data, meta } of ads.ads.pages({ ...small, page_size: 30 })) {
      pages.push(meta.page_info)
      ids.push(...data.map(({ ad_id }) => ad_id))
    }
    expect(ids).toEqual(all.data.map(({ ad_id }) => ad_id))
    expect(pages.at(-1)).toEqual({ page: 3, page_size: 30, total_number: 74, total_page: 3 })
  })
})

describe('the filter of the vendor', () => {
  const everything = { primary_status: 'STATUS_ALL' }

  test.each([['as text', JSON.stringify(everything)] as const, ['as an object', everything] as const])(
    '%s is sent: deleted objects are listed too',
    async (_how, filtering) => {
      const kept = await ads.campaigns.list({ page_size: 1000 })
      const all = await ads.campaigns.list({ page_size: 1000, filtering })
      expect(all.data.length).toBeGreaterThan(kept.data.length)
      expect(tiktok.requests().at(-1)?.query['filtering']).toBe('{"primary_status":"STATUS_ALL"}')
    },
  )

  test('is sent with reports, images and videos', async () => {
    const report = reportOf('ads_reports_daily', '2025-06-01', '2025-06-14')
    const [row] = (await ads.ads_reports_daily.list({ ...report, page_size: 1 })).data
    const filtering = [{ field_name: 'ad_ids', filter_type: 'IN', filter_value: JSON.stringify([String(row?.ad_id)]) }]
    const { data } = await ads.ads_reports_daily.list({ ...report, filtering })
    expect(new Set(data.map(({ ad_id }) => ad_id))).toEqual(new Set([row?.ad_id]))
    for (const [entity, id] of [
      ['creative_assets_images', 'image_id'],
      ['creative_assets_videos', 'video_id'],
    ] as const) {
      const [, second] = (await execute(ads, entity, 'list', small)).data
      const found = await execute(ads, entity, 'list', { ...small, filtering: { [`${id}s`]: [second?.[id]] } })
      expect(found.data.map((each) => each[id])).toEqual([second?.[id]])
    }
  })

  test.each([
    ['campaigns', '[]'],
    ['campaigns', 'primary_status'],
    ['campaigns', '7'],
    ['ads_reports_daily', '{}'],
    ['ads_reports_daily', '["ad_status"]'],
  ])('of %s that is %s is refused before anything is sent', async (entity, filtering) => {
    const params = entity === 'campaigns' ? {} : reportOf('ads_reports_daily', facts.yesterday)
    await expect(execute(ads, entity, 'list', { ...params, filtering })).rejects.toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: '/params/filtering' }],
    })
    expect(tiktok.requests()).toEqual([])
  })
})
