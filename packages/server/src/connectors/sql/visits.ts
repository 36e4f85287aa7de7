/** Queries sessions and attempts of the connect page. The digest of a secret decides on a row; everything after it carries the organization. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { AttemptStatus, ConnectAttemptTable, ConnectSessionTable } from '../../db/schema/schema.ts'

/** A session. */
export type ConnectSessionRow = Selectable<ConnectSessionTable>
/** An attempt. */
export type ConnectAttemptRow = Selectable<ConnectAttemptTable>

/** Inserts a session, and deletes all but the newest sessions of the link. */
export async function insertConnectSession(db: Db, row: ConnectSessionRow, kept: number): Promise<void> {
  await db.insertInto('connect_sessions').values(row).execute()
  const newest = db
    .selectFrom('connect_sessions as newest')
    .select('newest.digest')
    .where('newest.organization_id', '=', row.organization_id)
    .where('newest.link_id', '=', row.link_id)
  await db
    .deleteFrom('connect_sessions')
    .where('organization_id', '=', row.organization_id)
    .where('link_id', '=', row.link_id)
    .where('digest', '<>', row.digest)
    .where('digest', 'not in', newest.orderBy('newest.created_at', 'desc').orderBy('newest.digest').limit(kept))
    .execute()
}

/** Finds a session that has not expired. */
export const findConnectSession = (db: Db, digest: string, now: number): Promise<ConnectSessionRow | undefined> =>
  db.selectFrom('connect_sessions').selectAll().where('digest', '=', digest).where('expires_at', '>', now).executeTakeFirst()

/** Inserts an attempt. */
export const insertConnectAttempt = async (db: Db, row: ConnectAttemptRow): Promise<void> => {
  await db.insertInto('connect_attempts').values(row).execute()
}

/** Finds the last attempt of a session. */
export const findLastAttempt = (db: Db, session: ConnectSessionRow): Promise<ConnectAttemptRow | undefined> =>
  db
    .selectFrom('connect_attempts')
    .selectAll()
    .where('organization_id', '=', session.organization_id)
    .where('link_id', '=', session.link_id)
    .where('session_digest', '=', session.digest)
    .orderBy('id', 'desc')
    .executeTakeFirst()

/** Finds an attempt by the digest of its `state`, whether it has expired or not. */
export const findAttemptByState = (db: Db, stateDigest: string): Promise<ConnectAttemptRow | undefined> =>
  db.selectFrom('connect_attempts').selectAll().where('state_digest', '=', stateDigest).executeTakeFirst()

/** One step of an attempt. */
export interface AttemptStep {
  readonly from: AttemptStatus
  readonly to: AttemptStatus
  /** The step is taken only before the attempt expires. Milliseconds since 1970. */
  readonly now: number
  readonly failure?: string
  readonly sealed?: Uint8Array
}

/** Takes a step of an attempt, in one statement: of several nodes one takes it. @returns whether it was taken */
export async function stepAttempt(
  db: Db,
  { organization_id, id }: Pick<ConnectAttemptRow, 'organization_id' | 'id'>,
  { from, to, now, failure, sealed }: AttemptStep,
): Promise<boolean> {
  const update = db
    .updateTable('connect_attempts')
    .set({ status: to, sealed: sealed ?? null, failure })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .where('status', '=', from)
    .where('expires_at', '>', now)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes sessions and attempts that expired at or before a timestamp. @returns the number */
export async function deleteEndedVisits(db: Db, before: number): Promise<number> {
  const attempts = await deleteEnded(db, { table: 'connect_attempts', key: ['id'], end: 'expires_at' }, before)
  const sessions = await deleteEnded(db, { table: 'connect_sessions', key: ['digest'], end: 'expires_at' }, before)
  return attempts + sessions
}
