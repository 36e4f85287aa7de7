/** A connector with what is stored of its syncs. */
import type { IndexRecord } from '../../context/indexes/types.ts'
import type { Kind } from '../../definition/connector.ts'
import { fail } from '../../errors.ts'
import { type ConnectorRow, findConnector } from '../db/queries-connectors.ts'
import { type CopyRow, copiesOf } from '../db/queries-sync-copies.ts'
import { type RunRow, unfinishedRuns } from '../db/queries-sync-runs.ts'
import { type ScheduleRow, schedulesOf } from '../db/queries-sync-schedules.ts'
import { asId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { PrincipalView } from '../types.ts'
import { type EntityGroup, groupsOf } from './groups.ts'
import { kindOfRow, placeOf, type SyncPlace, wantedOf } from './queue.ts'

/** A connector of a principal, with its kind. */
export interface FoundConnector {
  readonly row: ConnectorRow
  readonly place: SyncPlace
  /** Undefined when this version of the service does not have it. */
  readonly kind: Kind | undefined
  /** Entities that it keeps a copy of. */
  readonly wanted: readonly string[]
  readonly groups: readonly EntityGroup[]
}

/** A row with what its kind says. */
export function foundOf(parts: Pick<Parts, 'catalogue'>, row: ConnectorRow): FoundConnector {
  const kind = kindOfRow(parts, row.kind)
  const wanted = wantedOf(parts, row)
  return { row, place: placeOf(row), kind, wanted, groups: kind === undefined ? [] : groupsOf(kind.definition, wanted) }
}

/** A connector that a principal sees. @throws FerruleError `connector_not_found` */
export async function findFor(parts: Parts, view: PrincipalView, given: string): Promise<FoundConnector> {
  const id = asId(given)
  const row = id === undefined ? undefined : await findConnector(parts.database.db, view, id)
  if (row === undefined) throw fail('connector_not_found', {})
  return foundOf(parts, row)
}

/** What is stored of the syncs of a connector. */
export interface KnownSyncs {
  readonly found: FoundConnector
  readonly copies: ReadonlyMap<string, CopyRow>
  /** Indexes of the copies that were made on demand, as far as they are known. */
  readonly indexes: ReadonlyMap<string, readonly IndexRecord[]>
  /** Entities whose words are made anew, as far as they are known. */
  readonly renewals: ReadonlySet<string>
  /** Runs that have not ended. */
  readonly runs: readonly RunRow[]
  readonly schedules: readonly ScheduleRow[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Reads it; of one entity where only that is asked for. */
export async function knownOf(parts: Parts, found: FoundConnector, entity?: string): Promise<KnownSyncs> {
  const { db } = parts.database
  const [copies, indexes, runs, schedules] = await Promise.all([
    copiesOf(db, found.place, entity),
    entity === undefined ? parts.knownIndexes.of(found.row.id) : none,
    unfinishedRuns(db, found.place),
    schedulesOf(db, found.place),
  ])
  const byEntity = new Map(copies.map((copy) => [copy.entity, copy]))
  const renewals = parts.renewalsOf(found.row.id)
  return { found, copies: byEntity, indexes, renewals, runs, schedules, now: parts.source.clock() }
}

const none: KnownSyncs['indexes'] = new Map()
