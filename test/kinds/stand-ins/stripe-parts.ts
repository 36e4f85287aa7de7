/** What requests to Stripe hold, and how it refuses: https://docs.stripe.com/api */
import type { Row } from './shared.ts'
import * as kit from './shared.ts'

export const fault = (message: string, more: Row = {}) => ({ error: { message, type: 'invalid_request_error', ...more } })
/** An error body: https://docs.stripe.com/api/errors */
export const refuse = (status: number, message: string, more?: Row): kit.Refusal =>
  new kit.Refusal({ status, body: fault(message, more), headers: { 'request-id': 'req_standin' } })
export const noSuch = (type: string, id: unknown, param = 'id') =>
  refuse(param === 'id' ? 404 : 400, `No such ${type}: '${String(id)}'`, { code: 'resource_missing', param })

/** Paths, filters and bodies: each stands on its page below https://docs.stripe.com/api, such as /customers/list and /customers/create. */
export const resources = kit.readTable(`
  type         | path          | id    | filters                                | create                                                      | update                                                      | needs            | deletes
  customer     | customers     | cus   | email                                  | name email phone description metadata address shipping      | name email phone description metadata address shipping      |                  | yes
  product      | products      | prod  | active ids url                         | name description active metadata url                        | name description active metadata url default_price          | name             | yes
  price        | prices        | price | active product currency type           | currency product unit_amount recurring nickname metadata    | active nickname metadata lookup_key                         | currency product |
  subscription | subscriptions | sub   | customer status price                  | customer items cancel_at_period_end metadata                | cancel_at_period_end items metadata description             | customer items   | yes
  invoice      | invoices      | in    | customer status subscription           | customer description collection_method metadata             | description collection_method metadata auto_advance         |                  | yes
  charge       | charges       | ch    | customer payment_intent transfer_group |                                                             | description metadata                                        |                  |
  refund       | refunds       | re    | charge payment_intent                  | charge payment_intent amount reason metadata                | metadata                                                    |                  |
  payout       | payouts       | po    | status arrival_date destination        |                                                             | metadata                                                    |                  |
  event        | events        | evt   | type types delivery_success            |                                                             |                                                             |                  |`)
export const typeOf = (path: string): string => [...resources].find(([, row]) => row['path'] === path)?.[0] ?? 'line_item'
/** Returns the lines of an invoice; some have more than the invoice shows. */
export function lines({ id, total, created }: Row): Row[] {
  const line = { object: 'line_item', invoice: id, currency: 'usd', quantity: 1, period: { start: created, end: created } }
  const count = Number(total) % 500 === 0 ? 23 : 2
  return Array.from({ length: count }, (_, amount) => ({ id: `il_${String(id)}_${amount}`, ...line, amount }))
}

export const lacking = (param: string) => refuse(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param })
/** An unknown parameter is refused: https://docs.stripe.com/error-codes#parameter-unknown */
export const unknown = (param: string) => refuse(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
const bare = (name: string): string => name.replace(/\[(gte|gt|lte|lt|)\]$/, '')
export const check = (query: URLSearchParams, allowed: readonly string[]): void =>
  kit.refuseUnknown([...query.keys()].map(bare), allowed, unknown)

/** From 1 to 100, 10 if omitted: https://docs.stripe.com/api/pagination#pagination-limit */
export function readLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 10)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit
  throw refuse(400, `This value must be from 1 to 100 (it is '${limit}').`, { code: 'parameter_invalid_integer', param: 'limit' })
}
