/** What becomes of the records of a page: they are stored, or deleted where a field says so, with what belongs to them. Pure. */
import type { Condition, ConnectorDefinition, EntityDefinition } from 'ferrule/definition'
import type { RecordKey } from 'ferrule/engine'
import { buildTest, buildTests, getAt, listEach, listParentNames, parsePath } from 'ferrule/internal'
import type { SearchTable } from '../../search/columns.ts'
import { buildPrimaryKey, readKeyParts } from '../../search/keys.ts'
import type { StoredRecord } from '../../store/row-encoder.ts'
import type { Link, Removal } from '../../store/types.ts'
import type { Planned } from './plan.ts'

/** A record with its origin. */
export interface Met {
  readonly record: unknown
  /** Parameters of the call that returned it. */
  readonly params: Readonly<Record<string, unknown>>
  /** The record that the call was made for. */
  readonly parent?: unknown
}

/** A parent with the values that its children's requests take, and the part of its record that is stored with them. */
export interface Parent {
  readonly key: string
  readonly values: readonly unknown[]
  readonly record: unknown
}

const parentPath = 'parent.'

/** Lists the paths in the parent's record that searchable fields are read from. */
export const listParentPaths = (project: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.values(project).flatMap((path) => (path.startsWith(parentPath) ? [path.slice(parentPath.length)] : []))

const readSearchField = (path: string, { record, parent }: Met): unknown =>
  path.startsWith(parentPath) ? getAt(parent, parsePath(path.slice(parentPath.length))) : getAt(record, parsePath(path))

/**
 * Converts a record to its stored form.
 * @returns undefined for a record without an identity: a part of its key is null, missing or of another type
 */
export function toStoredRecord(
  { sync, definition }: Pick<Planned, 'sync' | 'definition'>,
  table: SearchTable,
  met: Met,
): StoredRecord | undefined {
  const key = buildPrimaryKey(table.key, met.record, met.params)
  if (key === undefined) return undefined
  const names = Object.keys(definition.context_store_search ?? {})
  return { key, fields: Object.fromEntries(names.map((name) => [name, readSearchField(sync.project?.[name] ?? name, met)])) }
}

/** Finds how an entity depends on another one: by the same key, by a field, or by a value that its batches take. */
function findLink(
  parent: string,
  above: EntityDefinition,
  { of, key, sync }: EntityDefinition,
): Omit<Link, 'entity' | 'below'> | undefined {
  if (of === parent) return {}
  if (sync === undefined || !listParentNames(sync).includes(parent)) return undefined
  const { under } = sync
  const [each, ...others] = listEach(sync)
  if (others.length > 0) return undefined // records of another parent can have the same value
  const from = under?.parent ?? (each?.batch === undefined || key.length > 1 ? undefined : Object.values(each.take)[0])
  if (from === undefined) return undefined
  const field = under === undefined ? {} : { field: under.field }
  if (above.key.length === 1 && above.key[0] === from) return field
  return from in (above.context_store_search ?? {}) ? { ...field, parent: from } : undefined
}

/** Finds the searchable entities below an entity, and those below them. Entities without a linking value are left to complete passes. */
export function findLinks({ entities }: Pick<ConnectorDefinition, 'entities'>, parent: string): readonly Link[] {
  const above = entities[parent]
  if (above === undefined) return []
  return Object.entries(entities).flatMap(([entity, definition]) => {
    const link = definition.context_store_search === undefined ? undefined : findLink(parent, above, definition)
    return link === undefined ? [] : [{ ...link, entity, below: findLinks({ entities }, entity) }]
  })
}

/** Finds the entity that a record is a view or a part of. */
const findHolder = ({ entities }: Pick<ConnectorDefinition, 'entities'>, entity: string): string => entities[entity]?.of ?? entity

/** What is to be deleted of one entity, with all that belongs to it. */
export type Gone = Pick<Removal, 'entity' | 'values' | 'below' | 'keys' | 'under'>

/** Groups records to delete by the entity that they are views or parts of. */
export function buildRemovals(definition: Pick<ConnectorDefinition, 'entities'>, keys: readonly RecordKey[]): readonly Gone[] {
  const byEntity = Map.groupBy(keys, ({ entity }) => findHolder(definition, entity))
  return [...byEntity].map(([entity, some]) => ({ entity, values: some.map(({ value }) => value), below: findLinks(definition, entity) }))
}

/**
 * Picks the records that a condition lets pass.
 * @param configuration of the connector, whose values the condition can name
 */
export function pickFitting(
  where: Condition | undefined,
  met: readonly Met[],
  configuration: Readonly<Record<string, unknown>>,
): readonly Met[] {
  if (where === undefined) return met
  const fits = buildTest(where, configuration)
  return met.filter(({ record }) => fits(record))
}

/** Records of a page. */
export interface Split {
  readonly alive: readonly Met[]
  /** Those that the vendor lists as deleted. */
  readonly gone: readonly Met[]
  /** Those that `where` of the list leaves out. */
  readonly unfit: readonly Met[]
}

/**
 * Separates the records that the vendor lists as deleted, and those that `where` of the list leaves out, from the others.
 * @param configuration of the connector, whose values the conditions can name
 */
export function splitGone(
  { sync, list }: Pick<EntityDefinition, 'sync' | 'list'>,
  met: readonly Met[],
  configuration: Readonly<Record<string, unknown>>,
): Split {
  const isGone = sync?.gone === undefined ? () => false : buildTest(sync.gone)
  const fits = buildTests(list?.where ?? [], configuration)
  const find = (record: unknown): keyof Split => (isGone(record) ? 'gone' : fits(record) ? 'alive' : 'unfit')
  const { alive = [], gone = [], unfit = [] } = Object.groupBy(met, ({ record }) => find(record))
  return { alive, gone, unfit }
}

/** Builds the key of a record as the store has it; undefined for a record without an identity. */
export const buildRecordKey = (definition: EntityDefinition, { record, params }: Met): string | undefined =>
  buildPrimaryKey(readKeyParts(definition), record, params)

/** Builds the deletion of some records of an entity, with what belongs to them. */
export function buildGone(definition: Pick<ConnectorDefinition, 'entities'>, entity: string, met: readonly Met[]): Gone {
  const own = definition.entities[entity]
  const [part, ...more] = own === undefined ? [] : readKeyParts(own)
  const readValue = ({ record, params }: Met): unknown =>
    part === undefined ? undefined : getAt(part.from === 'record' ? record : params, part.path)
  const keys = own === undefined || more.length === 0 ? [] : met.flatMap((each) => buildRecordKey(own, each) ?? [])
  const gone = buildGoneByKey(definition, entity, keys)
  return more.length > 0 ? gone : { ...gone, values: met.flatMap((each) => readValue(each) ?? []) }
}

/** Builds the deletion of records by their keys, as the store has them, with what belongs to them. */
export function buildGoneByKey(definition: Pick<ConnectorDefinition, 'entities'>, entity: string, keys: readonly string[]): Gone {
  const holder = findHolder(definition, entity)
  return { entity: holder, values: [], keys, below: findLinks(definition, holder) }
}
