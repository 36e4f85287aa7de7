/** Queries which changes of copies endpoints have, and which endpoints are due. */
import type { DeliveryStatus } from 'ferrule/wire'
import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { type Db, skipLocked } from '../../db/database.ts'
import type { WebhookPositionTable } from '../../db/schema/events-schema.ts'
import type { Tables } from '../../db/schema/schema.ts'
import type { EndpointRow } from './webhooks.ts'

/** Which changes of a copy an endpoint has. */
export type PositionRow = Selectable<WebhookPositionTable>

/** A position, with what became of its message. */
export type KnownPosition = PositionRow & {
  /** Null: the message waits for its number, or no longer exists. */
  readonly status: DeliveryStatus | null
  /** Id of the message while it waits for its number. */
  readonly unnumbered: string | null
}

type Endpoints = ExpressionBuilder<Tables, 'webhook_endpoints'>

/** Selects endpoints whose copies are to be looked at. Those of deleted organizations wait for their restore. */
const isDue =
  (now: number) =>
  ({ and, eb, selectFrom }: Endpoints) =>
    and([
      eb('webhook_endpoints.records_at', '<=', now),
      eb('webhook_endpoints.status', 'in', ['active', 'paused']),
      eb('webhook_endpoints.organization_id', 'in', selectFrom('organizations').select('organizations.id').where('deleted_at', 'is', null)),
    ])

/** What the worker has to do beside sending. */
export interface EventWork {
  /** Events wait for their number. */
  readonly isUnnumbered: boolean
  /** The copies of an endpoint are to be looked at. */
  readonly isDue: boolean
}

/** Finds, with one statement, what the worker has to do beside sending. */
export async function findWork(db: Db, now: number): Promise<EventWork> {
  const unnumbered = db.selectFrom('events').select('id').where('position', 'is', null)
  const due = db.selectFrom('webhook_endpoints').select('id').where(isDue(now))
  const { rows } = await sql<{
    unnumbered: unknown
    due: unknown
  }>`select exists ${unnumbered} as unnumbered, exists ${due} as due`.execute(db)
  return { isUnnumbered: Boolean(rows[0]?.unnumbered), isDue: Boolean(rows[0]?.due) }
}

/** Takes an endpoint that is due until a time: until then no other node looks at its copies. Call it in a transaction. */
export async function takeEndpoint(db: Db, now: number, until: number): Promise<EndpointRow | undefined> {
  const rows = db.selectFrom('webhook_endpoints').selectAll().where(isDue(now)).orderBy('records_at').limit(1)
  const row = await skipLocked(db, rows, 'webhook_endpoints').executeTakeFirst()
  if (row === undefined) return undefined
  await db
    .updateTable('webhook_endpoints')
    .set({ records_at: until })
    .where('id', '=', row.id)
    .where('organization_id', '=', row.organization_id)
    .execute()
  return { ...row, records_at: until }
}

/** Lists what an endpoint was told. */
export async function listPositions(db: Db, { organization_id, id }: EndpointRow): Promise<readonly KnownPosition[]> {
  const { rows } = await sql<KnownPosition>`
    select p.*, d.status, e.id as unnumbered
    from webhook_positions p
    left join webhook_deliveries d on d.event_id = p.event_id and d.endpoint_id = p.endpoint_id
    left join events e on e.id = p.event_id and e.position is null
    where p.endpoint_id = ${id} and p.organization_id = ${organization_id}`.execute(db)
  return rows
}

/** Stores what an endpoint is told. */
export const savePosition = async (
  db: Db,
  { organization_id, endpoint_id, connector_id, entity, generation, position, since, event_id }: PositionRow,
): Promise<void> => {
  await db
    .insertInto('webhook_positions')
    .values({ organization_id, endpoint_id, connector_id, entity, generation, position, since, event_id })
    .onConflict((conflict) =>
      conflict.columns(['endpoint_id', 'connector_id', 'entity']).doUpdateSet({ generation, position, since, event_id }),
    )
    .execute()
}

/** Deletes a message with its delivery. */
export const deleteMessage = async (db: Db, { organization_id, event_id }: PositionRow): Promise<void> => {
  await db.deleteFrom('events').where('id', '=', event_id).where('organization_id', '=', organization_id).execute()
}

/** Forgets the position of an endpoint in a copy, and its message. */
export async function forgetPosition(db: Db, row: PositionRow): Promise<void> {
  await deleteMessage(db, row)
  const rows = db.deleteFrom('webhook_positions').where('endpoint_id', '=', row.endpoint_id)
  const ofCopy = rows.where('connector_id', '=', row.connector_id).where('entity', '=', row.entity)
  await ofCopy.where('organization_id', '=', row.organization_id).execute()
}
