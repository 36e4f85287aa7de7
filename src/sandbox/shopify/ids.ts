import { hash32 } from '../random.ts'

/**
 * Where the ids of each kind start. Records of a kind have ascending ids in the order of their positions; a child's position is
 * the position of its parent times a fixed width, so that an id leads to its record without an index.
 */
const bases = {
  products: 6_100_000_000_000,
  customers: 7_300_000_000_000,
  addresses: 8_800_000_000_000,
  orders: 5_400_000_000_000,
  line_items: 13_400_000_000_000,
  shipping_lines: 4_500_000_000_000,
  transactions: 6_700_000_000_000,
  tender_transactions: 9_900_000_000_000,
  fulfillments: 4_700_000_000_000,
  fulfillment_orders: 6_300_000_000_000,
  fulfillment_order_lines: 14_700_000_000_000,
  refunds: 900_000_000_000,
  refund_lines: 410_000_000_000,
  order_adjustments: 220_000_000_000,
  variants: 42_000_000_000_000,
  inventory_items: 44_000_000_000_000,
  inventory_levels: 118_000_000_000,
  images: 31_000_000_000_000,
  media_images: 23_000_000_000_000,
  options: 8_100_000_000_000,
  collections: 280_000_000_000,
  collects: 32_000_000_000_000,
  locations: 61_000_000_000,
  price_rules: 1_200_000_000_000,
  discount_codes: 15_000_000_000_000,
  draft_orders: 1_080_000_000_000,
  draft_lines: 57_000_000_000_000,
  checkouts: 29_000_000_000_000,
  countries: 330_000_000_000,
  provinces: 3_900_000_000_000,
  metafields_shop: 24_000_000_000_000,
  metafields_customer: 24_100_000_000_000,
  metafields_product: 24_200_000_000_000,
  metafields_variant: 24_300_000_000_000,
  metafields_media_image: 24_400_000_000_000,
  metafields_order: 24_500_000_000_000,
  metafields_draft_order: 24_600_000_000_000,
  metafields_location: 24_700_000_000_000,
  metafields_collection: 24_800_000_000_000,
} as const

/** A kind of record that has ids of its own. */
export type IdKind = keyof typeof bases

const stride = 32_768

/**
 * The id of a record: 12 to 15 decimal digits, ascending with the position.
 *
 * @param seed - of the store
 * @param kind - of the record
 * @param position - from 0
 */
export function recordId(seed: number, kind: IdKind, position: number): number {
  return bases[kind] + position * stride + (hash32(seed, kind, position) % stride)
}

/**
 * The position of the record with an id.
 *
 * @returns undefined when no record of the kind can have it
 */
export function recordPosition(seed: number, kind: IdKind, id: number): number | undefined {
  const position = Math.floor((id - bases[kind]) / stride)
  return position >= 0 && recordId(seed, kind, position) === id ? position : undefined
}

/** The vendor's global id of a record, for example `gid://shopify/Order/5400000012345`. */
export function gid(type: string, id: number): string {
  return `gid://shopify/${type}/${id}`
}
