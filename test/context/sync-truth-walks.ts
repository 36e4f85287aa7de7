/** Reads the stand-ins entity by entity with their plain lists, independently of the definitions of syncs. */

import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { getAt, parsePath } from '../../packages/ferrule/src/engine/json/paths.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import type { Ask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { type SyncedKind, syncedKinds, type TruthCase } from './sync-truth-kinds.ts'

type Row = Readonly<Record<string, unknown>>

/** Reads one stand-in. */
interface Reader {
  /** Reads all pages of a list; empty for a deleted parent. */
  list(entity: string, params?: Row): Promise<Row[]>
  readonly configuration: Row
  /** Lists windows of thirty days from the first configured day to tomorrow. */
  windows(): readonly (readonly [string, string])[]
}

/** A record with the parameters that belong to its key. */
interface Found {
  readonly row: Row
  readonly params: Row
}

type Read = (reader: Reader) => Promise<readonly Found[]>

const plain = (rows: readonly Row[], params: Row = {}): Found[] => rows.map((row) => ({ row, params }))
const whole =
  (entity: string, params: Row = {}): Read =>
  async (reader) =>
    plain(await reader.list(entity, params))
/** Reads the list of each record of another list. */
const per =
  (entity: string, parents: Read, paramsOf: (parent: Row) => Row): Read =>
  async (reader) => {
    const found: Found[] = []
    for (const { row } of await parents(reader)) {
      const params = paramsOf(row)
      found.push(...plain(await reader.list(entity, params), params))
    }
    return found
  }
const ids = (row: Row): string[] => (row['id'] === undefined || row['id'] === null ? [] : [String(row['id'])])
const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))

/** Every block of the extensive calls that can be requested. */
const everything: Row = {
  context: 'Extended',
  contextTiming: ['Now', 'TimeOfCall'],
  exposedFields: {
    collaboration: { publicComments: true },
    content: {
      brief: true,
      callOutcome: true,
      highlights: true,
      keyPoints: true,
      outline: true,
      structure: true,
      topics: true,
      trackers: true,
      trackerOccurrences: true,
    },
    interaction: { personInteractionStats: true, questions: true, speakers: true, video: true },
    media: true,
    parties: true,
  },
}

const calls = whole('calls')
const gong: Readonly<Record<string, Read>> = {
  users: whole('users'),
  calls,
  calls_extensive: async (reader) => {
    const found = plain(await reader.list('calls_extensive', { filter: {}, contentSelector: everything }))
    return found.map(({ row, params }) => {
      const meta = row['metaData']
      const own = isObject(meta) ? { id: meta['id'], startdatetime: meta['started'] } : {}
      return { row: { ...row, ...own }, params }
    })
  },
  call_transcripts: async (reader) => {
    const started = new Map((await calls(reader)).map(({ row }) => [String(row['id']), row['started']]))
    const found: Row[] = []
    for (const callIds of chunks([...started.keys()], 100)) found.push(...(await reader.list('call_transcripts', { filter: { callIds } })))
    return plain(found.map((row) => ({ ...row, started: started.get(String(row['callId'])) })))
  },
  settings_scorecards: whole('settings_scorecards'),
  stats_activity_scorecards: whole('stats_activity_scorecards', {
    filter: { fromDateTime: '2000-01-01T00:00:00Z', toDateTime: '2100-01-01T00:00:00Z' },
  }),
}

const page = { limit: 250 }
const orders = whole('orders', { ...page, status: 'any' })
const products = whole('products', page)
const variants = per('product_variants', products, ({ id }) => ({ product_id: id }))
const locations = whole('locations')
const metafields = (name: string, owners: Read, param: string): Read =>
  per(`metafield_${name}`, owners, ({ id }) => ({ [param]: id, ...page }))
const shopify: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    [
      'customers',
      'draft_orders',
      'price_rules',
      'custom_collections',
      'smart_collections',
      'collects',
      'tender_transactions',
      'metafield_shops',
    ].map((entity) => [entity, whole(entity, page)]),
  ),
  abandoned_checkouts: whole('abandoned_checkouts', { ...page, status: 'any' }),
  locations,
  countries: whole('countries'),
  shop: whole('shop'),
  product_variants: variants,
  product_images: per('product_images', products, ({ id }) => ({ product_id: id })),
  inventory_items: async (reader) => {
    const items = (await variants(reader)).flatMap(({ row }) => ids({ id: row['inventory_item_id'] }))
    const found: Row[] = []
    for (const some of chunks(items, 50)) found.push(...(await reader.list('inventory_items', { ids: some.join(), ...page })))
    return plain(found)
  },
  inventory_levels: per('inventory_levels', locations, ({ id }) => ({ location_id: id, ...page })),
  discount_codes: per('discount_codes', whole('price_rules', page), ({ id }) => ({ price_rule_id: id, ...page })),
  order_refunds: per('order_refunds', orders, ({ id }) => ({ order_id: id })),
  fulfillments: per('fulfillments', orders, ({ id }) => ({ order_id: id })),
  fulfillment_orders: per('fulfillment_orders', orders, ({ id }) => ({ order_id: id })),
  metafield_customers: metafields('customers', whole('customers', page), 'customer_id'),
  metafield_products: metafields('products', products, 'product_id'),
  metafield_orders: metafields('orders', orders, 'order_id'),
  metafield_draft_orders: metafields('draft_orders', whole('draft_orders', page), 'draft_order_id'),
  metafield_locations: metafields('locations', locations, 'location_id'),
  metafield_product_variants: metafields('product_variants', variants, 'variant_id'),
  metafield_smart_collections: metafields('smart_collections', whole('smart_collections', page), 'collection_id'),
  metafield_product_images: per(
    'metafield_product_images',
    per('product_images', products, ({ id }) => ({ product_id: id })),
    ({ id, product_id }) => ({
      image_id: id,
      product_id,
    }),
  ),
}

