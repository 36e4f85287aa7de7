import type { DatedEdit } from '../data.ts'
import { hash32, hexOf, idOf, Random } from '../random.ts'
import { type Account, mainAccount } from './accounts.ts'
import { day } from './time.ts'

/** The kinds of objects that can be changed later. */
export const editableKinds = ['campaigns', 'ad_groups', 'ads', 'audiences', 'images', 'videos', 'posts', 'catalogs'] as const

/** A kind of object that an account, or the business center, has. */
export type Kind = (typeof editableKinds)[number]

/** A kind of object of which an account's structure is made. */
export type Structural = 'campaigns' | 'ad_groups' | 'ads'

/** Which object of an account: positions start at 0 in the order of creation. */
export interface Spot<K extends Kind = Kind> {
  readonly kind: K
  readonly account: Account
  readonly position: number
}

/** The accounts as one request sees them. */
export interface View {
  readonly seed: number
  readonly now: number
  /** Ids of campaigns, ad groups and ads have 19 digits. */
  readonly hugeIds: boolean
  readonly edits: ReadonlyMap<string, DatedEdit>
}

interface Layer {
  /** Word for the layer in a status. */
  readonly word: string
  /** Ids are this base, plus the account, plus the position. */
  readonly base: number
  /** Every so many objects one is deleted, the first at `first`. */
  readonly deletedEvery: number
  readonly first: number
  /** Milliseconds between the creation of neighbours. */
  readonly gap: number
}

const layers: Readonly<Record<Structural, Layer>> = {
  campaigns: { word: 'CAMPAIGN', base: 1_820_000_000_000_000, deletedEvery: 17, first: 3, gap: 0 },
  ad_groups: { word: 'ADGROUP', base: 1_840_000_000_000_000, deletedEvery: 41, first: 7, gap: 3_217_000 },
  ads: { word: 'AD', base: 1_860_000_000_000_000, deletedEvery: 61, first: 9, gap: 61_000 },
}

const accountWidth = 1_000_000_000_000
const stride = 4096

/** How many catalogs the business center has; they belong to the account that it owns. */
const catalogCount = 23

/** Returns the key of an object among the changes. */
export const editKey = ({ kind, account, position }: Spot): string => `${kind} ${account.index} ${position}`

/** Returns the change of an object; undefined when it was not changed. */
export const editOf = (view: View, spot: Spot): DatedEdit | undefined => (view.edits.size === 0 ? undefined : view.edits.get(editKey(spot)))

/** Returns a stream of numbers for one part of an object. */
export const randomOf = ({ seed }: View, { account, position }: Spot, part: string): Random =>
  new Random(seed, part, account.index, position)

/** Returns a number below `size` that stays the same for one part of an object. */
export const draw = ({ seed }: View, { account, position }: Spot, [part, size]: readonly [part: string, size: number]): number =>
  hash32(seed, part, account.index, position) % size

/** Returns how many objects of a kind an account has, deleted ones included. */
export function sizeOf(account: Account, kind: Kind): number {
  if (kind === 'ad_groups') return account.campaigns * account.groupsPerCampaign
  if (kind === 'ads') return sizeOf(account, 'ad_groups') * account.adsPerGroup
  if (kind === 'catalogs') return account === mainAccount ? catalogCount : 0
  return account[kind]
}

function parentOf({ kind, account, position }: Spot<Structural>): Spot<Structural> | undefined {
  if (kind === 'campaigns') return undefined
  if (kind === 'ad_groups') return { kind: 'campaigns', account, position: Math.floor(position / account.groupsPerCampaign) }
  return { kind: 'ad_groups', account, position: Math.floor(position / account.adsPerGroup) }
}

/** Returns an object or the one above it of a kind; undefined for a kind below it. */
export function layerOf(spot: Spot<Structural>, kind: Structural): Spot<Structural> | undefined {
  const parent = parentOf(spot)
  return spot.kind === kind ? spot : parent && layerOf(parent, kind)
}

/** Returns the campaign of an object. */
export const campaignOf = (spot: Spot<Structural>): Spot<Structural> => layerOf(spot, 'campaigns') ?? spot

