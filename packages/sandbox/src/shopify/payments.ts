import { setEach } from '../data.ts'
import { type Basket, basketOf, past, planOf, refundedOf } from './plans.ts'
import { listRows, noTimes, type Rows } from './rows.ts'
import { amount, currency } from './words.ts'
import { draw, exists, idIn, type JsonRecord, ordersUntil, recordOf, shopTime, type View } from './world.ts'

const transactionWidth = 4

/** One movement or promise of money; amount in cents. */
interface Payment {
  /** Number within the order, from 0. */
  readonly index: number
  readonly kind: 'authorization' | 'capture' | 'sale' | 'void' | 'refund'
  readonly status: 'success' | 'pending' | 'failure'
  readonly at: number
  readonly amount: number
  /** Number of the payment that this one follows. */
  readonly parent?: number
}

/** Returns how an order is paid. */
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

/** Returns the payments of an order until now, by their number. */
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
  ...setEach(null, 'credit_card_bin avs_result_code cvv_result_code buyer_action_info credit_card_name credit_card_wallet'),
  ...setEach(null, 'credit_card_expiration_month credit_card_expiration_year'),
  credit_card_number: '•••• •••• •••• 4242',
  credit_card_company: 'Visa',
  payment_method_name: 'visa',
}

/** Number in the receipt of card payments that a switch makes too large for a JavaScript number. */
export const receiptNumber = 880_112_233_445_566

function receiptOf({ kind, status }: Payment, gateway: string): JsonRecord {
  if (kind === 'refund' || status !== 'success' || gateway !== 'shopify_payments') return {}
  return { testcase: true, authorization: '123456', network_transaction_number: receiptNumber }
}

function transactionFields(view: View, order: number, payment: Payment): JsonRecord {
  const { index, kind, status, at, parent } = payment
  const gateway = gatewayOf(view, order)
  const failed = status === 'failure'
  return {
    order_id: idIn(view, 'orders', order),
    kind,
    gateway,
    status,
    message: failed ? 'Your card was declined.' : null,
    created_at: shopTime(at),
    test: false,
    authorization: gateway === 'Bank Deposit' ? null : `authorization-${order}-${index}`,
    ...setEach(null, 'location_id user_id device_id currency_exchange_adjustment amount_rounding'),
    parent_id: parent === undefined ? null : idIn(view, 'transactions', order * transactionWidth + parent),
    processed_at: shopTime(at),
    error_code: failed ? 'card_declined' : null,
    source_name: 'web',
    ...(gateway === 'shopify_payments' && parent === undefined ? { payment_details: cardDetails } : {}),
    receipt: receiptOf(payment, gateway),
    amount: amount(payment.amount),
    currency,
    payment_id: `#${1001 + order}.${index + 1}`,
    total_unsettled_set: unsettled(view, order, basketOf(view, order).total),
    manual_payment_gateway: gateway === 'Bank Deposit',
  }
}

/** Returns one transaction of an order, as lists have it. */
export function transactionRecord(view: View, order: number, payment: Payment): JsonRecord {
  const spot = { kind: 'transactions', position: order * transactionWidth + payment.index } as const
  return recordOf(view, spot, transactionFields(view, order, payment))
}

/** Returns the transactions of an order; one alone has two fields more. */
export function transactionRows(view: View, order: number): Rows {
  const payments = new Map(paymentsOf(view, order, basketOf(view, order)).map((each) => [order * transactionWidth + each.index, each]))
  const further = { authorization_expires_at: null, extended_authorization_attributes: {} }
  return listRows(view, {
    kind: 'transactions',
    positions: [...payments.keys()],
    times: { ...noTimes, created_at: (position) => payments.get(position)?.at },
    fields(position, single) {
      const payment = payments.get(position)
      return { ...(payment && transactionFields(view, order, payment)), ...(single ? further : {}) }
    },
  })
}

const methods: Readonly<Record<string, string>> = { paypal: 'paypal', shopify_payments: 'credit_card' }

/** Money that moved: the time by the position of the transaction. */
function tendersOf(view: View, order: number): readonly (readonly [position: number, at: number])[] {
  const { created, authorized, deposit, paid, refunded } = planOf(view, order)
  const direct = authorized === undefined && paid === created
  const moved = [deposit ?? (direct ? created : undefined), direct ? undefined : past(view, paid), past(view, refunded)]
  return moved.flatMap((moment, index) => (moment === undefined ? [] : [[order * transactionWidth + index, moment] as const]))
}

function tenderRecord(view: View, position: number): JsonRecord {
  const order = Math.floor(position / transactionWidth)
  const payment = paymentsOf(view, order, basketOf(view, order)).find(({ index }) => index === position % transactionWidth)
  const cents = payment?.amount ?? 0
  const gateway = gatewayOf(view, order)
  const card = gateway === 'shopify_payments' && payment?.kind !== 'refund'
  return {
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

/** Returns the movements of money of the store. */
export function tenderRows(view: View): Rows {
  const orders = Array.from({ length: ordersUntil(view.seed, view.now) }, (_, order) => order)
  const tenders = new Map(orders.flatMap((order) => (exists(view, 'orders', order) ? tendersOf(view, order) : [])))
  return listRows(view, {
    kind: 'tender_transactions',
    positions: [...tenders.keys()],
    times: { processed_at: (position) => tenders.get(position) },
    newestFirst: true,
    fields: (position) => tenderRecord(view, position),
  })
}
