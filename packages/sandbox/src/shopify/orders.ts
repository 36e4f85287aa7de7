import { setEach } from '../data.ts'
import { codeText } from './discounts.ts'
import { embeddedFulfillments, embeddedRefunds, lineRecord, shippingLine } from './order-parts.ts'
import { gatewayOf } from './payments.ts'
import { briefCustomer, customerOf, orderAddress, personOf } from './people.ts'
import {
  type Basket,
  basketOf,
  comesFromDraft,
  financialStatus,
  fulfillmentStatus,
  orderChanged,
  orderName,
  past,
  planOf,
  type Refunded,
  refundedOf,
  shipmentsOf,
  spentIn,
} from './plans.ts'
import { equals, listRows, type Rows } from './rows.ts'
import { amount, currency, moneySet, notes, taxIn, taxLines } from './words.ts'
import { draw, exists, hexText, idIn, type JsonRecord, ordersUntil, shopTime, shopTimeOrNull, type View } from './world.ts'

const cancelReasons = ['customer', 'fraud', 'inventory', 'declined', 'other'] as const

/** Returns sums as the vendor writes them: a text and a set. */
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

/** Returns the buyer: a customer, or nobody at the till. */
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

/** Pieces of a line that were given back. */
function returnedOf(refund: Refunded | undefined, line: number): number {
  return refund?.pieces.get(line) ?? 0
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
      lineRecord(view, line, { shipped: shipped.has(line.position), returned: returnedOf(refund, line.position) }),
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
