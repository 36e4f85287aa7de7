import type { Basket, BasketLine, Refunded } from './baskets.ts'
import { basketOf, refundedOf, shipmentsOf, worthOf } from './baskets.ts'
import { gid } from './ids.ts'
import { amount, moneySet, taxIn } from './money.ts'
import { lineRecord, shippingLine } from './order-lines.ts'
import { paymentsOf, transactionRecord } from './payments.ts'
import type { SmallRow } from './rows.ts'
import { shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { draw, idIn } from './world.ts'

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

/** What was given back of the shipping: the vendor tells it twice. */
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

function refundRecord(view: View, order: number, refund: Refunded): JsonRecord {
  const basket = basketOf(view, order)
  const shipped = shipmentsOf(view, order, basket).length > 0
  const id = idIn(view, 'refunds', order)
  const given = basket.lines.flatMap((line) => {
    const pieces = refund.pieces.get(line.position)
    return pieces === undefined ? [] : [refundLine(view, line, { pieces, shipped })]
  })
  const shipping = refund.full ? shippingParts(view, order, basket) : { adjustments: [], lines: [] }
  return {
    id,
    order_id: idIn(view, 'orders', order),
    created_at: shopTime(refund.at),
    note: draw(view, 3, 'refund note', order) === 0 ? 'Beschädigt angekommen' : null,
    user_id: draw(view, 2, 'refund user', order) === 0 ? null : 98_765_432_101,
    processed_at: shopTime(refund.at),
    duties: [],
    total_duties_set: moneySet(0),
    return: null,
    restock: shipped,
    additional_fees: [],
    total_additional_fees_set: moneySet(0),
    refund_shipping_lines: shipping.lines,
    admin_graphql_api_id: gid('Refund', id),
    order_adjustments: shipping.adjustments,
    refund_line_items: given,
    transactions: paymentsOf(view, order, basket)
      .filter(({ kind }) => kind === 'refund')
      .map((payment) => transactionRecord(view, order, payment)),
  }
}

/** The refunds of an order: none or one. */
export function refundList(view: View, order: number): readonly SmallRow[] {
  const refund = refundedOf(view, order, basketOf(view, order))
  if (!refund) return []
  return [{ id: idIn(view, 'refunds', order), created: refund.at, record: refundRecord(view, order, refund) }]
}

/** The refunds as they are inside an order, where two fields are left out. */
export function embeddedRefunds(view: View, order: number): readonly JsonRecord[] {
  return refundList(view, order).map(({ record }) => {
    const left = Object.entries(record).filter(([field]) => field !== 'return' && field !== 'refund_shipping_lines')
    return Object.fromEntries(left)
  })
}
