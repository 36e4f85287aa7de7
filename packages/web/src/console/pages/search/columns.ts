/** Columns of the results. */
import { isObject } from 'ferrule/internal'
import { type DataColumn, findColumns } from '../../parts/table/columns.ts'
import type { FilterField } from './filter/fields.ts'

/** Types that hold one value, which the service can order by. */
const ordered: ReadonlySet<string> = new Set(['text', 'integer', 'number', 'boolean'])

/** Reads a path: through an array, the values of all its elements. */
function readSteps(value: unknown, steps: readonly string[]): unknown {
  const [first, ...rest] = steps
  if (first === undefined) return value
  if (Array.isArray(value)) return value.flatMap((each: unknown) => readSteps(each, steps) ?? [])
  return isObject(value) ? readSteps(value[first], rest) : undefined
}

/** Reads a path of a record. A field can have a dot in its name. */
const readPath = (record: unknown, path: string): unknown =>
  isObject(record) && Object.hasOwn(record, path) ? record[path] : readSteps(record, path.replaceAll('[]', '').split('.'))

/** Lists the fields that the service can order by. */
export const listOrdered = (fields: readonly FilterField[]): ReadonlySet<string> =>
  new Set(fields.filter(({ path, type }) => !path.includes('.') && ordered.has(type)).map(({ path }) => path))

/** Builds the columns: the chosen ones, else those of the records. */
export function buildColumns(
  rows: readonly unknown[],
  { chosen, canSort }: { readonly chosen: readonly string[]; readonly canSort: ReadonlySet<string> },
): readonly DataColumn[] {
  const columns =
    chosen.length === 0 ? findColumns(rows) : chosen.map((path): DataColumn => ({ name: path, read: (row) => readPath(row, path) }))
  return columns.map((column) => ({ ...column, canSort: canSort.has(column.name) }))
}
