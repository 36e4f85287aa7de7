/** Makes documented records of the rows of an answer, and the page of them. Pure: the caller supplies the looked-up records. */

import type { LocalFilter, Origin } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import type { PageInfo } from '../../definition/page.ts'
import { parseDecimal, parseInteger, parseTimestamp } from '../json/forms.ts'
import { buildTests, getAt, parsePath, setAt, takeAt, visitHolders } from '../json/paths.ts'
import { RawRows } from '../json/raw-rows.ts'
import { countRows, mergeRow, readRows } from './answer.ts'
import { type HiddenCounts, type LookedUp, type Showing, showRows } from './hidden.ts'
import { isInParts } from './meta.ts'
import type { CompiledOperation, DocumentedFields, Params, Shaping } from './operation.ts'

const conversions: Readonly<Record<NonNullable<Origin['as']>, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value.toString() : value),
  lower: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  integer: (value) => (typeof value === 'string' ? parseInteger(value) : value),
  number: (value) => (typeof value === 'string' ? (parseInteger(value) ?? parseDecimal(value)) : value),
}

/** Returns whether a row has all fields in their order, as most rows do. Takes a quarter of the time of a lookup per field. */
function holdsInOrder(row: Record<string, unknown>, fields: readonly string[]): boolean {
  let met = 0
  for (const key in row) if (key === fields[met] && row[key] !== undefined) met += 1
  return met === fields.length
}

/** Sets a field from its source, unless the row has it by its documented name. */
function deriveField(row: Record<string, unknown>, { to, origin, source = [] }: Shaping, params: Params): void {
  if (getAt(row, to) !== undefined) return
  const value = origin.rename === undefined ? getAt(origin.param === undefined ? row : params, source) : takeAt(row, source)
  if (value !== undefined) setAt(row, to, origin.as === undefined ? value : conversions[origin.as](value))
}

/** Renames a row's fields to the documented names, in place: the rows were parsed for this call only. */
function nameRow({ shapings }: CompiledOperation, row: unknown, params: Params): unknown {
  if (!isObject(row)) return row
  for (const shaping of shapings) {
    const { to, origin, source } = shaping
    const convert = origin.as === undefined ? undefined : conversions[origin.as]
    if (source !== undefined) deriveField(row, shaping, params)
    if (convert === undefined || origin.as === 'lower') continue
    visitHolders(row, to, (holder, key) => {
      if (key in holder) holder[key] = convert(holder[key])
    })
  }
  return row
}

/** Sets missing documented fields to null, in place, also in inner objects. Adds no objects. @returns whether a field was missing */
function fillRow(row: unknown, fields: DocumentedFields): boolean {
  let isFilled = false
  if (Array.isArray(row)) for (const element of row) isFilled = fillRow(element, fields) || isFilled
  if (!isObject(row)) return isFilled
  const { names, within } = fields
  if (!holdsInOrder(row, names)) isFilled = fillNames(row, names)
  for (const [name, inner] of within) isFilled = fillRow(row[name], inner) || isFilled
  return isFilled
}

function fillNames(row: Record<string, unknown>, names: readonly string[]): boolean {
  let isFilled = false
  for (const name of names) {
    if (row[name] !== undefined) continue
    row[name] = null
    isFilled = true
  }
  return isFilled
}

/** Converts a row to a record, in place. */
export function shapeRow(operation: CompiledOperation, row: unknown, params: Params): unknown {
  const named = nameRow(operation, row, params)
  fillRow(named, operation.fields)
  return named
}

/**
 * Finds the record of an answer; undefined without one.
 * @throws FerruleError `upstream_answer_invalid` for a record that lacks the parts it is merged of
 */
export function findRecord(operation: CompiledOperation, body: unknown): Record<string, unknown> | undefined {
  const found = getAt(body, operation.at)
  const row = operation.merged === undefined || !isObject(found) ? found : mergeRow(operation, operation.merged, found)
  return isObject(row) ? row : undefined
}

/** Converts the record of an answer, in place. A write that answers a part of its record gets no further fields. */
export const shapeRecord = (operation: CompiledOperation, row: unknown, params: Params): unknown =>
  operation.operation.answers === 'part' ? nameRow(operation, row, params) : shapeRow(operation, row, params)

type Keep = (value: unknown, wanted: unknown) => boolean
const keeps: Readonly<Record<LocalFilter['keep'], Keep>> = {
  from: (value, wanted) => parseTimestamp(value) >= parseTimestamp(wanted),
  before: (value, wanted) => parseTimestamp(value) < parseTimestamp(wanted),
  equals: (value, wanted) => String(value) === String(wanted),
  in: (value, wanted) => !Array.isArray(wanted) || wanted.length === 0 || wanted.some((one) => String(one) === String(value)),
}

