import { at } from '../at.ts'
import { basketOf } from './baskets.ts'
import {
  allVariants,
  imageCount,
  imageWidth,
  productCount,
  productExists,
  productWithManyVariants,
  variantCount,
  variantWidth,
} from './catalog.ts'
import { collectionCount, collectionExists, customCount, emptyCollection } from './collections.ts'
import { ruleExists, ruleWithManyCodes } from './discounts.ts'
import { draftExists, draftStatus, draftsUntil } from './drafts.ts'
import type { IdKind } from './ids.ts'
import { emptySite, sites } from './locations.ts'
import type { OwnerResource } from './metafields.ts'
import { metafieldCount } from './metafields.ts'
import { orderExists } from './order-facts.ts'
import { addressCount, customerOf, customersUntil, customerWithManyAddresses, ordersOf } from './people.ts'
import { financialStatus, fulfillmentStatus, past, planOf } from './plans.ts'
import { abandonedAt, checkoutLife, checkoutsUntil, ordersUntil } from './schedule.ts'
import { shopId, storeHost } from './shop.ts'
import { isTracked } from './stock.ts'
import { day } from './time.ts'
import type { View } from './world.ts'
import { destroyedAt, idIn } from './world.ts'

/** What a test or a reader needs to know about the imitated store, as of the start. */
export interface ShopifyWorldFacts {
  readonly counts: {
    readonly customers: number
    /** Of any status. */
    readonly orders: number
    readonly openOrders: number
    /** Placed within the last 60 days. */
    readonly recentOrders: number
    readonly products: number
    /** Those that lists show. */
    readonly draftOrders: number
    readonly locations: number
  }
  readonly shopId: number
  readonly host: string
  readonly customerId: number
  readonly newestCustomerId: number
  /** Has 14 addresses; its record embeds ten. */
  readonly customerWithManyAddressesId: number
  /** Has no address and therefore no `default_address`. */
  readonly customerWithoutAddressesId: number
  /** Never bought. */
  readonly idleCustomerId: number
  /** Shipped and refunded as a whole. */
  readonly refundedOrderId: number
  readonly cancelledOrderId: number
  readonly openOrderId: number
  /** Older than 60 days, shipped, closed. */
  readonly oldOrderId: number
  readonly newestOrderId: number
  /** An order that was destroyed within a year. */
  readonly destroyedOrderId: number
  /** Two fulfillment orders: the merchant's and a fulfillment service's. */
  readonly splitOrderId: number
  readonly productId: number
  /** Has 140 variants, of which 100 are shown, and 70 metafields. */
  readonly largeProductId: number
  /** Not shown by lists, but at its own address. */
  readonly hiddenVariantId: number
  readonly destroyedProductId: number
  readonly variantId: number
  /** An image of `productId`, and the media image that owns its metafields. */
  readonly imageId: number
  readonly mediaImageId: number
  readonly inventoryItemId: number
  readonly untrackedItemId: number
  /** The first stocks everything that is tracked or not. */
  readonly locationIds: readonly number[]
  readonly emptyLocationId: number
  readonly priceRuleId: number
  /** Has 230 codes. */
  readonly largePriceRuleId: number
  readonly customCollectionId: number
  readonly smartCollectionId: number
  readonly emptyCollectionId: number
  /** Owners of each kind with at least one metafield; the collection is a smart one. */
  readonly metafieldOwners: {
    readonly customerId: number
    readonly orderId: number
    readonly draftOrderId: number
    readonly productId: number
    readonly variantId: number
    readonly imageId: number
    readonly locationId: number
    readonly collectionId: number
  }
  readonly openDraftId: number
  readonly completedDraftId: number
  /** The newest one, open. */
  readonly checkoutId: number
  /** No record of any kind has it. */
  readonly unknownId: number
}

/** The last position that fits. */
function lastWhere(size: number, fits: (position: number) => boolean): number {
  for (let position = size - 1; position >= 0; position -= 1) if (fits(position)) return position
  throw new RangeError('The store has no such record')
}

function firstWhere(size: number, fits: (position: number) => boolean): number {
  for (let position = 0; position < size; position += 1) if (fits(position)) return position
  throw new RangeError('The store has no such record')
}

function orderFacts(view: View) {
  const size = ordersUntil(view.seed, view.now)
  const newest = (fits: (order: number) => boolean, gone = false) =>
    idIn(
      view,
      'orders',
      lastWhere(size, (order) => orderExists(view, order) !== gone && fits(order)),
    )
  const ended = (order: number) => past(view, planOf(view, order).closed ?? planOf(view, order).cancelled) !== undefined
  const old = (order: number) => planOf(view, order).created < view.now - 70 * day
  return {
    refundedOrderId: newest((order) => financialStatus(view, order) === 'refunded' && fulfillmentStatus(view, order) === 'fulfilled'),
    cancelledOrderId: newest((order) => past(view, planOf(view, order).cancelled) !== undefined),
    openOrderId: newest((order) => !ended(order) && customerOf(view.seed, order) !== undefined),
    oldOrderId: newest((order) => old(order) && ended(order) && fulfillmentStatus(view, order) === 'fulfilled'),
    newestOrderId: newest(() => true),
    destroyedOrderId: newest(() => true, true),
    splitOrderId: newest((order) => order % 5 === 0 && basketOf(view, order).lines.length > 1),
  }
}

