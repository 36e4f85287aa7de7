import { connector, find, normalised, opt, secret, str, time, type WebhookRule, type Webhooks } from '../../definition/index.ts'
import { customer_address, customers } from './customers.ts'
import { discount_codes, price_rules } from './discounts.ts'
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
import {
  collects,
  custom_collections,
  inventory_items,
  inventory_levels,
  product_images,
  product_variants,
  products,
  smart_collections,
} from './products.ts'
import { countries, locations, shop } from './store.ts'

/** The requested API version, unless the connector's configuration names another. */
const version = '2026-07'

const dashboard = { menu: 'Dev Dashboard > Apps > your app > Settings', url: 'https://dev.shopify.com/dashboard' }
const clientId = str('Client id of the app', { minLength: 1 })
const clientSecret = secret('Client secret of the app')
const expiry = opt(
  find(
    { says: 'Shopify returns the lifetime in seconds with the access token; leave the date out if you do not know it.' },
    time('When the access token expires'),
  ),
)

/** The scopes of all entities. Shopify gives `read_all_orders` to apps on request only, and refuses the page to others. */
const scopes = [
  'read_customers',
  'read_orders',
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

/** How an app gets tokens. Some refusals are pages: https://github.com/Shopify/omniauth-shopify-oauth2/issues/85 */
const exchange = {
  call: 'POST /admin/oauth/access_token',
  as: 'form',
  expires: { seconds: 'expires_in', field: 'token_expiry_date' },
  refusal: 'Oauth error ',
} as const
const app = { client_id: 'client_id', client_secret: 'client_secret' }

const changed = (entity: string, rest: Partial<WebhookRule> = {}): WebhookRule => ({
  does: 'changed',
  entity,
  key: ['id'],
  version: 'updated_at',
  ...rest,
})
const removed = (entity: string): WebhookRule => ({ does: 'removed', entity, key: ['id'] })
/** Names the records below a product, which has no copy itself. Shopify reports a product when its variants or its images change. */
const ofProduct = (does: 'changed' | 'removed'): readonly WebhookRule[] =>
  ['product_variants', 'product_images'].map((entity) => ({ does, entity, under: { product_id: 'id' } }))
/** Names what must be forgotten. Bodies of orders and of `customers/data_request` name a customer too, and could be sent again. */
const forgotten = (entity: string, named: Pick<WebhookRule, 'key' | 'under'>): WebhookRule => ({
  does: 'redact',
  entity,
  needs: ['orders_to_redact'],
  ...named,
})

const level = { key: ['location_id', 'inventory_item_id'] }

/**
 * What Shopify sends when something changes: https://shopify.dev/docs/apps/build/webhooks/delivery-structure, and the topics of privacy that
 * every public app takes: https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance. Only the body is signed, so the body of what
 * concerns the whole store must name the store.
 */
const webhooks: Webhooks = {
  signature: {
    scheme: 'hmac',
    secret: 'client_secret',
    find: {
      says: 'Shopify signs with the client secret of the app; webhooks that are made in the admin of the store have a secret of their own, which stands below them.',
      menu: 'Settings > Notifications > Webhooks',
    },
    header: 'x-shopify-hmac-sha256',
    encoding: 'base64',
  },
  account: { at: ['header:x-shopify-shop-domain', 'myshopify_domain', 'shop_domain'], is: '{shop}.myshopify.com' },
  id: ['header:x-shopify-webhook-id'],
  topic: ['header:x-shopify-topic'],
  events: {
    'customers/*': changed('customers'),
    'customers/delete': removed('customers'),
    'customers/redact': [
      forgotten('customers', { key: ['customer.id'] }),
      forgotten('orders', { key: ['orders_to_redact[]'] }),
      forgotten('draft_orders', { under: { order_id: 'orders_to_redact[]' } }),
      forgotten('draft_orders', { under: { email: 'customer.email' } }),
      forgotten('abandoned_checkouts', { under: { email: 'customer.email' } }),
      forgotten('abandoned_checkouts', { under: { phone: 'customer.phone' } }),
    ],
    'orders/*': changed('orders'),
    'orders/edited': { does: 'changed', entity: 'orders', key: ['order_edit.order_id'] },
    'orders/delete': removed('orders'),
    'refunds/create': changed('order_refunds', { version: 'created_at', parameters: { order_id: 'order_id', refund_id: 'id' } }),
    'fulfillments/*': changed('fulfillments', { parameters: { order_id: 'order_id', fulfillment_id: 'id' } }),
    'draft_orders/*': changed('draft_orders'),
    'draft_orders/delete': removed('draft_orders'),
    'products/*': ofProduct('changed'),
    'products/delete': [
      ...ofProduct('removed'),
      { does: 'removed', entity: 'metafield_products', under: { owner_id: 'id' }, parameters: { product_id: 'id' } },
    ],
    // A collection does not say of which sort it is.
    'collections/*': [changed('custom_collections'), changed('smart_collections')],
    'collections/delete': [removed('custom_collections'), removed('smart_collections')],
    'inventory_items/*': changed('inventory_items'),
    'inventory_items/delete': removed('inventory_items'),
    // A level can only be read with all others of its location.
    'inventory_levels/*': changed('inventory_levels', { ...level, parameters: { location_id: 'location_id' } }),
    'inventory_levels/disconnect': { does: 'removed', entity: 'inventory_levels', ...level },
    'locations/*': changed('locations'),
    'locations/delete': removed('locations'),
    'shop/update': changed('shop'),
    'shop/redact': { does: 'redact', key: ['shop_domain'] },
    'app/uninstalled': { does: 'uninstalled', key: ['myshopify_domain'] },
  },
  // https://shopify.dev/docs/api/admin-rest/latest/resources/webhook: one subscription for each topic and address of an app.
  subscribe: {
    call: 'POST /webhooks.json',
    body: { webhook: { topic: '{topic}', address: '{address}', format: 'json' } },
    topics: [
      ...['customers', 'draft_orders', 'products', 'collections', 'inventory_items', 'locations'].flatMap((name) =>
        ['create', 'update', 'delete'].map((verb) => `${name}/${verb}`),
      ),
      ...['orders/create', 'orders/updated', 'orders/delete', 'refunds/create', 'fulfillments/create', 'fulfillments/update'],
      ...['inventory_levels/update', 'inventory_levels/disconnect', 'app/uninstalled'],
    ],
    known: 'already been taken',
  },
}

/** Shopify, Admin REST API. */
export const shopify = connector({
  kind: 'shopify',
  title: 'Shopify',
  category: 'commerce store',
  about: 'A store: customers, orders, products, inventory, discounts, collections, payments and metafields',
  id: '9da77001-af33-4bcd-be46-6252bf9342b9',
  documentation: 'https://shopify.dev/docs/api/admin-rest',
  origins: { api: 'https://{shop}.myshopify.com', oauth: 'https://{shop}.myshopify.com' },
  prefix: '/admin/api/{api_version}',
  version: {
    configuration: 'api_version',
    header: 'x-shopify-api-version',
    deprecation: 'x-shopify-api-deprecated-reason',
    supportedUntil: '2027-07-01',
  },
  credentials: {
    token: {
      title: 'Token of an app made before 2026',
      fields: {
        api_key: find(
          {
            says: 'Custom apps made in the admin before 2026 showed it once. It begins with shpat_; one with shpss_ is a secret. Newer apps have a client id and client secret instead.',
            menu: 'Settings > Apps and sales channels > Develop apps',
          },
          secret('Access token of the Admin API, for example shpat_…'),
        ),
      },
      send: { headers: { 'x-shopify-access-token': '{api_key}' } },
    },
    // Apps of the Dev Dashboard, in stores of the same organization (RFC 6749 section 4.4). Tokens end after a day.
    client_credentials: {
      title: 'Client id and secret of your own app',
      fields: {
        client_id: find({ says: 'Shopify shows the client id in the settings of your app.', ...dashboard }, clientId),
        client_secret: find(
          { says: 'Shopify shows the client secret in the settings of your app; install the app in the store first.', ...dashboard },
          clientSecret,
        ),
        access_token: opt(
          find({ says: 'Shopify gives it for the client id and the client secret; leave it out.' }, secret('Access token')),
        ),
        token_expiry_date: expiry,
      },
      send: { headers: { 'x-shopify-access-token': '{access_token}' } },
      exchange: {
        ...exchange,
        read: { access_token: 'access_token' },
        refresh: { constant: { grant_type: 'client_credentials' }, send: app },
      },
    },
    oauth: {
      title: 'OAuth 2.0',
      fields: {
        refresh_token: find(
          { says: 'Shopify returns the refresh token when the owner of the store agrees; a connect link fills it in.' },
          secret('Refresh token; the vendor replaces it with every refresh'),
        ),
        access_token: opt(
          find({ says: 'Shopify returns the access token with the refresh token; leave it out to get a new one.' }, secret('Access token')),
        ),
        client_id: opt(find({ says: 'Shopify shows the client id in the settings of your app.', ...dashboard }, clientId)),
        client_secret: opt(find({ says: 'Shopify shows the client secret in the settings of your app.', ...dashboard }, clientSecret)),
        token_expiry_date: expiry,
      },
      send: { headers: { 'x-shopify-access-token': '{access_token}' } },
      exchange: {
        ...exchange,
        read: { access_token: 'access_token', refresh_token: 'refresh_token' },
        refresh: { constant: { grant_type: 'refresh_token' }, send: { ...app, refresh_token: 'refresh_token' } },
        code: { constant: { expiring: '1' }, send: app, code: 'code' },
      },
      consent: {
        page: 'GET /admin/oauth/authorize',
        send: { client_id: 'client_id' },
        constant: {},
        scopes,
        separator: ',',
        oauthClient: ['client_id', 'client_secret'],
        who: 'The owner of the store, or staff who may install apps, can consent.',
        code: ['code'],
        signature: { param: 'hmac', key: 'client_secret' },
        returns: { shop: '{shop}.myshopify.com' },
      },
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
        str('Version of the Admin API, YYYY-MM', {
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
    {
      status: 401,
      is: 'upstream_auth_failed',
      hint: 'The app was removed from the store, or its token has ended: install the app again, then authorize the connector again or put a new token into the connector. Tokens of newer apps end after a day: give their client id and client secret instead.',
    },
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
  // Standard plan; the header shows a larger plan. The vendor counts by app and store; the engine adds the store.
  limits: { key: ['api_key', 'client_id'], bucket: { header: 'x-shopify-shop-api-call-limit', size: 40, perSecond: 2 } },
  webhooks,
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
