/** Ids above 2^53 on their way from the vendor to a client: compared as text, digit by digit, hosted and in the library. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exactNumber } from '../../packages/sandbox/src/tiktok-marketing/answers.ts'
import { type Seen, serve, type TestServer } from '../engine/support.ts'
import { reportOf, reports, usesOf } from '../library/tiktok-operations.ts'
import { connectAds } from '../library/tiktok-support.ts'
import { ask } from '../sandbox/client.ts'
import { queryOf, start, withToken } from '../sandbox/tiktok-client.ts'
import { choose } from '../support/draws.ts'
import { startWorld, type World } from './support.ts'
import { hostedText, type ListText, libraryText, sandboxAds } from './tiktok-support.ts'

let vendor: TestServer
let rows: (seen: Seen) => string = () => ''
let world: World
beforeAll(async () => {
  vendor = await serve((seen) => ({ body: `{"code":0,"message":"OK","request_id":"r","data":{"list":[${rows(seen)}],${onePage}}}` }))
  const settings = { origins: { 'tiktok-marketing': { api: vendor.origin } } }
  world = await startWorld({ sandbox: { clock: () => start }, settings })
})
afterAll(async () => {
  await world.close()
  await vendor[Symbol.asyncDispose]()
})
const onePage = '"page_info":{"page":1,"page_size":1000,"total_number":1,"total_page":1}'

/** Both doors to the sandbox, or to the server of this file. */
async function openDoors(place: 'sandbox' | 'server', name: string): Promise<readonly ListText[]> {
  const { sandbox } = world
  const config = { advertiser_id: sandbox.tiktok.world.advertiserId }
  const body = sandboxAds(name, { replication_config: config, ...(place === 'server' ? { environment: undefined } : {}) })
  const id = await world.connect(name, body)
  return [hostedText(world, id), libraryText(connectAds(sandbox, { config, ...(place === 'server' ? { origin: vendor.origin } : {}) }))]
}

/** Runs of digits that a double may not hold, sorted: fields that a record lacks are added at its end. */
const digitsIn = (text: string): string[] => (text.match(/\d{16,}/g) ?? []).toSorted()

describe("every id of the stand-in's world", () => {
  const paths: Readonly<Record<string, string>> = {
    campaigns: '/campaign/get/',
    ad_groups: '/adgroup/get/',
    ads: '/ad/get/',
    audiences: '/dmp/custom_audience/list/',
    creative_assets_images: '/file/image/ad/search/',
    creative_assets_videos: '/file/video/ad/search/',
    promoted_post_ads: '/tt_video/list/',
  }
  const mostPages = choose(3, Number.POSITIVE_INFINITY)
  /** The list of the vendor's answer, as it stands there. */
  const listOf = async (path: string, query: object) => {
    const { text } = await ask(`${world.sandbox.origins['tiktok-marketing'].api}/open_api/v1.3${path}?${queryOf({ ...query })}`, {
      headers: withToken('sandbox-token'),
    })
    return text.slice(text.indexOf('"list":['))
  }

  interface Compared {
    readonly entity: string
    readonly path: string
    readonly params: { readonly advertiser_id: string; readonly page_size: number }
  }

  /** Compares the pages of a list: the first ones of long lists, and all of them in soak runs. @returns how many ids there were */
  async function compare(doors: readonly ListText[], { entity, path, params }: Compared) {
    let found = 0
    for (let page = 1; ; page++) {
      const raw = await listOf(path, { ...params, page })
      const wanted = digitsIn(raw)
      // Records name the advertiser that was asked for where the vendor's do not.
      const isNamed = raw.includes('"advertiser_id"')
      for (const list of doors) {
        const given = digitsIn(await list(entity, { ...params, page }))
        expect(isNamed ? given : given.filter((id) => id !== params.advertiser_id)).toEqual(wanted)
      }
      found += wanted.length
      if (page >= Math.min(mostPages, Number(/"total_page":(\d+)/.exec(raw)?.[1]))) return found
    }
  }

  test.each([false, true])('in lists; with 19 digits everywhere: %s', async (hugeIds) => {
    const { sandbox } = world
    sandbox.tiktok.switches.set({ hugeIds })
    const { advertiserId, secondAdvertiserId } = sandbox.tiktok.world
    const doors = await openDoors('sandbox', `lists ${hugeIds}`)
    let found = 0
    for (const [entity, path] of Object.entries(paths))
      for (const advertiser_id of hugeIds ? [secondAdvertiserId, advertiserId] : [secondAdvertiserId]) {
        const page_size = { promoted_post_ads: 50, campaigns: 1000, ad_groups: 1000, ads: 1000 }[entity] ?? 100
        found += await compare(doors, { entity, path, params: { advertiser_id, page_size } })
      }
    expect(found).toBeGreaterThan(hugeIds ? choose(20_000, 100_000) : 400)
  })

  test.each([false, true])('in reports; with 19 digits everywhere: %s', async (hugeIds) => {
    const { sandbox } = world
    sandbox.tiktok.switches.set({ hugeIds })
    const { advertiserId, yesterday } = sandbox.tiktok.world
    const doors = await openDoors('sandbox', `reports ${hugeIds}`)
    for (const entity of Object.keys(reports) as (keyof typeof reports)[]) {
      const params = { advertiser_id: advertiserId, page_size: 20, ...reportOf(entity, yesterday) }
      expect(await compare(doors, { entity, path: '/report/integrated/get/', params })).toBeGreaterThan(0)
      for (const list of doors) {
        const text = await list(entity, params)
        expect(text).not.toMatch(/"(advertiser|campaign|adgroup|ad)_id":"/)
        expect(text.match(/"(advertiser|campaign|adgroup|ad)_id":\d{16,19}[,}]/g)?.length).toBeGreaterThan(0)
      }
    }
  })

  test('in advertisers and catalogs, which know the advertiser that was asked for', async () => {
    const { tiktok } = world.sandbox
    const { advertiserId, secondAdvertiserId, emptyAdvertiserId, businessCenterId } = tiktok.world
    const advertiser_ids = JSON.stringify([advertiserId, secondAdvertiserId, emptyAdvertiserId])
    const catalogs = digitsIn(await listOf('/catalog/get/', { bc_id: businessCenterId, page_size: 100 }))
    for (const list of await openDoors('sandbox', 'accounts')) {
      expect(digitsIn(await list('advertisers', { advertiser_ids }))).toEqual(
        digitsIn(await listOf('/advertiser/info/', { advertiser_ids })),
      )
      const told = digitsIn(await list('catalogs', usesOf(tiktok.world).catalogs))
      expect(told).toEqual([...catalogs, ...Array<string>(23).fill(advertiserId)].toSorted())
    }
  })
})

