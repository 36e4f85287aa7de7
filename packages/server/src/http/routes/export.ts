import { Readable } from 'node:stream'
import { FerruleError } from 'ferrule'
import { defaultDeadlineMs, readJson } from 'ferrule/engine'
import { type FormulaMode, formatCsvText, isObject, moveProblem, readDigits, readExactJson } from 'ferrule/internal'
import { type ExportFormatName, endpoints, exportQuery } from 'ferrule/wire'
import type { CallBounds } from '../../calls/admission.ts'
import { writeParquet } from '../../copies/parquet/file.ts'
import type { Export, Searches } from '../../copies/searches.ts'
import type { Platform } from '../../main/platform-types.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { failField, readQuery } from '../../values/read.ts'
import { contentDisposition } from '../body.ts'
import { limited, type PrincipalRoute, requireCopies, slot } from '../route.ts'
import { lookWhileTransferred } from '../streams/look-while-sent.ts'

interface ExportFormat {
  /** Prints what stands before the first record. */
  head(fields: readonly string[], formulas: FormulaMode): string
  /** Prints one record, with the end of its line. @param record JSON */
  line(record: string, fields: readonly string[], formulas: FormulaMode): string
}

/** Prints a cell: strings as text, null as nothing, arrays and objects as JSON. */
function formatCell(value: unknown, formulas: FormulaMode): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return formatCsvText(value, formulas)
  return readDigits(value) ?? (typeof value === 'object' ? formatCsvText(JSON.stringify(value), 'keep') : String(value))
}

/** The formats of text by their names. */
export const exportFormats = {
  ndjson: {
    head: () => '',
    line: (record) => `${record}\n`,
  },
  csv: {
    head: (fields, formulas) => `${fields.map((name) => formatCsvText(name, formulas)).join()}\r\n`,
    line: (text, fields, formulas) => {
      const record = readExactJson(text)
      return `${fields.map((name) => formatCell(isObject(record) ? record[name] : undefined, formulas)).join()}\r\n`
    },
  },
} as const satisfies Readonly<Record<Exclude<ExportFormatName, 'parquet'>, ExportFormat>>

/** Media types of the formats. */
const types: Readonly<Record<ExportFormatName, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

/**
 * Prints an export page by page. Reads a page when the client has read the previous page.
 * @param pages records as JSON
 */
async function* exportText(
  { format: { head, line }, formulas }: { readonly format: ExportFormat; readonly formulas: FormulaMode },
  fields: readonly string[],
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<string, void, undefined> {
  const first = head(fields, formulas)
  if (first !== '') yield first
  for await (const page of pages) if (page.length > 0) yield page.map((record) => line(record, fields, formulas)).join('')
}

/** Streams an entity's records. A page is read when the client has taken the one before; the stream ends with the client. */
export const exportEntity: PrincipalRoute = {
  ...endpoints.exportEntity,
  auth: 'principal',
  document: {
    id: 'exportEntity',
    tag: 'copies',
    summary: "Export an entity's records from its copy",
    about:
      'Searchable fields of all records that the filter finds, as a stream. It is a walk over the copy while it changes: a record that does not change comes once. ' +
      'A transfer that breaks off ends without the final chunk, never as if it were whole.',
    scope: 'execute:read',
    query: exportQuery,
    answer: {
      about: 'The records: one a line, or as rows of one file',
      types: Object.values(types).map((type) => type.split(';')[0] ?? type),
    },
    problems: [
      ...(['connector_not_found', 'workspace_inactive', 'entity_not_found', 'action_not_supported', 'validation_failed'] as const),
      ...(['invalid_parameter', 'field_not_searchable', 'operator_not_supported', 'query_too_complex'] as const),
      ...(['context_store_not_ready', 'context_store_stale', 'context_store_unavailable', 'context_store_timeout'] as const),
      ...(['rate_limited', 'overloaded'] as const),
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const entity = slot(exchange.params, 'entity')
      const query = readExportQuery(exchange.query)
      const { format, formulas } = query
      const { freshness, columns, pages } = await exportRecords(services.operations, exchange.who, {
        connectorId: slot(exchange.params, 'connector_id'),
        entity,
        query,
        ...bounds,
      })
      lookWhileTransferred(exchange, services, slot(exchange.params, 'connector_id'))
      const headers = {
        'content-disposition': contentDisposition(`${entity}.${format}`),
        ...(format === 'csv' ? { 'x-csv-formulas': formulas } : {}),
        ...(freshness.synced_at === null ? {} : { 'x-context-store-synced-at': freshness.synced_at }),
        ...(freshness.verified_at === null ? {} : { 'x-context-store-verified-at': freshness.verified_at }),
      }
      const content =
        format === 'parquet'
          ? writeParquet({ columns, pages, signal: bounds.signal }, services.operations.parquetEncoder)
          : exportText(
              { format: exportFormats[format], formulas },
              columns.map(({ name }) => name),
              pages,
            )
      return { content: Readable.from(content, { objectMode: false }), type: types[format], headers }
    }),
}

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
    throw failField(`/${name}`, 'must be JSON, percent-encoded', 'json')
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

interface ExportServices {
  readonly platform: Pick<Platform, 'connectors'>
  /** Absent where there is no context store. */
  readonly searches?: Pick<Searches, 'export'>
}

/** One export. Its signal ends it and abandons the page in progress; its timeout bounds a refresh. */
interface ExportCall extends CallBounds {
  /** Any string; an id that the principal does not see causes `connector_not_found`. */
  readonly connectorId: string
  readonly entity: string
  readonly query: ExportQuery
}

/**
 * Starts an export from a connector of the principal's organization. Reads the first page before it resolves, and each other page on
 * demand.
 */
async function exportRecords(services: ExportServices, principal: Principal, given: ExportCall): Promise<Export> {
  requireScope(principal, 'execute:read')
  const { connectorId, entity, query, signal, deadlineMs = defaultDeadlineMs } = given
  const access = await services.platform.connectors.readAccess(principal, connectorId)
  const searches = requireCopies(services.searches)
  try {
    const { format, formulas: _formulas, ...wish } = query
    return await searches.export(access, { entity, ...wish, rescues: format === 'parquet', deadlineMs, signal })
  } catch (thrown) {
    throw asExportError(thrown)
  }
}
