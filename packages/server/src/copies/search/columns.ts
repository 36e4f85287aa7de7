/**
 * Layout of the table of a searchable entity: one column per searchable field. Companion columns hold values that this service computes
 * when it writes a record, because the two databases compute them differently or not at all.
 *
 * Table `cs_<kind>_<entity>` (dashes become underscores):
 *
 * | Column | SQL type | What |
 * | --- | --- | --- |
 * | `connector_id` | int4 | the connector's number in the context database |
 * | `pk` | text | the record's key, see `keys.ts`; results without a sort have its order |
 * | one per field, see `listPhysicalColumns` | text, int8, numeric, boolean, jsonb | the searchable value |
 * | `<field>$at` | int8 | for a timestamp: microseconds since 1970, null for a string that is no timestamp |
 * | `<field>$w` | numeric | for an integer at or beyond the limits of int8: the integer itself; the field's column holds the nearest limit |
 * | `<field>$n` | numeric | for a decimal string: its number, null for a string that is no number |
 * | `<field>$l` | text | for a string with known values: the string in lower case |
 * | `<field>$s` | text[] | the words of the value, see `words.ts` |
 * | `<field>$g` | jsonb | for JSON that is not plain ASCII: the same JSON with its strings reduced to words |
 * | `h` | int8 | hash of the row, used by the store |
 *
 * The primary key is (connector_id, pk). `values.ts` computes the cells. Declared types decide how values compare; nothing is guessed from
 * values.
 */
import { createHash } from 'node:crypto'
import type { EntityDefinition, Field } from 'ferrule/definition'
import { type Comparison, fail, findTitle, formatPlainType, readComparison } from 'ferrule/internal'
import { type KeyPart, readKeyParts } from './keys.ts'

/** How a column stores its values. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'json'

/**
 * Where the words of a column's values are. `stored`: in `$s` and in the term table, so text search can use an index. `derived`: in `$s`
 * only for values that are not plain ASCII; SQL splits the others. `none`: booleans have no words.
 */
export type WordStorage = 'stored' | 'derived' | 'none'

/** A searchable field and the columns that store it. */
export interface Column {
  /** Documented name of the searchable field. */
  readonly name: string
  /** Unquoted name of its column: `name`, unless that is reserved or too long. */
  readonly sql: string
  readonly type: ColumnType
  readonly compare: Comparison
  readonly words: WordStorage
  /** Unquoted names of the companion columns; absent where the field has none. */
  readonly at?: string
  readonly number?: string
  readonly wide?: string
  readonly lowered?: string
  readonly terms?: string
  readonly folded?: string
  /** Number of the column in the term table. A collision of two columns costs time, never exactness. */
  readonly field: number
  /** Schema of the field, used to resolve paths below it. */
  readonly schema: Field
}

/** A column of the database. */
export interface PhysicalColumn {
  /** Unquoted, case-sensitive name. */
  readonly name: string
  readonly type: 'text' | 'int8' | 'numeric' | 'boolean' | 'jsonb' | 'text[]'
  /** The searchable field that the column belongs to. */
  readonly field: string
}

/** Where the rows of an entity are in the database. */
export interface TableRows {
  /** Unquoted name of the table, under which the store keeps what it knows of the entity. */
  readonly name: string
  /**
   * Where the rows of an organization's kind are: the table of the database, and the mark of these rows if the table has those of others
   * too. Absent: the table has the name.
   */
  readonly place?: { readonly table: string; readonly mark?: string }
}

/** The table of one searchable entity. */
export interface SearchTable extends TableRows {
  readonly kind: string
  readonly entity: string
  /** Searchable fields in documented order, which is also the order of keys in results. */
  readonly columns: readonly Column[]
  /** Parts of the primary key. */
  readonly key: readonly KeyPart[]
  /** What searchable fields refer to, as the definition says: path → entity. */
  readonly refers?: Readonly<Record<string, string>>
}

/** Names used by the table itself or by PostgreSQL's system columns. */
const taken: ReadonlySet<string> = new Set(['connector_id', 'pk', 'h', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])
/** PostgreSQL truncates names at 63 bytes; the longest companion suffix has 3. */
const longestName = 60

const columnTypes: Readonly<Record<string, ColumnType>> = { string: 'text', integer: 'integer', number: 'number', boolean: 'boolean' }
const sqlTypes = { text: 'text', integer: 'int8', number: 'numeric', boolean: 'boolean', json: 'jsonb' } as const

/** Last words of names of fields that hold prose. They affect only speed: which fields get an index for text search. */
const prose = /(^|[_a-z])(name|title|subject|description|note|text|email|value|company|emailAddress|Name|Title|Description|Text)$/

const hashText = (text: string): Buffer => createHash('sha256').update(text).digest()

const chooseSqlName = (name: string): string => {
  const free = taken.has(name) || name.includes('$') ? `${name}$` : name
  return Buffer.byteLength(free) <= longestName ? free : `${free.slice(0, 12)}$${hashText(name).toString('hex').slice(0, 16)}`
}

/** Reads how to store values of a schema. A field of several types, or of any type, is stored as JSON. */
export const readColumnType = (schema: Field): ColumnType => {
  const { type } = schema
  const isMixed = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
  return isMixed ? 'json' : (columnTypes[formatPlainType(schema)] ?? 'json')
}

