/** Makes documented records of the rows of an answer, and the page of them with its meta. Pure: the caller supplies the looked-up records. */

import type { LocalFilter, Origin } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import type { NextPages, PageDefinition, PageInfo, PartPages, PositionPages } from '../../definition/page.ts'
import { readHeaders } from '../http/http.ts'
import { buildTests, getAt, parsePath, setAt, takeAt, visitHolders } from '../json/paths.ts'
import { RawRows } from '../json/raw-rows.ts'
import { parseDecimal, parseInteger, parseTimestamp } from '../json/validate.ts'
import { countRows, failInvalidAnswer, mergeRow, readRows, type WireAnswer } from './answer.ts'
import { type HiddenCounts, type LookedUp, type Showing, showRows } from './hidden.ts'
import type { CompiledOperation, DocumentedFields, Params, Shaping } from './operation.ts'

/** Meta of a list, with the changes to the parameters for the next call. */
export interface ListMeta extends Readonly<Record<string, unknown>> {
  readonly next_params: Readonly<Record<string, unknown>> | null
}

/** Finds the page definition of an operation; undefined for a list with one page. */
export function findPageDefinition({ kind, operation }: CompiledOperation): PageDefinition | undefined {
  return kind.definition.pages[operation.page ?? '']
}

/** Finds the page definition of an operation whose pages are positions; undefined for others. */
export function findPositionPages(operation: CompiledOperation): PositionPages | undefined {
  const page = findPageDefinition(operation)
  return page !== undefined && 'next' in page ? page : undefined
}

/** Finds the page definition of an operation whose pages have a cursor of the engine; undefined for others. */
export function findNextPages(operation: CompiledOperation): NextPages | undefined {
  const page = findPageDefinition(operation)
  return page !== undefined && 'position' in page ? page : undefined
}

/** Finds the page definition of an operation that answers a result in parts, or one part; undefined for others. */
export function findPartPages(operation: CompiledOperation): PartPages | undefined {
  const page = findPageDefinition(operation)
  return page !== undefined && 'parts' in page ? page : undefined
}

/** Returns whether an operation answers a result in parts, or one part. */
export const isInParts = (operation: CompiledOperation): boolean => findPartPages(operation) !== undefined

/** An entry of a `Link` header: the URL and its parameters. Some servers write the parameters within the brackets. */
const entries = /<([^<>;]*)((?:;[^<>]*)?)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)/g
/** A parameter of an entry: its name, and its value in quotes or without. */
const parameters = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"([^"]*)"|([^\s",;]*)))?/g

