/** Turns the parameters of searches and exports into those of the service. */
import { isObject } from '../definition/object.ts'
import { failValidation, type Problem } from '../errors.ts'
import { parseFilter } from '../values/filter/parse.ts'
import { writeJson } from '../values/json/json.ts'
import type { HostedCallOptions } from './call-options.ts'
import type { ExportDownload } from './types.ts'

/** Parameters of a search, as the program gave them. */
export type SearchParams = Readonly<Record<string, unknown>>

const checkNames = (params: SearchParams, known: readonly string[]): void => {
  const problems = Object.keys(params).flatMap((name): Problem[] =>
    known.includes(name) ? [] : [{ field: `/${name}`, message: `is not known; known: ${known.join(', ')}`, error_code: 'unknown' }],
  )
  if (problems.length > 0) throw failValidation(problems)
}

/** Drops what was not given, so that it is not sent as null. */
const dropAbsent = (members: SearchParams): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Reads a filter, which can be text such as `title like "price%" and started >= 2026-01-01`. @throws FerruleError with the place in the text */
const readFilter = (filter: unknown): unknown => (typeof filter === 'string' ? parseFilter(filter) : filter)

/** Builds the members of an execute request that say how fresh the copy must be. */
export const buildFreshness = ({ maxAge, allowPartial }: HostedCallOptions): Record<string, unknown> =>
  dropAbsent({ max_age: maxAge, allow_partial: allowPartial })

/**
 * Builds the parameters of `context_store_search`.
 * @throws FerruleError `validation_failed` for an unknown parameter
 */
export function buildSearch(params: SearchParams): Record<string, unknown> {
  checkNames(params, ['filter', 'text', 'sort', 'fields', 'limit', 'cursor'])
  const { filter, text, sort, ...rest } = params
  return { query: dropAbsent({ filter: readFilter(filter), text, sort }), ...dropAbsent(rest) }
}

const writePart = (value: unknown): string | undefined => (value === undefined || value === null ? undefined : writeJson(value))

/** Reads the words of an export, which would else export every record. @throws FerruleError `validation_failed` */
function readWords(text: unknown): string | undefined {
  if (text === undefined || text === null || typeof text === 'string') return text ?? undefined
  throw failValidation([{ field: '/text', message: 'must be a string', error_code: 'type' }])
}

/** Writes the paths of fields as the address takes them. */
function writeFields(fields: unknown): string | undefined {
  if (fields === undefined || fields === null) return undefined
  if (!Array.isArray(fields)) throw failValidation([{ field: '/fields', message: 'must be a list of paths', error_code: 'type' }])
  const paths = fields.map((path: unknown) => (Array.isArray(path) ? path.join('.') : String(path)))
  const odd = paths.findIndex((path) => path.includes(','))
  if (odd >= 0) throw failValidation([{ field: `/fields/${odd}`, message: 'must not hold a comma', error_code: 'value' }])
  return paths.join(',')
}

/**
 * Builds the query of an export.
 * @throws FerruleError `validation_failed` for an unknown parameter
 */
export function buildExportQuery(params: SearchParams, { maxAge, allowPartial }: HostedCallOptions) {
  checkNames(params, ['filter', 'text', 'sort', 'fields', 'format', 'formulas'])
  const { filter, text, sort, fields, format, formulas } = params
  return {
    format: typeof format === 'string' ? format : undefined,
    formulas: typeof formulas === 'string' ? formulas : undefined,
    filter: writePart(readFilter(filter)),
    text: readWords(text),
    sort: writePart(sort),
    fields: writeFields(fields),
    max_age: maxAge,
    allow_partial: allowPartial,
  }
}

/** Reads how fresh the copy of an export is. */
export const readExportFreshness = (headers: Headers): ExportDownload['context_store'] => ({
  synced_at: headers.get('x-context-store-synced-at'),
  verified_at: headers.get('x-context-store-verified-at'),
})

/** Reads the position after a page of a search; null after the last. */
export function readSearchPosition(page: { readonly meta: unknown }): { readonly cursor: string } | null {
  const cursor = isObject(page.meta) ? page.meta['cursor'] : undefined
  return typeof cursor === 'string' ? { cursor } : null
}
