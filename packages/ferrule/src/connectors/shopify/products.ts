import { each, entity, id, known, list, obj, opt, orNull, pick, str } from '../../definition/index.ts'
import {
  anything,
  changed,
  createdWindow,
  following,
  image,
  items,
  limit,
  paging,
  published_scope,
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
