import { each, entity, id, pick, str } from '../../definition/index.ts'
import { count, flag, following, items, limit, ref, text, when, wholePages } from './shapes.ts'

const item = {
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
  record: item,
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
  context_store_search: pick(item, 'id', 'sku', 'tracked', 'requires_shipping', 'country_code_of_origin', 'created_at', 'updated_at'),
  sync: { params: wholePages, each: { entity: 'product_variants', take: { ids: 'inventory_item_id' }, batch: 100 } },
})

const level = {
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
  record: level,
  list: {
    call: 'GET /locations/{location_id}/inventory_levels.json',
    at: 'inventory_levels',
    page: 'next_page_url',
    params: { location_id: id('Location id'), limit, ...following },
  },
  context_store_search: pick(level, 'inventory_item_id', 'location_id', 'available', 'updated_at'),
  sync: { params: wholePages, each: { entity: 'locations', take: { location_id: 'id' } } },
})
