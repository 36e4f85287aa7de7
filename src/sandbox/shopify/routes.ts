import type { RoutePattern } from '../http.ts'
import type { Answer } from './answers.ts'
import { isAnswer, ok } from './answers.ts'
import type { Call } from './calls.ts'
import { noId, readId } from './filters.ts'
import { answerCount, answerPage, answerWhole, withFields } from './lists.ts'
import { findDraft, ownedRows, ownerRoutes } from './owners.ts'
import type { ListRows } from './resources.ts'
import { lists } from './resources.ts'
import { findRow } from './rows.ts'
import { shopRecord } from './shop.ts'

/** One endpoint of the imitated API; its path is that below the version, without `.json`. */
export interface Route extends RoutePattern {
  /** What a token must allow; empty for nothing. */
  readonly scope: string
  /** Undefined: there is no such parent or record. */
  readonly handle: (call: Call) => Answer | undefined
}

/** A list, its count and its single records. */
interface Resource {
  readonly scope: string
  readonly rows: ListRows
  /** Path and key of the list; left out: there is none. */
  readonly list?: readonly [path: string, key: string]
  /** Path, ending in `{id}`, and key of a single record; left out: there is none. */
  readonly single?: readonly [path: string, key: string]
  /** The vendor sends the list as a whole. */
  readonly whole?: boolean
  /** There is `count.json` below the list. */
  readonly counted?: boolean
  /** An answer instead of the single record. */
  readonly before?: (call: Call) => Answer | undefined
}

/** A draft order whose sums are being computed. */
function notReady(call: Call): Answer | undefined {
  const draft = findDraft(call, 'id')
  if (draft === undefined || !call.computing(draft)) return undefined
  return { status: 202, body: {}, headers: { location: `${call.base}${call.path}.json`, 'retry-after': '1' } }
}

/** The usual three: `/things`, `/things/count`, `/things/{id}`. */
function usual(path: string, one: string): Pick<Resource, 'list' | 'single' | 'counted'> {
  return { list: [path, path.slice(path.lastIndexOf('/') + 1)], single: [`${path}/{id}`, one], counted: true }
}

const resources: readonly Resource[] = [
  { ...usual('/customers', 'customer'), scope: 'read_customers', rows: lists.customers },
  { list: ['/customers/{customer_id}/addresses', 'addresses'], scope: 'read_customers', rows: lists.addresses },
  { single: ['/customers/{customer_id}/addresses/{id}', 'customer_address'], scope: 'read_customers', rows: lists.addresses },
  { ...usual('/orders', 'order'), scope: 'read_orders', rows: lists.orders },
  { ...usual('/orders/{order_id}/fulfillments', 'fulfillment'), scope: 'read_orders', rows: lists.fulfillments },
  { ...usual('/orders/{order_id}/refunds', 'refund'), counted: false, scope: 'read_orders', rows: lists.refunds },
  { ...usual('/orders/{order_id}/transactions', 'transaction'), whole: true, scope: 'read_orders', rows: lists.transactions },
  // Whatever the scopes: they decide which of them are in the list.
  { list: ['/orders/{order_id}/fulfillment_orders', 'fulfillment_orders'], whole: true, scope: '', rows: lists.fulfillmentOrders },
  { single: ['/fulfillment_orders/{id}', 'fulfillment_order'], scope: '', rows: lists.fulfillmentOrdersById },
  { list: ['/tender_transactions', 'tender_transactions'], scope: 'read_orders', rows: lists.tenderTransactions },
  { list: ['/checkouts', 'checkouts'], counted: true, scope: 'read_orders', rows: lists.checkouts },
  { ...usual('/products', 'product'), scope: 'read_products', rows: lists.products },
  { list: ['/products/{product_id}/variants', 'variants'], counted: true, scope: 'read_products', rows: lists.variants },
  { single: ['/variants/{id}', 'variant'], scope: 'read_products', rows: lists.variantById },
  { list: ['/variants', 'variants'], counted: true, scope: 'read_products', rows: lists.allShownVariants },
  { ...usual('/products/{product_id}/images', 'image'), whole: true, scope: 'read_products', rows: lists.images },
  { ...usual('/custom_collections', 'custom_collection'), scope: 'read_products', rows: lists.customCollections },
  { ...usual('/smart_collections', 'smart_collection'), scope: 'read_products', rows: lists.smartCollections },
  { ...usual('/collects', 'collect'), scope: 'read_products', rows: lists.collects },
  { ...usual('/inventory_items', 'inventory_item'), counted: false, scope: 'read_inventory', rows: lists.inventoryItems },
  { list: ['/inventory_levels', 'inventory_levels'], scope: 'read_inventory', rows: lists.levels },
  { list: ['/locations/{location_id}/inventory_levels', 'inventory_levels'], scope: 'read_inventory', rows: lists.levelsOfLocation },
  { ...usual('/locations', 'location'), scope: 'read_locations', rows: lists.locations },
  { ...usual('/price_rules', 'price_rule'), scope: 'read_price_rules', rows: lists.priceRules },
  {
    ...usual('/price_rules/{price_rule_id}/discount_codes', 'discount_code'),
    counted: false,
    scope: 'read_price_rules',
    rows: lists.discountCodes,
  },
  { ...usual('/draft_orders', 'draft_order'), before: notReady, scope: 'read_draft_orders', rows: lists.drafts },
  { ...usual('/countries', 'country'), whole: true, scope: 'read_shipping', rows: lists.countries },
  { ...usual('/events', 'event'), scope: '', rows: lists.events },
  { ...usual('/metafields', 'metafield'), scope: '', rows: lists.metafields },
  ...ownerRoutes.map((owner) => ({
    ...usual(`${owner.path}/metafields`, 'metafield'),
    scope: owner.scope,
    rows: (call: Call) => ownedRows(call, owner),
  })),
]

/** Refuses slots that hold no id. */
function withIds(handle: Route['handle']): Route['handle'] {
  return (call) => {
    const wrong = Object.entries(call.slots).find(([, value]) => readId(value) === undefined)
    return wrong ? noId(wrong[0]) : handle(call)
  }
}

function listRoutes({ list, rows, scope, whole, counted }: Resource): readonly Route[] {
  if (!list) return []
  const [path, key] = list
  const answer = whole ? answerWhole : answerPage
  const listed = (call: Call) => ({ key, rows: (query: URLSearchParams) => rows(call, query) })
  const pages: Route = { method: 'GET', path, scope, handle: withIds((call) => answer(call, listed(call))) }
  const count: Route = { method: 'GET', path: `${path}/count`, scope, handle: withIds((call) => answerCount(call, listed(call))) }
  return counted ? [pages, count] : [pages]
}

function singleRoutes({ single, rows, scope, before }: Resource): readonly Route[] {
  if (!single) return []
  const [path, key] = single
  const handle = (call: Call): Answer | undefined => {
    const instead = before?.(call)
    if (instead) return instead
    const found = rows(call, call.query)
    if (found === undefined || isAnswer(found)) return found
    const position = findRow(found, readId(call.slots['id'] ?? '') ?? -1)
    return position === undefined ? undefined : ok({ [key]: withFields(call.query, found.record(position, true)) })
  }
  return [{ method: 'GET', path, scope, handle: withIds(handle) }]
}

const shopRoute: Route = {
  method: 'GET',
  path: '/shop',
  scope: '',
  handle: ({ view, query }) => ok({ shop: withFields(query, shopRecord(view)) }),
}

/** The endpoints; literal paths stand before slots. */
export const routes: readonly Route[] = [shopRoute, ...resources.flatMap(listRoutes), ...resources.flatMap(singleRoutes)]