function productFacts(view: View) {
  const product = lastWhere(
    productCount,
    (found) => productExists(view, found) && imageCount(view, found) > 1 && variantCount(view, found) > 1,
  )
  const image = product * imageWidth + 1
  const variants = allVariants(view).filter((variant) => productExists(view, Math.floor(variant / variantWidth)))
  const untracked = at(
    variants,
    firstWhere(variants.length, (row) => !isTracked(view, at(variants, row))),
  )
  const destroyed = firstWhere(productCount, (found) => destroyedAt(view, { kind: 'products', position: found }) !== undefined)
  return {
    productId: idIn(view, 'products', product),
    largeProductId: idIn(view, 'products', productWithManyVariants),
    hiddenVariantId: idIn(view, 'variants', productWithManyVariants * variantWidth + 120),
    destroyedProductId: idIn(view, 'products', destroyed),
    variantId: idIn(view, 'variants', product * variantWidth),
    imageId: idIn(view, 'images', image),
    mediaImageId: idIn(view, 'media_images', image),
    inventoryItemId: idIn(view, 'inventory_items', product * variantWidth),
    untrackedItemId: idIn(view, 'inventory_items', untracked),
  }
}

function customerFacts(view: View) {
  const size = customersUntil(view.seed, view.now)
  const newest = (fits: (customer: number) => boolean) => idIn(view, 'customers', lastWhere(size, fits))
  return {
    newestCustomerId: newest(() => true),
    customerId: newest((customer) => addressCount(view, customer) > 1 && customer % 23 !== 5),
    customerWithManyAddressesId: idIn(view, 'customers', customerWithManyAddresses),
    customerWithoutAddressesId: newest((customer) => addressCount(view, customer) === 0),
    idleCustomerId: newest((customer) => ordersOf(view, customer).length === 0),
  }
}

function otherFacts(view: View) {
  const drafts = draftsUntil(view)
  const draft = (status: string) =>
    idIn(
      view,
      'draft_orders',
      lastWhere(drafts, (found) => draftExists(view, found) && draftStatus(view, found) === status),
    )
  const checkouts = checkoutsUntil(view.seed, view.now)
  return {
    locationIds: sites.map((_, site) => idIn(view, 'locations', site)),
    emptyLocationId: idIn(view, 'locations', emptySite),
    priceRuleId: idIn(
      view,
      'price_rules',
      firstWhere(6, (rule) => ruleExists(view, rule)),
    ),
    largePriceRuleId: idIn(view, 'price_rules', ruleWithManyCodes),
    customCollectionId: idIn(view, 'collections', 0),
    smartCollectionId: idIn(
      view,
      'collections',
      lastWhere(collectionCount, (found) => found >= customCount && collectionExists(view, found)),
    ),
    emptyCollectionId: idIn(view, 'collections', emptyCollection),
    openDraftId: draft('open'),
    completedDraftId: draft('completed'),
    checkoutId: idIn(
      view,
      'checkouts',
      lastWhere(checkouts, (checkout) => abandonedAt(view.seed, checkout) > view.now - checkoutLife),
    ),
  }
}

function metafieldOwners(view: View): ShopifyWorldFacts['metafieldOwners'] {
  const { seed, now } = view
  const has = (resource: OwnerResource) => (position: number) => metafieldCount(view, { resource, position }) > 0
  const last = (kind: IdKind, size: number, fits: (position: number) => boolean) => idIn(view, kind, lastWhere(size, fits))
  const images = productCount * imageWidth
  const isImage = (image: number) => image % imageWidth < imageCount(view, Math.floor(image / imageWidth))
  const variants = allVariants(view)
  const product = (position: number, width: number) => productExists(view, Math.floor(position / width))
  const variant = lastWhere(variants.length, (row) => product(at(variants, row), variantWidth) && has('variant')(at(variants, row)))
  const isSmart = (collection: number) => collection >= customCount && collectionExists(view, collection)
  return {
    customerId: last('customers', customersUntil(seed, now), has('customer')),
    orderId: last('orders', ordersUntil(seed, now), (order) => orderExists(view, order) && has('order')(order)),
    draftOrderId: last('draft_orders', draftsUntil(view), has('draft_order')),
    productId: last('products', productCount, (found) => productExists(view, found)),
    variantId: idIn(view, 'variants', at(variants, variant)),
    imageId: last('images', images, (image) => isImage(image) && product(image, imageWidth) && has('media_image')(image)),
    locationId: last('locations', sites.length, has('location')),
    collectionId: last('collections', collectionCount, (found) => isSmart(found) && has('collection')(found)),
  }
}

/**
 * Collects the facts of a store.
 *
 * @param view - the store at its start
 */
export function factsOf(view: View): ShopifyWorldFacts {
  const { seed, now } = view
  const orders = Array.from({ length: ordersUntil(seed, now) }, (_, order) => order).filter((order) => orderExists(view, order))
  const ended = (order: number) =>
    [planOf(view, order).closed, planOf(view, order).cancelled].some((moment) => past(view, moment) !== undefined)
  const products = Array.from({ length: productCount }, (_, product) => product)
  return {
    counts: {
      customers: customersUntil(seed, now),
      orders: orders.length,
      openOrders: orders.filter((order) => !ended(order)).length,
      recentOrders: orders.filter((order) => planOf(view, order).created >= now - 60 * day).length,
      products: products.filter((product) => productExists(view, product)).length,
      draftOrders: draftsUntil(view),
      locations: sites.length,
    },
    shopId: shopId(view),
    host: storeHost,
    ...customerFacts(view),
    ...orderFacts(view),
    ...productFacts(view),
    ...otherFacts(view),
    metafieldOwners: metafieldOwners(view),
    unknownId: 1,
  }
}
