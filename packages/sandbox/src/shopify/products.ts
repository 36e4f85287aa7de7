import { at } from '../data.ts'
import {
  imageCount,
  imageWidth,
  inStock,
  productChanged,
  productCount,
  productCreated,
  productFacts,
  shownVariants,
  skuOf,
  variantChanged,
  variantCount,
  variantPrice,
  variantWidth,
} from './catalog.ts'
import { isInCollection } from './collections.ts'
import { equals, listRows, noTimes, type Rows, recordsOf } from './rows.ts'
import { amount, colors, currency } from './words.ts'
import { day, draw, exists, gid, idIn, type JsonRecord, randomOf, shopTime, shopTimeOrNull, type View } from './world.ts'

const sizes = ['XS', 'S', 'M', 'L', 'XL', 'XXL'] as const

/** The version from which a product can be called unlisted; older ones call it active. */
const unlistedSince = '2025-10'

/** Returns the option values of a variant: nothing to choose, a size, or a size and a colour. */
export function variantOptions(view: { readonly seed: number }, variant: number): readonly string[] {
  const product = Math.floor(variant / variantWidth)
  const index = variant % variantWidth
  const count = variantCount(view, product)
  if (count === 1) return ['Default Title']
  if (count > sizes.length) return [`Shade ${index + 1}`]
  const size = at(sizes, index)
  return product % 3 === 0 ? [size, at(colors, product % colors.length)] : [size]
}

function optionNames(view: View, product: number): readonly string[] {
  const count = variantCount(view, product)
  if (count === 1) return ['Title']
  if (count > sizes.length) return ['Shade']
  return product % 3 === 0 ? ['Size', 'Color'] : ['Size']
}

function imageOf(view: View, variant: number): number | undefined {
  const product = Math.floor(variant / variantWidth)
  const index = variant % variantWidth
  return index > 0 && index < imageCount(view, product) ? product * imageWidth + index : undefined
}

function variantFields(view: View, variant: number): JsonRecord {
  const product = Math.floor(variant / variantWidth)
  const options = variantOptions(view, variant)
  const image = imageOf(view, variant)
  const { grams } = productFacts(view, product)
  const price = variantPrice(view, variant)
  const before = draw(view, 5, 'before', variant) === 0 ? amount(price + 1000) : null
  const { tracked, total } = inStock(view, variant)
  return {
    product_id: idIn(view, 'products', product),
    title: options.join(' / '),
    price: amount(price),
    position: (variant % variantWidth) + 1,
    inventory_policy: draw(view, 4, 'policy', variant) === 0 ? 'continue' : 'deny',
    compare_at_price: before,
    option1: options[0] ?? null,
    option2: options[1] ?? null,
    option3: null,
    taxable: true,
    fulfillment_service: 'manual',
    requires_shipping: true,
    weight_unit: 'kg',
    tax_code: '',
    created_at: shopTime(productCreated(product)),
    updated_at: shopTime(variantChanged(view, variant)),
    barcode: variant % 3 === 0 ? `40${String(10_000_000_000 + variant)}` : null,
    grams,
    inventory_management: tracked ? 'shopify' : null,
    sku: skuOf(variant),
    weight: grams / 1000,
    inventory_item_id: idIn(view, 'inventory_items', variant),
    inventory_quantity: total,
    old_inventory_quantity: total,
    presentment_prices: [{ price: { amount: amount(price), currency_code: currency }, compare_at_price: null }],
    image_id: image === undefined ? null : idIn(view, 'images', image),
  }
}

