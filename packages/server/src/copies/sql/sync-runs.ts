/**
 * Queries the runs that fill the context store and their schedules, and the syncs of many connectors of one organization at once. Defines the
 * states of a run.
 */
import { type RunCause, type RunState, runStates } from 'ferrule/wire'
import { type Selectable, sql } from 'kysely'
import { type Db, skipLocked } from '../../db/database.ts'
import { deleteInBatches } from '../../db/delete-ended.ts'
import type { SyncRunTable, SyncScheduleTable } from '../../db/schema/schema.ts'
import type { PrincipalView } from '../../values/access.ts'
import { type CopyHolder, holdersInWorkspaces, type OwnConnector, type OwnConnectors, type SyncView } from './sync-copies.ts'

/** A run. */
export type RunRow = Selectable<SyncRunTable>
const nextVersion = sql<number>`version + 1`
/** Surplus runs per statement. */
const surplusBatch = 1_000

/** Inserts runs. Skips a second run of a connector that waits for its first attempt. */
export async function insertRuns(db: Db, rows: readonly RunRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('sync_runs')
    .values([...rows])
    // Repeats the literals of the index: parameters would not match it.
    .onConflict((conflict) => conflict.column('connector_id').where(sql<boolean>`state = 'queued' and attempts = 0`).doNothing())
    .execute()
}

const ofConnector = (db: Db, { organizationId, connectorId }: OwnConnector) =>
  db.selectFrom('sync_runs').selectAll().where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)

/** Finds the last finished run of a connector. */
export const findLastFinishedRun = (db: Db, own: OwnConnector): Promise<RunRow | undefined> =>
  ofConnector(db, own)
    .where('finished_at', 'is not', null)
    .where('state', '<>', 'cancelled')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Widens a waiting run unless it has started, and returns it to the queue. @returns whether it was changed */
export const extendRun = (db: Db, run: RunRow, change: Pick<RunRow, 'mode' | 'entities' | 'queue_order'>): Promise<boolean> =>
  changeWaiting(db, run, { ...change, parked_until: null, not_before: null })

/** What changes of a run that waits. */
export type WaitingChange = Partial<
  Pick<RunRow, 'results' | 'state' | 'finished_at' | 'mode' | 'entities' | 'queue_order' | 'parked_until' | 'not_before'>
>

