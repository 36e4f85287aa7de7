/** Words, parameters and objects that several Shopify entities share. */
import {
  bool,
  decimal,
  each,
  id,
  int,
  known,
  list,
  moment,
  num,
  obj,
  objectOrAny,
  oneOf,
  open,
  opt,
  orNull,
  str,
  time,
} from '../../definition/index.ts'

const asSent = 'As the vendor sends it'
/** A string or null. */
export const text = orNull(str(asSent))
/** Where a product or a collection is shown. */
export const published_scope = orNull(known('Where it is shown', 'web', 'global'))
/** An amount or another decimal number as a string, or null. */
export const money = orNull(decimal('Decimal number as a string'))
/** A timestamp with the offset of the store, or null. */
export const when = orNull(time('Moment, ISO 8601 with the offset of the store'))
/** An id of another record, or null. */
export const ref = orNull(id('Id'))
/** A count or another whole number, or null. */
export const count = orNull(int(asSent))
/** A decimal number or null. */
export const number = orNull(num(asSent))
/** A boolean or null. */
export const flag = orNull(bool(asSent))
/** An array of vendor-defined objects, or null. */
export const items = orNull(list(open(asSent), asSent))
/** An array of strings, or null. */
export const texts = orNull(list(str(asSent), asSent))
/** An array of ids, or null. */
export const refs = orNull(list(id('Id'), 'Ids'))
/** A vendor-defined object, or null. */
export const object = orNull(open(asSent))
/** A vendor-defined object or any other value. */
export const anything = objectOrAny(asSent)

/** A page size. The vendor's own default is 50. */
export const limit = opt(int('Records per page, 1 to 250; 50 when it is left out', { minimum: 1, maximum: 250 }))
/** Incremental sync by updated_at: in the order of ids, with an overlap of an hour before the latest change. */
export const changed = {
  since: { param: 'updated_at_min', field: 'updated_at', lookback: 3_600 },
  after: { param: 'since_id', field: 'id' },
} as const
/** Requests the largest page. */
export const wholePages = { limit: 250 } as const

/** Only records after an id, ordered by id, ascending. */
export const since_id = opt(id('Only records after this id, in ascending order of ids'))
/** The next page of a list, in one of two forms. Both exclude all filters. */
export const following = {
  page_info: opt(str('Position of a page (meta.next_params); only limit may go with it', { minLength: 1, maxLength: 4096 })),
  next_page_url: opt(
    str('meta.next_page_url as it was returned, instead of page_info; it is never fetched as given', { minLength: 1, maxLength: 8192 }),
  ),
}
/** Parameters of most lists. */
export const paging = { limit, since_id, ...following }
/** Bounds of the creation, both inclusive. */
export const createdWindow = { created_at_min: opt(moment('Created at or after')), created_at_max: opt(moment('Created at or before')) }
/** Bounds of the last change, both inclusive. */
export const updatedWindow = { updated_at_min: opt(moment('Changed at or after')), updated_at_max: opt(moment('Changed at or before')) }

/** A postal address of a customer. */
export const address = {
  id: id('Address id'),
  customer_id: ref,
  ...each(
    text,
    'first_name',
    'last_name',
    'company',
    'address1',
    'address2',
    'city',
    'province',
    'country',
    'zip',
    'phone',
    'name',
    'province_code',
    'country_code',
    'country_name',
  ),
  default: flag,
}

/** A product variant. */
export const variant = {
  id: id('Variant id'),
  ...each(ref, 'product_id', 'image_id', 'inventory_item_id'),
  ...each(
    text,
    'title',
    'price',
    'sku',
    'inventory_policy',
    'compare_at_price',
    'fulfillment_service',
    'inventory_management',
    'option1',
    'option2',
    'option3',
    'barcode',
    'weight_unit',
    'admin_graphql_api_id',
  ),
  ...each(money, 'price', 'compare_at_price'),
  inventory_policy: orNull(known('Whether it is sold when out of stock', 'deny', 'continue')),
  ...each(count, 'position', 'grams', 'inventory_quantity', 'old_inventory_quantity'),
  ...each(when, 'created_at', 'updated_at'),
  ...each(flag, 'taxable', 'requires_shipping'),
  weight: number,
}

/** A product image. */
export const image = {
  id: id('Image id'),
  product_id: ref,
  ...each(count, 'position', 'width', 'height'),
  ...each(when, 'created_at', 'updated_at'),
  ...each(text, 'alt', 'src', 'admin_graphql_api_id'),
  variant_ids: refs,
}

/** A line of an order, draft order or fulfillment. */
export const lineItem = {
  id: id('Line item id'),
  ...each(
    text,
    'admin_graphql_api_id',
    'fulfillment_service',
    'fulfillment_status',
    'name',
    'price',
    'sku',
    'title',
    'total_discount',
    'variant_inventory_management',
    'variant_title',
    'vendor',
  ),
  ...each(items, 'attributed_staffs', 'properties', 'tax_lines', 'duties', 'discount_allocations'),
  ...each(count, 'current_quantity', 'fulfillable_quantity', 'grams', 'quantity'),
  ...each(ref, 'product_id', 'variant_id'),
  ...each(flag, 'gift_card', 'product_exists', 'requires_shipping', 'taxable'),
  ...each(object, 'price_set', 'total_discount_set'),
}
/** Lines, or null. */
export const lineItems = orNull(list(obj(lineItem, 'Line item'), 'Line items'))

/** A payment transaction. */
export const transaction = {
  id: id('Transaction id'),
  ...each(ref, 'order_id', 'location_id', 'user_id', 'parent_id', 'device_id'),
  ...each(
    text,
    'kind',
    'gateway',
    'status',
    'message',
    'authorization',
    'error_code',
    'source_name',
    'amount',
    'currency',
    'payment_id',
    'admin_graphql_api_id',
  ),
  ...each(when, 'created_at', 'processed_at'),
  ...each(flag, 'test', 'manual_payment_gateway'),
  ...each(object, 'receipt', 'currency_exchange_adjustment', 'total_unsettled_set'),
}

/** A refund: embedded in orders, and the record of `order_refunds`. */
export const refund = {
  id: id('Refund id'),
  ...each(ref, 'order_id', 'user_id'),
  ...each(when, 'created_at', 'processed_at'),
  ...each(text, 'note', 'admin_graphql_api_id'),
  restock: flag,
  ...each(items, 'duties', 'refund_line_items', 'order_adjustments', 'refund_shipping_lines'),
  transactions: orNull(list(obj(transaction, 'Transaction'), 'Transactions')),
  ...each(object, 'total_duties_set', 'return'),
}

/** A fulfillment: embedded in orders, and the record of `fulfillments`. */
export const fulfillment = {
  id: id('Fulfillment id'),
  ...each(ref, 'order_id', 'location_id'),
  ...each(
    text,
    'status',
    'service',
    'tracking_company',
    'shipment_status',
    'tracking_number',
    'tracking_url',
    'name',
    'admin_graphql_api_id',
  ),
  status: orNull(known('Status', 'success', 'cancelled', 'error', 'failure', 'pending', 'open')),
  ...each(when, 'created_at', 'updated_at'),
  ...each(object, 'origin_address', 'receipt'),
  line_items: lineItems,
  ...each(texts, 'tracking_numbers', 'tracking_urls'),
}

/** A status filter with its values. */
export const status = <const V extends readonly string[]>(about: string, ...values: V) => opt(oneOf(about, ...values))
