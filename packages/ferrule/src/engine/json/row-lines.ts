/** Reads answers whose lines are the rows: NDJSON, and CSV with a line of names (RFC 4180). The parser of CSV is loaded with the first such call. */
import type { EntityDefinition, Operation } from '../../definition/entity.ts'
import type { Field } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { readJson, TooDeep } from '../../values/json/json.ts'
import { parseDecimal, parseInteger } from './forms.ts'
import { parsePath } from './paths.ts'

/** How an answer of lines is written. */
export type LineFormat = NonNullable<Operation['format']>

/** Makes a value of the text of a column. A text that is no such value stays. */
type Convert = (text: string) => unknown

/** An operation whose answers are lines. */
export interface RowLines {
  readonly format: LineFormat
  /** The documented fields by the vendor's names. */
  readonly columns: ReadonlyMap<string, Convert>
}

/** A line that is no row. */
export class BadLine extends Error {
  /** @param line its number, from 1 */
  constructor(line: number, reason: string) {
    super(`${badLine}${line} ${reason}`)
  }
}
/** What the message of a bad line begins with. */
export const badLine = 'line '

/** What requests ask for. */
export const acceptLines: Readonly<Record<LineFormat, string>> = {
  ndjson: 'application/x-ndjson, */*;q=0.1',
  csv: 'text/csv, */*;q=0.1',
}

const keepText: Convert = (text) => text
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
const conversions: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['integer', (text) => parseInteger(text) ?? text],
  ['number', (text) => parseInteger(text) ?? parseDecimal(text) ?? text],
  ['boolean', (text) => booleans.get(text.toLowerCase()) ?? text],
])

const findConversion = ({ type }: Field): Convert => [type ?? []].flat().flatMap((each) => conversions.get(each) ?? [])[0] ?? keepText

/** Finds how the lines of an operation are read; undefined for answers of one JSON value. */
export function compileLines({ record = {}, from = {} }: EntityDefinition, { format, rows }: Operation): RowLines | undefined {
  if (format === undefined) return undefined
  const columns = new Map<string, Convert>()
  if (typeof rows === 'object') for (const part of rows.merge) columns.set(String(parsePath(part)[0]), keepText)
  for (const [name, field] of Object.entries<Field>(record)) {
    const source = String(parsePath(from[name]?.rename ?? from[name]?.copy ?? name)[0])
    if (from[name]?.param === undefined && !columns.has(source)) columns.set(source, findConversion(field))
  }
  return { format, columns }
}

let csv: typeof import('csv-parse/sync') | undefined

/** Loads what reads a format, before the answer comes. */
export async function loadLineReader(format: LineFormat | undefined): Promise<void> {
  if (format === 'csv') csv ??= await import('csv-parse/sync')
}

/**
 * Returns the format of an answer; undefined for one JSON value, as which vendors send errors and what is ready.
 * @param type the answer's `content-type`
 */
export function findLineFormat(lines: RowLines | undefined, type = ''): LineFormat | undefined {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) && lines?.format === 'csv' ? undefined : lines?.format
}

const namesField = ({ columns }: RowLines, names: readonly string[]): boolean =>
  columns.size === 0 || names.some((name) => columns.has(name))

/**
 * Reads the rows of an answer.
 * @returns an array; the object of a single line without any documented field, which is no row, but what the vendor says in place of rows
 * @throws BadLine
 */
export function readRowLines(lines: RowLines, text: string): unknown {
  if (lines.format === 'csv') return readCsv(lines, text)
  const rows = readJsonLines(text)
  const [first] = rows
  return rows.length === 1 && first !== undefined && !namesField(lines, Object.keys(first)) ? first : rows
}

function readJsonLines(text: string): Readonly<Record<string, unknown>>[] {
  const rows: Readonly<Record<string, unknown>>[] = []
  for (let start = 0, number = 1; start < text.length; number += 1) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line = text.slice(start, end).trim()
    if (line !== '') rows.push(readJsonLine(line, number))
    start = end + 1
  }
  return rows
}

function readJsonLine(line: string, number: number): Readonly<Record<string, unknown>> {
  let row: unknown
  try {
    row = readJson(line)
  } catch (thrown) {
    throw new BadLine(number, thrown instanceof TooDeep ? 'is nested too deep' : 'is not valid JSON')
  }
  if (!isObject(row)) throw new BadLine(number, 'is no object')
  return row
}

/** Reads the names of the columns. */
function readNames(lines: RowLines, names: readonly string[]): readonly string[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new BadLine(1, `names ${JSON.stringify(twice)} twice`)
  if (!namesField(lines, names)) throw new BadLine(1, 'names no documented field')
  return names
}

function readCsv(lines: RowLines, text: string): unknown {
  if (csv === undefined) throw new Error('the reader of CSV is not loaded')
  const rows: Readonly<Record<string, unknown>>[] = []
  let columns: readonly (readonly [name: string, convert: Convert])[] | undefined
  const readRecord = (values: readonly string[]): null => {
    if (columns === undefined) columns = readNames(lines, values).map((name) => [name, lines.columns.get(name) ?? keepText])
    else rows.push(Object.fromEntries(columns.map(([name, convert], at) => [name, values[at] ? convert(values[at]) : null])))
    return null // it keeps none
  }
  try {
    csv.parse(text, { skip_empty_lines: true, on_record: readRecord })
  } catch (thrown) {
    throw toBadLine(thrown)
  }
  return rows
}

function toBadLine(thrown: unknown): unknown {
  if (csv === undefined || !(thrown instanceof csv.CsvError)) return thrown
  const isUneven = thrown.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'
  const line = Number(thrown['lines'])
  return new BadLine(line, isUneven ? 'has more or fewer values than line 1' : 'is not valid CSV')
}
