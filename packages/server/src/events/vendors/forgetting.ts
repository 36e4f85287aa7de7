/** Deletes what a vendor asks to forget, beside the records themselves. */
import { writeJson } from 'ferrule/engine'
import { emptyCopies, withConnector } from '../../copies/queue/queue.ts'
import { listCopiedEntities } from '../../copies/sync/walk/plan.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorRef, viewOrganization } from '../../values/access.ts'
import { firstId } from '../../values/ids.ts'
import { deleteVendorEvents, listWaitingEvents } from '../sql/vendor-events.ts'
import type { ApplyServices } from './apply-event.ts'
import { openVendorEvent } from './vendor-seals.ts'

/** Rows per query. */
const rowsAtOnce = 500

/** Builds the deletions. */
export function createForgetting(parts: Parts): Pick<ApplyServices, 'forgetAll' | 'forgetEvents'> {
  const { db } = parts.database

  /** Deletes events that wait for a connector. The one that says so is worked on, and keeps its row until its end. */
  async function deleteWaiting(ref: ConnectorRef, isMeant: (event: ReturnType<typeof openVendorEvent>) => boolean): Promise<void> {
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const rows = await listWaitingEvents(db, ref, { after, limit: rowsAtOnce })
      const meant = rows.filter((row) => {
        const event = openVendorEvent(parts, row)
        return event.does !== 'redact' && isMeant(event)
      })
      await deleteVendorEvents(
        db,
        ref.organizationId,
        meant.map(({ id }) => id),
      )
      after = rows.length === rowsAtOnce ? rows.at(-1)?.id : undefined
    }
  }
  return {
    forgetAll: async (ref) => {
      await deleteWaiting(ref, () => true)
      await withConnector(parts, { view: viewOrganization(ref.organizationId), id: ref.connectorId }, (database, { row, kind }) =>
        emptyCopies(parts, database, { row, entities: kind === undefined ? [] : listCopiedEntities(kind.definition) }),
      )
      parts.events.emit('queued')
    },
    forgetEvents: (ref, { entity, key }) => {
      const named = writeJson(key ?? null)
      return deleteWaiting(ref, (event) => event.entity === entity && writeJson(event.key ?? null) === named)
    },
  }
}
