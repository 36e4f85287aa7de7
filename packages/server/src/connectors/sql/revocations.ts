/** Queries tokens that vendors still have to end. Rows are written with the organization of the deleted connector, and read by nodes only. */
import type { Selectable } from 'kysely'
import { type Db, lockForUpdate } from '../../db/database.ts'
import type { ConsentRevocationTable } from '../../db/schema/schema.ts'

/** A token that is to be ended. */
export type ConsentRevocationRow = Selectable<ConsentRevocationTable>

/**
 * Lists the connectors that share the token of a connector, and locks them in their order until the transaction ends: of two deletions at
 * the same time, the second one sees the first. Empty without a consent.
 */
export async function holdConsent(db: Db, organizationId: string, connectorId: string | undefined): Promise<readonly string[]> {
  if (connectorId === undefined) return []
  const own = db
    .selectFrom('connectors as own')
    .select('own.consent_digest')
    .where('own.organization_id', '=', organizationId)
    .where('own.id', '=', connectorId)
  const sharing = db
    .selectFrom('connectors')
    .select('connectors.id')
    .where('connectors.organization_id', '=', organizationId)
    .where('connectors.consent_digest', '=', own)
    .orderBy('connectors.id')
  return (await lockForUpdate(db, sharing, 'connectors').execute()).map(({ id }) => id)
}

/**
 * Lists the connectors that share a token with one of a workspace, in all workspaces of its organization, and locks them in their order until
 * the transaction ends. Deleted workspaces count: a restore must find working tokens.
 */
export function holdConsentsOf(db: Db, { id, organization_id }: { readonly id: string; readonly organization_id: string }) {
  const own = db
    .selectFrom('connectors as own')
    .select('own.consent_digest')
    .where('own.organization_id', '=', organization_id)
    .where('own.workspace_id', '=', id)
    .where('own.consent_digest', 'is not', null)
  const sharing = db
    .selectFrom('connectors')
    .leftJoin('oauth_clients', (join) =>
      join
        .onRef('oauth_clients.id', '=', 'connectors.oauth_client_id')
        .onRef('oauth_clients.organization_id', '=', 'connectors.organization_id'),
    )
    .selectAll('connectors')
    .select(['oauth_clients.sealed as oauth_client_sealed', 'oauth_clients.master_key_id as oauth_client_key_id'])
    .where('connectors.organization_id', '=', organization_id)
    .where('connectors.consent_digest', 'in', own)
    .orderBy('connectors.id')
  return lockForUpdate(db, sharing, 'connectors').execute()
}

/** Inserts a token that is to be ended. */
export const insertConsentRevocation = async (db: Db, row: ConsentRevocationRow): Promise<void> => {
  await db
    .insertInto('consent_revocations')
    .values({ ...row, sandbox: Boolean(row.sandbox) })
    .execute()
}

/** Lists tokens that are due, the oldest first. */
export const listDueRevocations = (db: Db, now: number, limit: number): Promise<ConsentRevocationRow[]> =>
  db.selectFrom('consent_revocations').selectAll().where('not_before', '<=', now).orderBy('not_before').limit(limit).execute()

/** Lists tokens that the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listRevocationsNotSealedBy = (db: Db, current: string, limit: number): Promise<ConsentRevocationRow[]> =>
  db.selectFrom('consent_revocations').selectAll().where('master_key_id', '<>', current).orderBy('id').limit(limit).execute()

/** Replaces the encryption of a token unless another process replaced it. */
export const resealRevocation = async (
  db: Db,
  { id, organization_id, master_key_id }: ConsentRevocationRow,
  next: { readonly masterKeyId: string; readonly sealed: Uint8Array },
): Promise<void> => {
  const update = db.updateTable('consent_revocations').set({ master_key_id: next.masterKeyId, sealed: next.sealed })
  await update.where('id', '=', id).where('organization_id', '=', organization_id).where('master_key_id', '=', master_key_id).execute()
}

/** Sets the time of the next try, unless another node has taken this one. @returns whether it was set */
export async function deferRevocation(
  db: Db,
  row: ConsentRevocationRow,
  { notBefore, failures }: { readonly notBefore: number; readonly failures: number },
): Promise<boolean> {
  const { id, organization_id } = row
  const update = db
    .updateTable('consent_revocations')
    .set({ not_before: notBefore, failures })
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('not_before', '=', row.not_before)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes a token that was ended, or given up. */
export const deleteConsentRevocation = async (db: Db, row: ConsentRevocationRow): Promise<void> => {
  const { id, organization_id } = row
  await db.deleteFrom('consent_revocations').where('id', '=', id).where('organization_id', '=', organization_id).execute()
}
