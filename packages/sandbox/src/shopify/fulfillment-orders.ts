import { at, setEach } from '../data.ts'
import { personOf } from './people.ts'
import { type BasketLine, basketOf, fulfillmentStatus, orderChanged, orderName, past, planOf } from './plans.ts'
import { listRows, noTimes, type Rows } from './rows.ts'
import { ownServiceSite, placeOf, shopId, sites } from './shop.ts'
import { day, idIn, type JsonRecord, shopTime, shopTimeOrNull, type View } from './world.ts'

/** Fulfillment orders per order at most. */
export const fulfillmentOrderWidth = 2

/** Position of the fulfillment service of another app. */
const foreignServiceSite = 7

/** What a scope lets see: the fulfillment orders of some locations. */
const fulfillmentScopes: Readonly<Record<string, (site: number) => boolean>> = {
  read_merchant_managed_fulfillment_orders: (site) => !at(sites, site).legacy,
  read_third_party_fulfillment_orders: (site) => at(sites, site).legacy,
  read_assigned_fulfillment_orders: (site) => site === ownServiceSite,
}

/** One part of an order and the location that ships it. */
interface Shipment {
  readonly index: number
  readonly site: number
  readonly lines: readonly BasketLine[]
}

function partsOf(view: View, order: number): readonly Shipment[] {
  const { lines } = basketOf(view, order)
  if (lines.length < 2 || order % 5 !== 0) return [{ index: 0, site: order % 2, lines }]
  const service = order % 10 === 0 ? foreignServiceSite : ownServiceSite
  return [
    { index: 0, site: 0, lines: lines.slice(0, 1) },
    { index: 1, site: service, lines: lines.slice(1) },
  ]
}

interface Progress {
  readonly status: string
  readonly request: string
  readonly actions: readonly string[]
}

const closed: Progress = { status: 'closed', request: 'unsubmitted', actions: [] }

function progressOf(view: View, order: number, { index, site }: Shipment): Progress {
  const shipped = fulfillmentStatus(view, order)
  if (past(view, planOf(view, order).cancelled) !== undefined) return { ...closed, status: 'cancelled' }
  if (shipped === 'fulfilled') return at(sites, site).legacy ? { ...closed, request: 'closed' } : closed
  if (shipped === 'partial')
    return index === 0 ? { status: 'in_progress', request: 'unsubmitted', actions: ['create_fulfillment'] } : open(site)
  if (order % 13 === 4) return { status: 'on_hold', request: 'unsubmitted', actions: ['release_hold'] }
  if (order % 17 === 6) return { status: 'scheduled', request: 'unsubmitted', actions: ['mark_as_open'] }
  return open(site)
}

function open(site: number): Progress {
  if (at(sites, site).legacy) return { status: 'open', request: 'submitted', actions: ['cancel_fulfillment_order'] }
  return { status: 'open', request: 'unsubmitted', actions: ['create_fulfillment', 'move', 'hold'] }
}

function destination(view: View, order: number): JsonRecord {
  const { first, last, email, phone, street, company, place } = personOf(view, 'receiver', order)
  return {
    id: idIn(view, 'fulfillment_orders', order * fulfillmentOrderWidth) + 7,
    address1: street,
    address2: '',
    city: place.city,
    company,
    country: place.country,
    email,
    first_name: first,
    last_name: last,
    phone,
    province: place.province,
    zip: place.zip,
  }
}

function assignedLocation(view: View, site: number): JsonRecord {
  const { name, street, legacy } = at(sites, site)
  const place = placeOf(site)
  return {
    address1: street,
    ...setEach(null, 'address2 phone'),
    city: legacy ? null : place.city,
    country_code: place.country_code,
    location_id: idIn(view, 'locations', site),
    name,
    province: legacy ? null : place.province,
    zip: legacy ? null : place.zip,
  }
}

function lineItems(view: View, fulfillmentOrder: number, { lines, done }: Shipment & { readonly done: boolean }): readonly JsonRecord[] {
  return lines.map((line) => ({
    id: idIn(view, 'fulfillment_order_lines', line.position),
    shop_id: shopId(view),
    fulfillment_order_id: fulfillmentOrder,
    quantity: line.quantity,
    line_item_id: idIn(view, 'line_items', line.position),
    inventory_item_id: idIn(view, 'inventory_items', line.variant),
    fulfillable_quantity: done ? 0 : line.quantity,
    variant_id: idIn(view, 'variants', line.variant),
  }))
}

function fields(view: View, order: number, part: Shipment): JsonRecord {
  const { created } = planOf(view, order)
  const progress = progressOf(view, order, part)
  const id = idIn(view, 'fulfillment_orders', order * fulfillmentOrderWidth + part.index)
  return {
    created_at: shopTime(created),
    updated_at: shopTime(orderChanged(view, order)),
    shop_id: shopId(view),
    order_id: idIn(view, 'orders', order),
    assigned_location_id: idIn(view, 'locations', part.site),
    request_status: progress.request,
    status: progress.status,
    fulfill_at: shopTimeOrNull(progress.status === 'scheduled' ? created + 30 * day : undefined),
    fulfill_by: null,
    supported_actions: progress.actions,
    destination: order % 25 === 11 ? null : destination(view, order),
    line_items: lineItems(view, id, { ...part, done: progress.status === 'closed' || progress.status === 'cancelled' }),
    international_duties: order % 7 === 0 ? { incoterm: 'DAP' } : null,
    fulfillment_holds:
      progress.status === 'on_hold' ? [{ reason: 'inventory_out_of_stock', reason_notes: `Waiting for ${orderName(order)}` }] : [],
    delivery_method: order % 9 === 0 ? null : deliveryMethod(id),
    assigned_location: assignedLocation(view, part.site),
    merchant_requests: [],
  }
}

function deliveryMethod(id: number): JsonRecord {
  return {
    id: id + 3,
    method_type: 'shipping',
    ...setEach(null, 'min_delivery_date_time max_delivery_date_time additional_information branded_promise source_reference'),
    service_code: 'Standard',
    presented_name: 'Standard',
  }
}

/** Returns the fulfillment orders of an order that some scopes let see. */
export function fulfillmentOrderRows(view: View, order: number, scopes: ReadonlySet<string>): Rows {
  const allowed = Object.entries(fulfillmentScopes).flatMap(([scope, sees]) => (scopes.has(scope) ? [sees] : []))
  const parts = partsOf(view, order)
  const first = order * fulfillmentOrderWidth
  const seen = parts.filter(({ site }) => allowed.some((sees) => sees(site)))
  return listRows(view, {
    kind: 'fulfillment_orders',
    positions: seen.map(({ index }) => first + index),
    times: noTimes,
    fields: (position) => fields(view, order, at(parts, position - first)),
  })
}
