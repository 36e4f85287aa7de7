import { describe, expect, test } from 'vitest'
import { tiktokCredentials as known } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { failure } from '../engine/support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { operations, usesOf } from './tiktok-operations.ts'
import { app, connectAds, execute, freshCode, type TiktokCredentials } from './tiktok-support.ts'

const { sandbox, tiktok, facts } = await openDesk()
const uses: Readonly<Record<string, Readonly<Record<string, unknown>>>> = usesOf(facts)
const ads = connectAds(sandbox)

/** Returns the vendor's last request. */
const asked = () => tiktok.requests().at(-1)
const asJson = (values: readonly string[]) => JSON.stringify(values)

test('every operation of the documents is there', () => {
  expect(operations).toHaveLength(13)
  expect(operations.map(({ action }) => action)).toEqual(Array(13).fill('list'))
})

describe.each<[string, () => Promise<TiktokCredentials>]>([
  ['an access token', async () => ({ access_token: known.accessToken })],
  ['an access token with the id of its app', async () => ({ access_token: known.accessToken, app_id: known.appId })],
  ['a code of the consent page', async () => ({ ...app, auth_code: await freshCode(sandbox) })],
])('a list with %s', (_what, credentials) => {
  // The others are looked at where the service passes them on, in test/http/tiktok.test.ts.
  test.each(operations.slice(0, 1))('$entity $action: documented records and page_info', async ({ entity, action, definition }) => {
    const connector = connectAds(sandbox, { credentials: await credentials() })
    const { data, meta } = await execute(connector, entity, action, uses[entity])
    expect(data.length).toBeGreaterThan(0)
    expect(data.flatMap((record) => recordProblems(definition, record))).toEqual([])
    const { page, page_size, total_number, total_page } = Object(meta['page_info'])
    expect([page, total_page]).toEqual([1, Math.ceil(total_number / page_size)])
    expect(data).toHaveLength(Math.min(page_size, total_number))
    const { page_info: _page, warnings: _told, ...rest } = meta
    expect(rest).toEqual({ next_params: total_page > 1 ? { page: 2 } : null })
  })
})

describe('the advertiser of a call', () => {
  const { advertiserId, secondAdvertiserId, emptyAdvertiserId, deniedAdvertiserId } = facts
  const discovered = (...ids: string[]) =>
    connectAds(sandbox, { credentials: { ...app, access_token: known.accessToken, advertiser_ids: ids.join(',') }, config: {} })

  test('is the one that is configured, and the one that the caller names goes before it', async () => {
    expect((await ads.campaigns.list()).data[0]?.advertiser_id).toBe(advertiserId)
    expect((await ads.campaigns.list({ advertiser_id: null })).data[0]?.advertiser_id).toBe(advertiserId)
    expect((await ads.campaigns.list({ advertiser_id: secondAdvertiserId })).data[0]?.advertiser_id).toBe(secondAdvertiserId)
    expect((await ads.campaigns.list({ advertiser_id: emptyAdvertiserId })).data).toEqual([])
    expect(asked()?.query).toEqual({ advertiser_id: emptyAdvertiserId, page: '1', page_size: '1000' })
  })

  test('is the only one that the consent covers', async () => {
    expect((await discovered(secondAdvertiserId).ads.list()).data).toHaveLength(74)
    expect(asked()?.query['advertiser_id']).toBe(secondAdvertiserId)
  })

  test('must be named where several are known, and those are listed', async () => {
    const error = {
      code: 'missing_parameter',
      errors: [
        {
          field: '/params/advertiser_id',
          message: expect.stringContaining(`${advertiserId}, ${secondAdvertiserId}`),
          error_code: 'required',
        },
      ],
    }
    const several = connectAds(sandbox, { config: { advertiser_id: [advertiserId, secondAdvertiserId] } })
    for (const connector of [several, discovered(advertiserId, secondAdvertiserId)]) {
      tiktok.clear()
      expect(await failure(connector.ads.list())).toMatchObject(error)
      expect(tiktok.requests()).toEqual([])
      expect((await connector.ads.list({ advertiser_id: secondAdvertiserId })).data).toHaveLength(74)
      const { data, meta } = await connector.advertisers.list()
      expect(data.map(({ advertiser_id }) => advertiser_id)).toEqual([advertiserId, secondAdvertiserId])
      expect(meta.page_info).toEqual({ page: 1, page_size: 2, total_number: 2, total_page: 1 })
      expect(asked()?.query).toEqual({ advertiser_ids: asJson([advertiserId, secondAdvertiserId]) })
    }
  })

  test('must be named where the consent covers more than the vendor takes in one call; the check goes on without', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `73981642057139${20517 + index}`)
    const agency = discovered(...ids)
    expect(await failure(agency.advertisers.list())).toMatchObject({
      code: 'missing_parameter',
      errors: [
        {
          field: '/params/advertiser_ids',
          message: expect.stringMatching(/advertiser_ids is required, as more than 100 are known: .* and 81 more\.$/),
        },
      ],
    })
    expect(tiktok.requests()).toEqual([])
    await agency.check()
    expect(asked()?.path).toBe('/open_api/v1.3/user/info/')
    const hundred = discovered(...Array<string>(100).fill(advertiserId))
    expect((await hundred.advertisers.list()).data).toHaveLength(1)
  })

  test('must be named where none is known', async () => {
    const none = connectAds(sandbox, { config: {} })
    for (const [entity, field] of [
      ['ads', 'advertiser_id'],
      ['advertisers', 'advertiser_ids'],
    ])
      expect(await failure(execute(none, entity ?? '', 'list'))).toMatchObject({
        code: 'missing_parameter',
        errors: [{ field: `/params/${field}` }],
        hint: expect.stringContaining('config in the library'),
      })
    expect(tiktok.requests()).toEqual([])
  })

  test('that the token may not read, or that does not exist, is told by the vendor', async () => {
    expect(await failure(ads.ads.list({ advertiser_id: deniedAdvertiserId }))).toMatchObject({
      code: 'upstream_permission_denied',
      upstream: { code: '40001', message: `No permission to operate advertiser: ${deniedAdvertiserId}` },
    })
    expect(await failure(ads.ads.list({ advertiser_id: facts.unknownAdvertiserId }))).toMatchObject({ code: 'record_not_found' })
    const one = ads.advertisers.list({ advertiser_ids: asJson([advertiserId, deniedAdvertiserId]) })
    expect(await failure(one)).toMatchObject({ code: 'upstream_permission_denied' })
  })

  test('lists of advertisers have pages although the vendor has none', async () => {
    const ids = asJson([advertiserId, secondAdvertiserId, emptyAdvertiserId])
    const pages = await Array.fromAsync(ads.advertisers.pages({ advertiser_ids: ids, page_size: 2 }))
    expect(pages.map(({ data }) => data.map(({ advertiser_id }) => advertiser_id))).toEqual([
      [advertiserId, secondAdvertiserId],
      [emptyAdvertiserId],
    ])
    expect(pages.map(({ meta }) => meta)).toEqual([
      { page_info: { page: 1, page_size: 2, total_number: 3, total_page: 2 }, next_params: { page: 2 } },
      { page_info: { page: 2, page_size: 2, total_number: 3, total_page: 2 }, next_params: null },
    ])
    expect(tiktok.requests().map(({ query }) => query)).toEqual([{ advertiser_ids: ids }, { advertiser_ids: ids }])
  })
})

