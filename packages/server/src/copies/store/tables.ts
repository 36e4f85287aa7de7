/** Statements that create the table of a searchable entity, and that update an older one. */

import { createHash } from 'node:crypto'
import { splitInto } from '../../values/slices.ts'
import {
  type Column,
  findMainTime,
  findTable,
  listIndexedWordSlots,
  listPhysicalColumns,
  mainTimeSlot,
  type PhysicalColumn,
  quoteName,
  rescuedColumn,
  type SearchTable,
  type SlotTable,
  slotTables,
} from '../search/columns.ts'
import { buildTable, listLeaves, type TableLayout } from './database/database.ts'

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

/** Builds the shape of what is stored of an entity in this version. */
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
export function findChange(wanted: Shape, stored: Shape | undefined): Change {
  if (stored === undefined) return 'created'
  if (stored.contents !== wanted.contents || stored.key !== wanted.key) return 'remade'
  if (hasDifference(stored.columns, wanted.columns) || hasDifference(stored.fields, wanted.fields)) return 'remade'
  return JSON.stringify(stored) === JSON.stringify(wanted) ? 'none' : 'extended'
}

/** Compares what two versions of an own kind store of an entity. Rows do not move to or from a table of one entity: they are read again. */
export function compareTables(from: SearchTable, to: SearchTable): 'same' | 'extended' | 'remade' {
  if (from.name === to.name) return 'same'
  if (from.storage?.mark === undefined || to.storage?.mark === undefined) return 'remade'
  const [was, is] = [buildShape(from), buildShape(to)]
  return was.key !== is.key || hasDifference(was.fields, is.fields) ? 'remade' : 'extended'
}

interface TableIndex {
  /** Unquoted name; it changes with the indexed columns. */
  readonly name: string
  /** Follows `create index … on …`. */
  readonly on: string
}

type TableColumn = Omit<PhysicalColumn, 'field'> & { readonly isRequired?: true }

/** A table of the database: that of one entity, or one of own kinds. */
export interface DatabaseTable {
  /** Unquoted name. */
  readonly name: string
  /** Name under which the store keeps what it knows of the rows; for a table of own kinds the beginning of such names. */
  readonly rows: string
  /** Empty for tables of own kinds. */
  readonly kind: string
  readonly entity: string
  readonly shape: Shape
  /** All columns but `connector_id`, in their order. */
  readonly columns: readonly TableColumn[]
  /** Columns of the primary key. */
  readonly key: string
  readonly indexes: readonly TableIndex[]
  /** True to gather what the first two columns of the key say of each other: a mark of an own kind names few connectors. */
  readonly isShared: boolean
}

const nameIndex = (table: string, mark: string, on: string): TableIndex => ({
  name: `${table}_${mark}${createHash('sha256').update(on).digest('hex').slice(0, 6)}`,
  on,
})

/** Number of columns of words that one index has; PostgreSQL takes 32 columns, one is the connector. Words of more fields are searched without it. */
const mostIndexedWords = 31

/** Lists the indexes of an entity's table besides its key: the main timestamp, and the words of prose and JSON. */
function listIndexes(table: SearchTable): readonly TableIndex[] {
  const name = findTable(table)
  const at = findMainTime(table)
  const stored = table.columns.flatMap(({ words, terms }) => (words === 'stored' && terms !== undefined ? [quoteName(terms)] : []))
  const words = stored.slice(0, mostIndexedWords)
  return [
    ...(at === undefined ? [] : [nameIndex(name, 't', `(connector_id, ${quoteName(at)}, pk)`)]),
    ...(words.length === 0 ? [] : [nameIndex(name, 'w', `using gin (connector_id, ${words.join(', ')})`)]),
  ]
}

/** Number of columns of an index of words. GIN has an entry for each column of a row, also where the value is null. */
const wordsOfIndex = 4

/**
 * Lists the indexes of a table of own kinds. The words have several indexes of few slots. Each leaves out rows without any of its words,
 * and PostgreSQL sees that a condition on a slot finds no such row.
 */
function listSharedIndexes(table: string): readonly TableIndex[] {
  return [
    nameIndex(table, 't', `(connector_id, entity, ${mainTimeSlot}, pk)`),
    ...splitInto(listIndexedWordSlots(), wordsOfIndex).map((group) => {
      const isThere = group.map((slot) => `${slot} is not null`).join(' or ')
      return nameIndex(table, 'w', `using gin (connector_id, entity, ${group.join(', ')}) where ${isThere}`)
    }),
  ]
}

const ranks: Readonly<Record<PhysicalColumn['type'], number>> = { int8: 0, boolean: 1, text: 2, numeric: 2, jsonb: 4, 'text[]': 4 }
/** Rank of values that pages show, and that hardly any search compares. */
const shownRank = 3

/** Finds the columns that hardly any search compares: a companion is compared instead, or the index of the key. */
const listShownColumns = ({ columns }: SearchTable): ReadonlySet<string | undefined> =>
  new Set(['pk', ...columns.flatMap(({ sql, at, number, lowered, wide }) => [wide, (at ?? number ?? lowered) && sql])])

/** Columns of every table, besides the connector. */
const ownColumns: readonly TableColumn[] = [
  { name: 'h', type: 'int8', isRequired: true },
  { name: '$v', type: 'int8', isRequired: true },
  { name: 'pk', type: 'text', isRequired: true },
]

/**
 * Lists the columns of a row in the order of their ranks. PostgreSQL finds a column of fixed length at once, and walks over all columns
 * before any other one. So these come first, then what searches compare, and long values last.
 */
