/** Stripe, by its public reference: https://docs.stripe.com/api (version 2026-02-25.clover). Written without knowledge of any definition. */
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'
import { check, fault, lacking, lines, noSuch, readLimit, refuse, resources, typeOf, unknown } from './stripe-parts.ts'

/** Refusals on demand: https://docs.stripe.com/rate-limits, https://docs.stripe.com/api/errors */
export const stripeRefusals = {
  rate: { status: 429, body: fault('Request rate limit exceeded.', { code: 'rate_limit' }) },
  lock: { status: 429, body: fault('Another request or process uses this object.', { code: 'lock_timeout' }) },
  permission: { status: 403, body: fault('The provided key does not have the required permissions for this endpoint.') },
  down: { status: 500, body: fault('An unknown error occurred.', { type: 'api_error' }) },
}

/** What also says that an invoice changed: https://docs.stripe.com/api/events/types */
const invoiceEvents = ['overpaid', 'will_be_due', 'finalization_failed', 'payment_attempt_required']
const day = 86_400
const seconds = () => Math.floor(Date.now() / 1_000)
const account = { id: 'acct_standin', object: 'account', country: 'US', default_currency: 'usd', charges_enabled: true, email: null }
const person = (index: number): Row => ({ name: `Person ${index}`, email: `p${index % 500}@example.com`, phone: null, description: null })
const blanks: Readonly<Record<string, Row>> = {
  customer: { name: null, email: null, phone: null, description: null, balance: 0 },
  subscription: { status: 'active', cancel_at_period_end: false },
  invoice: { status: 'draft', total: 0, number: null },
}

/** Stripe with seeded records. */
export class Stripe extends kit.Vendor {
  readonly key = 'sk_test_standin'
  readonly #table = kit.tables()

