/** Queries consumers of the changes of connectors. */
import { type Db, lockForUpdate } from '../../db/database.ts'
import type { ChangeConsumerTable } from '../../db/schema/consumers-schema.ts'
import type { OwnConnector } from './sync-copies.ts'

/** A stored consumer. */
export type ConsumerRow = Readonly<ChangeConsumerTable>

const ofConnector = (db: Db, { organizationId, connectorId }: OwnConnector) =>
  db.selectFrom('change_consumers').selectAll().where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)

/** Lists the consumers of a connector by their names. */
export const listConsumers = (db: Db, own: OwnConnector): Promise<readonly ConsumerRow[]> => ofConnector(db, own).orderBy('name').execute()

/** Finds a consumer. */
export const findConsumer = (db: Db, own: OwnConnector, name: string): Promise<ConsumerRow | undefined> =>
  ofConnector(db, own).where('name', '=', name).executeTakeFirst()

/** Finds a consumer, and locks it until the transaction ends. */
export const holdConsumer = (db: Db, own: OwnConnector, name: string): Promise<ConsumerRow | undefined> =>
  lockForUpdate(db, ofConnector(db, own).where('name', '=', name), 'change_consumers').executeTakeFirst()

/** Counts the consumers of an organization. */
export async function countConsumers(db: Db, organizationId: string): Promise<number> {
  const rows = db.selectFrom('change_consumers').where('organization_id', '=', organizationId)
  return Number((await rows.select(({ fn }) => fn.countAll().as('count')).executeTakeFirst())?.count ?? 0)
}

/** Stores a new consumer, unless it exists. */
export const insertConsumer = async (db: Db, row: ConsumerRow): Promise<void> => {
  await db
    .insertInto('change_consumers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['connector_id', 'name']).doNothing())
    .execute()
}

/** Changes a consumer. */
export const updateConsumer = async (
  db: Db,
  { organization_id, connector_id, name }: ConsumerRow,
  change: Pick<ConsumerRow, 'entities' | 'positions' | 'moved_at'>,
): Promise<void> => {
  const rows = db.updateTable('change_consumers').set(change).where('connector_id', '=', connector_id)
  await rows.where('organization_id', '=', organization_id).where('name', '=', name).execute()
}

/** Deletes a consumer. @returns whether there was one */
export async function deleteConsumer(db: Db, { organizationId, connectorId }: OwnConnector, name: string): Promise<boolean> {
  const rows = db.deleteFrom('change_consumers').where('connector_id', '=', connectorId).where('organization_id', '=', organizationId)
  return (await rows.where('name', '=', name).executeTakeFirst()).numDeletedRows > 0n
}
