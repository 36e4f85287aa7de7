import { productCount, productFacts, skuOf, variantCount, variantPrice, variantWidth } from './catalog.ts'
import { codeText } from './discounts.ts'
import { amount, currency, taxIn } from './money.ts'
import { lineNames } from './order-lines.ts'
import { briefCustomer, customersUntil, orderAddress, personOf } from './people.ts'
import type { Rows } from './rows.ts'
import { abandonedAt, checkoutLife, checkoutsUntil } from './schedule.ts'
import { day, shopTime, shopTimeOrNull } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, draw, edited, hexText, idIn, randomOf } from './world.ts'

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

/** One line of a checkout: it has no id. */
function wishRecord(view: View, { variant, quantity, price }: Wish, key: string): JsonRecord {
  const names = lineNames(view, variant)
  return {
    applied_discounts: [],
    discount_allocations: [],
    key,
    destination_location_id: null,
    fulfillment_service: 'manual',
    gift_card: false,
    grams: names.grams,
    origin_location_id: null,
    presentment_title: names.title,
    presentment_variant_title: names.variantTitle ?? '',
    product_id: names.productId,
    properties: null,
    quantity,
    requires_shipping: true,
    sku: skuOf(variant),
    tax_lines: [],
    taxable: true,
    title: names.title,
    variant_id: names.variantId,
    variant_title: names.variantTitle,
    variant_price: amount(price),
    vendor: names.vendor,
    user_id: null,
    unit_price_measurement: null,
    rank: null,
    compare_at_price: null,
    line_price: amount(price * quantity),
    price: amount(price),
  }
}

function shippingLine(view: View, checkout: number): JsonRecord {
  return {
    code: 'Standard',
    price: '4.90',
    source: 'shopify',
    title: 'Standard',
    presentment_title: 'Standard',
    phone: null,
    tax_lines: [],
    custom_tax_lines: null,
    markup: null,
    carrier_identifier: null,
    api_client_id: null,
    requested_fulfillment_service_id: null,
    applied_discounts: [],
    id: hexText(view, 16, 'checkout shipping', checkout),
    validation_context: null,
  }
}

/** The moments of a checkout until now. */
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
    gateway: null,
    buyer_accepts_marketing: draw(view, 2, 'checkout marketing', checkout) === 0,
    landing_site: '/',
    note: checkout % 16 === 3 ? 'Klingel defekt' : null,
    note_attributes: [],
    referring_site: '',
    shipping_lines: checkout % 5 === 2 ? [] : [shippingLine(view, checkout)],
    taxes_included: true,
    total_weight: grams,
    currency,
    user_id: null,
    location_id: null,
    source_identifier: null,
    source_url: null,
    device_id: null,
    customer_locale: 'de',
    name: `#${idIn(view, 'checkouts', checkout)}`,
    source: null,
    abandoned_checkout_url: `https://sandbox-store.myshopify.com/77000000001/checkouts/${token}/recover`,
    source_name: 'web',
    presentment_currency: currency,
    buyer_accepts_sms_marketing: false,
    sms_marketing_phone: null,
    reservation_token: hexText(view, 30, 'reservation', checkout),
  }
}

function checkoutRecord(view: View, checkout: number): JsonRecord {
  const { created, closed, completed } = momentsOf(view, checkout)
  const wishes = wishesOf(view, checkout)
  return edited(
    view,
    { kind: 'checkouts', position: checkout },
    {
      id: idIn(view, 'checkouts', checkout),
      ...plainFields(view, checkout, wishes),
      created_at: shopTime(created),
      updated_at: shopTime(checkoutChanged(view, checkout)),
      completed_at: shopTimeOrNull(completed),
      closed_at: shopTimeOrNull(closed),
      ...buyerOf(view, checkout),
      line_items: wishes.map((wish, index) => wishRecord(view, wish, hexText(view, 16, 'line', checkout, index))),
      ...sumsOf(view, wishes, checkout),
    },
  )
}

/** The abandoned checkouts of the last 90 days; the vendor keeps no older ones. */
export function checkoutRows(view: View): Rows {
  const first = checkoutsUntil(view.seed, view.now - checkoutLife)
  const checkoutAt = (position: number) => first + position
  const status = (position: number) => (momentsOf(view, checkoutAt(position)).closed === undefined ? 'open' : 'closed')
  return {
    size: checkoutsUntil(view.seed, view.now) - first,
    id: (position) => idIn(view, 'checkouts', checkoutAt(position)),
    visible: (position) => destroyedAt(view, { kind: 'checkouts', position: checkoutAt(position) }) === undefined,
    times: {
      created_at: (position) => abandonedAt(view.seed, checkoutAt(position)),
      updated_at: (position) => checkoutChanged(view, checkoutAt(position)),
    },
    filters: {
      status: {
        test: (position, value) => value === 'any' || status(position) === value,
        values: ['open', 'closed', 'any'],
        fallback: 'open',
      },
    },
    newestFirst: true,
    record: (position) => checkoutRecord(view, checkoutAt(position)),
  }
}
