import type { DatedEdit } from '../data.ts'
import { hash32, hexOf, Random } from '../random.ts'
import { createZone } from '../zone.ts'

/** One day and one minute in milliseconds. */
export const day = 86_400_000
export const minute = 60_000

/** The store's zone; its offset changes in March and October. */
const zone = createZone('Europe/Berlin')

/** Writes a time as the vendor does, in the store's zone: `2026-08-28T06:59:14+02:00`. */
export const shopTime = (instant: number): string => zone.time(instant)

/** Writes a time that may not have come. */
export const shopTimeOrNull = (instant: number | undefined): string | null => (instant === undefined ? null : zone.time(instant))

const momentPattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?)? ?(Z|[+-]\d\d:?\d\d)?$/

/** Reads a date or a time of a filter; without an offset it is in the store's zone. @returns undefined for any other text */
export function parseMoment(text: string): number | undefined {
  const found = momentPattern.exec(text)
  if (!found) return undefined
  const [, date, clock = '00:00:00', offset] = found
  const local = Date.parse(`${date}T${clock}Z`)
  if (Number.isNaN(local)) return undefined
  if (offset === undefined) return local - zone.offsetMinutes(local - zone.offsetMinutes(local) * minute) * minute
  const withOffset = Date.parse(`${date}T${clock}${offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset}`)
  return Number.isNaN(withOffset) ? undefined : withOffset
}

/** Orders that the store had before 2024. */
const earlyOrders = 12_000

/** Orders that the store can have; the last one is placed in 2033. */
export const orderCapacity = 24_000

const opened = Date.UTC(2019, 0, 1)
const knee = Date.UTC(2024, 0, 1)
const earlySlot = (knee - opened) / earlyOrders
const lateSlot = 7.3 * 3_600_000

/**
 * Returns when an order is placed, in whole seconds; ascending with the position. The schedule does not depend on the clock: the same
 * store gains orders while time passes.
 */
export function orderedAt(seed: number, position: number): number {
  const early = position < earlyOrders
  const [slot, start] = early ? [earlySlot, opened + position * earlySlot] : [lateSlot, knee + (position - earlyOrders) * lateSlot]
  const share = hash32(seed, 'placed', position) / 0x1_0000_0000
  return Math.floor((start + share * slot * 0.9) / 1000) * 1000
}

/** Counts what comes before a time (included) in an ascending schedule, from a guess on. */
function countUntil(moment: number, guess: number, schedule: { at(position: number): number; readonly capacity: number }): number {
  let count = Math.min(Math.max(Math.floor(guess), 0), schedule.capacity)
  while (count < schedule.capacity && schedule.at(count) <= moment) count += 1
  while (count > 0 && schedule.at(count - 1) > moment) count -= 1
  return count
}

/** Returns how many orders are placed until a time (included). */
export function ordersUntil(seed: number, moment: number): number {
  const guess = moment < knee ? (moment - opened) / earlySlot : earlyOrders + (moment - knee) / lateSlot
  return countUntil(moment, guess, { at: (position) => orderedAt(seed, position), capacity: orderCapacity })
}

const checkoutStart = Date.UTC(2023, 6, 1)
const checkoutSlot = 3 * 3_600_000

/** How long the vendor keeps abandoned checkouts. */
export const checkoutLife = 90 * day

/** Returns when a checkout is abandoned, epoch milliseconds; ascending with the position. */
export function abandonedAt(seed: number, position: number): number {
  const share = hash32(seed, 'abandoned', position) / 0x1_0000_0000
  return Math.floor((checkoutStart + (position + share * 0.9) * checkoutSlot) / 1000) * 1000
}

/** Returns how many checkouts are abandoned until a time (included). */
export function checkoutsUntil(seed: number, moment: number): number {
  const schedule = { at: (position: number) => abandonedAt(seed, position), capacity: Number.POSITIVE_INFINITY }
  return countUntil(moment, (moment - checkoutStart) / checkoutSlot, schedule)
}

