import { at } from '../at.ts'
import type { Answer } from './answers.ts'
import { isAnswer, refused } from './answers.ts'
import { spentIn } from './baskets.ts'
import type { Call } from './calls.ts'
import { allVariants, productExists, shownVariants, variantChanged, variantWidth } from './catalog.ts'
import { checkoutRows } from './checkouts.ts'
import { collectionRows, collectRows, isInCollection } from './collections.ts'
import { codeList, ruleCount, ruleExists, ruleRows } from './discounts.ts'
import { draftRows } from './drafts.ts'
import { eventRows } from './events.ts'
import { noId, readId } from './filters.ts'
import { fulfillmentOrderList, fulfillmentOrderWidth } from './fulfillment-orders.ts'
import type { IdKind } from './ids.ts'
import { recordPosition } from './ids.ts'
import { locationRows } from './locations.ts'
import { orderRows } from './orders.ts'
import {
  addressRows,
  canSeeOrder,
  findCustomer,
  findOrder,
  findProduct,
  findSite,
  hiddenBefore,
  positionIn,
  shopMetafields,
} from './owners.ts'
import { transactionList } from './payments.ts'
import { customerRows } from './people.ts'
import { imageRecord, imagesOf, productRows, variantRecord, variantsOf } from './products.ts'
import { refundList } from './refunds.ts'
import type { Rows, SmallRow } from './rows.ts'
import { rowsOf } from './rows.ts'
import { fulfillmentList } from './shipments.ts'
import { countryList } from './shop.ts'
import { itemRows, levelRows } from './stock.ts'
import { tenderRows } from './tenders.ts'
import type { View } from './world.ts'
import { idIn } from './world.ts'

/** A list of records: of the store, or below a parent that the path names. */
export type ListRows = (call: Call, query: URLSearchParams) => Rows | Answer | undefined

/** The orders that the caller can see. */
const orders: ListRows = (call) => orderRows(call.view, hiddenBefore(call))

const customers: ListRows = ({ view }) => customerRows(view, (order) => spentIn(view, order))
const products: ListRows = ({ view }) => productRows(view, (product, collection) => isInCollection(view, product, collection))
const checkouts: ListRows = ({ view }) => checkoutRows(view)
const drafts: ListRows = ({ view }) => draftRows(view)
const locations: ListRows = ({ view }) => locationRows(view)
const priceRules: ListRows = ({ view }) => ruleRows(view)
const customCollections: ListRows = ({ view }) => collectionRows(view, false)
const smartCollections: ListRows = ({ view }) => collectionRows(view, true)
const collects: ListRows = ({ view }) => collectRows(view)
const tenderTransactions: ListRows = ({ view }) => tenderRows(view)
const countries: ListRows = ({ view }) => rowsOf(countryList(view))
const events: ListRows = ({ view }) => eventRows(view)
const metafields: ListRows = ({ view }) => shopMetafields(view)

/** Rows below an order. */
function ofOrder(list: (call: Call, order: number) => readonly SmallRow[]): ListRows {
  return (call) => {
    const order = findOrder(call, 'order_id')
    return order === undefined ? undefined : rowsOf(list(call, order))
  }
}

const fulfillments = ofOrder(({ view }, order) => fulfillmentList(view, order))
const refunds = ofOrder(({ view }, order) => refundList(view, order))
const fulfillmentOrders = ofOrder(({ view, scopes }, order) => fulfillmentOrderList(view, order, scopes))

/** Transactions; one alone has two fields more. */
const transactions: ListRows = (call) => {
  const order = findOrder(call, 'order_id')
  if (order === undefined) return undefined
  const rows = rowsOf(transactionList(call.view, order))
  const further = { authorization_expires_at: null, extended_authorization_attributes: {} }
  return { ...rows, record: (row, single) => ({ ...rows.record(row, single), ...(single ? further : {}) }) }
}

/** The fulfillment orders of the order to which the id in the path belongs. */
const fulfillmentOrdersById: ListRows = (call) => {
  const position = positionIn(call, 'id', 'fulfillment_orders')
  const order = Math.floor((position ?? -1) / fulfillmentOrderWidth)
  if (position === undefined || !canSeeOrder(call, order)) return undefined
  return rowsOf(fulfillmentOrderList(call.view, order, call.scopes))
}

function variantRow(view: View, variant: number): SmallRow {
  return { id: idIn(view, 'variants', variant), updated: variantChanged(view, variant), record: variantRecord(view, variant) }
}

