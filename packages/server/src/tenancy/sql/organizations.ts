/** Queries organizations, their workspaces and jobs. */
import { type CompiledQuery, type Selectable, sql } from 'kysely'
import { type Db, lockForUpdate, lockShared, named, withValues } from '../../db/database.ts'
import type { JobTable, OrganizationTable, WorkspaceTable } from '../../db/schema/schema.ts'
import type { PrincipalView } from '../../values/access.ts'

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

/** A workspace. */
export type WorkspaceRow = Selectable<WorkspaceTable>
/** Filters and position of a list. */
interface WorkspaceListOptions {
  readonly nameContains?: string | undefined
  readonly status?: 'active' | 'inactive' | undefined
  readonly deleted?: 'only' | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Selects the workspaces of a view: those that are not deleted, or the deleted ones. */
const visible = (db: Db, view: PrincipalView, deleted: 'none' | 'only' = 'none') => {
  const ofOrganization = db.selectFrom('workspaces').selectAll().where('organization_id', '=', view.organizationId)
  const rows = ofOrganization.where('deleted_at', deleted === 'only' ? 'is not' : 'is', null)
  return view.workspaceIds === null ? rows : rows.where('id', 'in', view.workspaceIds)
}

const escaped = (text: string): string => text.toLowerCase().replace(/[\\%_]/g, '\\$&')

/** Lists workspaces in the order of their creation. */
export function listWorkspaces(
  db: Db,
  view: PrincipalView,
  { nameContains, status, deleted, after, limit }: WorkspaceListOptions,
): Promise<WorkspaceRow[]> {
  return visible(db, view, deleted)
    .$if(nameContains !== undefined, (rows) => rows.where(sql<boolean>`name_folded like ${`%${escaped(nameContains ?? '')}%`} escape '\\'`))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status ?? 'active'))
    .$if(after !== undefined, (rows) => rows.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Counts workspaces by status. */
export const countWorkspaces = (db: Db, view: PrincipalView): Promise<{ status: string; count: number | string | bigint }[]> =>
  visible(db, view)
    .clearSelect()
    .select(['status', ({ fn }) => fn.countAll().as('count')])
    .groupBy('status')
    .execute()

/** Finds a workspace of a view. */
export const findWorkspace = (db: Db, view: PrincipalView, id: string): Promise<WorkspaceRow | undefined> =>
  visible(db, view).where('id', '=', id).executeTakeFirst()

/** Finds a workspace by name, and locks it against changes inside a transaction. */
export const findWorkspaceByName = (db: Db, view: PrincipalView, name: string): Promise<WorkspaceRow | undefined> =>
  lockShared(db, visible(db, view).where('name', '=', name)).executeTakeFirst()

/** Lists the names of a view's workspaces in order. */
export const listWorkspaceNames = async (db: Db, view: PrincipalView, limit: number): Promise<string[]> =>
  (await visible(db, view).clearSelect().select('name').orderBy('name_folded').limit(limit).execute()).map(({ name }) => name)

/** Like `findWorkspace`, and locks it against changes inside a transaction. */
export const holdWorkspace = (db: Db, view: PrincipalView, id: string): Promise<WorkspaceRow | undefined> =>
  lockShared(db, visible(db, view).where('id', '=', id)).executeTakeFirst()

/** Inserts a workspace unless its name is taken. @returns whether it was inserted */
export async function insertWorkspace(db: Db, row: WorkspaceRow): Promise<boolean> {
  const cached = row.cache_enabled === null ? null : Boolean(row.cache_enabled)
  const done = await db
    .insertInto('workspaces')
    .values({ ...row, cache_enabled: cached })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Columns that can change. */
export type WorkspaceChange = Partial<Pick<WorkspaceRow, 'name' | 'name_folded' | 'status'>> & {
  readonly cache_enabled?: boolean | null
  readonly updated_at: number
}

const ofView = (db: Db, view: PrincipalView, id: string) => {
  const rows = db.updateTable('workspaces').where('id', '=', id).where('organization_id', '=', view.organizationId)
  return view.workspaceIds === null ? rows : rows.where('id', 'in', view.workspaceIds)
}

/** Updates a workspace. @returns the updated row; undefined when the view lacks it */
export const updateWorkspace = (
  db: Db,
  { view, id }: { view: PrincipalView; id: string },
  change: WorkspaceChange,
): Promise<WorkspaceRow | undefined> => ofView(db, view, id).set(change).where('deleted_at', 'is', null).returningAll().executeTakeFirst()

/** Marks a workspace as deleted. @returns whether the view has it */
export const removeWorkspace = async (db: Db, { view, id }: { view: PrincipalView; id: string }, now: number): Promise<boolean> =>
  (await ofView(db, view, id).set({ deleted_at: now }).where('deleted_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n

/** Restores a workspace that was deleted at or after `since`. */
export const restoreWorkspace = (
  db: Db,
  { view, id }: { view: PrincipalView; id: string },
  since: number,
): Promise<WorkspaceRow | undefined> =>
  ofView(db, view, id).set({ deleted_at: null }).where('deleted_at', '>=', since).returningAll().executeTakeFirst()

/** Lists workspaces that were deleted before a timestamp. */
export const listRemovedWorkspaces = (db: Db, moment: number, limit: number) =>
  db.selectFrom('workspaces').select(['id', 'organization_id']).where('deleted_at', '<', moment).limit(limit).execute()

/** A workspace that was deleted. */
export interface RemovedWorkspace {
  readonly id: string
  readonly organization_id: string
}

/** Locks a workspace that was deleted before a timestamp, until the transaction ends. @returns false when it was restored or destroyed */
export async function holdRemovedWorkspace(db: Db, { id, organization_id }: RemovedWorkspace, before: number): Promise<boolean> {
  const own = db.updateTable('workspaces').where('id', '=', id).where('organization_id', '=', organization_id)
  return (await own.set({ status: 'inactive' }).where('deleted_at', '<', before).executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes a workspace for good with its connectors and keys. Call it in the transaction of `holdRemovedWorkspace`. */
export async function destroyWorkspace(db: Db, { id, organization_id }: RemovedWorkspace): Promise<void> {
  await db.deleteFrom('connectors').where('workspace_id', '=', id).where('organization_id', '=', organization_id).execute()
  await db.deleteFrom('data_keys').where('workspace_id', '=', id).where('organization_id', '=', organization_id).execute()
  await db.deleteFrom('workspaces').where('id', '=', id).where('organization_id', '=', organization_id).execute()
}

/** A job. */
export type JobRow = Selectable<JobTable>

/** Inserts a job. */
export const insertJob = async (db: Db, row: JobRow): Promise<void> => {
  await db.insertInto('jobs').values(row).execute()
}

/** Finds a job of a view. */
export function findJob(db: Db, { organizationId, workspaceIds, connectorIds }: PrincipalView, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .$if(workspaceIds !== null, (rows) => rows.where('workspace_id', 'in', workspaceIds ?? []))
    .$if(connectorIds !== null, (rows) => rows.where('connector_id', 'in', connectorIds ?? []))
    .executeTakeFirst()
}

/** Deletes old jobs. */
export const deleteJobsBefore = async (db: Db, moment: number): Promise<void> => {
  await db.deleteFrom('jobs').where('created_at', '<', moment).execute()
}
