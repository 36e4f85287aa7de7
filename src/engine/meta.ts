/** The meta of a list: the documented fields of its page shape, and the parameters of the next page. Pure. */
import type { PageDefinition } from '../definition/page.ts'
import { headersOf, invalidAnswer, type WireAnswer } from './answer.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { getAt, parsePath } from './paths.ts'

/** Meta of a list, with what to merge into the parameters of the next call. */
export interface ListMeta extends Readonly<Record<string, unknown>> {
  readonly next_params: Readonly<Record<string, unknown>> | null
}

/** The page shape of an operation on its kind's wire; undefined for a list that has one page. */
export function pageOf({ kind, operation }: CompiledOperation): PageDefinition | undefined {
  const shape = operation.page
  return shape === undefined || shape === 'none' ? undefined : kind.definition.pages[shape]
}

/** An entry of a `Link` header: the URL, and its parameters as they stand. */
const entries = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*)/g
/** A parameter of an entry: its name, and its value in quotes or without. */
const parameters = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"([^"]*)"|([^\s",;]*)))?/g

const relationsOf = (text: string): string[] => {
  const rel = [...text.matchAll(parameters)].find(([, name]) => name?.toLowerCase() === 'rel') // the first counts
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().trim().split(/\s+/)
}

/** The URL of a relation in a `Link` header (RFC 8288). Tolerant of order, spacing, capitals and unquoted relations. */
export function linkOf(header: string | undefined, relation: string): string | null {
  for (const [, url, text] of (header ?? '').matchAll(entries))
    if (url !== undefined && relationsOf(text ?? '').includes(relation)) return url
  return null
}

const valueAt = (answer: WireAnswer, body: unknown, path: string): unknown =>
  path.startsWith('link:')
    ? linkOf(headersOf(answer, 'link').join(', '), path.slice('link:'.length))
    : (getAt(body, parsePath(path)) ?? null)

/** The number of the next page; null at the last. @throws FerruleError `upstream_answer_invalid` for numbers that are none: the walk would end as if the list did */
const nextNumber = (operation: CompiledOperation, value: unknown, { page, last }: { page: string; last: string }): number | null => {
  const number = getAt(value, parsePath(page))
  const end = getAt(value, parsePath(last))
  if (typeof number !== 'number' || typeof end !== 'number') throw invalidAnswer(operation, 'a page without its number')
  return number < end ? number + 1 : null
}

/** The position within the next page's meta field; null when there is no next page. @throws FerruleError `upstream_answer_invalid` */
const positionOf = (operation: CompiledOperation, value: unknown, { from, count }: PageDefinition['next']): unknown => {
  if (count !== undefined) return nextNumber(operation, value, count)
  if (from === undefined || typeof value !== 'string') return value
  const position = URL.canParse(value) ? new URL(value).searchParams.get(from) : null
  // Without this the walk would end here as if the list did.
  if (!position) throw invalidAnswer(operation, 'a next page without a position')
  return position
}

/**
 * What to merge into the parameters of the next call. Where a position excludes filters, those of this call become null,
 * which counts as absent.
 */
const nextParams = (operation: CompiledOperation, page: PageDefinition, { position, params }: { position: unknown; params: Params }) => {
  if (position === null || position === undefined) return null
  if (page.alone === undefined) return { [page.next.param]: position }
  const kept = new Set([page.next.param, ...page.alone, ...operation.required])
  const excluded = Object.keys(params).filter((name) => !kept.has(name))
  return { ...Object.fromEntries(excluded.map((name) => [name, null])), [page.next.param]: position }
}

/** What the meta of a list is read from. `made`: meta fields that the engine made, as the vendor does not page the list. */
interface MetaSource {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly params: Params
  readonly made?: Readonly<Record<string, unknown>>
}

/** Reads the meta of a list. */
export function metaOf(operation: CompiledOperation, { answer, body, params, made }: MetaSource): ListMeta {
  const page = pageOf(operation)
  if (page === undefined) return { next_params: null }
  const read = Object.entries(page.read).map(([name, path]) => [name, valueAt(answer, body, path)] as const)
  const meta: Record<string, unknown> = { ...Object.fromEntries(read), ...made }
  if (operation.operation.onePage) return { ...meta, next_params: null }
  return {
    ...meta,
    next_params: nextParams(operation, page, { position: positionOf(operation, meta[page.next.meta], page.next), params }),
  }
}

/** The meta of a list that found nothing: no position, counts of zero. */
export function emptyMetaOf(operation: CompiledOperation): ListMeta {
  const page = pageOf(operation)
  if (page === undefined) return { next_params: null }
  const fields = Object.keys(page.read).map((name) => [name, name === page.next.meta ? null : 0] as const)
  return { ...Object.fromEntries(fields), next_params: null }
}
