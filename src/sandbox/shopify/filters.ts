import type { Answer } from './answers.ts'
import { refused } from './answers.ts'
import type { Filter, Rows, TimeField } from './rows.ts'
import { parseMoment } from './time.ts'

/** True for a position that a list lets through. */
export type Test = (position: number) => boolean

/** How a list is sorted. */
export interface Sort {
  readonly field: 'id' | TimeField
  readonly descending: boolean
}

/** An id as the vendor accepts it: decimal digits. */
export function readId(text: string): number | undefined {
  return /^\d{1,19}$/.test(text) ? Number(text) : undefined
}

/** The refusal of something that is no id. */
export function noId(parameter: string): Answer {
  return refused(400, { [parameter]: 'expected String to be a id' })
}

function invalid(parameter: string): Answer {
  return refused(400, { [parameter]: 'Invalid value.' })
}

function timeTest(rows: Rows, parameter: string, value: string): Test | Answer | undefined {
  const [, field, side] = /^(created_at|updated_at|processed_at)_(min|max)$/.exec(parameter) ?? []
  const time = Object.entries(rows.times ?? {}).find(([name]) => name === field)?.[1]
  if (!time) return undefined
  const moment = parseMoment(value)
  if (moment === undefined) return invalid(parameter)
  return (position) => {
    const found = time(position)
    if (found === undefined) return false
    // Moments are compared in whole seconds, as they are shown: both bounds are included.
    return side === 'min' ? found >= moment : Math.floor(found / 1000) * 1000 <= moment
  }
}

function idTest(rows: Rows, parameter: string, value: string): Test | Answer | undefined {
  if (parameter === 'ids') {
    const ids = value.split(',').map((part) => readId(part.trim()))
    if (ids.includes(undefined)) return noId('ids')
    const wanted = new Set(ids)
    return (position) => wanted.has(rows.id(position))
  }
  if (parameter !== 'since_id' || rows.withoutSince) return undefined
  const since = readId(value)
  return since === undefined ? noId('since_id') : (position) => rows.id(position) > since
}

function fieldTest(parameter: string, filter: Filter, value: string): Test | Answer {
  const { test, values, several } = filter
  const wanted = several ? value.split(',').map((part) => part.trim()) : [value]
  if (values && wanted.some((part) => !values.includes(part))) return invalid(parameter)
  if (several) return (position) => wanted.some((part) => part === 'any' || test(position, part))
  return (position) => test(position, value)
}

/**
 * The tests that a query asks for; parameters that a list does not know are ignored, as the vendor does.
 *
 * @param rows - the list
 * @param query - of the request, or of the cursor's first request
 * @returns the tests, or the refusal of a value
 */
export function testsOf(rows: Rows, query: URLSearchParams): readonly Test[] | Answer {
  const tests: Test[] = rows.visible ? [(position) => rows.visible?.(position) ?? true] : []
  const filters = new Map(Object.entries(rows.filters ?? {}))
  for (const [parameter, value] of query) {
    if (value === '') continue
    const filter = filters.get(parameter)
    const test = filter ? fieldTest(parameter, filter, value) : (timeTest(rows, parameter, value) ?? idTest(rows, parameter, value))
    if (test === undefined) continue
    if (typeof test !== 'function') return test
    tests.push(test)
  }
  for (const { test, fallback } of [...filters].flatMap(([name, filter]) => (query.get(name) ? [] : [filter]))) {
    if (fallback !== undefined) tests.push((position) => test(position, fallback))
  }
  return tests
}

const orderPattern = /^(id|created_at|updated_at|processed_at)(?:[ +](asc|desc))?$/i

/**
 * The order of a list: by id under `since_id`, else as `order` says, else the list's own.
 *
 * @param rows - the list
 * @param query - of the request, or of the cursor's first request
 */
export function sortOf(rows: Rows, query: URLSearchParams): Sort {
  if (query.get('since_id') && !rows.withoutSince) return { field: 'id', descending: false }
  const [, field, direction] = orderPattern.exec(query.get('order') ?? '') ?? []
  const known = Object.keys(rows.times ?? {})
  const time = known.find((name) => name === field?.toLowerCase())
  const descending = direction?.toLowerCase() === 'desc'
  if (time === 'created_at' || time === 'updated_at' || time === 'processed_at') return { field: time, descending }
  return field?.toLowerCase() === 'id' ? { field: 'id', descending } : { field: 'id', descending: rows.newestFirst ?? false }
}

/** The value by which a position is sorted. */
export function sortValue(rows: Rows, { field }: Sort, position: number): number {
  return field === 'id' ? rows.id(position) : (rows.times?.[field]?.(position) ?? 0)
}

/** Compares two places of a sorted list: by value, then by id, both in the direction of the list. */
export function comparePlaces(left: Place, right: Place, { descending }: Sort): number {
  const difference = left.value - right.value || left.id - right.id
  return descending ? -difference : difference
}

/** A place in a sorted list. */
export interface Place {
  readonly value: number
  readonly id: number
}

/**
 * The positions of a list that pass the tests, sorted.
 *
 * @param rows - the list
 * @param tests - see testsOf
 * @param sort - see sortOf
 */
export function sortedPositions(rows: Rows, tests: readonly Test[], sort: Sort): readonly number[] {
  const found: number[] = []
  for (let position = 0; position < rows.size; position += 1) if (tests.every((test) => test(position))) found.push(position)
  if (sort.field === 'id') return sort.descending ? found.reverse() : found
  const placed = found.map((position) => ({ position, value: sortValue(rows, sort, position), id: rows.id(position) }))
  return placed.sort((left, right) => comparePlaces(left, right, sort)).map(({ position }) => position)
}
