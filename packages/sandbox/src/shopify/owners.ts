import { at } from '../data.ts'
import { notFound } from './answers.ts'
import type { Call } from './call.ts'
import { imageCount, imageWidth, productCount, productCreated, productWithManyVariants, variantCount, variantWidth } from './catalog.ts'
import { collectionCount } from './collections.ts'
import { ruleCount } from './discounts.ts'
import { draftCreated, draftsUntil } from './drafts.ts'
import { customersUntil, registeredAt } from './people.ts'
import { equals, listRows, type Rows, readId } from './rows.ts'
import { shopCreated, shopId, siteOpened, sites } from './shop.ts'
import {
  changedAt,
  day,
  draw,
  exists,
  type IdKind,
  idIn,
  type JsonRecord,
  lastAt,
  minute,
  orderedAt,
  ordersUntil,
  recordOf,
  recordPosition,
  shopTime,
  type View,
} from './world.ts'

/** What can have metafields, by the vendor's name of the owner, and how many each has at most. */
const widths = { shop: 64, customer: 4, product: 128, variant: 4, media_image: 4, order: 4, draft_order: 4, location: 4, collection: 4 }

/** The vendor's name of a kind of owner. */
export type OwnerResource = keyof typeof widths

interface Owner {
  readonly resource: OwnerResource
  /** Position of the owner among its kind. */
  readonly position: number
  /** `owner_id` of its metafields. */
  readonly id: number
  readonly created: number
}

/** Metafields of the store, and of the product with more metafields than a page has. */
const [shopFields, many] = [60, 70]

interface Shape {
  readonly namespace: string
  readonly key: string
  readonly type: string
  readonly value: (number: number) => string | number | boolean
}

/** Whole numbers and booleans are JSON values, everything else is text, JSON included. */
const shapes: readonly Shape[] = [
  { namespace: 'custom', key: 'care', type: 'single_line_text_field', value: (number) => `Bei ${30 + (number % 4) * 10} °C waschen` },
  { namespace: 'facts', key: 'rating_count', type: 'number_integer', value: (number) => number % 977 },
  { namespace: 'flags', key: 'organic', type: 'boolean', value: (number) => number % 2 === 0 },
  { namespace: 'facts', key: 'sizes', type: 'json', value: (number) => `{"width": ${number % 90}, "unit": "cm"}` },
  { namespace: 'facts', key: 'weight', type: 'number_decimal', value: (number) => `${number % 50}.5` },
  { namespace: 'custom', key: 'notes', type: 'multi_line_text_field', value: () => 'Erste Zeile\nZweite Zeile 🙂' },
  { namespace: 'reviews', key: 'rating', type: 'rating', value: () => '{"value": "3.5", "scale_min": "1.0", "scale_max": "5.0"}' },
  { namespace: 'custom', key: 'tags', type: 'list.single_line_text_field', value: () => '["leise", "warm"]' },
  { namespace: 'facts', key: 'since', type: 'date_time', value: () => '2024-02-29T10:00:00Z' },
]

/** Returns how many metafields an owner has, erased ones included. */
export function metafieldCount(view: View, { resource, position }: Pick<Owner, 'resource' | 'position'>): number {
  if (resource === 'shop') return shopFields
  if (resource !== 'product') return draw(view, 3, 'metafields', resource, position)
  return position === productWithManyVariants ? many : 1 + draw(view, 4, 'metafields', resource, position)
}

/** Returns the metafields of an owner; they change on their own, which does not touch their owner. */
function metafieldRows(view: View, owner: Owner): Rows {
  const { resource } = owner
  const kind = `metafields_${resource}` as const
  const first = owner.position * widths[resource]
  const created = owner.created + 5 * minute
  const changed = (position: number) => {
    const period = (60 + draw(view, 500, 'metafield edited', resource, position)) * day
    return changedAt(view, { kind, position }, lastAt(view, created, period))
  }
  const fields = (position: number): JsonRecord => {
    const index = position - first
    const { namespace, key, type, value } = at(shapes, (owner.position + index) % shapes.length)
    const round = Math.floor(index / shapes.length)
    return {
      namespace,
      key: round === 0 ? key : `${key}_${round + 1}`,
      value: value(draw(view, 10_000, 'value', kind, position)),
      description: position % 6 === 0 ? 'Für den Katalog' : null,
      owner_id: owner.id,
      created_at: shopTime(created),
      updated_at: shopTime(changed(position)),
      owner_resource: resource,
      type,
    }
  }
  const field = (name: string) => equals((position) => recordOf(view, { kind, position }, fields(position))[name])
  return listRows(view, {
    kind,
    positions: { from: first, to: first + metafieldCount(view, owner) },
    times: { created_at: () => created, updated_at: changed },
    filters: { namespace: field('namespace'), key: field('key'), type: field('type') },
    fields,
  })
}

/** How long orders stay visible without `read_all_orders`. */
const visibleOrders = 60 * day

