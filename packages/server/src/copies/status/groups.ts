/** Decides which entities of a connector have copies, and which are read together; finds connectors with them. */
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { listParentNames, readLookback } from 'ferrule/internal'
import type { EntitySelection, SyncIncremental } from 'ferrule/wire'
import { type ConnectorRow, findConnector, requireConnector } from '../../connectors/sql/connectors.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorRef, type OwnKind, type PrincipalView, toConnectorRef } from '../../values/access.ts'
import type { CopyHolder } from '../sql/sync-copies.ts'
import type { ScheduleRow } from '../sql/sync-runs.ts'
import { usualLookback } from '../sync/walk/page-params.ts'
import { keepsMarks, listCopiedEntities, listStored, planWalks, type Tree, tracksChanges } from '../sync/walk/plan.ts'

const daySeconds = 86_400

/** Entities that are read together; named after the first one. */
export interface EntityGroup {
  readonly name: string
  readonly entities: readonly string[]
}

/** Returns the entities that a connector copies. An empty selection means all; entities selected only for writing are skipped. */
function selectWantedEntities(definition: ConnectorDefinition, selection: readonly EntitySelection[]): readonly string[] {
  const isRead = ({ modes }: EntitySelection) => modes === undefined || modes.length === 0 || modes.includes('read')
  const chosen = new Set(selection.filter(isRead).map(({ entity }) => entity))
  return listCopiedEntities(definition).filter((entity) => selection.length === 0 || chosen.has(entity))
}

const splitTree = (tree: Tree): EntityGroup[] => {
  const entities = listStored(tree).map(({ entity }) => entity)
  // A walk of changes stores one position for all its entities. A skipped entity would miss changes before that position.
  if (tracksChanges(tree.sync)) return [{ name: tree.entity, entities }]
  // So do the marks of a list below records, for what is below it.
  let groups: readonly (readonly string[])[] = []
  for (const { entity, marked } of listStored(tree)) {
    const above = groups.filter((group) => group.some((each) => marked.includes(each)))
    const others = groups.filter((group) => !above.includes(group))
    groups = [...others, [...above.flat(), entity]]
  }
  return groups.map((group) => ({ name: group[0] ?? '', entities: group }))
}

/** Returns the groups of the wanted entities. A group is synced as a whole and has one schedule. */
export const listGroups = (definition: ConnectorDefinition, wanted: readonly string[]): readonly EntityGroup[] =>
  planWalks(definition, (entity) => wanted.includes(entity)).flatMap(splitTree)

/** Returns the wanted entities of all groups that contain an asked entity. null asks for all. */
export function expandToGroups(
  definition: ConnectorDefinition,
  wanted: readonly string[],
  asked: readonly string[] | null,
): readonly string[] {
  if (asked === null) return wanted
  const groups = listGroups(definition, wanted).filter(({ entities }) => entities.some((entity) => asked.includes(entity)))
  return groups.flatMap(({ entities }) => entities)
}

/** Returns the entities of a schedule: those of its group, or of all groups without an own schedule. */
export function listScheduledEntities(
  { entity }: Pick<ScheduleRow, 'entity'>,
  schedules: readonly Pick<ScheduleRow, 'entity'>[],
  groups: readonly EntityGroup[],
): readonly string[] {
  const own = new Set(schedules.map((schedule) => schedule.entity))
  return groups.filter(({ name }) => (entity === '' ? !own.has(name) : name === entity)).flatMap(({ entities }) => entities)
}

interface Described {
  readonly definition: Pick<ConnectorDefinition, 'entities' | 'configuration' | 'pages'>
  readonly configuration: Readonly<Record<string, unknown>>
  /** Entities that have a copy. Marks and windows of others are kept nowhere. */
  readonly wanted: readonly string[]
}

/**
 * Describes what incremental runs request of an entity; null where each run reads everything. A list below a record without a mark of its
 * own for each parent is read as a whole when that record is read.
 */
export function describeIncremental(described: Described, entity: string, isCopied = true): SyncIncremental | null {
  const { definition, configuration, wanted } = described
  const { sync } = definition.entities[entity] ?? {}
  const [parent] = sync === undefined ? [] : listParentNames(sync)
  if (sync?.windows !== undefined && isCopied) {
    return { entity, field: null, lookback_seconds: readLookback(definition, sync.windows, configuration) * daySeconds }
  }
  const isMarked = isCopied && keepsMarks(definition, entity)
  if (parent !== undefined && !isMarked) return describeIncremental(described, parent, wanted.includes(parent))
  if (sync?.since !== undefined) return { entity, field: sync.since.field, lookback_seconds: sync.since.lookback }
  return sync !== undefined && tracksChanges(sync) ? { entity, field: sync.newest ?? null, lookback_seconds: usualLookback } : null
}

/** Returns the entities that a connector keeps a copy of; none when its kind is missing. */
export const readWantedEntities = (kind: Kind | undefined, row: Pick<CopyHolder, 'entities'>): readonly string[] =>
  kind === undefined ? [] : selectWantedEntities(kind.definition, JSON.parse(row.entities))

/** A connector with its kind and its synced entities. */
export interface SyncedConnector {
  readonly row: ConnectorRow
  readonly ref: ConnectorRef
  /** Undefined when this version of the service lacks the kind. */
  readonly kind: Kind | undefined
  /** The kind as the store finds it, where an organization brought it. */
  readonly own?: OwnKind | undefined
  /** Entities that have a copy. */
  readonly wanted: readonly string[]
  readonly groups: readonly EntityGroup[]
}

/** Combines a row with its kind. */
export function toSyncedConnector(row: ConnectorRow, kind: Kind | undefined): SyncedConnector {
  const wanted = readWantedEntities(kind, row)
  return { row, ref: toConnectorRef(row), kind, wanted, groups: kind === undefined ? [] : listGroups(kind.definition, wanted) }
}

/** Finds a connector that a principal sees. @throws FerruleError `connector_not_found` */
export async function findSyncedConnector(parts: Parts, view: PrincipalView, given: string): Promise<SyncedConnector> {
  const row = await requireConnector(parts.database.db, view, given, findConnector)
  return toSyncedConnector(row, await parts.kinds.find(row))
}
