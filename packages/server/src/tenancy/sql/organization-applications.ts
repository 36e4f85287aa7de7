/** Queries the applications of one organization. Every statement carries the organization. */
import { type Db, lockForUpdate, lockShared } from '../../db/database.ts'
import { deleteMcpTokensOf } from './mcp-tokens.ts'

/** An application of an organization. */
export interface ApplicationRef {
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
export const findOrganizationApplication = (db: Db, { organizationId, id }: ApplicationRef) =>
  db
    .selectFrom('applications')
    .select(['id', 'client_id', 'name', 'created_at'])
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .executeTakeFirst()

/**
 * Returns the hash of an application's secret, and locks it and its grant until the transaction ends; undefined without a grant,
 * and in a deleted organization.
 */
export async function holdSecretHash(db: Db, { organizationId, id }: ApplicationRef): Promise<string | undefined> {
  const granted = db
    .selectFrom('grants')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .innerJoin('organizations', 'organizations.id', 'grants.organization_id')
    .select('applications.secret_hash')
    .where('grants.organization_id', '=', organizationId)
    .where('grants.application_id', '=', id)
    .where('organizations.deleted_at', 'is', null)
  return (await lockShared(db, granted).executeTakeFirst())?.secret_hash
}

/** Locks who reaches an organization until the transaction ends. */
export const lockGrants = async (db: Db, organizationId: string): Promise<void> => {
  await lockForUpdate(db, listWithin(db, organizationId).orderBy('application_id'), 'grants').execute()
}

const updateWithin = (db: Db, { organizationId, id }: ApplicationRef) =>
  db
    .updateTable('applications')
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .where('id', 'not in', listElsewhere(db, organizationId))

/** Renames an application that reaches this organization only. @returns whether there was one */
export const updateNameWithin = async (db: Db, ref: ApplicationRef, name: string): Promise<boolean> =>
  (await updateWithin(db, ref).set({ name }).executeTakeFirst()).numUpdatedRows > 0n

/**
 * Replaces the secret of an application that reaches this organization only, and ends its MCP tokens. Call it in a transaction.
 * @returns whether there was one
 */
export const updateSecretWithin = async (db: Db, ref: ApplicationRef, hash: string): Promise<boolean> => {
  const { numUpdatedRows } = await updateWithin(db, ref).set({ secret_hash: hash }).executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await deleteMcpTokensOf(db, ref.id)
  return true
}

/** Deletes an application that reaches this organization only, with its grant. @returns whether there was one */
export const deleteWithin = async (db: Db, { organizationId, id }: ApplicationRef): Promise<boolean> => {
  const deletion = db
    .deleteFrom('applications')
    .where('id', '=', id)
    .where('id', 'in', listWithin(db, organizationId))
    .where('id', 'not in', listElsewhere(db, organizationId))
  return (await deletion.executeTakeFirst()).numDeletedRows > 0n
}