/**
 * Where the ids of each kind start. Records of a kind have ascending ids in the order of their positions; a child's position is the
 * position of its parent times a fixed width, so that an id leads to its record without an index.
 */
const bases = {
  products: 6.1e12,
  customers: 7.3e12,
  addresses: 8.8e12,
  orders: 5.4e12,
  line_items: 1.34e13,
  shipping_lines: 4.5e12,
  transactions: 6.7e12,
  tender_transactions: 9.9e12,
  fulfillments: 4.7e12,
  fulfillment_orders: 6.3e12,
  fulfillment_order_lines: 1.47e13,
  refunds: 9e11,
  refund_lines: 4.1e11,
  order_adjustments: 2.2e11,
  variants: 4.2e13,
  inventory_items: 4.4e13,
  inventory_levels: 1.18e11,
  images: 3.1e13,
  media_images: 2.3e13,
  options: 8.1e12,
  collections: 2.8e11,
  collects: 3.2e13,
  locations: 6.1e10,
  price_rules: 1.2e12,
  discount_codes: 1.5e13,
  draft_orders: 1.08e12,
  draft_lines: 5.7e13,
  checkouts: 2.9e13,
  countries: 3.3e11,
  provinces: 3.9e12,
  metafields_shop: 2.4e13,
  metafields_customer: 2.41e13,
  metafields_product: 2.42e13,
  metafields_variant: 2.43e13,
  metafields_media_image: 2.44e13,
  metafields_order: 2.45e13,
  metafields_draft_order: 2.46e13,
  metafields_location: 2.47e13,
  metafields_collection: 2.48e13,
}

/** A kind of record that has ids of its own. */
export type IdKind = keyof typeof bases

/** What the vendor calls the records of a kind in their global ids; other kinds have none. */
const globalTypes: Readonly<Partial<Record<IdKind, string>>> = {
  orders: 'Order',
  products: 'Product',
  customers: 'Customer',
  variants: 'ProductVariant',
  line_items: 'LineItem',
  draft_orders: 'DraftOrder',
  draft_lines: 'DraftOrderLineItem',
  price_rules: 'PriceRule',
  collections: 'Collection',
  transactions: 'OrderTransaction',
  fulfillments: 'Fulfillment',
  refunds: 'Refund',
  locations: 'Location',
  inventory_items: 'InventoryItem',
  inventory_levels: 'InventoryLevel',
}

const stride = 32_768

/** Returns the id of a record: 12 to 15 decimal digits, ascending with the position. */
export const idIn = ({ seed }: { readonly seed: number }, kind: IdKind, position: number): number =>
  bases[kind] + position * stride + (hash32(seed, kind, position) % stride)

/** Returns the position of the record with an id; undefined when no record of the kind can have it. */
export function recordPosition(seed: number, kind: IdKind, id: number): number | undefined {
  const position = Math.floor((id - bases[kind]) / stride)
  return position >= 0 && idIn({ seed }, kind, position) === id ? position : undefined
}

/** Returns the vendor's global id of a record, for example `gid://shopify/Order/5400000012345`. */
export const gid = (type: string, id: number): string => `gid://shopify/${type}/${id}`

/** Fields of a record with the vendor's names. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The store at a time: what has happened until then. */
export interface View {
  readonly seed: number
  /** Epoch milliseconds; nothing later is known. */
  readonly now: number
  /** Version of the API that answers, `YYYY-MM`. */
  readonly version: string
  /** Edits by kind and position, see `editKey`. */
  readonly edits: ReadonlyMap<string, DatedEdit>
  /** Stands for the store itself: tables are kept per store, see `perStore`. */
  readonly store: object
}

/** Where a record is: its kind and its position among its kind. */
export interface Spot {
  readonly kind: IdKind
  readonly position: number
}

/** Returns a table that is built when it is first needed and kept as long as its store. Its content must not depend on the clock. */
export function perStore<T extends object>(make: (seed: number) => T): (view: Pick<View, 'seed' | 'store'>) => T {
  const tables = new WeakMap<object, T>()
  return ({ seed, store }) => {
    const table = tables.get(store) ?? make(seed)
    tables.set(store, table)
    return table
  }
}

