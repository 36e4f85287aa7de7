/** What other services do to syncs in their own transactions: a change and the run that follows from it are stored together. */
import type { Kind } from '../../definition/connector.ts'
import type { Db } from '../db/database.ts'
import {
  type CopyHolder,
  forgetCopies,
  forgetCopiesOfWorkspace,
  holdersOfWorkspace,
  insertRemovals,
  type RemovalRow,
} from '../db/queries-sync-copies.ts'
import { cancelRuns, extendRun, insertRuns, noError, type RunRow, unfinishedRuns } from '../db/queries-sync-runs.ts'
import { insertSchedules } from '../db/queries-sync-schedules.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { EntitySelection } from '../records.ts'
import { keptEntities, wantedEntities } from './groups.ts'
import { noProgress } from './progress.ts'
import { headStarts, type RunCause, type RunMode } from './states.ts'
import { nextRunAt } from './times.ts'

/** What queueing works with. */
export type QueueParts = Pick<Parts, 'source' | 'catalogue' | 'settings'>

/** Rows in one statement. */
const batch = 100

/** A connector in its place. */
export interface SyncPlace {
  readonly organizationId: string
  readonly workspaceId: string
  readonly connectorId: string
}

/** A wish for a run. */
export interface RunWish {
  readonly mode: RunMode
  readonly cause: RunCause
  /** null: all entities. */
  readonly entities: readonly string[] | null
}

/** The place of a row. */
export const placeOf = ({ id, organization_id, workspace_id }: Pick<CopyHolder, 'id' | 'organization_id' | 'workspace_id'>): SyncPlace => ({
  organizationId: organization_id,
  workspaceId: workspace_id,
  connectorId: id,
})

/** The kind of a row; undefined when this version of the service does not have it. */
export function kindOfRow({ catalogue }: Pick<Parts, 'catalogue'>, slug: string): Kind | undefined {
  try {
    return catalogue.kindOf(slug)
  } catch {
    return undefined
  }
}

// JSON that this service wrote.
const selectionOf = (text: string): readonly EntitySelection[] => JSON.parse(text)
const entitiesOf = (text: string | null): readonly string[] | null => (text === null ? null : JSON.parse(text))

/** Entities that the connector of a row keeps a copy of; none when its kind is not there. */
export function wantedOf(parts: Pick<Parts, 'catalogue'>, row: Pick<CopyHolder, 'kind' | 'entities'>): readonly string[] {
  const kind = kindOfRow(parts, row.kind)
  return kind === undefined ? [] : wantedEntities(kind.definition, selectionOf(row.entities))
}

/** A run that waits for its first attempt. */
export function newRun({ source }: Pick<Parts, 'source'>, place: SyncPlace, { mode, cause, entities }: RunWish): RunRow {
  const now = source.clock()
  return {
    id: newId(source),
    organization_id: place.organizationId,
    workspace_id: place.workspaceId,
    connector_id: place.connectorId,
    mode,
    entities: entities === null ? null : JSON.stringify(entities),
    state: 'queued',
    cause,
    attempts: 0,
    failures: 0,
    place: now - headStarts[cause],
    not_before: null,
    lease_owner: null,
    lease_until: null,
    lease_node: null,
    lease_session: null,
    progress: noProgress,
    results: '[]',
    ...noError,
    version: 0,
    created_at: now,
    started_at: null,
    finished_at: null,
  }
}

const joined = (one: readonly string[] | null, other: readonly string[] | null): string | null =>
  one === null || other === null ? null : JSON.stringify([...new Set([...one, ...other])])

/**
 * Queues a run, or joins the one that waits and has done nothing yet: the wider wish of both wins. Call it in a transaction that keeps the
 * connector's row.
 * @returns the run as it is now
 */
export async function queueRun(
  parts: Pick<Parts, 'source'>,
  db: Db,
  { place, wish }: { place: SyncPlace; wish: RunWish },
): Promise<RunRow> {
  const waiting = (await unfinishedRuns(db, place)).filter(({ state, results }) => state === 'queued' && results === '[]')
  const run = waiting.find(({ attempts }) => attempts === 0) ?? waiting[0]
  const next = newRun(parts, place, wish)
  if (run !== undefined) {
    const change = {
      mode: wish.mode === 'full' ? wish.mode : run.mode,
      entities: joined(entitiesOf(run.entities), wish.entities),
      place: Math.min(run.place, next.place),
    }
    if (await extendRun(db, run, change)) return { ...run, ...change, version: run.version + 1 }
  }
  await insertRuns(db, [next])
  return next
}