/** Digits of an integer of 64 bits, signed and unsigned; those around the limits of doubles and of 64 bits come up often. */
const int64 = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
    fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n + 3n }),
    fc.bigInt({ min: 2n ** 64n - 3n, max: 2n ** 64n - 1n }),
  )
  .map(String)

describe('any id of 64 bits', () => {
  test('in lists of the stand-in: texts stay the texts, numbers keep their digits', async () => {
    const { tiktok } = world.sandbox
    tiktok.reset()
    const { secondAdvertiserId: advertiser_id } = tiktok.world
    const doors = await openDoors('sandbox', 'any list')
    const first = async (entity: string, id: string) => {
      const text = (await doors[1]?.(entity, { advertiser_id, page_size: 1 })) ?? ''
      return new RegExp(`"${id}":"([^"]*)"`).exec(text)?.[1] ?? ''
    }
    const [campaign, ad, audience] = [
      await first('campaigns', 'campaign_id'),
      await first('ads', 'ad_id'),
      await first('audiences', 'audience_id'),
    ]
    await fc.assert(
      fc.asyncProperty(int64, int64, int64, async (one, two, three) => {
        tiktok.edit('campaigns', campaign, { fields: { campaign_id: one, advertiser_id: two, rta_id: three } })
        tiktok.edit('ads', ad, { fields: { ad_id: one, adgroup_id: two, campaign_id: three, tracking_pixel_id: exactNumber(two) } })
        tiktok.edit('audiences', audience, { fields: { audience_id: three } })
        for (const list of doors) {
          const params = { advertiser_id, page_size: 1 }
          const campaigns = await list('campaigns', params)
          expect(campaigns).toContain(`"campaign_id":"${one}"`)
          expect(campaigns).toContain(`"advertiser_id":"${two}"`)
          expect(campaigns).toContain(`"rta_id":"${three}"`)
          const ads = await list('ads', params)
          for (const [name, digits] of Object.entries({ ad_id: one, adgroup_id: two, campaign_id: three }))
            expect(ads).toContain(`"${name}":"${digits}"`)
          expect(ads).toMatch(new RegExp(`"tracking_pixel_id":${two}[,}]`))
          expect(await list('audiences', params)).toContain(`"audience_id":"${three}"`)
        }
      }),
      { numRuns: choose(20, 60) },
    )
  })

  test('in reports: the texts of the vendor become numbers with their digits', async () => {
    const doors = await openDoors('server', 'any report')
    const params = reportOf('ads_reports_daily', '2026-01-01')
    await fc.assert(
      fc.asyncProperty(fc.tuple(int64, int64, int64), fc.boolean(), async ([ad, group, campaign], apart) => {
        const metrics = { campaign_id: campaign, adgroup_id: group, ad_name: ad, likes: '7', spend: '0.10' }
        const row = { metrics, dimensions: { ad_id: ad, stat_time_day: '2026-01-01 00:00:00' } }
        rows = () => JSON.stringify(apart ? row : { ...row, extra: [{ deep: exactNumber(group) }] }).replaceAll(/"int64:(\d+)"/g, '$1')
        for (const list of doors) {
          const text = await list('ads_reports_daily', params)
          for (const [name, digits] of Object.entries({ campaign_id: campaign, adgroup_id: group, ad_id: ad, likes: '7' }))
            expect(text).toMatch(new RegExp(`"${name}":${digits}[,}]`))
          expect(text).toContain(`"ad_name":"${ad}"`)
          expect(text).toContain('"spend":"0.10"')
          if (!apart) expect(text).toContain(`"extra":[{"deep":${group}}]`)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('as the advertiser of a call: it is sent as it was given', async () => {
    const doors = await openDoors('server', 'any advertiser')
    rows = () => ''
    await fc.assert(
      fc.asyncProperty(int64, async (id) => {
        for (const list of doors) {
          await list('campaigns', { advertiser_id: id })
          expect(new URL(vendor.seen.at(-1)?.url ?? '', vendor.origin).searchParams.get('advertiser_id')).toBe(id)
          await list('advertisers', { advertiser_ids: `["${id}"]` })
          expect(new URL(vendor.seen.at(-1)?.url ?? '', vendor.origin).searchParams.get('advertiser_ids')).toBe(`["${id}"]`)
        }
      }),
      { numRuns: 40 },
    )
  })
})
