import { setEach } from '../data.ts'
import { skuOf } from './catalog.ts'
import { lineNames } from './order-parts.ts'
import { briefCustomer, customerOf, orderAddress, personOf } from './people.ts'
import { type Basket, type BasketLine, basketOf, comesFromDraft, draftedOrder, ordersPerDraft } from './plans.ts'
import { equals, listRows, type Rows } from './rows.ts'
import { amount, currency, moneySet, taxIn } from './words.ts'
import {
  changedAt,
  day,
  draw,
  hexText,
  idIn,
  type JsonRecord,
  orderedAt,
  ordersUntil,
  recordOf,
  shopTime,
  shopTimeOrNull,
  type View,
} from './world.ts'

const head = 2 * day

const orderOf = (draft: number): number => draft * ordersPerDraft + draftedOrder

/** Returns when a draft was made: two days before it becomes, or would have become, an order. */
export const draftCreated = (seed: number, draft: number): number => orderedAt(seed, orderOf(draft)) - head

/** Returns how many drafts there are at a time, destroyed ones included. */
export const draftsUntil = (view: View): number =>
  Math.max(Math.ceil((ordersUntil(view.seed, view.now + head) - draftedOrder) / ordersPerDraft), 0)

function momentsOf(view: View, draft: number) {
  const order = orderOf(draft)
  const created = draftCreated(view.seed, draft)
  const completes = orderedAt(view.seed, order)
  const sends = created + day
  const sent = draw(view, 2, 'invoice', draft) === 0 && sends <= view.now ? sends : undefined
  const completed = comesFromDraft(view, order) && completes <= view.now ? completes : undefined
  return { created, sent, completed }
}

/** `status` of a draft. */
export function draftStatus(view: View, draft: number): string {
  const { sent, completed } = momentsOf(view, draft)
  if (completed !== undefined) return 'completed'
  return sent === undefined ? 'open' : 'invoice_sent'
}

function draftChanged(view: View, draft: number): number {
  const { created, sent, completed } = momentsOf(view, draft)
  return changedAt(view, { kind: 'draft_orders', position: draft }, completed ?? sent ?? created)
}

function draftLine(view: View, line: BasketLine, custom: boolean): JsonRecord {
  const { position, variant, quantity, price, discount } = line
  const names = lineNames(view, variant)
  const tax = taxIn(price * quantity - discount)
  const title = custom ? 'Sonderanfertigung' : names.title
  return recordOf(
    view,
    { kind: 'draft_lines', position },
    {
      variant_id: custom ? null : names.variantId,
      product_id: custom ? null : names.productId,
      title,
      variant_title: custom ? null : names.variantTitle,
      sku: custom ? null : skuOf(variant),
      vendor: custom ? null : names.vendor,
      quantity,
      requires_shipping: !custom,
      taxable: true,
      gift_card: false,
      fulfillment_service: 'manual',
      grams: custom ? 0 : names.grams,
      tax_lines: [{ rate: 0.19, title: 'DE MwSt', price: amount(tax) }],
      applied_discount: null,
      name: custom || names.variantTitle === null ? title : `${title} - ${names.variantTitle}`,
      properties: [],
      custom,
      price: amount(price),
    },
  )
}

const listSums = ({ listed, discount, shipping, total }: Basket, paid: boolean): JsonRecord => ({
  presentment_currency: currency,
  total_line_items_price_set: moneySet(listed),
  total_price_set: moneySet(total),
  subtotal_price_set: moneySet(listed - discount),
  total_tax_set: moneySet(taxIn(total)),
  total_discounts_set: moneySet(discount),
  total_shipping_price_set: moneySet(shipping),
  total_additional_fees_set: moneySet(0),
  total_duties_set: moneySet(0),
  amount_due_now_set: moneySet(paid ? 0 : total),
  amount_due_later_set: moneySet(0),
})

function partsOf(view: View, draft: number, basket: Basket): JsonRecord {
  const { shipping, total, discount, listed } = basket
  const tax = amount(taxIn(total))
  const person = personOf(view, 'receiver', orderOf(draft))
  return {
    line_items: basket.lines.map((line, index) => draftLine(view, line, draft % 9 === 2 && index === 0)),
    api_client_id: 1_354_745,
    shipping_address: draft % 8 === 3 ? null : orderAddress(person),
    billing_address: draft % 8 === 3 ? null : orderAddress(person),
    invoice_url: `https://sandbox-store.myshopify.com/77000000001/invoices/${hexText(view, 32, 'invoice', draft)}`,
    ...setEach(null, 'created_on_api_version payment_terms'),
    applied_discount:
      discount === 0
        ? null
        : { description: 'Stammkunde', value: '10.0', title: 'Rabatt', amount: amount(discount), value_type: 'percentage' },
    order_id: draftStatus(view, draft) === 'completed' ? idIn(view, 'orders', orderOf(draft)) : null,
    shipping_line: shipping === 0 ? null : { title: 'Standard', custom: true, handle: null, price: amount(shipping) },
    tax_lines: [{ rate: 0.19, title: 'DE MwSt', price: tax }],
    tags: draft % 6 === 0 ? 'wholesale' : '',
    note_attributes: [],
    total_price: amount(total),
    subtotal_price: amount(listed - discount),
    total_tax: tax,
  }
}

function draftRecord(view: View, draft: number, single: boolean): JsonRecord {
  const order = orderOf(draft)
  const { created, sent, completed } = momentsOf(view, draft)
  const basket = basketOf(view, order)
  const customer = customerOf(view.seed, order)
  return {
    note: draft % 10 === 1 ? 'Bitte telefonisch bestätigen' : null,
    email: customer === undefined ? null : personOf(view, customer).email,
    taxes_included: true,
    tax_exempt: false,
    'b2b?': false,
    currency,
    invoice_sent_at: shopTimeOrNull(sent),
    created_at: shopTime(created),
    updated_at: shopTime(draftChanged(view, draft)),
    completed_at: shopTimeOrNull(completed),
    name: `#D${draft + 1}`,
    'allow_discount_codes_in_checkout?': draft % 4 === 0,
    status: draftStatus(view, draft),
    ...partsOf(view, draft, basket),
    ...(single ? {} : listSums(basket, completed !== undefined)),
    ...(customer === undefined ? {} : { customer: briefCustomer(view, customer) }),
  }
}

/** Returns the draft orders of the store. */
export const draftRows = (view: View): Rows =>
  listRows(view, {
    kind: 'draft_orders',
    positions: { from: 0, to: draftsUntil(view) },
    times: { created_at: (draft) => draftCreated(view.seed, draft), updated_at: (draft) => draftChanged(view, draft) },
    filters: { status: { ...equals((draft) => draftStatus(view, draft)), values: ['open', 'invoice_sent', 'completed'] } },
    newestFirst: true,
    fields: (draft, single) => draftRecord(view, draft, single),
  })
