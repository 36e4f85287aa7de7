/** Statements over what is kept of the making of connectors. */
import type { Selectable } from 'kysely'
import type { Db } from './database.ts'
import type { ConnectorCreationTable } from './schema.ts'

/** What is kept of one creation. */
export type CreationRow = Selectable<ConnectorCreationTable>
/** Which creation. */
export type CreationId = Pick<CreationRow, 'organization_id' | 'key_digest'>

/** What is kept of a creation, unless its time is over. */
export const findCreation = (db: Db, { organization_id, key_digest }: CreationId, now: number): Promise<CreationRow | undefined> =>
  db
    .selectFrom('connector_creations')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('key_digest', '=', key_digest)
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Keeps a creation, in the place of what was kept of it before. */
export async function keepCreation(db: Db, row: CreationRow): Promise<void> {
  const { fingerprint, sealed, connector_id, expires_at } = row
  await db
    .insertInto('connector_creations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key_digest']).doUpdateSet({ fingerprint, sealed, connector_id, expires_at }),
    )
    .execute()
}

/** Forgets a creation: the connector has what was kept. */
export const dropCreation = async (db: Db, { organization_id, key_digest }: CreationId): Promise<void> => {
  await db.deleteFrom('connector_creations').where('organization_id', '=', organization_id).where('key_digest', '=', key_digest).execute()
}

/** Forgets creations whose time is over. */
export const deleteEndedCreations = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('connector_creations').where('expires_at', '<=', now).execute()
}
