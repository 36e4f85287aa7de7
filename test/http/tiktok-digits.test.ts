/**
 * Ids above 2^53 on their way from the vendor to a client: compared as text, digit by digit, hosted and in the library. Any id of 64 bits is
 * read and written in test/engine/rows and json.
 */
import { describe, expect, test } from 'vitest'
import { reportOf, reports, usesOf } from '../library/tiktok-operations.ts'
import { connectAds } from '../library/tiktok-support.ts'
import { ask } from '../sandbox/client.ts'
import { queryOf, start, withToken } from '../sandbox/tiktok-client.ts'
import { choose } from '../support/draws.ts'
import { share } from '../support/share.ts'
import { startWorld } from './support.ts'
import { hostedText, type ListText, libraryText, sandboxAds } from './tiktok-support.ts'

const world = await share(startWorld({ sandbox: { clock: () => start } }))

/** Both doors to the sandbox. */
async function openDoors(name: string): Promise<readonly ListText[]> {
  const config = { advertiser_id: world.sandbox.tiktok.world.advertiserId }
  const id = await world.connect(name, sandboxAds(name, { replication_config: config }))
  return [hostedText(world, id), libraryText(connectAds(world.sandbox, { config }))]
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
    const doors = await openDoors(`lists ${hugeIds}`)
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
    const doors = await openDoors(`reports ${hugeIds}`)
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
    for (const list of await openDoors('accounts')) {
      expect(digitsIn(await list('advertisers', { advertiser_ids }))).toEqual(
        digitsIn(await listOf('/advertiser/info/', { advertiser_ids })),
      )
      const told = digitsIn(await list('catalogs', usesOf(tiktok.world).catalogs))
      expect(told).toEqual([...catalogs, ...Array<string>(23).fill(advertiserId)].toSorted())
    }
  })
})
