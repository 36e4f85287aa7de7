/** Columns of the records that a search finds. */
import { isObject, relatedName } from 'ferrule/internal'
import { type DataColumn, findColumns, printCell } from '../../parts/table/columns.ts'
import type { FilterField } from './filter/fields.ts'
import { type RelatedField, toPlain } from './groups/choice.ts'

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

/** Reads what the service has added for a reference. */
export function readReferred(row: unknown, reference: string): unknown {
  const related = isObject(row) ? row[relatedName] : undefined
  const [, found] = Object.entries(isObject(related) ? related : {}).find(([name]) => toPlain(name) === toPlain(reference)) ?? []
  return found
}

/** Reads a field of what a record refers to: through a list, that of each record, by the ids in the list. */
function readRelatedField(row: unknown, { reference, field }: RelatedField): unknown {
  const found = readReferred(row, reference)
  const read = (record: unknown): unknown => (isObject(record) ? (record[field] ?? null) : null)
  return reference.includes('[]') && isObject(found) ? Object.values(found).map(read) : read(found)
}

const buildRelatedColumn = (related: RelatedField): DataColumn => ({
  name: `${relatedName}.${related.token}`,
  title: related.title,
  read: (row) => readRelatedField(row, related),
  print: (value) => (value === null ? '–' : printCell(value)),
})

/** Inserts fields of related records behind the column that refers to them. */
function insertRelated(columns: readonly DataColumn[], related: readonly RelatedField[]): readonly DataColumn[] {
  const byColumn = Map.groupBy(related, ({ reference }) =>
    columns.findLastIndex(({ name }) => `${toPlain(reference)}.`.startsWith(`${toPlain(name)}.`)),
  )
  const listAt = (index: number) => (byColumn.get(index) ?? []).map(buildRelatedColumn)
  return [...columns.flatMap((column, index) => [column, ...listAt(index)]), ...listAt(-1)]
}

/** What the columns are built for. */
interface ColumnChoice {
  /** Paths; none: all fields. */
  readonly chosen: readonly string[]
  readonly related: readonly RelatedField[]
  /** Names of the fields that the service can order by. */
  readonly canSort: ReadonlySet<string>
}

/** Builds the columns: the chosen ones, else those of the records. */
export function buildColumns(rows: readonly unknown[], { chosen, related, canSort }: ColumnChoice): readonly DataColumn[] {
  const columns =
    chosen.length === 0
      ? findColumns(rows).filter(({ name }) => name !== relatedName)
      : chosen.map((path): DataColumn => ({ name: path, read: (row) => readPath(row, path) }))
  return insertRelated(
    columns.map((column) => ({ ...column, canSort: canSort.has(column.name) })),
    related,
  )
}
