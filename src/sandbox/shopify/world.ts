import type { DatedEdit } from '../edits.ts'
import { hash32, Random } from '../random.ts'
import type { IdKind } from './ids.ts'
import { recordId } from './ids.ts'
import { day } from './time.ts'

/** Fields of a record with the vendor's names. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** The store at one moment: what has happened until then. */
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

/**
 * A table that is built when it is first needed and kept as long as its store.
 *
 * @param make - builds it from the seed; it must not depend on the moment
 */
export function perStore<T extends object>(make: (seed: number) => T): (view: Pick<View, 'seed' | 'store'>) => T {
  const tables = new WeakMap<object, T>()
  return ({ seed, store }) => {
    const known = tables.get(store)
    if (known) return known
    const made = make(seed)
    tables.set(store, made)
    return made
  }
}

/** Key of an edit. */
export function editKey({ kind, position }: Spot): string {
  return `${kind} ${position}`
}

/** A stream of numbers for one part of the store. */
export function randomOf(view: { readonly seed: number }, ...parts: readonly (number | string)[]): Random {
  return new Random('store', view.seed, ...parts)
}

/** A number from 0 to `size` - 1 that stays the same for the same parts. */
export function draw(view: { readonly seed: number }, size: number, ...parts: readonly (number | string)[]): number {
  return hash32('draw', view.seed, ...parts) % size
}

/** A text of hexadecimal digits that stays the same for the same parts. */
export function hexText(view: { readonly seed: number }, digits: number, ...parts: readonly (number | string)[]): string {
  let text = ''
  for (let word = 0; text.length < digits; word += 1)
    text += hash32('hex', view.seed, ...parts, word)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, digits)
}

/** The id of a record of the store. */
export function idIn(view: { readonly seed: number }, kind: IdKind, position: number): number {
  return recordId(view.seed, kind, position)
}

interface EndRule {
  /** Every so many positions one record is destroyed, the first at `from`. */
  readonly every: number
  readonly from: number
  /** When the record is destroyed, epoch milliseconds. */
  readonly at: (ordinal: number, created: number) => number
}

const ends: Partial<Record<IdKind, EndRule>> = {
  orders: { every: 311, from: 100, at: (_, created) => created + 20 * day },
  products: { every: 53, from: 20, at: (ordinal) => Date.UTC(2023, 10, 1, 9) + ordinal * 110 * day },
  price_rules: { every: 13, from: 7, at: (ordinal) => Date.UTC(2024, 2, 15, 9) + ordinal * 200 * day },
  collections: { every: 11, from: 6, at: (ordinal) => Date.UTC(2024, 3, 20, 9) + ordinal * 250 * day },
}

/**
 * Records that may have been destroyed: those with an end by schedule and those that were edited.
 *
 * @param view - the store
 * @param kind - of the records
 * @param size - how many positions there are
 */
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

/**
 * When a record was destroyed, by schedule or by an edit.
 *
 * @param view - the store
 * @param spot - of the record
 * @param created - of the record, epoch milliseconds; only orders need it
 * @returns epoch milliseconds; undefined while it exists
 */
export function destroyedAt(view: View, spot: Spot, created = 0): number | undefined {
  const rule = ends[spot.kind]
  if (rule && spot.position % rule.every === rule.from) {
    const end = rule.at((spot.position - rule.from) / rule.every, created)
    if (end <= view.now) return end
  }
  const edit = view.edits.size === 0 ? undefined : view.edits.get(editKey(spot))
  return edit?.erased ? edit.at : undefined
}

/** When a record was last changed: its own last change, or a later edit. */
export function changedAt(view: View, spot: Spot, changed: number): number {
  return view.edits.size === 0 ? changed : Math.max(changed, view.edits.get(editKey(spot))?.at ?? 0)
}

/** A record with the fields of its edit. */
export function edited(view: View, spot: Spot, record: JsonRecord): JsonRecord {
  const fields = view.edits.get(editKey(spot))?.fields
  return fields ? { ...record, ...fields } : record
}
