/** What follows for the copies of a connector when it is changed. */
import type { Db } from '../db/database.ts'
import type { ConnectorRow } from '../db/queries-connectors.ts'
import { keptEntities } from './groups.ts'
import { emptyCopies, kindOfRow, placeOf, type QueueParts, queueRun, wantedOf } from './queue.ts'
import type { RunMode } from './states.ts'

/** A connector before and after a change. */
export interface ConnectorChanged {
  readonly before: ConnectorRow
  readonly after: ConnectorRow
  readonly hasNewCredentials: boolean
}

/**
 * Queues what a change asks for, in its transaction. Another configuration can mean other records altogether (another shop, hidden
 * calls), so the copy begins anew; entities that are not wanted any more are emptied; new credentials are tried at once.
 */
export async function followChange(parts: QueueParts, db: Db, { before, after, hasNewCredentials }: ConnectorChanged): Promise<void> {
  const kind = kindOfRow(parts, after.kind)
  if (kind === undefined || keptEntities(kind.definition).length === 0) return
  const isOther = before.configuration !== after.configuration
  const [was, wanted] = [wantedOf(parts, before), wantedOf(parts, after)]
  const dropped = isOther ? keptEntities(kind.definition) : was.filter((entity) => !wanted.includes(entity))
  await emptyCopies(parts, db, { row: after, entities: dropped })
  const isNews = isOther || hasNewCredentials || dropped.length > 0 || wanted.some((entity) => !was.includes(entity))
  if (!isNews || wanted.length === 0 || after.workspace_status === 'inactive') return
  const mode: RunMode = isOther ? 'full' : 'incremental'
  await queueRun(parts, db, { place: placeOf(after), wish: { mode, cause: 'changed', entities: null } })
}
