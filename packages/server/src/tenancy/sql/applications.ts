/** Queries applications, and their grants in organizations that are not deleted. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { ApplicationTable } from '../../db/schema/schema.ts'
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

/** Replaces the client id and secret of an application, and ends its tokens for MCP. Call it in a transaction. */
export const updateClientPair = async (
  db: Db,
  id: string,
  pair: { readonly client_id: string; readonly secret_hash: string },
): Promise<void> => {
  await db.updateTable('applications').set(pair).where('id', '=', id).execute()
  await deleteMcpTokensOf(db, id)
}
