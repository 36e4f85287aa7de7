import {
  accounts,
  businessCenterId,
  deniedAccount,
  emptyAccount,
  localDay,
  mainAccount,
  sandboxAccount,
  secondAccount,
} from './accounts.ts'
import { adWithoutChange, adWithPixel } from './ads.ts'
import { carouselPost, postWithoutType } from './assets.ts'
import { campaignWithoutStatus } from './campaigns.ts'
import { imageWithAddress, pixelDigits } from './ids.ts'
import { assetRows, catalogRows, countOf, idIn } from './lists.ts'
import { dateOf } from './time.ts'
import type { Kind, View } from './world.ts'
import { adDeletion, campaignDeleted, campaignOfGroup, groupDeletion, groupOfAd } from './world.ts'

/** What a test or a reader needs to know about the imitated accounts, as of the start. Ids are those of the main account. */
export interface TiktokWorldFacts {
  /** The account to configure. */
  readonly advertiserId: string
  /** A small account that the token may read as well; as a double it is the same number as the main one. */
  readonly secondAdvertiserId: string
  /** May be read and has nothing. */
  readonly emptyAdvertiserId: string
  /** Exists, but no token may read it. */
  readonly deniedAdvertiserId: string
  /** No account has it. */
  readonly unknownAdvertiserId: string
  /** The account of the vendor's sandbox environment. */
  readonly sandboxAdvertiserId: string
  readonly businessCenterId: string
  /** Objects that lists show, by account id. */
  readonly counts: Readonly<Record<string, Readonly<Record<Kind, number>>>>
  readonly campaignId: string
  readonly deletedCampaignId: string
  /** Its record has no `secondary_status`. */
  readonly campaignWithoutStatusId: string
  readonly adGroupId: string
  readonly adId: string
  readonly deletedAdId: string
  /** An automatic ad without `modify_time`. */
  readonly adWithoutChangeId: string
  /** An ad whose `tracking_pixel_id` is a number above 2^53, and its digits. */
  readonly adWithPixelId: string
  readonly pixelId: string
  /** An image whose id is an address. */
  readonly addressImageId: string
  /** A post with photos and `video_info` null. */
  readonly carouselItemId: string
  readonly itemWithoutTypeId: string
  readonly catalogId: string
  /** Yesterday in the main account's time zone; reports have rows of it. */
  readonly yesterday: string
}

const view = (seed: number, now: number): View => ({ seed, now, hugeIds: false, edits: new Map() })

function shown(at: View, kind: Kind): (account: (typeof accounts)[number]) => number {
  return (account) => {
    if (kind === 'catalogs') return account === mainAccount ? catalogRows(at, businessCenterId, undefined).size : 0
    if (kind !== 'campaigns' && kind !== 'ad_groups' && kind !== 'ads') return assetRows(at, account, kind).size
    let count = 0
    for (let position = 0; position < countOf(account, kind); position += 1) {
      const gone = { campaigns: campaignDeleted, ad_groups: groupDeletion, ads: adDeletion }[kind](at, account, position)
      if (!gone) count += 1
    }
    return count
  }
}

function countsOf(at: View): TiktokWorldFacts['counts'] {
  const counted = accounts.map((account) => {
    const of = (kind: Kind) => shown(at, kind)(account)
    const counts = { campaigns: of('campaigns'), ad_groups: of('ad_groups'), ads: of('ads') }
    const files = { audiences: of('audiences'), images: of('images'), videos: of('videos') }
    return [account.id, { ...counts, ...files, posts: of('posts'), catalogs: of('catalogs') }] as const
  })
  return Object.fromEntries(counted)
}

/**
 * Collects the facts of the accounts.
 *
 * @param seed - of the sandbox
 * @param now - its start, epoch milliseconds
 */
export function factsOf(seed: number, now: number): TiktokWorldFacts {
  const at = view(seed, now)
  const account = mainAccount
  const id = (kind: Kind, position: number) => idIn(at, { kind, account, position })
  const pixelCampaign = campaignOfGroup(account, groupOfAd(account, adWithPixel(account)))
  return {
    advertiserId: account.id,
    secondAdvertiserId: secondAccount.id,
    emptyAdvertiserId: emptyAccount.id,
    deniedAdvertiserId: deniedAccount.id,
    unknownAdvertiserId: '7399999999999999999',
    sandboxAdvertiserId: sandboxAccount.id,
    businessCenterId,
    counts: countsOf(at),
    campaignId: id('campaigns', 0),
    deletedCampaignId: id('campaigns', 3),
    campaignWithoutStatusId: id('campaigns', campaignWithoutStatus(account)),
    adGroupId: id('ad_groups', 0),
    adId: id('ads', 0),
    deletedAdId: id('ads', 9),
    adWithoutChangeId: id('ads', adWithoutChange(account)),
    adWithPixelId: id('ads', adWithPixel(account)),
    pixelId: pixelDigits(at, account, pixelCampaign),
    addressImageId: id('images', imageWithAddress),
    carouselItemId: id('posts', carouselPost),
    itemWithoutTypeId: id('posts', postWithoutType),
    catalogId: id('catalogs', 0),
    yesterday: dateOf(localDay(account, now) - 1),
  }
}
