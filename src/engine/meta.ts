/** The meta of a list: the documented fields of its page shape, and the parameters of the next page. Pure. */
import { isObject } from '../definition/object.ts'
import type { PageDefinition, PageInfo, PartPages, PositionPages } from '../definition/page.ts'
import { headersOf, invalidAnswer, type WireAnswer } from './answer.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { getAt, parsePath } from './paths.ts'
import { isRows } from './raw-rows.ts'

/** Meta of a list, with what to merge into the parameters of the next call. */
export interface ListMeta extends Readonly<Record<string, unknown>> {
  readonly next_params: Readonly<Record<string, unknown>> | null
}

/** The page shape of an operation on its kind's wire; undefined for a list that has one page. */
export function pageOf({ kind, operation }: CompiledOperation): PageDefinition | undefined {
  const shape = operation.page
  return shape === undefined || shape === 'none' ? undefined : kind.definition.pages[shape]
}

/** The page shape of an operation whose pages are positions. */
export function positionsOf(operation: CompiledOperation): PositionPages | undefined {
  const page = pageOf(operation)
  return page !== undefined && 'next' in page ? page : undefined
}

/** Whether an operation answers a result in parts, or a part of one. */
export function isInParts(operation: CompiledOperation): boolean {
  const page = pageOf(operation)
  return page !== undefined && 'parts' in page
}

/**
 * Whether a body can be a result in parts, or a part of one: both have rows. JSON of a proxy must not look like a write that was made.
 * @throws FerruleError `upstream_answer_invalid`
 */
export function checkResult(operation: CompiledOperation, body: unknown): void {
  if (!isInParts(operation) || (isObject(body) && isRows(body['data']))) return
  throw invalidAnswer(operation, 'there are no rows in it')
}

/** An entry of a `Link` header: the URL, and its parameters as they stand; some servers write them within the brackets. */
const entries = /<([^<>;]*)((?:;[^<>]*)?)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)/g
/** A parameter of an entry: its name, and its value in quotes or without. */
const parameters = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"([^"]*)"|([^\s",;]*)))?/g