  constructor({ records = 1_200, seed = 7, smaller = 1 }: { readonly records?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    for (let index = 0; index < records; index += 1) {
      // Forty records share a second, and the older half is more than 30 days old.
      const time = seconds() - 60 * day + Math.floor(index / 40) * Math.floor((59 * day * 40) / records)
      const add = (type: string, fields: Row) => this.#add(type, fields, time)
      const { id: customer } = add('customer', { ...person(index), balance: index - 5 })
      if (index % 8 === 0) add('product', { name: `Product ${index}`, active: index % 16 === 0 })
      if (index % 4 === 0) add('price', { product: this.#list('product')[0]?.['id'], unit_amount: 500, active: true })
      const items = this.#items({ 0: { price: this.#table('price').all[0]?.['id'] } })
      if (index % 5 === 0) add('subscription', { customer, items, status: this.pick(['active', 'trialing', 'canceled']) })
      if (index % 3 === 0) add('invoice', { customer, total: index * 100, number: null })
      if (index % 2 === 0) add('charge', { customer, amount: 100 + index, amount_refunded: 0, paid: true, status: 'succeeded' })
      if (index % 9 === 0) add('payout', { amount: index, status: 'paid', arrival_date: time + day })
    }
  }

  holds(path: string): readonly Row[] {
    const type = typeOf(path)
    return type === 'line_item' ? this.#list('invoice').flatMap(lines) : this.#list(type).map((row) => this.#show(type, row))
  }

  mutate(): void {
    const made = this.serial()
    const customer = this.#add('customer', person(made))
    this.#change('customer', this.pick(this.#list('customer')), { name: `Renamed ${made}` })
    this.#change('invoice', this.pick(this.#list('invoice')), { status: 'open', number: `N-${made}` }, this.pick(invoiceEvents))
    this.#change('subscription', this.pick(this.#list('subscription')), { status: 'past_due' })
    this.#change('product', this.pick(this.#list('product')), { name: `Changed ${made}` })
    this.#remove('customer', String(this.pick(this.#list('customer').slice(1))['id']))
    // Events about other objects, and an object without an id: https://docs.stripe.com/api/events/types
    this.#note('customer.source.created', { id: `card_${made}`, object: 'card', customer: customer['id'] })
    this.#note('invoice.upcoming', { object: 'invoice', customer: customer['id'], created: seconds(), status: 'draft' })
    this.#refund({ charge: this.pick(this.#list('charge').filter((row) => row['amount'] !== row['amount_refunded']))['id'], amount: '1' })
  }

  protected answer(call: Call): Answer {
    const basic = `Basic ${Buffer.from(`${this.key}:`).toString('base64')}` // https://docs.stripe.com/api/authentication
    const given = call.headers.authorization ?? ''
    if (given !== `Bearer ${this.key}` && given !== basic) throw refuse(401, 'Invalid API Key provided: sk_test_******')
    if (!/^\d{4}-\d\d-\d\d/.test(String(call.headers['stripe-version']))) throw refuse(400, 'Invalid API version.') // /api/versioning
    const [base, path = '', id, part, ...rest] = call.path.slice(1).split('/').map(decodeURIComponent)
    if (call.path === '/v1/account' && call.method === 'GET') return kit.ok(account)
    const type = typeOf(path)
    const resource = resources.get(type)
    const missing = refuse(404, `Unrecognized request URL (${call.method}: ${call.path}).`)
    const hasLines = type === 'invoice' && part === 'lines' && call.method === 'GET'
    if (base !== 'v1' || resource === undefined || rest.length > 0 || (part !== undefined && !hasLines)) throw missing
    // The same key answers the same; another request with it fails: https://docs.stripe.com/api/idempotent_requests
    const other = refuse(400, 'Keys for idempotent requests can only be used with the same parameters.', { type: 'idempotency_error' })
    if (call.method === 'POST') return this.once(call.headers['idempotency-key'], call, () => this.#write(call, type, id), other)
    if (call.method === 'DELETE' && id !== undefined && resource['deletes'] === 'yes') return this.#remove(type, id)
    if (call.method !== 'GET') throw missing
    if (id === undefined) return this.#page(call, this.#filtered(call, type), type)
    if (id === 'search' && type === 'customer') return this.#search(call)
    const row = this.#find(type, id)
    if (hasLines) return this.#page(call, lines(row), 'line_item')
    check(call.query, ['expand'])
    return kit.ok(this.#show(type, row))
  }

  /** The newest first; the position is the last id, also of a record that was deleted meanwhile: https://docs.stripe.com/api/pagination */
  #page({ query, path }: Call, rows: readonly Row[], type: string): Answer {
    const filters = type === 'line_item' ? [] : [...kit.words(resources.get(type)?.['filters']), 'created']
    check(query, ['limit', 'starting_after', 'expand', ...filters])
    const after = query.get('starting_after')
    const all = type === 'line_item' ? rows : this.#table(type).all.toReversed()
    const index = after === null ? -1 : all.findIndex((row) => row['id'] === after)
    if (after !== null && index < 0) throw noSuch(type, after, 'starting_after')
    const left = rows.filter(Set.prototype.has, new Set(all.slice(index + 1)))
    const data = left.slice(0, this.pageSize(readLimit(query))).map((row) => structuredClone(this.#show(type, row)))
    this.between?.()
    return kit.ok({ object: 'list', url: path, has_more: left.length > data.length, data })
  }

  #filtered({ query }: Call, type: string): Row[] {
    const fits = (row: Row, [name, value]: readonly [string, string]): boolean => {
      const [, bound] = /^created(?:\[(gte|gt|lte|lt)\])?$/.exec(name) ?? [undefined, undefined]
      const own = Number(row['created']) - Number(value)
      if (name.startsWith('created')) return { gte: own >= 0, gt: own > 0, lte: own <= 0, lt: own < 0 }[bound ?? ''] ?? own === 0
      if (name === 'types[]') return query.getAll(name).includes(String(row['type']))
      if (name === 'type' && value.endsWith('*')) return String(row['type']).startsWith(value.slice(0, -1))
      if (['limit', 'starting_after', 'expand[]'].includes(name) || (name === 'status' && value === 'all')) return true
      return String(row[name]) === value
    }
    // Cancelled subscriptions are left out unless asked for: https://docs.stripe.com/api/subscriptions/list
    const isListed = (row: Row) => type !== 'subscription' || query.has('status') || row['status'] !== 'canceled'
    return this.#list(type).filter((row) => isListed(row) && [...query].every((one) => fits(row, one)))
  }

  /** Clauses that AND joins, a cursor in `page`: https://docs.stripe.com/search, https://docs.stripe.com/api/pagination/search */
  #search({ query, path }: Call): Answer {
    check(query, ['query', 'limit', 'page', 'expand'])
    const clauses = (query.get('query') ?? '').split(/ AND /i).map((clause) => /^(name|email):['"](.*)['"]$/.exec(clause.trim()) ?? [])
    if (clauses.some(({ length }) => length === 0)) throw refuse(400, 'We were unable to parse your search query.', { param: 'query' })
    const rows = this.#list('customer').filter((row) => clauses.every(([, field = '', value]) => row[field] === value))
    const from = Number(query.has('page') ? kit.unseal(query.get('page') ?? '')?.['from'] : 0)
    if (Number.isNaN(from)) throw refuse(400, 'Invalid page.', { param: 'page' })
    const to = from + this.pageSize(readLimit(query))
    const next_page = to < rows.length ? kit.seal({ from: to }) : null
    return kit.ok({ object: 'search_result', url: path, has_more: next_page !== null, next_page, data: rows.slice(from, to) })
  }

  #write({ body, headers }: Call, type: string, id: string | undefined): Answer {
    if (body !== '' && !headers['content-type']?.includes('x-www-form-urlencoded')) throw refuse(400, 'The body is not a form.')
    const form = kit.readForm(body) // https://docs.stripe.com/api/metadata shows the brackets
    const resource = resources.get(type)
    const allowed = kit.words(resource?.[id === undefined ? 'create' : 'update'])
    if (allowed.length === 0) throw refuse(404, 'Unrecognized request URL.')
    kit.refuseUnknown(Object.keys(form), [...allowed, 'expand'], unknown)
    const fields = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, kit.isRow(value) ? value : kit.typed(value)]))
    if (id !== undefined) return kit.ok(this.#change(type, this.#find(type, id), fields))
    kit.refuseLacking(form, resource?.['needs'], lacking)
    for (const name of ['customer', 'product']) if (form[name] !== undefined) this.#find(name, String(form[name]), name)
    if (type === 'subscription') fields['items'] = this.#items(fields['items'])
    return kit.ok(type === 'refund' ? this.#refund(form) : this.#show(type, this.#add(type, fields)))
  }

  /** A list of items with their prices: https://docs.stripe.com/api/subscriptions/object */
  #items(given: unknown): Row {
    const items = Object.values(kit.isRow(given) ? given : {}).map((item, at): Row => {
      const { price, quantity = 1 } = kit.isRow(item) ? item : {}
      return { id: `si_${at}`, object: 'subscription_item', price: this.#find('price', String(price), 'price'), quantity: Number(quantity) }
    })
    return { object: 'list', data: items, has_more: false, url: '/v1/subscription_items' }
  }

  /** A cancelled subscription stays, and only a draft can be deleted: /subscriptions/cancel, /invoices/delete of the reference. */
  #remove(type: string, id: string): Answer {
    const row = this.#table(type).need(id, noSuch(type, id))
    if (type === 'subscription') return kit.ok(this.#change(type, row, { status: 'canceled' }, 'deleted'))
    if (type === 'invoice' && row['status'] !== 'draft') throw refuse(400, 'You can only delete draft invoices.')
    if (this.#list('price').some((price) => price['product'] === id)) throw refuse(400, 'A product with prices stays.') // /products/delete
    this.#note(`${type}.deleted`, this.#show(type, row))
    this.#table(type).delete(row)
    return kit.ok({ id, object: type, deleted: true })
  }

  /** Not more than the charge has left: https://docs.stripe.com/api/refunds/create */
  #refund(form: Row): Row {
    const charge = this.#find('charge', String(form['charge'] ?? ''), 'charge')
    const left = Number(charge['amount']) - Number(charge['amount_refunded'])
    const amount = Number(form['amount'] ?? left)
    if (amount > left || left === 0) throw refuse(400, 'Charge has already been refunded.', { code: 'charge_already_refunded' })
    const row = this.#add('refund', { charge: charge['id'], amount, currency: 'usd', reason: form['reason'] ?? null, status: 'succeeded' })
    this.#change('charge', charge, { amount_refunded: Number(charge['amount']) - left + amount }, 'refunded')
    this.#note('charge.refund.updated', row) // the object is a refund: https://docs.stripe.com/api/events/types
    return row
  }

  readonly #list = (type: string): Row[] => this.#table(type).live().reverse()
  readonly #isDeleted = (type: string, row: Row): boolean => this.#table(type).isDeleted(row)
  /** A deleted customer answers `deleted: true`: https://docs.stripe.com/api/customers/retrieve */
  #find(type: string, id: string | undefined, param = 'id'): Row {
    const row = this.#table(type).find(id)
    if (row === undefined || (this.#isDeleted(type, row) && (type !== 'customer' || param !== 'id'))) throw noSuch(type, id, param)
    return row
  }

  /** An invoice has its first ten lines: https://docs.stripe.com/api/invoices/object */
  #show(type: string, row: Row): Row {
    if (this.#isDeleted(type, row)) return { id: row['id'], object: type, deleted: true }
    return type !== 'invoice' ? row : { ...row, lines: { object: 'list', data: lines(row).slice(0, 10), has_more: lines(row).length > 10 } }
  }

  #add(type: string, fields: Row, created = seconds()): Row {
    const id = `${resources.get(type)?.['id']}_${Math.floor(this.random() * 1e9).toString(36)}${this.serial()}`
    // A refund does not say whether money moves, and an event has no metadata: /refunds/object and /events/object of the reference
    const base = type === 'refund' ? { metadata: {} } : type === 'event' ? { livemode: false } : { livemode: false, metadata: {} }
    const row: Row = { id, object: type, created, ...base, ...blanks[type], ...fields }
    this.#table(type).add(row)
    if (type !== 'event') this.#note(`${eventName(type)}.created`, this.#show(type, row), created)
    return row
  }

  #change(type: string, row: Row, fields: Row, says = 'updated'): Row {
    if (this.#isDeleted(type, row)) throw noSuch(type, row['id'])
    Object.assign(row, fields)
    this.#note(`${eventName(type)}.${says}`, this.#show(type, row))
    return this.#show(type, row)
  }

  /** Kept for 30 days, with the object as it was: https://docs.stripe.com/api/events */
  #note(type: string, object: Row, created = seconds()): void {
    if (created < seconds() - 30 * day) return
    this.#add('event', { type, api_version: '2026-02-25.clover', data: { object: structuredClone(object) }, request: null }, created)
  }
}

const eventName = (type: string): string => (type === 'subscription' ? 'customer.subscription' : type)