/** Returns the number of an object among those of its parent, from 1 on. */
export const ordinalOf = ({ kind, account, position }: Spot<Structural>): number =>
  (position % (kind === 'ads' ? account.adsPerGroup : account.groupsPerCampaign)) + 1

/** Returns true for the kinds of which an account's structure is made. */
export const isStructural = (kind: Kind): kind is Structural => kind in layers

/** Returns the id of an object. Campaigns, ad groups and ads have 16 digits, ascending with the position; 19 where the view says so. */
export function objectId(view: View, spot: Spot): string {
  const { kind, account, position } = spot
  if (kind === 'images') return imageId(view, account, position)
  if (kind === 'videos') return `v10033g50000${hexOf(20, view.seed, 'video', account.index, position)}`
  if (!isStructural(kind)) return idOf(view.seed, 'tiktok', kind, account.index, position)
  const id = layers[kind].base + account.index * accountWidth + position * stride + draw(view, spot, [kind, stride])
  return view.hugeIds ? `730${id}` : String(id)
}

/** The position of the image whose id is an address. */
export const imageWithAddress = 1

/** Returns the id of an image: a path in the vendor's store; that of one image is a whole signed address. */
function imageId({ seed }: View, account: Account, position: number): string {
  const hex = hexOf(32, seed, 'image', account.index, position)
  const address = `https://p16-ad.tiktokcdn.example/obj/ad-site-i18n/${hex}?x-expires=1767225600&x-signature=ab%2Bc%3D`
  return position === imageWithAddress ? address : `ad-site-i18n-sg/${hex}`
}

/** Returns the digits of the pixel of a campaign: 19, above 2^53 and odd, so that a double cannot hold them. */
export function pixelDigits({ seed }: View, { account, position }: Spot): string {
  const digits = idOf(seed, 'tiktok pixel', account.index, position % 3).padStart(19, '7')
  return `${digits.slice(0, 18)}${(hash32(seed, 'pixel', position % 3) % 5) * 2 + 1}`
}

/** Returns why an object counts as deleted, for example `CAMPAIGN_DELETE`; undefined while it exists. */
export function deletionOf(view: View, spot: Spot<Structural>): string | undefined {
  const parent = parentOf(spot)
  const above = parent && deletionOf(view, parent)
  if (parent && above) return above === 'DELETE' ? `${layers[parent.kind].word}_DELETE` : above
  const { deletedEvery, first } = layers[spot.kind]
  return (editOf(view, spot)?.erased ?? spot.position % deletedEvery === first) ? 'DELETE' : undefined
}

/** Returns a status with the word of its layer: `AD_STATUS_DELIVERY_OK`. */
export const statusName = ({ kind }: Spot<Structural>, status: string): string => `${layers[kind].word}_STATUS_${status}`

/** Returns when an object was created, epoch milliseconds; campaigns within 300 days of the account's opening. */
export function createdAt(spot: Spot<Structural>): number {
  const { account, position, kind } = spot
  const parent = parentOf(spot)
  if (parent) return createdAt(parent) + ordinalOf(spot) * layers[kind].gap
  return account.opened + Math.floor((position * 300 * day) / Math.max(account.campaigns, 1) / 1000) * 1000
}

/** Returns how often an object has been changed, and when last. A third of the objects are changed again and again, the others once. */
export function changesOf(view: View, spot: Spot<Structural>): { readonly count: number; readonly at: number } {
  const created = createdAt(spot)
  const chance = hash32(view.seed, 'changes', spot.kind, spot.account.index, spot.position)
  const period = (20 + (chance % 380)) * day
  const count = chance % 3 === 0 ? Math.max(0, Math.floor((view.now - created) / period)) : 0
  const at = count === 0 ? created + (chance % 7200) * 1000 : created + count * period
  return { count, at: Math.max(at, editOf(view, spot)?.at ?? 0) }
}

/** Returns the name that a change gave to an object. */
export function givenName(view: View, spot: Spot, field: string): string | undefined {
  const given = editOf(view, spot)?.fields?.[field]
  return typeof given === 'string' ? given : undefined
}
