import { connector, find, normalised, opt, secret, str } from '../../definition/index.ts'
import { collects, custom_collections, smart_collections } from './collections.ts'
import { customer_address, customers } from './customers.ts'
import { discount_codes, price_rules } from './discounts.ts'
import { inventory_items, inventory_levels } from './inventory.ts'
import {
  metafield_customers,
  metafield_draft_orders,
  metafield_locations,
  metafield_orders,
  metafield_product_images,
  metafield_product_variants,
  metafield_products,
  metafield_shops,
  metafield_smart_collections,
} from './metafields.ts'
import {
  abandoned_checkouts,
  draft_orders,
  fulfillment_orders,
  fulfillments,
  order_refunds,
  orders,
  tender_transactions,
  transactions,
} from './orders.ts'
import { product_images, product_variants, products } from './products.ts'
import { countries, locations, shop } from './store.ts'

/** The requested API version, unless the connector's configuration names another. */
const version = '2026-07'

/** Shopify, Admin REST API. */
export const shopify = connector({
  kind: 'shopify',
  title: 'Shopify',
  category: 'commerce store',
  about: 'A store: customers, orders, products, inventory, discounts, collections, payments and metafields',
  id: '9da77001-af33-4bcd-be46-6252bf9342b9',
  documentation: 'https://shopify.dev/docs/api/admin-rest',
  origins: { api: 'https://{shop}.myshopify.com' },
  prefix: '/admin/api/{api_version}',
  version: {
    configuration: 'api_version',
    header: 'x-shopify-api-version',
    deprecation: 'x-shopify-api-deprecated-reason',
    supportedUntil: '2027-07-01',
  },
  credentials: {
    token: {
      title: 'Token',
      fields: {
        api_key: find(
          {
            says: 'A custom app of the store shows the token once; it begins with shpat_, and a value with shpss_ is the secret of the app instead.',
            menu: 'Settings > Apps and sales channels > Develop apps',
          },
          secret('Access token of the Admin API, for example shpat_…'),
        ),
      },
      send: { headers: { 'x-shopify-access-token': '{api_key}' } },
    },
  },
  configuration: {
    shop: find(
      { says: "The address of the store's admin ends with the name: admin.shopify.com/store/my-store." },
      normalised(
        [
          '^([a-z0-9][a-z0-9_-]{0,62})$',
          '^(?:https?://)?([a-z0-9][a-z0-9_-]{0,62})\\.myshopify\\.com/?$',
          '^(?:https://)?admin\\.shopify\\.com/store/([a-z0-9][a-z0-9_-]{0,62})/?$',
        ],
        str('Name of the store: the part before .myshopify.com', {
          pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
          says: 'must be the name of the store before .myshopify.com, such as my-store; a domain of its own does not serve the Admin API',
        }),
      ),
    ),
    api_version: opt(
      find(
        { says: 'Leave the version out unless you need another one.' },
        str(`Version of the Admin API, YYYY-MM; ${version} when it is left out`, {
          pattern: '^\\d{4}-(01|04|07|10)$',
          default: version,
          says: 'must be a version such as 2026-07',
        }),
      ),
    ),
  },
  pages: {
    next_page_url: {
      shape: 'next_page_url',
      read: { next_page_url: 'link:next' },
      next: { meta: 'next_page_url', param: 'page_info', from: 'page_info' },
      url: 'next_page_url',
      alone: ['limit'],
    },
  },
  problem: { message: ['errors', 'error_description', 'error'], requestId: 'header:x-request-id' },
  errors: [
    {
      status: 400,
      sent: 'page_info',
      matches: 'page_info',
      is: 'invalid_cursor',
      hint: 'Positions of Shopify end after a while: start again without one.',
    },
    { status: 400, is: 'upstream_invalid_request' },
    { status: 401, is: 'upstream_auth_failed', hint: 'Tokens of newer apps end after a day: put a new one into the connector.' },
    { status: 402, is: 'upstream_account_unavailable' },
    { status: 403, matches: 'Unavailable Shop', is: 'upstream_account_unavailable' },
    {
      status: 403,
      matches: 'protected customer data',
      is: 'upstream_permission_denied',
      hint: 'The app needs the approval of Shopify for protected customer data.',
    },
    {
      status: 403,
      is: 'upstream_permission_denied',
      hint: 'Grant the scope to the app in the admin of the store; the connector stays active.',
    },
    { status: 404, actions: ['get'], matches: '^Not Found$', is: 'record_not_found', gone: true },
    { status: 404, matches: '.', is: 'record_not_found' },
    // Only the API uses these words. A page without them comes from an address without a store.
    {
      status: 404,
      is: 'record_not_found',
      hint: 'Check the shop (a value of the configuration): Shopify answered without the words of its API, as it does where no store has this name.',
    },
    // Some limits are answered with 422 and these words: https://github.com/nozzlegear/ShopifySharp/pull/352
    { status: 422, matches: 'too many requests', is: 'upstream_rate_limited', wait: { first: 2, longest: 60 } },
    { status: 423, is: 'upstream_account_unavailable' },
    { status: 429, is: 'upstream_rate_limited' },
    {
      status: 430,
      is: 'upstream_account_unavailable',
      hint: 'Shopify took the requests for an attack: stop for a while, and ask its support when it lasts.',
    },
    { statuses: [405, 406], is: 'upstream_unsupported' },
    { status: 415, is: 'upstream_unsupported' },
    { status: 501, is: 'upstream_unsupported' },
    { statuses: [400, 499], is: 'upstream_invalid_request' },
    { statuses: [500, 599], is: 'upstream_error' },
    { status: 783, is: 'upstream_invalid_request' },
  ],
  // Standard plan; the header shows a larger plan. The vendor counts by app and store, and a token belongs to one app in one store.
  limits: { key: ['api_key'], bucket: { header: 'x-shopify-shop-api-call-limit', size: 40, perSecond: 2 } },
  account: { entity: 'shop', action: 'get', params: {}, id: 'id' },
  check: {
    entity: 'shop',
    action: 'get',
    params: {},
    scopes: { call: 'GET /admin/oauth/access_scopes.json', at: 'access_scopes', name: 'handle' },
  },
  entities: {
    customers,
    orders,
    products,
    product_variants,
    product_images,
    abandoned_checkouts,
    locations,
    inventory_levels,
    inventory_items,
    shop,
    price_rules,
    discount_codes,
    custom_collections,
    smart_collections,
    collects,
    draft_orders,
    fulfillments,
    order_refunds,
    transactions,
    tender_transactions,
    countries,
    metafield_shops,
    metafield_customers,
    metafield_products,
    metafield_orders,
    metafield_draft_orders,
    metafield_locations,
    metafield_product_variants,
    metafield_smart_collections,
    metafield_product_images,
    customer_address,
    fulfillment_orders,
  },
})
