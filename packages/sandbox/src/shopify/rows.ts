import { at } from '../data.ts'
import { Refusal } from './answers.ts'
import { exists, type IdKind, idIn, type JsonRecord, parseMoment, recordOf, type View } from './world.ts'

/** The times by which lists are filtered and sorted. */
type TimeField = 'created_at' | 'updated_at' | 'processed_at'

interface Filter {
  /** True for a row that the value lets through. */
  readonly test: (position: number, value: string) => boolean
  /** Allowed values; without them the filter takes every value. */
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
  /** The times that `<field>_min` and `<field>_max` filter, epoch milliseconds; undefined passes no such filter. */
  readonly times?: Readonly<Partial<Record<TimeField, (position: number) => number | undefined>>>
  readonly filters?: Readonly<Record<string, Filter>>
  /** Newest first when nothing else is asked for. */
  readonly newestFirst?: boolean
  /** `since_id` and `ids` are no parameters here. */
  readonly withoutSince?: boolean
  /** @param single - true when the record is asked for by its own address */
  record(position: number, single: boolean): JsonRecord
}

/** What a list of records of one kind is made from, by their positions among the kind. */
export interface Listing extends Pick<Rows, 'times' | 'filters' | 'newestFirst' | 'withoutSince'> {
  readonly kind: IdKind
  /** Ascending positions; a span is without its end. */
  readonly positions: readonly number[] | { readonly from: number; readonly to: number }
  /** Left out: the records that exist. */
  visible?(position: number): boolean
  /** The fields beside the ids. @param single - true when the record is asked for by its own address */
  fields(position: number, single: boolean): JsonRecord
}

/** Times of a list that takes the filters and finds nothing by them. */
export const noTimes = { created_at: () => undefined, updated_at: () => undefined }

/** Returns the rows of a list of records of one kind. */
export function listRows(view: View, listing: Listing): Rows {
  const { kind, positions, times = {}, filters = {} } = listing
  const span = 'from' in positions ? positions : undefined
  const here = (row: number) => (span ? span.from + row : 'from' in positions ? row : at(positions, row))
  const visible = listing.visible ?? ((position) => exists(view, kind, position))
  return {
    ...listing,
    size: 'from' in positions ? Math.max(positions.to - positions.from, 0) : positions.length,
    id: (row) => idIn(view, kind, here(row)),
    visible: (row) => visible(here(row)),
    times: Object.fromEntries(Object.entries(times).map(([name, time]) => [name, (row: number) => time(here(row))])),
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, filter]) => [
        name,
        { ...filter, test: (row: number, value: string) => filter.test(here(row), value) },
      ]),
    ),
    record: (row, single) => recordOf(view, { kind, position: here(row) }, listing.fields(here(row), single)),
  }
}

/** Returns all records of a list, as they are embedded in another record. */
export const recordsOf = (rows: Rows): readonly JsonRecord[] => Array.from({ length: rows.size }, (_, row) => rows.record(row, false))

/** Returns the first position whose id is not below the given one; the size when no id is. */
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

/** Returns the position of an id that can be seen; undefined when it cannot be seen. */
export function findRow(rows: Rows, id: number): number | undefined {
  const position = lowerBound(rows, id)
  if (position === rows.size || rows.id(position) !== id) return undefined
  return rows.visible?.(position) === false ? undefined : position
}

/** Compares by text: a filter for fields that must equal the value. */
export const equals = (value: (position: number) => unknown): Filter => ({ test: (position, wanted) => String(value(position)) === wanted })

type Test = (position: number) => boolean

/** How a list is sorted. */
export interface Sort {
  readonly field: 'id' | TimeField
  readonly descending: boolean
}

/** Returns an id as the vendor accepts it: decimal digits. */
export const readId = (text: string): number | undefined => (/^\d{1,19}$/.test(text) ? Number(text) : undefined)

/** Reads ids that are separated by commas. */
export const readIds = (parameter: string, text: string): readonly number[] =>
  text.split(',').map((part) => {
    const id = readId(part.trim())
    if (id === undefined) throw noId(parameter)
    return id
  })

/** Returns the refusal of something that is no id. */
export const noId = (parameter: string): Refusal => new Refusal(400, { [parameter]: 'expected String to be a id' })

/** Returns the refusal of a value that a parameter cannot have. */
export const invalid = (parameter: string): Refusal => new Refusal(400, { [parameter]: 'Invalid value.' })

