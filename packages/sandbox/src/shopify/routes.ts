import { at, seal, unseal } from '../data.ts'
import { isObject, type RoutePattern } from '../http.ts'
import { type Answer, notFound, ok, okList, pageNumber, Refusal, withCursor } from './answers.ts'
import type { Call } from './call.ts'
import { allVariants, itemRows, levelRows, productCount, productFacts, shownVariants, variantWidth } from './catalog.ts'
import { checkoutRows } from './checkouts.ts'
import { collectionCount, collectionRows, collectRows } from './collections.ts'
import { codeRows, codeText, ruleCount, ruleRows } from './discounts.ts'
import { draftRows } from './drafts.ts'
import { fulfillmentRows, refundRows } from './order-parts.ts'
import { fulfillmentOrderRows, fulfillmentOrderWidth, orderRows } from './orders.ts'
import { canSeeOrder, findParent, hiddenBefore, ownedRows, ownerRoutes, positionIn, shopMetafields } from './owners.ts'
import { tenderRows, transactionRows } from './payments.ts'
import { addressRows, customerRows } from './people.ts'
import { orderName } from './plans.ts'
import { imageRows, productRows, variantRows, variantsOf } from './products.ts'
import {
  comparePositions,
  equals,
  findRow,
  invalid,
  noId,
  type Rows,
  readId,
  readIds,
  type Sort,
  type SortPosition,
  sortedPositions,
  sortOf,
  sortValue,
  testsOf,
} from './rows.ts'
import { countryRows, locationRows, shopRecord } from './shop.ts'
import {
  day,
  destroyedAt,
  endingPositions,
  exists,
  type IdKind,
  idIn,
  type JsonRecord,
  ordersUntil,
  recordPosition,
  shopTime,
  type View,
} from './world.ts'

/** How long the vendor keeps events. */
const eventLife = 365 * day

interface Subject {
  readonly kind: IdKind
  readonly type: string
  readonly size: (view: View) => number
  readonly name: (view: View, position: number) => string
}

const subjects: readonly Subject[] = [
  { kind: 'orders', type: 'Order', size: (view) => ordersUntil(view.seed, view.now), name: (_, order) => orderName(order) },
  { kind: 'products', type: 'Product', size: () => productCount, name: (view, product) => productFacts(view, product).title },
  { kind: 'collections', type: 'Collection', size: () => collectionCount, name: (_, collection) => `Collection ${collection + 1}` },
  { kind: 'price_rules', type: 'PriceRule', size: () => ruleCount, name: (view, rule) => codeText(view, rule, 0) },
]

/** Returns what was destroyed within a year: orders, products, collections, price rules. Other events are not imitated. */
function eventRows(view: View): Rows {
  const ended = subjects.flatMap(({ kind, type, size, name }) =>
    endingPositions(view, kind, size(view)).flatMap((position) => {
      const end = destroyedAt(view, { kind, position })
      if (end === undefined || end < view.now - eventLife) return []
      const id = 160_000_000_000_000 + Math.floor(end / 1000) * 1000 + (position % 1000)
      return [{ id, end, type, subject: idIn(view, kind, position), name: name(view, position) }]
    }),
  )
  const list = ended.toSorted((left, right) => left.id - right.id)
  const verb = 'destroy'
  return {
    size: list.length,
    id: (row) => at(list, row).id,
    times: { created_at: (row) => at(list, row).end, updated_at: () => undefined },
    filters: { filter: { ...equals((row) => at(list, row).type), several: true }, verb: equals(() => verb) },
    record(row) {
      const { id, end, type, subject, name } = at(list, row)
      const message = `${type} was deleted: ${name}.`
      return {
        id,
        subject_id: subject,
        subject_type: type,
        created_at: shopTime(end),
        verb,
        arguments: [name],
        message,
        description: message,
        author: 'Ida Berg',
        body: null,
        path: null,
      }
    },
  }
}

/** One endpoint of the imitated API; its path is that below the version, without `.json`. */
export interface Route extends RoutePattern {
  /** What a token must allow; empty for nothing. */
  readonly scope: string
  readonly handle: (call: Call) => Answer
}

interface Resource {
  readonly scope: string
  readonly rows: (call: Call, query: URLSearchParams) => Rows
  /** Path and key of the list; without it, the API has no list. */
  readonly list?: readonly [path: string, key: string]
  /** Path, ending in `{id}`, and key of a single record; without it, the API has no single record. */
  readonly single?: readonly [path: string, key: string]
  /** The vendor sends the list as a whole. */
  readonly whole?: boolean
  /** There is `count.json` below the list. */
  readonly counted?: boolean
  /** An answer instead of the single record. */
  readonly before?: (call: Call) => Answer | undefined
}

