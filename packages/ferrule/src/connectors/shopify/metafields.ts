import { each, entity, id, mixed, opt, pick, str } from '../../definition/index.ts'
import { changed, paging, ref, text, when, wholePages } from './shapes.ts'

const metafield = {
  id: id('Metafield id'),
  ...each(text, 'namespace', 'key', 'type', 'description', 'owner_resource', 'admin_graphql_api_id'),
  value: mixed('Value; of the type that the metafield has', 'string', 'integer', 'boolean', 'null'),
  owner_id: ref,
  ...each(when, 'created_at', 'updated_at'),
}
const searchable = {
  ...pick(metafield, 'id', 'owner_id', 'namespace', 'key', 'type', 'description', 'owner_resource', 'created_at', 'updated_at'),
  value: str('Value as a string'),
}
const filters = { ...paging, namespace: opt(str('Namespace')), key: opt(str('Key')) }
const shared = { key: ['id'], record: metafield, context_store_search: searchable } as const
/** A metafield that its owner no longer lists is deleted from the copy. */
const ofOwner = { under: { field: 'owner_id', parent: 'id' } } as const
const read = { at: 'metafields', page: 'next_page_url' } as const

/** GET /metafields.json, GET /metafields/{metafield_id}.json. Needs no scope. */
export const metafield_shops = entity({
  about: 'Metafields of the store',
  scope: [],
  ...shared,
  refers: { owner_id: 'shop' },
  list: { call: 'GET /metafields.json', ...read, params: { ...filters, type: opt(str('Type of the metafield')) } },
  get: { call: 'GET /metafields/{metafield_id}.json', at: 'metafield', params: { metafield_id: id('Metafield id') } },
  sync: { params: wholePages, after: changed.after },
})

/** GET /customers/{customer_id}/metafields.json */
export const metafield_customers = entity({
  about: 'Metafields of one customer',
  scope: ['read_customers'],
  ...shared,
  refers: { owner_id: 'customers' },
  list: { call: 'GET /customers/{customer_id}/metafields.json', ...read, params: { customer_id: id('Customer id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'customers', take: { customer_id: 'id' } }, ...ofOwner },
})

/** GET /products/{product_id}/metafields.json */
export const metafield_products = entity({
  about: 'Metafields of one product',
  scope: ['read_products'],
  ...shared,
  list: { call: 'GET /products/{product_id}/metafields.json', ...read, params: { product_id: id('Product id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'products', take: { product_id: 'id' } }, ...ofOwner },
})

/** GET /orders/{order_id}/metafields.json */
export const metafield_orders = entity({
  about: 'Metafields of one order',
  scope: ['read_orders'],
  ...shared,
  list: { call: 'GET /orders/{order_id}/metafields.json', ...read, params: { order_id: id('Order id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'orders', take: { order_id: 'id' } }, ...ofOwner },
})

/** GET /draft_orders/{draft_order_id}/metafields.json */
export const metafield_draft_orders = entity({
  about: 'Metafields of one draft order',
  scope: ['read_draft_orders'],
  ...shared,
  refers: { owner_id: 'draft_orders' },
  list: {
    call: 'GET /draft_orders/{draft_order_id}/metafields.json',
    ...read,
    params: { draft_order_id: id('Draft order id'), ...filters },
  },
  sync: { params: wholePages, each: { entity: 'draft_orders', take: { draft_order_id: 'id' } }, ...ofOwner },
})

/** GET /locations/{location_id}/metafields.json. Works, although the vendor's list of routes lacks it. */
export const metafield_locations = entity({
  about: 'Metafields of one location',
  scope: ['read_locations'],
  ...shared,
  refers: { owner_id: 'locations' },
  list: { call: 'GET /locations/{location_id}/metafields.json', ...read, params: { location_id: id('Location id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'locations', take: { location_id: 'id' } }, ...ofOwner },
})

/** GET /variants/{variant_id}/metafields.json */
export const metafield_product_variants = entity({
  about: 'Metafields of one variant',
  scope: ['read_products'],
  ...shared,
  refers: { owner_id: 'product_variants' },
  list: { call: 'GET /variants/{variant_id}/metafields.json', ...read, params: { variant_id: id('Variant id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'product_variants', take: { variant_id: 'id' } }, ...ofOwner },
})

/** GET /collections/{collection_id}/metafields.json: the documented route for collections of both sorts. */
export const metafield_smart_collections = entity({
  about: 'Metafields of one smart collection',
  scope: ['read_products'],
  ...shared,
  refers: { owner_id: 'smart_collections' },
  list: { call: 'GET /collections/{collection_id}/metafields.json', ...read, params: { collection_id: id('Collection id'), ...filters } },
  sync: { params: wholePages, each: { entity: 'smart_collections', take: { collection_id: 'id' } }, ...ofOwner },
})

/** GET /product_images/{image_id}/metafields.json: the vendor's route has no product. owner_id is the id of the media image. */
export const metafield_product_images = entity({
  about: 'Metafields of one product image',
  filled: { params: ['list'] },
  scope: ['read_products'],
  ...shared,
  list: {
    call: 'GET /product_images/{image_id}/metafields.json',
    ...read,
    params: { product_id: id('Product id'), image_id: id('Image id'), ...filters },
    unsent: ['product_id'],
  },
  sync: { params: wholePages, each: { entity: 'product_images', take: { product_id: 'product_id', image_id: 'id' } } },
})
