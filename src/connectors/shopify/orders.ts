import { absent, each, entity, id, list, obj, orNull, pick } from '../../definition/index.ts'
import {
  anything,
  count,
  createdWindow,
  flag,
  following,
  fulfillment,
  items,
  limit,
  lineItem,
  lineItems,
  object,
  paging,
  ref,
  refund,
  since_id,
  status,
  text,
  texts,
  transaction,
  updatedWindow,
  when,
} from './shapes.ts'

const scope = ['read_orders']
const order_id = id('Order id')

const order = {
  id: id('Order id'),
  ...each(
    text,
    'admin_graphql_api_id',
    'browser_ip',
    'cancel_reason',
    'cart_token',
    'checkout_token',
    'confirmation_number',
    'contact_email',
    'currency',
    'current_subtotal_price',
    'current_total_discounts',
    'current_total_price',
    'current_total_tax',
    'customer_locale',
    'email',
    'financial_status',
    'fulfillment_status',
    'gateway',
    'landing_site',
    'landing_site_ref',
    'merchant_business_entity_id',
    'name',
    'note',
    'order_status_url',
    'phone',
    'po_number',
    'presentment_currency',
    'reference',
    'referring_site',
    'source_identifier',
    'source_name',
    'source_url',
    'subtotal_price',
    'tags',
    'token',
    'total_discounts',
    'total_line_items_price',
    'total_outstanding',
    'total_price',
    'total_tax',
    'total_tip_received',
  ),
  ...each(when, 'cancelled_at', 'closed_at', 'created_at', 'processed_at', 'updated_at'),
  ...each(ref, 'app_id', 'checkout_id', 'device_id', 'location_id', 'merchant_of_record_app_id', 'user_id'),
  ...each(count, 'number', 'order_number', 'total_weight'),
  ...each(flag, 'buyer_accepts_marketing', 'confirmed', 'estimated_taxes', 'duties_included', 'tax_exempt', 'taxes_included', 'test'),
  ...each(
    object,
    'client_details',
    'company',
    'current_subtotal_price_set',
    'current_total_additional_fees_set',
    'current_total_discounts_set',
    'current_total_duties_set',
    'current_total_price_set',
    'current_total_tax_set',
    'total_cash_rounding_payment_adjustment_set',
    'total_cash_rounding_refund_adjustment_set',
    'payment_terms',
    'original_total_additional_fees_set',
    'original_total_duties_set',
    'subtotal_price_set',
    'total_discounts_set',
    'total_line_items_price_set',
    'total_price_set',
    'total_shipping_price_set',
    'total_tax_set',
  ),
  ...each(anything, 'customer', 'shipping_address', 'billing_address'),
  ...each(items, 'discount_applications', 'discount_codes', 'note_attributes', 'shipping_lines', 'tax_lines'),
  fulfillments: orNull(list(obj(fulfillment, 'Fulfillment'), 'Fulfillments')),
  line_items: lineItems,
  payment_gateway_names: texts,
  refunds: orNull(list(obj(refund, 'Refund'), 'Refunds')),
}

/** GET /orders.json, GET /orders/{order_id}.json. Without a status the vendor would leave out closed and cancelled orders. */
export const orders = entity({
  about: 'Orders; those older than 60 days need the scope read_all_orders',
  scope,
  key: ['id'],
  record: order,
  list: {
    call: 'GET /orders.json',
    at: 'orders',
    page: 'next_page_url',
    params: {
      ...paging,
      ...createdWindow,
      ...updatedWindow,
      status: status('any when it is left out', 'open', 'closed', 'cancelled', 'any'),
      financial_status: status(
        'Payment',
        'authorized',
        'pending',
        'paid',
        'partially_paid',
        'refunded',
        'voided',
        'partially_refunded',
        'any',
        'unpaid',
      ),
      fulfillment_status: status('Delivery', 'shipped', 'partial', 'unshipped', 'any', 'unfulfilled'),
    },
    defaults: { status: 'any' },
  },
  get: { call: 'GET /orders/{order_id}.json', at: 'order', params: { order_id } },
})

/** GET /orders/{order_id}/refunds.json */
export const order_refunds = entity({
  about: 'Refunds of one order',
  filled: { params: ['list', 'get'], record: 'all' },
  scope,
  key: ['id'],
  record: refund,
  list: { call: 'GET /orders/{order_id}/refunds.json', at: 'refunds', page: 'next_page_url', params: { order_id, limit, ...following } },
  get: { call: 'GET /orders/{order_id}/refunds/{refund_id}.json', at: 'refund', params: { order_id, refund_id: id('Refund id') } },
  context_store_search: pick(refund, 'id', 'order_id', 'user_id', 'note', 'created_at', 'processed_at'),
})

