/** Queries schedules. */
import type { Selectable } from 'kysely'
import { type Db, skipLocked } from '../../db/database.ts'
import type { SyncScheduleTable } from '../../db/schema/schema.ts'
import type { CopyHolder } from './sync-copies.ts'
import type { OwnConnector } from './sync-runs.ts'

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
  db
    .selectFrom('sync_schedules')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .orderBy('entity')
    .execute()

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

const scheduled = (db: Db) =>
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
    .select(['workspaces.status as workspace_status', 'workspaces.deleted_at'])

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
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
    .where('connectors.kind', 'in', [...kinds])
    .where('workspaces.deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sync_schedules').select('entity').whereRef('sync_schedules.connector_id', '=', 'connectors.id'))),
    )
    .where('connectors.id', '>', after)
    .orderBy('connectors.id')
    .limit(limit)
    .execute()
