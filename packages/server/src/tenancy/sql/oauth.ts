/**
 * Queries the authorization server's records and grants. A digest of a secret decides on the row, or the id of a grant from a record that
 * such a secret opened. So these statements carry no organization of their own.
 */
import type { Selectable } from 'kysely'
import { type Db, lockForUpdate } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { OAuthRecordTable } from '../../db/schema/schema.ts'
import type { McpTokenRow } from './mcp-tokens.ts'

/** A record. */
export type OAuthRecordRow = Selectable<OAuthRecordTable>

/** Stores a record; a second content of the same id replaces the first. */
export const saveOAuthRecord = async (db: Db, row: OAuthRecordRow): Promise<void> => {
  await db
    .insertInto('oauth_records')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ sealed: row.sealed, expires_at: row.expires_at }))
    .execute()
}

/** Stores a record, unless its id is known. */
export const insertOAuthRecord = async (db: Db, row: OAuthRecordRow): Promise<void> => {
  await db
    .insertInto('oauth_records')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .execute()
}

/** Finds a record that has not expired. */
export const findOAuthRecord = (db: Db, digest: string, now: number): Promise<OAuthRecordRow | undefined> =>
  db.selectFrom('oauth_records').selectAll().where('digest', '=', digest).where('expires_at', '>', now).executeTakeFirst()

/** Marks a record as used, once. Keeps it until `until` at most, to recognize a second use. @returns false when it was used before */
export async function consumeOAuthRecord(db: Db, digest: string, { now, until }: { readonly now: number; readonly until: number }) {
  const update = db
    .updateTable('oauth_records')
    .set(({ eb, ref }) => ({
      consumed_at: now,
      expires_at: eb.case().when('expires_at', '>', until).then(until).else(ref('expires_at')).end(),
    }))
    .where('digest', '=', digest)
    .where('consumed_at', 'is', null)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes a record. */
export const deleteOAuthRecord = async (db: Db, digest: string): Promise<void> => {
  await db.deleteFrom('oauth_records').where('digest', '=', digest).execute()
}

/** Extends the life of a record; never shortens it. */
export const extendOAuthRecord = async (db: Db, digest: string, until: number): Promise<void> => {
  const rows = db.updateTable('oauth_records').set({ expires_at: until }).where('digest', '=', digest)
  await rows.where('expires_at', '<', until).execute()
}

/** Counts the records of a type, with expired ones. */
export async function countOAuthRecords(db: Db, type: string): Promise<number> {
  const rows = db.selectFrom('oauth_records').select(({ fn }) => fn.countAll().as('count'))
  return Number((await rows.where('type', '=', type).executeTakeFirst())?.count ?? 0)
}

/** Deletes records that expired at or before a timestamp. @returns the number */
export const deleteEndedOAuthRecords = (db: Db, before: number): Promise<number> =>
  deleteEnded(db, { table: 'oauth_records', key: ['digest'], end: 'expires_at' }, before)

const liveGrants = (db: Db, id: string, now: number) =>
  db
    .selectFrom('mcp_tokens')
    .innerJoin('organizations', 'organizations.id', 'mcp_tokens.organization_id')
    .selectAll('mcp_tokens')
    .where('mcp_tokens.id', '=', id)
    .where('mcp_tokens.parent_id', 'is', null)
    .where('mcp_tokens.client_id', 'is not', null)
    .where('mcp_tokens.expires_at', '>', now)
    .where('organizations.deleted_at', 'is', null)

/** Finds a grant that has not ended. */
export const findGrant = (db: Db, id: string, now: number): Promise<McpTokenRow | undefined> => liveGrants(db, id, now).executeTakeFirst()

/** Finds a grant and locks it until the transaction ends. */
export const holdGrant = (db: Db, id: string, now: number): Promise<McpTokenRow | undefined> =>
  lockForUpdate(db, liveGrants(db, id, now), 'mcp_tokens').executeTakeFirst()

/** Sets the end of a grant. */
export const setGrantEnd = async (db: Db, id: string, end: number): Promise<void> => {
  await db.updateTable('mcp_tokens').set({ expires_at: end }).where('id', '=', id).execute()
}

/** Deletes a grant with its tokens and codes. */
export const deleteOAuthGrant = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('mcp_tokens').where('id', '=', id).where('client_id', 'is not', null).execute()
}

/** Finds an access token of OAuth by its digest. */
export const findAccessToken = (db: Db, digest: string): Promise<McpTokenRow | undefined> =>
  db.selectFrom('mcp_tokens').selectAll().where('digest', '=', digest).where('parent_id', 'is not', null).executeTakeFirst()

/** Sets the end of an access token of OAuth. @returns false when the grant has no such token */
export async function setAccessTokenEnd(db: Db, digest: string, { grantId, end }: { readonly grantId: string; readonly end: number }) {
  const update = db.updateTable('mcp_tokens').set({ expires_at: end }).where('digest', '=', digest).where('parent_id', '=', grantId)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes an access token of OAuth. */
export const deleteAccessToken = async (db: Db, digest: string): Promise<void> => {
  await db.deleteFrom('mcp_tokens').where('digest', '=', digest).where('parent_id', 'is not', null).execute()
}

/** Deletes the access tokens of a grant, except the newest ones. */
export const trimAccessTokens = async (db: Db, grantId: string, kept: number): Promise<void> => {
  const newest = db.selectFrom('mcp_tokens as newest').select('newest.id').where('newest.parent_id', '=', grantId)
  await db
    .deleteFrom('mcp_tokens')
    .where('parent_id', '=', grantId)
    .where('id', 'not in', newest.orderBy('newest.id', 'desc').limit(kept))
    .execute()
}

/** Deletes used codes and refresh tokens of a grant, except the newest ones. */
export const trimUsedRecords = async (db: Db, grantId: string, kept: number): Promise<void> => {
  const newest = db
    .selectFrom('oauth_records as newest')
    .select('newest.digest')
    .where('newest.grant_id', '=', grantId)
    .where('newest.consumed_at', 'is not', null)
  await db
    .deleteFrom('oauth_records')
    .where('grant_id', '=', grantId)
    .where('consumed_at', 'is not', null)
    .where('digest', 'not in', newest.orderBy('newest.consumed_at', 'desc').limit(kept))
    .execute()
}
