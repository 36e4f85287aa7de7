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
 * | `$r` | jsonb | by field, the values that their columns cannot hold; null without any |
 *
 * The primary key is (connector_id, pk). `values.ts` computes the cells. Declared types decide how values compare; nothing is guessed from
 * values.
 */
import { createHash } from 'node:crypto'
import type { EntityDefinition, Field } from 'ferrule/definition'
import { type Comparison, fail, findTitle, formatPlainType, readComparison } from 'ferrule/internal'
import type { OwnKind } from '../../values/access.ts'
import { type KeyPart, readKeyParts } from './keys.ts'

// Kinds that organizations bring ("own kinds") share two tables, so no upload creates a table or a column. Their columns are slots, numbered by
// type: a field takes the next free ones in documented order. The main time and the words of prose and JSON have slots of their own, which the
// standard indexes cover (docs/decisions/own-kinds.md).

/** Name of the table of most own kinds. The names of the others begin with it. */
const ownTableName = 'cs_own'
/** Maximum number of searchable fields of an entity of an own kind, and of its fields that are not stored as JSON. So many always fit. */
const mostOwnFields = 100
/** As many as a kind's file gives a type of their own; it stores the others as JSON. */
const mostTypedFields = 60
/** Number of slots for stored words that an index covers; fields beyond them are searched without it. */
const indexedWordSlots = 12

type SlotType = PhysicalColumn['type']

/** Prefixes of the slots of each type. A field takes at most one of each, but two of text and of JSON. */
const prefixes: Readonly<Record<SlotType, string>> = { int8: 'i', boolean: 'b', text: 's', numeric: 'n', 'text[]': 'w', jsonb: 'j' }

/** The slot of the main time of an entity. */
export const mainTimeSlot = 'i0'

/** Returns the slots of words that an index covers. */
export const listIndexedWordSlots = (): readonly string[] => Array.from({ length: indexedWordSlots }, (_, index) => `w${index}`)

type Slot = Omit<PhysicalColumn, 'field'>

/** A table of the database that has rows of many own kinds. */
export interface SlotTable {
  /** Unquoted name. */
  readonly table: string
  /** What the names of tables with rows there begin with. */
  readonly rows: string
  /** All slots in the order of the table. */
  readonly slots: readonly Slot[]
}

/** Lists so many slots of each type. Those of fixed length come first: PostgreSQL walks over all columns before the one it reads. */
function listSlots(counts: Readonly<Record<SlotType, number>>): readonly Slot[] {
  const types: readonly SlotType[] = ['int8', 'boolean', 'text', 'numeric', 'text[]', 'jsonb']
  return types.flatMap((type) => Array.from({ length: counts[type] }, (_, index) => ({ name: `${prefixes[type]}${index}`, type })))
}

/** Prefix of the names of the tables of all own kinds. */
export const ownTablePrefix = 'own:'
/** Prefix of the names of those with columns of their own, which an operator gave them. */
const columnTablePrefix = `${ownTablePrefix}columns:`

/**
 * The tables of slots. An entity is in the first one that has all its slots. PostgreSQL copies the names of all columns of a table each time
 * it plans a search, so nearly all entities are in a narrow one. Every entity fits into the last one.
 */
export const slotTables: readonly [SlotTable, SlotTable] = [
  {
    table: ownTableName,
    rows: `${ownTablePrefix}slots:`,
    slots: listSlots({ int8: 12, boolean: 8, text: 24, numeric: 8, 'text[]': indexedWordSlots + 20, jsonb: 16 }),
  },
  {
    table: `${ownTableName}_wide`,
    rows: `${ownTablePrefix}wide:`,
    slots: listSlots({
      int8: 1 + mostTypedFields,
      boolean: mostTypedFields,
      text: 2 * mostTypedFields,
      numeric: mostTypedFields,
      'text[]': indexedWordSlots + mostOwnFields,
      jsonb: 2 * mostOwnFields,
    }),
  },
]

/** Finds the first table that has all slots of an entity. */
function chooseSlotTable(columns: readonly Column[]): SlotTable {
  const [narrow, wide] = slotTables
  const there = new Set(narrow.slots.map(({ name }) => name))
  return columns.flatMap(listFieldColumns).every(({ name }) => there.has(name)) ? narrow : wide
}

class SlotCounter {
  readonly #taken = new Map<string, number>()

  take(type: SlotType): string {
    return this.#next(prefixes[type], type === 'int8' ? 1 : 0)
  }

