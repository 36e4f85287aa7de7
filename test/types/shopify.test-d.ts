/** What the compiler knows of a kind with integer ids, configuration that is needed, and pages that exclude filters. Never run. */
import {
  type ConfigurationOf,
  type CredentialsOf,
  connect,
  type Kinds,
  type MetaOf,
  type ParamsOf,
  type RecordOf,
  type VendorNotice,
} from '../../packages/ferrule/src/index.ts'
import { type Same, yes } from './same.ts'

type Shopify = Kinds['shopify']
type Entities = Shopify['entities']
const shopify = connect('shopify', { credentials: { api_key: 'shpat_a' }, config: { shop: 'my-store' } })
connect('shopify', { credentials: { api_key: 'shpat_a' }, config: { shop: 'my-store', api_version: '2026-07' }, limits: false })
yes<Same<Extract<CredentialsOf<Shopify>, { api_key: string }>['api_key'], string>>()
connect('shopify', { credentials: { client_id: 'a', client_secret: 'b' }, config: { shop: 'my-store' } })
connect('shopify', { credentials: { refresh_token: 'a', client_id: 'b', client_secret: 'c' }, config: { shop: 'my-store' } })
yes<Same<ConfigurationOf<Shopify>, { shop: string; api_version?: string }>>()
connect('shopify', {
  credentials: { api_key: 'shpat_a' },
  config: { shop: 'my-store' },
  onNotice: (notice) => {
    yes<Same<typeof notice, VendorNotice>>()
    if (notice.type === 'deprecated') yes<Same<typeof notice.reason, string>>()
  },
})

// Ids keep every digit
const orders = await shopify.orders.list()
const order = orders.data[0]
if (order === undefined) throw new Error('a type test is never run')
yes<Same<typeof order.id, number | bigint>>()
yes<Same<typeof order.checkout_id, number | bigint | null>>()
yes<Same<typeof order.total_price, string | null>>()
yes<Same<typeof order.customer, unknown>>()
await shopify.orders.get({ order_id: order.id })
await shopify.orders.get({ order_id: 5400000001201n })
await shopify.execute('customer_address', 'get', { customer_id: 1, address_id: 2n })

// Objects within records, names that are no identifiers, values of several types
yes<Same<NonNullable<typeof order.refunds>[number]['id'], number | bigint>>()
yes<Same<NonNullable<NonNullable<typeof order.refunds>[number]['transactions']>[number]['amount'], string | null>>()
yes<Same<RecordOf<Entities['draft_orders']>['b2b?'], boolean | null>>()
yes<Same<RecordOf<Entities['metafield_shops']>['value'], string | number | bigint | boolean | null>>()
yes<Same<RecordOf<Entities['shop']>['store_platform_domain'], string | null>>()
const { data: store } = await shopify.shop.get()
yes<Same<typeof store.id, number | bigint>>()

// Parameters: what may be left out may be null
type OrderParams = ParamsOf<Entities['orders'], 'list'>
yes<Same<OrderParams['status'], 'open' | 'closed' | 'cancelled' | 'any' | null | undefined>>()
yes<Same<OrderParams['since_id'], number | bigint | null | undefined>>()
yes<Same<ParamsOf<Entities['order_refunds'], 'list'>['order_id'], number | bigint>>()
yes<Same<ParamsOf<Entities['customers'], 'get'>, { customer_id: number | bigint }>>()
await shopify.customers.list({ since_id: null, page_info: 'x' })

// The next page is merged into the parameters of this one
let params: OrderParams = { status: 'any', limit: 250 }
for (;;) {
  const page = await shopify.orders.list(params)
  yes<Same<typeof page.meta.next_page_url, string | null>>()
  yes<Same<typeof page.meta.next_params, Partial<OrderParams> | null>>()
  if (page.meta.next_params === null) break
  params = { ...params, ...page.meta.next_params }
}
const refunds = await shopify.order_refunds.list({ order_id: 1 })
await shopify.order_refunds.list({ order_id: 1, limit: 5, ...refunds.meta.next_params })
yes<Same<MetaOf<Entities['countries']>['next_page_url'], string | null>>()
for await (const record of shopify.metafield_products.records({ product_id: 1 })) yes<Same<typeof record.key, string | null>>()
for await (const page of shopify.pages('inventory_items', { ids: '1,2' })) yes<Same<typeof page.meta.next_page_url, string | null>>()
