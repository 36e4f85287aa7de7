/** One right call of every operation of a Shopify connector against the sandbox; every list finds something. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import type { ShopifyWorldFacts } from '../../packages/sandbox/src/index.ts'

type Values = Readonly<Record<string, unknown>>

/** The checker of records is slow. */
const few = { limit: 10 }

/** What the operations of one entity are called with. */
export interface Uses {
  readonly list?: Values
  /** Parameters of `get` by the fields of a record of the list that they come from; `shop` has no list. */
  readonly get?: Readonly<Record<string, string>>
  /** Parameters of `get` beside them. */
  readonly within?: Values
}

/** Parameters of every operation, in the order of the definition. */
export function usesOf(world: ShopifyWorldFacts): Readonly<Record<keyof typeof kinds.shopify.definition.entities, Uses>> {
  const { metafieldOwners: owners, productId: product_id } = world
  const order = { order_id: world.refundedOrderId }
  const split = { order_id: world.splitOrderId }
  const rule = { price_rule_id: world.largePriceRuleId }
  const customer = { customer_id: world.customerId }
  const location_id = world.locationIds[0]
  return {
    customers: { list: few, get: { customer_id: 'id' } },
    orders: { list: few, get: { order_id: 'id' } },
    products: { list: few, get: { product_id: 'id' } },
    product_variants: { list: { product_id }, get: { variant_id: 'id' } },
    product_images: { list: { product_id }, get: { image_id: 'id' }, within: { product_id } },
    abandoned_checkouts: { list: few },
    locations: { list: few, get: { location_id: 'id' } },
    inventory_levels: { list: { location_id, ...few } },
    inventory_items: { list: { ids: `${world.inventoryItemId},${world.untrackedItemId}` }, get: { inventory_item_id: 'id' } },
    shop: { get: {} },
    price_rules: { list: few, get: { price_rule_id: 'id' } },
    discount_codes: { list: rule, get: { discount_code_id: 'id' }, within: rule },
    custom_collections: { list: few, get: { collection_id: 'id' } },
    smart_collections: { list: few, get: { collection_id: 'id' } },
    collects: { list: few, get: { collect_id: 'id' } },
    draft_orders: { list: few, get: { draft_order_id: 'id' } },
    fulfillments: { list: order, get: { fulfillment_id: 'id' }, within: order },
    order_refunds: { list: order, get: { refund_id: 'id' }, within: order },
    transactions: { list: order, get: { transaction_id: 'id' }, within: order },
    tender_transactions: { list: few },
    countries: { list: {}, get: { country_id: 'id' } },
    metafield_shops: { list: few, get: { metafield_id: 'id' } },
    metafield_customers: { list: { customer_id: owners.customerId } },
    metafield_products: { list: { product_id: owners.productId } },
    metafield_orders: { list: { order_id: owners.orderId } },
    metafield_draft_orders: { list: { draft_order_id: owners.draftOrderId } },
    metafield_locations: { list: { location_id: owners.locationId } },
    metafield_product_variants: { list: { variant_id: owners.variantId } },
    metafield_smart_collections: { list: { collection_id: owners.collectionId } },
    metafield_product_images: { list: { product_id, image_id: owners.imageId } },
    customer_address: { list: customer, get: { address_id: 'id' }, within: customer },
    fulfillment_orders: { list: split, get: { fulfillment_order_id: 'id' } },
  }
}

/** All operations as `entity action`, with the definition of the entity. */
export const operations = Object.entries(kinds.shopify.definition.entities).flatMap(([entity, definition]) =>
  listLiveActions(definition).map((action) => ({ entity, action, definition })),
)

type Run = (entity: string, action: string, params: Values) => Promise<{ readonly data: unknown }>

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Runs one operation through a door; a `get` asks for the first record of its list. @returns its records */
export async function useOf(run: Run, uses: Uses | undefined, { entity, action }: { entity: string; action: string }): Promise<unknown[]> {
  const listed = uses?.list === undefined ? [] : [(await run(entity, 'list', uses.list)).data].flat()
  if (action === 'list') return listed
  const [first] = listed
  const from = Object.entries(uses?.get ?? {}).map(([name, field]) => [name, isObject(first) ? first[field] : undefined])
  return [(await run(entity, 'get', { ...uses?.within, ...Object.fromEntries(from) })).data]
}
