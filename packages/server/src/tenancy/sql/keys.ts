/** Queries wrapped data keys, and encrypted credentials during a rotation. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { DataKeyTable } from '../../db/schema/schema.ts'

/** A wrapped data key. */
export type DataKeyRow = Selectable<DataKeyTable>

/** Inserts a wrapped key. */
export const insertDataKey = async (db: Db, row: DataKeyRow): Promise<void> => {
  await db.insertInto('data_keys').values(row).execute()
}

/** Finds a key of a workspace. */
export const findDataKey = (db: Db, { id, organizationId, workspaceId }: { id: string; organizationId: string; workspaceId: string }) =>
  db
    .selectFrom('data_keys')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

/** Lists the ids of master keys that wrap data keys, or encrypt OAuth clients at vendors and tokens of deleted connectors. */
export async function listUsedMasterKeys(db: Db): Promise<string[]> {
  const wrapping = await db.selectFrom('data_keys').select('master_key_id').distinct().execute()
  const sealing = await db.selectFrom('oauth_clients').select('master_key_id').distinct().execute()
  const ending = await db.selectFrom('consent_revocations').select('master_key_id').distinct().execute()
  const signing = await db.selectFrom('webhook_endpoints').select('master_key_id').distinct().execute()
  const verifying = await db.selectFrom('webhook_sources').select('master_key_id').distinct().execute()
  const arrived = await db.selectFrom('vendor_events').select('master_key_id').distinct().execute()
  const used = [...wrapping, ...sealing, ...ending, ...signing, ...verifying, ...arrived]
  return [...new Set(used.flatMap((row) => row.master_key_id ?? []))]
}

/** Lists data keys that the master key `current` does not wrap. */
export const listKeysNotWrappedBy = (db: Db, current: string, limit: number): Promise<DataKeyRow[]> =>
  db.selectFrom('data_keys').selectAll().where('master_key_id', '<>', current).orderBy('id').limit(limit).execute()

/** Replaces the wrapping of a key unless it changed. @returns whether it was replaced */
export async function rewrapDataKey(db: Db, row: DataKeyRow, next: { masterKeyId: string; wrapped: Uint8Array }): Promise<boolean> {
  const done = await db
    .updateTable('data_keys')
    .set({ master_key_id: next.masterKeyId, wrapped: next.wrapped })
    .where('id', '=', row.id)
    .where('master_key_id', '=', row.master_key_id)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Lists workspaces after an id, deleted ones too, with the age of their current key; null for a lost key. */
export const listWorkspacesWithKeys = (db: Db, after: string, limit: number) =>
  db
    .selectFrom('workspaces')
    .leftJoin('data_keys', 'data_keys.id', 'workspaces.data_key_id')
    .select(['workspaces.id', 'workspaces.organization_id', 'data_keys.created_at as key_created_at'])
    .where('workspaces.id', '>', after)
    .orderBy('workspaces.id')
    .limit(limit)
    .execute()

/** Makes a key the current one of a workspace. */
export const setDataKey = async (db: Db, workspaceId: string, dataKeyId: string): Promise<void> => {
  await db.updateTable('workspaces').set({ data_key_id: dataKeyId }).where('id', '=', workspaceId).execute()
}

/** Lists connectors of a workspace whose credentials are not encrypted with its current key. */
export const listStaleSeals = (db: Db, workspaceId: string, limit: number) =>
  db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select([
      'connectors.id',
      'connectors.organization_id',
      'connectors.workspace_id',
      'connectors.sealed',
      'connectors.data_key_id',
      'connectors.version',
      'workspaces.data_key_id as current_key_id',
    ])
    .where('connectors.workspace_id', '=', workspaceId)
    .whereRef('connectors.data_key_id', '<>', 'workspaces.data_key_id')
    .limit(limit)
    .execute()

/** A row of `listStaleSeals`. */
export type StaleSeal = Awaited<ReturnType<typeof listStaleSeals>>[number]

/** Stores newly encrypted credentials unless they changed in the meantime. @returns whether they were stored */
export async function reseal(db: Db, row: StaleSeal, sealed: Uint8Array): Promise<boolean> {
  const done = await db
    .updateTable('connectors')
    .set({ sealed, data_key_id: row.current_key_id })
    .where('id', '=', row.id)
    .where('version', '=', row.version)
    .where('data_key_id', '=', row.data_key_id)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Deletes keys of a workspace that encrypt nothing. */
export const deleteUnusedKeys = async (db: Db, workspaceId: string): Promise<void> => {
  await db
    .deleteFrom('data_keys')
    .where('workspace_id', '=', workspaceId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('workspaces').select('workspaces.id').whereRef('workspaces.data_key_id', '=', 'data_keys.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('connectors').select('connectors.id').whereRef('connectors.data_key_id', '=', 'data_keys.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('idempotency_keys').select('owner').whereRef('idempotency_keys.data_key_id', '=', 'data_keys.id'))),
    )
    .execute()
}
