/** The query of an export: a search, as the parts of an address. */

import { FerruleError } from 'ferrule'
import { int, oneOf, opt, str } from 'ferrule/definition'
import { readJson } from 'ferrule/engine'
import { failValidation } from 'ferrule/internal'
import { readQuery } from './read.ts'
import { query } from './words.ts'

/** Formats of an export. */
export const exportFormatNames = ['ndjson', 'csv'] as const
/** Format of an export. */
export type ExportFormatName = (typeof exportFormatNames)[number]

/** The query of an export. */
export const exportQuery = query({
  format: opt(oneOf('ndjson (default): one JSON record per line; csv: RFC 4180, nested values as JSON', ...exportFormatNames)),
  filter: opt(str('`query.filter` of a search, as JSON')),
  sort: opt(
    str(
      '`query.sort` of a search, as JSON; left out: by relevance when the filter searches words, else by the primary key, which is the fastest',
    ),
  ),
  fields: opt(str('Field paths, separated by commas; left out: all searchable fields')),
  allow_partial: opt(oneOf('true: a part of the records is enough while the first sync runs', 'true', 'false')),
  max_age: opt(int('Maximum age of the copy in seconds; an older copy is refreshed first', { minimum: 0 })),
})

/** A checked query. */
export interface ExportQuery {
  readonly format: ExportFormatName
  /** As the search contract says. */
  readonly params: unknown
  readonly maxAge: number | undefined
  readonly allowPartial: boolean
}

function parseJson(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return readJson(text)
  } catch {
    throw failValidation([{ field: `/${name}`, message: 'must be JSON, percent-encoded', error_code: 'json' }])
  }
}

/** @throws FerruleError `validation_failed` */
export function readExportQuery(given: unknown): ExportQuery {
  const { format = 'ndjson', filter, sort, fields, max_age: maxAge, allow_partial: partial } = readQuery(exportQuery, given)
  const search = { filter: parseJson('filter', filter), sort: parseJson('sort', sort) }
  return {
    format,
    params: { query: search, ...(fields === undefined ? {} : { fields: fields.split(',') }) },
    maxAge,
    allowPartial: partial === 'true',
  }
}

/** Places of a search as places of the address. */
const ownPlace = (text: string): string => text.replaceAll('/params/query/', '/').replaceAll('/params/', '/')

/** A refusal of a search's parameters, told as one of the address that they came in. */
export function asExportError(thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.errors.length === 0) return thrown
  const problems = thrown.errors.map((problem) => ({ ...problem, field: ownPlace(problem.field) }))
  return new FerruleError(thrown.code, { message: ownPlace(thrown.message), hint: thrown.hint }, { errors: problems, cause: thrown })
}
