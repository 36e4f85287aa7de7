import { each, entity, id, opt, pick, str } from '../../definition/index.ts'
import { changed, count, flag, items, object, paging, published_scope, ref, text, updatedWindow, when, wholePages } from './shapes.ts'

const scope = ['read_products']

const collection = {
  id: id('Collection id'),
  ...each(text, 'handle', 'title', 'body_html', 'sort_order', 'template_suffix', 'published_scope', 'admin_graphql_api_id'),
  published_scope,
  ...each(when, 'updated_at', 'published_at'),
  image: object,
  products_count: count,
}
const filters = { ...paging, title: opt(str('Exact title')), product_id: opt(id('Only collections with this product')), ...updatedWindow }
const searchable = pick(collection, 'id', 'handle', 'title', 'sort_order', 'published_scope', 'published_at', 'updated_at')

/** GET /custom_collections.json. Only a single collection has products_count. */
export const custom_collections = entity({
  about: 'Collections that were put together by hand',
  scope,
  key: ['id'],
  record: collection,
  list: { call: 'GET /custom_collections.json', at: 'custom_collections', page: 'next_page_url', params: filters },
  get: { call: 'GET /custom_collections/{collection_id}.json', at: 'custom_collection', params: { collection_id: id('Collection id') } },
  context_store_search: searchable,
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
  context_store_search: searchable,
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
