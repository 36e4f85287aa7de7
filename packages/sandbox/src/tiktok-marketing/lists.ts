import { at } from '../data.ts'
import { type Account, accounts, businessCenterId, mainAccount } from './accounts.ts'
import { adGroupRecord, adGroupStatus } from './ad-groups.ts'
import { adRecord, adStatus } from './ads.ts'
import {
  Failure,
  invalid,
  type JsonRecord,
  listIn,
  neededTextIn,
  objectIn,
  type Page,
  type PageSizes,
  pageIn,
  type Success,
  textsOf,
} from './answers.ts'
import { audienceRecord, catalogRecord, imageRecord, postRecord, videoRecord } from './assets.ts'
import { campaignRecord, campaignStatus, type Status } from './campaigns.ts'
import type { Access } from './oauth.ts'
import type { TiktokSwitches } from './switches.ts'
import { deletionOf, editOf, isStructural, type Kind, layerOf, objectId, type Spot, type Structural, sizeOf, type View } from './world.ts'

/** One request after its token and the limits let it through. */
export interface Call {
  readonly view: View
  readonly access: Access
  readonly switches: TiktokSwitches
  readonly query: URLSearchParams
  /** True when the request meets this fault of a page. */
  take(kind: 'same-cursor' | 'expired-cursor'): boolean
  /** Counts the request for an advertiser. @throws Failure when it has too many */
  spend(account: Account): void
}

/** Returns the account with an id, if the token may read it. */
export function accountOf({ access, spend }: Pick<Call, 'access' | 'spend'>, id: string, name: string): Account {
  if (!/^\d{1,20}$/.test(id)) throw invalid(name, 'Not a valid id.')
  const account = accounts.find((known) => known.id === id && known.environment === access.environment)
  if (!account) throw new Failure(40300, `The advertiser ${id} does not exist.`)
  if (!access.advertiserIds.includes(id)) throw new Failure(40001, `No permission to operate advertiser: ${id}`)
  spend(account)
  return account
}

/** Returns the account that `advertiser_id` names. */
export const accountIn = (call: Call): Account => accountOf(call, neededTextIn(call.query, 'advertiser_id'), 'advertiser_id')

/** Objects before they are cut into pages; each is made when it is sent. */
export interface Rows {
  readonly size: number
  record(index: number): JsonRecord
}

/** Returns the page of a request, or what a fault makes of it. */
export function cutPage(call: Call, page: Page, { size: total, record }: Rows): Success {
  if (page.page > 1 && call.take('expired-cursor')) throw invalid('page', 'The page has expired.')
  const shown = page.page > 1 && call.take('same-cursor') ? page.page - 1 : page.page
  const first = Math.min((shown - 1) * page.size, total)
  const last = Math.min(first + page.size, total)
  // An empty list is always page 1.
  const told = { page: total === 0 ? 1 : shown, page_size: page.size, total_number: total, total_page: Math.ceil(total / page.size) }
  const texts = Object.fromEntries(Object.entries(told).map(([name, value]) => [name, String(value)]))
  return { data: { page_info: call.switches.pageTexts ? texts : told }, list: made(first, last, record) }
}

function* made(first: number, last: number, record: Rows['record']): Generator<JsonRecord> {
  for (let index = first; index < last; index += 1) yield record(index)
}

/** Returns what a request makes of every record: the fields that it asks for, and no nulls. */
export function shapeIn(query: URLSearchParams): (record: JsonRecord) => JsonRecord {
  const fields = listIn(query, 'fields')
  const excluded = listIn(query, 'exclude_field_types_in_response') ?? []
  if (excluded.some((type) => type !== 'NULL_FIELD')) throw invalid('exclude_field_types_in_response', 'Must be one of: NULL_FIELD.')
  if (!fields && excluded.length === 0) return (record) => record
  const fits = ([name, value]: readonly [string, unknown]) => (fields?.includes(name) ?? true) && (excluded.length === 0 || value !== null)
  return (record) => Object.fromEntries(Object.entries(record).filter(fits))
}

/** Answers one page of a list. */
export function answerPage(call: Call, sizes: PageSizes, find: (call: Call) => Rows): Success {
  const page = pageIn(call.query, sizes)
  const shape = shapeIn(call.query)
  const { size, record } = find(call)
  return cutPage(call, page, { size, record: (index) => shape(record(index)) })
}

const makers: Readonly<Record<Exclude<Kind, Structural>, (view: View, spot: Spot) => JsonRecord>> = {
  audiences: audienceRecord,
  images: imageRecord,
  videos: videoRecord,
  posts: postRecord,
  catalogs: catalogRecord,
}

const structureMakers: Readonly<Record<Structural, (view: View, spot: Spot<Structural>) => JsonRecord>> = {
  campaigns: campaignRecord,
  ad_groups: adGroupRecord,
  ads: adRecord,
}

function recordOf(view: View, spot: Spot): JsonRecord {
  const { kind, account } = spot
  const record = isStructural(kind) ? structureMakers[kind](view, { ...spot, kind }) : makers[kind](view, spot)
  return { ...(isStructural(kind) ? { advertiser_id: account.id } : {}), ...record, ...editOf(view, spot)?.fields }
}

function rowsWhere<K extends Kind>(view: View, source: Omit<Spot<K>, 'position'>, passes: (spot: Spot<K>) => boolean): Rows {
  const spots: Spot<K>[] = []
  for (let position = sizeOf(source.account, source.kind) - 1; position >= 0; position -= 1) {
    const spot = { ...source, position }
    if (passes(spot)) spots.push(spot)
  }
  return { size: spots.length, record: (index) => recordOf(view, at(spots, index)) }
}