const parseRelations = (text: string): string[] => {
  const rel = [...text.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel') // the first counts
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().trim().split(/\s+/)
}

/** Finds the URL of a relation in a `Link` header (RFC 8288). Ignores order, spacing and case, and accepts unquoted relations. */
export function findLink(header: string | undefined, relation: string): string | null {
  for (const [, url, within = '', behind = ''] of (header ?? '').matchAll(entries))
    if (url !== undefined && parseRelations(within + behind).includes(relation)) return url
  return null
}

const readMetaValue = (answer: WireAnswer, body: unknown, path: string): unknown =>
  path.startsWith('link:')
    ? findLink(readHeaders(answer, 'link').join(', '), path.slice('link:'.length))
    : (getAt(body, parsePath(path)) ?? null)

/** The position of a page: the meta field of the answer, the requested position, and whether the answer has a list. */
interface PagePosition {
  readonly value: unknown
  readonly asked: unknown
  readonly isListed: boolean
}

/**
 * Reads the number of the next page; null after the last.
 * @throws FerruleError `upstream_answer_invalid` for missing numbers, because the walk would end early; for a page that was not requested,
 *   because records would repeat or be missing; for one of several pages without its list
 */
const readNextNumber = (
  operation: CompiledOperation,
  { value, asked, isListed }: PagePosition,
  { page, last }: { page: string; last: string },
) => {
  const number = getAt(value, parsePath(page))
  const end = getAt(value, parsePath(last))
  if (typeof number !== 'number' || typeof end !== 'number') throw failInvalidAnswer(operation, 'a page without its number')
  const wanted = typeof asked === 'number' ? asked : 1
  if (wanted > end) return null // there is no such page, and no way to choose another
  if (number !== wanted) throw failInvalidAnswer(operation, `page ${number} instead of page ${wanted}`)
  if (!isListed && end > 1) throw failInvalidAnswer(operation, `page ${number} of ${end} without its list`)
  return number < end ? number + 1 : null
}

/** Reads the position in the next page's meta field; null without a next page. */
const readPosition = (operation: CompiledOperation, position: PagePosition, { from, count }: PositionPages['next']): unknown => {
  if (count !== undefined) return readNextNumber(operation, position, count)
  const { value } = position
  if (from === undefined || typeof value !== 'string') return value
  const next = URL.canParse(value) ? new URL(value).searchParams.get(from) : null
  // Without this check the walk would end here as if the list did.
  if (!next) throw failInvalidAnswer(operation, 'a next page without a position')
  return next
}

/** Lists the parameters that a position excludes. */
export function listExcluded(operation: CompiledOperation, position: string, params: Params): string[] {
  const kept = new Set([position, ...(findPositionPages(operation)?.alone ?? []), ...operation.required])
  return Object.keys(params).filter((name) => !kept.has(name))
}

/**
 * Builds the changes to the parameters for the next call. If a position excludes filters, this call's filters become null, which counts as
 * absent.
 */
const buildNextParams = (
  operation: CompiledOperation,
  page: PositionPages,
  { position, params }: { position: unknown; params: Params },
) => {
  if (position === null || position === undefined) return null
  if (page.alone === undefined) return { [page.next.param]: position }
  const excluded = listExcluded(operation, page.next.param, params)
  return { ...Object.fromEntries(excluded.map((name) => [name, null])), [page.next.param]: position }
}

/** Finds the number of the next part; undefined after the last. Prefers the list of parts to the link, which has many forms. */
function findNextPart({ parts }: PartPages, meta: Readonly<Record<string, unknown>>, params: Params): number | undefined {
  const asked = params[parts.number]
  const known = meta[parts.known]
  const next = typeof asked === 'number' ? asked + 1 : 1
  if (Array.isArray(known)) return next < known.length ? next : undefined
  const link = meta[parts.url]
  const url = typeof link === 'string' && URL.canParse(link, 'https://vendor.example') ? new URL(link, 'https://vendor.example') : undefined
  const number = /^\d{1,9}$/.exec(url?.searchParams.get(parts.number) ?? '')?.[0]
  return number === undefined ? undefined : Number(number)
}

/** Builds the meta of a result in parts. The next part is another operation; a result that is not ready continues with its first part. */
function buildPartMeta(
  page: PartPages,
  meta: Readonly<Record<string, unknown>>,
  { params, ready }: { params: Params; ready: boolean },
): ListMeta {
  const { parts } = page
  const handle = meta[parts.handle.meta] ?? params[parts.handle.param]
  const number = ready ? findNextPart(page, meta, params) : 0
  const next = typeof handle === 'string' && number !== undefined ? { [parts.handle.param]: handle, [parts.number]: number } : null
  const operation = next === null ? null : { entity: parts.entity, action: 'get' }
  return { ...meta, [parts.handle.meta]: handle ?? null, next_operation: operation, next_params: next }
}

/** Converts digits in strings to numbers: some gateways write the numbers of a page so. */
const readNumbers = (info: unknown): unknown =>
  isObject(info) ? Object.fromEntries(Object.entries(info).map(([name, value]) => [name, readNumber(value)])) : info

const readNumber = (value: unknown): unknown => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)

/** Normalises the value of a position: an empty cursor counts as absent. An empty URL stays, because a URL without a position is an error. */
const normalisePosition = ({ count, from }: PositionPages['next'], value: unknown): unknown => {
  if (count !== undefined) return readNumbers(value)
  return value === '' && from === undefined ? null : value
}