/** Changes or ends a run that waits, unless it has started meanwhile, and counts its version. @returns whether it was changed */
export async function changeWaiting(db: Db, { id, version }: RunRow, change: WaitingChange): Promise<boolean> {
  const rows = db.updateTable('sync_runs').set({ ...change, version: nextVersion })
  const done = await rows.where('id', '=', id).where('version', '=', version).where('state', '=', 'queued').executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/**
 * Stores that searches wait for entities of an unfinished run.
 * @param asked JSON of the entities; the row must still hold those that the caller read
 */
export async function markAsked(db: Db, { id, asked: known }: Pick<RunRow, 'id' | 'asked'>, asked: string): Promise<void> {
  const rows = db.updateTable('sync_runs').set({ asked }).where('id', '=', id).where('finished_at', 'is', null)
  await (known === null ? rows.where('asked', 'is', null) : rows.where('asked', '=', known)).execute()
}

/** Returns the parked runs of a connector to the queue, because what they waited for may have happened. */
export const unparkRuns = async (db: Db, { organizationId, connectorId }: OwnConnector): Promise<void> => {
  const rows = db.updateTable('sync_runs').set({ parked_until: null }).where('organization_id', '=', organizationId)
  // Not only parked ones: the statement then waits for a claim that parks one at this time.
  await rows.where('connector_id', '=', connectorId).where('finished_at', 'is', null).execute()
}

/** Columns of an error. */
export type StoredError = Pick<RunRow, 'error_code' | 'error_message' | 'error_hint'>
/** Columns without an error. */
export const noError: StoredError = { error_code: null, error_message: null, error_hint: null }

/** Selects the runs to cancel. */
export type CancelTarget = SyncView | { readonly organizationId: string; readonly connectorId: string; readonly runId?: string }

/** Cancels unfinished runs. An active run keeps its lease until its node releases it. @returns the number */
export async function cancelRuns(db: Db, target: CancelTarget, now: number): Promise<number> {
  const rows = db
    .updateTable('sync_runs')
    .set({ state: 'cancelled', finished_at: now, version: nextVersion })
    .where('organization_id', '=', target.organizationId)
    .where('finished_at', 'is', null)
    .where(
      'state',
      'in',
      runStates.filter((from) => runMoves[from].some((move) => move === 'cancelled')),
    )
  const { connectorId, runId, workspaceId } = { connectorId: undefined, runId: undefined, workspaceId: null, ...target }
  const done = await rows
    .$if(connectorId !== undefined, (some) => some.where('connector_id', '=', connectorId ?? ''))
    .$if(runId !== undefined, (some) => some.where('id', '=', runId ?? ''))
    .$if(workspaceId !== null, (some) => some.where('workspace_id', '=', workspaceId ?? ''))
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

/** Finds a run of a connector. */
export const findRun = (db: Db, own: OwnConnector, id: string): Promise<RunRow | undefined> =>
  ofConnector(db, own).where('id', '=', id).executeTakeFirst()

/** Filter and position of a list. */
export interface RunListOptions {
  readonly state?: RunRow['state'] | undefined
  /** Id before the page. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists the runs of a connector, newest first. */
export const listRuns = (db: Db, own: OwnConnector, { state, after, limit }: RunListOptions): Promise<RunRow[]> =>
  ofConnector(db, own)
    .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? 'queued'))
    .$if(after !== undefined, (rows) => rows.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Lists the versions of unfinished runs of some connectors. The caller has read the ids for their principals. */
export const listRunVersions = (db: Db, connectorIds: readonly string[]) =>
  db
    .selectFrom('sync_runs')
    .select(['connector_id', 'id', 'version'])
    .where('connector_id', 'in', [...connectorIds])
    .where('finished_at', 'is', null)
    .orderBy('id')
    .execute()

/** Deletes runs that ended before a timestamp. @returns the number */
export function deleteRunsBefore(db: Db, moment: number): Promise<number> {
  const old = db.selectFrom('sync_runs as old').select('old.id').where('old.finished_at', '<', moment).where('old.lease_owner', 'is', null)
  return deleteInBatches(async (limit) => {
    const oldest = old.orderBy('old.finished_at').limit(limit)
    return Number((await db.deleteFrom('sync_runs').where('id', 'in', oldest).executeTakeFirst()).numDeletedRows)
  })
}

/** Deletes the oldest finished runs of a connector beyond a number. Later calls delete what exceeds one statement. */
export async function deleteSurplusRuns(db: Db, { organizationId, connectorId }: OwnConnector, kept: number): Promise<void> {
  const finished = db.selectFrom('sync_runs as old').select('old.id').where('old.connector_id', '=', connectorId)
  const ended = finished.where('old.organization_id', '=', organizationId).where('old.finished_at', 'is not', null)
  const surplus = ended.where('old.lease_owner', 'is', null).orderBy('old.id', 'desc').limit(surplusBatch).offset(kept)
  await db.deleteFrom('sync_runs').where('id', 'in', surplus).execute()
}

/** All transitions. A run that returns to `queued` keeps its position and its progress. */
export const runMoves = {
  queued: ['running', 'partial', 'failed', 'cancelled'],
  running: ['queued', 'succeeded', 'partial', 'failed', 'cancelled'],
  succeeded: [],
  partial: [],
  failed: [],
  cancelled: [],
} as const satisfies Readonly<Record<RunState, readonly RunState[]>>

/** Returns whether a run has ended. */
export const isFinished = (state: RunState): boolean => runMoves[state].length === 0

/**
 * Causes of runs, with their head start in the queue in milliseconds. Requested runs start earlier than scheduled ones, because somebody
 * waits for them. A head start is no rank: a run that has waited longer than that still goes first.
 */
export const headStarts = {
  /** A client requested the run. */
  demand: 600_000,
  /** A search needs a younger copy. */
  search: 600_000,
  /** First run of a connector. */
  created: 300_000,
  /** A webhook of the vendor names records that only a sync reads. */
  webhook: 300_000,
  /** Credentials, configuration, entities or the workspace changed. */
  changed: 300_000,
  /** A schedule was due. */
  schedule: 0,
} as const satisfies Readonly<Record<RunCause, number>>

/** A schedule of a connector, or of a group of its entities. */
export type ScheduleRow = Selectable<SyncScheduleTable>

/** Inserts schedules unless they exist. */
export async function insertSchedules(db: Db, rows: readonly ScheduleRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('sync_schedules')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doNothing())
    .execute()
}

/** Inserts or updates a schedule. */
export async function saveSchedule(db: Db, row: ScheduleRow): Promise<void> {
  const { interval_seconds, next_run_at } = row
  await db
    .insertInto('sync_schedules')
    .values(row)
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doUpdateSet({ interval_seconds, next_run_at }))
    .execute()
}

