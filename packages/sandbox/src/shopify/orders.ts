import { at, setEach } from '../data.ts'
import { codeText } from './discounts.ts'
import { embeddedFulfillments, embeddedRefunds, lineRecord, shippingLine } from './order-parts.ts'
import { gatewayOf } from './payments.ts'
import { briefCustomer, customerOf, orderAddress, personOf } from './people.ts'
import {
  type Basket,
  type BasketLine,
  basketOf,
  comesFromDraft,
  financialStatus,
  fulfillmentStatus,
  orderChanged,
  orderName,
  past,
  planOf,
  refundedOf,
  shipmentsOf,
  spentIn,
} from './plans.ts'
import { equals, listRows, noTimes, type Rows } from './rows.ts'
import { ownServiceSite, shopId, sites, townOf } from './shop.ts'
import { amount, currency, moneySet, notes, taxIn, taxLines } from './words.ts'
import { day, draw, exists, hexText, idIn, type JsonRecord, ordersUntil, shopTime, shopTimeOrNull, type View } from './world.ts'

const cancelReasons = ['customer', 'fraud', 'inventory', 'declined', 'other'] as const

function sums(named: Readonly<Record<string, number>>): JsonRecord {
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, cents]) => [
      [name, amount(cents)],
      [`${name}_set`, moneySet(cents)],
    ]),
  )
}

function sumsOf(view: View, order: number, basket: Basket): JsonRecord {
  const { listed, discount, shipping, total, grams } = basket
  const back = refundedOf(view, order, basket)
  const left = total - (back?.amount ?? 0)
  const keptDiscount = back?.full ? 0 : discount
  const subtotal = listed - discount
  return {
    ...sums({
      current_subtotal_price: back?.full ? 0 : subtotal - (back?.amount ?? 0),
      current_total_discounts: keptDiscount,
      current_total_price: left,
      current_total_tax: taxIn(left),
      subtotal_price: subtotal,
      total_discounts: discount,
      total_line_items_price: listed,
      total_price: total,
      total_tax: taxIn(total),
    }),
    ...setEach(null, 'current_total_additional_fees_set current_total_duties_set original_total_additional_fees_set'),
    ...setEach(null, 'original_total_duties_set'),
    total_cash_rounding_payment_adjustment_set: moneySet(0),
    total_cash_rounding_refund_adjustment_set: moneySet(0),
    total_outstanding: amount(Math.max(left - spentIn(view, order), 0)),
    total_shipping_price_set: moneySet(shipping),
    total_tip_received: '0.00',
    total_weight: grams,
    tax_lines: taxLines(total),
  }
}

function discountsOf(view: View, { rule, discount }: Basket): JsonRecord {
  if (rule === undefined) return { discount_codes: [], discount_applications: [] }
  const code = codeText(view, rule, 0)
  return {
    discount_codes: [{ code, amount: amount(discount), type: 'percentage' }],
    discount_applications: [
      {
        target_type: 'line_item',
        type: 'discount_code',
        value: '10.0',
        value_type: 'percentage',
        allocation_method: 'across',
        target_selection: 'all',
        code,
      },
    ],
  }
}

function buyerOf(view: View, order: number): JsonRecord {
  const customer = customerOf(view.seed, order)
  if (customer === undefined) {
    return {
      ...setEach(null, 'customer contact_email phone billing_address shipping_address customer_locale'),
      email: '',
    }
  }
  const { email, phone } = personOf(view, customer)
  return {
    customer: briefCustomer(view, customer),
    email,
    contact_email: email,
    phone: order % 8 === 0 ? phone : null,
    billing_address: orderAddress(personOf(view, customer)),
    shipping_address: orderAddress(personOf(view, 'receiver', order)),
    customer_locale: order % 3 === 0 ? 'de-DE' : 'en',
  }
}

