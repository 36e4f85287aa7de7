import { setEach } from '../data.ts'
import { productCount, productFacts, skuOf, variantCount, variantPrice, variantWidth } from './catalog.ts'
import { codeText } from './discounts.ts'
import { lineNames } from './order-parts.ts'
import { briefCustomer, customersUntil, orderAddress, personOf } from './people.ts'
import { listRows, type Rows } from './rows.ts'
import { amount, currency, taxIn } from './words.ts'
import {
  abandonedAt,
  changedAt,
  checkoutLife,
  checkoutsUntil,
  day,
  draw,
  hexText,
  idIn,
  type JsonRecord,
  randomOf,
  shopTime,
  shopTimeOrNull,
  type View,
} from './world.ts'

interface Wish {
  readonly variant: number
  readonly quantity: number
  readonly price: number
}

function wishesOf(view: View, checkout: number): readonly Wish[] {
  const random = randomOf(view, 'wishes', checkout)
  return Array.from({ length: random.int(1, 3) }, () => {
    const product = random.int(0, productCount - 1)
    const variant = product * variantWidth + random.int(0, variantCount(view, product) - 1)
    return { variant, quantity: random.int(1, 2), price: variantPrice(view, variant) }
  })
}

function wishRecord(view: View, { variant, quantity, price }: Wish, key: string): JsonRecord {
  const names = lineNames(view, variant)
  return {
    ...setEach([], 'applied_discounts discount_allocations tax_lines'),
    key,
    ...setEach(null, 'destination_location_id origin_location_id properties user_id unit_price_measurement rank'),
    ...setEach(null, 'compare_at_price'),
    fulfillment_service: 'manual',
    gift_card: false,
    requires_shipping: true,
    taxable: true,
    grams: names.grams,
    presentment_title: names.title,
    presentment_variant_title: names.variantTitle ?? '',
    product_id: names.productId,
    quantity,
    sku: skuOf(variant),
    title: names.title,
    variant_id: names.variantId,
    variant_title: names.variantTitle,
    variant_price: amount(price),
    vendor: names.vendor,
    line_price: amount(price * quantity),
    price: amount(price),
  }
}

const shippingLine = (view: View, checkout: number): JsonRecord => ({
  code: 'Standard',
  price: '4.90',
  source: 'shopify',
  title: 'Standard',
  presentment_title: 'Standard',
  tax_lines: [],
  applied_discounts: [],
  ...setEach(null, 'phone custom_tax_lines markup carrier_identifier api_client_id requested_fulfillment_service_id'),
  ...setEach(null, 'validation_context'),
  id: hexText(view, 16, 'checkout shipping', checkout),
})

function momentsOf(view: View, checkout: number) {
  const created = abandonedAt(view.seed, checkout)
  const closes = created + 20 * day
  const completes = created + day
  const closed = draw(view, 3, 'closed checkout', checkout) === 0 && closes <= view.now ? closes : undefined
  const completed = draw(view, 10, 'completed checkout', checkout) === 0 && completes <= view.now ? completes : undefined
  return { created, closed, completed }
}

function checkoutChanged(view: View, checkout: number): number {
  const { created, closed, completed } = momentsOf(view, checkout)
  return changedAt(view, { kind: 'checkouts', position: checkout }, closed ?? completed ?? created)
}

function buyerOf(view: View, checkout: number): JsonRecord {
  const known = draw(view, 3, 'known buyer', checkout) !== 0
  const customers = customersUntil(view.seed, abandonedAt(view.seed, checkout))
  const customer = draw(view, customers, 'checkout customer', checkout)
  const person = known ? personOf(view, customer) : personOf(view, 'visitor', checkout)
  const byPhone = checkout % 6 === 1
  return {
    email: byPhone ? null : person.email,
    phone: byPhone ? person.phone : null,
    billing_address: orderAddress(person),
    shipping_address: checkout % 5 === 2 ? null : orderAddress(person),
    ...(known ? { customer: briefCustomer(view, customer) } : {}),
  }
}

function sumsOf(view: View, wishes: readonly Wish[], checkout: number): JsonRecord {
  const listed = wishes.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const shipping = checkout % 5 === 2 ? 0 : 490
  const discount = checkout % 9 === 4 ? Math.round(listed * 0.1) : 0
  const total = listed - discount + shipping
  const tax = amount(taxIn(total))
  return {
    discount_codes: discount === 0 ? [] : [{ code: codeText(view, 1, 0), amount: amount(discount), type: 'percentage' }],
    tax_lines: [{ price: tax, rate: 0.19, title: 'DE MwSt', channel_liable: null }],
    total_discounts: amount(discount),
    total_line_items_price: amount(listed),
    total_price: amount(total),
    total_tax: tax,
    subtotal_price: amount(listed - discount),
    total_duties: null,
  }
}

function plainFields(view: View, checkout: number, wishes: readonly Wish[]): JsonRecord {
  const token = hexText(view, 32, 'checkout token', checkout)
  const grams = wishes.reduce(
    (sum, { variant, quantity }) => sum + productFacts(view, Math.floor(variant / variantWidth)).grams * quantity,
    0,
  )
  return {
    token,
    cart_token: hexText(view, 32, 'checkout cart', checkout),
    ...setEach(null, 'gateway user_id location_id source_identifier source_url device_id source sms_marketing_phone'),
    buyer_accepts_marketing: draw(view, 2, 'checkout marketing', checkout) === 0,
    landing_site: '/',
    note_attributes: [],
    referring_site: '',
    taxes_included: true,
    customer_locale: 'de',
    source_name: 'web',
    buyer_accepts_sms_marketing: false,
    note: checkout % 16 === 3 ? 'Klingel defekt' : null,
    shipping_lines: checkout % 5 === 2 ? [] : [shippingLine(view, checkout)],
    total_weight: grams,
    currency,
    name: `#${idIn(view, 'checkouts', checkout)}`,
    abandoned_checkout_url: `https://sandbox-store.myshopify.com/77000000001/checkouts/${token}/recover`,
    presentment_currency: currency,
    reservation_token: hexText(view, 30, 'reservation', checkout),
  }
}

function checkoutRecord(view: View, checkout: number): JsonRecord {
  const { created, closed, completed } = momentsOf(view, checkout)
  const wishes = wishesOf(view, checkout)
  return {
    ...plainFields(view, checkout, wishes),
    created_at: shopTime(created),
    updated_at: shopTime(checkoutChanged(view, checkout)),
    completed_at: shopTimeOrNull(completed),
    closed_at: shopTimeOrNull(closed),
    ...buyerOf(view, checkout),
    line_items: wishes.map((wish, index) => wishRecord(view, wish, hexText(view, 16, 'line', checkout, index))),
    ...sumsOf(view, wishes, checkout),
  }
}

/** Returns the abandoned checkouts of the last 90 days; the vendor keeps no older ones. */
export function checkoutRows(view: View): Rows {
  const status = (checkout: number) => (momentsOf(view, checkout).closed === undefined ? 'open' : 'closed')
  return listRows(view, {
    kind: 'checkouts',
    positions: { from: checkoutsUntil(view.seed, view.now - checkoutLife), to: checkoutsUntil(view.seed, view.now) },
    times: { created_at: (checkout) => abandonedAt(view.seed, checkout), updated_at: (checkout) => checkoutChanged(view, checkout) },
    filters: {
      status: {
        test: (checkout, value) => value === 'any' || status(checkout) === value,
        values: ['open', 'closed', 'any'],
        fallback: 'open',
      },
    },
    newestFirst: true,
    fields: (checkout) => checkoutRecord(view, checkout),
  })
}
