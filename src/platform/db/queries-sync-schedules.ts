/** Statements over schedules. */
import type { Selectable } from 'kysely'
import { claimable, type Db } from './database.ts'
import type { CopyHolder } from './queries-sync-copies.ts'
import type { OwnConnector } from './queries-sync-runs.ts'
import type { SyncScheduleTable } from './schema.ts'

/** A schedule: of a connector, or of a group of its entities. */
export type ScheduleRow = Selectable<SyncScheduleTable>

/** Stores schedules unless they are there. */
export async function insertSchedules(db: Db, rows: readonly ScheduleRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('sync_schedules')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doNothing())
    .execute()
}

/** Stores a schedule, or replaces the one that is there. */
export async function keepSchedule(db: Db, row: ScheduleRow): Promise<void> {
  const { interval_seconds, next_run_at } = row
  await db
    .insertInto('sync_schedules')
    .values(row)
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doUpdateSet({ interval_seconds, next_run_at }))
    .execute()
}

/** The schedules of a connector; its own has the entity ''. */
export const schedulesOf = (db: Db, { organizationId, connectorId }: OwnConnector): Promise<ScheduleRow[]> =>
  db
    .selectFrom('sync_schedules')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .orderBy('entity')
    .execute()

/** Removes the schedule of a group of entities: the connector's holds for them again. */
export const deleteSchedule = async (db: Db, { organizationId, connectorId }: OwnConnector, entity: string): Promise<void> => {
  const rows = db.deleteFrom('sync_schedules').where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)
  await rows.where('entity', '=', entity).execute()
}

/** Connectors with a schedule that is due, the longest due first. Over all organizations. */
export const dueConnectors = (db: Db, now: number, limit: number) =>
  db.selectFrom('sync_schedules').select('connector_id').where('next_run_at', '<=', now).orderBy('next_run_at').limit(limit).execute()

/** A connector whose schedules are looked at, with whether its workspace is in use. */
export type ScheduledConnector = CopyHolder & { readonly workspace_status: string; readonly deleted_at: number | null }

/** Keeps a connector for this transaction; undefined when it is gone, or somebody else keeps it. */
export const claimConnector = (db: Db, id: string): Promise<ScheduledConnector | undefined> =>
  claimable(
    db,
    db
      .selectFrom('connectors')
      .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
      .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
      .select(['workspaces.status as workspace_status', 'workspaces.deleted_at'])
      .where('connectors.id', '=', id),
    'connectors',
  ).executeTakeFirst()

/** Connectors of some kinds that have no schedule: made by an older version, or of a kind that had nothing to search. */
export const connectorsWithoutSchedule = (db: Db, kinds: readonly string[], limit: number): Promise<CopyHolder[]> =>
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
    .where('connectors.kind', 'in', [...kinds])
    .where('workspaces.deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sync_schedules').select('entity').whereRef('sync_schedules.connector_id', '=', 'connectors.id'))),
    )
    .limit(limit)
    .execute()
