import * as catalog from './catalog.ts'
import { collectionCount, customCount, emptyCollection } from './collections.ts'
import { ruleWithManyCodes } from './discounts.ts'
import { draftStatus, draftsUntil } from './drafts.ts'
import { metafieldCount, type OwnerResource } from './owners.ts'
import { addressCount, customerOf, customersUntil, customerWithManyAddresses, ordersOf } from './people.ts'
import { basketOf, financialStatus, fulfillmentStatus, past, planOf } from './plans.ts'
import { emptySite, shopId, sites, storeHost } from './shop.ts'
import { abandonedAt, checkoutLife, checkoutsUntil, day, exists, type IdKind, idIn, ordersUntil, type View } from './world.ts'

/** What a test or a reader needs to know about the imitated store, as of the start. */
export type ShopifyWorldFacts = Readonly<ReturnType<typeof factsOf>>

type Fits = (position: number) => boolean

const positionsUntil = (size: number): readonly number[] => Array.from({ length: size }, (_, position) => position)

function lastId(view: View, kind: IdKind, [positions, fits]: readonly [positions: readonly number[], fits: Fits]): number {
  const found = positions.findLast(fits)
  if (found === undefined) throw new RangeError(`The store has no such record among ${kind}`)
  return idIn(view, kind, found)
}

function orderFacts(view: View) {
  const all = positionsUntil(ordersUntil(view.seed, view.now))
  const orders = all.filter((order) => exists(view, 'orders', order))
  const newest = (fits: Fits) => lastId(view, 'orders', [orders, fits])
  const ended = (order: number) => past(view, planOf(view, order).closed ?? planOf(view, order).cancelled) !== undefined
  const shipped = (order: number) => fulfillmentStatus(view, order) === 'fulfilled'
  const createdAt = (order: number) => planOf(view, order).created
  return {
    /** Shipped and refunded as a whole. */
    refundedOrderId: newest((order) => financialStatus(view, order) === 'refunded' && shipped(order)),
    cancelledOrderId: newest((order) => past(view, planOf(view, order).cancelled) !== undefined),
    openOrderId: newest((order) => !ended(order) && customerOf(view.seed, order) !== undefined),
    /** Older than 60 days, shipped, closed. */
    oldOrderId: newest((order) => createdAt(order) < view.now - 70 * day && ended(order) && shipped(order)),
    newestOrderId: newest(() => true),
    /** An order that was destroyed within a year. */
    destroyedOrderId: lastId(view, 'orders', [all, (order) => !exists(view, 'orders', order)]),
    /** Two fulfillment orders: the merchant's and a fulfillment service's. */
    splitOrderId: newest((order) => order % 5 === 0 && basketOf(view, order).lines.length > 1),
    orderCounts: {
      /** Of any status. */
      orders: orders.length,
      openOrders: orders.filter((order) => !ended(order)).length,
      /** Created within the last 60 days. */
      recentOrders: orders.filter((order) => createdAt(order) >= view.now - 60 * day).length,
    },
  }
}

function productFacts(view: View) {
  const { productCount, variantWidth, imageWidth, imageCount, variantCount, productWithManyVariants } = catalog
  const isThere = (product: number) => exists(view, 'products', product)
  const hasSeveral = (product: number) => isThere(product) && imageCount(view, product) > 1 && variantCount(view, product) > 1
  const product = positionsUntil(productCount).findLast(hasSeveral) ?? 0
  const image = product * imageWidth + 1
  const isUntracked = (variant: number) => isThere(Math.floor(variant / variantWidth)) && !catalog.isTracked(view, variant)
  const untracked = catalog.allVariants(view).find(isUntracked) ?? 0
  const destroyed = positionsUntil(productCount).find((found) => !isThere(found)) ?? 0
  return {
    productId: idIn(view, 'products', product),
    /** Has 140 variants, of which 100 are shown, and 70 metafields. */
    largeProductId: idIn(view, 'products', productWithManyVariants),
    /** Not shown by lists, but at its own address. */
    hiddenVariantId: idIn(view, 'variants', productWithManyVariants * variantWidth + 120),
    destroyedProductId: idIn(view, 'products', destroyed),
    variantId: idIn(view, 'variants', product * variantWidth),
    /** An image of `productId`, and the media image that owns its metafields. */
    imageId: idIn(view, 'images', image),
    mediaImageId: idIn(view, 'media_images', image),
    inventoryItemId: idIn(view, 'inventory_items', product * variantWidth),
    untrackedItemId: idIn(view, 'inventory_items', untracked),
  }
}