/** The input for the meta of a list. `made`: meta fields that the engine made, because the vendor does not page the list. */
interface MetaSource {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly params: Params
  readonly made?: Readonly<Record<string, unknown>> | undefined
  /** False for an answer that says "not ready". */
  readonly ready?: boolean
  /** Number of rows in the answer's list; undefined without a list. */
  readonly listed?: number | undefined
}

/** Assumes that the vendor returned the requested page, because the answer says nothing. A full page may have a next one. */
function assumePage(operation: CompiledOperation, { next }: PositionPages, { params, rows }: { params: Params; rows: number }) {
  const number = (name: string): unknown => params[name] ?? operation.operation.defaults?.[name]
  const page = Number(number(next.param) ?? 1)
  const size = Number(number(next.count?.size ?? '') ?? rows)
  const info: PageInfo = { page, page_size: size, total_number: null, total_page: null }
  return { [next.meta]: info, next_params: rows > 0 && rows >= size ? { [next.param]: page + 1 } : null }
}

/** Reads the meta of a list. @throws FerruleError `upstream_answer_invalid` for a position that cannot be used */
export function readMeta(operation: CompiledOperation, { answer, body, params, made, ready = true, listed }: MetaSource): ListMeta {
  const page = findPageDefinition(operation)
  if (page === undefined || 'position' in page) return { next_params: null }
  const read = Object.entries(page.read).map(([name, path]) => [name, readMetaValue(answer, body, path)] as const)
  const meta: Record<string, unknown> = { ...Object.fromEntries(read), ...made }
  if ('parts' in page) return buildPartMeta(page, meta, { params, ready })
  if (operation.operation.onePage) return { ...meta, next_params: null }
  const { next } = page
  const value = normalisePosition(next, meta[next.meta])
  meta[next.meta] = value
  if (next.count !== undefined && value === null) return { ...meta, ...assumePage(operation, page, { params, rows: listed ?? 0 }) }
  const isListed = made !== undefined || listed !== undefined
  const position = readPosition(operation, { value, asked: params[next.param], isListed }, next)
  return { ...meta, next_params: buildNextParams(operation, page, { position, params }) }
}

/**
 * Describes why the list may be incomplete: the vendor reported neither rows nor their number, or not whether more pages follow.
 * @returns undefined if there is no doubt
 */
export function describeDoubt(operation: CompiledOperation, body: unknown, listed: number | undefined): string | undefined {
  const page = findPositionPages(operation)
  if (page?.next.count === undefined) return undefined
  const { title } = operation.kind.definition
  if ((getAt(body, parsePath(page.read[page.next.meta] ?? '')) ?? null) !== null) return undefined
  if (listed === undefined) return `${title} answered without a list, and did not say how many records there are`
  return operation.operation.slice === undefined ? `${title} did not say whether there are more pages` : undefined
}

/** Builds the meta of a list without records: no position, counts of zero. */
export function buildEmptyMeta(operation: CompiledOperation): ListMeta {
  const page = findPageDefinition(operation)
  if (page === undefined) return { next_params: null }
  if ('position' in page) return { cursor: null, total_records: null, next_params: null }
  const fields = Object.keys(page.read).map((name) => [name, 'next' in page && name !== page.next.meta ? 0 : null] as const)
  return { ...Object.fromEntries(fields), next_params: null }
}

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

/** Renames the fields of the given row to the documented names: the rows were parsed for this call only. */
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

/** Sets missing documented fields of the given row to null, also in inner objects. Adds no objects. @returns whether a field was missing */
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

/** Changes the given row to a record. */
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

/** Changes the given record of an answer to the documented form. A write that answers a part of its record gets no further fields. */
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

/** Reads the rows of an answer and renames their fields. @throws FerruleError `upstream_answer_invalid` without rows */
export const nameRows = ({ operation, params }: Pick<PageOptions, 'operation' | 'params'>, body: unknown): NamedRows => ({
  rows: readRows(operation, body).map((row) => nameRow(operation, row, params)),
  listed: countRows(operation, body),
})

/** Makes the records of a page. @param found the records of `listIdsToLookUp` */
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
