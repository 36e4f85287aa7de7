/** Records as lines: NDJSON, and CSV by RFC 4180. */
import { type FormulaMode, formatCsvText, isObject } from 'ferrule/internal'

/** A format of an export. */
export interface ExportFormat {
  /** Media type. */
  readonly type: string
  /** Prints what stands before the first record. */
  head(fields: readonly string[], formulas: FormulaMode): string
  /** Prints one record, with the end of its line. @param record JSON */
  line(record: string, fields: readonly string[], formulas: FormulaMode): string
}

/** Matches numbers that a double may change: 16 digits, a point or an exponent. */
const inexact = /\d{3}\d{3}\d{3}\d{7}|\d[.eE]/

interface ReviverContext {
  readonly source?: string
}

/** ECMAScript's raw JSON, which TypeScript's library lacks: writes a number as it was read. */
const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
const isRawJson = Reflect.get(JSON, 'isRawJSON') as (value: unknown) => value is { readonly rawJSON: string }

const exactly = (_name: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? rawJson(context.source) : value

/** Parses JSON and keeps the digits of its numbers. */
const readRecord = (text: string): unknown => (inexact.test(text) ? JSON.parse(text, exactly) : JSON.parse(text))

/** Prints a cell: strings as text, null as nothing, arrays and objects as JSON. */
function formatCell(value: unknown, formulas: FormulaMode): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return formatCsvText(value, formulas)
  if (isRawJson(value)) return value.rawJSON
  return typeof value === 'object' ? formatCsvText(JSON.stringify(value), 'keep') : String(value)
}

/** The formats of an export by their names. */
export const exportFormats = {
  ndjson: {
    type: 'application/x-ndjson',
    head: () => '',
    line: (record) => `${record}\n`,
  },
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: (fields, formulas) => `${fields.map((name) => formatCsvText(name, formulas)).join()}\r\n`,
    line: (text, fields, formulas) => {
      const record = readRecord(text)
      return `${fields.map((name) => formatCell(isObject(record) ? record[name] : undefined, formulas)).join()}\r\n`
    },
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/**
 * Prints an export page by page. Reads a page when the client has read the previous page.
 * @param pages records as JSON
 */
export async function* exportText(
  { format: { head, line }, formulas }: { readonly format: ExportFormat; readonly formulas: FormulaMode },
  fields: readonly string[],
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<string, void, undefined> {
  const first = head(fields, formulas)
  if (first !== '') yield first
  for await (const page of pages) if (page.length > 0) yield page.map((record) => line(record, fields, formulas)).join('')
}
