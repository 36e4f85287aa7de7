/** Queries the syncs of many connectors of one organization at once. */
import type { Db } from '../../db/database.ts'
import type { PrincipalView } from '../../values/access.ts'
import type { CopyRow } from './sync-copies.ts'
import type { RunRow, ScheduleRow } from './sync-runs.ts'

/** Connectors of one organization. */
export interface OwnConnectors {
  readonly organizationId: string
  /** At most the rows of one page. */
  readonly connectorIds: readonly string[]
}

/** Lists the copies of some connectors. */
export const listCopiesOf = (db: Db, { organizationId, connectorIds }: OwnConnectors): Promise<CopyRow[]> =>
  db
    .selectFrom('sync_entities')
    .selectAll()
    .where('connector_id', 'in', [...connectorIds])
    .where('organization_id', '=', organizationId)
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
export interface UnfinishedRunOptions {
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
