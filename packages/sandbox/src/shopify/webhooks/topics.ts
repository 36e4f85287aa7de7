import type { IdKind } from '../world.ts'

/** Topics of the records of one kind. */
export interface RecordTopics {
  /** What a token must allow. */
  readonly scope: string
  readonly changed: string
  readonly removed: string
  /** First part of the topics. */
  readonly name: string
  /** Paths and keys of the record in the API: what is sent is what the API answers. */
  readonly records: readonly (readonly [path: string, key: string])[]
}

const usual = (name: string, key: string, scope: string): RecordTopics => ({
  scope,
  changed: `${name}/update`,
  removed: `${name}/delete`,
  name,
  records: [[`/${name}`, key]],
})

/** Kinds of records whose changes are told. The vendor says `orders/updated` where it says `…/update` of all others. */
export const recordTopics: Readonly<Partial<Record<IdKind, RecordTopics>>> = {
  orders: { ...usual('orders', 'order', 'read_orders'), changed: 'orders/updated' },
  products: usual('products', 'product', 'read_products'),
  customers: usual('customers', 'customer', 'read_customers'),
  draft_orders: usual('draft_orders', 'draft_order', 'read_draft_orders'),
  collections: {
    ...usual('collections', '', 'read_products'),
    records: [
      ['/custom_collections', 'custom_collection'],
      ['/smart_collections', 'smart_collection'],
    ],
  },
  locations: usual('locations', 'location', 'read_locations'),
  inventory_items: usual('inventory_items', 'inventory_item', 'read_inventory'),
}

/** Topics that an app gets at the address of its settings, without a subscription. */
export const mandatoryTopics: readonly string[] = ['customers/data_request', 'customers/redact', 'shop/redact']

const withoutRecords = ['app/uninstalled', 'shop/update']
/** Topics that can be asked for, and of which nothing is sent. */
const silent: Readonly<Record<string, string>> = {
  'refunds/create': 'read_orders',
  'fulfillments/create': 'read_orders',
  'fulfillments/update': 'read_orders',
  'inventory_levels/update': 'read_inventory',
  'inventory_levels/disconnect': 'read_inventory',
}

/** Returns the scope that a subscription to a topic needs, empty for none; undefined for a topic that does not exist. */
export function findTopicScope(topic: string): string | undefined {
  if (withoutRecords.includes(topic)) return ''
  if (Object.hasOwn(silent, topic)) return silent[topic]
  const [name = ''] = topic.split('/')
  const known = Object.values(recordTopics).find((each) => each.name === name)
  return known !== undefined && [`${name}/create`, known.changed, known.removed].includes(topic) ? known.scope : undefined
}
