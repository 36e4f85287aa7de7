import { each, entity, id, known, list, obj, opt, orNull, pick, str } from '../../definition/index.ts'
import {
  anything,
  changed,
  count,
  createdWindow,
  flag,
  following,
  image,
  items,
  limit,
  object,
  paging,
  published_scope,
  ref,
  since_id,
  status,
  text,
  updatedWindow,
  variant,
  when,
  wholePages,
} from './shapes.ts'

const scope = ['read_products']

const product = {
  id: id('Product id'),
  ...each(
    text,
    'title',
    'body_html',
    'vendor',
    'product_type',
    'handle',
    'template_suffix',
    'published_scope',
    'tags',
    'status',
    'admin_graphql_api_id',
  ),
  published_scope,
  status: orNull(known('Status', 'draft', 'active', 'archived', 'unlisted')),
  ...each(when, 'created_at', 'updated_at', 'published_at'),
  variants: orNull(list(obj(variant, 'Variant'), 'Variants; the vendor sends 100 at most')),
  options: items,
  images: orNull(list(obj(image, 'Image'), 'Images')),
  image: anything,
}

/** GET /products.json, GET /products/{product_id}.json */
export const products = entity({
  about: 'Products',
  scope,
  key: ['id'],
  record: product,
  list: {
    call: 'GET /products.json',
    at: 'products',
    page: 'next_page_url',
    params: {
      ...paging,
      ...createdWindow,
      ...updatedWindow,
      status: status('Status', 'active', 'archived', 'draft'),
      product_type: opt(str('Product type')),
      vendor: opt(str('Vendor')),
      collection_id: opt(id('Collection id')),
    },
  },
  get: { call: 'GET /products/{product_id}.json', at: 'product', params: { product_id: id('Product id') } },
  sync: { params: wholePages, ...changed },
})

/** GET /products/{product_id}/variants.json, GET /variants/{variant_id}.json */
export const product_variants = entity({
  about: 'Variants of one product',
  scope,
  key: ['id'],
  record: variant,
  list: {
    call: 'GET /products/{product_id}/variants.json',
    at: 'variants',
    page: 'next_page_url',
    params: { product_id: id('Product id'), limit, since_id, ...following },
  },
  get: { call: 'GET /variants/{variant_id}.json', at: 'variant', params: { variant_id: id('Variant id') } },
  context_store_search: pick(
    variant,
    'id',
    'product_id',
    'position',
    'title',
    'sku',
    'price',
    'compare_at_price',
    'inventory_policy',
    'created_at',
    'updated_at',
  ),
  sync: {
    params: wholePages,
    within: { entity: 'products', at: 'variants', most: { records: 100, take: { product_id: 'id' } } },
    under: { field: 'product_id', parent: 'id' },
  },
})

/** GET /products/{product_id}/images.json. The vendor does not page this list. */
export const product_images = entity({
  about: 'Images of one product',
  scope,
  key: ['id'],
  record: image,
  list: {
    call: 'GET /products/{product_id}/images.json',
    at: 'images',
    page: 'next_page_url',
    onePage: true,
    params: { product_id: id('Product id'), since_id },
  },
  get: {
    call: 'GET /products/{product_id}/images/{image_id}.json',
    at: 'image',
    params: { product_id: id('Product id'), image_id: id('Image id') },
  },
  context_store_search: pick(image, 'id', 'product_id', 'position', 'width', 'height', 'alt', 'src', 'created_at', 'updated_at'),
  sync: { within: { entity: 'products', at: 'images' }, under: { field: 'product_id', parent: 'id' } },
})

const collection = {
  id: id('Collection id'),
  ...each(text, 'handle', 'title', 'body_html', 'sort_order', 'template_suffix', 'published_scope', 'admin_graphql_api_id'),
  published_scope,
  ...each(when, 'updated_at', 'published_at'),
  image: object,
  products_count: count,
}
const filters = { ...paging, title: opt(str('Exact title')), product_id: opt(id('Only collections with this product')), ...updatedWindow }
const searchableOfCollections = pick(collection, 'id', 'handle', 'title', 'sort_order', 'published_scope', 'published_at', 'updated_at')

/** GET /custom_collections.json. Only a single collection has products_count. */
export const custom_collections = entity({
  about: 'Collections that were put together by hand',
  scope,
  key: ['id'],
  record: collection,
  list: { call: 'GET /custom_collections.json', at: 'custom_collections', page: 'next_page_url', params: filters },
  get: { call: 'GET /custom_collections/{collection_id}.json', at: 'custom_collection', params: { collection_id: id('Collection id') } },
  context_store_search: searchableOfCollections,
  sync: { params: wholePages, ...changed },
})

