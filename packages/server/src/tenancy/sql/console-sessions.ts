/** Queries sessions of the console. The digest of a secret decides on the row; a session reaches the organizations of its application. */
import type { Selectable } from 'kysely'
import { type Db, named, withValues } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { ConsoleSessionTable } from '../../db/schema/schema.ts'

/** Stores a session. */
export const insertConsoleSession = async (db: Db, row: Selectable<ConsoleSessionTable>): Promise<void> => {
  await db.insertInto('console_sessions').values(row).execute()
}

const withDigest = (db: Db, digest: string) =>
  db
    .selectFrom('console_sessions')
    .innerJoin('applications', 'applications.id', 'console_sessions.application_id')
    .selectAll('console_sessions')
    .select('applications.secret_hash')
    .where('console_sessions.digest', '=', digest)

/** A session as a request reads it, with the present hash of its application's secret. */
export type UsedConsoleSession = Awaited<ReturnType<ReturnType<typeof withDigest>['execute']>>[number]

/** Builds the query of every request, compiled once. */
export function consoleSessionQuery(db: Db): (digest: string) => Promise<UsedConsoleSession | undefined> {
  const query = named('session of the console', withDigest(db, '').compile())
  return async (digest) => (await db.executeQuery(withValues(query, digest))).rows[0]
}

/** Stores the use of a session, unless a use after `before` is stored. */
export const setConsoleSessionUse = async (db: Db, digest: string, { at, before }: { at: number; before: number }): Promise<void> => {
  const rows = db.updateTable('console_sessions').set({ last_used_at: at }).where('digest', '=', digest)
  await rows.where('last_used_at', '<=', before).execute()
}

/** Deletes a session. */
export const deleteConsoleSession = async (db: Db, digest: string): Promise<void> => {
  await db.deleteFrom('console_sessions').where('digest', '=', digest).execute()
}

/** Deletes the sessions of an application. */
export const deleteConsoleSessionsOf = async (db: Db, applicationId: string): Promise<void> => {
  await db.deleteFrom('console_sessions').where('application_id', '=', applicationId).execute()
}

/** Deletes the oldest sessions of an application, except the newest ones. */
export const trimConsoleSessions = async (db: Db, applicationId: string, kept: number): Promise<void> => {
  const newest = db.selectFrom('console_sessions as newest').select('newest.digest').where('newest.application_id', '=', applicationId)
  await db
    .deleteFrom('console_sessions')
    .where('application_id', '=', applicationId)
    .where('digest', 'not in', newest.orderBy('newest.created_at', 'desc').orderBy('newest.digest').limit(kept))
    .execute()
}

/** Deletes sessions that were last used at or before a timestamp. @returns the number */
export const deleteEndedConsoleSessions = (db: Db, before: number): Promise<number> =>
  deleteEnded(db, { table: 'console_sessions', key: ['digest'], end: 'last_used_at' }, before)
