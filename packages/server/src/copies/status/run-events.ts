/** Writes down what becomes of runs and copies, for webhooks and the list of events. */

import type { Db } from '../../db/database.ts'
import { type News, storeEvent } from '../../events/sql/events.ts'
import type { IdSource } from '../../values/ids.ts'
import type { RunRow } from '../sql/sync-runs.ts'
import { toProgressRecord } from './run-record.ts'

const types = {
  running: 'context_store.sync.started',
  succeeded: 'context_store.sync.completed',
  partial: 'context_store.sync.completed',
  failed: 'context_store.sync.failed',
} as const satisfies Partial<Record<RunRow['state'], News['type']>>

const hasEvent = (state: RunRow['state']): state is keyof typeof types => Object.hasOwn(types, state)

/**
 * Stores the event of a run's new state. A run that waits again or was cancelled has none. Call it in the transaction of the change.
 * @param run the run as it is stored now
 */
export async function storeRunEvent(db: Db, source: IdSource, run: RunRow): Promise<void> {
  const { id: sync_id, organization_id: organizationId, workspace_id: workspaceId, connector_id: connectorId, ...rest } = run
  const { state, mode, cause, error_code } = rest
  if (!hasEvent(state)) return
  const { written, removed } = toProgressRecord(run)
  const end = state === 'running' ? {} : { written, removed, error_code, ...(state === 'failed' ? {} : { state }) }
  await storeEvent(db, source, { type: types[state], organizationId, workspaceId, connectorId, data: { sync_id, mode, cause, ...end } })
}

/** A copy that can be searched for the first time. */
export interface ReadyCopy {
  readonly run: RunRow
  readonly entity: string
  readonly records: number | null
}

/** Stores the event of a copy that can be searched for the first time. Call it in the transaction of the change. */
export async function storeReadyEvent(db: Db, source: IdSource, { run, entity, records }: ReadyCopy): Promise<void> {
  const { id: sync_id, organization_id: organizationId, workspace_id: workspaceId, connector_id: connectorId } = run
  const data = { sync_id, entity, records }
  await storeEvent(db, source, { type: 'context_store.entity.ready', organizationId, workspaceId, connectorId, data })
}