function customerFacts(view: View) {
  const customers = positionsUntil(customersUntil(view.seed, view.now))
  const newest = (fits: Fits) => lastId(view, 'customers', [customers, fits])
  return {
    newestCustomerId: newest(() => true),
    customerId: newest((customer) => addressCount(view, customer) > 1 && customer % 23 !== 5),
    /** Has 14 addresses; its record embeds ten. */
    customerWithManyAddressesId: idIn(view, 'customers', customerWithManyAddresses),
    /** Has no address and therefore no `default_address`. */
    customerWithoutAddressesId: newest((customer) => addressCount(view, customer) === 0),
    /** Never bought. */
    idleCustomerId: newest((customer) => ordersOf(view, customer).length === 0),
  }
}

const isSmart = (view: View, collection: number): boolean => collection >= customCount && exists(view, 'collections', collection)

function otherFacts(view: View) {
  const drafts = positionsUntil(draftsUntil(view))
  const draft = (status: string) =>
    lastId(view, 'draft_orders', [drafts, (found) => exists(view, 'draft_orders', found) && draftStatus(view, found) === status])
  const checkouts = positionsUntil(checkoutsUntil(view.seed, view.now))
  return {
    /** The first stocks everything that is tracked or not. */
    locationIds: sites.map((_, site) => idIn(view, 'locations', site)),
    emptyLocationId: idIn(view, 'locations', emptySite),
    priceRuleId: idIn(view, 'price_rules', positionsUntil(6).find((rule) => exists(view, 'price_rules', rule)) ?? 0),
    /** Has 230 codes. */
    largePriceRuleId: idIn(view, 'price_rules', ruleWithManyCodes),
    customCollectionId: idIn(view, 'collections', 0),
    smartCollectionId: lastId(view, 'collections', [positionsUntil(collectionCount), (found) => isSmart(view, found)]),
    emptyCollectionId: idIn(view, 'collections', emptyCollection),
    openDraftId: draft('open'),
    completedDraftId: draft('completed'),
    /** The newest one, open. */
    checkoutId: lastId(view, 'checkouts', [checkouts, (checkout) => abandonedAt(view.seed, checkout) > view.now - checkoutLife]),
  }
}

/** Owners of each kind with at least one metafield; the collection is a smart one. */
function metafieldOwners(view: View) {
  const { seed, now } = view
  const { productCount, imageWidth, variantWidth } = catalog
  const has = (resource: OwnerResource) => (position: number) => metafieldCount(view, { resource, position }) > 0
  const last = (kind: IdKind, size: number, fits: Fits) => lastId(view, kind, [positionsUntil(size), fits])
  const product = (found: number) => exists(view, 'products', found)
  const isImage = (image: number) => image % imageWidth < catalog.imageCount(view, Math.floor(image / imageWidth))
  const [hasImage, hasOrder, hasCollection, hasVariant] = [has('media_image'), has('order'), has('collection'), has('variant')]
  const isVariant = (variant: number) => product(Math.floor(variant / variantWidth)) && hasVariant(variant)
  return {
    customerId: last('customers', customersUntil(seed, now), has('customer')),
    orderId: last('orders', ordersUntil(seed, now), (order) => exists(view, 'orders', order) && hasOrder(order)),
    draftOrderId: last('draft_orders', draftsUntil(view), has('draft_order')),
    productId: last('products', productCount, product),
    variantId: lastId(view, 'variants', [catalog.allVariants(view), isVariant]),
    imageId: last(
      'images',
      productCount * imageWidth,
      (image) => isImage(image) && product(Math.floor(image / imageWidth)) && hasImage(image),
    ),
    locationId: last('locations', sites.length, has('location')),
    collectionId: last('collections', collectionCount, (found) => isSmart(view, found) && hasCollection(found)),
  }
}

/** Collects the facts of a store at its start. */
export function factsOf(view: View) {
  const { orderCounts, ...orders } = orderFacts(view)
  return {
    counts: {
      customers: customersUntil(view.seed, view.now),
      ...orderCounts,
      /** Those that lists show. */
      products: positionsUntil(catalog.productCount).filter((product) => exists(view, 'products', product)).length,
      draftOrders: draftsUntil(view),
      locations: sites.length,
    },
    shopId: shopId(view),
    host: storeHost,
    ...customerFacts(view),
    ...orders,
    ...productFacts(view),
    ...otherFacts(view),
    metafieldOwners: metafieldOwners(view),
    /** No record of any kind has it. */
    unknownId: 1,
  }
}
