import type { Column } from './cells.ts'
import { textColumn } from './cells.ts'
import { literal, quotedName } from './names.ts'
import { partitioned } from './partitions.ts'
import type { StatementResult } from './statements.ts'

type Row = readonly (string | null)[]

const unlimited = Number.POSITIVE_INFINITY

/** A small result whose cells are known. */
export async function tableOf(columns: readonly Column[], rows: readonly Row[]): Promise<StatementResult> {
  const texts = rows.map((row) => JSON.stringify(row))
  return { columns, rows: await partitioned([texts], { first: unlimited, other: unlimited, all: unlimited, rows: 0 }) }
}

/** A small result of texts. */
export function textRows(names: readonly string[], rows: readonly Row[]): Promise<StatementResult> {
  return tableOf(
    names.map((name) => textColumn(name)),
    rows,
  )
}

function cellSql(cell: string | null): string {
  return cell === null ? 'NULL' : literal(cell)
}

/** SQL of the engine for a table with these rows, so that the next part of a chain can read them. */
export function tableSql(columns: readonly Column[], rows: readonly Row[]): string {
  const types = columns.map(({ type }) => (type === 'fixed' ? 'HUGEINT' : 'VARCHAR'))
  const named = columns.map(({ name }, index) => `CAST(C${index} AS ${types[index]}) AS ${quotedName(name)}`)
  const positions = columns.map((_column, index) => `C${index}`)
  const lines = rows.length === 0 ? [columns.map(() => null)] : rows
  const values = lines.map((row) => `(${row.map(cellSql).join(', ')})`).join(', ')
  return `SELECT ${named.join(', ')} FROM (VALUES ${values}) AS "T$"(${positions.join(', ')})${rows.length === 0 ? ' WHERE FALSE' : ''}`
}
