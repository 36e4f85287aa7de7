/**
 * Columns of kinds that organizations bring ("own kinds"). All of them share two tables, so no upload creates a table or a column. Their
 * columns are slots, numbered by type: a field takes the next free ones in documented order. The main time and the words of prose and
 * JSON have slots of their own, which the standard indexes cover.
 * Reasons: docs/decisions/own-kinds-tables.md
 */
import { createHash } from 'node:crypto'
import type { EntityDefinition } from 'ferrule/definition'
import { fail } from 'ferrule/internal'
import type { OwnKind } from '../../values/access.ts'
import {
  buildSearchTable,
  type Column,
  findMainTime,
  listFieldColumns,
  type PhysicalColumn,
  readColumnType,
  type SearchTable,
  type TableRows,
} from './columns.ts'

/** Name of the table of most own kinds. The names of the others begin with it. */
export const ownTableName = 'cs_own'
/** Maximum number of searchable fields of an entity of an own kind, and of its fields that are not stored as JSON. So many always fit. */
export const mostOwnFields = 100
/** As many as a kind's file gives a type of their own; it stores the others as JSON. */
export const mostTypedFields = 60
/** Number of slots for stored words that an index covers; fields beyond them are searched without it. */
export const indexedWordSlots = 12

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

/** Counts the slots that an entity has taken. */
class SlotCounter {
  readonly #taken = new Map<string, number>()

  /** Takes the next slot of a type. */
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

/** What the name of an own kind's table says. */
export interface TableName {
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
  if (name.startsWith(columnTablePrefix)) return { name, place: { table: `${ownTableName}_${hex}` } }
  const { table } = slotTables.find(({ rows }) => name.startsWith(rows)) ?? slotTables[0]
  return { name, place: { table, mark: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') } }
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
