/** Columns of a table, and what its cells print. */
import { isObject, writeJson } from 'ferrule/internal'

/** A column. */
export interface DataColumn<Row = unknown> {
  /** Unique name; callbacks of the table get it. */
  readonly name: string
  /** What the header shows; default: the name. */
  readonly title?: string
  readonly read: (row: Row) => unknown
  /** Prints a value; default: `printCell`, and a dash for null. The column stays in sight without values. */
  readonly print?: (value: unknown) => string
  /** Width in CSS pixels; default: by the texts of the first rows. */
  readonly widthPx?: number
  /** true: a click on the header calls `onSort`. */
  readonly canSort?: boolean
}

/** Rows that decide about columns and their widths. */
const rowsRead = 100
/** Texts that are longer are folded. */
const shownCharacters = 60
const [narrowPx, widePx, characterPx, paddingPx] = [96, 360, 9, 32]

/** Prints a value in one line; every digit of a number is kept. Long values are cut, because a cell shows their beginning only. */
export function printCell(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value.slice(0, 4 * shownCharacters) : writeJson(value)
  return text.slice(0, 4 * shownCharacters)
}

/** Returns whether a cell shows only the beginning of its value. */
export function isFolded(value: unknown): boolean {
  if (typeof value === 'string') return value.length > shownCharacters || value.includes('\n')
  return isObject(value) ? Object.keys(value).length > 0 : Array.isArray(value) && value.length > 0
}

/** Computes the width of a column from the texts of the first rows. */
export function computeWidth<Row>({ name, title = name, read, print = printCell, widthPx }: DataColumn<Row>, rows: readonly Row[]): number {
  if (widthPx !== undefined) return widthPx
  const lengths = rows.slice(0, rowsRead).map((row) => {
    const value = read(row)
    const text = print(value)
    return text.length + (isFolded(print === printCell ? value : text) ? 6 : 0)
  })
  const longest = lengths.reduce((most, length) => Math.max(most, length), title.length + 2)
  return Math.min(widePx, Math.max(narrowPx, longest * characterPx + paddingPx))
}

/** Finds the columns of records: every name of the first rows, in the order in which they come. */
export function findColumns(rows: readonly unknown[]): readonly DataColumn[] {
  const first = rows.slice(0, rowsRead)
  if (first.length > 0 && !first.every(isObject)) return [{ name: 'value', read: (row) => row }]
  const names = new Set(first.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))
  return [...names].map((name) => ({ name, read: (row) => (isObject(row) ? row[name] : undefined) }))
}

/** Finds the columns that no row has a value of: null, or nothing at all. A table without rows hides no column. */
export function findEmpty<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): ReadonlySet<DataColumn<Row>> {
  if (rows.length === 0) return new Set()
  return new Set(columns.filter(({ read, print }) => print === undefined && rows.every((row) => (read(row) ?? null) === null)))
}
