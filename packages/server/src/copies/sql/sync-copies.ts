/** Queries the state of copies, and removals. */
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { type Db, lockKeyShare, skipLocked } from '../../db/database.ts'
import type { ConnectorTable, SyncEntityTable, SyncRemovalTable, Tables } from '../../db/schema/schema.ts'
import type { PrincipalView } from '../../values/access.ts'
import { likeOwnKinds } from '../../values/ids.ts'

/** A connector of an organization. */
export interface OwnConnector {
  readonly organizationId: string
  readonly connectorId: string
}

/** An organization, or one of its workspaces. */
export interface SyncView {
  readonly organizationId: string
  readonly workspaceId: string | null
}

/** What is known of an entity's copy. */
export type CopyRow = Selectable<SyncEntityTable>
/** A removal of copies. */
export type RemovalRow = Selectable<SyncRemovalTable>

/** Some connectors of an organization. */
export interface OwnConnectors {
  readonly organizationId: string
  /** At most the rows of one page. */
  readonly connectorIds: readonly string[]
}

/** Lists the copies of some connectors, or those of one entity. */
export const listCopiesOf = (db: Db, { organizationId, connectorIds }: OwnConnectors, entity?: string): Promise<CopyRow[]> =>
  db
    .selectFrom('sync_entities')
    .selectAll()
    .where('connector_id', 'in', [...connectorIds])
    .where('organization_id', '=', organizationId)
    .$if(entity !== undefined, (rows) => rows.where('entity', '=', entity ?? ''))
    .execute()

/** Lists the copies of a connector, or one of them. */
export const listCopies = (db: Db, { organizationId, connectorId }: OwnConnector, entity?: string): Promise<CopyRow[]> =>
  listCopiesOf(db, { organizationId, connectorIds: [connectorId] }, entity)

/**
 * Locks a connector against deletion until the transaction ends. Call it before touching runs: every transaction locks the connector first,
 * which prevents deadlocks.
 * @returns false when the connector does not exist
 */
export const protectConnector = async (db: Db, { organizationId, connectorId }: OwnConnector): Promise<boolean> => {
  const rows = db.selectFrom('connectors').select('id').where('id', '=', connectorId).where('organization_id', '=', organizationId)
  return (await lockKeyShare(db, rows).executeTakeFirst()) !== undefined
}

/** Columns that a walk changes; absent ones keep their values. */
export type CopyChange = Partial<Omit<CopyRow, 'organization_id' | 'connector_id' | 'entity'>>

/** Inserts or updates the row of a copy. */
export async function saveCopy(
  db: Db,
  { organizationId, connectorId, entity }: OwnConnector & { readonly entity: string },
  change: CopyChange,
): Promise<void> {
  const key = { organization_id: organizationId, connector_id: connectorId, entity }
  await db
    .insertInto('sync_entities')
    .values({ ...key, ...change })
    .onConflict((conflict) => conflict.columns(['connector_id', 'entity']).doUpdateSet({ entity, ...change }))
    .execute()
}

/** Adds to the number of records of a counted copy. */
export async function addCopyRecords(
  db: Db,
  { organizationId, connectorId, entity }: OwnConnector & { readonly entity: string },
  by: number,
): Promise<void> {
  const rows = db.updateTable('sync_entities').set({ records: sql<number>`records + ${by}` })
  const ofCopy = rows.where('connector_id', '=', connectorId).where('organization_id', '=', organizationId).where('entity', '=', entity)
  await ofCopy.where('records', 'is not', null).execute()
}

/** Deletes the rows of some copies of a connector, or of all. */
export async function deleteCopies(
  db: Db,
  { organizationId, connectorId }: OwnConnector,
  entities: readonly string[] | null,
): Promise<void> {
  const rows = db.deleteFrom('sync_entities').where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)
  if (entities === null) await rows.execute()
  else if (entities.length > 0) await rows.where('entity', 'in', [...entities]).execute()
}

/** Selects the connectors of an organization or of one of its workspaces, deleted ones too. */
const connectorsOf = (db: Db, { organizationId, workspaceId }: SyncView) =>
  db
    .selectFrom('connectors')
    .where('organization_id', '=', organizationId)
    .$if(workspaceId !== null, (rows) => rows.where('workspace_id', '=', workspaceId ?? ''))

/** Deletes the rows of all copies of a view. */
export const deleteViewCopies = async (db: Db, view: SyncView): Promise<void> => {
  const rows = db.deleteFrom('sync_entities').where('organization_id', '=', view.organizationId)
  await rows.where('connector_id', 'in', connectorsOf(db, view).select('id')).execute()
}

/** Connectors that may hold copies. */
export type CopyHolder = Readonly<Pick<ConnectorTable, (typeof holderColumns)[number]>>
const holderColumns = ['id', 'organization_id', 'workspace_id', 'kind', 'entities'] as const

/** Lists all connectors of a view, deleted or not. */
export const listViewHolders = (db: Db, view: SyncView): Promise<CopyHolder[]> => connectorsOf(db, view).select(holderColumns).execute()

/** Lists the connectors of a view that are in active workspaces. */
export const listActiveHolders = (db: Db, view: SyncView): Promise<CopyHolder[]> => {
  const active = db.selectFrom('workspaces').select('workspaces.id').where('workspaces.organization_id', '=', view.organizationId)
  const workspaces = active.where('workspaces.deleted_at', 'is', null).where('workspaces.status', '=', 'active')
  return connectorsOf(db, view).select(holderColumns).where('workspace_id', 'in', workspaces).execute()
}

