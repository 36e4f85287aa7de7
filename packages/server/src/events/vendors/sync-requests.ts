/** Asks for a sync where an event names records that no call reads alone. */
import { asFerruleError } from 'ferrule/internal'
import { queueAndNotify } from '../../copies/queue/queue.ts'
import { listCopies } from '../../copies/sql/sync-copies.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorAccess, viewOrganization } from '../../values/access.ts'

/** Shortest time from the beginning of a sync to the next one that events ask for, in milliseconds. */
const restMs = 60_000

/**
 * Asks for a sync of the changes of an entity.
 * @param entity undefined for all entities
 * @returns undefined when nothing is left to do; else the time at which to ask again, in milliseconds since 1970
 */
export async function askForSync(
  parts: Pick<Parts, 'database' | 'source' | 'kinds' | 'events'>,
  { ref }: Pick<ConnectorAccess, 'ref'>,
  entity: string | undefined,
): Promise<number | undefined> {
  const copies = await listCopies(parts.database.db, ref, entity)
  const syncedAt = copies.flatMap(({ synced_at }) => synced_at ?? [])
  if (syncedAt.length === 0) return undefined // the first sync reads everything
  const next = Math.max(...syncedAt) + restMs
  if (next > parts.source.clock()) return next
  const wish = { mode: 'incremental', cause: 'webhook', entities: entity === undefined ? null : [entity] } as const
  try {
    await queueAndNotify(parts, { view: viewOrganization(ref.organizationId), id: ref.connectorId }, wish)
  } catch (thrown) {
    // The connector does not copy the entity, or was deleted.
    if (!['validation_failed', 'connector_not_found', 'workspace_inactive'].includes(asFerruleError(thrown).code)) throw thrown
  }
  return undefined
}
