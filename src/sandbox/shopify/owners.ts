import type { Call } from './calls.ts'
import { imageCount, imageWidth, productCount, productCreated, productExists, variantCount, variantWidth } from './catalog.ts'
import { collectionCount, collectionExists } from './collections.ts'
import { draftCreated, draftExists, draftsUntil } from './drafts.ts'
import { readId } from './filters.ts'
import type { IdKind } from './ids.ts'
import { recordPosition } from './ids.ts'
import { siteExists, siteOpened } from './locations.ts'
import type { OwnerResource } from './metafields.ts'
import { metafieldRows } from './metafields.ts'
import { orderExists } from './order-facts.ts'
import { addressCount, addressRecord, addressWidth, customersUntil, registeredAt } from './people.ts'
import type { Rows } from './rows.ts'
import { rowsOf } from './rows.ts'
import { orderedAt, ordersUntil } from './schedule.ts'
import { shopCreated, shopId } from './shop.ts'
import { day } from './time.ts'
import type { View } from './world.ts'
import { destroyedAt, idIn } from './world.ts'

/** How long orders stay visible without `read_all_orders`. */
const visibleOrders = 60 * day

/** Orders that were placed before this moment are hidden from a caller. */
export function hiddenBefore({ scopes, view }: Pick<Call, 'scopes' | 'view'>): number {
  return scopes.has('read_all_orders') ? Number.NEGATIVE_INFINITY : view.now - visibleOrders
}

/** The position of the record that a slot of the path names; undefined when it is none. */
export function positionIn(call: Call, slot: string, kind: IdKind): number | undefined {
  const id = readId(call.slots[slot] ?? '')
  return id === undefined ? undefined : recordPosition(call.view.seed, kind, id)
}

/** Finds a parent in the path: its position, or undefined when it cannot be seen. */
export type FindParent = (call: Call, slot: string) => number | undefined

function finder(kind: IdKind, exists: (call: Call, position: number) => boolean): FindParent {
  return (call, slot) => {
    const position = positionIn(call, slot, kind)
    return position !== undefined && exists(call, position) ? position : undefined
  }
}

function customerExists(view: View, customer: number): boolean {
  return customer < customersUntil(view.seed, view.now) && destroyedAt(view, { kind: 'customers', position: customer }) === undefined
}

/** True for an order that the caller can see. */
export function canSeeOrder(call: Pick<Call, 'scopes' | 'view'>, order: number): boolean {
  const { view } = call
  if (order >= ordersUntil(view.seed, view.now)) return false
  return orderedAt(view.seed, order) >= hiddenBefore(call) && orderExists(view, order)
}

/** A customer that exists. */
export const findCustomer = finder('customers', ({ view }, customer) => customerExists(view, customer))
/** An order that the caller can see. */
export const findOrder = finder('orders', canSeeOrder)
/** A product that exists. */
export const findProduct = finder('products', ({ view }, product) => product < productCount && productExists(view, product))
/** A draft order that exists. */
export const findDraft = finder('draft_orders', ({ view }, draft) => draft < draftsUntil(view) && draftExists(view, draft))
/** A location that exists. */
export const findSite = finder('locations', ({ view }, site) => siteExists(view, site))
/** A custom or smart collection that exists. */
const findCollection = finder('collections', ({ view }, collection) => collection < collectionCount && collectionExists(view, collection))
/** A variant of a product that exists, also one that lists do not show. */
const findVariant = finder('variants', ({ view }, variant) => {
  const product = Math.floor(variant / variantWidth)
  return product < productCount && productExists(view, product) && variant % variantWidth < variantCount(view, product)
})
/** An image of a product that exists. */
const findImage = finder('images', ({ view }, image) => {
  const product = Math.floor(image / imageWidth)
  return product < productCount && productExists(view, product) && image % imageWidth < imageCount(view, product)
})

/** The addresses of a customer. */
export function addressRows(view: View, customer: number): Rows {
  const list = Array.from({ length: addressCount(view, customer) }, (_, index) => ({
    id: idIn(view, 'addresses', customer * addressWidth + index),
    record: addressRecord(view, customer, index),
  }))
  return rowsOf(list)
}

/** One way to the metafields of an owner. */
export interface OwnerRoute {
  readonly path: string
  readonly slot: string
  readonly scope: string
  readonly resource: OwnerResource
  readonly find: FindParent
  /** `owner_id` of the metafields. */
  readonly ownerId: IdKind
  readonly created: (view: View, position: number) => number
}

const collectionOwner = {
  slot: 'collection_id',
  scope: 'read_products',
  resource: 'collection',
  find: findCollection,
  ownerId: 'collections',
  created: () => shopCreated + 500 * day,
} as const

const imageOwner = {
  slot: 'image_id',
  scope: 'read_products',
  resource: 'media_image',
  find: findImage,
  // The owner is the media image, not the product image that the path names.
  ownerId: 'media_images',
  created: (_: View, image: number) => productCreated(Math.floor(image / imageWidth)),
} as const

/** The ways to metafields of owners; those of the store have a route of their own. */
export const ownerRoutes: readonly OwnerRoute[] = [
  {
    path: '/customers/{customer_id}',
    slot: 'customer_id',
    scope: 'read_customers',
    resource: 'customer',
    find: findCustomer,
    ownerId: 'customers',
    created: ({ seed }, customer) => registeredAt(seed, customer),
  },
  {
    path: '/orders/{order_id}',
    slot: 'order_id',
    scope: 'read_orders',
    resource: 'order',
    find: findOrder,
    ownerId: 'orders',
    created: ({ seed }, order) => orderedAt(seed, order),
  },
  {
    path: '/draft_orders/{draft_order_id}',
    slot: 'draft_order_id',
    scope: 'read_draft_orders',
    resource: 'draft_order',
    find: findDraft,
    ownerId: 'draft_orders',
    created: ({ seed }, draft) => draftCreated(seed, draft),
  },
  {
    path: '/products/{product_id}',
    slot: 'product_id',
    scope: 'read_products',
    resource: 'product',
    find: findProduct,
    ownerId: 'products',
    created: (_, product) => productCreated(product),
  },
  {
    path: '/variants/{variant_id}',
    slot: 'variant_id',
    scope: 'read_products',
    resource: 'variant',
    find: findVariant,
    ownerId: 'variants',
    created: (_, variant) => productCreated(Math.floor(variant / variantWidth)),
  },
  {
    path: '/locations/{location_id}',
    slot: 'location_id',
    scope: 'read_locations',
    resource: 'location',
    find: findSite,
    ownerId: 'locations',
    created: (_, site) => siteOpened(site),
  },
  { ...collectionOwner, path: '/collections/{collection_id}' },
  { ...collectionOwner, path: '/smart_collections/{collection_id}' },
  { ...imageOwner, path: '/product_images/{image_id}' },
  { ...imageOwner, path: '/products/{product_id}/images/{image_id}' },
]

/** The metafields of the owner that the path names; undefined when there is none. */
export function ownedRows(call: Call, { slot, find, resource, ownerId, created }: OwnerRoute): Rows | undefined {
  const position = find(call, slot)
  if (position === undefined) return undefined
  const { view } = call
  return metafieldRows(view, { resource, position, id: idIn(view, ownerId, position), created: created(view, position) })
}

/** The metafields of the store. */
export function shopMetafields(view: View): Rows {
  return metafieldRows(view, { resource: 'shop', position: 0, id: shopId(view), created: shopCreated })
}
