/** Statements over workspaces and jobs. */
import { type Selectable, sql } from 'kysely'
import { type Db, shared } from './database.ts'
import type { JobTable, WorkspaceTable } from './schema.ts'

/** A workspace. */
export type WorkspaceRow = Selectable<WorkspaceTable>
/** What a principal sees: an organization, or one workspace of it. */
export interface View {
  readonly organizationId: string
  readonly workspaceId: string | null
}
/** Filters and position of a list of workspaces. */
export interface WorkspaceListOptions {
  readonly nameContains?: string | undefined
  readonly status?: 'active' | 'inactive' | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Workspaces of a view that were not removed. */
const visible = (db: Db, view: View) => {
  const rows = db.selectFrom('workspaces').selectAll().where('organization_id', '=', view.organizationId).where('deleted_at', 'is', null)
  return view.workspaceId === null ? rows : rows.where('id', '=', view.workspaceId)
}

const escaped = (text: string): string => text.toLowerCase().replace(/[\\%_]/g, '\\$&')

/** Workspaces in the order of their creation. */
export function listWorkspaces(db: Db, view: View, { nameContains, status, after, limit }: WorkspaceListOptions): Promise<WorkspaceRow[]> {
  return visible(db, view)
    .$if(nameContains !== undefined, (rows) => rows.where(sql<boolean>`name_folded like ${`%${escaped(nameContains ?? '')}%`} escape '\\'`))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status ?? 'active'))
    .$if(after !== undefined, (rows) => rows.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** How many workspaces there are of each status. */
export const countWorkspaces = (db: Db, view: View): Promise<{ status: string; count: number | string | bigint }[]> =>
  visible(db, view)
    .clearSelect()
    .select(['status', ({ fn }) => fn.countAll().as('count')])
    .groupBy('status')
    .execute()

/** A workspace of a view. */
export const findWorkspace = (db: Db, view: View, id: string): Promise<WorkspaceRow | undefined> =>
  visible(db, view).where('id', '=', id).executeTakeFirst()

/** The workspace of a name; inside a transaction it stays as it is until the end. */
export const findWorkspaceByName = (db: Db, view: View, name: string): Promise<WorkspaceRow | undefined> =>
  shared(db, visible(db, view).where('name', '=', name)).executeTakeFirst()

/** Names of the workspaces of a view, in their order. */
export const workspaceNames = async (db: Db, view: View, limit: number): Promise<string[]> =>
  (await visible(db, view).clearSelect().select('name').orderBy('name_folded').limit(limit).execute()).map(({ name }) => name)

/** As `findWorkspace`, and inside a transaction it stays as it is until the end. */
export const holdWorkspace = (db: Db, view: View, id: string): Promise<WorkspaceRow | undefined> =>
  shared(db, visible(db, view).where('id', '=', id)).executeTakeFirst()

/** Stores a workspace unless its name is taken. @returns whether it was stored */
export async function insertWorkspace(db: Db, row: WorkspaceRow): Promise<boolean> {
  const cached = row.cache_enabled === null ? null : Boolean(row.cache_enabled)
  const done = await db
    .insertInto('workspaces')
    .values({ ...row, cache_enabled: cached })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** What may change in a workspace. */
export type WorkspaceChange = Partial<Pick<WorkspaceRow, 'name' | 'name_folded' | 'status'>> & {
  readonly cache_enabled?: boolean | null
  readonly updated_at: number
}

const ofView = (db: Db, view: View, id: string) => {
  const rows = db.updateTable('workspaces').where('id', '=', id).where('organization_id', '=', view.organizationId)
  return view.workspaceId === null ? rows : rows.where('id', '=', view.workspaceId)
}

/** Changes a workspace. @returns the changed row, undefined when the view has none */
export const updateWorkspace = (
  db: Db,
  { view, id }: { view: View; id: string },
  change: WorkspaceChange,
): Promise<WorkspaceRow | undefined> => ofView(db, view, id).set(change).where('deleted_at', 'is', null).returningAll().executeTakeFirst()

/** Hides a workspace. @returns whether the view had it */
export const removeWorkspace = async (db: Db, { view, id }: { view: View; id: string }, now: number): Promise<boolean> =>
  (await ofView(db, view, id).set({ deleted_at: now }).where('deleted_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n

/** Shows a workspace again that was removed at or after `since`. */
export const restoreWorkspace = (db: Db, { view, id }: { view: View; id: string }, since: number): Promise<WorkspaceRow | undefined> =>
  ofView(db, view, id).set({ deleted_at: null }).where('deleted_at', '>=', since).returningAll().executeTakeFirst()

/** Workspaces that were removed before a moment. */
export const removedBefore = (db: Db, moment: number, limit: number) =>
  db.selectFrom('workspaces').select(['id', 'organization_id']).where('deleted_at', '<', moment).limit(limit).execute()

/** Destroys a removed workspace with its connectors and keys, unless it was restored. Call it in a transaction. @returns whether it was destroyed */
export async function destroyWorkspace(
  db: Db,
  { id, organization_id }: { id: string; organization_id: string },
  before: number,
): Promise<boolean> {
  const own = db.updateTable('workspaces').where('id', '=', id).where('organization_id', '=', organization_id)
  const held = await own.set({ status: 'inactive' }).where('deleted_at', '<', before).executeTakeFirst()
  if (held.numUpdatedRows === 0n) return false
  await db.deleteFrom('connectors').where('workspace_id', '=', id).where('organization_id', '=', organization_id).execute()
  await db.deleteFrom('data_keys').where('workspace_id', '=', id).where('organization_id', '=', organization_id).execute()
  await db.deleteFrom('workspaces').where('id', '=', id).where('organization_id', '=', organization_id).execute()
  return true
}

/** A job. */
export type JobRow = Selectable<JobTable>

/** Stores a job. */
export const insertJob = async (db: Db, row: JobRow): Promise<void> => {
  await db.insertInto('jobs').values(row).execute()
}

/** A job of a view. */
export function findJob(db: Db, view: View, id: string): Promise<JobRow | undefined> {
  const rows = db.selectFrom('jobs').selectAll().where('id', '=', id).where('organization_id', '=', view.organizationId)
  return (view.workspaceId === null ? rows : rows.where('workspace_id', '=', view.workspaceId)).executeTakeFirst()
}

/** Forgets old jobs. */
export const deleteJobsBefore = async (db: Db, moment: number): Promise<void> => {
  await db.deleteFrom('jobs').where('created_at', '<', moment).execute()
}
