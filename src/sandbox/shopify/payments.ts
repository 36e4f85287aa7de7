import type { Basket } from './baskets.ts'
import { basketOf, refundedOf } from './baskets.ts'
import { gid } from './ids.ts'
import { amount, currency } from './money.ts'
import { past, planOf } from './plans.ts'
import type { SmallRow } from './rows.ts'
import { shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { draw, idIn } from './world.ts'

/** Transactions per order at most. */
export const transactionWidth = 4

/** One movement or promise of money; amount in cents. */
export interface Payment {
  /** Number within the order, from 0. */
  readonly index: number
  readonly kind: 'authorization' | 'capture' | 'sale' | 'void' | 'refund'
  readonly status: 'success' | 'pending' | 'failure'
  readonly at: number
  readonly amount: number
  /** Number of the payment that this one follows. */
  readonly parent?: number
}

/** How an order is paid. */
export function gatewayOf(view: View, order: number): string {
  const { paid, created, authorized, deposit } = planOf(view, order)
  if (authorized === undefined && deposit === undefined && paid !== created) return 'Bank Deposit'
  return draw(view, 3, 'gateway', order) === 0 ? 'paypal' : 'shopify_payments'
}

function promised(view: View, order: number, total: number): readonly Payment[] {
  const { created, authorized, deposit, paid } = planOf(view, order)
  const done = { status: 'success', amount: total } as const
  const later = past(view, paid)
  if (authorized !== undefined) {
    const capture = later === undefined ? [] : [{ ...done, index: 1, kind: 'capture', at: later, parent: 0 } as const]
    return [{ ...done, index: 0, kind: 'authorization', at: authorized }, ...capture]
  }
  if (deposit !== undefined) return [{ ...done, index: 0, kind: 'sale', at: deposit, amount: Math.floor(total / 2) }]
  if (paid === created) return [{ ...done, index: 0, kind: 'sale', at: created }]
  const sale = later === undefined ? [] : [{ ...done, index: 1, kind: 'sale', at: later, parent: 0 } as const]
  return [{ index: 0, kind: 'sale', status: 'pending', at: created, amount: total }, ...sale]
}

/** The payments of an order until now, by their number. */
export function paymentsOf(view: View, order: number, basket: Basket): readonly Payment[] {
  const first = promised(view, order, basket.total)
  const refund = refundedOf(view, order, basket)
  const voided = past(view, planOf(view, order).voided)
  const parent = first.length - 1
  const last: Payment[] = []
  if (refund) last.push({ index: 2, kind: 'refund', status: 'success', at: refund.at, amount: refund.amount, parent })
  if (voided !== undefined) last.push({ index: 3, kind: 'void', status: 'success', at: voided, amount: 0, parent: 0 })
  else if (order % 37 === 3) last.push({ index: 3, kind: 'sale', status: 'failure', at: planOf(view, order).created, amount: basket.total })
  return [...first, ...last]
}

function unsettled(view: View, order: number, total: number) {
  const { authorized, paid, voided } = planOf(view, order)
  const open = authorized !== undefined && past(view, paid ?? voided) === undefined ? total : 0
  // The vendor writes this one set with `currency` and a shorter amount.
  const money = { amount: (open / 100).toFixed(1), currency }
  return { presentment_money: money, shop_money: money }
}

const cardDetails = {
  credit_card_bin: null,
  avs_result_code: null,
  cvv_result_code: null,
  credit_card_number: '•••• •••• •••• 4242',
  credit_card_company: 'Visa',
  buyer_action_info: null,
  credit_card_name: null,
  credit_card_wallet: null,
  credit_card_expiration_month: null,
  credit_card_expiration_year: null,
  payment_method_name: 'visa',
}

/** Number in the receipt of card payments that a switch makes too large for a JavaScript number. */
export const receiptNumber = 880_112_233_445_566

function receiptOf({ kind, status }: Payment, gateway: string): JsonRecord {
  if (kind === 'refund' || status !== 'success' || gateway !== 'shopify_payments') return {}
  return { testcase: true, authorization: '123456', network_transaction_number: receiptNumber }
}

/** One transaction of an order, as lists have it. */
export function transactionRecord(view: View, order: number, payment: Payment): JsonRecord {
  const { index, kind, status, at, parent } = payment
  const gateway = gatewayOf(view, order)
  const id = idIn(view, 'transactions', order * transactionWidth + index)
  const failed = status === 'failure'
  return {
    id,
    order_id: idIn(view, 'orders', order),
    kind,
    gateway,
    status,
    message: failed ? 'Your card was declined.' : null,
    created_at: shopTime(at),
    test: false,
    authorization: gateway === 'Bank Deposit' ? null : `authorization-${order}-${index}`,
    location_id: null,
    user_id: null,
    parent_id: parent === undefined ? null : idIn(view, 'transactions', order * transactionWidth + parent),
    processed_at: shopTime(at),
    device_id: null,
    error_code: failed ? 'card_declined' : null,
    source_name: 'web',
    ...(gateway === 'shopify_payments' && parent === undefined ? { payment_details: cardDetails } : {}),
    receipt: receiptOf(payment, gateway),
    currency_exchange_adjustment: null,
    amount: amount(payment.amount),
    currency,
    payment_id: `#${1001 + order}.${index + 1}`,
    total_unsettled_set: unsettled(view, order, basketOf(view, order).total),
    manual_payment_gateway: gateway === 'Bank Deposit',
    amount_rounding: null,
    admin_graphql_api_id: gid('OrderTransaction', id),
  }
}

/** The transactions of an order. */
export function transactionList(view: View, order: number): readonly SmallRow[] {
  return paymentsOf(view, order, basketOf(view, order)).map((payment) => ({
    id: idIn(view, 'transactions', order * transactionWidth + payment.index),
    created: payment.at,
    record: transactionRecord(view, order, payment),
  }))
}
