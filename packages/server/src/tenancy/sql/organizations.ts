/** Queries organizations. */
import { type CompiledQuery, type Selectable, sql } from 'kysely'
import { type Db, lockForUpdate, lockShared, named, withValues } from '../../db/database.ts'
import type { OrganizationTable } from '../../db/schema/schema.ts'

/** An organization. */
export type OrganizationRow = Selectable<OrganizationTable>

/** Inserts an organization. */
export const insertOrganization = async (db: Db, row: OrganizationRow): Promise<void> => {
  await db.insertInto('organizations').values(row).execute()
}

/** Renames an organization. @returns undefined when it is deleted */
export const updateOrganization = (db: Db, id: string, name: string) =>
  db
    .updateTable('organizations')
    .set({ name })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(['id', 'name', 'created_at'])
    .executeTakeFirst()

const existing = (db: Db, id: string) =>
  db.selectFrom('organizations').select('organizations.id').where('id', '=', id).where('deleted_at', 'is', null)

/** Returns whether an organization exists, for requests. */
export type ExistenceQuery = (id: string) => Promise<boolean>

/** Builds the query of requests, compiled once. */
export function existenceQuery(db: Db): ExistenceQuery {
  const compiled: CompiledQuery<{ readonly id: string }> = named('organization', existing(db, '').compile())
  return async (id) => (await db.executeQuery(withValues(compiled, id))).rows.length > 0
}

/** Locks an organization against deletion until the transaction ends. @returns false when it is deleted or never was */
export const holdOrganization = async (db: Db, id: string): Promise<boolean> =>
  (await lockShared(db, existing(db, id)).executeTakeFirst()) !== undefined

/** An application and an organization that it may reach. */
export interface GrantRef {
  readonly applicationId: string
  readonly organizationId: string
}

/** Finds an organization of an application, deleted or not. */
export const findGrantedOrganization = (db: Db, { applicationId, organizationId }: GrantRef): Promise<OrganizationRow | undefined> =>
  db
    .selectFrom('organizations')
    .innerJoin('grants', 'grants.organization_id', 'organizations.id')
    .selectAll('organizations')
    .where('organizations.id', '=', organizationId)
    .where('grants.application_id', '=', applicationId)
    .executeTakeFirst()

/** Locks the grants of an application until the transaction ends. */
export const lockGrantsOf = async (db: Db, applicationId: string): Promise<void> => {
  const grants = db.selectFrom('grants').select('organization_id').where('application_id', '=', applicationId).orderBy('organization_id')
  await lockForUpdate(db, grants, 'grants').execute()
}

/**
 * Marks an organization and its workspaces as deleted. An update locks less than `for update`, so it does not wait for transactions that
 * insert runs and jobs of the organization. Those may wait for rows of this transaction.
 * @returns false when it is deleted already
 */
export async function removeOrganization(db: Db, id: string, now: number): Promise<boolean> {
  const marked = db.updateTable('organizations').set({ deleted_at: now }).where('id', '=', id).where('deleted_at', 'is', null)
  if ((await marked.executeTakeFirst()).numUpdatedRows === 0n) return false
  const workspaces = db.updateTable('workspaces').set({ deleted_at: now }).where('organization_id', '=', id)
  await workspaces.where('deleted_at', 'is', null).execute()
  return true
}

/**
 * Restores an organization with the workspaces that were deleted together with it.
 * @param row as it was read; a change since then restores nothing
 * @returns the organization
 */
export async function restoreOrganization(db: Db, { id, deleted_at }: OrganizationRow): Promise<OrganizationRow | undefined> {
  const rows = db.updateTable('organizations').set({ deleted_at: null }).where('id', '=', id).where('deleted_at', '=', deleted_at)
  const restored = await rows.returningAll().executeTakeFirst()
  if (restored === undefined) return undefined
  const workspaces = db.updateTable('workspaces').set({ deleted_at: null }).where('organization_id', '=', id)
  await workspaces.where('deleted_at', '=', deleted_at).execute()
  return restored
}

/** Lists organizations that were deleted before a timestamp, and whose workspaces are destroyed. */
export const listEmptyOrganizations = (db: Db, moment: number, limit: number) =>
  db
    .selectFrom('organizations')
    .select('organizations.id')
    .where('organizations.deleted_at', '<', moment)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('workspaces').select('workspaces.id').whereRef('workspaces.organization_id', '=', 'organizations.id'))),
    )
    .limit(limit)
    .execute()

/**
 * Deletes an organization for good, with the applications that others made for it only. An application that created it may work elsewhere
 * later. Call it in a transaction.
 * @param kept id of an application that stays; the first one
 * @returns whether it was deleted
 */
export async function destroyOrganization(
  db: Db,
  { id, before, kept }: { readonly id: string; readonly before: number; readonly kept: string | undefined },
): Promise<boolean> {
  // Writes the row first, which locks it. Nothing restores the organization afterwards.
  const held = db.updateTable('organizations').set({ deleted_at: sql<number>`deleted_at` }).where('id', '=', id)
  if ((await held.where('deleted_at', '<', before).executeTakeFirst()).numUpdatedRows === 0n) return false
  const within = db.selectFrom('grants').select('application_id').where('organization_id', '=', id).where('own', '=', 0)
  const elsewhere = db.selectFrom('grants').select('application_id').where('organization_id', '<>', id)
  await db
    .deleteFrom('applications')
    .where('id', 'in', within)
    .where('id', 'not in', elsewhere)
    .$if(kept !== undefined, (rows) => rows.where('id', '<>', kept ?? ''))
    .execute()
  await db.deleteFrom('organizations').where('id', '=', id).execute()
  return true
}