/** GET /orders/{order_id}/transactions.json. The vendor does not page this list. */
export const transactions = entity({
  about: 'Payment transactions of one order',
  scope,
  key: ['id'],
  record: transaction,
  list: {
    call: 'GET /orders/{order_id}/transactions.json',
    at: 'transactions',
    page: 'next_page_url',
    onePage: true,
    params: { order_id, since_id },
  },
  get: {
    call: 'GET /orders/{order_id}/transactions/{transaction_id}.json',
    at: 'transaction',
    params: { order_id, transaction_id: id('Transaction id') },
  },
})

/** GET /orders/{order_id}/fulfillments.json */
export const fulfillments = entity({
  about: 'Fulfillments of one order',
  filled: { params: ['list', 'get'], record: 'all', searchable: 'all' },
  scope,
  key: ['id'],
  record: fulfillment,
  list: {
    call: 'GET /orders/{order_id}/fulfillments.json',
    at: 'fulfillments',
    page: 'next_page_url',
    params: { order_id, ...paging, ...createdWindow, ...updatedWindow },
  },
  get: {
    call: 'GET /orders/{order_id}/fulfillments/{fulfillment_id}.json',
    at: 'fulfillment',
    params: { order_id, fulfillment_id: id('Fulfillment id') },
  },
  context_store_search: pick(
    fulfillment,
    'id',
    'order_id',
    'location_id',
    'status',
    'shipment_status',
    'tracking_company',
    'tracking_number',
    'created_at',
    'updated_at',
  ),
})

const fulfillmentOrder = {
  id: id('Fulfillment order id'),
  ...each(ref, 'shop_id', 'order_id', 'assigned_location_id'),
  ...each(text, 'request_status', 'status'),
  supported_actions: texts,
  ...each(object, 'destination', 'international_duties', 'delivery_method', 'assigned_location'),
  ...each(items, 'line_items', 'fulfillment_holds', 'merchant_requests'),
  ...each(when, 'fulfill_at', 'fulfill_by', 'created_at', 'updated_at'),
}

/** GET /orders/{order_id}/fulfillment_orders.json. Only those that the granted scopes cover; the vendor does not page this list. */
export const fulfillment_orders = entity({
  about: 'Fulfillment orders of one order',
  filled: { params: ['list', 'get'], record: 'all', searchable: 'all' },
  scope: ['read_merchant_managed_fulfillment_orders', 'read_assigned_fulfillment_orders', 'read_third_party_fulfillment_orders'],
  key: ['id'],
  record: fulfillmentOrder,
  list: {
    call: 'GET /orders/{order_id}/fulfillment_orders.json',
    at: 'fulfillment_orders',
    page: 'next_page_url',
    onePage: true,
    params: { order_id },
  },
  get: {
    call: 'GET /fulfillment_orders/{fulfillment_order_id}.json',
    at: 'fulfillment_order',
    params: { fulfillment_order_id: id('Fulfillment order id') },
  },
  context_store_search: pick(
    fulfillmentOrder,
    'id',
    'order_id',
    'shop_id',
    'assigned_location_id',
    'status',
    'request_status',
    'created_at',
    'updated_at',
  ),
})

const tender = {
  id: id('Tender transaction id'),
  ...each(ref, 'order_id', 'user_id'),
  ...each(text, 'amount', 'currency', 'remote_reference', 'payment_method'),
  processed_at: when,
  test: flag,
  payment_details: object,
}

/** GET /tender_transactions.json */
export const tender_transactions = entity({
  about: 'Money that changed hands',
  scope,
  key: ['id'],
  record: tender,
  list: {
    call: 'GET /tender_transactions.json',
    at: 'tender_transactions',
    page: 'next_page_url',
    params: {
      ...paging,
      processed_at_min: updatedWindow.updated_at_min,
      processed_at_max: updatedWindow.updated_at_max,
      order: status('Order of the list', 'processed_at ASC', 'processed_at DESC'),
    },
  },
  context_store_search: pick(tender, 'id', 'order_id', 'user_id', 'amount', 'currency', 'payment_method', 'test', 'processed_at'),
})

