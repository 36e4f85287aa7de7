import { at } from '../at.ts'
import { productExists } from './catalog.ts'
import { gid } from './ids.ts'
import type { Rows, SmallRow } from './rows.ts'
import { day, shopTime, shopTimeOrNull } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, draw, edited, idIn, randomOf } from './world.ts'

/** How many price rules there are, destroyed ones included. */
export const ruleCount = 60

/** Codes per price rule at most. */
const codeWidth = 256

/** The price rule with more codes than a page has. */
export const ruleWithManyCodes = 5

const created = Date.UTC(2021, 2, 1, 9)

function ruleCreated(rule: number): number {
  return created + rule * 17 * day
}

function ruleChanged(view: View, rule: number): number {
  const planned = ruleCreated(rule) + draw(view, 200, 'rule edited', rule) * day
  return changedAt(view, { kind: 'price_rules', position: rule }, planned <= view.now ? planned : ruleCreated(rule))
}

/** True while a price rule exists. */
export function ruleExists(view: View, rule: number): boolean {
  return destroyedAt(view, { kind: 'price_rules', position: rule }) === undefined
}

/** How many codes a price rule has. */
function codeCount(view: { readonly seed: number }, rule: number): number {
  if (rule === ruleWithManyCodes) return 230
  return rule % 7 === 6 ? 0 : 1 + draw(view, 4, 'codes', rule)
}

/** The text of a code. */
export function codeText(view: { readonly seed: number }, rule: number, index: number): string {
  const word = at(['HALLO', 'SUMMER', 'DANKE', 'VIP', 'BACK'], draw(view, 5, 'code word', rule))
  return `${word}${rule}${index === 0 ? '' : `-${String(index).padStart(3, '0')}`}`
}

interface RuleShape {
  readonly value_type: string
  readonly value: string
  readonly target_type: string
  readonly target_selection: string
  readonly allocation_method: string
}

const shapes: readonly RuleShape[] = [
  { value_type: 'percentage', value: '-10.0', target_type: 'line_item', target_selection: 'all', allocation_method: 'across' },
  { value_type: 'fixed_amount', value: '-15.0', target_type: 'line_item', target_selection: 'all', allocation_method: 'across' },
  { value_type: 'percentage', value: '-100.0', target_type: 'shipping_line', target_selection: 'all', allocation_method: 'each' },
  { value_type: 'percentage', value: '-25.0', target_type: 'line_item', target_selection: 'entitled', allocation_method: 'across' },
  { value_type: 'percentage', value: '-100.0', target_type: 'line_item', target_selection: 'entitled', allocation_method: 'each' },
]

function conditions(view: View, rule: number): JsonRecord {
  const shape = rule % shapes.length
  const entitled = rule * 9
  const products = shape >= 3 && productExists(view, entitled) ? [idIn(view, 'products', entitled)] : []
  const buy = shape === 4 ? 2 : null
  return {
    entitled_product_ids: products,
    entitled_variant_ids: [],
    entitled_collection_ids: [],
    entitled_country_ids: [],
    prerequisite_product_ids: [],
    prerequisite_variant_ids: [],
    prerequisite_collection_ids: shape === 4 ? [idIn(view, 'collections', 2)] : [],
    customer_segment_prerequisite_ids: [],
    prerequisite_customer_ids: rule % 12 === 1 ? [idIn(view, 'customers', rule)] : [],
    prerequisite_subtotal_range: shape === 2 ? { greater_than_or_equal_to: '50.0' } : null,
    prerequisite_quantity_range: null,
    prerequisite_shipping_price_range: null,
    prerequisite_to_entitlement_quantity_ratio: { prerequisite_quantity: buy, entitled_quantity: buy === null ? null : 1 },
    prerequisite_to_entitlement_purchase: { prerequisite_amount: null },
  }
}

function ruleRecord(view: View, rule: number): JsonRecord {
  const random = randomOf(view, 'rule', rule)
  const start = ruleCreated(rule) + random.int(0, 5) * day
  return edited(
    view,
    { kind: 'price_rules', position: rule },
    {
      id: idIn(view, 'price_rules', rule),
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
      admin_graphql_api_id: gid('PriceRule', idIn(view, 'price_rules', rule)),
    },
  )
}

/** The price rules of the store. */
export function ruleRows(view: View): Rows {
  return {
    size: ruleCount,
    id: (rule) => idIn(view, 'price_rules', rule),
    visible: (rule) => ruleCreated(rule) <= view.now && ruleExists(view, rule),
    times: { created_at: ruleCreated, updated_at: (rule) => ruleChanged(view, rule) },
    newestFirst: true,
    record: (rule) => ruleRecord(view, rule),
  }
}

/** The codes of a price rule. */
export function codeList(view: View, rule: number): readonly SmallRow[] {
  return Array.from({ length: codeCount(view, rule) }, (_, index) => {
    const position = rule * codeWidth + index
    const id = idIn(view, 'discount_codes', position)
    const changed = changedAt(view, { kind: 'discount_codes', position }, ruleCreated(rule) + index * 1000)
    const record = edited(
      view,
      { kind: 'discount_codes', position },
      {
        id,
        price_rule_id: idIn(view, 'price_rules', rule),
        code: codeText(view, rule, index),
        usage_count: index === 0 ? draw(view, 400, 'used', rule) : draw(view, 2, 'used', rule, index),
        created_at: shopTime(ruleCreated(rule) + index * 1000),
        updated_at: shopTime(changed),
      },
    )
    return { id, record }
  })
}
