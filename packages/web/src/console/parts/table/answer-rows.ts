/** Reads the data of an answer as rows with columns. */
import { isObject } from 'ferrule/internal'
import { type DataColumn, findColumns } from './columns.ts'

/** Rows with their columns. */
export interface AnswerRows {
  readonly columns: readonly DataColumn[]
  readonly rows: readonly unknown[]
}

/** Reads the names of the columns of a statement's result; undefined: the data has no description of columns. */
function readColumnNames(data: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const described = data['resultSetMetaData']
  const types = isObject(described) ? described['rowType'] : undefined
  return Array.isArray(types) ? types.map((type) => (isObject(type) ? String(type['name']) : '')) : undefined
}

/** Makes the columns of rows that are arrays of cells. Two columns can have one title, and names are unique. */
export const buildCellColumns = (titles: readonly string[]): readonly DataColumn[] =>
  titles.map((title, index) => ({
    ...{ name: `${index}`, title },
    read: (row) => (Array.isArray(row) ? (row as readonly unknown[])[index] : undefined),
  }))

/**
 * Reads rows: the records of a list, the rows of a statement's result, or one record.
 * @param data member `data` of an answer
 */
export function readAnswerRows(data: unknown): AnswerRows {
  if (Array.isArray(data)) return { rows: data, columns: findColumns(data) }
  if (!isObject(data)) return { rows: [], columns: [] }
  const names = readColumnNames(data)
  const { data: cells } = data
  if (names === undefined || !Array.isArray(cells)) return { rows: [data], columns: findColumns([data]) }
  return { rows: cells, columns: buildCellColumns(names) }
}
