/** Queries the operator's OAuth clients at vendors. */
import type { Selectable } from 'kysely'
import { type Db, lockForUpdate, lockKeyShare } from '../../db/database.ts'
import type { OAuthClientTable } from '../../db/schema/schema.ts'

/** An OAuth client at a vendor. */
export type OAuthClientRow = Selectable<OAuthClientTable>

/** The OAuth client of a kind in an organization. */
export interface OAuthClientRef {
  readonly organizationId: string
  readonly kind: string
}

const own = (db: Db, { organizationId, kind }: OAuthClientRef) =>
  db.selectFrom('oauth_clients').selectAll().where('organization_id', '=', organizationId).where('kind', '=', kind)

/** Stores an OAuth client; a second one of the same kind replaces the first, and keeps its id. */
export const saveOAuthClient = async (db: Db, row: OAuthClientRow): Promise<void> => {
  const { fields, hosts, sealed, master_key_id, updated_at } = row
  await db
    .insertInto('oauth_clients')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'kind']).doUpdateSet({ fields, hosts, sealed, master_key_id, updated_at }),
    )
    .execute()
}

/** Lists the OAuth clients of an organization with the number of their connectors. */
export const listOAuthClients = (db: Db, organizationId: string) =>
  db
    .selectFrom('oauth_clients')
    .selectAll('oauth_clients')
    .select((eb) =>
      eb
        .selectFrom('connectors')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('connectors.oauth_client_id', '=', 'oauth_clients.id')
        .where('connectors.organization_id', '=', organizationId)
        .as('connectors'),
    )
    .where('organization_id', '=', organizationId)
    .orderBy('kind')
    .execute()

/** Finds the OAuth client of a kind. */
export const findOAuthClient = (db: Db, ref: OAuthClientRef): Promise<OAuthClientRow | undefined> => own(db, ref).executeTakeFirst()

/** Finds an OAuth client by its id. */
export const findOAuthClientById = (db: Db, organizationId: string, id: string): Promise<OAuthClientRow | undefined> =>
  db.selectFrom('oauth_clients').selectAll().where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst()

/** Finds an OAuth client by its id, and prevents its deletion until the transaction ends. */
export const keepOAuthClient = (db: Db, organizationId: string, id: string): Promise<OAuthClientRow | undefined> =>
  lockKeyShare(
    db,
    db.selectFrom('oauth_clients').selectAll().where('organization_id', '=', organizationId).where('id', '=', id),
  ).executeTakeFirst()

/** Finds the OAuth client of a kind, and locks it until the transaction ends. */
export const holdOAuthClient = (db: Db, ref: OAuthClientRef): Promise<OAuthClientRow | undefined> =>
  lockForUpdate(db, own(db, ref), 'oauth_clients').executeTakeFirst()

/** Deletes an OAuth client with its secret. Its connectors stay, without it. Call it in a transaction. */
export const deleteOAuthClient = async (db: Db, { organization_id, id }: OAuthClientRow): Promise<void> => {
  const ending = db.deleteFrom('consent_revocations').where('organization_id', '=', organization_id)
  await ending.where('oauth_client_id', '=', id).execute()
  await db.deleteFrom('oauth_clients').where('organization_id', '=', organization_id).where('id', '=', id).execute()
}

/** Counts the connectors of an OAuth client. */
export async function countConnectorsOf(db: Db, { organization_id, id }: OAuthClientRow): Promise<number> {
  const rows = db.selectFrom('connectors').select(({ fn }) => fn.countAll().as('count'))
  const own = rows.where('organization_id', '=', organization_id).where('oauth_client_id', '=', id)
  return Number((await own.executeTakeFirst())?.count ?? 0)
}

/** Lists OAuth clients that the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listOAuthClientsNotSealedBy = (db: Db, current: string, limit: number): Promise<OAuthClientRow[]> =>
  db.selectFrom('oauth_clients').selectAll().where('master_key_id', '<>', current).orderBy('id').limit(limit).execute()

/** Replaces the encryption of an OAuth client unless it changed. @returns whether it was replaced */
export async function resealOAuthClient(
  db: Db,
  row: OAuthClientRow,
  next: { readonly masterKeyId: string; readonly sealed: Uint8Array },
): Promise<boolean> {
  const done = await db
    .updateTable('oauth_clients')
    .set({ master_key_id: next.masterKeyId, sealed: next.sealed })
    .where('id', '=', row.id)
    .where('master_key_id', '=', row.master_key_id)
    .where('updated_at', '=', row.updated_at)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