/** Builds a test of records for the filters that the vendor lacks; undefined if the call uses none. */
export function buildLocalFilter({ operation }: CompiledOperation, params: Params): ((record: unknown) => boolean) | undefined {
  const tests = Object.entries(operation.local ?? {}).flatMap(([path, { field, keep }]) => {
    const wanted = getAt(params, parsePath(path))
    const at = parsePath(field)
    return wanted === undefined ? [] : [(record: unknown) => keeps[keep](getAt(record, at), wanted)]
  })
  return tests.length === 0 ? undefined : (record) => tests.every((test) => test(record))
}

/** Builds the test of records for what the vendor cannot leave out itself; undefined if all count. */
function buildFilter({ operation, params, filter }: PageOptions): ((record: unknown) => boolean) | undefined {
  const fits = filter === undefined ? undefined : buildTests(operation.operation.where ?? [], filter)
  const keep = buildLocalFilter(operation, params)
  return fits === undefined || keep === undefined ? (fits ?? keep) : (record) => fits(record) && keep(record)
}

/** The records of a page, and what was left out. */
export interface Page<Data = readonly unknown[] | RawRows> extends HiddenCounts {
  readonly data: Data
  /** Number of rows in the answer's list; undefined without a list. */
  readonly listed: number | undefined
  /** The vendor's own text of the same records. */
  readonly text?: RawRows | undefined
  /** Meta of a list that the vendor does not page. */
  readonly made?: { readonly page_info: PageInfo } | undefined
}

/** A page of parsed rows. */
export interface BuiltPage extends Page<readonly unknown[]> {
  /** True if the records are the named rows, all of them and unchanged. */
  readonly isSame: boolean
}

/** What decides on the records of a page. */
export interface PageOptions extends Showing {
  readonly params: Params
}

/** The rows of an answer with documented field names. */
export interface NamedRows extends Pick<Page, 'listed'> {
  readonly rows: readonly unknown[]
}

/**
 * Reads the rows of an answer and renames their fields.
 * @throws FerruleError `upstream_answer_invalid` without rows
 */
export const nameRows = ({ operation, params }: Pick<PageOptions, 'operation' | 'params'>, body: unknown): NamedRows => ({
  rows: readRows(operation, body).map((row) => nameRow(operation, row, params)),
  listed: countRows(operation, body),
})

/**
 * Makes the records of a page.
 * @param found the records of `listIdsToLookUp`
 */
export function buildPage(options: PageOptions, { rows: given, listed }: NamedRows, found: LookedUp): BuiltPage {
  const { operation, params } = options
  const { rows, ...counts } = showRows(options, given, found)
  let isSame = counts.excluded + counts.unclear === 0
  for (const row of rows) if (fillRow(row, operation.fields)) isSame = false
  const keep = buildFilter(options)
  const { rows: data, made } = slicePage(operation, params, keep === undefined ? rows : rows.filter(keep))
  return { data, ...counts, listed, isSame: isSame && keep === undefined, made }
}

/** Returns whether the records of a list can be the vendor's rows unchanged: then nothing but missing or hidden ones changes them. */
export function canBeSame(operation: CompiledOperation): boolean {
  const { action, shapings, merged, rule, at, list } = operation
  const { join, slice, one, keyed, where } = operation.operation
  const isPlain =
    shapings.length === 0 && merged === undefined && rule === undefined && join === undefined && keyed === undefined && where === undefined
  return action === 'list' && isPlain && at === list && slice === undefined && one === undefined && !isInParts(operation)
}

/** Yields rows in batches, and lets the event loop run between two batches. */
export async function* readBatches(rows: readonly unknown[] | RawRows): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!(rows instanceof RawRows)) return yield rows
  for (const batch of rows.batches()) {
    yield batch
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The rows of one page, and its position. */
interface Slice {
  readonly rows: readonly unknown[]
  readonly made?: { readonly page_info: PageInfo }
}

/** Cuts the page that the parameters name. Without a size all rows are one page; a page beyond the last is empty. */
export function slicePage({ operation }: CompiledOperation, params: Params, rows: readonly unknown[]): Slice {
  if (operation.slice === undefined) return { rows }
  const page = Number(params[operation.slice.page] ?? 1)
  const size = Number(params[operation.slice.size] ?? rows.length)
  return {
    rows: rows.slice((page - 1) * size, page * size),
    made: { page_info: { page, page_size: size, total_number: rows.length, total_page: size === 0 ? 0 : Math.ceil(rows.length / size) } },
  }
}