/** The variants of a product that the API shows. */
const variants: ListRows = (call) => {
  const product = findProduct(call, 'product_id')
  return product === undefined ? undefined : rowsOf(variantsOf(call.view, product).map((variant) => variantRow(call.view, variant)))
}

/** The variant with the id in the path, also one that lists do not show. */
const variantById: ListRows = (call) => {
  const variant = positionIn(call, 'id', 'variants')
  const known = variant !== undefined && findProductOf(call, Math.floor(variant / variantWidth))
  return known ? rowsOf([variantRow(call.view, variant)]) : undefined
}

function findProductOf(call: Call, product: number): boolean {
  const slots = { product_id: String(idIn(call.view, 'products', product)) }
  return findProduct({ ...call, slots }, 'product_id') !== undefined
}

/** The variants of all products that lists show. */
const allShownVariants: ListRows = ({ view }) => {
  const positions = allVariants(view)
  const shown = (variant: number) => variant % variantWidth < shownVariants && productExists(view, Math.floor(variant / variantWidth))
  return {
    size: positions.length,
    id: (row) => idIn(view, 'variants', at(positions, row)),
    visible: (row) => shown(at(positions, row)),
    times: { updated_at: (row) => variantChanged(view, at(positions, row)) },
    record: (row) => variantRecord(view, at(positions, row)),
  }
}

/** The images of a product. */
const images: ListRows = (call) => {
  const product = findProduct(call, 'product_id')
  if (product === undefined) return undefined
  return rowsOf(
    imagesOf(call.view, product).map((image) => ({ id: idIn(call.view, 'images', image), record: imageRecord(call.view, image) })),
  )
}

/** The addresses of a customer. */
const addresses: ListRows = (call) => {
  const customer = findCustomer(call, 'customer_id')
  return customer === undefined ? undefined : addressRows(call.view, customer)
}

/** The codes of a price rule. */
const discountCodes: ListRows = (call) => {
  const rule = positionIn(call, 'price_rule_id', 'price_rules')
  const known = rule !== undefined && rule < ruleCount && ruleExists(call.view, rule)
  return known ? rowsOf(codeList(call.view, rule)) : undefined
}

/** The levels of one location. */
const levelsOfLocation: ListRows = (call) => {
  const site = findSite(call, 'location_id')
  return site === undefined ? undefined : levelRows(call.view, { sites: [site] })
}

/** Positions of the ids in a parameter; unknown ones are left out. */
function listedPositions(
  call: Call,
  asked: { query: URLSearchParams; parameter: string; kind: IdKind },
): readonly number[] | undefined | Answer {
  const text = asked.query.get(asked.parameter)
  if (!text) return undefined
  const ids = text.split(',').map((part) => readId(part.trim()))
  if (ids.length > 50) return refused(400, { [asked.parameter]: 'Invalid value.' })
  if (ids.includes(undefined)) return noId(asked.parameter)
  const positions = ids.flatMap((id) => recordPosition(call.view.seed, asked.kind, id ?? 0) ?? [])
  return positions.sort((left, right) => left - right)
}

const required = 'Required parameter missing or invalid'

/** The levels of some locations, some items, or both. */
const levels: ListRows = (call, query) => {
  const sites = listedPositions(call, { query, parameter: 'location_ids', kind: 'locations' })
  const variantsAsked = listedPositions(call, { query, parameter: 'inventory_item_ids', kind: 'inventory_items' })
  if (isAnswer(sites)) return sites
  if (isAnswer(variantsAsked)) return variantsAsked
  if (!sites && !variantsAsked) return refused(422, { inventory_item_ids: [required], location_ids: [required] })
  return levelRows(call.view, { ...(sites ? { sites } : {}), ...(variantsAsked ? { variants: variantsAsked } : {}) })
}

/** The inventory items with given ids, at most 100; a single one needs none. */
const inventoryItems: ListRows = (call, query) => {
  if ('id' in call.slots) return itemRows(call.view)
  const ids = query.get('ids')
  if (!ids) return refused(400, { ids: required })
  return ids.split(',').length > 100 ? refused(400, { ids: 'Invalid value.' }) : itemRows(call.view)
}

/** The lists of the imitated API. */
export const lists = {
  orders,
  customers,
  products,
  checkouts,
  drafts,
  locations,
  priceRules,
  customCollections,
  smartCollections,
  collects,
  tenderTransactions,
  countries,
  events,
  metafields,
  fulfillments,
  refunds,
  fulfillmentOrders,
  transactions,
  fulfillmentOrdersById,
  variants,
  variantById,
  images,
  addresses,
  discountCodes,
  levelsOfLocation,
  levels,
  inventoryItems,
  allShownVariants,
} as const
