/**
 * What the table of a searchable entity looks like: one column per searchable field, and beside some of them companions that we
 * compute when a record is written, because the two databases could not compute them alike (or not at all).
 *
 * Table `cs_<kind>_<entity>` (dashes become underscores):
 *
 * | Column | SQL type | What |
 * | --- | --- | --- |
 * | `connector_id` | int4 | the connector's number in the context database |
 * | `pk` | text | the record's key, see `keys.ts`; its order is the order of results without a sort |
 * | one per field, see `physicalColumns` | text, int8, numeric, boolean, jsonb | the searchable value |
 * | `<field>$at` | int8 | of a time: microseconds since 1970, null when the text is no time |
 * | `<field>$w` | numeric | of an integer at an end of int8 or beyond: the integer itself; the field's column holds the nearest end |
 * | `<field>$n` | numeric | of a decimal text: its number, null when the text is none |
 * | `<field>$l` | text | of a text with known values: the text in lower case |
 * | `<field>$s` | text[] | the words of the value, see `words.ts` |
 * | `<field>$g` | jsonb | of JSON that is not plain ASCII: the same JSON with its texts reduced to words |
 * | `h` | bytea | hash of the row, the store's own |
 *
 * Copies that version 1 of the token rules has filled have `<field>$t` and `<field>$f` for the last two, and no `$l`.
 *
 * Primary key (connector_id, pk). Cells are made by `values.ts`. Declared types decide how a value compares; nothing is guessed
 * from values.
 */
import { createHash } from 'node:crypto'
import { plainType } from '../../definition/document.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import { type Field, knownValuesOf } from '../../definition/fields.ts'
import { fail } from '../../errors.ts'
import { type KeyPart, keyPartsOf } from './keys.ts'
import { currentTokens, type TokenVersion } from './tokens.ts'

/** How the values of a column are held. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'json'

/**
 * How two texts compare: by code points; as moments; as decimal numbers, when both sides are such; or, where equality is asked for, in
 * lower case, and else by code points.
 */
export type Comparison = 'text' | 'instant' | 'decimal' | 'lower'

/**
 * Where the words of a column's values are. `stored`: in `$s`, for every value, and its words are in the term table; text search
 * has an index path. `derived`: in `$s` only for values that are not plain ASCII; SQL splits the others. `none`: booleans have none.
 */
export type Words = 'stored' | 'derived' | 'none'

/** One searchable field and the columns that hold it. */
export interface Column {
  /** Name of the searchable field, as documented. */
  readonly name: string
  /** Name of its column; equal to `name` unless that is taken or too long. Not quoted. */
  readonly sql: string
  readonly type: ColumnType
  readonly compare: Comparison
  readonly words: Words
  /** Companion columns by their purpose; absent where the column has none. Not quoted. */
  readonly at?: string
  readonly number?: string
  readonly wide?: string
  readonly lowered?: string
  readonly terms?: string
  readonly folded?: string
  /** Number of the column in the term table. Two columns that share one by accident cost time, never exactness. */
  readonly field: number
  /** The field's schema, for the parts below it. */
  readonly schema: Field
}

/** A column of the database. */
export interface PhysicalColumn {
  /** Name, not quoted; case matters. */
  readonly name: string
  readonly type: 'text' | 'int8' | 'numeric' | 'boolean' | 'jsonb' | 'text[]'
  /** The searchable field that it belongs to. */
  readonly field: string
}

/** The table of one searchable entity. */
export interface SearchTable {
  readonly kind: string
  readonly entity: string
  /** The version of the token rules by which the words of its columns are made. */
  readonly tokens: TokenVersion
  /** Name of the table, not quoted. */
  readonly name: string
  /** Searchable fields in the order of the documents, which is the order of keys in answers. */
  readonly columns: readonly Column[]
  /** What the primary key is made of. */
  readonly key: readonly KeyPart[]
}

/** Names that the table itself or PostgreSQL (system columns) uses. */
const taken: ReadonlySet<string> = new Set(['connector_id', 'pk', 'h', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])
/** PostgreSQL cuts names at 63 bytes; the longest companion adds 3. */
const longestName = 60

const columnTypes: Readonly<Record<string, ColumnType>> = { string: 'text', integer: 'integer', number: 'number', boolean: 'boolean' }
const sqlTypes = { text: 'text', integer: 'int8', number: 'numeric', boolean: 'boolean', json: 'jsonb' } as const

/** Last words of the names of fields that people write prose into. It decides about speed only: which text search has an index path. */
const prose = /(^|[_a-z])(name|title|subject|description|note|text|email|value|company|emailAddress|Name|Title|Description|Text)$/

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const sqlNameOf = (name: string): string => {
  const free = taken.has(name) || name.includes('$') ? `${name}$` : name
  return Buffer.byteLength(free) <= longestName ? free : `${free.slice(0, 12)}$${hashOf(name).toString('hex').slice(0, 16)}`
}

