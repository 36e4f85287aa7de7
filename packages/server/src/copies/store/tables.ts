/** Statements that create the table of a searchable entity, and that update an older one. */
import { createHash } from 'node:crypto'
import { type Column, findMainTime, listPhysicalColumns, type PhysicalColumn, quoteName, type SearchTable } from '../search/columns.ts'
import { buildTable, type TableLayout } from './database/layout.ts'

/** Version of how cells are built (`values.ts`). A table of another version is recreated and filled again. */
const contents = 2
/** PostgreSQL truncates names at 63 bytes; suffixes of partitions and indexes have up to 10. */
const longestName = 53

/** Decides whether a stored table is still current. */
export interface Shape {
  readonly contents: number
  readonly key: string
  /** SQL type by physical column. */
  readonly columns: Readonly<Record<string, string>>
  /** Type, comparison and word storage by searchable field. */
  readonly fields: Readonly<Record<string, string>>
}

/** Required change of a stored table. */
export type Change = 'none' | 'created' | 'extended' | 'remade'

/** Strings with known values are stored like other strings. */
const describeColumn = ({ type, compare, words }: Column): string => `${type} ${compare === 'lower' ? 'text' : compare} ${words}`

/** Builds the shape of a table in this version. */
export const buildShape = (table: SearchTable): Shape => ({
  contents,
  key: JSON.stringify(table.key),
  columns: Object.fromEntries(listPhysicalColumns(table).map(({ name, type }) => [name, type])),
  fields: Object.fromEntries(table.columns.map((column) => [column.name, describeColumn(column)])),
})

/**
 * Computes a digest that is part of every row's hash, so a row of another shape counts as changed. Fields with known values count: the
 * column of a newly marked field is empty until its row is written again.
 */
export const digestTable = (table: SearchTable): string =>
  createHash('sha256')
    .update(JSON.stringify(buildShape(table)))
    .update(table.columns.flatMap(({ lowered }) => lowered ?? []).join())
    .digest('base64url')
    .slice(0, 12)

const hasDifference = (stored: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).some(([name, what]) => Object.hasOwn(stored, name) && stored[name] !== what)

/**
 * Finds the change that a stored shape needs. A new field is added. A field that is stored differently recreates the table, because old
 * and new rows would be indistinguishable. A field that is no longer searchable stays.
 */
export function findChange(table: SearchTable, stored: Shape | undefined): Change {
  const wanted = buildShape(table)
  if (stored === undefined) return 'created'
  if (stored.contents !== wanted.contents || stored.key !== wanted.key) return 'remade'
  if (hasDifference(stored.columns, wanted.columns) || hasDifference(stored.fields, wanted.fields)) return 'remade'
  return JSON.stringify(stored) === JSON.stringify(wanted) ? 'none' : 'extended'
}

/** An index of a table. */
export interface TableIndex {
  /** Unquoted name; it changes with the indexed columns. */
  readonly name: string
  /** Follows `create index … on …`. */
  readonly on: string
}

const nameIndex = (table: SearchTable, mark: string, on: string): TableIndex => ({
  name: `${table.name}_${mark}${createHash('sha256').update(on).digest('hex').slice(0, 6)}`,
  on,
})

/** Lists the indexes that every table has besides its key: the main timestamp, and the words of prose and JSON. */
export function listIndexes(table: SearchTable): readonly TableIndex[] {
  const at = findMainTime(table)
  const words = table.columns.flatMap(({ words, terms }) => (words === 'stored' && terms !== undefined ? [quoteName(terms)] : []))
  return [
    ...(at === undefined ? [] : [nameIndex(table, 't', `(connector_id, ${quoteName(at)}, pk)`)]),
    ...(words.length === 0 ? [] : [nameIndex(table, 'w', `using gin (connector_id, ${words.join(', ')})`)]),
  ]
}

/** Ranks of columns in a row, by their types. */
const ranks: Readonly<Record<PhysicalColumn['type'], number>> = { int8: 0, boolean: 1, text: 2, numeric: 2, jsonb: 4, 'text[]': 4 }
/** Rank of values that pages show, and that hardly any search compares. */
const shownRank = 3

/** Finds the columns that hardly any search compares: a companion is compared instead, or the index of the key. */
const listShownColumns = ({ columns }: SearchTable): ReadonlySet<string | undefined> =>
  new Set(['pk', ...columns.flatMap(({ sql, at, number, lowered, wide }) => [wide, (at ?? number ?? lowered) && sql])])

/**
 * Lists the columns of a row in the order of their ranks. PostgreSQL finds a column of fixed length at once, and walks over all columns
 * before any other one. So these come first, then what searches compare, and long values last.
 */
function listPlacedColumns(table: SearchTable): readonly (Omit<PhysicalColumn, 'field'> & { readonly isRequired?: true })[] {
  const shown = listShownColumns(table)
  const rankOf = ({ name, type }: Omit<PhysicalColumn, 'field'>): number => (shown.has(name) && ranks[type] > 1 ? shownRank : ranks[type])
  const own = [
    { name: 'h', type: 'int8', isRequired: true },
    { name: '$v', type: 'int8', isRequired: true },
    { name: 'pk', type: 'text', isRequired: true },
  ] as const
  return [...own, ...listPhysicalColumns(table)].toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** How a table is created. */
export interface Creation {
  readonly layout: TableLayout
  /** True where the server compresses long values by LZ4, which takes less than half the time of its own method. */
  readonly hasLz4: boolean
}

/** Builds the statements that create a table. */
export function buildCreation(table: SearchTable, { layout, hasLz4 }: Creation): readonly string[] {
  if (Buffer.byteLength(table.name) > longestName) throw new Error(`the name ${table.name} is too long for a table`)
  const columns = listPlacedColumns(table).map(({ name, type, isRequired }) => {
    const compression = hasLz4 && ranks[type] > 1 && !isRequired ? ' compression lz4' : ''
    return `${quoteName(name)} ${type}${compression}${isRequired ? ' not null' : ''}`
  })
  const all = ['connector_id int4 not null', ...columns]
  return [
    ...buildTable(table.name, `${all.join(', ')}, primary key (connector_id, pk)`, layout),
    ...listIndexes(table).map((index) => buildIndexCreation(table, index)),
  ]
}

/** Builds the statement that creates an index if it does not exist. */
const buildIndexCreation = (table: SearchTable, { name, on }: TableIndex): string =>
  `create index if not exists ${quoteName(name)} on ${quoteName(table.name)} ${on}`

/** Builds the statements that add missing columns and indexes to a stored table; `surplusIndexes` finds indexes to drop. */
export const buildExtension = (table: SearchTable): readonly string[] => [
  ...listPhysicalColumns(table).map(
    ({ name, type }) => `alter table ${quoteName(table.name)} add column if not exists ${quoteName(name)} ${type}`,
  ),
  ...listIndexes(table).map((index) => buildIndexCreation(table, index)),
]

/**
 * Selects the store's own indexes of a table that are not in `listIndexes`: `$1` the table, `$2` a pattern of own names, `$3` names to
 * keep.
 */
export const surplusIndexes = `select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = to_regclass($1) and c.relname::text ~ $2 and c.relname::text <> all($3)`

/** Builds the pattern of names of a table's own indexes; automatic indexes do not match. */
export const buildOwnIndexPattern = (table: SearchTable): string => `^${table.name}_[tw][0-9a-f]{6}$`

/** Builds the statements that drop a table. */
export const buildRemoval = (table: SearchTable): readonly string[] => [`drop table if exists ${quoteName(table.name)}`]
