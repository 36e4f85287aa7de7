import { at as itemAt, setEach } from '../data.ts'
import { isTracked, productFacts, skuOf, variantWidth } from './catalog.ts'
import { paymentsOf, transactionRecord } from './payments.ts'
import { type Basket, type BasketLine, basketOf, orderName, type Refunded, refundedOf, shipmentsOf, worthOf } from './plans.ts'
import { variantOptions } from './products.ts'
import { listRows, noTimes, type Rows, recordsOf } from './rows.ts'
import { townOf } from './shop.ts'
import { amount, moneySet, taxIn, taxLines } from './words.ts'
import { day, draw, exists, idIn, type JsonRecord, recordOf, shopTime, type View } from './world.ts'

interface LineState {
  readonly shipped: boolean
  /** Pieces that were given back. */
  readonly returned: number
}

/** Returns title, variant and whether they still exist. */
export function lineNames(view: View, variant: number) {
  const product = Math.floor(variant / variantWidth)
  const { title, vendor, grams } = productFacts(view, product)
  const options = variantOptions(view, variant)
  const variantTitle = options[0] === 'Default Title' ? null : options.join(' / ')
  const isThere = exists(view, 'products', product)
  return {
    title,
    variantTitle,
    vendor,
    grams,
    exists: isThere,
    productId: isThere ? idIn(view, 'products', product) : null,
    variantId: isThere ? idIn(view, 'variants', variant) : null,
  }
}

/** Returns one line of an order, a fulfillment or a refund. */
export function lineRecord(view: View, line: BasketLine, state: LineState): JsonRecord {
  const { position, variant, quantity, price, discount } = line
  const names = lineNames(view, variant)
  const left = quantity - state.returned
  return recordOf(
    view,
    { kind: 'line_items', position },
    {
      attributed_staffs: [],
      current_quantity: left,
      fulfillable_quantity: state.shipped ? 0 : left,
      fulfillment_service: 'manual',
      fulfillment_status: state.shipped ? 'fulfilled' : null,
      gift_card: false,
      grams: names.grams,
      name: names.variantTitle === null ? names.title : `${names.title} - ${names.variantTitle}`,
      price: amount(price),
      price_set: moneySet(price),
      product_exists: names.exists,
      product_id: names.productId,
      properties: position % 11 === 0 ? [{ name: 'Engraving', value: 'Für Oma' }] : [],
      quantity,
      requires_shipping: true,
      sku: skuOf(variant),
      taxable: true,
      title: names.title,
      total_discount: '0.00',
      total_discount_set: moneySet(0),
      variant_id: names.variantId,
      variant_inventory_management: isTracked(view, variant) ? 'shopify' : null,
      variant_title: names.variantTitle,
      vendor: names.vendor,
      tax_lines: taxLines(price * quantity - discount),
      duties: [],
      discount_allocations:
        discount === 0 ? [] : [{ amount: amount(discount), amount_set: moneySet(discount), discount_application_index: 0 }],
    },
  )
}

/** Returns the shipping line of an order. */
export function shippingLine(view: View, order: number, { shipping }: Basket): JsonRecord {
  const title = shipping === 0 ? 'Free Shipping' : 'Standard'
  return {
    id: idIn(view, 'shipping_lines', order),
    ...setEach(null, 'carrier_identifier phone requested_fulfillment_service_id'),
    code: title,
    discounted_price: amount(shipping),
    discounted_price_set: moneySet(shipping),
    is_removed: false,
    source: 'shopify',
    discount_allocations: [],
    price: amount(shipping),
    price_set: moneySet(shipping),
    title,
    tax_lines: taxLines(shipping),
  }
}

function refundLine(view: View, line: BasketLine, refund: { pieces: number; shipped: boolean }): JsonRecord {
  const { pieces, shipped } = refund
  const worth = worthOf(line, pieces)
  return {
    id: idIn(view, 'refund_lines', line.position),
    quantity: pieces,
    line_item_id: idIn(view, 'line_items', line.position),
    location_id: shipped ? idIn(view, 'locations', 0) : null,
    restock_type: shipped ? 'return' : 'cancel',
    subtotal: worth / 100,
    total_tax: taxIn(worth) / 100,
    subtotal_set: moneySet(worth),
    total_tax_set: moneySet(taxIn(worth)),
    line_item: lineRecord(view, line, { shipped, returned: pieces }),
  }
}

