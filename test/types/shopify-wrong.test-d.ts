/** Wrong uses of a kind with integer ids and configuration that is needed: each is a compile error. Never run. */
import { connect } from '../../packages/ferrule/src/index.ts'

const credentials = { api_key: 'shpat_a' }
const config = { shop: 'my-store' }
const shopify = connect('shopify', { credentials, config })

// @ts-expect-error the configuration is needed
connect('shopify', { credentials })
// @ts-expect-error the store is needed
connect('shopify', { credentials, config: {} })
// @ts-expect-error a name is a text
connect('shopify', { credentials, config: { shop: 7 } })
// @ts-expect-error a configuration field that there is not
connect('shopify', { credentials, config: { shop: 'my-store', store: 'my-store' } })
// @ts-expect-error credentials of another kind
connect('shopify', { credentials: { access_key: 'a', access_key_secret: 'b' }, config })

// @ts-expect-error an id is a number
await shopify.orders.get({ order_id: '5400000001201' })
// @ts-expect-error an id that is required is not null
await shopify.orders.get({ order_id: null })
// @ts-expect-error both ids are required
await shopify.customer_address.get({ address_id: 2 })
// @ts-expect-error the order is required beside the position
await shopify.order_refunds.list({ page_info: 'x' })
// @ts-expect-error ids of a list are one text
await shopify.inventory_items.list({ ids: [1, 2] })
// @ts-expect-error a status that there is not
await shopify.orders.list({ status: 'shipped' })
// @ts-expect-error countries are not paged
await shopify.countries.list({ page_info: 'x' })
// @ts-expect-error checkouts can only be listed
await shopify.abandoned_checkouts.get({ checkout_id: 1 })
// @ts-expect-error the store cannot be listed
await shopify.shop.list()
// @ts-expect-error there is one store
await shopify.shop.get({ id: 1 })
// @ts-expect-error search is offered by the hosted platform only
await shopify.customers.context_store_search({ query: {} })
// @ts-expect-error the documents have another name
for await (const { myshopify_domain } of [(await shopify.shop.get()).data]) console.log(myshopify_domain)
// @ts-expect-error money is a text
for await (const { total_price } of shopify.orders.records()) console.log((total_price ?? 0) * 2)
// @ts-expect-error an id may be too large for a number
for await (const { id } of shopify.orders.records()) console.log(Math.max(id))
// @ts-expect-error the last page has no next one
for await (const { meta } of shopify.orders.pages()) console.log(new URL(meta.next_page_url))