function timeTest(rows: Rows, parameter: string, value: string): Test | undefined {
  const [, field, side] = /^(created_at|updated_at|processed_at)_(min|max)$/.exec(parameter) ?? []
  const time = Object.entries(rows.times ?? {}).find(([name]) => name === field)?.[1]
  if (!time) return undefined
  const moment = parseMoment(value)
  if (moment === undefined) throw invalid(parameter)
  return (position) => {
    const found = time(position)
    if (found === undefined) return false
    // Times are compared in whole seconds, as they are shown: both bounds are included.
    return side === 'min' ? found >= moment : Math.floor(found / 1000) * 1000 <= moment
  }
}

function idTest(rows: Rows, parameter: string, value: string): Test | undefined {
  if (parameter === 'ids') {
    const wanted = new Set(readIds('ids', value))
    return (position) => wanted.has(rows.id(position))
  }
  if (parameter !== 'since_id' || rows.withoutSince) return undefined
  const since = readId(value)
  if (since === undefined) throw noId('since_id')
  return (position) => rows.id(position) > since
}

function fieldTest(parameter: string, filter: Filter, value: string): Test {
  const { test, values, several } = filter
  const wanted = several ? value.split(',').map((part) => part.trim()) : [value]
  if (values && wanted.some((part) => !values.includes(part))) throw invalid(parameter)
  if (several) return (position) => wanted.some((part) => part === 'any' || test(position, part))
  return (position) => test(position, value)
}

/**
 * Returns the tests that a query asks for; parameters that a list does not know are ignored, as the vendor does. @returns the tests, or the
 * refusal of a value
 */
export function testsOf(rows: Rows, query: URLSearchParams): readonly Test[] {
  const tests: Test[] = rows.visible ? [(position) => rows.visible?.(position) ?? true] : []
  const filters = new Map(Object.entries(rows.filters ?? {}))
  for (const [parameter, value] of query) {
    if (value === '') continue
    const filter = filters.get(parameter)
    const test = filter ? fieldTest(parameter, filter, value) : (timeTest(rows, parameter, value) ?? idTest(rows, parameter, value))
    if (test) tests.push(test)
  }
  for (const { test, fallback } of [...filters].flatMap(([name, filter]) => (query.get(name) ? [] : [filter]))) {
    if (fallback !== undefined) tests.push((position) => test(position, fallback))
  }
  return tests
}

const orderPattern = /^(id|created_at|updated_at|processed_at)(?:[ +](asc|desc))?$/i

/** Returns the order of a list: by id under `since_id`, else as `order` says, else the list's own. */
export function sortOf(rows: Rows, query: URLSearchParams): Sort {
  if (query.get('since_id') && !rows.withoutSince) return { field: 'id', descending: false }
  const [, field, direction] = orderPattern.exec(query.get('order') ?? '') ?? []
  const known = Object.keys(rows.times ?? {})
  const time = known.find((name) => name === field?.toLowerCase())
  const descending = direction?.toLowerCase() === 'desc'
  if (time === 'created_at' || time === 'updated_at' || time === 'processed_at') return { field: time, descending }
  return field?.toLowerCase() === 'id' ? { field: 'id', descending } : { field: 'id', descending: rows.newestFirst ?? false }
}

/** Returns the value by which a position is sorted. */
export const sortValue = (rows: Rows, { field }: Sort, position: number): number =>
  field === 'id' ? rows.id(position) : (rows.times?.[field]?.(position) ?? 0)

/** Compares two positions of a sorted list: by value, then by id, both in the direction of the list. */
export function comparePositions(left: SortPosition, right: SortPosition, { descending }: Sort): number {
  const difference = left.value - right.value || left.id - right.id
  return descending ? -difference : difference
}

/** A position in a sorted list. */
export interface SortPosition {
  readonly value: number
  readonly id: number
}

/** Returns the positions of a list that pass the tests, sorted. */
export function sortedPositions(rows: Rows, tests: readonly Test[], sort: Sort): readonly number[] {
  const found: number[] = []
  for (let position = 0; position < rows.size; position += 1) if (tests.every((test) => test(position))) found.push(position)
  if (sort.field === 'id') return sort.descending ? found.reverse() : found
  const sortable = found.map((position) => ({ position, value: sortValue(rows, sort, position), id: rows.id(position) }))
  return sortable.sort((left, right) => comparePositions(left, right, sort)).map(({ position }) => position)
}
