/** From the columns of a searchable entity to its table: the statements that make it, and those that bring an older one up to date. */
import { createHash } from 'node:crypto'
import { type Column, physicalColumns, quoted, type SearchTable, tableWithTokens } from '../query/columns.ts'
import type { EngineName } from './database.ts'
import { partitioned } from './requirements.ts'

/** Counts changes of how cells are made (`values.ts`), but for their words: tables of another number are made anew and filled again. */
const contents = 1
/** PostgreSQL cuts names at 63 bytes; partitions and indexes add up to 10. */
const longestName = 53

/** What decides whether a stored table is still the right one. */
export interface Shape {
  readonly contents: number
  /** Version of the token rules by which words are made; absent: the first. */
  readonly tokens?: number
  readonly key: string
  /** Physical column → its SQL type. */
  readonly columns: Readonly<Record<string, string>>
  /** Searchable field → how its values are held and compared. */
  readonly fields: Readonly<Record<string, string>>
}

/** What has to be done with a stored table. `renewed`: only its words are made by other rules. */
export type Change = 'none' | 'created' | 'extended' | 'renewed' | 'remade'

/** Texts with known values are held as other texts are. */
const meaningOf = ({ type, compare, words }: Column): string => `${type} ${compare === 'lower' ? 'text' : compare} ${words}`

/** The shape of a table as this version knows it. */
export const shapeOf = (table: SearchTable): Shape => ({
  contents,
  ...(table.tokens === 1 ? {} : { tokens: table.tokens }),
  key: JSON.stringify(table.key),
  columns: Object.fromEntries(physicalColumns(table).map(({ name, type }) => [name, type])),
  fields: Object.fromEntries(table.columns.map((column) => [column.name, meaningOf(column)])),
})

/**
 * A digest that goes into the hash of every row, so that a row of another shape counts as changed. Words do not count: they are made
 * anew without the vendor (`renewal.ts`). It is that of the first token rules, so that rows which were written by them keep their hash,
 * and has the fields with known values: where one is marked later, its column is empty until the row is written again.
 */
export const digestOf = (table: SearchTable): string =>
  createHash('sha256')
    .update(JSON.stringify(shapeOf(tableWithTokens(table, 1))))
    .update(table.columns.flatMap(({ lowered }) => lowered ?? []).join())
    .digest('base64url')
    .slice(0, 12)

const differs = (stored: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).some(([name, what]) => Object.hasOwn(stored, name) && stored[name] !== what)

/**
 * What a stored shape asks for. A new field is added; one that is held otherwise makes the table anew, because its rows cannot be told
 * apart. A field that is no longer searchable stays where it is.
 */
export function changeOf(table: SearchTable, stored: Shape | undefined): Change {
  const wanted = shapeOf(table)
  if (stored === undefined) return 'created'
  if (stored.contents !== wanted.contents || stored.key !== wanted.key) return 'remade'
  if (differs(stored.columns, wanted.columns) || differs(stored.fields, wanted.fields)) return 'remade'
  if (JSON.stringify(stored) === JSON.stringify(wanted)) return 'none'
  const first = shapeOf(tableWithTokens(table, 1))
  return stored.tokens === undefined && JSON.stringify(stored) === JSON.stringify(first) ? 'renewed' : 'extended'
}

/** Fields whose moments a list is most often sorted and cut by. */
const mainTime = /^(started|startdatetime|callStartTime|stat_time_day|creat\w*)$/

/** The moment of the one index over times: when the thing happened or was made, else the first moment. */
export function mainTimeOf(table: SearchTable): string | undefined {
  const times = table.columns.filter(({ at }) => at !== undefined)
  return (times.find(({ name }) => mainTime.test(name)) ?? times[0])?.at
}

/** An index of a table. */
export interface TableIndex {
  /** Name, not quoted; it changes with what is indexed. */
  readonly name: string
  /** What follows `create index … on …`. */
  readonly on: string
}

const indexNamed = (table: SearchTable, mark: string, on: string): TableIndex => ({
  name: `${table.name}_${mark}${createHash('sha256').update(on).digest('hex').slice(0, 6)}`,
  on,
})

/** The indexes that every table of an entity has beside its key: the main moment, and the words of prose and JSON. */
export function indexesOf(table: SearchTable): readonly TableIndex[] {
  const at = mainTimeOf(table)
  const words = table.columns.flatMap(({ words, terms }) => (words === 'stored' && terms !== undefined ? [quoted(terms)] : []))
  return [
    ...(at === undefined ? [] : [indexNamed(table, 't', `(connector_id, ${quoted(at)}, pk)`)]),
    ...(words.length === 0 ? [] : [indexNamed(table, 'w', `using gin (connector_id, ${words.join(', ')})`)]),
  ]
}

/** Statements that make a table that is not there. */
export function creation(table: SearchTable, engine: EngineName): readonly string[] {
  if (Buffer.byteLength(table.name) > longestName) throw new Error(`the name ${table.name} is too long for a table`)
  const columns = physicalColumns(table).map(({ name, type }) => `${quoted(name)} ${type}`)
  const all = ['connector_id int4 not null', 'pk text not null', 'h int8 not null', '"$v" int8 not null', ...columns]
  return [
    ...partitioned(table.name, `${all.join(', ')}, primary key (connector_id, pk)`, engine),
    ...indexesOf(table).map((index) => indexCreation(table, index)),
  ]
}

/** Makes one index when it is not there. */
export const indexCreation = (table: SearchTable, { name, on }: TableIndex): string =>
  `create index if not exists ${quoted(name)} on ${quoted(table.name)} ${on}`

/**
 * Statements that add what a stored table lacks; indexes that it no longer needs are dropped by `surplusIndexes`.
 * @param isRenewing whether some of its rows have words of the first token rules only: those columns stay complete
 */
export const extension = (table: SearchTable, isRenewing: boolean): readonly string[] => [
  ...(isRenewing ? [tableWithTokens(table, 1), table] : [table])
    .flatMap(physicalColumns)
    .map(({ name, type }) => `alter table ${quoted(table.name)} add column if not exists ${quoted(name)} ${type}`),
  ...indexesOf(table).map((index) => indexCreation(table, index)),
]

/** Columns that only the first token rules have. */
export const outgrownColumns = (table: SearchTable): readonly string[] => {
  const kept = new Set(physicalColumns(table).map(({ name }) => name))
  return physicalColumns(tableWithTokens(table, 1)).flatMap(({ name }) => (kept.has(name) ? [] : [name]))
}

/** Selects the names of own indexes of a table that are none of `indexesOf`: `$1` the table, `$2` a pattern of own names, `$3` those that stay. */
export const surplusIndexes = `select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = to_regclass($1) and c.relname::text ~ $2 and c.relname::text <> all($3)`

/** Own names of indexes of a table; others (made on demand) are left alone. */
export const ownIndexNames = (table: SearchTable): string => `^${table.name}_[tw][0-9a-f]{6}$`

/** Statements that take a table away. */
export const removal = (table: SearchTable): readonly string[] => [`drop table if exists ${quoted(table.name)}`]