/** Lists the schedules of a connector; its default schedule has the entity ''. */
export const listSchedules = (db: Db, { organizationId, connectorId }: OwnConnector): Promise<ScheduleRow[]> =>
  listSchedulesOf(db, { organizationId, connectorIds: [connectorId] })

/** Deletes the schedule of a group, which then follows the connector's default. */
export const deleteSchedule = async (db: Db, { organizationId, connectorId }: OwnConnector, entity: string): Promise<void> => {
  const rows = db.deleteFrom('sync_schedules').where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)
  await rows.where('entity', '=', entity).execute()
}

/** Returns whether a schedule is due. Covers all organizations. */
export const hasDueSchedule = async (db: Db, now: number): Promise<boolean> =>
  (await db.selectFrom('sync_schedules').select('connector_id').where('next_run_at', '<=', now).limit(1).executeTakeFirst()) !== undefined

/** A connector with the status of its workspace. */
export type ScheduledConnector = CopyHolder & { readonly workspace_status: string; readonly deleted_at: number | null }

const scheduled = (db: Db) => holdersInWorkspaces(db).select(['workspaces.status as workspace_status', 'workspaces.deleted_at'])

/** Locks a connector until the transaction ends; undefined when it is missing or locked elsewhere. */
export const lockScheduledConnector = (db: Db, id: string): Promise<ScheduledConnector | undefined> =>
  skipLocked(db, scheduled(db).where('connectors.id', '=', id), 'connectors').executeTakeFirst()

/**
 * Locks the connector whose schedule is due longest, and the schedule, until the transaction ends. What another node has locked is skipped, so
 * nodes do not meet at the same connector. Covers all organizations.
 */
export const lockDueConnector = (db: Db, now: number): Promise<ScheduledConnector | undefined> => {
  const due = scheduled(db)
    .innerJoin('sync_schedules', 'sync_schedules.connector_id', 'connectors.id')
    .where('sync_schedules.next_run_at', '<=', now)
  return skipLocked(db, due.orderBy('sync_schedules.next_run_at').limit(1), 'connectors', 'sync_schedules').executeTakeFirst()
}

/** Lists connectors of some kinds without a schedule in the order of their ids: of an older version, or of a kind that became searchable. */
export const listConnectorsWithoutSchedule = (
  db: Db,
  kinds: readonly string[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<CopyHolder[]> =>
  holdersInWorkspaces(db)
    .where('connectors.kind', 'in', [...kinds])
    .where('workspaces.deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sync_schedules').select('entity').whereRef('sync_schedules.connector_id', '=', 'connectors.id'))),
    )
    .where('connectors.id', '>', after)
    .orderBy('connectors.id')
    .limit(limit)
    .execute()

