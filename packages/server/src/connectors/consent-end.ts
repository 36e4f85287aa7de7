/** Ends tokens of consents whose last connector was deleted, by itself or with its workspace or organization. */
import type { Connection, CredentialValues, Secret } from 'ferrule/engine'
import { asFerruleError } from 'ferrule/internal'
import type { Db } from '../db/database.ts'
import type { Parts, Seals } from '../main/parts.ts'
import { newId } from '../values/ids.ts'
import { buildConnection, toUnstoredSource } from './access.ts'
import { openCredentials, type SealedCredentialsRow } from './credential-trial.ts'
import type { ConsentRevocations } from './links/connect-types.ts'
import type { SealedConnectorRow } from './sql/connectors.ts'
import {
  type ConsentRevocationRow,
  deferRevocation,
  deleteConsentRevocation,
  holdConsentsOf,
  insertConsentRevocation,
  listDueRevocations,
} from './sql/revocations.ts'

/** Longest time of one try, in milliseconds; another node may try again afterwards. */
const leaseMs = 2 * 60_000
/** Delays after failed tries, in milliseconds; after the last one the token is given up. */
const delaysMs = [60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 3_600_000, 6 * 3_600_000, 12 * 3_600_000]
/** Tokens that one run ends. */
const batch = 20

type EndingConnector = SealedCredentialsRow & Pick<SealedConnectorRow, 'oauth_client_id' | 'configuration' | 'sandbox'>

/** Reports a token that stays valid at the vendor. */
function report(parts: Parts, connectorId: string, { kind, code }: { readonly kind: string; readonly code: string }): void {
  parts.onBackgroundError(
    new Error(`the consent of the deleted connector ${connectorId} was not revoked at ${kind} (${code}); revoke it there`),
  )
}

/** Opens the credentials of a connector; undefined when they cannot be opened, which stops no deletion. */
async function openEnding(parts: Seals, db: Db, row: EndingConnector): Promise<Secret<CredentialValues> | undefined> {
  try {
    return await openCredentials(parts, db, row)
  } catch (thrown) {
    if (asFerruleError(thrown).code !== 'credentials_unreadable') throw thrown
    return undefined
  }
}

/** Keeps the token of a deleted connector, for the vendor to end. Call it in the transaction of the deletion. */
export async function keepRevocation(parts: Parts, db: Db, row: EndingConnector): Promise<void> {
  const { organization_id, kind, oauth_client_id, configuration, sandbox } = row
  if (oauth_client_id === null) return // without the operator's OAuth client the vendor ends nothing
  const values = await openEnding(parts, db, row)
  if (values === undefined) return report(parts, row.id, { kind, code: 'credentials_unreadable' })
  const ref = { organizationId: organization_id, kind, connectorId: row.id }
  const { masterKeyId, sealed } = parts.masterSeals.seal(ref, values)
  const now = parts.source.clock()
  await insertConsentRevocation(db, {
    id: newId(parts.source),
    organization_id,
    connector_id: row.id,
    kind,
    configuration,
    sandbox,
    oauth_client_id,
    sealed,
    master_key_id: masterKeyId,
    failures: 0,
    not_before: now,
    created_at: now,
  })
}

/**
 * Keeps the tokens that no connector outside of a workspace has, for the vendor to end. Call it in the transaction that destroys the
 * workspace: nothing restores the workspace any more.
 */
export async function keepRevocationsOf(
  parts: Parts,
  db: Db,
  workspace: { readonly id: string; readonly organization_id: string },
): Promise<void> {
  const consents = Map.groupBy(await holdConsentsOf(db, workspace), (row) => row.consent_digest)
  for (const sharing of consents.values()) {
    const last = sharing.find((row) => row.oauth_client_id !== null)
    if (last !== undefined && sharing.every((row) => row.workspace_id === workspace.id)) await keepRevocation(parts, db, last)
  }
}

/** Opens the connection that a deleted connector had. @throws FerruleError `credentials_unreadable` */
async function connect(parts: Parts, row: ConsentRevocationRow): Promise<Connection> {
  const { organization_id: organizationId, connector_id: connectorId, kind } = row
  const sealed = { masterKeyId: row.master_key_id, sealed: row.sealed }
  const values = parts.masterSeals.open({ organizationId, kind, connectorId }, sealed)
  const vendor = { kind: await parts.kinds.get(row), sandbox: Boolean(row.sandbox) }
  return buildConnection(parts, vendor, { configuration: JSON.parse(row.configuration), credentials: toUnstoredSource(values) })
}

/** Stores a failed try, or gives the token up and reports it. */
async function putOff(parts: Parts, row: ConsentRevocationRow, { leased, thrown }: { leased: number; thrown: unknown }): Promise<void> {
  const { db } = parts.database
  const delay = delaysMs[row.failures]
  const { code } = asFerruleError(thrown)
  if (delay !== undefined && code !== 'credentials_unreadable') {
    await deferRevocation(db, { ...row, not_before: leased }, { notBefore: parts.source.clock() + delay, failures: row.failures + 1 })
    return
  }
  await deleteConsentRevocation(db, row)
  report(parts, row.connector_id, { kind: row.kind, code })
}

async function end(parts: Parts, row: ConsentRevocationRow): Promise<void> {
  const { db } = parts.database
  const leased = parts.source.clock() + leaseMs
  if (!(await deferRevocation(db, row, { notBefore: leased, failures: row.failures }))) return
  try {
    await parts.engine.revokeConsent(await connect(parts, row))
    await deleteConsentRevocation(db, row)
  } catch (thrown) {
    await putOff(parts, row, { leased, thrown })
  }
}

/** Builds the service. */
export function createConsentRevocations(parts: Parts): ConsentRevocations {
  const endDue = async (): Promise<number> => {
    const due = await listDueRevocations(parts.database.db, parts.source.clock(), batch)
    for (const row of due) await end(parts, row)
    return due.length
  }
  const run = () => parts.unfinished.add(endDue())
  const onError = (cause: unknown) => parts.onBackgroundError(new Error('tokens of deleted connectors could not be ended', { cause }))
  return { run, start: () => void run().catch(onError) }
}
