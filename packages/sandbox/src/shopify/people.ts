import { hash32 } from '../random.ts'
import { orderName, spentIn } from './plans.ts'
import { listRows, noTimes, type Rows, recordsOf } from './rows.ts'
import { amount, companies, currency, familyNames, givenNames, notes, streets, type Town, tagWords, towns } from './words.ts'
import {
  changedAt,
  draw,
  gid,
  idIn,
  type JsonRecord,
  minute,
  orderCapacity,
  orderedAt,
  ordersUntil,
  perStore,
  randomOf,
  shopTime,
  type View,
} from './world.ts'

interface Person {
  readonly first: string
  readonly last: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly company: string | null
  readonly town: Town
}

/** Every so many orders a new customer registers. */
const ordersPerCustomer = 4

const addressWidth = 16

/** The customer with more addresses than its record embeds. */
export const customerWithManyAddresses = 40

const embeddedAddresses = 10
const states = ['disabled', 'disabled', 'enabled', 'enabled', 'invited', 'declined'] as const

/** Returns when a customer registers, epoch milliseconds: shortly before an order. */
export const registeredAt = (seed: number, customer: number): number => orderedAt(seed, customer * ordersPerCustomer) - 10 * minute

/** Returns how many customers there are at a time, destroyed ones included. */
export const customersUntil = (seed: number, moment: number): number =>
  Math.ceil(ordersUntil(seed, moment + 10 * minute) / ordersPerCustomer)

/** Returns the customer of an order; undefined when the order has none. */
export function customerOf(seed: number, order: number): number | undefined {
  if (order % 25 === 11) return undefined
  const newest = Math.floor(order / ordersPerCustomer)
  const customer = order % ordersPerCustomer === 0 ? newest : hash32('customer of', seed, order) % (newest + 1)
  // Every tenth customer never buys.
  return customer % 10 === 9 ? customer - 1 : customer
}

/** Orders of each customer, newest first: the first by customer, the next by order; -1 ends. */
const buyers = perStore((seed) => {
  const newest = new Int32Array(orderCapacity / ordersPerCustomer).fill(-1)
  const older = new Int32Array(orderCapacity).fill(-1)
  for (let order = 0; order < orderCapacity; order += 1) {
    const customer = customerOf(seed, order)
    if (customer === undefined) continue
    older[order] = newest[customer] ?? -1
    newest[customer] = order
  }
  return { newest, older }
})

/** Returns the orders of a customer until now, newest first. */
export function ordersOf(view: View, customer: number): readonly number[] {
  const { newest, older } = buyers(view)
  const known = ordersUntil(view.seed, view.now)
  const orders: number[] = []
  for (let order = newest[customer] ?? -1; order >= 0; order = older[order] ?? -1) if (order < known) orders.push(order)
  return orders
}

/** Draws a person. */
export function personOf(view: View, ...parts: readonly (number | string)[]): Person {
  const random = randomOf(view, 'person', ...parts)
  const first = random.pick(givenNames)
  const last = random.pick(familyNames)
  const plain = `${first}.${last}`
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replace(/[^A-Za-z.]/g, '')
    .toLowerCase()
  return {
    first,
    last,
    email: `${plain}${parts.at(-1)}@example.test`,
    phone: `+4915${random.int(100_000_000, 999_999_999)}`,
    street: `${random.pick(streets)} ${random.int(1, 98)}`,
    company: random.chance(0.1) ? random.pick(companies) : null,
    town: random.pick(towns),
  }
}

/** Returns an address as orders, drafts and checkouts have it: without id. */
export function orderAddress({ first, last, phone, street, company, town }: Person): JsonRecord {
  const name = { first_name: first, last_name: last, name: `${first} ${last}`, company, phone }
  return { ...name, address1: street, address2: '', ...town }
}

/** Returns how many addresses a customer has. */
export const addressCount = (view: View, customer: number): number =>
  customer === customerWithManyAddresses ? 14 : draw(view, 4, 'addresses', customer)

