import { describe, expect, test } from 'vitest'
import { get, rows } from './client.ts'
import { codeOf, day, openDesk } from './tiktok-client.ts'

const { tiktok, facts, clock, read } = await openDesk()
const mine = { advertiser_id: facts.advertiserId }
const counts = facts.counts[facts.advertiserId]
const list = async (path: string, query: Readonly<Record<string, unknown>> = {}) =>
  rows((await read(path, { ...mine, ...query })).body, 'data', 'list')
const pageOf = async (path: string, query: Readonly<Record<string, unknown>> = {}) =>
  get((await read(path, { ...mine, ...query })).body, 'data', 'page_info')

describe('pages', () => {
  test.each([
    ['/campaign/get/', 'campaigns', 10, 1000],
    ['/adgroup/get/', 'ad_groups', 10, 1000],
    ['/ad/get/', 'ads', 10, 1000],
    ['/dmp/custom_audience/list/', 'audiences', 10, 100],
    ['/file/image/ad/search/', 'images', 20, 100],
    ['/file/video/ad/search/', 'videos', 20, 100],
    ['/tt_video/list/', 'posts', 20, 50],
  ] as const)('%s', async (...[path, kind, usual, largest]) => {
    const total = Number(counts?.[kind])
    expect(await pageOf(path)).toEqual({ page: 1, page_size: usual, total_number: total, total_page: Math.ceil(total / usual) })
    const last = Math.ceil(total / largest)
    expect(await list(path, { page: last, page_size: largest })).toHaveLength(total - (last - 1) * largest)
    const beyond = await read(path, { ...mine, page: last + 1, page_size: largest })
    expect(codeOf(beyond)).toEqual([0, 'OK'])
    expect(get(beyond.body, 'data')).toMatchObject({ list: [], page_info: { page: last + 1, total_number: total } })
    expect(codeOf(await read(path, { ...mine, page_size: largest + 1 }))).toEqual([40002, `page_size: Must be between 1 and ${largest}.`])
    expect(codeOf(await read(path, { ...mine, page: 0 }))[0]).toBe(40002)
    expect(codeOf(await read(path, { ...mine, page: 'two' }))).toEqual([40002, 'page: Not a valid integer.'])
    expect(codeOf(await read(path))).toEqual([40002, 'advertiser_id: Missing data for required field.'])
    expect(codeOf(await read(path, { advertiser_id: '"1"' }))[0]).toBe(40002)
    const empty = await read(path, { advertiser_id: facts.emptyAdvertiserId, page: 4 })
    expect(get(empty.body, 'data')).toEqual({ list: [], page_info: { page: 1, page_size: usual, total_number: 0, total_page: 0 } })
  })

  test('the same seed gives the same objects', async () => {
    expect(await list('/ad/get/', { page: 700 })).toEqual(await list('/ad/get/', { page: 700 }))
  })
})

describe('accounts', () => {
  const info = (ids: unknown, further = {}) => read('/advertiser/info/', { advertiser_ids: ids, ...further })

  test('are told without pages; ids keep digits that a double would lose', async () => {
    const { body } = await info([facts.advertiserId, facts.secondAdvertiserId], { page: 9, page_size: 1 })
    expect(Object.keys(Object(get(body, 'data')))).toEqual(['list'])
    const accounts = rows(body, 'data', 'list')
    expect(accounts.map((account) => get(account, 'advertiser_id'))).toEqual([facts.advertiserId, facts.secondAdvertiserId])
    expect(Number(facts.advertiserId)).toBe(Number(facts.secondAdvertiserId))
    expect(accounts[0]).toMatchObject({
      display_timezone: 'America/Los_Angeles',
      balance: expect.any(Number),
      create_time: expect.any(Number),
      brand: null,
    })
    expect(accounts[0]).not.toHaveProperty('ads_only_mode')
  })

  test('rare fields suppress the others', async () => {
    const { body } = await info([facts.advertiserId], { fields: ['ads_only_mode'] })
    expect(get(body, 'data', 'list')).toEqual([{ ads_only_mode: false }])
  })

  test.each([
    ['a bare id', facts.advertiserId, 40002],
    ['a list of numbers', '[1,2]', 40002],
    ['single quotes', `['${facts.advertiserId}']`, 40002],
    ['a list of nothing', '[]', 40002],
    ['nothing', '', 40002],
    ['too many', JSON.stringify(Array.from({ length: 101 }, () => facts.advertiserId)), 40011],
  ])('%s is refused', async (_, ids, code) => {
    expect(codeOf(await info(ids))[0]).toBe(code)
  })
})

