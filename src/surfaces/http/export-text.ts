/** Records as lines: NDJSON, and CSV by RFC 4180. */
import { isObject } from '../../definition/object.ts'

/** How a format is written. */
export interface ExportFormat {
  /** Media type. */
  readonly type: string
  /** The text before the first record. */
  head(fields: readonly string[]): string
  /** One record, with the end of its line. @param record JSON text */
  line(record: string, fields: readonly string[]): string
}

/** What decides about the quotes of a cell; an empty text has them, so that it differs from null. */
const needsQuotes = /[",\r\n]|^$/

const quoted = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Numbers that a double may not hold to the last digit, or that it would write otherwise: with 16 digits, a point or an exponent. */
const inexact = /\d{3}\d{3}\d{3}\d{7}|\d[.eE]/

interface ReviverContext {
  readonly source?: string
}

/** ECMAScript's raw JSON, which the standard library's types do not know yet: a number that is written as it was read. */
const rawJson = Reflect.get(JSON, 'rawJSON') as (text: string) => unknown
const isRawJson = Reflect.get(JSON, 'isRawJSON') as (value: unknown) => value is { readonly rawJSON: string }

const exactly = (_name: string, value: unknown, context?: ReviverContext): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? rawJson(context.source) : value

/** A JSON text as a value whose numbers are written as they were read. */
const readRecord = (text: string): unknown => (inexact.test(text) ? JSON.parse(text, exactly) : JSON.parse(text))

/** A value as a cell: texts as they are, null as nothing, arrays and objects as JSON. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return quoted(value)
  if (isRawJson(value)) return value.rawJSON
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value)
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
    head: (fields) => `${fields.map(quoted).join()}\r\n`,
    line: (text, fields) => {
      const record = readRecord(text)
      return `${fields.map((name) => cellOf(isObject(record) ? record[name] : undefined)).join()}\r\n`
    },
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/**
 * The text of an export, a page at a time. A page is read when the one before was taken.
 * @param pages records as JSON texts
 */
export async function* exportText(
  { head, line }: ExportFormat,
  fields: readonly string[],
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<string, void, undefined> {
  const first = head(fields)
  if (first !== '') yield first
  for await (const page of pages) if (page.length > 0) yield page.map((record) => line(record, fields)).join('')
}
