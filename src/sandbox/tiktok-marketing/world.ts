import type { DatedEdit } from '../edits.ts'
import { hash32, idOf } from '../random.ts'
import type { Account } from './accounts.ts'
import type { JsonRecord } from './answers.ts'
import { day } from './time.ts'

/** The kinds of objects that can be changed later. */
export const editableKinds = ['campaigns', 'ad_groups', 'ads', 'audiences', 'images', 'videos', 'posts', 'catalogs'] as const

/** A kind of object that an account, or the business center, has. */
export type Kind = (typeof editableKinds)[number]

/** Which object of an account: positions start at 0 in the order of creation. */
export interface Spot {
  readonly kind: Kind
  readonly account: Account
  readonly position: number
}

/** The accounts as one request sees them. */
export interface View {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly now: number
  readonly hugeIds: boolean
  readonly edits: ReadonlyMap<string, DatedEdit>
}

/** The key of an object among the changes. */
export function editKey({ kind, account, position }: Spot): string {
  return `${kind} ${account.index} ${position}`
}

/** The change of an object; undefined when there is none. */
export function editOf(view: View, spot: Spot): DatedEdit | undefined {
  return view.edits.size === 0 ? undefined : view.edits.get(editKey(spot))
}

/** An object with the fields of its change. */
export function edited(view: View, spot: Spot, record: JsonRecord): JsonRecord {
  const fields = editOf(view, spot)?.fields
  return fields ? { ...record, ...fields } : record
}

/** How many objects of a structural kind an account has, deleted ones included. */
export function sizeOf({ campaigns, groupsPerCampaign, adsPerGroup }: Account, kind: 'campaigns' | 'ad_groups' | 'ads'): number {
  const groups = campaigns * groupsPerCampaign
  return { campaigns, ad_groups: groups, ads: groups * adsPerGroup }[kind]
}

/** The campaign of an ad group. */
export function campaignOfGroup(account: Account, group: number): number {
  return Math.floor(group / account.groupsPerCampaign)
}

/** The ad group of an ad. */
export function groupOfAd(account: Account, ad: number): number {
  return Math.floor(ad / account.adsPerGroup)
}

const bases = { campaigns: 1_820_000_000_000_000, ad_groups: 1_840_000_000_000_000, ads: 1_860_000_000_000_000 } as const
const accountWidth = 1_000_000_000_000
const stride = 4096

/**
 * The id of an object. Campaigns, ad groups and ads have 16 digits, ascending with the position; 19 where the view says so.
 *
 * @param view - of the request
 * @param spot - the object
 */
export function objectId(view: View, spot: Spot): string {
  const { kind, account, position } = spot
  if (kind !== 'campaigns' && kind !== 'ad_groups' && kind !== 'ads') return idOf(view.seed, 'tiktok', kind, account.index, position)
  const id = bases[kind] + account.index * accountWidth + position * stride + (hash32(view.seed, kind, account.index, position) % stride)
  return view.hugeIds ? `730${id}` : String(id)
}

function ownlyDeleted(view: View, spot: Spot, bySchedule: boolean): boolean {
  return editOf(view, spot)?.erased ?? bySchedule
}

/** True for a campaign that was deleted. */
export function campaignDeleted(view: View, account: Account, position: number): boolean {
  return ownlyDeleted(view, { kind: 'campaigns', account, position }, position % 17 === 3)
}

/** Why an ad group counts as deleted; undefined while it exists. */
export function groupDeletion(view: View, account: Account, position: number): 'CAMPAIGN_DELETE' | 'DELETE' | undefined {
  if (campaignDeleted(view, account, campaignOfGroup(account, position))) return 'CAMPAIGN_DELETE'
  return ownlyDeleted(view, { kind: 'ad_groups', account, position }, position % 41 === 7) ? 'DELETE' : undefined
}

/** Why an ad counts as deleted; undefined while it exists. */
export function adDeletion(view: View, account: Account, position: number): 'CAMPAIGN_DELETE' | 'ADGROUP_DELETE' | 'DELETE' | undefined {
  const group = groupDeletion(view, account, groupOfAd(account, position))
  if (group) return group === 'DELETE' ? 'ADGROUP_DELETE' : group
  return ownlyDeleted(view, { kind: 'ads', account, position }, position % 61 === 9) ? 'DELETE' : undefined
}

/** When a campaign was created, epoch milliseconds; all within 300 days of the account's opening. */
export function campaignCreated(account: Account, position: number): number {
  return account.opened + Math.floor((position * 300 * day) / Math.max(account.campaigns, 1) / 1000) * 1000
}

/** When an ad group was created. */
export function groupCreated(account: Account, position: number): number {
  const campaign = campaignOfGroup(account, position)
  return campaignCreated(account, campaign) + ((position % account.groupsPerCampaign) + 1) * 3_217_000
}

/** When an ad was created. */
export function adCreated(account: Account, position: number): number {
  const group = groupOfAd(account, position)
  return groupCreated(account, group) + ((position % account.adsPerGroup) + 1) * 61_000
}

/**
 * How often an object has been changed, and when last. A third of the objects are changed again and again, the others once.
 *
 * @param view - of the request
 * @param spot - the object
 * @param created - epoch milliseconds
 */
export function changesOf(view: View, spot: Spot, created: number): { readonly count: number; readonly at: number } {
  const chance = hash32(view.seed, 'changes', spot.kind, spot.account.index, spot.position)
  const period = (20 + (chance % 380)) * day
  const count = chance % 3 === 0 ? Math.max(0, Math.floor((view.now - created) / period)) : 0
  const at = count === 0 ? created + (chance % 7200) * 1000 : created + count * period
  return { count, at: Math.max(at, editOf(view, spot)?.at ?? 0) }
}