/** One image of a product. Its global id is that of another object, as with newer images of the vendor. */
function imageFields(view: View, image: number): JsonRecord {
  const product = Math.floor(image / imageWidth)
  const random = randomOf(view, 'image', image)
  const variant = product * variantWidth + (image % imageWidth)
  const shows = imageOf(view, variant) === image && variant % variantWidth < variantCount(view, product)
  return {
    alt: random.chance(0.5) ? `${productFacts(view, product).title}, view ${(image % imageWidth) + 1}` : null,
    position: (image % imageWidth) + 1,
    product_id: idIn(view, 'products', product),
    created_at: shopTime(productCreated(product)),
    updated_at: shopTime(productCreated(product) + random.int(0, 90) * day),
    admin_graphql_api_id: gid('MediaImage', idIn(view, 'media_images', image)),
    width: random.int(400, 2400),
    height: random.int(400, 2400),
    src: `https://cdn.shopify.com/s/files/1/0777/0001/products/${image}.jpg?v=${random.int(1_600_000_000, 1_700_000_000)}`,
    variant_ids: shows ? [idIn(view, 'variants', variant)] : [],
  }
}

function optionsOf(view: View, product: number): readonly JsonRecord[] {
  const count = Math.min(variantCount(view, product), shownVariants)
  return optionNames(view, product).map((name, index) => ({
    id: idIn(view, 'options', product * 3 + index),
    product_id: idIn(view, 'products', product),
    name,
    position: index + 1,
    values: [
      ...new Set(Array.from({ length: count }, (_, variant) => variantOptions(view, product * variantWidth + variant)[index] ?? '')),
    ],
  }))
}

/** Returns positions of the variants of a product that the API shows. */
export function variantsOf(view: View, product: number): readonly number[] {
  const shown = Math.min(variantCount(view, product), shownVariants)
  return Array.from({ length: shown }, (_, index) => product * variantWidth + index)
}

/** Returns the variants at some positions; the list of a product takes filters by creation and finds nothing by them. */
export function variantRows(view: View, positions: readonly number[], visible?: (variant: number) => boolean): Rows {
  const times = { ...(visible ? {} : noTimes), updated_at: (variant: number) => variantChanged(view, variant) }
  const fields = (variant: number) => variantFields(view, variant)
  const shown = (variant: number) => exists(view, 'variants', variant) && (visible?.(variant) ?? true)
  return listRows(view, { kind: 'variants', positions, visible: shown, times, fields })
}

/** Returns the images of a product. */
export function imageRows(view: View, product: number): Rows {
  const from = product * imageWidth
  const positions = { from, to: from + imageCount(view, product) }
  return listRows(view, { kind: 'images', positions, times: noTimes, fields: (image) => imageFields(view, image) })
}

function statusIn(view: View, product: number): string {
  const { status } = productFacts(view, product)
  return status === 'unlisted' && view.version < unlistedSince ? 'active' : status
}

function productRecord(view: View, product: number): JsonRecord {
  const { title, type, vendor, tags } = productFacts(view, product)
  const status = statusIn(view, product)
  const images = recordsOf(imageRows(view, product))
  return {
    title,
    body_html: product % 9 === 4 ? null : `<p>${title}. Made by ${vendor}.</p>`,
    vendor,
    product_type: type,
    created_at: shopTime(productCreated(product)),
    handle: `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${product}`,
    updated_at: shopTime(productChanged(view, product)),
    published_at: shopTimeOrNull(status === 'active' ? productCreated(product) + day : undefined),
    template_suffix: null,
    published_scope: product % 5 === 0 ? 'global' : 'web',
    tags: tags.join(', '),
    status,
    variants: recordsOf(variantRows(view, variantsOf(view, product))),
    options: optionsOf(view, product),
    images,
    image: images[0] ?? null,
  }
}

/** Returns the products of the store. */
export const productRows = (view: View): Rows =>
  listRows(view, {
    kind: 'products',
    positions: { from: 0, to: productCount },
    times: { created_at: productCreated, updated_at: (product) => productChanged(view, product) },
    filters: {
      status: {
        test: (product, value) => statusIn(view, product) === value,
        values: ['active', 'archived', 'draft', 'unlisted', 'any'],
        several: true,
      },
      product_type: equals((product) => productFacts(view, product).type),
      vendor: equals((product) => productFacts(view, product).vendor),
      title: equals((product) => productFacts(view, product).title),
      collection_id: { test: (product, collection) => isInCollection(view, product, collection) },
    },
    newestFirst: true,
    fields: (product) => productRecord(view, product),
  })
