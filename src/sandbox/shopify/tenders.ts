import { at } from '../at.ts'
import { basketOf } from './baskets.ts'
import { amount, currency } from './money.ts'
import { orderExists } from './order-facts.ts'
import { gatewayOf, paymentsOf, transactionWidth } from './payments.ts'
import { past, planOf } from './plans.ts'
import type { Rows } from './rows.ts'
import { ordersUntil } from './schedule.ts'
import { shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { idIn } from './world.ts'

const methods: Readonly<Record<string, string>> = { paypal: 'paypal', shopify_payments: 'credit_card' }

/** Money that moved: position of the transaction and the moment. */
interface Tender {
  readonly position: number
  readonly at: number
}

function tendersOf(view: View, order: number): readonly Tender[] {
  const { created, authorized, deposit, paid, refunded } = planOf(view, order)
  const captured = past(view, paid)
  const direct = authorized === undefined && paid === created
  const moved: readonly (readonly [number, number | undefined])[] = [
    [0, deposit ?? (direct ? created : undefined)],
    [1, direct ? undefined : captured],
    [2, past(view, refunded)],
  ]
  return moved.flatMap(([index, moment]) => (moment === undefined ? [] : [{ position: order * transactionWidth + index, at: moment }]))
}

function tenderRecord(view: View, position: number): JsonRecord {
  const order = Math.floor(position / transactionWidth)
  const payment = paymentsOf(view, order, basketOf(view, order)).find(({ index }) => index === position % transactionWidth)
  const cents = payment?.amount ?? 0
  const gateway = gatewayOf(view, order)
  const card = gateway === 'shopify_payments' && payment?.kind !== 'refund'
  return {
    id: idIn(view, 'tender_transactions', position),
    order_id: idIn(view, 'orders', order),
    amount: amount(payment?.kind === 'refund' ? -cents : cents),
    currency,
    user_id: null,
    test: false,
    processed_at: shopTime(payment?.at ?? 0),
    remote_reference: gateway === 'Bank Deposit' ? null : `authorization-${order}-${position % transactionWidth}`,
    payment_details: card ? { credit_card_number: '•••• •••• •••• 4242', credit_card_company: 'Visa' } : null,
    payment_method: methods[gateway] ?? 'other',
  }
}

/** The movements of money of the store. */
export function tenderRows(view: View): Rows {
  const tenders: Tender[] = []
  const known = ordersUntil(view.seed, view.now)
  for (let order = 0; order < known; order += 1) if (orderExists(view, order)) tenders.push(...tendersOf(view, order))
  return {
    size: tenders.length,
    id: (row) => idIn(view, 'tender_transactions', at(tenders, row).position),
    times: { processed_at: (row) => at(tenders, row).at },
    newestFirst: true,
    record: (row) => tenderRecord(view, at(tenders, row).position),
  }
}
