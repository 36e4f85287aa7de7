/** Writes rows as lines: each as an object, or as a table whose header stands once, where that saves a third. */
import { isObject } from '../../definition/object.ts'
import { writeLine } from './json.ts'
import { type Shortened, shorten } from './shorten.ts'
import { estimateTokens } from './tokens.ts'

/** Rows of the sample that chooses the form. */
const sampleRows = 10
/** Rows whose fields become columns. A row behind them with another field ends the table, and is read on as an object. */
const namedRows = 100
/** Maximum number of columns of a table. */
const mostColumns = 200

/** How rows are written. */
export interface Layout {
  /** Names of the columns; undefined: each row is written as an object. */
  readonly columns: readonly string[] | undefined
  /** The same names. */
  readonly known: ReadonlySet<string>
}

const byObjects: Layout = { columns: undefined, known: new Set() }

type Row = Readonly<Record<string, unknown>>

function listNames(rows: readonly Row[]): readonly string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) names.add(name)
  return [...names]
}

const writeCells = (row: Row, columns: readonly string[]): string =>
  writeLine(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : null)))

/** Writes the header of a table; empty where rows are objects. */
export const writeColumns = ({ columns }: Layout): string => (columns === undefined ? '' : `Columns: ${writeLine(columns)}`)

/** Chooses the form of rows by their first ones. */
export function chooseLayout(rows: readonly unknown[]): Layout {
  const sample = rows.slice(0, sampleRows).filter(isObject)
  if (sample.length < 2 || sample.length < Math.min(rows.length, sampleRows)) return byObjects
  const first = listNames(sample)
  const header = writeLine(first).length
  const cells = sample.reduce((sum, row) => sum + writeCells(row, first).length, header)
  const names = sample.reduce((sum, row) => sum + Object.keys(row).reduce((own, name) => own + name.length + 3, 0), 0)
  if (cells * 3 > (cells - header + names) * 2) return byObjects
  const columns = listNames(rows.slice(0, namedRows).filter(isObject))
  return columns.length === 0 || columns.length > mostColumns ? byObjects : { columns, known: new Set(columns) }
}

/** Lines that fit, and what became of the rows. */
export interface Fitted {
  readonly lines: readonly string[]
  /** Tokens of each line with its end. */
  readonly costs: readonly number[]
  readonly shortened: Shortened
}

/** Writes a row; undefined for one that the table has no columns for. */
function writeRow(row: unknown, { columns, known }: Layout): string | undefined {
  if (columns === undefined) return writeLine(row)
  return isObject(row) && Object.keys(row).every((name) => known.has(name)) ? writeCells(row, columns) : undefined
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
  const costs: number[] = []
  const shortened: Shortened = new Map()
  let tokens = 0
  for (const row of rows) {
    const own: Shortened = new Map()
    const line = writeRow(shorten(row, mostCharacters, own), layout)
    if (line === undefined) break
    const cost = estimateTokens(line) + 1
    if (tokens + cost > maxTokens) break
    tokens += cost
    costs.push(cost)
    lines.push(line)
    for (const [path, length] of own) shortened.set(path, Math.max(shortened.get(path) ?? 0, length))
  }
  return { lines, costs, shortened }
}

/** Returns the lines that fit into a smaller budget, of rows whose texts are whole. */
export function cutRows({ lines, costs, shortened }: Fitted, maxTokens: number): Fitted {
  let left = maxTokens
  const tooMany = costs.findIndex((cost) => {
    left -= cost
    return left < 0
  })
  return tooMany < 0 ? { lines, costs, shortened } : { lines: lines.slice(0, tooMany), costs: costs.slice(0, tooMany), shortened }
}