/** Returns the objects of a kind that hang on no campaign. */
export const assetRows = (view: View, account: Account, kind: Kind): Rows =>
  rowsWhere(view, { kind, account }, (spot) => !editOf(view, spot)?.erased)

const fileFilters = ['image_ids', 'video_ids', 'material_ids'] as const

/** Returns the images or videos of an account that the parameter `filtering` lets through. */
export function fileRows(view: View, account: Account, { kind, query }: { readonly kind: Kind; readonly query: URLSearchParams }): Rows {
  const filtering = objectIn(query, 'filtering')
  const unknown = Object.keys(filtering).find((name) => !fileFilters.some((known) => known === name))
  if (unknown) throw invalid('filtering', `Unknown field ${unknown}.`)
  const wanted = Object.entries(filtering).map(([name, value]) => ({ field: name.slice(0, -1), ids: new Set(textsOf(value)) }))
  const all = assetRows(view, account, kind)
  if (wanted.length === 0) return all
  const rows = Array.from({ length: all.size }, (_, index) => all.record(index))
  const passing = rows.filter((row) => wanted.every(({ field, ids }) => ids.has(String(row[field]))))
  return { size: passing.length, record: (index) => at(passing, index) }
}

/** Returns the catalogs of a business center; none for one that is unknown. */
export function catalogRows(view: View, bcId: string, catalogId: string | undefined): Rows {
  const isWanted = (spot: Spot) => catalogId === undefined || objectId(view, spot) === catalogId
  const known = bcId === businessCenterId
  return rowsWhere(view, { kind: 'catalogs', account: mainAccount }, (spot) => known && !editOf(view, spot)?.erased && isWanted(spot))
}

/** What each value of `primary_status`, or the end of a `secondary_status`, lets through. */
const shown: Readonly<Record<string, { readonly deleted: boolean; readonly existing: boolean }>> = {
  STATUS_NOT_DELETE: { deleted: false, existing: true },
  STATUS_ALL: { deleted: true, existing: true },
  STATUS_DELETE: { deleted: true, existing: false },
}

const idFilters: Readonly<Record<string, Structural>> = { campaign_ids: 'campaigns', adgroup_ids: 'ad_groups', ad_ids: 'ads' }
const listFilters = [...Object.keys(idFilters), 'buying_types']
const known = [...listFilters, 'primary_status', 'secondary_status', 'modified_after', 'objective_type']

/** Checks the parameter `filtering` of a list of campaigns, ad groups or ads. */
function checkFiltering(filtering: JsonRecord): void {
  const unknown = Object.keys(filtering).find((name) => !known.includes(name))
  if (unknown) throw invalid('filtering', `Unknown field ${unknown}.`)
  const isWrong = ([name, value]: readonly [string, unknown]) =>
    listFilters.includes(name) ? (textsOf(value)?.length ?? 0) === 0 : typeof value !== 'string'
  const wrong = Object.entries(filtering).find(isWrong)
  if (wrong) throw invalid('filtering', `Invalid value of ${wrong[0]}.`)
  const long = listFilters.find((name) => (textsOf(filtering[name])?.length ?? 0) > 100)
  if (long) throw invalid('filtering', `${long}: Longer than maximum length 100.`)
}

const statusOf: Readonly<Record<Structural, (view: View, spot: Spot<Structural>) => Status>> = {
  campaigns: campaignStatus,
  ad_groups: adGroupStatus,
  ads: adStatus,
}

/** Returns a test of the deletion, which the lists hide unless they are asked for it, and of the status. */
function statusTest(view: View, filtering: JsonRecord): (spot: Spot<Structural>) => boolean {
  const { secondary_status: secondary, primary_status: primary = 'STATUS_NOT_DELETE' } = filtering
  const ending = typeof secondary === 'string' ? /_(STATUS_(?:ALL|NOT_DELETE))$/.exec(secondary)?.[1] : undefined
  const shows = shown[secondary === undefined ? String(primary) : (ending ?? 'STATUS_ALL')]
  if (!shows) throw invalid('filtering', 'Invalid value of primary_status.')
  const wanted = ending === undefined ? secondary : undefined
  return (spot) => {
    if (!(deletionOf(view, spot) ? shows.deleted : shows.existing)) return false
    return wanted === undefined || statusOf[spot.kind](view, spot).secondary_status === wanted
  }
}

/** Returns the campaigns, ad groups or ads of an account that the parameter `filtering` lets through. */
export function structureRows(view: View, source: Omit<Spot<Structural>, 'position'>, query: URLSearchParams): Rows {
  const filtering = objectIn(query, 'filtering')
  checkFiltering(filtering)
  const hasStatus = statusTest(view, filtering)
  const ids = Object.entries(idFilters).flatMap(([name, kind]) => {
    const texts = textsOf(filtering[name])
    return texts ? [{ kind, texts: new Set(texts) }] : []
  })
  // The accounts have no such campaigns.
  const nothing = textsOf(filtering['buying_types'])?.includes('RESERVATION_TOP_VIEW')
  const hasIds = (spot: Spot<Structural>) =>
    ids.every(({ kind, texts }) => {
      const above = layerOf(spot, kind)
      return !above || texts.has(objectId(view, above))
    })
  const { modified_after: after } = filtering
  const isNew = (spot: Spot) => after === undefined || String(recordOf(view, spot)['modify_time'] ?? '') > String(after)
  return rowsWhere(view, source, (spot) => !nothing && hasStatus(spot) && hasIds(spot) && isNew(spot))
}

/** Returns the object with an id; undefined when it does not exist. */
export function findSpot(view: View, kind: Kind, id: string): Spot | undefined {
  for (const account of accounts) {
    for (let position = 0; position < sizeOf(account, kind); position += 1) {
      const spot = { kind, account, position }
      if (objectId(view, spot) === id) return spot
    }
  }
  return undefined
}
