/** The query of an export: a search, as the parts of an address. */
import { type Fields, int, oneOf, opt, str } from '../definition/fields.ts'
import { validationFailed } from '../engine/credentials.ts'
import { readJson } from '../engine/json.ts'
import { FerruleError } from '../errors.ts'
import { readQuery } from './bodies.ts'

/** Fields of the query. */
export const exportFields = {
  format: opt(oneOf('ndjson (default): one JSON record a line; csv: RFC 4180, nested values as JSON', 'ndjson', 'csv')),
  filter: opt(str('`query.filter` of a search, as JSON')),
  sort: opt(
    str(
      '`query.sort` of a search, as JSON; left out: by relevance where the filter has words to look for, else by the primary key, which is the fastest',
    ),
  ),
  fields: opt(str('Field paths, separated by commas; left out: all searchable fields')),
  allow_partial: opt(oneOf('true: what is there is enough while the copy is filled for the first time', 'true', 'false')),
  max_age: opt(int('The copy may be so many seconds old; it is refreshed first when it is older', { minimum: 0 })),
} as const satisfies Fields

/** A checked query. */
export interface ExportQuery {
  readonly format: 'ndjson' | 'csv'
  /** As the search contract says. */
  readonly params: unknown
  readonly maxAge: number | undefined
  readonly allowPartial: boolean
}

function jsonOf(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return readJson(text)
  } catch {
    throw validationFailed([{ field: `/${name}`, message: 'must be JSON, percent-encoded', error_code: 'json' }])
  }
}

/** @throws FerruleError `validation_failed` */
export function readExportQuery(given: unknown): ExportQuery {
  const { format = 'ndjson', filter, sort, fields, max_age: maxAge, allow_partial: partial } = readQuery(exportFields, given)
  const query = { filter: jsonOf('filter', filter), sort: jsonOf('sort', sort) }
  return {
    format,
    params: { query, ...(fields === undefined ? {} : { fields: fields.split(',') }) },
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