/** Lists the schedules of some connectors. */
export const listSchedulesOf = (db: Db, { organizationId, connectorIds }: OwnConnectors): Promise<ScheduleRow[]> =>
  db
    .selectFrom('sync_schedules')
    .selectAll()
    .where('connector_id', 'in', [...connectorIds])
    .where('organization_id', '=', organizationId)
    .orderBy('entity')
    .execute()

/** Lists the unfinished runs of a connector, oldest first. */
export const listUnfinishedRuns = (db: Db, { organizationId, connectorId }: OwnConnector): Promise<RunRow[]> =>
  listUnfinishedRunsOf(db, { organizationId, connectorIds: [connectorId] })

/** Lists the unfinished runs of some connectors, oldest first. */
export const listUnfinishedRunsOf = (db: Db, { organizationId, connectorIds }: OwnConnectors): Promise<RunRow[]> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('connector_id', 'in', [...connectorIds])
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .orderBy('attempts', 'desc')
    .execute()

/** Error of a connector's last finished run. */
export type LastRunError = Pick<RunRow, 'connector_id' | 'error_code' | 'error_message' | 'error_hint'>

/** Lists the errors of the last finished runs of some connectors. Each run is found by one look into an index. */
export const listLastRunErrorsOf = (db: Db, { organizationId, connectorIds }: OwnConnectors): Promise<LastRunError[]> =>
  db
    .selectFrom('connectors')
    .innerJoin('sync_runs', (join) =>
      join
        .onRef('sync_runs.organization_id', '=', 'connectors.organization_id')
        .on('sync_runs.id', '=', ({ selectFrom }) =>
          selectFrom('sync_runs as last')
            .select('last.id')
            .whereRef('last.connector_id', '=', 'connectors.id')
            .where('last.finished_at', 'is not', null)
            .where('last.state', '<>', 'cancelled')
            .orderBy('last.id', 'desc')
            .limit(1),
        ),
    )
    .select(['sync_runs.connector_id', 'sync_runs.error_code', 'sync_runs.error_message', 'sync_runs.error_hint'])
    .where('connectors.id', 'in', [...connectorIds])
    .where('connectors.organization_id', '=', organizationId)
    .where('sync_runs.error_code', 'is not', null)
    .execute()

/** Filter and position of the list of unfinished runs. */
interface UnfinishedRunOptions {
  readonly state?: 'queued' | 'running' | undefined
  readonly workspaceId?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists the unfinished runs of a view's connectors, newest first. */
export const listViewRuns = (
  db: Db,
  { organizationId, workspaceIds, connectorIds }: PrincipalView,
  { state, workspaceId, after, limit }: UnfinishedRunOptions,
): Promise<(RunRow & { readonly connector_name: string; readonly kind: string })[]> =>
  db
    .selectFrom('sync_runs')
    .innerJoin('connectors', 'connectors.id', 'sync_runs.connector_id')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .selectAll('sync_runs')
    .select(['connectors.name as connector_name', 'connectors.kind'])
    .where('sync_runs.organization_id', '=', organizationId)
    .where('connectors.organization_id', '=', organizationId)
    .where('sync_runs.finished_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null)
    .$if(workspaceIds !== null, (rows) => rows.where('connectors.workspace_id', 'in', [...(workspaceIds ?? [])]))
    .$if(connectorIds !== null, (rows) => rows.where('connectors.id', 'in', [...(connectorIds ?? [])]))
    .$if(workspaceId !== undefined, (rows) => rows.where('connectors.workspace_id', '=', workspaceId ?? ''))
    .$if(state !== undefined, (rows) => rows.where('sync_runs.state', '=', state ?? 'queued'))
    // Running runs have leases, which are few: their index is smaller than that of all unfinished runs.
    .$if(state === 'running', (rows) => rows.where('sync_runs.lease_owner', 'is not', null))
    .$if(after !== undefined, (rows) => rows.where('sync_runs.id', '<', after ?? ''))
    .orderBy('sync_runs.id', 'desc')
    .limit(limit)
    .execute()
