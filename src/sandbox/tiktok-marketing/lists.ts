import type { Account } from './accounts.ts'
import { accounts, businessCenterId, mainAccount } from './accounts.ts'
import { adGroupRecord, adGroupStatus } from './ad-groups.ts'
import { adRecord } from './ads.ts'
import type { Failure, JsonRecord } from './answers.ts'
import { isFailure } from './answers.ts'
import { audienceRecord, catalogCount, catalogRecord, imageRecord, postRecord, videoRecord } from './assets.ts'
import { campaignRecord, campaignStatus } from './campaigns.ts'
import type { Filtering } from './filtering.ts'
import { filteringIn } from './filtering.ts'
import type { Kind, Spot, View } from './world.ts'
import { adDeletion, campaignDeleted, campaignOfGroup, editOf, groupDeletion, groupOfAd, objectId, sizeOf } from './world.ts'

/** Objects before they are cut into pages; each is made when it is sent. */
export interface Rows {
  readonly size: number
  record(index: number): JsonRecord
}

/** The records of each kind. */
export const recordOf: Readonly<Record<Kind, (view: View, spot: Spot) => JsonRecord>> = {
  campaigns: campaignRecord,
  ad_groups: adGroupRecord,
  ads: adRecord,
  audiences: audienceRecord,
  images: imageRecord,
  videos: videoRecord,
  posts: postRecord,
  catalogs: catalogRecord,
}

/** How many objects of a kind an account has, deleted ones included. Catalogs belong to the account that the business center owns. */
export function countOf(account: Account, kind: Kind): number {
  if (kind === 'campaigns' || kind === 'ad_groups' || kind === 'ads') return sizeOf(account, kind)
  if (kind === 'catalogs') return account === mainAccount ? catalogCount : 0
  return account[kind]
}

/** Newest first. */
function rowsWhere(view: View, source: { kind: Kind; account: Account }, shows: (position: number) => boolean): Rows {
  const { kind, account } = source
  const positions: number[] = []
  for (let position = countOf(account, kind) - 1; position >= 0; position -= 1) if (shows(position)) positions.push(position)
  return { size: positions.length, record: (index) => recordOf[kind](view, { kind, account, position: positions[index] ?? 0 }) }
}

/** The objects of a kind that hang on no campaign. */
export function assetRows(view: View, account: Account, kind: Kind): Rows {
  return rowsWhere(view, { kind, account }, (position) => !editOf(view, { kind, account, position })?.erased)
}

/** The catalogs of a business center; none for one that is unknown. */
export function catalogRows(view: View, bcId: string, catalogId: string | undefined): Rows {
  if (bcId !== businessCenterId) return { size: 0, record: () => ({}) }
  return rowsWhere(view, { kind: 'catalogs', account: mainAccount }, (position) => {
    const spot: Spot = { kind: 'catalogs', account: mainAccount, position }
    return !editOf(view, spot)?.erased && (catalogId === undefined || objectId(view, spot) === catalogId)
  })
}

/** A kind of object of which an account's structure is made. */
type Structural = 'campaigns' | 'ad_groups' | 'ads'

function isDeleted(view: View, spot: Spot): boolean {
  const { kind, account, position } = spot
  if (kind === 'campaigns') return campaignDeleted(view, account, position)
  return (kind === 'ad_groups' ? groupDeletion(view, account, position) : adDeletion(view, account, position)) !== undefined
}

/** An object and those above it. */
function lineOf({ kind, account, position }: Spot): { campaign: number; group: number | undefined; ad: number | undefined } {
  if (kind === 'campaigns') return { campaign: position, group: undefined, ad: undefined }
  const group = kind === 'ads' ? groupOfAd(account, position) : position
  return { campaign: campaignOfGroup(account, group), group, ad: kind === 'ads' ? position : undefined }
}

function hasId(view: View, spot: Spot, ids: ReadonlySet<string> | undefined): boolean {
  return ids === undefined || ids.has(objectId(view, spot))
}

function hasIds(view: View, spot: Spot, filtering: Filtering): boolean {
  const { account } = spot
  const { campaign, group, ad } = lineOf(spot)
  if (!hasId(view, { kind: 'campaigns', account, position: campaign }, filtering.campaignIds)) return false
  if (group !== undefined && !hasId(view, { kind: 'ad_groups', account, position: group }, filtering.adGroupIds)) return false
  return ad === undefined || hasId(view, { kind: 'ads', account, position: ad }, filtering.adIds)
}

function statusOf(view: View, spot: Spot): unknown {
  if (spot.kind === 'campaigns') return campaignStatus(view, spot.account, spot.position).secondary
  if (spot.kind === 'ad_groups') return adGroupStatus(view, spot.account, spot.position).secondary
  return adRecord(view, spot)['secondary_status']
}

function passes(view: View, spot: Spot, filtering: Filtering): boolean {
  const { shows, secondaryStatus, modifiedAfter } = filtering
  if (!(isDeleted(view, spot) ? shows.deleted : shows.existing)) return false
  if (!hasIds(view, spot, filtering)) return false
  if (secondaryStatus !== undefined && statusOf(view, spot) !== secondaryStatus) return false
  return modifiedAfter === undefined || String(recordOf[spot.kind](view, spot)['modify_time'] ?? '') > modifiedAfter
}

/** The campaigns, ad groups or ads of an account that the parameter `filtering` lets through. */
export function structureRows(view: View, source: { kind: Structural; account: Account }, query: URLSearchParams): Rows | Failure {
  const filtering = filteringIn(query)
  if (isFailure(filtering)) return filtering
  if (filtering.nothing) return { size: 0, record: () => ({}) }
  return rowsWhere(view, source, (position) => passes(view, { ...source, position }, filtering))
}

/** The object with an id; undefined when there is none. */
export function findSpot(view: View, kind: Kind, id: string): Spot | undefined {
  for (const account of accounts) {
    for (let position = 0; position < countOf(account, kind); position += 1) {
      const spot: Spot = { kind, account, position }
      if (idIn(view, spot) === id) return spot
    }
  }
  return undefined
}

/** The id by which an object is known. */
export function idIn(view: View, spot: Spot): string {
  if (spot.kind === 'images') return String(imageRecord(view, spot)['image_id'])
  return spot.kind === 'videos' ? String(videoRecord(view, spot)['video_id']) : objectId(view, spot)
}
