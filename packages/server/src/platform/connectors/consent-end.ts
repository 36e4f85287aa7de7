/** Ends tokens of consents whose last connector was deleted. */
import type { Connection } from 'ferrule/engine'
import { asFerruleError, fail } from 'ferrule/internal'
import type { Db } from '../db/database.ts'
import {
  type DueRevocation,
  deferRevocation,
  deleteConsentRevocation,
  insertConsentRevocation,
  listDueRevocations,
} from '../db/queries/connect/revocations.ts'
import type { SealedConnectorRow } from '../db/queries/connectors.ts'
import type { ConsentRevocations } from '../model/connect-types.ts'
import { newId } from '../model/ids.ts'
import type { Parts } from '../parts.ts'
import { addFields } from '../vault/application-seals.ts'
import { buildConnection, toUnstoredSource } from './access.ts'

/** Longest time of one try, in milliseconds; another node may try again afterwards. */
const leaseMs = 2 * 60_000
/** Delays after failed tries, in milliseconds; after the last one the token is given up. */
const delaysMs = [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 3_600_000, 6 * 3_600_000, 12 * 3_600_000]
/** Tokens that one run ends. */
const batch = 20

/** Keeps the token of a deleted connector, for the vendor to end. Call it in the transaction of the deletion. */
export async function keepRevocation({ source }: Parts, db: Db, row: SealedConnectorRow): Promise<void> {
  if (row.vendor_application_id === null) return // without the operator's application the vendor ends nothing
  const now = source.clock()
  await insertConsentRevocation(db, {
    id: newId(source),
    ...{ organization_id: row.organization_id, workspace_id: row.workspace_id, connector_id: row.id },
    ...{ kind: row.kind, configuration: row.configuration, sandbox: row.sandbox, vendor_application_id: row.vendor_application_id },
    ...{ sealed: row.sealed, data_key_id: row.data_key_id, failures: 0, not_before: now, created_at: now },
  })
}

/** Opens the connection that a deleted connector had. @throws FerruleError `credentials_unreadable` after a rotation of the data key */
async function connect(parts: Parts, row: DueRevocation): Promise<Connection> {
  const { organization_id: organizationId, workspace_id: workspaceId, connector_id: connectorId, kind } = row
  const own = await parts.vault.open(
    parts.database.db,
    { organizationId, workspaceId, connectorId, dataKeyId: row.data_key_id },
    row.sealed,
  )
  if (own === undefined) throw fail('credentials_unreadable', { reason: 'the data key of the workspace was replaced' })
  const sealed = { masterKeyId: row.application_key_id, sealed: row.application_sealed }
  const values = addFields(own, parts.applicationSeals.open({ organizationId, kind }, sealed))
  const place = { kind: parts.catalogue.getKind(kind), sandbox: Boolean(row.sandbox) }
  return buildConnection(parts, place, { configuration: JSON.parse(row.configuration), credentials: toUnstoredSource(values) })
}

/** Stores a failed try, or gives the token up and reports it. */
async function putOff(parts: Parts, row: DueRevocation, { leased, thrown }: { leased: number; thrown: unknown }): Promise<void> {
  const { db } = parts.database
  const delay = delaysMs[row.failures]
  const { code } = asFerruleError(thrown)
  if (delay !== undefined && code !== 'credentials_unreadable') {
    await deferRevocation(db, { ...row, not_before: leased }, { notBefore: parts.source.clock() + delay, failures: row.failures + 1 })
    return
  }
  await deleteConsentRevocation(db, row)
  parts.onBackgroundError(
    new Error(`the consent of the deleted connector ${row.connector_id} was not revoked at ${row.kind} (${code}); revoke it there`),
  )
}

async function end(parts: Parts, row: DueRevocation, revoke: (connection: Connection) => Promise<void>): Promise<void> {
  const { db } = parts.database
  const leased = parts.source.clock() + leaseMs
  if (!(await deferRevocation(db, row, { notBefore: leased, failures: row.failures }))) return
  try {
    await revoke(await connect(parts, row))
    await deleteConsentRevocation(db, row)
  } catch (thrown) {
    await putOff(parts, row, { leased, thrown })
  }
}

/** Builds the service. */
export const createConsentRevocations = (parts: Parts): ConsentRevocations => ({
  run: (revoke) => {
    const work = async (): Promise<number> => {
      const due = await listDueRevocations(parts.database.db, parts.source.clock(), batch)
      for (const row of due) await end(parts, row, revoke)
      return due.length
    }
    const running = work().finally(() => parts.unfinished.delete(running))
    parts.unfinished.add(running)
    return running
  },
})