/** @param isShown the field is the title or the summary of its entity */
const chooseWords = (name: string, isShown: boolean, schema: Field): WordStorage => {
  const type = readColumnType(schema)
  if (type === 'boolean') return 'none'
  if (type === 'json') return 'stored'
  const isText = type === 'text' && ['text', 'lower'].includes(readComparison(schema))
  const isProse = isText && !('enum' in schema) && (isShown || prose.test(name))
  return isProse ? 'stored' : 'derived'
}

function buildColumn(table: string, name: string, { schema, isShown }: { readonly schema: Field; readonly isShown: boolean }): Column {
  const sql = chooseSqlName(name)
  const type = readColumnType(schema)
  const compare = type === 'text' ? readComparison(schema) : 'text'
  const words = chooseWords(name, isShown, schema)
  return {
    name,
    sql,
    type,
    compare,
    words,
    ...(compare === 'instant' ? { at: `${sql}$at` } : {}),
    ...(compare === 'decimal' ? { number: `${sql}$n` } : {}),
    ...(type === 'integer' ? { wide: `${sql}$w` } : {}),
    ...(compare === 'lower' ? { lowered: `${sql}$l` } : {}),
    ...(type === 'text' || type === 'json' ? { terms: `${sql}$s` } : {}),
    ...(type === 'json' ? { folded: `${sql}$g` } : {}),
    field: hashText(`${table}.${sql}`).readInt32BE(),
    schema,
  }
}

/** Names the table of a searchable entity. Unquoted. */
export const nameSearchTable = (kind: string, entity: string): string => `cs_${kind.replaceAll('-', '_')}_${entity}`

/**
 * Builds the table of a searchable entity.
 * @param kind slug of the kind, for example `tiktok-marketing`
 * @param entity name of the entity
 * @throws FerruleError `definition_invalid` when the entity offers no search
 */
export function buildSearchTable(kind: string, entity: string, definition: EntityDefinition): SearchTable {
  const fields = definition.context_store_search
  if (fields === undefined) throw fail('definition_invalid', { reason: `${kind}.${entity} offers no search` })
  const table = nameSearchTable(kind, entity)
  const shown = [findTitle(definition), definition.summary]
  const isShown = (name: string): boolean => shown.includes(name)
  const columns = Object.entries(fields).map(([name, schema]: [string, Field]) =>
    buildColumn(table, name, { schema, isShown: isShown(name) }),
  )
  const { refers } = definition
  return { kind, entity, name: table, columns, key: readKeyParts(definition), ...(refers === undefined ? {} : { refers }) }
}

/** Lists the columns that store one field, its own column first. */
export const listFieldColumns = (column: Column): readonly [PhysicalColumn, ...PhysicalColumn[]] => [
  { name: column.sql, type: sqlTypes[column.type], field: column.name },
  ...(
    [
      [column.at, 'int8'],
      [column.number, 'numeric'],
      [column.wide, 'numeric'],
      [column.lowered, 'text'],
      [column.terms, 'text[]'],
      [column.folded, 'jsonb'],
    ] as const
  ).flatMap(([name, type]) => (name === undefined ? [] : [{ name, type, field: column.name }])),
]

/** Lists all columns of a table except `connector_id`, `pk` and `h`, in the order of the values of `buildCells`. */
export const listPhysicalColumns = (table: SearchTable): readonly PhysicalColumn[] => table.columns.flatMap(listFieldColumns)

/** PostgreSQL cuts longer names of columns, in bytes. */
const longestColumnName = 63
/** Returns whether a name can be that of a column. */
export const isColumnName = (name: string): boolean => Buffer.byteLength(name) <= longestColumnName

/** Quotes a name for SQL, which keeps its case. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Names the table of the database that has the rows. */
export const findTable = ({ name, place }: TableRows): string => place?.table ?? name

/** Names the table of the database that has the rows, quoted. */
export const quoteTable = (rows: TableRows): string => quoteName(findTable(rows))

/**
 * Builds the condition of the rows of a connector. Every statement on rows takes its table from `quoteTable` and has this condition.
 * @param connector SQL of the connector's number
 * @param alias alias of the table, if it has one
 */
export function buildRowCondition({ place }: TableRows, connector = '$1', alias?: string): string {
  const at = alias === undefined ? '' : `${alias}.`
  const own = `${at}connector_id = ${connector}`
  return place?.mark === undefined ? own : `${own} and ${at}entity = '${place.mark}'`
}

/** Names the column of what other columns cannot hold exactly: `_rescued`, with more underscores where a field has that name. */
export function nameRescued(names: readonly string[]): string {
  let name = '_rescued'
  while (names.includes(name)) name = `_${name}`
  return name
}

/** Timestamp fields that lists are most often sorted and filtered by. */
const mainTime = /^(started|startdatetime|callStartTime|stat_time_day|creat\w*)$/

/** Finds the timestamp column that gets an index: when the event happened or was created, else the first timestamp. */
export function findMainTime(table: SearchTable): string | undefined {
  const times = table.columns.filter(({ at }) => at !== undefined)
  return (times.find(({ name }) => mainTime.test(name)) ?? times[0])?.at
}
