import { at } from '../at.ts'
import type { JsonRecord } from './world.ts'

/** The moments by which lists are filtered and sorted. */
export type TimeField = 'created_at' | 'updated_at' | 'processed_at'

/** One filter of a list. */
export interface Filter {
  /** True for a row that the value lets through. */
  readonly test: (position: number, value: string) => boolean
  /** The values that there are; left out: any. */
  readonly values?: readonly string[]
  /** Several values, separated by commas. */
  readonly several?: boolean
  /** The value when the parameter is left out. */
  readonly fallback?: string
}

/** A list before it is filtered: positions with ascending ids. Records are made when they are sent. */
export interface Rows {
  readonly size: number
  /** Ascending with the position. */
  id(position: number): number
  /** False for rows that cannot be seen by anybody, or not by this caller. */
  visible?(position: number): boolean
  /** The moments that `<field>_min` and `<field>_max` filter, epoch milliseconds; undefined passes no such filter. */
  readonly times?: Readonly<Partial<Record<TimeField, (position: number) => number | undefined>>>
  readonly filters?: Readonly<Record<string, Filter>>
  /** Newest first when nothing else is asked for. */
  readonly newestFirst?: boolean
  /** `since_id` and `ids` are no parameters here. */
  readonly withoutSince?: boolean
  /** @param single - true when the record is asked for by its own address */
  record(position: number, single: boolean): JsonRecord
}

/** A record of a small list, with its id and moments. */
export interface SmallRow {
  readonly id: number
  readonly created?: number
  readonly updated?: number
  readonly record: JsonRecord
}

/**
 * Rows of a small list that is known as a whole.
 *
 * @param list - in the order of the ids
 * @param filters - further filters
 */
export function rowsOf(list: readonly SmallRow[], filters: Readonly<Record<string, Filter>> = {}): Rows {
  return {
    size: list.length,
    id: (position) => at(list, position).id,
    times: { created_at: (position) => at(list, position).created, updated_at: (position) => at(list, position).updated },
    filters,
    record: (position) => at(list, position).record,
  }
}

/** The first position whose id is not below the given one; the size when there is none. */
function lowerBound(rows: Pick<Rows, 'size' | 'id'>, id: number): number {
  let low = 0
  let high = rows.size
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows.id(middle) < id) low = middle + 1
    else high = middle
  }
  return low
}

/** The position of an id that can be seen; undefined when there is none. */
export function findRow(rows: Rows, id: number): number | undefined {
  const position = lowerBound(rows, id)
  if (position === rows.size || rows.id(position) !== id) return undefined
  return rows.visible?.(position) === false ? undefined : position
}

/** Compares by text: a filter for fields that must equal the value. */
export function equals(value: (position: number) => unknown): Filter {
  return { test: (position, wanted) => String(value(position)) === wanted }
}