describe('campaigns, ad groups and ads', () => {
  test('a pixel id is a number with all its digits', async () => {
    const answer = await read('/ad/get/', { ...mine, filtering: { ad_ids: [facts.adWithPixelId] } })
    expect(answer.text).toContain(`"tracking_pixel_id":${facts.pixelId},`)
    expect(String(Number(facts.pixelId))).not.toBe(facts.pixelId)
    expect(
      get((await read('/ad/get/', { ...mine, filtering: { ad_ids: [facts.adWithoutChangeId] } })).body, 'data', 'list', 0),
    ).not.toHaveProperty('modify_time')
  })

  test.each([
    ['/campaign/get/', 'campaign_id', 'CAMPAIGN_STATUS_ALL', 'CAMPAIGN_STATUS_DELETE', facts.deletedCampaignId],
    ['/ad/get/', 'ad_id', 'AD_STATUS_ALL', 'AD_STATUS_DELETE', facts.deletedAdId],
  ])('%s hides what was deleted unless it is asked for', async (...[path, key, everything, deleted, id]) => {
    const ids = { [`${key}s`]: [id] }
    expect(await list(path, { filtering: ids })).toEqual([])
    for (const status of [{ secondary_status: everything }, { primary_status: 'STATUS_ALL' }, { secondary_status: deleted }]) {
      expect(await list(path, { filtering: { ...ids, ...status } })).toMatchObject([{ [key]: id, secondary_status: deleted }])
    }
  })

  test('a deleted campaign takes its ad groups and ads with it', async () => {
    const below = { campaign_ids: [facts.campaignId] }
    expect((await list('/ad/get/', { filtering: below })).length).toBe(10)
    tiktok.edit('campaigns', facts.campaignId, { erased: true })
    expect(await list('/ad/get/', { filtering: below })).toEqual([])
    const all = await list('/adgroup/get/', { filtering: { ...below, secondary_status: 'ADGROUP_STATUS_ALL' } })
    expect(all.map((group) => get(group, 'secondary_status'))).toEqual(Array.from({ length: 10 }, () => 'ADGROUP_STATUS_CAMPAIGN_DELETE'))
  })

  test('objects change as time passes, and when they are edited', async () => {
    const changed = async () =>
      (await list('/campaign/get/', { page_size: 1000, fields: ['campaign_id', 'modify_time'] })).map((one) => get(one, 'modify_time'))
    const before = await changed()
    clock.now += 200 * day
    const after = await changed()
    const moved = after.filter((time, index) => time !== before[index])
    expect([moved.length > 10, moved.length < after.length]).toEqual([true, true])
    tiktok.edit('ads', facts.adId, { fields: { ad_name: 'Renamed' } })
    const [ad] = await list('/ad/get/', { filtering: { ad_ids: [facts.adId], modified_after: '2026-01-01 00:00:00' } })
    expect(ad).toMatchObject({ ad_id: facts.adId, ad_name: 'Renamed', modify_time: '2026-01-02 03:00:00' })
  })

  test.each([
    ['not JSON', '{'],
    ['an unknown field', { moon: 1 }],
    ['ids that are no list', { ad_ids: 'x' }],
    ['a wrong status', { primary_status: 'X' }],
  ])('filtering by %s is refused', async (_, filtering) => expect(codeOf(await read('/ad/get/', { ...mine, filtering }))[0]).toBe(40002))

  test('fields must be a list', async () => {
    expect(codeOf(await read('/ad/get/', { ...mine, fields: 'ad_id' }))).toEqual([40002, 'fields: Not a valid list.'])
    expect(codeOf(await read('/ad/get/', { ...mine, filtering: { buying_types: ['RESERVATION_TOP_VIEW'] } }))[0]).toBe(0)
  })
})

describe('everything else', () => {
  test('times are written differently', async () => {
    const space = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
    const letters = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
    const [audience] = await list('/dmp/custom_audience/list/')
    expect(audience).toMatchObject({
      create_time: expect.stringMatching(space),
      expired_time: '2038-01-01 00:00:00',
      cover_num: expect.any(Number),
    })
    const images = await list('/file/image/ad/search/', { page_size: 100 })
    expect(images[0]).toMatchObject({ create_time: expect.stringMatching(letters), modify_time: expect.stringMatching(letters) })
    const times = images.map((image) => String(get(image, 'modify_time')))
    expect(times).toEqual([...times].sort().reverse())
    const [video] = await list('/file/video/ad/search/')
    expect(video).toMatchObject({ preview_url_expire_time: '2025-06-16 09:00:00', modify_time: expect.stringMatching(letters) })
    expect(video).not.toHaveProperty('fix_task_id')
  })
})