function originOf(view: View, order: number): JsonRecord {
  const atTill = customerOf(view.seed, order) === undefined
  const draft = !atTill && comesFromDraft(view, order)
  return {
    app_id: atTill ? 129_785 : 580_111,
    browser_ip: atTill ? null : `192.0.2.${order % 250}`,
    buyer_accepts_marketing: draw(view, 3, 'marketing', order) === 0,
    cart_token: atTill ? null : hexText(view, 32, 'cart', order),
    checkout_id: atTill ? null : idIn(view, 'checkouts', 400_000 + order),
    checkout_token: atTill ? null : hexText(view, 32, 'checkout', order),
    client_details: atTill
      ? null
      : {
          accept_language: 'de-DE',
          browser_height: null,
          browser_ip: `192.0.2.${order % 250}`,
          browser_width: null,
          session_hash: null,
          user_agent: 'Mozilla/5.0',
        },
    device_id: atTill ? 3 : null,
    landing_site: atTill || draft ? null : '/?utm_source=newsletter',
    ...setEach(null, 'landing_site_ref source_identifier source_url'),
    location_id: atTill ? idIn(view, 'locations', 2) : null,
    referring_site: atTill || draft ? null : 'https://search.example.test/',
    source_name: atTill ? 'pos' : draft ? 'shopify_draft_order' : 'web',
    user_id: atTill ? 98_765_432_101 : null,
  }
}

function datesOf(view: View, order: number): JsonRecord {
  const { created, cancelled, closed } = planOf(view, order)
  const ended = past(view, cancelled)
  return {
    cancel_reason: ended === undefined ? null : cancelReasons[draw(view, cancelReasons.length, 'reason', order)],
    cancelled_at: shopTimeOrNull(ended),
    closed_at: shopTimeOrNull(past(view, closed)),
    created_at: shopTime(created),
    processed_at: shopTime(created),
    updated_at: shopTime(orderChanged(view, order)),
    financial_status: financialStatus(view, order),
    fulfillment_status: fulfillmentStatus(view, order),
  }
}

function plainFields(view: View, order: number): JsonRecord {
  const token = hexText(view, 32, 'order', order)
  const marked = draw(view, 12, 'note', order) === 0
  return {
    confirmation_number: hexText(view, 9, 'confirmation', order).toUpperCase(),
    confirmed: true,
    merchant_business_entity_id: 'MTc3MDAwMDAwMDE',
    taxes_included: true,
    currency,
    ...setEach(false, 'duties_included estimated_taxes tax_exempt test'),
    ...setEach(null, 'merchant_of_record_app_id payment_terms reference'),
    name: orderName(order),
    note: marked ? notes[order % notes.length] : null,
    note_attributes: marked ? [{ name: 'colour', value: 'green' }] : [],
    number: order + 1,
    order_number: 1001 + order,
    order_status_url: `https://sandbox-store.myshopify.com/77000000001/orders/${token}/authenticate?key=${hexText(view, 16, 'key', order)}`,
    payment_gateway_names: [gatewayOf(view, order)],
    po_number: order % 90 === 0 ? `PO-${order}` : null,
    presentment_currency: currency,
    tags: order % 14 === 0 ? 'gift, express' : '',
    token,
  }
}

function orderRecord(view: View, order: number): JsonRecord {
  const basket = basketOf(view, order)
  const refund = refundedOf(view, order, basket)
  const shipped = new Set(shipmentsOf(view, order, basket).flatMap(({ lines }) => lines.map(({ position }) => position)))
  return {
    ...plainFields(view, order),
    ...datesOf(view, order),
    ...originOf(view, order),
    ...sumsOf(view, order, basket),
    ...discountsOf(view, basket),
    ...buyerOf(view, order),
    fulfillments: embeddedFulfillments(view, order),
    line_items: basket.lines.map((line) =>
      lineRecord(view, line, { shipped: shipped.has(line.position), returned: refund?.pieces.get(line.position) ?? 0 }),
    ),
    refunds: embeddedRefunds(view, order),
    shipping_lines: [shippingLine(view, order, basket)],
  }
}

function stateOf(view: View, order: number): string {
  const { cancelled, closed } = planOf(view, order)
  if (past(view, cancelled) !== undefined) return 'cancelled'
  return past(view, closed) === undefined ? 'open' : 'closed'
}