/** How a schema's values compare: the mark `x-compare` first, then the format. */
export const comparisonOf = (schema: Field): Comparison => {
  const mark: unknown = Reflect.get(schema, 'x-compare')
  if (mark === 'instant' || mark === 'decimal') return mark
  if (knownValuesOf(schema) !== undefined) return 'lower'
  const format: unknown = Reflect.get(schema, 'format')
  return format === 'date-time' || format === 'date' ? 'instant' : 'text'
}

/** How values of a schema are held. A field of several types, or of any, is JSON. */
export const columnTypeOf = (schema: Field): ColumnType => {
  const type: unknown = Reflect.get(schema, 'type')
  const isMixed = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
  return isMixed ? 'json' : (columnTypes[plainType(schema)] ?? 'json')
}

const wordsOf = (name: string, type: ColumnType, schema: Field): Words => {
  if (type === 'boolean') return 'none'
  if (type === 'json') return 'stored'
  const isText = type === 'text' && ['text', 'lower'].includes(comparisonOf(schema))
  const isProse = isText && !('enum' in schema) && prose.test(name)
  return isProse ? 'stored' : 'derived'
}

/** What tells the companions of the versions of the token rules apart. */
const marks: Readonly<Record<TokenVersion, { readonly terms: string; readonly folded: string; readonly list: string }>> = {
  1: { terms: '$t', folded: '$f', list: '' },
  2: { terms: '$s', folded: '$g', list: '.2' },
}

function columnOf(table: string, tokens: TokenVersion, { name, schema }: { name: string; schema: Field }): Column {
  const sql = sqlNameOf(name)
  const type = columnTypeOf(schema)
  const compare = type === 'text' ? comparisonOf(schema) : 'text'
  const words = wordsOf(name, type, schema)
  const { terms, folded, list } = marks[tokens]
  return {
    name,
    sql,
    type,
    compare,
    words,
    ...(compare === 'instant' ? { at: `${sql}$at` } : {}),
    ...(compare === 'decimal' ? { number: `${sql}$n` } : {}),
    ...(type === 'integer' ? { wide: `${sql}$w` } : {}),
    ...(compare === 'lower' && tokens > 1 ? { lowered: `${sql}$l` } : {}),
    ...(type === 'text' || type === 'json' ? { terms: `${sql}${terms}` } : {}),
    ...(type === 'json' ? { folded: `${sql}${folded}` } : {}),
    field: hashOf(`${table}.${sql}${words === 'stored' ? list : ''}`).readInt32BE(),
    schema,
  }
}

/**
 * The table of a searchable entity.
 * @param kind the kind's slug, for example `tiktok-marketing`
 * @param entity the entity's name
 * @param definition the entity, with the version of the token rules that its copy is filled by where that is not the current one
 * @throws FerruleError `definition_invalid` when the entity offers no search
 */
export function searchTableOf(
  kind: string,
  entity: string,
  { tokens = currentTokens, ...definition }: EntityDefinition & { readonly tokens?: TokenVersion },
): SearchTable {
  const fields = definition.context_store_search
  if (fields === undefined) throw fail('definition_invalid', { reason: `${kind}.${entity} offers no search` })
  const table = `cs_${kind.replaceAll('-', '_')}_${entity}`
  const columns = Object.entries(fields).map(([name, schema]: [string, Field]) => columnOf(table, tokens, { name, schema }))
  return { kind, entity, tokens, name: table, columns, key: keyPartsOf(definition) }
}

/** The same table with the words of another version of the token rules. */
export const tableWithTokens = (table: SearchTable, tokens: TokenVersion): SearchTable => ({
  ...table,
  tokens,
  columns: table.columns.map(({ name, schema }) => columnOf(table.name, tokens, { name, schema })),
})

/** The columns that hold one field, its own first. */
const physicalOf = (column: Column): readonly PhysicalColumn[] =>
  (
    [
      [column.sql, sqlTypes[column.type]],
      [column.at, 'int8'],
      [column.number, 'numeric'],
      [column.wide, 'numeric'],
      [column.lowered, 'text'],
      [column.terms, 'text[]'],
      [column.folded, 'jsonb'],
    ] as const
  ).flatMap(([name, type]) => (name === undefined ? [] : [{ name, type, field: column.name }]))

/** All columns of a table but `connector_id`, `pk` and `h`, in the order in which `cellsOf` gives their values. */
export const physicalColumns = (table: SearchTable): readonly PhysicalColumn[] => table.columns.flatMap(physicalOf)

/** A name as SQL takes it: quoted, so that its case is kept. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
