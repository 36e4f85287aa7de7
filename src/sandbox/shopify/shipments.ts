import type { BasketLine } from './baskets.ts'
import { basketOf, refundedOf, shipmentsOf } from './baskets.ts'
import { gid } from './ids.ts'
import { placeOf } from './locations.ts'
import { orderName } from './order-facts.ts'
import { lineRecord } from './order-lines.ts'
import type { SmallRow } from './rows.ts'
import { day, shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { draw, idIn } from './world.ts'

/** Fulfillments per order at most. */
const fulfillmentWidth = 2

const carriers = [
  { name: 'DHL', url: 'https://tracking.example.test/dhl/' },
  { name: 'DPD', url: 'https://tracking.example.test/dpd/' },
  { name: null, url: null },
] as const

interface Shipment {
  readonly at: number
  readonly lines: readonly BasketLine[]
}

/** Progress of a parcel and when it was last changed. */
function progressOf(view: View, { at }: Shipment, tracked: boolean): { readonly status: string | null; readonly changed: number } {
  if (!tracked) return { status: null, changed: at }
  const delivered = at + 3 * day
  const travelling = at + day / 2
  if (delivered <= view.now) return { status: 'delivered', changed: delivered }
  return travelling <= view.now ? { status: 'in_transit', changed: travelling } : { status: 'confirmed', changed: at }
}

function tracking(view: View, order: number, index: number): JsonRecord {
  const carrier = carriers[draw(view, carriers.length, 'carrier', order, index)] ?? carriers[0]
  const number = carrier.name === null ? null : `00340${draw(view, 900_000_000, 'parcel', order, index) + 100_000_000}`
  const url = number === null ? null : `${carrier.url}${number}`
  return {
    tracking_company: carrier.name,
    tracking_number: number,
    tracking_numbers: number === null ? [] : [number],
    tracking_url: url,
    tracking_urls: url === null ? [] : [url],
  }
}

function shipmentRow(view: View, order: number, shipment: Shipment & { readonly index: number }): SmallRow {
  const { index, at, lines } = shipment
  const refund = refundedOf(view, order, basketOf(view, order))
  const id = idIn(view, 'fulfillments', order * fulfillmentWidth + index)
  const parcel = tracking(view, order, index)
  const progress = progressOf(view, shipment, parcel['tracking_number'] !== null)
  const place = placeOf(index)
  const record = {
    id,
    order_id: idIn(view, 'orders', order),
    status: 'success',
    created_at: shopTime(at),
    service: 'manual',
    updated_at: shopTime(progress.changed),
    shipment_status: progress.status,
    location_id: idIn(view, 'locations', index),
    origin_address: order % 6 === 0 ? { city: place.city, zip: place.zip, country_code: place.country_code } : null,
    line_items: lines.map((line) => lineRecord(view, line, { shipped: true, returned: refund?.pieces.get(line.position) ?? 0 })),
    ...parcel,
    receipt: {},
    name: `${orderName(order)}.${index + 1}`,
    admin_graphql_api_id: gid('Fulfillment', id),
  }
  return { id, created: at, updated: progress.changed, record }
}

/** The fulfillments of an order until now. */
export function fulfillmentList(view: View, order: number): readonly SmallRow[] {
  return shipmentsOf(view, order, basketOf(view, order)).map((shipment, index) => shipmentRow(view, order, { ...shipment, index }))
}

/** The fulfillments as they are inside an order. */
export function embeddedFulfillments(view: View, order: number): readonly JsonRecord[] {
  return fulfillmentList(view, order).map(({ record }) => ({ ...record, origin_address: record['origin_address'] ?? {} }))
}