/** The schedule and the first run of a new connector. */
export async function beginSyncs(parts: QueueParts, db: Db, row: CopyHolder): Promise<void> {
  const kind = kindOfRow(parts, row.kind)
  if (kind === undefined || keptEntities(kind.definition).length === 0) return
  await insertSchedules(db, [
    { organization_id: row.organization_id, connector_id: row.id, entity: '', interval_seconds: null, next_run_at: nextRunAt(parts, null) },
  ])
  if (wantedOf(parts, row).length === 0) return
  await queueRun(parts, db, { place: placeOf(row), wish: { mode: 'full', cause: 'created', entities: null } })
}

/** A removal of some entities' copies, or of all that a connector has. */
export function newRemoval({ source }: Pick<Parts, 'source'>, row: CopyHolder, entities: readonly string[] | null): RemovalRow {
  const now = source.clock()
  return {
    id: newId(source),
    organization_id: row.organization_id,
    connector_id: row.id,
    kind: row.kind,
    entities: entities === null ? null : JSON.stringify(entities),
    failures: 0,
    not_before: now,
    lease_owner: null,
    lease_node: null,
    created_at: now,
  }
}

/** Ends the syncs of a connector that is about to be removed, and gives its copy up for removal. */
export async function endSyncs(parts: QueueParts, db: Db, row: CopyHolder): Promise<void> {
  await cancelRuns(db, placeOf(row), parts.source.clock())
  await insertRemovals(db, [newRemoval(parts, row, null)])
}

/** Empties some entities of a connector: what runs for it is cancelled. Queue a run afterwards, in the same transaction. */
export async function emptyCopies(
  parts: QueueParts,
  db: Db,
  { row, entities }: { row: CopyHolder; entities: readonly string[] },
): Promise<void> {
  if (entities.length === 0) return
  await cancelRuns(db, placeOf(row), parts.source.clock())
  await forgetCopies(db, placeOf(row), entities)
  await insertRemovals(db, [newRemoval(parts, row, entities)])
}

/** A workspace as syncs know it. */
export interface SyncWorkspace {
  readonly organizationId: string
  readonly workspaceId: string
}

async function inBatches<T>(rows: readonly T[], store: (rows: readonly T[]) => Promise<void>): Promise<void> {
  for (let index = 0; index < rows.length; index += batch) await store(rows.slice(index, index + batch))
}

/** Cancels the runs of a workspace that executes nothing any more; its copies stay. */
export const stopWorkspaceSyncs = ({ source }: Pick<Parts, 'source'>, db: Db, workspace: SyncWorkspace): Promise<number> =>
  cancelRuns(db, workspace, source.clock())

/** Cancels the runs of a workspace that is removed, and empties its copies. The connectors may come back. */
export async function emptyWorkspace(parts: QueueParts, db: Db, workspace: SyncWorkspace): Promise<void> {
  await stopWorkspaceSyncs(parts, db, workspace)
  await forgetCopiesOfWorkspace(db, workspace)
  const removals = (await holdersOfWorkspace(db, workspace)).flatMap((row) => {
    const kind = kindOfRow(parts, row.kind)
    const kept = kind === undefined ? [] : keptEntities(kind.definition)
    return kept.length === 0 ? [] : [newRemoval(parts, row, kept)]
  })
  await storeRemovals(db, removals)
}

/** Queues a run for every connector of a workspace that is back: `full` after it was removed, `incremental` after it was inactive. */
export async function resumeWorkspace(
  parts: QueueParts,
  db: Db,
  { workspace, mode }: { workspace: SyncWorkspace; mode: RunMode },
): Promise<void> {
  const holders = (await holdersOfWorkspace(db, workspace)).filter((row) => wantedOf(parts, row).length > 0)
  const runs = holders.map((row) => newRun(parts, placeOf(row), { mode, cause: 'changed', entities: null }))
  await inBatches(runs, (rows) => insertRuns(db, rows))
}

/** What gives the copies of a workspace up for good. Read it while its connectors are there. */
export const workspaceRemovals = async (parts: QueueParts, db: Db, workspace: SyncWorkspace): Promise<readonly RemovalRow[]> =>
  (await holdersOfWorkspace(db, workspace)).map((row) => newRemoval(parts, row, null))

/** Stores what gives copies up. */
export const storeRemovals = (db: Db, removals: readonly RemovalRow[]): Promise<void> =>
  inBatches(removals, (rows) => insertRemovals(db, rows))
