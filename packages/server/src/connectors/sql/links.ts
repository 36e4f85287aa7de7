/** Queries links. A statement carries the organization, or the digest of a secret that decides on it. */
import type { ConnectLinkStatus } from 'ferrule/wire'
import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import { deleteInBatches } from '../../db/delete-ended.ts'
import type { ConnectLinkTable, Tables } from '../../db/schema/schema.ts'
import type { PrincipalView } from '../../values/access.ts'

/** Selects the links of a view, without those of deleted workspaces. */
const visible = (db: Db, view: PrincipalView) => {
  const rows = db
    .selectFrom('connect_links')
    .innerJoin('workspaces', 'workspaces.id', 'connect_links.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'connect_links.organization_id')
    .selectAll('connect_links')
    .select(['workspaces.name as workspace_name', 'organizations.name as organization_name'])
    .where('connect_links.organization_id', '=', view.organizationId)
    .whereRef('workspaces.organization_id', '=', 'connect_links.organization_id')
    .where('workspaces.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
  return view.workspaceIds === null ? rows : rows.where('connect_links.workspace_id', 'in', view.workspaceIds)
}

/** A link. */
export type ConnectLinkRow = Awaited<ReturnType<ReturnType<typeof visible>['execute']>>[number]

/** Inserts a link. */
export const insertConnectLink = async (db: Db, row: Selectable<ConnectLinkTable>): Promise<void> => {
  const flags = { allow_other_account: Boolean(row.allow_other_account), sandbox: Boolean(row.sandbox) }
  await db
    .insertInto('connect_links')
    .values({ ...row, ...flags })
    .execute()
}

/** Counts the links of an organization, with ended ones. */
export async function countConnectLinks(db: Db, organizationId: string): Promise<number> {
  const rows = db.selectFrom('connect_links').select(({ fn }) => fn.countAll().as('count'))
  return Number((await rows.where('organization_id', '=', organizationId).executeTakeFirst())?.count ?? 0)
}

/** Filters and position of a list. */
export interface ConnectLinkListOptions {
  readonly status: ConnectLinkStatus | undefined
  readonly endUserId: string | undefined
  readonly now: number
  readonly after: string | undefined
  readonly limit: number
}

type Conditions = ExpressionBuilder<Tables, 'connect_links'>
/** The rows of a status. The first status that fits counts: a used link stays used. */
const ofStatus: Readonly<Record<ConnectLinkStatus, (eb: Conditions, now: number) => ReturnType<Conditions['and']>>> = {
  used: (eb) => eb.and([eb('connect_links.used_at', 'is not', null)]),
  revoked: (eb) => eb.and([eb('connect_links.used_at', 'is', null), eb('connect_links.revoked_at', 'is not', null)]),
  expired: (eb, now) =>
    eb.and([
      eb('connect_links.used_at', 'is', null),
      eb('connect_links.revoked_at', 'is', null),
      eb('connect_links.expires_at', '<=', now),
    ]),
  open: (eb, now) =>
    eb.and([eb('connect_links.used_at', 'is', null), eb('connect_links.revoked_at', 'is', null), eb('connect_links.expires_at', '>', now)]),
}

/** Lists links in the order of their creation. */
export function listConnectLinks(
  db: Db,
  view: PrincipalView,
  { status, endUserId, now, after, limit }: ConnectLinkListOptions,
): Promise<ConnectLinkRow[]> {
  return visible(db, view)
    .$if(status !== undefined, (rows) => rows.where((eb) => ofStatus[status ?? 'open'](eb, now)))
    .$if(endUserId !== undefined, (rows) => rows.where('connect_links.end_user_id', '=', endUserId ?? ''))
    .$if(after !== undefined, (rows) => rows.where('connect_links.id', '>', after ?? ''))
    .orderBy('connect_links.id')
    .limit(limit)
    .execute()
}

/** Finds a link of a view. */
export const findConnectLink = (db: Db, view: PrincipalView, id: string): Promise<ConnectLinkRow | undefined> =>
  visible(db, view).where('connect_links.id', '=', id).executeTakeFirst()

/** Finds the organization of a link by its public id. Only for pages: they prove a secret before anything is answered, or an origin. */
export const findLinkOrganization = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('connect_links').select('organization_id').where('id', '=', id).executeTakeFirst())?.organization_id

/** The ids that name a link. */
export interface ConnectLinkRef {
  readonly organizationId: string
  readonly id: string
}

const whileOpen = (db: Db, { organizationId, id }: ConnectLinkRef, now: number) =>
  db
    .updateTable('connect_links')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where((eb) => ofStatus.open(eb, now))

/** Revokes an open link. @returns false: it is not open */
export const revokeConnectLink = async (db: Db, ref: ConnectLinkRef, now: number): Promise<boolean> =>
  (await whileOpen(db, ref, now).set({ revoked_at: now }).executeTakeFirst()).numUpdatedRows > 0n

/** Counts an authorization of an open link. @returns false: the link is not open, or has no attempts left */
export async function countAttempt(db: Db, ref: ConnectLinkRef, { now, most }: { readonly now: number; readonly most: number }) {
  const update = whileOpen(db, ref, now)
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('attempts', '<', most)
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Uses a link up, once. Call it in the transaction that stores the credentials. @returns false: it is not open */
export async function useConnectLink(db: Db, ref: ConnectLinkRef, { now, connectorId }: { now: number; connectorId: string }) {
  const update = whileOpen(db, ref, now).set({ used_at: now, connector_id: connectorId })
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes links that ended at or before a timestamp. @returns the number */
export function deleteEndedConnectLinks(db: Db, before: number): Promise<number> {
  const ended = db
    .selectFrom('connect_links as ended')
    .select('ended.id')
    .where(({ or, eb }) =>
      or([eb('ended.expires_at', '<=', before), eb('ended.used_at', '<=', before), eb('ended.revoked_at', '<=', before)]),
    )
  return deleteInBatches(async (limit) => {
    const { numDeletedRows } = await db.deleteFrom('connect_links').where('id', 'in', ended.limit(limit)).executeTakeFirst()
    return Number(numDeletedRows)
  })
}