/** Selects connectors with their workspaces. */
export const holdersInWorkspaces = (db: Db) =>
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])

/** Lists connectors of some kinds by id, in active workspaces. Covers all organizations, for the service itself. */
export const listHolders = (
  db: Db,
  { kinds, hasOwn }: { readonly kinds: readonly string[]; readonly hasOwn: boolean },
  { after, limit }: { after: string; limit: number },
): Promise<CopyHolder[]> =>
  holdersInWorkspaces(db)
    .where('workspaces.deleted_at', 'is', null)
    .where('workspaces.status', '=', 'active')
    .where(({ or, eb }) =>
      or([
        ...(kinds.length === 0 ? [] : [eb('connectors.kind', 'in', [...kinds])]),
        ...(hasOwn ? [eb('connectors.kind', 'like', likeOwnKinds)] : []),
      ]),
    )
    .where('connectors.id', '>', after)
    .orderBy('connectors.id')
    .limit(limit)
    .execute()

/** A copy that can be read, with its connector. */
export type FilledCopyRow = CopyHolder & { readonly connector_id: string; readonly entity: string }

/** Lists copies of a view that can be read, in the order of their connectors' ids. */
export const listFilledCopies = (
  db: Db,
  { organizationId, workspaceIds, connectorIds }: PrincipalView,
  limit: number,
): Promise<FilledCopyRow[]> =>
  db
    .selectFrom('sync_entities')
    .innerJoin('connectors', 'connectors.id', 'sync_entities.connector_id')
    .select(['sync_entities.connector_id', 'sync_entities.entity', 'connectors.id', 'connectors.organization_id'])
    .select(['connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
    .where('sync_entities.organization_id', '=', organizationId)
    .whereRef('connectors.organization_id', '=', 'sync_entities.organization_id')
    .where('sync_entities.synced_at', 'is not', null)
    .where('connectors.workspace_id', 'in', (of) => of.selectFrom('workspaces').select('workspaces.id').where('deleted_at', 'is', null))
    .$if(workspaceIds !== null, (rows) => rows.where('connectors.workspace_id', 'in', workspaceIds ?? []))
    .$if(connectorIds !== null, (rows) => rows.where('connectors.id', 'in', connectorIds ?? []))
    .orderBy('sync_entities.connector_id')
    .orderBy('sync_entities.entity')
    .limit(limit)
    .execute()

/** Inserts removals. */
export async function insertRemovals(db: Db, rows: readonly RemovalRow[]): Promise<void> {
  if (rows.length > 0)
    await db
      .insertInto('sync_removals')
      .values([...rows])
      .execute()
}

/** Selects removals that can start: emptying waits for the walk to end, and final removals start at once. */
const isFree = ({ or, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'sync_removals'>) => {
  const runs = selectFrom('sync_runs').select('sync_runs.id').whereRef('sync_runs.connector_id', '=', 'sync_removals.connector_id')
  return or([eb('sync_removals.entities', 'is', null), not(exists(runs.where('sync_runs.lease_owner', 'is not', null)))])
}

const due = (db: Db, now: number) =>
  db
    .selectFrom('sync_removals')
    .selectAll('sync_removals')
    .where('sync_removals.not_before', '<=', now)
    .where(isFree)
    .orderBy('sync_removals.not_before')
    .orderBy('sync_removals.id')
    .limit(1)

/** Returns whether a removal is due. */
export const hasDueRemoval = async (db: Db, now: number): Promise<boolean> => (await due(db, now).executeTakeFirst()) !== undefined

/** Leases a removal until `until`. Call it in a transaction. */
export async function leaseRemoval(
  db: Db,
  { owner, node, now, until }: { readonly owner: string; readonly node: string; readonly now: number; readonly until: number },
): Promise<RemovalRow | undefined> {
  const row = await skipLocked(db, due(db, now), 'sync_removals').executeTakeFirst()
  if (row === undefined) return undefined
  await db.updateTable('sync_removals').set({ lease_owner: owner, lease_node: node, not_before: until }).where('id', '=', row.id).execute()
  return { ...row, lease_owner: owner, lease_node: node, not_before: until }
}

/** Releases the leases of removals of one node, or of all nodes. */
export async function releaseRemovals(db: Db, node: string | undefined, now: number): Promise<void> {
  const rows = db.updateTable('sync_removals').set({ lease_owner: null, not_before: now }).where('lease_owner', 'is not', null)
  await (node === undefined ? rows : rows.where('lease_node', '=', node)).where('not_before', '>', now).execute()
}

/** Extends the lease of a removal, or postpones the removal. */
export const updateRemoval = async (
  db: Db,
  { id, owner }: { readonly id: string; readonly owner: string },
  change: Partial<Pick<RemovalRow, 'not_before' | 'failures'>>,
): Promise<void> => {
  await db.updateTable('sync_removals').set(change).where('id', '=', id).where('lease_owner', '=', owner).execute()
}

/** Deletes a finished removal. */
export const deleteRemoval = async (db: Db, { id, owner }: { readonly id: string; readonly owner: string }): Promise<void> => {
  await db.deleteFrom('sync_removals').where('id', '=', id).where('lease_owner', '=', owner).execute()
}