describe('what is odd in the records', () => {
  test('catalogs need a business center, and know the advertiser that was asked for', async () => {
    expect(await failure(ads.catalogs.list())).toMatchObject({
      code: 'missing_parameter',
      errors: [{ field: '/params/bc_id' }],
      hint: expect.stringContaining('business centre'),
    })
    expect(tiktok.requests()).toEqual([])
    const { data } = await ads.catalogs.list({ bc_id: facts.businessCenterId })
    expect(data).toHaveLength(23)
    expect(asked()?.query).toEqual({ bc_id: facts.businessCenterId, page: '1', page_size: '100' })
    const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    for (const catalog of data)
      expect(catalog).toMatchObject({
        advertiser_id: facts.advertiserId,
        modify_time: stamp,
        create_time: stamp,
        catalog_status: null,
        product_count: null,
        ad_creation_eligible: expect.stringMatching(/AVAILABLE$/),
      })
    expect((await ads.catalogs.list({ bc_id: '1' })).data).toEqual([])
  })

  test('authors of promoted posts have the name of the documents; pictures have no video, old posts no type', async () => {
    const posts = await Array.fromAsync(ads.promoted_post_ads.records())
    expect(posts).toHaveLength(facts.counts[facts.advertiserId]?.posts ?? 0)
    for (const { user_info } of posts)
      expect([user_info?.platform_name?.slice(0, 8), 'tiktok_name' in Object(user_info)]).toEqual(['creator.', false])
    const carousel = posts.find(({ item_info }) => item_info?.item_id === facts.carouselItemId)
    expect(carousel).toMatchObject({ video_info: null, item_info: { item_type: 'CAROUSEL', carousel_info: expect.anything() } })
    const old = posts.find(({ item_info }) => item_info?.item_id === facts.itemWithoutTypeId)
    expect(old?.item_info?.item_type ?? null).toBeNull()
    expect(posts.filter(({ video_info }) => video_info === null)).toHaveLength(1)
  })

  test('what the vendor leaves out is null: a status of a campaign, a change of an ad', async () => {
    const campaigns = await Array.fromAsync(ads.campaigns.records())
    expect(campaigns.filter(({ secondary_status }) => secondary_status === null).map(({ campaign_id }) => campaign_id)).toEqual([
      facts.campaignWithoutStatusId,
    ])
    expect(campaigns.some(({ campaign_id }) => campaign_id === facts.deletedCampaignId)).toBe(false)
    const { data } = await ads.ads.list({ page_size: 5 })
    expect(data.find(({ ad_id }) => ad_id === facts.adWithoutChangeId)?.modify_time).toBeNull()
  })

  test('an image has a whole address as its id', async () => {
    const images = await Array.fromAsync(ads.creative_assets_images.records())
    expect(images.filter(({ image_id }) => image_id?.startsWith('https://')).map(({ image_id }) => image_id)).toEqual([
      facts.addressImageId,
    ])
    expect(new Set(images.map(({ image_id }) => image_id)).size).toBe(340)
  })

  test('videos have what the vendor does not tell here as null', async () => {
    const { data } = await ads.creative_assets_videos.list()
    for (const video of data) expect([video.fix_task_id, video.flaw_types]).toEqual([null, null])
  })
})