/** GET /smart_collections.json */
export const smart_collections = entity({
  about: 'Collections by rules',
  scope,
  key: ['id'],
  record: { ...collection, disjunctive: flag, rules: items },
  list: { call: 'GET /smart_collections.json', at: 'smart_collections', page: 'next_page_url', params: filters },
  get: { call: 'GET /smart_collections/{collection_id}.json', at: 'smart_collection', params: { collection_id: id('Collection id') } },
  context_store_search: searchableOfCollections,
  sync: { params: wholePages, ...changed },
})

const collect = {
  id: id('Collect id'),
  ...each(ref, 'collection_id', 'product_id'),
  position: count,
  ...each(when, 'created_at', 'updated_at'),
  sort_value: text,
}

/** GET /collects.json */
export const collects = entity({
  about: 'Membership of products in custom collections',
  scope,
  key: ['id'],
  refers: { collection_id: 'custom_collections' },
  record: collect,
  list: {
    call: 'GET /collects.json',
    at: 'collects',
    page: 'next_page_url',
    params: { ...paging, collection_id: opt(id('Collection id')), product_id: opt(id('Product id')) },
  },
  get: { call: 'GET /collects/{collect_id}.json', at: 'collect', params: { collect_id: id('Collect id') } },
  context_store_search: pick(collect, 'id', 'collection_id', 'product_id', 'position', 'created_at', 'updated_at'),
  sync: { params: wholePages, after: changed.after },
})

const inventoryItem = {
  id: id('Inventory item id'),
  ...each(text, 'sku', 'cost', 'country_code_of_origin', 'province_code_of_origin', 'harmonized_system_code', 'admin_graphql_api_id'),
  ...each(when, 'created_at', 'updated_at'),
  ...each(flag, 'requires_shipping', 'tracked'),
  country_harmonized_system_codes: items,
}

/** GET /inventory_items.json, GET /inventory_items/{inventory_item_id}.json */
export const inventory_items = entity({
  about: 'Inventory items, by their ids',
  scope: ['read_inventory'],
  key: ['id'],
  record: inventoryItem,
  list: {
    call: 'GET /inventory_items.json',
    at: 'inventory_items',
    page: 'next_page_url',
    params: {
      ids: str('Inventory item ids, 1 to 100, separated by commas', {
        pattern: '^\\d{1,20}(,\\d{1,20}){0,99}$',
        says: 'must be 1 to 100 ids separated by commas',
        examples: ['808950810,39072856'],
      }),
      limit,
      ...following,
    },
    // The vendor's default of 50 would cut off the rest of up to 100 ids.
    defaults: { limit: 100 },
  },
  get: {
    call: 'GET /inventory_items/{inventory_item_id}.json',
    at: 'inventory_item',
    params: { inventory_item_id: id('Inventory item id') },
  },
  context_store_search: pick(
    inventoryItem,
    'id',
    'sku',
    'tracked',
    'requires_shipping',
    'country_code_of_origin',
    'created_at',
    'updated_at',
  ),
  sync: { params: wholePages, each: { entity: 'product_variants', take: { ids: 'inventory_item_id' }, batch: 100 } },
})

const inventoryLevel = {
  inventory_item_id: id('Inventory item id'),
  location_id: ref,
  available: count,
  updated_at: when,
  admin_graphql_api_id: text,
}

/** GET /locations/{location_id}/inventory_levels.json. A level has no id of its own. */
export const inventory_levels = entity({
  about: 'Stock of each inventory item at one location',
  filled: { params: ['list'], record: 'all', searchable: 'all' },
  scope: ['read_inventory'],
  key: ['location_id', 'inventory_item_id'],
  refers: { inventory_item_id: 'inventory_items', location_id: 'locations' },
  record: inventoryLevel,
  list: {
    call: 'GET /locations/{location_id}/inventory_levels.json',
    at: 'inventory_levels',
    page: 'next_page_url',
    params: { location_id: id('Location id'), limit, ...following },
  },
  context_store_search: pick(inventoryLevel, 'inventory_item_id', 'location_id', 'available', 'updated_at'),
  sync: { params: wholePages, each: { entity: 'locations', take: { location_id: 'id' } } },
})
