import { describe, expect, test } from 'vitest'
import { failure } from '../engine/support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { choose } from '../support/draws.ts'
import { reportOf } from './tiktok-operations.ts'
import { connectAds } from './tiktok-support.ts'

const { sandbox, tiktok, facts } = await openDesk()
const ads = connectAds(sandbox)
const small = facts.secondAdvertiserId
const counts = (advertiser: string, kind: 'ads' | 'ad_groups' | 'images') => facts.counts[advertiser]?.[kind] ?? 0

/** Ids newest first are ids in falling order: positions and ids rise together. */
const isFalling = (ids: readonly string[]) => ids.every((id, index) => index === 0 || BigInt(id) < BigInt(ids[index - 1] ?? 0))

describe('a walk', () => {
  test.each(choose([1000], [1000, 337]))('meets each of more than 25,000 ads once, in pages of %i', async (page_size) => {
    const ids = await Array.fromAsync(ads.ads.records({ page_size }), ({ ad_id }) => ad_id)
    expect(ids).toHaveLength(counts(facts.advertiserId, 'ads'))
    expect(ids.length).toBeGreaterThan(25_000)
    expect(isFalling(ids)).toBe(true) // so each is another one
    expect(tiktok.requests()).toHaveLength(Math.ceil(ids.length / page_size))
  })

  test('in pages of any size meets the same ads, and pages of that size', async () => {
    const wanted = (await Array.fromAsync(ads.ads.records({ advertiser_id: small }))).map(({ ad_id }) => ad_id)
    expect(wanted).toHaveLength(counts(small, 'ads'))
    for (let page_size = 1; page_size <= wanted.length + 2; page_size += choose(5, 1)) {
      const pages = await Array.fromAsync(ads.ads.pages({ advertiser_id: small, page_size }))
      expect(pages.flatMap(({ data }) => data.map(({ ad_id }) => ad_id))).toEqual(wanted)
      expect(pages.map(({ data }) => data.length)).toEqual(pages.map((_, page) => Math.min(page_size, wanted.length - page * page_size)))
      expect(pages.at(-1)?.meta.next_params).toBeNull()
    }
  })

  test('asks for the largest pages where none are asked for', async () => {
    await Array.fromAsync(ads.ad_groups.records())
    await Array.fromAsync(ads.creative_assets_images.records())
    await Array.fromAsync(ads.promoted_post_ads.records())
    expect(tiktok.requests().map(({ query }) => [query['page'], query['page_size']].join('/'))).toEqual([
      ...['1/1000', '2/1000'],
      ...['1/100', '2/100', '3/100', '4/100'],
      ...['1/50', '2/50', '3/50'],
    ])
  })

  test('begins where the caller says', async () => {
    const params = { advertiser_id: small, page_size: 20 }
    const all = (await Array.fromAsync(ads.ads.records(params))).map(({ ad_id }) => ad_id)
    const rest = (await Array.fromAsync(ads.ads.records({ ...params, page: 3 }))).map(({ ad_id }) => ad_id)
    expect(rest).toEqual(all.slice(40))
  })

  test('meets each row of a report once', async () => {
    const report = reportOf('ads_reports_daily', '2025-06-01', '2025-06-14')
    const rows = await Array.fromAsync(ads.ads_reports_daily.records({ ...report, page_size: 97 }))
    expect(rows.length).toBeGreaterThan(300)
    expect(new Set(rows.map(({ ad_id, stat_time_day }) => `${ad_id} ${stat_time_day}`)).size).toBe(rows.length)
  })

  describe('of a range that is too long for one call', () => {
    const [first, last] = ['2025-04-15', '2025-06-14']
    const windows = [
      ['2025-04-15', '2025-05-14'],
      ['2025-05-15', '2025-06-13'],
      ['2025-06-14', '2025-06-14'],
    ] as const
    const report = { ...reportOf('campaigns_reports_daily', first, last), page_size: 400 }
    const walked = () => tiktok.requests().map(({ query }) => [query['start_date'], query['end_date'], query['page']].join(' '))

    test('asks for the largest windows, one after the other, and meets each row once', async () => {
      const expected: unknown[] = []
      for (const [start_date, end_date] of windows)
        expected.push(...(await Array.fromAsync(ads.campaigns_reports_daily.records({ ...report, start_date, end_date }))))
      const asked = walked()
      expect(asked.length).toBeGreaterThan(windows.length)
      tiktok.clear()
      expect(await Array.fromAsync(ads.campaigns_reports_daily.records(report))).toEqual(expected)
      expect(walked()).toEqual(asked)
      const given = { start_date: new Date(first), end_date: `${last}T00:00:00Z`, dimensions: ['campaign_id', 'stat_time_day'] }
      expect(await Array.fromAsync(ads.campaigns_reports_daily.records({ ...report, ...given }))).toEqual(expected)
    })

    test('has pages whose next_params continue the walk of the whole range', async () => {
      const pages = await Array.fromAsync(ads.campaigns_reports_daily.pages(report))
      expect(pages.at(-1)?.meta.next_params).toBeNull()
      for (const [index, { meta }] of pages.slice(0, -1).entries()) {
        const rest = await Array.fromAsync(ads.campaigns_reports_daily.records({ ...report, ...meta.next_params }))
        expect(rest).toEqual(pages.slice(index + 1).flatMap(({ data }) => data))
      }
    })

    test('keeps to its number of pages over all windows', async () => {
      const count = (await Array.fromAsync(ads.campaigns_reports_daily.pages(report))).length
      expect(await Array.fromAsync(ads.campaigns_reports_daily.pages(report, { maxPages: count }))).toHaveLength(count)
      for (let maxPages = 1; maxPages < count; maxPages++) {
        tiktok.clear()
        const walk = Array.fromAsync(ads.campaigns_reports_daily.pages(report, { maxPages }))
        expect(await failure(walk)).toMatchObject({ code: 'page_budget_exhausted', message: expect.stringContaining(`${maxPages}`) })
        expect(tiktok.requests()).toHaveLength(maxPages)
      }
    })

    test('ends with the error of a window', async () => {
      sandbox.faults.add({ kind: 'code', code: 40002, times: 1 })
      expect(await failure(Array.fromAsync(ads.campaigns_reports_daily.records(report)))).toMatchObject({ upstream: { code: '40002' } })
      expect(tiktok.requests()).toHaveLength(1)
    })

    test('is refused by list, and where rows are totals of the range', async () => {
      const window = { from: 'start_date', to: 'end_date', days: 30, page: 'page' }
      expect(await failure(ads.campaigns_reports_daily.list(report))).toMatchObject({ errors: [{ field: '/params/end_date', window }] })
      expect(tiktok.requests()).toEqual([])
      const totals = { ...report, dimensions: ['campaign_id'], start_date: '2024-01-01' }
      expect(await failure(Array.fromAsync(ads.campaigns_reports_daily.records(totals)))).toMatchObject({ upstream: { code: '40002' } })
      expect(tiktok.requests()).toHaveLength(1)
      const inverted = { ...report, start_date: last, end_date: first }
      expect(await failure(Array.fromAsync(ads.campaigns_reports_daily.records(inverted)))).toMatchObject({ code: 'invalid_parameter' })
    })
  })

  test('over nothing has one page', async () => {
    const pages = await Array.fromAsync(ads.ads.pages({ advertiser_id: facts.emptyAdvertiserId }))
    expect(pages).toEqual([
      { data: [], meta: { page_info: { page: 1, page_size: 1000, total_number: 0, total_page: 0 }, next_params: null } },
    ])
  })

  test('ends with an error where the vendor refuses a page, and at its budget', async () => {
    sandbox.faults.add({ kind: 'expired-cursor', on: 'tiktok' })
    const walk = Array.fromAsync(ads.ads.records({ advertiser_id: small, page_size: 20 }))
    expect(await failure(walk)).toMatchObject({ code: 'upstream_invalid_request', upstream: { code: '40002' } })
    const short = Array.fromAsync(ads.ads.records({ advertiser_id: small, page_size: 20 }, { maxPages: 2 }))
    expect(await failure(short)).toMatchObject({ code: 'page_budget_exhausted' })
  })

  test.each([
    ['ads', 1001],
    ['audiences', 101],
    ['promoted_post_ads', 51],
    ['catalogs', 1001],
    ['ads', 0],
    ['ads', 1.5],
  ] as const)('refuses pages of %s of the size %d before anything is sent', async (entity, page_size) => {
    const bc_id = facts.businessCenterId
    const call = entity === 'catalogs' ? ads.catalogs.list({ bc_id, page_size }) : ads[entity].list({ page_size })
    expect(await failure(call)).toMatchObject({ code: 'invalid_parameter', errors: [{ field: '/params/page_size' }] })
    expect(tiktok.requests()).toEqual([])
  })
})
