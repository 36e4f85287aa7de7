/** Finds what depends on a record in the copy, from the definition. Pure. */
import type { ConnectorDefinition, EntityDefinition } from 'ferrule/definition'
import type { RecordKey } from 'ferrule/engine'
import type { Link, Removal } from '../../store/types.ts'

const isKey = ({ key }: EntityDefinition, path: string): boolean => key.length === 1 && key[0] === path

/** Finds how an entity depends on another one: by the same key, by a field, or by a value that its batches take. */
function findLink(
  parent: string,
  above: EntityDefinition,
  { of, key, sync }: EntityDefinition,
): Omit<Link, 'entity' | 'below'> | undefined {
  if (of === parent) return {}
  const { under, each, within } = sync ?? {}
  if ((within ?? each)?.entity !== parent) return undefined
  const from = under?.parent ?? (each?.batch === undefined || key.length > 1 ? undefined : Object.values(each.take)[0])
  if (from === undefined) return undefined
  const field = under === undefined ? {} : { field: under.field }
  if (isKey(above, from)) return field
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

/** Groups records to delete by the entity that they are views or parts of. */
export function buildRemovals(
  definition: Pick<ConnectorDefinition, 'entities'>,
  keys: readonly RecordKey[],
): readonly Pick<Removal, 'entity' | 'values' | 'below'>[] {
  const byEntity = Map.groupBy(keys, ({ entity }) => findHolder(definition, entity))
  return [...byEntity].map(([entity, some]) => ({ entity, values: some.map(({ value }) => value), below: findLinks(definition, entity) }))
}
