/**
 * Queries applications, and their grants in organizations that are not deleted; and sessions of the console, which reach the organizations of
 * their application. The digest of a secret decides on the row of a session.
 */
import type { Selectable } from 'kysely'
import { type Db, named, withValues } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { ApplicationTable, ConsoleSessionTable } from '../../db/schema/schema.ts'
import { deleteMcpTokensOf } from './mcp-tokens.ts'

/** An application. */
export type ApplicationRow = Selectable<ApplicationTable>

const granted = (db: Db, applicationId: string) =>
  db
    .selectFrom('grants')
    .innerJoin('organizations', 'organizations.id', 'grants.organization_id')
    .where('grants.application_id', '=', applicationId)
    .where('organizations.deleted_at', 'is', null)

/** Lists the organizations of an application, oldest first. */
export const listOrganizations = (db: Db, applicationId: string, limit: number) =>
  granted(db, applicationId)
    .select(['organizations.id', 'organizations.name', 'organizations.created_at'])
    .orderBy('organizations.id')
    .limit(limit)
    .execute()

/** Lists the organizations of an application, and whether the application created them. */
export const listGrantedOrganizations = (db: Db, applicationId: string) =>
  granted(db, applicationId).select(['organizations.id', 'grants.own']).orderBy('organizations.id').execute()

/** Returns whether an application has a grant in an organization. */
export const isGranted = async (db: Db, applicationId: string, organizationId: string): Promise<boolean> =>
  (await granted(db, applicationId).select('grants.role').where('organizations.id', '=', organizationId).executeTakeFirst()) !== undefined

/** Grants an application access to an organization, once. */
export const insertGrant = async (
  db: Db,
  { applicationId, organizationId, now, isOwn = false }: { applicationId: string; organizationId: string; now: number; isOwn?: boolean },
): Promise<void> => {
  const row = { application_id: applicationId, organization_id: organizationId, role: 'admin', created_at: now, own: isOwn ? 1 : 0 }
  await db
    .insertInto('grants')
    .values(row)
    .onConflict((conflict) => conflict.columns(['application_id', 'organization_id']).doNothing())
    .execute()
}

/** Deletes a grant. @returns whether it existed */
export const deleteGrant = async (db: Db, applicationId: string, organizationId: string): Promise<boolean> => {
  const grants = db.deleteFrom('grants').where('application_id', '=', applicationId).where('organization_id', '=', organizationId)
  return (await grants.executeTakeFirst()).numDeletedRows > 0n
}

/** Deletes an application with its grants. Lock the grants before. */
export const deleteApplication = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('applications').where('id', '=', id).execute()
}

/** Lists all organizations with their applications, one row per pair. */
export const listOrganizationsWithGrants = (db: Db) =>
  db
    .selectFrom('organizations')
    .leftJoin('grants', 'grants.organization_id', 'organizations.id')
    .leftJoin('applications', 'applications.id', 'grants.application_id')
    .select(['organizations.id', 'organizations.name', 'applications.client_id'])
    .where('organizations.deleted_at', 'is', null)
    .orderBy('organizations.id')
    .orderBy('applications.client_id')
    .execute()

/** Inserts an application. */
export const insertApplication = async (db: Db, row: ApplicationRow): Promise<void> => {
  await db.insertInto('applications').values(row).execute()
}

/** Finds the application of a client id. */
export const findApplication = (db: Db, clientId: string): Promise<ApplicationRow | undefined> =>
  db.selectFrom('applications').selectAll().where('client_id', '=', clientId).executeTakeFirst()

/** Finds an application by its id. */
export const findApplicationById = (db: Db, id: string): Promise<ApplicationRow | undefined> =>
  db.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst()

/** Lists all applications with their organizations, one row per pair. */
export const listApplicationsWithGrants = (db: Db) =>
  db
    .selectFrom('applications')
    .leftJoin('grants', (join) =>
      join
        .onRef('grants.application_id', '=', 'applications.id')
        .on('grants.organization_id', 'in', db.selectFrom('organizations').select('organizations.id').where('deleted_at', 'is', null)),
    )
    .select(['applications.id', 'applications.client_id', 'applications.name', 'applications.created_at', 'grants.organization_id'])
    .orderBy('applications.id')
    .orderBy('grants.organization_id')
    .execute()

/** Replaces the client id and secret of an application, and ends its MCP tokens. Call it in a transaction. */
export const updateClientPair = async (
  db: Db,
  id: string,
  pair: { readonly client_id: string; readonly secret_hash: string },
): Promise<void> => {
  await db.updateTable('applications').set(pair).where('id', '=', id).execute()
  await deleteMcpTokensOf(db, id)
}

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