function addressFields(view: View, position: number): JsonRecord {
  const [customer, index] = [Math.floor(position / addressWidth), position % addressWidth]
  const person = personOf(view, 'address', customer, index)
  const { first, last } = index === 0 ? personOf(view, customer) : person
  const { latitude: _, longitude: __, ...town } = person.town
  return {
    customer_id: idIn(view, 'customers', customer),
    first_name: first,
    last_name: last,
    name: `${first} ${last}`,
    company: person.company,
    phone: person.phone,
    address1: person.street,
    address2: index % 3 === 2 ? null : '',
    ...town,
    country_name: town.country,
    default: index === 0,
  }
}

/** Returns the addresses of a customer, so many at most. */
export function addressRows(view: View, customer: number, most = addressWidth): Rows {
  const from = customer * addressWidth
  const to = from + Math.min(addressCount(view, customer), most)
  return listRows(view, { kind: 'addresses', positions: { from, to }, times: noTimes, fields: (position) => addressFields(view, position) })
}

function consents(view: View, customer: number): JsonRecord {
  const random = randomOf(view, 'consent', customer)
  const state = random.pick(['subscribed', 'not_subscribed', 'unsubscribed'])
  const changed = state === 'not_subscribed' ? null : shopTime(registeredAt(view.seed, customer))
  const email = { state, opt_in_level: random.chance(0.8) ? 'single_opt_in' : null, consent_updated_at: changed }
  return {
    email_marketing_consent: random.chance(0.9) ? email : null,
    sms_marketing_consent: random.chance(0.4) ? { ...email, consent_collected_from: 'OTHER' } : null,
  }
}

function briefFields(view: View, customer: number): JsonRecord {
  const person = personOf(view, customer)
  const random = randomOf(view, 'customer', customer)
  const anonymous = customer % 23 === 5
  const [address] = recordsOf(addressRows(view, customer, 1))
  return {
    email: anonymous ? null : person.email,
    created_at: shopTime(registeredAt(view.seed, customer)),
    updated_at: shopTime(customerChanged(view, customer)),
    first_name: anonymous ? null : person.first,
    last_name: anonymous ? null : person.last,
    state: random.pick(states),
    note: random.chance(0.1) ? random.pick(notes) : null,
    verified_email: random.chance(0.9),
    multipass_identifier: null,
    tax_exempt: random.chance(0.03),
    tags: random.chance(0.3) ? `${random.pick(tagWords)}, vip` : '',
    currency,
    phone: anonymous || random.chance(0.3) ? person.phone : null,
    tax_exemptions: [],
    ...consents(view, customer),
    ...(address ? { default_address: address } : {}),
  }
}

function customerChanged(view: View, customer: number): number {
  const order = ordersOf(view, customer)[0]
  const natural = order === undefined ? registeredAt(view.seed, customer) : orderedAt(view.seed, order)
  return changedAt(view, { kind: 'customers', position: customer }, natural)
}

/** Returns a customer as it is embedded elsewhere. */
export function briefCustomer(view: View, customer: number): JsonRecord {
  const id = idIn(view, 'customers', customer)
  return { id, ...briefFields(view, customer), admin_graphql_api_id: gid('Customer', id) }
}

/** Returns the customers of the store. */
export function customerRows(view: View): Rows {
  const fields = (customer: number): JsonRecord => {
    const orders = ordersOf(view, customer)
    const last = orders[0]
    return {
      ...briefFields(view, customer),
      orders_count: orders.length,
      total_spent: amount(orders.reduce((sum, order) => sum + spentIn(view, order), 0)),
      last_order_id: last === undefined ? null : idIn(view, 'orders', last),
      last_order_name: last === undefined ? null : orderName(last),
      addresses: recordsOf(addressRows(view, customer, embeddedAddresses)),
    }
  }
  return listRows(view, {
    kind: 'customers',
    positions: { from: 0, to: customersUntil(view.seed, view.now) },
    times: { created_at: (customer) => registeredAt(view.seed, customer), updated_at: (customer) => customerChanged(view, customer) },
    newestFirst: true,
    fields,
  })
}
