/** Writes down what becomes of runs, for webhooks and the list of events. */

import type { Db } from '../../db/database.ts'
import { type News, storeEvent } from '../../events/sql/events.ts'
import { toConnectorRef } from '../../values/access.ts'
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
  const { id: sync_id, state, mode, cause, error_code, connector_id: connectorId } = run
  if (!hasEvent(state)) return
  const { written, removed } = toProgressRecord(run)
  const end = state === 'running' ? {} : { written, removed, error_code, ...(state === 'failed' ? {} : { state }) }
  const { organizationId, workspaceId } = toConnectorRef({ ...run, id: connectorId })
  await storeEvent(db, source, { type: types[state], organizationId, workspaceId, connectorId, data: { sync_id, mode, cause, ...end } })
}
