/** CSV (RFC 4180): nested values as JSON, lines end with CR LF. Null is an empty cell, an empty string has quotes. */
import { type FormulaMode, formatCsvText, isFormula } from '../../values/csv.ts'
import { type FieldPath, readPath } from '../../values/fields.ts'
import { formatCell } from './cells.ts'

/** Formats the first line. */
export const formatCsvHead = (columns: readonly FieldPath[], mode: FormulaMode): string =>
  `${columns.map(({ name }) => formatCsvText(name, mode)).join()}\r\n`

/** Formats a value. Numbers are never formulas. */
function formatCsvCell(value: unknown, mode: FormulaMode): string {
  if (value === undefined || value === null) return ''
  return formatCsvText(formatCell(value), typeof value === 'string' ? mode : 'keep')
}

/** Formats the line of a record. */
export const formatCsvLine = (record: unknown, columns: readonly FieldPath[], mode: FormulaMode): string =>
  `${columns.map(({ segments }) => formatCsvCell(readPath(record, segments), mode)).join()}\r\n`

/** Returns whether a record has text that a spreadsheet would run. */
export const hasFormula = (record: unknown, columns: readonly FieldPath[]): boolean =>
  columns.some(({ segments }) => {
    const value = readPath(record, segments)
    return typeof value === 'string' && isFormula(value)
  })
