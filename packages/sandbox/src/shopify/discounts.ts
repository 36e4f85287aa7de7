import { at, setEach } from '../data.ts'
import { listRows, noTimes, type Rows } from './rows.ts'
import { changedAt, day, draw, exists, idIn, type JsonRecord, randomOf, shopTime, shopTimeOrNull, type View } from './world.ts'

/** How many price rules there are, destroyed ones included. */
export const ruleCount = 60

const codeWidth = 256

/** The price rule with more codes than a page has. */
export const ruleWithManyCodes = 5

const created = Date.UTC(2021, 2, 1, 9)

const ruleCreated = (rule: number): number => created + rule * 17 * day

function ruleChanged(view: View, rule: number): number {
  const planned = ruleCreated(rule) + draw(view, 200, 'rule edited', rule) * day
  return changedAt(view, { kind: 'price_rules', position: rule }, planned <= view.now ? planned : ruleCreated(rule))
}

function codeCount(view: { readonly seed: number }, rule: number): number {
  if (rule === ruleWithManyCodes) return 230
  return rule % 7 === 6 ? 0 : 1 + draw(view, 4, 'codes', rule)
}

/** Returns the text of a code. */
export function codeText(view: { readonly seed: number }, rule: number, index: number): string {
  const word = at(['HALLO', 'SUMMER', 'DANKE', 'VIP', 'BACK'], draw(view, 5, 'code word', rule))
  return `${word}${rule}${index === 0 ? '' : `-${String(index).padStart(3, '0')}`}`
}

const percent = { value_type: 'percentage', target_type: 'line_item', target_selection: 'all', allocation_method: 'across' }

const shapes: readonly JsonRecord[] = [
  { ...percent, value: '-10.0' },
  { ...percent, value_type: 'fixed_amount', value: '-15.0' },
  { ...percent, value: '-100.0', target_type: 'shipping_line', allocation_method: 'each' },
  { ...percent, value: '-25.0', target_selection: 'entitled' },
  { ...percent, value: '-100.0', target_selection: 'entitled', allocation_method: 'each' },
]

function conditions(view: View, rule: number): JsonRecord {
  const shape = rule % shapes.length
  const entitled = rule * 9
  const products = shape >= 3 && exists(view, 'products', entitled) ? [idIn(view, 'products', entitled)] : []
  const buy = shape === 4 ? 2 : null
  return {
    entitled_product_ids: products,
    ...setEach([], 'entitled_variant_ids entitled_collection_ids entitled_country_ids prerequisite_product_ids'),
    ...setEach([], 'prerequisite_variant_ids customer_segment_prerequisite_ids'),
    prerequisite_collection_ids: shape === 4 ? [idIn(view, 'collections', 2)] : [],
    prerequisite_customer_ids: rule % 12 === 1 ? [idIn(view, 'customers', rule)] : [],
    prerequisite_subtotal_range: shape === 2 ? { greater_than_or_equal_to: '50.0' } : null,
    ...setEach(null, 'prerequisite_quantity_range prerequisite_shipping_price_range'),
    prerequisite_to_entitlement_quantity_ratio: { prerequisite_quantity: buy, entitled_quantity: buy === null ? null : 1 },
    prerequisite_to_entitlement_purchase: { prerequisite_amount: null },
  }
}

function ruleRecord(view: View, rule: number): JsonRecord {
  const random = randomOf(view, 'rule', rule)
  const start = ruleCreated(rule) + random.int(0, 5) * day
  return {
    ...at(shapes, rule % shapes.length),
    customer_selection: rule % 12 === 1 ? 'prerequisite' : 'all',
    allocation_limit: rule % shapes.length === 4 ? 3 : null,
    once_per_customer: random.chance(0.3),
    usage_limit: random.chance(0.3) ? random.int(20, 500) : null,
    starts_at: shopTime(start),
    ends_at: shopTimeOrNull(random.chance(0.6) ? start + random.int(10, 400) * day : undefined),
    created_at: shopTime(ruleCreated(rule)),
    updated_at: shopTime(ruleChanged(view, rule)),
    ...conditions(view, rule),
    title: codeText(view, rule, 0),
  }
}

/** Returns the price rules of the store. */
export const ruleRows = (view: View): Rows =>
  listRows(view, {
    kind: 'price_rules',
    positions: { from: 0, to: ruleCount },
    visible: (rule) => ruleCreated(rule) <= view.now && exists(view, 'price_rules', rule),
    times: { created_at: ruleCreated, updated_at: (rule) => ruleChanged(view, rule) },
    newestFirst: true,
    fields: (rule) => ruleRecord(view, rule),
  })

/** Returns the codes of a price rule. */
export function codeRows(view: View, rule: number): Rows {
  const first = rule * codeWidth
  const created = (position: number) => ruleCreated(rule) + (position - first) * 1000
  return listRows(view, {
    kind: 'discount_codes',
    positions: { from: first, to: first + codeCount(view, rule) },
    visible: () => true,
    times: noTimes,
    fields: (position) => ({
      price_rule_id: idIn(view, 'price_rules', rule),
      code: codeText(view, rule, position - first),
      usage_count: position === first ? draw(view, 400, 'used', rule) : draw(view, 2, 'used', rule, position - first),
      created_at: shopTime(created(position)),
      updated_at: shopTime(changedAt(view, { kind: 'discount_codes', position }, created(position))),
    }),
  })
}