  /** Takes a slot for words: an indexed one for stored words while there are some. */
  takeWords(isStored: boolean): string {
    const isIndexed = isStored && (this.#taken.get('stored') ?? 0) < indexedWordSlots
    if (!isIndexed) return this.#next('w', indexedWordSlots)
    const index = this.#taken.get('stored') ?? 0
    this.#taken.set('stored', index + 1)
    return `w${index}`
  }

  #next(prefix: string, first: number): string {
    const index = this.#taken.get(prefix) ?? first
    this.#taken.set(prefix, index + 1)
    return `${prefix}${index}`
  }
}

/** Replaces the names of a field's columns by slots. */
function toSlots(column: Column, { counter, main }: { readonly counter: SlotCounter; readonly main: string | undefined }): Column {
  const [own] = listFieldColumns(column)
  const { at, number, wide, lowered, terms, folded, words } = column
  return {
    ...column,
    sql: counter.take(own.type),
    ...(at === undefined ? {} : { at: at === main ? mainTimeSlot : counter.take('int8') }),
    ...(number === undefined ? {} : { number: counter.take('numeric') }),
    ...(wide === undefined ? {} : { wide: counter.take('numeric') }),
    ...(lowered === undefined ? {} : { lowered: counter.take('text') }),
    ...(terms === undefined ? {} : { terms: counter.takeWords(words === 'stored') }),
    ...(folded === undefined ? {} : { folded: counter.take('jsonb') }),
  }
}

/** Digests everything that decides what a row's slots mean. The version of the cells' contents is that of the whole table (`tables.ts`). */
const digestLayout = ({ key, columns }: SearchTable): string =>
  createHash('sha256')
    .update(JSON.stringify([key, columns.map(({ name, type, compare, words }) => [name, type, compare, words])]))
    .digest('base64url')
    .slice(0, 16)

interface TableName {
  readonly organization: string
  /** UUID of the kind. */
  readonly kind: string
  readonly entity: string
}

/** Reads the name of a table of an own kind; undefined for another name. */
export function parseTableName(name: string): TableName | undefined {
  const [, , organization, kind, entity] = name.startsWith(ownTablePrefix) ? name.split(':') : []
  return organization === undefined || kind === undefined || entity === undefined ? undefined : { organization, kind, entity }
}

/**
 * Finds where the rows of a table are by its name. What is derived from the name of an own kind's table is short: a UUID, which marks the rows,
 * or the end of the name of a table of their own.
 */