function notReady(call: Call): Answer | undefined {
  if (!call.computing(findParent(call, 'id', 'draft_orders'))) return undefined
  return { status: 202, body: {}, headers: { location: `${call.base}${call.path}.json`, 'retry-after': '1' } }
}

function fulfillmentOrdersById(call: Call): Rows {
  const order = Math.floor(positionIn(call, 'id', 'fulfillment_orders') / fulfillmentOrderWidth)
  if (!canSeeOrder(call, order)) throw notFound
  return fulfillmentOrderRows(call.view, order, call.scopes)
}

const variantById = (call: Call): Rows => variantRows(call.view, [findParent(call, 'id', 'variants')])

function allShownVariants({ view }: Call): Rows {
  const shown = (variant: number) => variant % variantWidth < shownVariants && exists(view, 'products', Math.floor(variant / variantWidth))
  return variantRows(view, allVariants(view), shown)
}

/** Positions of the ids in a parameter; unknown ones are left out. */
function listedPositions(call: Call, query: URLSearchParams, [parameter, kind]: readonly [string, IdKind]): readonly number[] | undefined {
  const text = query.get(parameter)
  if (!text) return undefined
  if (text.split(',').length > 50) throw invalid(parameter)
  const positions = readIds(parameter, text).flatMap((id) => recordPosition(call.view.seed, kind, id) ?? [])
  return positions.sort((left, right) => left - right)
}

const required = 'Required parameter missing or invalid'

function levels(call: Call, query: URLSearchParams): Rows {
  const sites = listedPositions(call, query, ['location_ids', 'locations'])
  const variants = listedPositions(call, query, ['inventory_item_ids', 'inventory_items'])
  if (!sites && !variants) throw new Refusal(422, { inventory_item_ids: [required], location_ids: [required] })
  return levelRows(call.view, { ...(sites ? { sites } : {}), ...(variants ? { variants } : {}) })
}

/** The inventory items with given ids, at most 100; a single one needs none. */
function inventoryItems(call: Call, query: URLSearchParams): Rows {
  const ids = query.get('ids')
  if (!('id' in call.slots) && !ids) throw new Refusal(400, { ids: required })
  if (!('id' in call.slots) && ids && ids.split(',').length > 100) throw invalid('ids')
  return itemRows(call.view)
}

/** The usual three: `/things`, `/things/count`, `/things/{id}`. */
const usual = (path: string, one: string): Pick<Resource, 'list' | 'single' | 'counted'> => ({
  list: [path, path.slice(path.lastIndexOf('/') + 1)],
  single: [`${path}/{id}`, one],
  counted: true,
})

const customers = { scope: 'read_customers' }
const orders = { scope: 'read_orders' }
const products = { scope: 'read_products' }
const inventory = { scope: 'read_inventory' }
const rules = { scope: 'read_price_rules' }
const parentOrder = (call: Call) => findParent(call, 'order_id', 'orders')
const addresses = (call: Call) => addressRows(call.view, findParent(call, 'customer_id', 'customers'))
const parentProduct = (call: Call) => findParent(call, 'product_id', 'products')
const codes = (call: Call) => codeRows(call.view, findParent(call, 'price_rule_id', 'price_rules'))
const levelsOfLocation = (call: Call) => levelRows(call.view, { sites: [findParent(call, 'location_id', 'locations')] })