/** Returns the key of an edit. */
export const editKey = ({ kind, position }: Spot): string => `${kind} ${position}`

const editOf = ({ edits }: View, spot: Spot): DatedEdit | undefined => (edits.size === 0 ? undefined : edits.get(editKey(spot)))

type HashParts = readonly (number | string)[]

/** Returns a stream of numbers for one part of the store. */
export const randomOf = (view: { readonly seed: number }, ...parts: HashParts): Random => new Random('store', view.seed, ...parts)

/** Returns a number from 0 to `size` - 1 that stays the same for the same parts. */
export const draw = (view: { readonly seed: number }, size: number, ...parts: HashParts): number =>
  hash32('draw', view.seed, ...parts) % size

/** Returns hexadecimal digits that stay the same for the same parts. */
export const hexText = (view: { readonly seed: number }, digits: number, ...parts: HashParts): string => hexOf(digits, view.seed, ...parts)

/** Every so many positions, from `from` on, one record is destroyed, the first ones first. */
interface EndRule {
  readonly every: number
  readonly from: number
  readonly at: (ordinal: number, position: number, seed: number) => number
}

const ends: Partial<Record<IdKind, EndRule>> = {
  orders: { every: 311, from: 100, at: (_, position, seed) => orderedAt(seed, position) + 20 * day },
  products: { every: 53, from: 20, at: (ordinal) => Date.UTC(2023, 10, 1, 9) + ordinal * 110 * day },
  price_rules: { every: 13, from: 7, at: (ordinal) => Date.UTC(2024, 2, 15, 9) + ordinal * 200 * day },
  collections: { every: 11, from: 6, at: (ordinal) => Date.UTC(2024, 3, 20, 9) + ordinal * 250 * day },
}

/** Returns the records below a position that may have been destroyed: those with an end by schedule and those that were edited. */
export function endingPositions(view: View, kind: IdKind, size: number): readonly number[] {
  const rule = ends[kind]
  const positions = new Set<number>()
  if (rule) for (let position = rule.from; position < size; position += rule.every) positions.add(position)
  for (const key of view.edits.keys()) {
    const [editedKind, position] = key.split(' ')
    if (editedKind === kind) positions.add(Number(position))
  }
  return [...positions]
}

/** Returns when a record was destroyed, by schedule or by an edit; undefined while it exists. */
export function destroyedAt(view: View, spot: Spot): number | undefined {
  const { kind, position } = spot
  const rule = ends[kind]
  if (rule && position % rule.every === rule.from) {
    const end = rule.at((position - rule.from) / rule.every, position, view.seed)
    if (end <= view.now) return end
  }
  const edit = editOf(view, spot)
  return edit?.erased ? edit.at : undefined
}

/** Returns true while a record exists. */
export const exists = (view: View, kind: IdKind, position: number): boolean => destroyedAt(view, { kind, position }) === undefined

/** Returns when a record was last changed: its own last change, or a later edit. */
export const changedAt = (view: View, spot: Spot, changed: number): number => Math.max(changed, editOf(view, spot)?.at ?? 0)

/** Returns when something last happened that happens again and again after a start, with a period in milliseconds. */
export const lastAt = ({ now }: Pick<View, 'now'>, start: number, period: number): number =>
  start + Math.floor(Math.max(now - start, 0) / period) * period

/** Returns a record as the vendor sends it: with its id, its global id and the fields of its edit. */
export function recordOf(view: View, spot: Spot, fields: JsonRecord): JsonRecord {
  const type = globalTypes[spot.kind] ?? (spot.kind.startsWith('metafields') ? 'Metafield' : undefined)
  const id = idIn(view, spot.kind, spot.position)
  return { id, ...fields, ...(type ? { admin_graphql_api_id: gid(type, id) } : {}), ...editOf(view, spot)?.fields }
}
