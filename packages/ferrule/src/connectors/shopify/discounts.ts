import { each, entity, id, known, orNull, pick } from '../../definition/index.ts'
import {
  changed,
  count,
  createdWindow,
  flag,
  following,
  limit,
  money,
  object,
  paging,
  ref,
  refs,
  text,
  updatedWindow,
  when,
  wholePages,
} from './shapes.ts'

const scope = ['read_price_rules', 'read_discounts']

const rule = {
  id: id('Price rule id'),
  ...each(
    text,
    'value_type',
    'value',
    'customer_selection',
    'target_type',
    'target_selection',
    'allocation_method',
    'title',
    'admin_graphql_api_id',
  ),
  value: money,
  value_type: orNull(known('What the value is', 'fixed_amount', 'percentage')),
  target_type: orNull(known('What is discounted', 'line_item', 'shipping_line')),
  target_selection: orNull(known('Which of them', 'all', 'entitled')),
  allocation_method: orNull(known('How the discount is spread', 'each', 'across')),
  ...each(when, 'starts_at', 'ends_at', 'created_at', 'updated_at'),
  ...each(count, 'allocation_limit', 'usage_limit'),
  once_per_customer: flag,
  ...each(
    refs,
    'entitled_product_ids',
    'entitled_variant_ids',
    'entitled_collection_ids',
    'entitled_country_ids',
    'prerequisite_product_ids',
    'prerequisite_variant_ids',
    'prerequisite_collection_ids',
    'customer_segment_prerequisite_ids',
    'prerequisite_customer_ids',
  ),
  ...each(
    object,
    'prerequisite_subtotal_range',
    'prerequisite_quantity_range',
    'prerequisite_shipping_price_range',
    'prerequisite_to_entitlement_quantity_ratio',
    'prerequisite_to_entitlement_purchase',
  ),
}

/** GET /price_rules.json, GET /price_rules/{price_rule_id}.json */
export const price_rules = entity({
  about: 'Rules of discounts',
  scope,
  key: ['id'],
  record: rule,
  list: {
    call: 'GET /price_rules.json',
    at: 'price_rules',
    page: 'next_page_url',
    params: { ...paging, ...createdWindow, ...updatedWindow },
  },
  get: { call: 'GET /price_rules/{price_rule_id}.json', at: 'price_rule', params: { price_rule_id: id('Price rule id') } },
  context_store_search: pick(
    rule,
    'id',
    'title',
    'value',
    'value_type',
    'target_type',
    'target_selection',
    'allocation_method',
    'starts_at',
    'ends_at',
    'created_at',
    'updated_at',
  ),
  sync: { params: wholePages, ...changed },
})

const code = { id: id('Discount code id'), price_rule_id: ref, usage_count: count, code: text, ...each(when, 'created_at', 'updated_at') }

/** GET /price_rules/{price_rule_id}/discount_codes.json */
export const discount_codes = entity({
  about: 'Codes of one price rule',
  scope,
  key: ['id'],
  refers: { price_rule_id: 'price_rules' },
  record: code,
  list: {
    call: 'GET /price_rules/{price_rule_id}/discount_codes.json',
    at: 'discount_codes',
    page: 'next_page_url',
    params: { price_rule_id: id('Price rule id'), limit, ...following },
  },
  get: {
    call: 'GET /price_rules/{price_rule_id}/discount_codes/{discount_code_id}.json',
    at: 'discount_code',
    params: { price_rule_id: id('Price rule id'), discount_code_id: id('Discount code id') },
  },
  context_store_search: pick(code, 'id', 'price_rule_id', 'usage_count', 'code', 'created_at', 'updated_at'),
  sync: {
    params: wholePages,
    each: { entity: 'price_rules', take: { price_rule_id: 'id' } },
    under: { field: 'price_rule_id', parent: 'id' },
  },
})
