/** Reads the query of an export. */
import { FerruleError } from 'ferrule'
import { readJson } from 'ferrule/engine'
import { type FormulaMode, failValidation, moveProblem } from 'ferrule/internal'
import { type ExportFormatName, exportQuery } from 'ferrule/wire'
import { readQuery } from '../values/read.ts'

/** A checked query. */
export interface ExportQuery {
  readonly format: ExportFormatName
  readonly formulas: FormulaMode
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
  const {
    format = 'ndjson',
    formulas = 'mark',
    filter,
    text,
    sort,
    fields,
    max_age: maxAge,
    allow_partial: partial,
  } = readQuery(exportQuery, given)
  const search = { filter: parseJson('filter', filter), text, sort: parseJson('sort', sort) }
  return {
    format,
    formulas,
    params: { query: search, ...(fields === undefined ? {} : { fields: fields.split(',') }) },
    maxAge,
    allowPartial: partial === 'true',
  }
}

/** Places of a search as places of the address. */
const ownPlace = (text: string): string => text.replaceAll('/params/query/', '/').replaceAll('/params/', '/')

/** Converts a refusal of a search's parameters to places of the address that carried them. */
export function asExportError(thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.errors.length === 0) return thrown
  const problems = thrown.errors.map((problem) => moveProblem(problem, ownPlace(problem.field)))
  return new FerruleError(thrown.code, { message: ownPlace(thrown.message), hint: thrown.hint }, { errors: problems, cause: thrown })
}
