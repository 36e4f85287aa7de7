import { password } from '../consent.ts'
import { wordsOf } from '../data.ts'

/** The scopes of the imitated API that reading needs. */
const allScopes = [
  ...wordsOf('read_customers, read_orders, read_all_orders, read_products, read_inventory, read_locations, read_price_rules'),
  ...wordsOf('read_discounts, read_draft_orders, read_shipping, read_merchant_managed_fulfillment_orders'),
  ...wordsOf('read_assigned_fulfillment_orders, read_third_party_fulfillment_orders'),
]

const tokenOf = (last: number) => `shpat_${String(last).padStart(32, '0')}`

/** Credentials that every sandbox accepts; they are public and open nothing else. */
export const shopifyCredentials = {
  /** The `shop` of a connector. */
  shop: 'sandbox-store',
  /** Has every scope. */
  token: tokenOf(0),
  /** Lacks read_all_orders: orders of the last 60 days only. */
  recentOrdersToken: tokenOf(1),
  /** Has read_products and read_locations only. */
  limitedToken: tokenOf(2),
  /** Has every scope, but its app may not read protected customer data. */
  unapprovedToken: tokenOf(3),
  /** Is refused. */
  revokedToken: tokenOf(4),
  /** Of the app that asks on the consent page, and that gets tokens for itself. */
  clientId: 'sandbox-shopify-client',
  clientSecret: 'sandbox-shopify-client-secret',
  /** Scopes that the app can ask for: Shopify gives read_all_orders on request only. */
  appScopes: allScopes.filter((scope) => scope !== 'read_all_orders'),
  /** Owner of the store: may install apps. */
  owner: 'owner@sandbox-store.example',
  /** Works in the store, may not install apps. */
  staff: 'staff@sandbox-store.example',
  /** Of everybody who signs in on the consent page. */
  password,
} as const

/** What a token allows. */
export interface Access {
  readonly scopes: readonly string[]
  readonly customerData: boolean
}

const accesses: ReadonlyMap<string, Access> = new Map([
  [shopifyCredentials.token, { scopes: allScopes, customerData: true }],
  [shopifyCredentials.recentOrdersToken, { scopes: allScopes.filter((scope) => scope !== 'read_all_orders'), customerData: true }],
  [shopifyCredentials.limitedToken, { scopes: ['read_products', 'read_locations'], customerData: true }],
  [shopifyCredentials.unapprovedToken, { scopes: allScopes, customerData: false }],
])

/** Returns what a token allows; undefined for one that is refused. */
export const accessOf = (token: string): Access | undefined => accesses.get(token)

/** The first version of the imitated API that has a date as its name. */
const firstVersion = '2019-04'

const releaseHour = 17

/** Returns when a version was, or will be, released: the first day of its month, 17:00 UTC. */
const releasedAt = (year: number, month: number): number => Date.UTC(year, month - 1, 1, releaseHour)

/** Returns the oldest version that is supported at a time: each is for twelve months. */
export function oldestVersion(now: number): string {
  const past = new Date(now)
  let [year, month] = [past.getUTCFullYear() - 1, Math.floor(past.getUTCMonth() / 3) * 3 + 1]
  // The newest version that ran out is the one released a year ago or earlier; its successor is the oldest one left.
  if (releasedAt(year + 1, month) <= now) [year, month] = month === 10 ? [year + 1, 1] : [year, month + 3]
  return `${year}-${String(month).padStart(2, '0')}`
}

/**
 * Returns the version that answers a request: an older one than those that are supported falls forward. @returns undefined for a version
 * that was never or is not yet released
 */
export function answeringVersion(asked: string | undefined, now: number): string | undefined {
  const oldest = oldestVersion(now)
  if (asked === undefined) return oldest
  const [, year, month] = /^(\d{4})-(01|04|07|10)$/.exec(asked) ?? []
  if (year === undefined || asked < firstVersion || releasedAt(Number(year), Number(month)) > now) return undefined
  return asked < oldest ? oldest : asked
}
