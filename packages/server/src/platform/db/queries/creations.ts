/** Queries the creations of connectors. */
import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { ConnectorCreationTable } from '../schema.ts'

/** The stored state of one creation. */
export type CreationRow = Selectable<ConnectorCreationTable>
/** Identifies a creation. */
export type CreationId = Pick<CreationRow, 'organization_id' | 'key_digest'>

/** Finds a creation that has not expired. */
export const findCreation = (db: Db, { organization_id, key_digest }: CreationId, now: number): Promise<CreationRow | undefined> =>
  db
    .selectFrom('connector_creations')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('key_digest', '=', key_digest)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Inserts or replaces a creation. */
export async function saveCreation(db: Db, row: CreationRow): Promise<void> {
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
export const deleteCreation = async (db: Db, { organization_id, key_digest }: CreationId): Promise<void> => {
  await db.deleteFrom('connector_creations').where('organization_id', '=', organization_id).where('key_digest', '=', key_digest).execute()
}

/** Deletes expired creations. */
export const deleteEndedCreations = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('connector_creations').where('expires_at', '<=', now).execute()
}
