/** Queries the creations of connectors. */
import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { ConnectorCreationTable, Tables } from '../../db/schema/schema.ts'

/** The stored state of one creation. */
export type CreationRow = Selectable<ConnectorCreationTable>
/** Identifies a creation. */
export type CreationId = Pick<CreationRow, 'organization_id' | 'key_digest'>

const isCreation =
  ({ organization_id, key_digest }: CreationId) =>
  ({ and }: ExpressionBuilder<Tables, 'connector_creations'>) =>
    and({ organization_id, key_digest })

/** Finds a creation that has not expired. */
export const findCreation = (db: Db, id: CreationId, now: number): Promise<CreationRow | undefined> =>
  db.selectFrom('connector_creations').selectAll().where(isCreation(id)).where('expires_at', '>', now).executeTakeFirst()

/** What a creation keeps. */
export type KeptCreation = Omit<CreationRow, 'owner' | 'busy_until'>
/** A creation that runs. */
export type RunningCreation = Pick<CreationRow, 'organization_id' | 'key_digest' | 'fingerprint' | 'owner' | 'busy_until' | 'expires_at'>

/**
 * Takes a creation for an attempt, unless another one has it.
 * @param seen what was read before; undefined for none, or an expired one
 * @returns whether it was taken
 */
export async function takeCreation(db: Db, next: RunningCreation, seen: CreationRow | undefined, now: number): Promise<boolean> {
  const { owner, busy_until, fingerprint, expires_at } = next
  if (seen !== undefined) {
    const same = updateOwn(db, seen).where('busy_until', '=', seen.busy_until)
    return (await same.set({ owner, busy_until, expires_at }).executeTakeFirst()).numUpdatedRows > 0n
  }
  const anew = { fingerprint, owner, busy_until, expires_at, sealed: null, connector_id: null }
  const done = await db
    .insertInto('connector_creations')
    .values({ ...next, sealed: null, connector_id: null })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key_digest']).doUpdateSet(anew).where('connector_creations.expires_at', '<=', now),
    )
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Renews the lease of an attempt; does nothing when another one has the creation. */
export const renewCreation = async (db: Db, row: CreationId & Pick<CreationRow, 'owner' | 'busy_until'>): Promise<void> => {
  await updateOwn(db, row).set({ busy_until: row.busy_until }).where('busy_until', '>', 0).execute()
}

/** Frees a creation that an attempt had. One that keeps nothing is deleted, so another request may have its key. */
export async function freeCreation(db: Db, row: CreationId & Pick<CreationRow, 'owner'>): Promise<void> {
  await updateOwn(db, row).set({ busy_until: 0 }).execute()
  const own = db.deleteFrom('connector_creations').where(isCreation(row)).where('owner', '=', row.owner)
  await own.where('sealed', 'is', null).where('connector_id', 'is', null).execute()
}

const updateOwn = (db: Db, row: CreationId & Pick<CreationRow, 'owner'>) =>
  db.updateTable('connector_creations').where(isCreation(row)).where('owner', '=', row.owner)

/** Inserts or replaces what a creation keeps. Its lease stays as it is. */
export async function saveCreation(db: Db, row: KeptCreation): Promise<void> {
  const { fingerprint, sealed, connector_id, expires_at } = row
  await db
    .insertInto('connector_creations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key_digest']).doUpdateSet({ fingerprint, sealed, connector_id, expires_at }),
    )
    .execute()
}

/** Deletes a creation after its connector is stored. */
export const deleteCreation = async (db: Db, id: CreationId): Promise<void> => {
  await db.deleteFrom('connector_creations').where(isCreation(id)).execute()
}

/** Deletes expired creations. */
export const deleteEndedCreations = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('connector_creations').where('expires_at', '<=', now).execute()
}
