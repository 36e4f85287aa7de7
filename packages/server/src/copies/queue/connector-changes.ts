/** Queues the runs that follow from a change of a connector. */

import type { RunMode } from 'ferrule/wire'
import type { ConnectorRow } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import { unparkRuns } from '../sql/sync-runs.ts'
import { findKind, readWantedEntities, toConnectorPlace } from '../status/connector-rows.ts'
import { listCopiedEntities } from '../status/groups.ts'
import { emptyCopies, type QueueParts, queueRun } from './queue.ts'

/** A connector before and after a change. */
export interface ConnectorChanged {
  readonly before: ConnectorRow
  readonly after: ConnectorRow
  readonly hasNewCredentials: boolean
}

/**
 * Queues a run in the transaction of the change. Another configuration can mean other records (another shop, hidden calls), so the copy
 * starts over. Entities no longer wanted are emptied, and new credentials are tried at once.
 */
export async function followChange(parts: QueueParts, db: Db, { before, after, hasNewCredentials }: ConnectorChanged): Promise<void> {
  const kind = findKind(parts, after.kind)
  if (kind === undefined || listCopiedEntities(kind.definition).length === 0) return
  const isOther = before.configuration !== after.configuration
  const [was, wanted] = [readWantedEntities(parts, before), readWantedEntities(parts, after)]
  const dropped = isOther ? listCopiedEntities(kind.definition) : was.filter((entity) => !wanted.includes(entity))
  await emptyCopies(parts, db, { row: after, entities: dropped })
  const isNews = isOther || hasNewCredentials || dropped.length > 0 || wanted.some((entity) => !was.includes(entity))
  if (!isNews || wanted.length === 0 || after.workspace_status === 'inactive') return
  if (hasNewCredentials) await unparkRuns(db, toConnectorPlace(after))
  const mode: RunMode = isOther ? 'full' : 'incremental'
  await queueRun(parts, db, { place: toConnectorPlace(after), wish: { mode, cause: 'changed', entities: null } })
}
