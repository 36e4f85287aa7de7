/** The scopes of the imitated API that reading needs. */
const allScopes: readonly string[] = [
  'read_customers',
  'read_orders',
  'read_all_orders',
  'read_products',
  'read_inventory',
  'read_locations',
  'read_price_rules',
  'read_discounts',
  'read_draft_orders',
  'read_shipping',
  'read_merchant_managed_fulfillment_orders',
  'read_assigned_fulfillment_orders',
  'read_third_party_fulfillment_orders',
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

/** What a token allows; undefined for one that is refused. */
export function accessOf(token: string): Access | undefined {
  return accesses.get(token)
}
