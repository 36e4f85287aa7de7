/** What hangs on a record, as the copy knows it: read off the definition. Pure. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import type { RecordKey } from '../../engine/outcome.ts'
import type { Gone, Link } from '../store/types.ts'

const isKey = ({ key }: EntityDefinition, path: string): boolean => key.length === 1 && key[0] === path

/** How an entity hangs on another one: by the same key, under its records, or asked for in batches by a value of theirs. */
function linkOf(parent: string, above: EntityDefinition, { of, key, sync }: EntityDefinition): Omit<Link, 'entity' | 'below'> | undefined {
  if (of === parent) return {}
  const { under, each, within } = sync ?? {}
  if ((within ?? each)?.entity !== parent) return undefined
  const from = under?.parent ?? (each?.batch === undefined || key.length > 1 ? undefined : Object.values(each.take)[0])
  if (from === undefined) return undefined
  const field = under === undefined ? {} : { field: under.field }
  if (isKey(above, from)) return field
  return from in (above.context_store_search ?? {}) ? { ...field, parent: from } : undefined
}

/** The searchable entities that hang on records of one, and those on theirs. What no value links is left to complete passes. */
export function linksOf({ entities }: Pick<ConnectorDefinition, 'entities'>, parent: string): readonly Link[] {
  const above = entities[parent]
  if (above === undefined) return []
  return Object.entries(entities).flatMap(([entity, definition]) => {
    const link = definition.context_store_search === undefined ? undefined : linkOf(parent, above, definition)
    return link === undefined ? [] : [{ ...link, entity, below: linksOf({ entities }, entity) }]
  })
}

/** The entity that a record is a view or a part of. */
const holderOf = ({ entities }: Pick<ConnectorDefinition, 'entities'>, entity: string): string => entities[entity]?.of ?? entity

/** Records to be removed, by the entity that they are views or parts of. */
export function removalsOf(
  definition: Pick<ConnectorDefinition, 'entities'>,
  keys: readonly RecordKey[],
): readonly Pick<Gone, 'entity' | 'values' | 'below'>[] {
  const byEntity = Map.groupBy(keys, ({ entity }) => holderOf(definition, entity))
  return [...byEntity].map(([entity, some]) => ({ entity, values: some.map(({ value }) => value), below: linksOf(definition, entity) }))
}
