/** Statements over the runs that fill the context store. */
import { type Selectable, sql } from 'kysely'
import { originsOf } from '../syncs/states.ts'
import type { Db } from './database.ts'
import type { SyncRunTable } from './schema.ts'

/** A run. */
export type RunRow = Selectable<SyncRunTable>
/** A connector of an organization. */
export interface OwnConnector {
  readonly organizationId: string
  readonly connectorId: string
}

const nextVersion = sql<number>`version + 1`

/** Stores runs. One that would be the second that waits for its first attempt is passed over. */
export async function insertRuns(db: Db, rows: readonly RunRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('sync_runs')
    .values([...rows])
    // The words of the index: parameters would not match it.
    .onConflict((conflict) => conflict.column('connector_id').where(sql<boolean>`state = 'queued' and attempts = 0`).doNothing())
    .execute()
}

/** Runs of a connector that have not ended, the oldest first. */
export const unfinishedRuns = (db: Db, { organizationId, connectorId }: OwnConnector): Promise<RunRow[]> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .orderBy('attempts', 'desc')
    .execute()

/** The run of a connector that ended last. */
export const lastFinishedRun = (db: Db, { organizationId, connectorId }: OwnConnector): Promise<RunRow | undefined> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is not', null)
    .where('state', '<>', 'cancelled')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Gives a waiting run more to do. Nothing is changed once it was taken. @returns whether it was still waiting */
export async function extendRun(db: Db, { id, version }: RunRow, change: Pick<RunRow, 'mode' | 'entities' | 'place'>): Promise<boolean> {
  const rows = db.updateTable('sync_runs').set({ ...change, version: nextVersion })
  const done = await rows.where('id', '=', id).where('version', '=', version).where('state', '=', 'queued').executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** A reason that is kept with a run. */
export type KeptError = Pick<RunRow, 'error_code' | 'error_message' | 'error_hint'>
/** No reason. */
export const noError: KeptError = { error_code: null, error_message: null, error_hint: null }

/** Which runs end. */
export type CancelTarget = { readonly organizationId: string } & (
  | { readonly connectorId: string; readonly runId?: string }
  | { readonly workspaceId: string }
)

/** Cancels runs that have not ended. One that is running keeps its lease until its node has let go of it. @returns how many */
export async function cancelRuns(db: Db, target: CancelTarget, now: number): Promise<number> {
  const rows = db
    .updateTable('sync_runs')
    .set({ state: 'cancelled', finished_at: now, version: nextVersion })
    .where('organization_id', '=', target.organizationId)
    .where('finished_at', 'is', null)
    .where('state', 'in', originsOf('cancelled'))
  const { runId } = 'connectorId' in target ? target : { runId: undefined }
  const done = await ('connectorId' in target
    ? rows.where('connector_id', '=', target.connectorId).$if(runId !== undefined, (some) => some.where('id', '=', runId ?? ''))
    : rows.where('workspace_id', '=', target.workspaceId)
  ).executeTakeFirst()
  return Number(done.numUpdatedRows)
}

/** A run of a connector. */
export const findRun = (db: Db, { organizationId, connectorId }: OwnConnector, id: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('id', '=', id)
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

/** Filter and position of a list of runs. */
export interface RunListOptions {
  readonly state?: RunRow['state'] | undefined
  /** The id that the page begins behind. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Runs of a connector, the newest first. */
export const listRuns = (
  db: Db,
  { organizationId, connectorId }: OwnConnector,
  { state, after, limit }: RunListOptions,
): Promise<RunRow[]> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? 'queued'))
    .$if(after !== undefined, (rows) => rows.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Where the unfinished runs of some connectors stand, for watchers. Ids come from rows that were read for their principals. */
export const runVersions = (db: Db, connectorIds: readonly string[]) =>
  db
    .selectFrom('sync_runs')
    .select(['connector_id', 'id', 'version'])
    .where('connector_id', 'in', [...connectorIds])
    .where('finished_at', 'is', null)
    .orderBy('id')
    .execute()

/** Forgets runs that ended before a moment. @returns how many */
export async function deleteRunsBefore(db: Db, moment: number, limit: number): Promise<number> {
  const old = db.selectFrom('sync_runs as old').select('old.id').where('old.finished_at', '<', moment).where('old.lease_owner', 'is', null)
  const oldest = old.orderBy('old.finished_at').limit(limit)
  return Number((await db.deleteFrom('sync_runs').where('id', 'in', oldest).executeTakeFirst()).numDeletedRows)
}