const resources: readonly Resource[] = [
  { ...usual('/customers', 'customer'), ...customers, rows: ({ view }) => customerRows(view) },
  { list: ['/customers/{customer_id}/addresses', 'addresses'], ...customers, rows: addresses },
  { single: ['/customers/{customer_id}/addresses/{id}', 'customer_address'], ...customers, rows: addresses },
  { ...usual('/orders', 'order'), ...orders, rows: (call) => orderRows(call.view, hiddenBefore(call)) },
  { ...usual('/orders/{order_id}/fulfillments', 'fulfillment'), ...orders, rows: (call) => fulfillmentRows(call.view, parentOrder(call)) },
  { ...usual('/orders/{order_id}/refunds', 'refund'), counted: false, ...orders, rows: (call) => refundRows(call.view, parentOrder(call)) },
  {
    ...usual('/orders/{order_id}/transactions', 'transaction'),
    whole: true,
    ...orders,
    rows: (call) => transactionRows(call.view, parentOrder(call)),
  },
  {
    // Whatever the scopes: they decide which of them are in the list.
    list: ['/orders/{order_id}/fulfillment_orders', 'fulfillment_orders'],
    whole: true,
    scope: '',
    rows: (call) => fulfillmentOrderRows(call.view, parentOrder(call), call.scopes),
  },
  { single: ['/fulfillment_orders/{id}', 'fulfillment_order'], scope: '', rows: fulfillmentOrdersById },
  { list: ['/tender_transactions', 'tender_transactions'], ...orders, rows: ({ view }) => tenderRows(view) },
  { list: ['/checkouts', 'checkouts'], counted: true, ...orders, rows: ({ view }) => checkoutRows(view) },
  { ...usual('/products', 'product'), ...products, rows: ({ view }) => productRows(view) },
  {
    list: ['/products/{product_id}/variants', 'variants'],
    counted: true,
    ...products,
    rows: (call) => variantRows(call.view, variantsOf(call.view, parentProduct(call))),
  },
  { single: ['/variants/{id}', 'variant'], ...products, rows: variantById },
  { list: ['/variants', 'variants'], counted: true, ...products, rows: allShownVariants },
  {
    ...usual('/products/{product_id}/images', 'image'),
    whole: true,
    ...products,
    rows: (call) => imageRows(call.view, parentProduct(call)),
  },
  { ...usual('/custom_collections', 'custom_collection'), ...products, rows: ({ view }) => collectionRows(view, false) },
  { ...usual('/smart_collections', 'smart_collection'), ...products, rows: ({ view }) => collectionRows(view, true) },
  { ...usual('/collects', 'collect'), ...products, rows: ({ view }) => collectRows(view) },
  { ...usual('/inventory_items', 'inventory_item'), counted: false, ...inventory, rows: inventoryItems },
  { list: ['/inventory_levels', 'inventory_levels'], ...inventory, rows: levels },
  { list: ['/locations/{location_id}/inventory_levels', 'inventory_levels'], ...inventory, rows: levelsOfLocation },
  { ...usual('/locations', 'location'), scope: 'read_locations', rows: ({ view }) => locationRows(view) },
  { ...usual('/price_rules', 'price_rule'), ...rules, rows: ({ view }) => ruleRows(view) },
  { ...usual('/price_rules/{price_rule_id}/discount_codes', 'discount_code'), counted: false, ...rules, rows: codes },
  { ...usual('/draft_orders', 'draft_order'), before: notReady, scope: 'read_draft_orders', rows: ({ view }) => draftRows(view) },
  { ...usual('/countries', 'country'), whole: true, scope: 'read_shipping', rows: ({ view }) => countryRows(view) },
  { ...usual('/events', 'event'), scope: '', rows: ({ view }) => eventRows(view) },
  { ...usual('/metafields', 'metafield'), scope: '', rows: ({ view }) => shopMetafields(view) },
  ...ownerRoutes.flatMap((owner) => {
    const { scope, kind, resource, paths = [`/${kind}/{${resource}_id}`] } = owner
    return paths.map((path) => ({ ...usual(`${path}/metafields`, 'metafield'), scope, rows: (call: Call) => ownedRows(call, owner) }))
  }),
]