export function findTableRows(name: string): TableRows {
  if (parseTableName(name) === undefined) return { name }
  const hex = createHash('sha256').update(name).digest('hex').slice(0, 32)
  if (name.startsWith(columnTablePrefix)) return { name, storage: { table: `${ownTableName}_${hex}` } }
  const { table } = slotTables.find(({ rows }) => name.startsWith(rows)) ?? slotTables[0]
  return { name, storage: { table, mark: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') } }
}

/** Finds an entity of an own kind that offers search. */
export function findOwnEntity({ entities }: OwnKind, entity: string): EntityDefinition | undefined {
  const found = Object.hasOwn(entities, entity) ? entities[entity] : undefined
  return found?.context_store_search === undefined ? undefined : found
}

/**
 * Builds the table of an entity of an own kind. Versions of a kind in which the entity is stored alike have one table; any other version
 * has another, so its rows never mix with these. Its `kind` is the id: another organization may have the same slug.
 * @throws FerruleError `definition_invalid` when the entity offers no search, or has more fields than fit
 */
export function buildOwnTable(own: OwnKind, entity: string): SearchTable {
  const definition = findOwnEntity(own, entity)
  if (definition === undefined) throw fail('definition_invalid', { reason: `${own.id}.${entity} offers no search` })
  const [problem] = checkOwnEntity(entity, definition)
  if (problem !== undefined) throw fail('definition_invalid', { reason: problem })
  // The numbers of words depend on the kind's id and the field's name only, so words stay listed when a connector moves to another version.
  const plain = buildSearchTable(own.id, entity, definition)
  const name = [own.organizationId, own.id, entity, digestLayout(plain)].join(':')
  if (own.isPromoted) return { ...plain, ...findTableRows(`${columnTablePrefix}${name}`) }
  const [counter, main] = [new SlotCounter(), findMainTime(plain)]
  const columns = plain.columns.map((column) => toSlots(column, { counter, main }))
  return { ...plain, columns, ...findTableRows(`${chooseSlotTable(columns).rows}${name}`) }
}

function checkOwnEntity(entity: string, { context_store_search: fields = {} }: EntityDefinition): readonly string[] {
  const all = Object.values(fields)
  const typed = all.filter((schema) => readColumnType(schema) !== 'json')
  return [
    ...(all.length > mostOwnFields ? [`${entity} has ${all.length} searchable fields, ${mostOwnFields} fit`] : []),
    ...(typed.length > mostTypedFields ? [`${entity} has ${typed.length} searchable fields besides JSON, ${mostTypedFields} fit`] : []),
    ...(entity.includes(':') ? [`${entity} must not have a colon in its name`] : []),
  ]
}

/**
 * Lists what of a definition does not fit into a table of own kinds, a sentence for each entity. A check of an upload calls it: a field
 * is never left out silently.
 */
export const checkOwnTable = ({ entities }: Pick<OwnKind, 'entities'>): readonly string[] =>
  Object.entries(entities).flatMap(([entity, definition]) => checkOwnEntity(entity, definition))

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

interface TableRows {
  /** Unquoted name of the table, under which the store keeps what it knows of the entity. */
  readonly name: string
  /**
   * Where the rows of an organization's kind are: the table of the database, and the mark of these rows if the table has those of others
   * too. Absent: the table has the name.
   */
  readonly storage?: { readonly table: string; readonly mark?: string }
}

/** The table of one searchable entity. */
export interface SearchTable extends TableRows {
  readonly kind: string
  readonly entity: string
  /** Searchable fields in documented order, which is also the order of keys in results. */
  readonly columns: readonly Column[]
  /** What their columns cannot hold, by field. Only a query that names it reads it. Measures of aggregates have none. */
  readonly rescued?: Column
  readonly key: readonly KeyPart[]
  /** What searchable fields refer to, as the definition says: path → entity. */
  readonly refers?: Readonly<Record<string, string>>
}

/** Column of every table for values that the column of their field cannot hold (docs/decisions/data-out.md). No field has this name. */
export const rescuedColumn = { name: '$r', type: 'jsonb' } as const

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
  const rescued = buildRescued(table, columns)
  return { kind, entity, name: table, columns, rescued, key: readKeyParts(definition), ...(refers === undefined ? {} : { refers }) }
}

/** Builds the field of rescued values: `_rescued`, with more underscores where a field has that name. */
function buildRescued(table: string, columns: readonly Column[]): Column {
  const sql = rescuedColumn.name
  const properties = Object.fromEntries(columns.filter(isStrict).map((column) => [column.name, {}]))
  const field = hashText(`${table}.${sql}`).readInt32BE()
  let name = '_rescued'
  while (columns.some((column) => column.name === name)) name = `_${name}`
  return { name, sql, type: 'json', compare: 'text', words: 'derived', field, schema: { type: 'object', properties } }
}

/** Returns whether values can be missing in a column. Text and JSON hold everything. */
export const isStrict = ({ type }: Column): boolean => type !== 'text' && type !== 'json'

/** Lists all fields that a query can name. */
export const listNamed = ({ columns, rescued }: SearchTable): readonly Column[] => (rescued === undefined ? columns : [...columns, rescued])

/** Lists the columns that store one field, its own column first. */
const listFieldColumns = (column: Column): readonly [PhysicalColumn, ...PhysicalColumn[]] => [
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
export const findTable = ({ name, storage }: TableRows): string => storage?.table ?? name

/** Names the table of the database that has the rows, quoted. */
export const quoteTable = (rows: TableRows): string => quoteName(findTable(rows))

/**
 * Builds the condition of the rows of a connector. Every statement on rows takes its table from `quoteTable` and has this condition.
 * @param connector SQL of the connector's number
 * @param alias alias of the table, if it has one
 */
export function buildRowCondition({ storage }: TableRows, connector = '$1', alias?: string): string {
  const at = alias === undefined ? '' : `${alias}.`
  const own = `${at}connector_id = ${connector}`
  return storage?.mark === undefined ? own : `${own} and ${at}entity = '${storage.mark}'`
}

/** Timestamp fields that lists are most often sorted and filtered by. */
const mainTime = /^(started|startdatetime|callStartTime|stat_time_day|creat\w*)$/

/** Finds the timestamp column that gets an index: when the event happened or was created, else the first timestamp. */
export function findMainTime(table: SearchTable): string | undefined {
  const times = table.columns.filter(({ at }) => at !== undefined)
  return (times.find(({ name }) => mainTime.test(name)) ?? times[0])?.at
}
