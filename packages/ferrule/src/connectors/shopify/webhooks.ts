/**
 * What Shopify sends when something changes: https://shopify.dev/docs/apps/build/webhooks/delivery-structure, and the topics of privacy that
 * every public app takes: https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance. Only the body is signed, so the body of what
 * concerns the whole store must name the store.
 */
import type { WebhookRule, Webhooks } from '../../definition/index.ts'

const changed = (entity: string, rest: Partial<WebhookRule> = {}): WebhookRule => ({
  does: 'changed',
  entity,
  key: ['id'],
  version: 'updated_at',
  ...rest,
})
const removed = (entity: string): WebhookRule => ({ does: 'removed', entity, key: ['id'] })

const level = { key: ['location_id', 'inventory_item_id'] }

/** Webhooks of a store. */
export const webhooks: Webhooks = {
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
      { does: 'redact', entity: 'customers', key: ['customer.id'] },
      { does: 'redact', entity: 'orders', key: ['orders_to_redact[]'] },
    ],
    'orders/*': changed('orders'),
    'orders/edited': { does: 'changed', entity: 'orders', key: ['order_edit.order_id'] },
    'orders/delete': removed('orders'),
    'refunds/create': changed('order_refunds', { version: 'created_at', parameters: { order_id: 'order_id', refund_id: 'id' } }),
    'fulfillments/*': changed('fulfillments', { parameters: { order_id: 'order_id', fulfillment_id: 'id' } }),
    'draft_orders/*': changed('draft_orders'),
    'draft_orders/delete': removed('draft_orders'),
    'products/*': changed('products'),
    'products/delete': removed('products'),
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
      ...['customers', 'draft_orders', 'collections', 'inventory_items', 'locations'].flatMap((name) =>
        ['create', 'update', 'delete'].map((verb) => `${name}/${verb}`),
      ),
      ...['orders/create', 'orders/updated', 'orders/delete', 'refunds/create', 'fulfillments/create', 'fulfillments/update'],
      ...['inventory_levels/update', 'inventory_levels/disconnect', 'app/uninstalled'],
    ],
    known: 'already been taken',
  },
}
