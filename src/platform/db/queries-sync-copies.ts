/** Statements over what is known of each entity's copy, and over copies that are to be removed. */
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { claimable, type Db, kept } from './database.ts'
import type { OwnConnector } from './queries-sync-runs.ts'
import type { SyncEntityTable, SyncRemovalTable, Tables } from './schema.ts'

/** What is known of an entity's copy. */
export type CopyRow = Selectable<SyncEntityTable>
/** A copy that is to be removed. */
export type RemovalRow = Selectable<SyncRemovalTable>

/** What is known of the copies of a connector, or of one of them. */
export const copiesOf = (db: Db, { organizationId, connectorId }: OwnConnector, entity?: string): Promise<CopyRow[]> =>
  db
    .selectFrom('sync_entities')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .where('organization_id', '=', organizationId)
    .$if(entity !== undefined, (rows) => rows.where('entity', '=', entity ?? ''))
    .execute()

/**
 * Keeps a connector from being removed until the transaction ends. Call it first: a removal takes the connector, then its runs, and so
 * must everybody, or two wait for each other.
 * @returns false when it is gone
 */
export const keepConnector = async (db: Db, { organizationId, connectorId }: OwnConnector): Promise<boolean> => {
  const rows = db.selectFrom('connectors').select('id').where('id', '=', connectorId).where('organization_id', '=', organizationId)
  return (await kept(db, rows).executeTakeFirst()) !== undefined
}

/** What a walk makes known; what is left out stays. */
export type CopyChange = Partial<Omit<CopyRow, 'organization_id' | 'connector_id' | 'entity'>>

/** Keeps what is known of one copy. */
export async function keepCopy(
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

/** Adds to the records of a copy that was counted. */
export async function addToCopy(
  db: Db,
  { organizationId, connectorId, entity }: OwnConnector & { readonly entity: string },
  by: number,
): Promise<void> {
  const rows = db.updateTable('sync_entities').set({ records: sql<number>`records + ${by}` })
  const ofCopy = rows.where('connector_id', '=', connectorId).where('organization_id', '=', organizationId).where('entity', '=', entity)
  await ofCopy.where('records', 'is not', null).execute()
}

/** Forgets what was known of some copies of a connector, or of all. */
export async function forgetCopies(
  db: Db,
  { organizationId, connectorId }: OwnConnector,
  entities: readonly string[] | null,
): Promise<void> {
  const rows = db.deleteFrom('sync_entities').where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)
  if (entities === null) await rows.execute()
  else if (entities.length > 0) await rows.where('entity', 'in', [...entities]).execute()
}

/** Forgets what was known of all copies of a workspace. */
export const forgetCopiesOfWorkspace = async (db: Db, { organizationId, workspaceId }: { organizationId: string; workspaceId: string }) => {
  const connectors = db
    .selectFrom('connectors')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('organization_id', '=', organizationId)
  await db.deleteFrom('sync_entities').where('organization_id', '=', organizationId).where('connector_id', 'in', connectors).execute()
}

/** Connectors that may hold copies. */
export type CopyHolder = {
  readonly id: string
  readonly organization_id: string
  readonly workspace_id: string
  readonly kind: string
  readonly entities: string
}
const holderColumns = ['id', 'organization_id', 'workspace_id', 'kind', 'entities'] as const

/** All connectors of a workspace, removed ones' too. */
export const holdersOfWorkspace = (
  db: Db,
  { organizationId, workspaceId }: { organizationId: string; workspaceId: string },
): Promise<CopyHolder[]> =>
  db
    .selectFrom('connectors')
    .select(holderColumns)
    .where('workspace_id', '=', workspaceId)
    .where('organization_id', '=', organizationId)
    .execute()

/** Connectors of some kinds in the order of their ids, of workspaces that are there. Over all organizations, for the service itself. */
export const holdersOfKinds = (
  db: Db,
  kinds: readonly string[],
  { after, limit }: { after: string; limit: number },
): Promise<CopyHolder[]> =>
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(['connectors.id', 'connectors.organization_id', 'connectors.workspace_id', 'connectors.kind', 'connectors.entities'])
    .where('workspaces.deleted_at', 'is', null)
    .where('workspaces.status', '=', 'active')
    .where('connectors.kind', 'in', [...kinds])
    .where('connectors.id', '>', after)
    .orderBy('connectors.id')
    .limit(limit)
    .execute()

/** Stores removals. */
export async function insertRemovals(db: Db, rows: readonly RemovalRow[]): Promise<void> {
  if (rows.length > 0)
    await db
      .insertInto('sync_removals')
      .values([...rows])
      .execute()
}

/** A copy is emptied when nobody fills it any more; one that goes for good takes nothing any more. */
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

/** Whether a copy is to be removed now. */
export const hasDueRemoval = async (db: Db, now: number): Promise<boolean> => (await due(db, now).executeTakeFirst()) !== undefined

/** Takes a removal; nobody else begins it before `until`. Call it in a transaction. */
export async function claimRemoval(
  db: Db,
  { owner, node, now, until }: { readonly owner: string; readonly node: string; readonly now: number; readonly until: number },
): Promise<RemovalRow | undefined> {
  const row = await claimable(db, due(db, now), 'sync_removals').executeTakeFirst()
  if (row === undefined) return undefined
  await db.updateTable('sync_removals').set({ lease_owner: owner, lease_node: node, not_before: until }).where('id', '=', row.id).execute()
  return { ...row, lease_owner: owner, lease_node: node, not_before: until }
}

/** Removals that a node, or any, had begun can be begun again. */
export async function freeRemovals(db: Db, node: string | undefined, now: number): Promise<void> {
  const rows = db.updateTable('sync_removals').set({ lease_owner: null, not_before: now }).where('lease_owner', 'is not', null)
  await (node === undefined ? rows : rows.where('lease_node', '=', node)).where('not_before', '>', now).execute()
}

const ofOwner = (db: Db, { id, owner }: { id: string; owner: string }) =>
  db.updateTable('sync_removals').where('id', '=', id).where('lease_owner', '=', owner)

/** Keeps others away from a removal for longer, or gives it back for later. */
export const keepRemoval = async (
  db: Db,
  removal: { readonly id: string; readonly owner: string },
  change: Partial<Pick<RemovalRow, 'not_before' | 'failures'>>,
): Promise<void> => {
  await ofOwner(db, removal).set(change).execute()
}

/** A removal is done. */
export const deleteRemoval = async (db: Db, { id, owner }: { readonly id: string; readonly owner: string }): Promise<void> => {
  await db.deleteFrom('sync_removals').where('id', '=', id).where('lease_owner', '=', owner).execute()
}