/** Returns the time before which orders are hidden from a caller. */
export const hiddenBefore = ({ scopes, view }: Pick<Call, 'scopes' | 'view'>): number =>
  scopes.has('read_all_orders') ? Number.NEGATIVE_INFINITY : view.now - visibleOrders

/** Returns the position of the record that a slot of the path names. @throws Refusal when no record has the id */
export function positionIn(call: Call, slot: string, kind: IdKind): number {
  const id = readId(call.slots[slot] ?? '')
  const position = id === undefined ? undefined : recordPosition(call.view.seed, kind, id)
  if (position === undefined) throw notFound
  return position
}

/** Returns whether a child of a product can exist: the product does, and it has so many children. */
function isChild(view: View, position: number, of: { readonly width: number; count(view: View, product: number): number }): boolean {
  const product = Math.floor(position / of.width)
  return product < productCount && exists(view, 'products', product) && position % of.width < of.count(view, product)
}

/** Whether a record below which others are asked for can be seen by the caller; variants also where lists do not show them. */
const isVisible = {
  customers: ({ view }: Call, customer: number) => customer < customersUntil(view.seed, view.now) && exists(view, 'customers', customer),
  orders: (call: Call, order: number) => canSeeOrder(call, order),
  products: ({ view }: Call, product: number) => product < productCount && exists(view, 'products', product),
  draft_orders: ({ view }: Call, draft: number) => draft < draftsUntil(view) && exists(view, 'draft_orders', draft),
  locations: ({ view }: Call, site: number) => site < sites.length && exists(view, 'locations', site),
  collections: ({ view }: Call, collection: number) => collection < collectionCount && exists(view, 'collections', collection),
  price_rules: ({ view }: Call, rule: number) => rule < ruleCount && exists(view, 'price_rules', rule),
  variants: ({ view }: Call, variant: number) => isChild(view, variant, { width: variantWidth, count: variantCount }),
  images: ({ view }: Call, image: number) => isChild(view, image, { width: imageWidth, count: imageCount }),
}

/** Returns true for an order that the caller can see. */
export function canSeeOrder(call: Pick<Call, 'scopes' | 'view'>, order: number): boolean {
  const { view } = call
  if (order >= ordersUntil(view.seed, view.now)) return false
  return orderedAt(view.seed, order) >= hiddenBefore(call) && exists(view, 'orders', order)
}

/** Finds a parent in the path. @throws Refusal when the caller cannot see it */
export function findParent(call: Call, slot: string, kind: keyof typeof isVisible): number {
  const position = positionIn(call, slot, kind)
  if (!isVisible[kind](call, position)) throw notFound
  return position
}

interface OwnerRoute {
  readonly resource: OwnerResource
  readonly kind: keyof typeof isVisible
  readonly scope: string
  readonly created: (view: View, position: number) => number
  /** Left out: `/<kind>/{<resource>_id}`. The last slot names the owner. */
  readonly paths?: readonly string[]
}

/** The kinds of owners; the store's metafields have a route of their own. */
export const ownerRoutes: readonly OwnerRoute[] = [
  { resource: 'customer', kind: 'customers', scope: 'read_customers', created: ({ seed }, customer) => registeredAt(seed, customer) },
  { resource: 'order', kind: 'orders', scope: 'read_orders', created: ({ seed }, order) => orderedAt(seed, order) },
  { resource: 'draft_order', kind: 'draft_orders', scope: 'read_draft_orders', created: ({ seed }, draft) => draftCreated(seed, draft) },
  { resource: 'product', kind: 'products', scope: 'read_products', created: (_, product) => productCreated(product) },
  {
    resource: 'variant',
    kind: 'variants',
    scope: 'read_products',
    created: (_, variant) => productCreated(Math.floor(variant / variantWidth)),
  },
  { resource: 'location', kind: 'locations', scope: 'read_locations', created: (_, site) => siteOpened(site) },
  {
    resource: 'collection',
    kind: 'collections',
    scope: 'read_products',
    created: () => shopCreated + 500 * day,
    paths: ['/collections/{collection_id}', '/smart_collections/{collection_id}'],
  },
  {
    resource: 'media_image',
    kind: 'images',
    scope: 'read_products',
    created: (_, image) => productCreated(Math.floor(image / imageWidth)),
    paths: ['/product_images/{image_id}', '/products/{product_id}/images/{image_id}'],
  },
]

/** Returns the metafields of the owner that the path names. */
export function ownedRows(call: Call, { kind, resource, created }: OwnerRoute): Rows {
  const position = findParent(call, kind === 'images' ? 'image_id' : `${resource}_id`, kind)
  const { view } = call
  // The owner of an image's metafields is the media image, not the product image that the path names.
  const id = idIn(view, kind === 'images' ? 'media_images' : kind, position)
  return metafieldRows(view, { resource, position, id, created: created(view, position) })
}

/** Returns the metafields of the store. */
export const shopMetafields = (view: View): Rows =>
  metafieldRows(view, { resource: 'shop', position: 0, id: shopId(view), created: shopCreated })