const { id: _lineId, admin_graphql_api_id: _lineApiId, price_set: _linePriceSet, ...line } = lineItem
/** A line of a checkout: the vendor sends neither its id nor its price set. */
const checkoutLine = { id: absent(id('Not sent by the vendor')), admin_graphql_api_id: text, price_set: object, ...line }

/** What the documents leave out of a checkout. */
const checkoutRest = {
  ...each(
    text,
    'name',
    'source',
    'abandoned_checkout_url',
    'source_name',
    'presentment_currency',
    'sms_marketing_phone',
    'total_discounts',
    'total_line_items_price',
    'total_price',
    'total_tax',
    'subtotal_price',
    'total_duties',
    'admin_graphql_api_id',
  ),
  ...each(items, 'discount_codes', 'tax_lines'),
  buyer_accepts_sms_marketing: flag,
  ...each(anything, 'billing_address', 'shipping_address', 'customer'),
}

const checkout = {
  id: id('Checkout id'),
  ...each(
    text,
    'token',
    'cart_token',
    'email',
    'gateway',
    'landing_site',
    'note',
    'referring_site',
    'currency',
    'source_identifier',
    'source_url',
    'phone',
    'customer_locale',
  ),
  ...each(when, 'created_at', 'updated_at', 'completed_at', 'closed_at'),
  ...each(flag, 'buyer_accepts_marketing', 'taxes_included'),
  ...each(items, 'note_attributes', 'shipping_lines'),
  total_weight: count,
  ...each(ref, 'user_id', 'location_id', 'device_id'),
  line_items: list(obj(checkoutLine, 'Line item'), 'Line items'),
  ...checkoutRest,
}

/** GET /checkouts.json. Without a status the vendor would return open ones only. */
export const abandoned_checkouts = entity({
  about: 'Checkouts that were not completed',
  filled: { record: Object.keys(checkoutRest), searchable: 'all' },
  scope,
  key: ['id'],
  record: checkout,
  list: {
    call: 'GET /checkouts.json',
    at: 'checkouts',
    page: 'next_page_url',
    params: { ...paging, ...createdWindow, ...updatedWindow, status: status('any when it is left out', 'open', 'closed', 'any') },
    defaults: { status: 'any' },
  },
  context_store_search: pick(
    checkout,
    'id',
    'token',
    'email',
    'phone',
    'name',
    'currency',
    'total_price',
    'created_at',
    'updated_at',
    'completed_at',
  ),
})

const draft = {
  id: id('Draft order id'),
  ...each(
    text,
    'note',
    'email',
    'currency',
    'name',
    'status',
    'invoice_url',
    'tags',
    'total_price',
    'subtotal_price',
    'total_tax',
    'admin_graphql_api_id',
    'created_on_api_version_handle',
  ),
  ...each(when, 'invoice_sent_at', 'created_at', 'updated_at', 'completed_at'),
  // The question mark is part of the last two names.
  ...each(flag, 'taxes_included', 'tax_exempt', 'allow_discount_codes_in_checkout?', 'b2b?'),
  line_items: lineItems,
  ...each(items, 'tax_lines', 'note_attributes'),
  ...each(anything, 'shipping_address', 'billing_address', 'customer'),
  ...each(object, 'applied_discount', 'shipping_line', 'payment_terms'),
  ...each(ref, 'order_id', 'api_client_id'),
}

/** GET /draft_orders.json, GET /draft_orders/{draft_order_id}.json. While totals are computed the vendor answers 202: it is waited for. */
export const draft_orders = entity({
  about: 'Draft orders',
  scope: ['read_draft_orders'],
  key: ['id'],
  record: draft,
  from: { created_on_api_version_handle: { copy: 'created_on_api_version' } },
  list: {
    call: 'GET /draft_orders.json',
    at: 'draft_orders',
    page: 'next_page_url',
    params: { ...paging, ...updatedWindow, status: status('Status', 'open', 'invoice_sent', 'completed') },
    running: { status: 202 },
  },
  get: {
    call: 'GET /draft_orders/{draft_order_id}.json',
    at: 'draft_order',
    params: { draft_order_id: id('Draft order id') },
    running: { status: 202 },
  },
  context_store_search: pick(
    draft,
    'id',
    'order_id',
    'name',
    'email',
    'currency',
    'total_price',
    'status',
    'created_at',
    'updated_at',
    'completed_at',
  ),
})
