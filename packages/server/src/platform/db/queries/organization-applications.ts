/** Queries the applications of one organization. Every statement carries the organization. */
import { type Db, lockForUpdate } from '../database.ts'

/** An application of an organization. */
export interface ApplicationPlace {
  readonly organizationId: string
  readonly id: string
}

const listWithin = (db: Db, organizationId: string) =>
  db.selectFrom('grants').select('application_id').where('organization_id', '=', organizationId)
const listElsewhere = (db: Db, organizationId: string) =>
  db.selectFrom('grants').select('application_id').where('organization_id', '<>', organizationId)

/** Lists the applications of an organization, oldest first. */
export const listOrganizationApplications = (db: Db, organizationId: string) =>
  db
    .selectFrom('applications')
    .select(['id', 'client_id', 'name', 'created_at'])
    .where('id', 'in', listWithin(db, organizationId))
    .orderBy('id')
    .execute()

/** Finds an application of an organization. */
export const findOrganizationApplication = (db: Db, { organizationId, id }: ApplicationPlace) =>
  db
    .selectFrom('applications')
    .select(['id', 'client_id', 'name', 'created_at'])
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .executeTakeFirst()

/** Locks who reaches an organization until the transaction ends. */
export const lockGrants = async (db: Db, organizationId: string): Promise<void> => {
  await lockForUpdate(db, listWithin(db, organizationId).orderBy('application_id'), 'grants').execute()
}

/** Replaces the secret of an application that reaches this organization only. @returns whether there was one */
export const updateSecretWithin = async (db: Db, { organizationId, id }: ApplicationPlace, hash: string): Promise<boolean> => {
  const update = db
    .updateTable('applications')
    .set({ secret_hash: hash })
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .where('id', 'not in', listElsewhere(db, organizationId))
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes an application that reaches this organization only, with its grant. @returns whether there was one */
export const deleteWithin = async (db: Db, { organizationId, id }: ApplicationPlace): Promise<boolean> => {
  const deletion = db
    .deleteFrom('applications')
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .where('id', 'not in', listElsewhere(db, organizationId))
  return (await deletion.executeTakeFirst()).numDeletedRows > 0n
}
