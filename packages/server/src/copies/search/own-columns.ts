/**
 * Columns of kinds that organizations bring ("own kinds"). All of them share the table `cs_own`, so no upload creates a table or a column.
 * Its columns are slots, numbered by type: a field takes the next free ones in documented order. The main time and the words of prose and
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

/** Name of the table of all own kinds. */
export const ownTableName = 'cs_own'
/** Maximum number of searchable fields of an entity of an own kind, and of its fields that are not stored as JSON. So many always fit. */
export const mostOwnFields = 100
/** As many as a kind's file gives a type of their own; it stores the others as JSON. */
export const mostTypedFields = 60
/** Number of slots for stored words that an index covers; fields beyond them are searched without it. */
export const indexedWordSlots = 12

type SlotType = PhysicalColumn['type']

/** Prefix and number of the slots of each type. A field takes at most one of each, but two of text and of JSON. */
const slots: Readonly<Record<SlotType, { readonly prefix: string; readonly count: number }>> = {
  int8: { prefix: 'i', count: 1 + mostTypedFields },
  boolean: { prefix: 'b', count: mostTypedFields },
  text: { prefix: 's', count: 2 * mostTypedFields },
  numeric: { prefix: 'n', count: mostTypedFields },
  jsonb: { prefix: 'j', count: 2 * mostOwnFields },
  'text[]': { prefix: 'w', count: indexedWordSlots + mostOwnFields },
}

/** The slot of the main time of an entity. */
export const mainTimeSlot = 'i0'

/** Returns the slots of words that an index covers. */
export const listIndexedWordSlots = (): readonly string[] => Array.from({ length: indexedWordSlots }, (_, index) => `w${index}`)

/**
 * Slots lie in tiers: the first ones of every type before the later ones of any. PostgreSQL walks over all columns before the one it reads,
 * so an entity of few fields pays for few.
 */
const tierEnds = [8, 20, 40, Number.POSITIVE_INFINITY]
const typesInTier: readonly SlotType[] = ['int8', 'boolean', 'text', 'numeric', 'jsonb', 'text[]']

/** Lists all slots in the order of the table. */
export const listSlots = (): readonly Omit<PhysicalColumn, 'field'>[] =>
  tierEnds.flatMap((end, tier) =>
    typesInTier.flatMap((type) => {
      const { prefix, count } = slots[type]
      const begin = tierEnds[tier - 1] ?? 0
      return Array.from({ length: Math.max(0, Math.min(end, count) - begin) }, (_, index) => ({ name: `${prefix}${begin + index}`, type }))
    }),
  )

/** Lists the slots of JSON, and of words without an index: conditions on them are functions, for which the planner has no statistics. */
export function listUnplannedSlots(): readonly string[] {
  const indexed = new Set(listIndexedWordSlots())
  return listSlots().flatMap(({ name, type }) => (type === 'jsonb' || (type === 'text[]' && !indexed.has(name)) ? [name] : []))
}

/** Counts the slots that an entity has taken. */
class SlotCounter {
  readonly #taken = new Map<string, number>()

  /** Takes the next slot of a type. */
  take(type: SlotType): string {
    return this.#next(slots[type].prefix, type === 'int8' ? 1 : 0)
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

/** Prefix of the names of the tables of all own kinds. */
export const ownTablePrefix = 'own:'
/** Prefix of the names of those whose rows share a table. */
export const slotTablePrefix = `${ownTablePrefix}slots:`
/** Prefix of the names of those with columns of their own, which an operator gave them. */
const columnTablePrefix = `${ownTablePrefix}columns:`

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
  return { name, place: { table: ownTableName, mark: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') } }
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
  return { ...plain, columns, ...findTableRows(`${slotTablePrefix}${name}`) }
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
 * Lists what of a definition does not fit into the table of own kinds, a sentence for each entity. A check of an upload calls it: a field
 * is never left out silently.
 */
export const checkOwnTable = ({ entities }: Pick<OwnKind, 'entities'>): readonly string[] =>
  Object.entries(entities).flatMap(([entity, definition]) => checkOwnEntity(entity, definition))
