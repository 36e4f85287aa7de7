/** Rows of a statement in the form that the caller wants. */
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import { findFormattedTypes, findReader, type ReadCell, type TypedCell } from './cells.ts'

/** Form of rows: arrays of the vendor's strings, or objects with typed cells. */
export type RowForm = 'arrays' | 'objects'

/** A row as an object: cells by the names of their columns. */
export type TypedRow = Readonly<Record<string, TypedCell>>

interface RowSource {
  readonly as: RowForm | undefined
  /** Parameters of the statement. */
  readonly params: Readonly<Record<string, unknown>> | undefined
  /** Who answers, for errors. */
  readonly vendor: string
}

interface Column {
  readonly name: string
  readonly read: ReadCell
}

/**
 * Makes names unique: the first column of a name keeps it, the others get `_2`, `_3` and so on, whatever is not the name of another column.
 */
export function nameApart(names: readonly string[]): readonly string[] {
  const [taken, met] = [new Set(names), new Set<string>()]
  return names.map((name) => {
    let unique = name
    for (let number = 2; met.has(name) && taken.has(unique); number += 1) unique = `${name}_${number}`
    met.add(name)
    taken.add(unique)
    return unique
  })
}

/** Reads the columns of a part; undefined if the part does not describe them. */
function readColumns(data: Readonly<Record<string, unknown>>, formatted: ReadonlySet<string>): readonly Column[] | undefined {
  const description = data['resultSetMetaData']
  const types = isObject(description) ? description['rowType'] : undefined
  if (!Array.isArray(types)) return undefined
  const columns = types.map((column: unknown) => (isObject(column) ? column : {}))
  const names = nameApart(columns.map(({ name }) => String(name)))
  return columns.map(({ type }, index) => ({ name: names[index] ?? '', read: findReader(String(type), formatted) }))
}

function readObject(columns: readonly Column[], cells: readonly unknown[]): TypedRow {
  const entries = columns.map(({ name, read }, index): [string, TypedCell] => {
    const cell = cells[index]
    return [name, typeof cell === 'string' ? read(cell) : (cell as TypedCell)] // null, or what JSON can hold
  })
  return Object.fromEntries(entries) // which also takes a column named __proto__
}

/**
 * Makes the reader of a result. It takes the record of each part in turn and returns the conversion of that part's rows: only the first
 * part describes the columns.
 * @returns a reader that throws FerruleError `upstream_answer_invalid` for rows without columns, and for rows that have more or fewer cells
 */
export function createRowReader({ as, params, vendor }: RowSource): (data: object) => (row: unknown) => unknown {
  if (as !== 'objects') return () => (row) => row
  const formatted = findFormattedTypes(params?.['parameters'])
  let columns: readonly Column[] | undefined
  return (data) => {
    columns ??= readColumns({ ...data }, formatted)
    return (row) => {
      if (columns === undefined || !Array.isArray(row) || row.length !== columns.length)
        throw fail('upstream_answer_invalid', { vendor, reason: 'the rows do not fit the columns of the result' })
      return readObject(columns, row)
    }
  }
}
