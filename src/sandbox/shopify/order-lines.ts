import type { Basket, BasketLine } from './baskets.ts'
import { productExists, productFacts, skuOf, variantWidth } from './catalog.ts'
import { gid } from './ids.ts'
import { amount, moneySet, taxLines } from './money.ts'
import { variantOptions } from './products.ts'
import { isTracked } from './stock.ts'
import type { JsonRecord, View } from './world.ts'
import { idIn } from './world.ts'

/** What has happened to a line. */
export interface LineState {
  readonly shipped: boolean
  /** Pieces that were given back. */
  readonly returned: number
}

/** Title, variant and whether they still exist. */
export function lineNames(view: View, variant: number) {
  const product = Math.floor(variant / variantWidth)
  const { title, vendor, grams } = productFacts(view, product)
  const options = variantOptions(view, variant)
  const variantTitle = options[0] === 'Default Title' ? null : options.join(' / ')
  const exists = productExists(view, product)
  return {
    title,
    variantTitle,
    vendor,
    grams,
    exists,
    productId: exists ? idIn(view, 'products', product) : null,
    variantId: exists ? idIn(view, 'variants', variant) : null,
  }
}

/** One line of an order, a fulfillment or a refund. */
export function lineRecord(view: View, line: BasketLine, state: LineState): JsonRecord {
  const { position, variant, quantity, price, discount } = line
  const names = lineNames(view, variant)
  const id = idIn(view, 'line_items', position)
  const left = quantity - state.returned
  return {
    id,
    admin_graphql_api_id: gid('LineItem', id),
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
  }
}

/** The shipping line of an order. */
export function shippingLine(view: View, order: number, { shipping }: Basket): JsonRecord {
  const title = shipping === 0 ? 'Free Shipping' : 'Standard'
  return {
    id: idIn(view, 'shipping_lines', order),
    carrier_identifier: null,
    code: title,
    discounted_price: amount(shipping),
    discounted_price_set: moneySet(shipping),
    is_removed: false,
    phone: null,
    price: amount(shipping),
    price_set: moneySet(shipping),
    requested_fulfillment_service_id: null,
    source: 'shopify',
    title,
    tax_lines: taxLines(shipping),
    discount_allocations: [],
  }
}
