/** Reads the data of answers as rows with columns. */
import { isObject } from 'ferrule/internal'
import { type DataColumn, findColumns } from './columns.ts'

/** Rows with their columns. */
export interface AnswerRows {
  readonly columns: readonly DataColumn[]
  readonly rows: readonly unknown[]
}

/** Reads the names of the columns of a statement's result; undefined: the data has no description of columns. */
function readColumnNames(data: unknown): readonly string[] | undefined {
  const described = isObject(data) ? data['resultSetMetaData'] : undefined
  const types = isObject(described) ? described['rowType'] : undefined
  return Array.isArray(types) ? types.map((type) => (isObject(type) ? String(type['name']) : '')) : undefined
}

/** Makes the columns of rows that are arrays of cells. Two columns can have one title, and names are unique. */
const buildCellColumns = (titles: readonly string[]): readonly DataColumn[] =>
  titles.map((title, index) => ({
    name: `${index}`,
    title,
    read: (row) => (Array.isArray(row) ? (row as readonly unknown[])[index] : undefined),
  }))

const readList = (data: unknown): readonly unknown[] => (Array.isArray(data) ? data : [])

/**
 * Reads rows of the pages of one list, of the parts of one statement's result, or of one record.
 * @param pages members `data` of the answers, in their order; only the first part of a result describes its columns
 */
export function readAnswerRows(...pages: readonly unknown[]): AnswerRows {
  const names = pages.map(readColumnNames).find((each) => each !== undefined)
  if (names !== undefined) {
    const rows = pages.flatMap((part) => readList(isObject(part) ? part['data'] : undefined))
    return { rows, columns: buildCellColumns(names) }
  }
  const rows = pages.flatMap((data) => (isObject(data) ? [data] : readList(data)))
  return { rows, columns: findColumns(rows) }
}
