/** Which entities of a connector are kept, and which of them are read together. Read off the definition. */
import { planOf, storedOf, type Tree } from '../../context/sync/plan.ts'
import type { ConnectorDefinition } from '../../definition/connector.ts'
import type { EntitySelection } from '../records.ts'
import type { SyncIncremental } from './records.ts'

const daySeconds = 86_400

/** Entities that go together, under the name of the first one. */
export interface EntityGroup {
  readonly name: string
  readonly entities: readonly string[]
}

const keepsEach = new WeakMap<ConnectorDefinition, readonly string[]>()

/** Entities of a kind that have a copy, in the order of the documents. */
export function keptEntities(definition: ConnectorDefinition): readonly string[] {
  const known = keepsEach.get(definition) ?? planOf(definition, () => true).flatMap((tree) => storedOf(tree).map(({ entity }) => entity))
  keepsEach.set(definition, known)
  return known
}

/** Entities that a connector keeps a copy of. An empty selection means all; what is chosen for writing alone is not read. */
export function wantedEntities(definition: ConnectorDefinition, selection: readonly EntitySelection[]): readonly string[] {
  const isRead = ({ modes }: EntitySelection) => modes === undefined || modes.length === 0 || modes.includes('read')
  const chosen = new Set(selection.filter(isRead).map(({ entity }) => entity))
  return keptEntities(definition).filter((entity) => selection.length === 0 || chosen.has(entity))
}

const groupsOfTree = (tree: Tree): EntityGroup[] => {
  const entities = storedOf(tree).map(({ entity }) => entity)
  // A walk of changes remembers how far it came once for all that hangs on it: what it left out would miss those changes.
  if (tree.sync.since !== undefined) return [{ name: tree.entity, entities }]
  return entities.map((entity) => ({ name: entity, entities: [entity] }))
}

/** The groups of the wanted entities. A group is synced as a whole, and has one schedule. */
export const groupsOf = (definition: ConnectorDefinition, wanted: readonly string[]): readonly EntityGroup[] =>
  planOf(definition, (entity) => wanted.includes(entity)).flatMap(groupsOfTree)

/** The wanted entities that are synced when some are asked for: all of their groups. null asks for all. */
export function coveredBy(definition: ConnectorDefinition, wanted: readonly string[], asked: readonly string[] | null): readonly string[] {
  if (asked === null) return wanted
  const groups = groupsOf(definition, wanted).filter(({ entities }) => entities.some((entity) => asked.includes(entity)))
  return groups.flatMap(({ entities }) => entities)
}

/** What incremental runs ask for of an entity; null where each run reads everything. */
export function incrementalOf({ entities }: Pick<ConnectorDefinition, 'entities'>, entity: string): SyncIncremental | null {
  const { sync } = entities[entity] ?? {}
  if (sync?.windows !== undefined) return { entity, field: null, lookback_seconds: sync.windows.lookback * daySeconds }
  if (sync?.since !== undefined) return { entity, field: sync.since.field, lookback_seconds: sync.since.lookback }
  const parent = (sync?.within ?? sync?.each)?.entity
  return parent === undefined ? null : incrementalOf({ entities }, parent)
}
