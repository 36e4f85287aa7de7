/** Exports all records of an entity's copy. */
import { FerruleError } from 'ferrule'
import { defaultDeadlineMs, readJson } from 'ferrule/engine'
import { type FormulaMode, fail, failValidation, moveProblem } from 'ferrule/internal'
import { type ExportFormatName, exportQuery } from 'ferrule/wire'
import type { CallBounds } from '../calls/admission.ts'
import type { Platform } from '../main/platform-types.ts'
import { type Principal, requireScope } from '../values/access.ts'
import { readQuery } from '../values/read.ts'
import type { Export, Searches } from './searches.ts'

/** A checked query. */
interface ExportQuery {
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

/** Rebases a pointer into a search on the address. */
const rebase = (text: string): string => text.replaceAll('/params/query/', '/').replaceAll('/params/', '/')

/** Converts a refusal of a search's parameters to pointers into the address that carried them. */
function asExportError(thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.errors.length === 0) return thrown
  const problems = thrown.errors.map((problem) => moveProblem(problem, rebase(problem.field)))
  return new FerruleError(thrown.code, { message: rebase(thrown.message), hint: thrown.hint }, { errors: problems, cause: thrown })
}

/** Services that an export needs. */
export interface ExportServices {
  readonly platform: Pick<Platform, 'connectors'>
  /** Absent where there is no context store. */
  readonly searches?: Pick<Searches, 'export'>
}

/** One export. Its signal ends it and abandons the page in progress; its timeout bounds a refresh. */
export interface ExportCall extends CallBounds {
  /** Any string; an id that the principal does not see causes `connector_not_found`. */
  readonly connectorId: string
  readonly entity: string
  readonly query: ExportQuery
}

/**
 * Starts an export from a connector of the principal's organization. Reads the first page before it resolves, and each other page on
 * demand.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, and those of `Searches.export`, with the names of
 * query parameters
 */
export async function exportRecords(services: ExportServices, principal: Principal, given: ExportCall): Promise<Export> {
  requireScope(principal, 'execute:read')
  const { connectorId, entity, query, signal, deadlineMs = defaultDeadlineMs } = given
  const access = await services.platform.connectors.readAccess(principal, connectorId)
  if (services.searches === undefined) throw fail('context_store_unavailable', {})
  try {
    const { format: _format, formulas: _formulas, ...wish } = query
    return await services.searches.export(access, { entity, ...wish, deadlineMs, signal })
  } catch (thrown) {
    throw asExportError(thrown)
  }
}
