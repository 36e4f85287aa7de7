/** Statements over organizations, applications and grants. */
import type { Selectable } from 'kysely'
import type { Db } from './database.ts'
import type { ApplicationTable, OrganizationTable } from './schema.ts'

/** An application. */
export type ApplicationRow = Selectable<ApplicationTable>
/** An organization. */
export type OrganizationRow = Selectable<OrganizationTable>

/** Stores an organization. */
export const insertOrganization = async (db: Db, row: OrganizationRow): Promise<void> => {
  await db.insertInto('organizations').values(row).execute()
}

/** Whether an organization exists. */
export const hasOrganization = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** Organizations that an application was granted in, the oldest first. */
export const organizationsOf = (db: Db, applicationId: string, limit: number) =>
  db
    .selectFrom('grants')
    .innerJoin('organizations', 'organizations.id', 'grants.organization_id')
    .select(['organizations.id', 'organizations.name', 'organizations.created_at'])
    .where('grants.application_id', '=', applicationId)
    .orderBy('organizations.id')
    .limit(limit)
    .execute()

/** Organizations that an application was granted in, and whether it made them itself. */
export const grantedOrganizations = (db: Db, applicationId: string) =>
  db
    .selectFrom('grants')
    .innerJoin('organizations', 'organizations.id', 'grants.organization_id')
    .select(['organizations.id', 'grants.own'])
    .where('grants.application_id', '=', applicationId)
    .orderBy('organizations.id')
    .execute()

/** Whether an application was granted in an organization. */
export const isGranted = async (db: Db, applicationId: string, organizationId: string): Promise<boolean> => {
  const grants = db.selectFrom('grants').select('role').where('application_id', '=', applicationId)
  return (await grants.where('organization_id', '=', organizationId).executeTakeFirst()) !== undefined
}

/** Grants an application in an organization, once. */
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

/** Takes back a grant. @returns whether there was one */
export const deleteGrant = async (db: Db, applicationId: string, organizationId: string): Promise<boolean> => {
  const grants = db.deleteFrom('grants').where('application_id', '=', applicationId).where('organization_id', '=', organizationId)
  return (await grants.executeTakeFirst()).numDeletedRows > 0n
}

/** Removes an application; its grants go with it. */
export const deleteApplication = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('applications').where('id', '=', id).execute()
}

/** All organizations with the applications that reach them, one row for each pair. */
export const organizationsWithGrants = (db: Db) =>
  db
    .selectFrom('organizations')
    .leftJoin('grants', 'grants.organization_id', 'organizations.id')
    .leftJoin('applications', 'applications.id', 'grants.application_id')
    .select(['organizations.id', 'organizations.name', 'applications.client_id'])
    .orderBy('organizations.id')
    .orderBy('applications.client_id')
    .execute()

/** Stores an application. */
export const insertApplication = async (db: Db, row: ApplicationRow): Promise<void> => {
  await db.insertInto('applications').values(row).execute()
}

/** The application of a client id. */
export const findApplication = (db: Db, clientId: string): Promise<ApplicationRow | undefined> =>
  db.selectFrom('applications').selectAll().where('client_id', '=', clientId).executeTakeFirst()

/** An application by its id. */
export const applicationById = (db: Db, id: string): Promise<ApplicationRow | undefined> =>
  db.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst()

/** All applications with the organizations that they reach, one row for each pair. */
export const applicationsWithGrants = (db: Db) =>
  db
    .selectFrom('applications')
    .leftJoin('grants', 'grants.application_id', 'applications.id')
    .select(['applications.id', 'applications.client_id', 'applications.name', 'applications.created_at', 'grants.organization_id'])
    .orderBy('applications.id')
    .orderBy('grants.organization_id')
    .execute()

/** Replaces the pair of an application. */
export const updatePair = async (db: Db, id: string, pair: { readonly client_id: string; readonly secret_hash: string }): Promise<void> => {
  await db.updateTable('applications').set(pair).where('id', '=', id).execute()
}
