/** Writes rows as lines: each as an object, or as a table whose header stands once, where that saves a third. */
import { isObject } from '../../definition/object.ts'
import { writeLine } from './json.ts'
import { type Shortened, shorten } from './shorten.ts'
import { estimateTokens } from './tokens.ts'

/** Rows of the sample that chooses the form. */
const sampleRows = 20
/** Maximum number of columns of a table. */
const mostColumns = 200

/** How rows are written. */
export interface Layout {
  /** Names of the columns; undefined: each row is written as an object. */
  readonly columns: readonly string[] | undefined
}

type Row = Readonly<Record<string, unknown>>

const listNames = (rows: readonly Row[]): readonly string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))]

const writeCells = (row: Row, columns: readonly string[]): string =>
  writeLine(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : null)))

/** Chooses the form of rows by their first ones. */
export function chooseLayout(rows: readonly unknown[]): Layout {
  const sample = rows.slice(0, sampleRows).filter(isObject)
  if (sample.length < 2 || sample.length < Math.min(rows.length, sampleRows)) return { columns: undefined }
  const columns = listNames(sample)
  if (columns.length === 0 || columns.length > mostColumns) return { columns: undefined }
  const asObjects = sample.reduce((sum, row) => sum + writeLine(row).length, 0)
  const asTable = sample.reduce((sum, row) => sum + writeCells(row, columns).length, writeLine(columns).length)
  return { columns: asTable * 3 <= asObjects * 2 ? columns : undefined }
}

/** Lines that fit, and what became of the rows. */
export interface Fitted {
  readonly lines: readonly string[]
  readonly tokens: number
  readonly shortened: Shortened
}

/** Writes a row; undefined for one that the table has no columns for. */
function writeRow(row: unknown, { columns }: Layout): string | undefined {
  if (columns === undefined) return writeLine(row)
  return isObject(row) && Object.keys(row).every((name) => columns.includes(name)) ? writeCells(row, columns) : undefined
}

/** What rows are fitted to. */
export interface Fit {
  readonly layout: Layout
  /** Maximum number of tokens of all lines. */
  readonly maxTokens: number
  /** Maximum number of characters of a text. */
  readonly mostCharacters: number
}

/** Writes rows as long as they fit. */
export function fitRows(rows: readonly unknown[], { layout, maxTokens, mostCharacters }: Fit): Fitted {
  const lines: string[] = []
  const shortened: Shortened = new Map()
  let tokens = 0
  for (const row of rows) {
    const own: Shortened = new Map()
    const line = writeRow(shorten(row, mostCharacters, own), layout)
    if (line === undefined) break
    const cost = estimateTokens(line) + 1
    if (tokens + cost > maxTokens) break
    tokens += cost
    lines.push(line)
    for (const [path, length] of own) shortened.set(path, Math.max(shortened.get(path) ?? 0, length))
  }
  return { lines, tokens, shortened }
}
