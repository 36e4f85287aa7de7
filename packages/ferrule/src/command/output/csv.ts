/** CSV (RFC 4180): nested values as JSON, lines end with CR LF. */
import { type FieldPath, readPath } from '../../fields.ts'
import { formatCell } from './cells.ts'

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Formats the first line. */
export const formatCsvHead = (columns: readonly FieldPath[]): string => `${columns.map(({ name }) => quote(name)).join()}\r\n`

/** Formats the line of a record. */
export const formatCsvLine = (record: unknown, columns: readonly FieldPath[]): string =>
  `${columns.map(({ segments }) => quote(formatCell(readPath(record, segments)))).join()}\r\n`