function listTableColumns(table: SearchTable): readonly TableColumn[] {
  const shown = listShownColumns(table)
  const rankOf = ({ name, type }: TableColumn): number => (shown.has(name) && ranks[type] > 1 ? shownRank : ranks[type])
  return [...ownColumns, ...listPhysicalColumns(table), rescuedColumn].toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Adds the column of rescued values, which the hashes of rows leave out: rows without such values keep theirs. */
const addRescued = (shape: Shape): Shape => ({ ...shape, columns: { ...shape.columns, [rescuedColumn.name]: rescuedColumn.type } })

/** Describes a table of own kinds. Another meaning of its slots must change `key`: it is then made again. */
const describeShared = ({ table, rows, slots }: SlotTable): DatabaseTable => ({
  name: table,
  rows,
  kind: '',
  entity: '',
  shape: addRescued({ contents, key: 'slots 4', columns: Object.fromEntries(slots.map(({ name, type }) => [name, type])), fields: {} }),
  columns: [...ownColumns, ...slots, rescuedColumn],
  key: 'connector_id, entity, pk',
  indexes: listSharedIndexes(table),
  isShared: true,
})

const sharedTables: ReadonlyMap<unknown, DatabaseTable> = new Map(slotTables.map((each) => [each.table, describeShared(each)]))

/** Finds the shared table of a name. */
export const findSharedTable = (name: unknown): DatabaseTable | undefined => sharedTables.get(name)

/** Describes the table of the database that has the rows of an entity. */
export const describeTable = (table: SearchTable): DatabaseTable =>
  findSharedTable(table.storage?.table) ?? {
    name: findTable(table),
    rows: table.name,
    ...(table.storage === undefined ? { kind: table.kind, entity: table.entity } : { kind: '', entity: '' }),
    shape: addRescued(buildShape(table)),
    columns: listTableColumns(table),
    key: 'connector_id, pk',
    indexes: listIndexes(table),
    isShared: false,
  }

/** How a table is created. */
export interface Creation {
  readonly layout: TableLayout
  /** True where the server compresses long values by LZ4, which takes less than half the time of its own method. */
  readonly hasLz4: boolean
}

/**
 * Builds the statements that say what PostgreSQL gathers of a table of own kinds.
 * - How connectors and marks depend on each other. Without it the planner expects far too few rows of an entity, as if every connector had
 *   rows of every kind. Partitions need their own.
 * - Nothing of slots of JSON, and of words without an index: conditions on them are functions, which no plan depends on. Citus does not take
 *   this for a distributed table.
 */
function buildStatistics({ name, columns, isShared }: DatabaseTable, layout: TableLayout): readonly string[] {
  if (!isShared) return []
  const dependencies = listLeaves(name, layout).map(
    (leaf) => `create statistics if not exists "${leaf}_of" (dependencies) on connector_id, entity from "${leaf}"`,
  )
  const indexed = new Set(listIndexedWordSlots())
  const silent = columns.flatMap(({ name: slot, type }) =>
    type === 'jsonb' || (type === 'text[]' && !indexed.has(slot)) ? [`alter column ${quoteName(slot)} set statistics 0`] : [],
  )
  return layout === 'citus' ? dependencies : [...dependencies, `alter table "${name}" ${silent.join(', ')}`]
}

/**
 * Builds the statements that create a table. The key comes last: of two indexes that seem equally good, PostgreSQL takes the newer one, and
 * before there are statistics the index of the main time seems as good for finding a row by its key. It reads all rows of the connector.
 */
export function buildCreation(table: DatabaseTable, { layout, hasLz4 }: Creation): readonly string[] {
  if (Buffer.byteLength(table.name) > longestName) throw new Error(`the name ${table.name} is too long for a table`)
  const columns = table.columns.map(({ name, type, isRequired }) => {
    const compression = hasLz4 && ranks[type] > 1 && !isRequired ? ' compression lz4' : ''
    return `${quoteName(name)} ${type}${compression}${isRequired ? ' not null' : ''}`
  })
  const all = ['connector_id int4 not null', ...(table.isShared ? ['entity uuid not null'] : []), ...columns]
  return [
    ...buildTable(table.name, all.join(', '), layout),
    ...table.indexes.map((index) => buildIndexCreation(table, index)),
    `alter table ${quoteName(table.name)} add constraint ${quoteName(`${table.name}_pkey`)} primary key (${table.key})`,
    ...buildStatistics(table, layout),
  ]
}

const buildIndexCreation = (table: DatabaseTable, { name, on }: TableIndex): string =>
  `create index if not exists ${quoteName(name)} on ${quoteName(table.name)} ${on}`

/** Builds the statements that add missing columns and indexes to a stored table; `surplusIndexes` finds indexes to drop. */
export const buildExtension = (table: DatabaseTable): readonly string[] => [
  ...table.columns.flatMap(({ name, type, isRequired }) =>
    isRequired ? [] : [`alter table ${quoteName(table.name)} add column if not exists ${quoteName(name)} ${type}`],
  ),
  ...table.indexes.map((index) => buildIndexCreation(table, index)),
]

/**
 * Selects the store's own indexes of a table that it does not have any more: `$1` the table, `$2` a pattern of own names, `$3` names to
 * keep.
 */
export const surplusIndexes = `select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = to_regclass($1) and c.relname::text ~ $2 and c.relname::text <> all($3)`

/** Builds the pattern of names of a table's own indexes; automatic indexes do not match. */
export const buildOwnIndexPattern = (table: DatabaseTable): string => `^${table.name}_[tw][0-9a-f]{6}$`

/** Builds the statements that drop a table. */
export const buildRemoval = (table: DatabaseTable): readonly string[] => [`drop table if exists ${quoteName(table.name)}`]