const relationsOf = (text: string): string[] => {
  const rel = [...text.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel') // the first counts
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().trim().split(/\s+/)
}

/** The URL of a relation in a `Link` header (RFC 8288). Tolerant of order, spacing, capitals and unquoted relations. */
export function linkOf(header: string | undefined, relation: string): string | null {
  for (const [, url, within = '', behind = ''] of (header ?? '').matchAll(entries))
    if (url !== undefined && relationsOf(within + behind).includes(relation)) return url
  return null
}

const valueAt = (answer: WireAnswer, body: unknown, path: string): unknown =>
  path.startsWith('link:')
    ? linkOf(headersOf(answer, 'link').join(', '), path.slice('link:'.length))
    : (getAt(body, parsePath(path)) ?? null)

/** What tells where a page stands: the meta field of the answer, and the position that was asked for; whether the answer has a list. */
interface Position {
  readonly value: unknown
  readonly asked: unknown
  readonly isListed: boolean
}

/**
 * The number of the next page; null at the last.
 * @throws FerruleError `upstream_answer_invalid` for numbers that are none, as the walk would end as if the list did; for another
 *   page than the one that was asked for, as records would come twice and others never; and for one of several pages without its list
 */
const nextNumber = (operation: CompiledOperation, { value, asked, isListed }: Position, { page, last }: { page: string; last: string }) => {
  const number = getAt(value, parsePath(page))
  const end = getAt(value, parsePath(last))
  if (typeof number !== 'number' || typeof end !== 'number') throw invalidAnswer(operation, 'a page without its number')
  const wanted = typeof asked === 'number' ? asked : 1
  if (wanted > end) return null // there is no such page, and no telling which number stands on nothing
  if (number !== wanted) throw invalidAnswer(operation, `page ${number} in the place of page ${wanted}`)
  if (!isListed && end > 1) throw invalidAnswer(operation, `page ${number} of ${end} without its list`)
  return number < end ? number + 1 : null
}

/** The position within the next page's meta field; null when there is no next page. @throws FerruleError `upstream_answer_invalid` */
const positionOf = (operation: CompiledOperation, position: Position, { from, count }: PositionPages['next']): unknown => {
  if (count !== undefined) return nextNumber(operation, position, count)
  const { value } = position
  if (from === undefined || typeof value !== 'string') return value
  const next = URL.canParse(value) ? new URL(value).searchParams.get(from) : null
  // Without this the walk would end here as if the list did.
  if (!next) throw invalidAnswer(operation, 'a next page without a position')
  return next
}

/**
 * What to merge into the parameters of the next call. Where a position excludes filters, those of this call become null,
 * which counts as absent.
 */
const nextParams = (operation: CompiledOperation, page: PositionPages, { position, params }: { position: unknown; params: Params }) => {
  if (position === null || position === undefined) return null
  if (page.alone === undefined) return { [page.next.param]: position }
  const kept = new Set([page.next.param, ...page.alone, ...operation.required])
  const excluded = Object.keys(params).filter((name) => !kept.has(name))
  return { ...Object.fromEntries(excluded.map((name) => [name, null])), [page.next.param]: position }
}

/** Number of the part that follows; undefined at the last. The list of parts counts more than a link, which comes in many forms. */
function nextPart({ parts }: PartPages, meta: Readonly<Record<string, unknown>>, params: Params): number | undefined {
  const asked = params[parts.number]
  const known = meta[parts.known]
  const next = typeof asked === 'number' ? asked + 1 : 1
  if (Array.isArray(known)) return next < known.length ? next : undefined
  const link = meta[parts.url]
  const url = typeof link === 'string' && URL.canParse(link, 'https://vendor.example') ? new URL(link, 'https://vendor.example') : undefined
  const number = /^\d{1,9}$/.exec(url?.searchParams.get(parts.number) ?? '')?.[0]
  return number === undefined ? undefined : Number(number)
}

/** Meta of a result in parts: the next part is another operation. A result that is not ready is asked for by its first part. */
function partMeta(
  page: PartPages,
  meta: Readonly<Record<string, unknown>>,
  { params, ready }: { params: Params; ready: boolean },
): ListMeta {
  const { parts } = page
  const handle = meta[parts.handle.meta] ?? params[parts.handle.param]
  const number = ready ? nextPart(page, meta, params) : 0
  const next = typeof handle === 'string' && number !== undefined ? { [parts.handle.param]: handle, [parts.number]: number } : null
  const operation = next === null ? null : { entity: parts.entity, action: 'get' }
  return { ...meta, [parts.handle.meta]: handle ?? null, next_operation: operation, next_params: next }
}

/** What the meta of a list is read from. `made`: meta fields that the engine made, as the vendor does not page the list. */
interface MetaSource {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly params: Params
  readonly made?: Readonly<Record<string, unknown>>
  /** False for an answer that says "not ready". */
  readonly ready?: boolean
  /** How many rows the list of the answer has; undefined where it has none. */
  readonly listed?: number | undefined
}

/** Where a numbered page stands of which the vendor told nothing: what was asked for. A full page may have a next one. */
function untold(operation: CompiledOperation, { next }: PositionPages, { params, rows }: { params: Params; rows: number }) {
  const number = (name: string): unknown => params[name] ?? operation.operation.defaults?.[name]
  const page = Number(number(next.param) ?? 1)
  const size = Number(number(next.count?.size ?? '') ?? rows)
  const info: PageInfo = { page, page_size: size, total_number: null, total_page: null }
  return { [next.meta]: info, next_params: rows > 0 && rows >= size ? { [next.param]: page + 1 } : null }
}

/** Reads the meta of a list. */
export function metaOf(operation: CompiledOperation, { answer, body, params, made, ready = true, listed }: MetaSource): ListMeta {
  const page = pageOf(operation)
  if (page === undefined) return { next_params: null }
  const read = Object.entries(page.read).map(([name, path]) => [name, valueAt(answer, body, path)] as const)
  const meta: Record<string, unknown> = { ...Object.fromEntries(read), ...made }
  if (!('next' in page)) return partMeta(page, meta, { params, ready })
  if (operation.operation.onePage) return { ...meta, next_params: null }
  const { next } = page
  const value = meta[next.meta]
  if (next.count !== undefined && value === null) return { ...meta, ...untold(operation, page, { params, rows: listed ?? 0 }) }
  const isListed = made !== undefined || listed !== undefined
  const position = positionOf(operation, { value, asked: params[next.param], isListed }, next)
  return { ...meta, next_params: nextParams(operation, page, { position, params }) }
}

/** Why it is not known whether a list is whole: the vendor told neither its rows nor their number, or not whether more follow. */
export function doubtOf(operation: CompiledOperation, body: unknown, listed: number | undefined): string | undefined {
  const page = positionsOf(operation)
  if (page?.next.count === undefined) return undefined
  const { title } = operation.kind.definition
  if ((getAt(body, parsePath(page.read[page.next.meta] ?? '')) ?? null) !== null) return undefined
  if (listed === undefined) return `${title} answered without a list, and did not say how many records there are`
  return operation.operation.slice === undefined ? `${title} did not say whether there are more pages` : undefined
}

/** The meta of a list that found nothing: no position, counts of zero. */
export function emptyMetaOf(operation: CompiledOperation): ListMeta {
  const page = pageOf(operation)
  if (page === undefined) return { next_params: null }
  const fields = Object.keys(page.read).map((name) => [name, 'next' in page && name !== page.next.meta ? 0 : null] as const)
  return { ...Object.fromEntries(fields), next_params: null }
}