/** Returns what was given back of the shipping: the vendor returns it twice. */
function shippingParts(view: View, order: number, basket: Basket): { adjustments: readonly JsonRecord[]; lines: readonly JsonRecord[] } {
  const { shipping } = basket
  if (shipping === 0) return { adjustments: [], lines: [] }
  const adjustment = {
    id: idIn(view, 'order_adjustments', order * 2),
    order_id: idIn(view, 'orders', order),
    refund_id: idIn(view, 'refunds', order),
    amount: amount(-shipping),
    tax_amount: amount(-taxIn(shipping)),
    kind: 'shipping_refund',
    reason: 'Shipping refund',
    amount_set: moneySet(-shipping),
    tax_amount_set: moneySet(-taxIn(shipping)),
  }
  const line = {
    id: idIn(view, 'order_adjustments', order * 2 + 1),
    shipping_line_id: idIn(view, 'shipping_lines', order),
    subtotal_amount_set: moneySet(shipping),
    shipping_line: shippingLine(view, order, basket),
  }
  return { adjustments: [adjustment], lines: [line] }
}

function refundFields(view: View, order: number, refund: Refunded): JsonRecord {
  const basket = basketOf(view, order)
  const shipped = shipmentsOf(view, order, basket).length > 0
  const given = basket.lines.flatMap((line) => {
    const pieces = refund.pieces.get(line.position)
    return pieces === undefined ? [] : [refundLine(view, line, { pieces, shipped })]
  })
  const shipping = refund.full ? shippingParts(view, order, basket) : { adjustments: [], lines: [] }
  return {
    order_id: idIn(view, 'orders', order),
    created_at: shopTime(refund.at),
    note: draw(view, 3, 'refund note', order) === 0 ? 'Beschädigt angekommen' : null,
    user_id: draw(view, 2, 'refund user', order) === 0 ? null : 98_765_432_101,
    processed_at: shopTime(refund.at),
    duties: [],
    return: null,
    additional_fees: [],
    total_duties_set: moneySet(0),
    restock: shipped,
    total_additional_fees_set: moneySet(0),
    refund_shipping_lines: shipping.lines,
    order_adjustments: shipping.adjustments,
    refund_line_items: given,
    transactions: paymentsOf(view, order, basket)
      .filter(({ kind }) => kind === 'refund')
      .map((payment) => transactionRecord(view, order, payment)),
  }
}

/** Returns the refunds of an order: none or one. */
export function refundRows(view: View, order: number): Rows {
  const refund = refundedOf(view, order, basketOf(view, order))
  return listRows(view, {
    kind: 'refunds',
    positions: refund ? [order] : [],
    times: { ...noTimes, created_at: () => refund?.at },
    fields: () => (refund ? refundFields(view, order, refund) : {}),
  })
}

/** Returns the refunds as they are inside an order, where two fields are left out. */
export const embeddedRefunds = (view: View, order: number): readonly JsonRecord[] =>
  recordsOf(refundRows(view, order)).map(({ return: _, refund_shipping_lines: __, ...record }) => record)

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

/** Returns the fulfillments of an order until now. */
export function fulfillmentRows(view: View, order: number): Rows {
  const shipments = shipmentsOf(view, order, basketOf(view, order))
  const refund = refundedOf(view, order, basketOf(view, order))
  const first = order * fulfillmentWidth
  const parts = (position: number) => {
    const shipment = itemAt(shipments, position - first)
    const parcel = tracking(view, order, position - first)
    return { ...shipment, parcel, ...progressOf(view, shipment, parcel['tracking_number'] !== null) }
  }
  return listRows(view, {
    kind: 'fulfillments',
    positions: { from: first, to: first + shipments.length },
    times: { created_at: (position) => parts(position).at, updated_at: (position) => parts(position).changed },
    fields(position) {
      const { at, lines, parcel, status, changed } = parts(position)
      const { city, zip, country_code } = townOf(position - first)
      return {
        order_id: idIn(view, 'orders', order),
        status: 'success',
        service: 'manual',
        receipt: {},
        created_at: shopTime(at),
        updated_at: shopTime(changed),
        shipment_status: status,
        location_id: idIn(view, 'locations', position - first),
        origin_address: order % 6 === 0 ? { city, zip, country_code } : null,
        line_items: lines.map((line) => lineRecord(view, line, { shipped: true, returned: refund?.pieces.get(line.position) ?? 0 })),
        ...parcel,
        name: `${orderName(order)}.${position - first + 1}`,
      }
    },
  })
}

/** Returns the fulfillments as they are inside an order. */
export const embeddedFulfillments = (view: View, order: number): readonly JsonRecord[] =>
  recordsOf(fulfillmentRows(view, order)).map((record) => ({ ...record, origin_address: record['origin_address'] ?? {} }))
