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
import { oddAds } from './ads.ts'
import { oddPosts } from './assets.ts'
import { campaignWithoutStatus } from './campaigns.ts'
import { assetRows } from './lists.ts'
import { dateOf } from './time.ts'
import type { Kind, View } from './world.ts'
import * as world from './world.ts'

/** What a test or a reader needs to know about the imitated accounts, as of the start. Ids are those of the main account. */
export type TiktokWorldFacts = Readonly<ReturnType<typeof factsOf>>

function shownOf(view: View, account: (typeof accounts)[number], kind: Kind): number {
  if (!world.isStructural(kind)) return assetRows(view, account, kind).size
  const positions = Array.from({ length: world.sizeOf(account, kind) }, (_, position) => position)
  return positions.filter((position) => !world.deletionOf(view, { kind, account, position })).length
}

function countsOf(view: View): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const of = (account: (typeof accounts)[number]) => world.editableKinds.map((kind) => [kind, shownOf(view, account, kind)])
  return Object.fromEntries(accounts.map((account) => [account.id, Object.fromEntries(of(account))]))
}

/** Collects the facts of the accounts at the start of a sandbox. */
export function factsOf(seed: number, now: number) {
  const view: View = { seed, now, hugeIds: false, edits: new Map() }
  const account = mainAccount
  const id = (kind: Kind, position: number) => world.objectId(view, { kind, account, position })
  const withPixel = oddAds.withPixel(account)
  return {
    /** The account to configure. */
    advertiserId: account.id,
    /** A small account that the token may read as well; as a double it is the same number as the main one. */
    secondAdvertiserId: secondAccount.id,
    /** May be read and has nothing. */
    emptyAdvertiserId: emptyAccount.id,
    /** Exists, but only somebody else can share it: no documented token may read it. */
    deniedAdvertiserId: deniedAccount.id,
    /** No account has it. */
    unknownAdvertiserId: '7399999999999999999',
    /** The account of the vendor's sandbox environment. */
    sandboxAdvertiserId: sandboxAccount.id,
    businessCenterId,
    /** Objects that lists show, by account id and kind. */
    counts: countsOf(view),
    campaignId: id('campaigns', 0),
    deletedCampaignId: id('campaigns', 3),
    /** Its record has no `secondary_status`. */
    campaignWithoutStatusId: id('campaigns', campaignWithoutStatus({ account })),
    adGroupId: id('ad_groups', 0),
    adId: id('ads', 0),
    deletedAdId: id('ads', 9),
    /** An automatic ad without `modify_time`. */
    adWithoutChangeId: id('ads', oddAds.withoutChange(account)),
    /** An ad whose `tracking_pixel_id` is a number above 2^53, and its digits. */
    adWithPixelId: id('ads', withPixel),
    pixelId: world.pixelDigits(view, world.campaignOf({ kind: 'ads', account, position: withPixel })),
    /** An image whose id is an address. */
    addressImageId: id('images', world.imageWithAddress),
    /** A post with photos and `video_info` null. */
    carouselItemId: id('posts', oddPosts.carousel),
    itemWithoutTypeId: id('posts', oddPosts.withoutType),
    catalogId: id('catalogs', 0),
    /** Yesterday in the main account's time zone; reports have rows of it. */
    yesterday: dateOf(localDay(account, now) - 1),
  }
}
