import { hash32 } from '../random.ts'
import { gid } from './ids.ts'
import { amount, currency } from './money.ts'
import type { Rows } from './rows.ts'
import { orderCapacity, orderedAt, ordersUntil } from './schedule.ts'
import { minute, shopTime } from './time.ts'
import type { Place } from './words.ts'
import { companies, familyNames, givenNames, notes, places, streets, tagWords } from './words.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, draw, edited, idIn, perStore, randomOf } from './world.ts'

/** A person with a place, drawn for a customer or a one-time buyer. */
export interface Person {
  readonly first: string
  readonly last: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly company: string | null
  readonly place: Place
}

/** Every so many orders a new customer registers. */
const ordersPerCustomer = 4

/** Addresses per customer at most. */
export const addressWidth = 16

/** The customer with more addresses than its record embeds. */
export const customerWithManyAddresses = 40

const embeddedAddresses = 10
const states = ['disabled', 'disabled', 'enabled', 'enabled', 'invited', 'declined'] as const

/** When a customer registers, epoch milliseconds: shortly before an order. */
export function registeredAt(seed: number, customer: number): number {
  return orderedAt(seed, customer * ordersPerCustomer) - 10 * minute
}

/** How many customers there are at a moment, destroyed ones included. */
export function customersUntil(seed: number, moment: number): number {
  return Math.ceil(ordersUntil(seed, moment + 10 * minute) / ordersPerCustomer)
}

/** The customer of an order; undefined when the order has none. */
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

/** The orders of a customer until now, newest first. */
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
    place: random.pick(places),
  }
}

/** An address as orders, drafts and checkouts have it: without id. */
export function orderAddress({ first, last, phone, street, company, place }: Person): JsonRecord {
  const { city, zip, province, country, latitude, longitude, country_code, province_code } = place
  return {
    first_name: first,
    address1: street,
    phone,
    city,
    zip,
    province,
    country,
    last_name: last,
    address2: '',
    company,
    latitude,
    longitude,
    name: `${first} ${last}`,
    country_code,
    province_code,
  }
}

/** How many addresses a customer has. */
export function addressCount(view: View, customer: number): number {
  return customer === customerWithManyAddresses ? 14 : draw(view, 4, 'addresses', customer)
}

/** One address of a customer. */
export function addressRecord(view: View, customer: number, index: number): JsonRecord {
  const { first, last, phone, street, company, place } = personOf(view, 'address', customer, index)
  const owner = index === 0 ? personOf(view, customer) : { first, last }
  return {
    id: idIn(view, 'addresses', customer * addressWidth + index),
    customer_id: idIn(view, 'customers', customer),
    first_name: owner.first,
    last_name: owner.last,
    company,
    address1: street,
    address2: index % 3 === 2 ? null : '',
    city: place.city,
    province: place.province,
    country: place.country,
    zip: place.zip,
    phone,
    name: `${owner.first} ${owner.last}`,
    province_code: place.province_code,
    country_code: place.country_code,
    country_name: place.country,
    default: index === 0,
  }
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

/** The fields that a customer has wherever it is embedded. */
export function briefCustomer(view: View, customer: number): JsonRecord {
  const person = personOf(view, customer)
  const random = randomOf(view, 'customer', customer)
  const anonymous = customer % 23 === 5
  return {
    id: idIn(view, 'customers', customer),
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
    admin_graphql_api_id: gid('Customer', idIn(view, 'customers', customer)),
    ...(addressCount(view, customer) > 0 ? { default_address: addressRecord(view, customer, 0) } : {}),
  }
}

/** When a customer was last changed: at registration, at its newest order, by an edit. */
function customerChanged(view: View, customer: number): number {
  const order = ordersOf(view, customer)[0]
  const natural = order === undefined ? registeredAt(view.seed, customer) : orderedAt(view.seed, order)
  return changedAt(view, { kind: 'customers', position: customer }, natural)
}

/**
 * The customers of the store.
 *
 * @param view - the store
 * @param spentIn - cents that an order cost its customer
 */
export function customerRows(view: View, spentIn: (order: number) => number): Rows {
  const record = (customer: number): JsonRecord => {
    const orders = ordersOf(view, customer)
    const spent = orders.reduce((sum, order) => sum + spentIn(order), 0)
    const last = orders[0]
    const addresses = Math.min(addressCount(view, customer), embeddedAddresses)
    return edited(
      view,
      { kind: 'customers', position: customer },
      {
        ...briefCustomer(view, customer),
        orders_count: orders.length,
        total_spent: amount(spent),
        last_order_id: last === undefined ? null : idIn(view, 'orders', last),
        last_order_name: last === undefined ? null : `#${1001 + last}`,
        addresses: Array.from({ length: addresses }, (_, index) => addressRecord(view, customer, index)),
      },
    )
  }
  return {
    size: customersUntil(view.seed, view.now),
    id: (customer) => idIn(view, 'customers', customer),
    visible: (customer) => destroyedAt(view, { kind: 'customers', position: customer }) === undefined,
    times: {
      created_at: (customer) => registeredAt(view.seed, customer),
      updated_at: (customer) => customerChanged(view, customer),
    },
    newestFirst: true,
    record,
  }
}