const withIds =
  (handle: Route['handle']): Route['handle'] =>
  (call) => {
    const wrong = Object.entries(call.slots).find(([, value]) => readId(value) === undefined)
    if (wrong) throw noId(wrong[0])
    return handle(call)
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
  const handle = (call: Call): Answer => {
    const instead = before?.(call)
    if (instead) return instead
    const found = rows(call, call.query)
    const position = findRow(found, readId(call.slots['id'] ?? '') ?? -1)
    if (position === undefined) throw notFound
    return ok({ [key]: withFields(call.query, found.record(position, true)) })
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

/** Records per page at most, and when nothing is asked for. */
const largestPage = 250
const usualPage = 50

/** Parameters that may accompany a cursor. */
const besideCursor = ['page_info', 'limit', 'fields']

/** Parameters that a cursor does not keep: they are said again for each page. */
const perPage = ['limit', 'fields', 'page_info']

/** What a `page_info` holds. */
interface Cursor extends SortPosition {
  readonly path: string
  /** The filters of the first request. */
  readonly query: string
  readonly towards: 'next' | 'previous'
  readonly expires: number
}

const isCursor = (value: unknown): value is Cursor =>
  isObject(value) && typeof value['query'] === 'string' && typeof value['expires'] === 'number'

function readCursor(call: Call): Cursor | undefined {
  const text = call.query.get('page_info')
  if (text === null) return undefined
  const beside = [...call.query.keys()].find((parameter) => !besideCursor.includes(parameter))
  if (beside !== undefined) throw withCursor(beside)
  const cursor = unseal(call.secret, text)
  const good = isCursor(cursor) && cursor.path === call.path && cursor.expires > call.view.now && !call.take('expired-cursor')
  if (!good) throw invalid('page_info')
  return cursor
}

function readLimit(query: URLSearchParams): number {
  const text = query.get('limit')
  if (text === null || text === '') return usualPage
  const limit = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (limit > largestPage) throw new Refusal(400, `Limit exceeds maximum limit of ${largestPage}`)
  if (Number.isNaN(limit)) throw new Refusal(400, { limit: 'expected String to be a Integer' })
  if (limit < 1) throw new Refusal(400, { limit: 'must be greater than or equal to 1' })
  return limit
}

function fieldsOf(query: URLSearchParams): ReadonlySet<string> | undefined {
  const fields = (query.get('fields') ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  return fields.length === 0 ? undefined : new Set(fields)
}

function withFields(query: URLSearchParams, record: JsonRecord): JsonRecord {
  const fields = fieldsOf(query)
  return fields ? Object.fromEntries(Object.entries(record).filter(([field]) => fields.has(field))) : record
}

function* recordsAt(call: Call, rows: Rows, positions: readonly number[]): Generator<JsonRecord> {
  for (const position of positions) yield withFields(call.query, rows.record(position, false))
}

interface CutPage {
  readonly positions: readonly number[]
  readonly before: boolean
  readonly after: boolean
}

/** Cuts a page out of a sorted list: from its start, or beside the row of the cursor. */
function cutPage(
  all: readonly number[],
  limit: number,
  beside: { cursor: Cursor | undefined; past(position: number, cursor: Cursor): boolean },
): CutPage {
  const { cursor, past } = beside
  let from = 0
  if (cursor) {
    const next = all.findIndex((position) => past(position, cursor))
    const following = next < 0 ? all.length : next
    from = cursor.towards === 'next' ? following : Math.max(following - limit, 0)
    if (cursor.towards === 'previous') return { positions: all.slice(from, following), before: from > 0, after: following < all.length }
  }
  const positions = all.slice(from, from + limit)
  return { positions, before: from > 0, after: from + limit < all.length }
}

/** Returns a test for the row of a cursor, or behind it where the cursor leads on. */
const isPast =
  (rows: Rows, sort: Sort) =>
  (position: number, cursor: Cursor): boolean => {
    const order = comparePositions({ value: sortValue(rows, sort, position), id: rows.id(position) }, cursor, sort)
    return cursor.towards === 'next' ? order > 0 : order >= 0
  }

interface Linked {
  readonly rows: Rows
  readonly sort: Sort
  readonly page: CutPage
  readonly query: string
  readonly limit: number
}

function linkHeader(call: Call, { rows, sort, page, query, limit }: Linked): Readonly<Record<string, string>> {
  const { cursorSeconds, linkForm } = call.switches
  const fields = call.query.get('fields')
  const again = call.query.get('page_info')
  const makeUrl = (towards: Cursor['towards'], position: number): string => {
    const expires = call.view.now + cursorSeconds * 1000
    const cursor: Cursor = { path: call.path, query, towards, value: sortValue(rows, sort, position), id: rows.id(position), expires }
    const repeats = towards === 'next' && again !== null && call.take('same-cursor')
    const parameters = new URLSearchParams({ limit: String(limit), ...(fields === null ? {} : { fields }) })
    parameters.set('page_info', repeats ? again : seal(call.secret, cursor))
    return `${call.base}${call.path}.json?${parameters}`
  }
  const { positions, before, after } = page
  const [first, last] = [positions[0], positions.at(-1)]
  const links = [
    ...(before && first !== undefined ? [{ rel: 'previous', url: makeUrl('previous', first) }] : []),
    ...(after && last !== undefined ? [{ rel: 'next', url: makeUrl('next', last) }] : []),
  ]
  if (links.length === 0) return {}
  if (linkForm === 'bare')
    return {
      link: links
        .map(({ rel, url }) => `<${url}>;rel=${rel}`)
        .reverse()
        .join(','),
    }
  return { link: links.map(({ rel, url }) => `<${url}>; rel="${rel}"`).join(', ') }
}

interface ListedPage {
  readonly key: string
  rows(query: URLSearchParams): Rows
}

function answerPage(call: Call, listed: ListedPage): Answer {
  if (call.query.has('page')) throw pageNumber
  const cursor = readCursor(call)
  const limit = readLimit(call.query)
  const query = new URLSearchParams(cursor ? cursor.query : [...call.query].filter(([parameter]) => !perPage.includes(parameter)))
  const rows = listed.rows(query)
  const sort = sortOf(rows, query)
  const page = cutPage(sortedPositions(rows, testsOf(rows, query), sort), limit, { cursor, past: isPast(rows, sort) })
  const links = linkHeader(call, { rows, sort, page, query: String(query), limit })
  return okList(listed.key, recordsAt(call, rows, page.positions), links)
}

function answerWhole(call: Call, { key, rows: listed }: ListedPage): Answer {
  const rows = listed(call.query)
  const positions = sortedPositions(rows, testsOf(rows, call.query), sortOf(rows, call.query))
  return okList(key, recordsAt(call, rows, positions))
}

function answerCount(call: Call, { rows: listed }: ListedPage): Answer {
  const rows = listed(call.query)
  return ok({ count: sortedPositions(rows, testsOf(rows, call.query), { field: 'id', descending: false }).length })
}