const paymentFilters = ['authorized', 'pending', 'paid', 'partially_paid', 'refunded', 'voided', 'partially_refunded', 'any', 'unpaid']

/** Values of `fulfillment_status` that a filter lets through. */
const shippingFilters: Readonly<Record<string, readonly (string | null)[]>> = {
  shipped: ['fulfilled'],
  partial: ['partial'],
  unshipped: [null],
  unfulfilled: [null, 'partial'],
  any: [null, 'partial', 'fulfilled'],
}

function isPaidLike(status: string, value: string): boolean {
  if (value === 'unpaid') return status === 'authorized' || status === 'partially_paid'
  return value === 'any' || status === value
}

/** Returns the orders of the store; those before a time (epoch milliseconds) are hidden from the caller. */
export function orderRows(view: View, since: number): Rows {
  const created = (order: number) => planOf(view, order).created
  return listRows(view, {
    kind: 'orders',
    positions: { from: 0, to: ordersUntil(view.seed, view.now) },
    visible: (order) => created(order) >= since && exists(view, 'orders', order),
    times: { created_at: created, processed_at: created, updated_at: (order) => orderChanged(view, order) },
    filters: {
      status: {
        test: (order, value) => value === 'any' || stateOf(view, order) === value,
        values: ['open', 'closed', 'cancelled', 'any'],
        fallback: 'open',
      },
      financial_status: { test: (order, value) => isPaidLike(financialStatus(view, order), value), values: paymentFilters },
      fulfillment_status: {
        test: (order, value) => shippingFilters[value]?.includes(fulfillmentStatus(view, order)) ?? false,
        values: Object.keys(shippingFilters),
      },
      name: equals(orderName),
    },
    newestFirst: true,
    fields: (order) => orderRecord(view, order),
  })
}

/** Fulfillment orders per order at most. */
export const fulfillmentOrderWidth = 2

/** Position of the fulfillment service of another app. */
const foreignServiceSite = 7

const fulfillmentScopes: Readonly<Record<string, (site: number) => boolean>> = {
  read_merchant_managed_fulfillment_orders: (site) => !at(sites, site).legacy,
  read_third_party_fulfillment_orders: (site) => at(sites, site).legacy,
  read_assigned_fulfillment_orders: (site) => site === ownServiceSite,
}

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
  const { first, last, email, phone, street, company, town } = personOf(view, 'receiver', order)
  return {
    id: idIn(view, 'fulfillment_orders', order * fulfillmentOrderWidth) + 7,
    address1: street,
    address2: '',
    city: town.city,
    company,
    country: town.country,
    email,
    first_name: first,
    last_name: last,
    phone,
    province: town.province,
    zip: town.zip,
  }
}

function assignedLocation(view: View, site: number): JsonRecord {
  const { name, street, legacy } = at(sites, site)
  const town = townOf(site)
  return {
    address1: street,
    ...setEach(null, 'address2 phone'),
    city: legacy ? null : town.city,
    country_code: town.country_code,
    location_id: idIn(view, 'locations', site),
    name,
    province: legacy ? null : town.province,
    zip: legacy ? null : town.zip,
  }
}

const lineItems = (view: View, fulfillmentOrder: number, { lines, done }: Shipment & { readonly done: boolean }): readonly JsonRecord[] =>
  lines.map((line) => ({
    id: idIn(view, 'fulfillment_order_lines', line.position),
    shop_id: shopId(view),
    fulfillment_order_id: fulfillmentOrder,
    quantity: line.quantity,
    line_item_id: idIn(view, 'line_items', line.position),
    inventory_item_id: idIn(view, 'inventory_items', line.variant),
    fulfillable_quantity: done ? 0 : line.quantity,
    variant_id: idIn(view, 'variants', line.variant),
  }))

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

const deliveryMethod = (id: number): JsonRecord => ({
  id: id + 3,
  method_type: 'shipping',
  ...setEach(null, 'min_delivery_date_time max_delivery_date_time additional_information branded_promise source_reference'),
  service_code: 'Standard',
  presented_name: 'Standard',
})

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