const advertisers: Read = whole('advertisers')
const perAdvertiser = (entity: string, params: Row = {}): Read =>
  per(entity, advertisers, ({ advertiser_id }) => ({ ...params, advertiser_id }))

function report(entity: string): Read {
  const { params = {} } = syncedKinds['tiktok-marketing'].definition.entities[entity as 'ads_reports_daily'].sync // one of the four
  return async (reader) => {
    const found: Found[] = []
    for (const [start_date, end_date] of reader.windows())
      found.push(...(await perAdvertiser(entity, { ...params, start_date, end_date })(reader)))
    return found
  }
}
const tiktok: Readonly<Record<string, Read>> = {
  advertisers,
  ...Object.fromEntries(
    ['campaigns', 'ad_groups', 'ads', 'audiences', 'creative_assets_images', 'creative_assets_videos', 'promoted_post_ads'].map(
      (entity) => [entity, perAdvertiser(entity)],
    ),
  ),
  ...Object.fromEntries(
    ['advertisers_reports_daily', 'campaigns_reports_daily', 'ad_groups_reports_daily', 'ads_reports_daily'].map((entity) => [
      entity,
      report(entity),
    ]),
  ),
}

const reads: Readonly<Record<SyncedKind, Readonly<Record<string, Read>>>> = { gong, shopify, 'tiktok-marketing': tiktok }

const day = 86_400_000
function windowsOf(configuration: Row, now: number): (readonly [string, string])[] {
  const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10)
  const last = now + day
  const windows: (readonly [string, string])[] = []
  for (let from = Date.parse(String(configuration['start_date'])); from <= last; from += 30 * day)
    windows.push([dayOf(from), dayOf(Math.min(from + 29 * day, last))])
  return windows
}

function readerOf(ask: Ask, { kind, configuration }: TruthCase, now: number): Reader {
  const known = new Map<string, Row[]>()
  const list = async (entity: string, params: Row = {}): Promise<Row[]> => {
    const key = `${entity} ${JSON.stringify(params)}`
    const before = known.get(key)
    if (before !== undefined) return before
    const rows: Row[] = []
    const action = Reflect.get(syncedKinds[kind].definition.entities, entity).list === undefined ? 'get' : 'list'
    try {
      for (let current: Row | null = params; current !== null; ) {
        const answered = await ask({ entity, action, params: current })
        rows.push(...answered.rows.filter(isObject))
        current = answered.next === null ? null : { ...current, ...answered.next }
      }
    } catch (error) {
      if (!(error instanceof FerruleError) || error.code !== 'record_not_found') throw error
    }
    known.set(key, rows)
    return rows
  }
  return { list, configuration, windows: () => windowsOf(configuration, now) }
}

/** Writes a value as both sides do: numbers by their digits, missing values as null. */
export function canonical(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, part]) => [name, canonical(part)]),
  )
}

/** Fields documented as strings or numbers hold ids in either form. */
const asSearched = (value: unknown): unknown => {
  const plainValue = canonical(value)
  return typeof plainValue === 'object' ? plainValue : String(plainValue)
}

/** Writes the searchable fields of a record as one string. */
export const textOf = (kind: SyncedKind, entity: string, row: Row): string => {
  const fields = Object.keys(Reflect.get(syncedKinds[kind].definition.entities, entity).context_store_search)
  return JSON.stringify(fields.map((name) => [name, asSearched(row[name])]))
}

/**
 * Computes the expected copy of each entity: records as sorted strings.
 * @param now the vendor's clock, in milliseconds since 1970
 */
export async function expectedOf(ask: Ask, given: TruthCase, now: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const reader = readerOf(ask, given, now)
  const all = new Map<string, readonly string[]>()
  for (const entity of given.wanted) {
    const read = reads[given.kind][entity]
    if (read === undefined) throw new Error(`nobody says how ${given.kind}.${entity} is read`)
    const { key }: { key: readonly string[] } = Reflect.get(syncedKinds[given.kind].definition.entities, entity)
    const byKey = new Map<string, string>()
    for (const { row, params } of await read(reader)) {
      const parts = key.map((path) =>
        path.startsWith('param.') ? getAt(params, parsePath(path.slice(6))) : (getAt(row, parsePath(path)) ?? null),
      )
      if (!parts.includes(null)) byKey.set(JSON.stringify(parts.map(String)), textOf(given.kind, entity, row))
    }
    all.set(entity, [...byKey.values()].toSorted())
  }
  return all
}
