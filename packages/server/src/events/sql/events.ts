/** Queries events. */
import { readSlug } from 'ferrule/internal'
import type { EventType } from 'ferrule/wire'
import { type Selectable, sql } from 'kysely'
import { type Db, lockForUpdate } from '../../db/database.ts'
import type { EventTable } from '../../db/schema/events-schema.ts'
import { type IdSource, newId } from '../../values/ids.ts'

/** A stored event. */
export type EventRow = Selectable<EventTable>
/** An event with its number in the order of all events. */
export type NumberedEventRow = EventRow & { readonly position: number }

/** What happened. */
export interface News {
  readonly type: EventType
  readonly organizationId: string
  readonly workspaceId?: string
  readonly connectorId?: string
  /** Endpoint that alone gets the event. */
  readonly endpointId?: string
  /** Id of the event; default: a new one. */
  readonly id?: string
  /** Members of `data` beside the ids. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** Type of the events that test an endpoint. */
export const testType = 'webhook.test' satisfies EventType
/** Type of the events that report changes of a copy. They belong to one endpoint, no list has them, and the next one replaces them. */
export const recordsType = 'records.changed' satisfies EventType

/** Stores an event. Call it in the transaction of what happened. */
export async function storeEvent(db: Db, source: IdSource, news: News): Promise<EventRow> {
  const { type, organizationId, workspaceId, connectorId, endpointId, id = newId(source), data } = news
  const row: EventRow = {
    id,
    organization_id: organizationId,
    workspace_id: workspaceId ?? null,
    connector_id: connectorId ?? null,
    endpoint_id: endpointId ?? null,
    type,
    data: JSON.stringify({
      organization_id: organizationId,
      workspace_id: workspaceId,
      connector_id: connectorId,
      endpoint_id: endpointId,
      ...data,
    }),
    position: null,
    created_at: source.clock(),
  }
  await db.insertInto('events').values(row).execute()
  return row
}

/** An event that says no more than which connector it is about. */
export type ConnectorNews = Extract<EventType, `connector.${string}`>

/** Stores an event about a connector. Call it in the transaction of what happened; before a deletion. */
export async function storeConnectorEvent(
  db: Db,
  source: IdSource,
  type: ConnectorNews,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  const rows = db.selectFrom('connectors').select(['workspace_id', 'kind', 'name']).where('organization_id', '=', organizationId)
  const row = await rows.where('id', '=', id).executeTakeFirst()
  if (row === undefined) return
  const data = { connector_type: readSlug(row.kind), name: row.name }
  await storeEvent(db, source, { type, organizationId, workspaceId: row.workspace_id, connectorId: id, data })
}

/** Row of the installation's state that whoever numbers events locks. */
const placing = 'event_placing'

/**
 * Gives numbers to events that have none. Call it in a transaction: one node at a time does it, so that an event that commits later gets a
 * later number.
 */
export async function numberEvents(db: Db, limit: number): Promise<readonly NumberedEventRow[]> {
  await db
    .insertInto('state')
    .values({ name: placing, value: '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await lockForUpdate(db, db.selectFrom('state').select('name').where('name', '=', placing), 'state').executeTakeFirst()
  const rows = await db.selectFrom('events').selectAll().where('position', 'is', null).orderBy('id').limit(limit).execute()
  if (rows.length === 0) return []
  const newest = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('position', 'is not', null)
    .executeTakeFirst()
  const first = Number(newest?.position ?? 0) + 1
  const numbered = rows.map((row, index) => ({ ...row, position: first + index }))
  const found: NumberedEventRow[] = []
  for (const row of numbered) {
    const { numUpdatedRows } = await db.updateTable('events').set({ position: row.position }).where('id', '=', row.id).executeTakeFirst()
    if (numUpdatedRows > 0n) found.push(row) // another message took the number of the others
  }
  return found
}

/** Which events are read. */
export interface EventListOptions {
  /** Position before the first one. */
  readonly after: number
  readonly type?: EventType | undefined
  readonly limit: number
}

/** Lists events of an organization in their order. */
export const listEvents = (db: Db, organizationId: string, { after, type, limit }: EventListOptions): Promise<EventRow[]> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('position', '>', after)
    .where('type', '<>', recordsType)
    .$if(type !== undefined, (rows) => rows.where('type', '=', type ?? testType))
    .orderBy('position')
    .limit(limit)
    .execute()

/** Finds the position of an event; undefined when it is not kept, or has none yet. */
export async function findPosition(db: Db, organizationId: string, id: string): Promise<number | undefined> {
  const rows = db.selectFrom('events').select('position').where('organization_id', '=', organizationId).where('id', '=', id)
  const position = (await rows.executeTakeFirst())?.position
  return position === null || position === undefined ? undefined : Number(position)
}

/** Events that an organization keeps at most. */
const mostKept = 100_000

/**
 * Deletes the oldest events of organizations with too many. Looks at those only that got events since the last look: others have no more than
 * before. Positions are whole numbers, so nobody has too many where the oldest and the newest are close together.
 * @param since newest position of the last look; 0 for all
 * @returns the number, and the newest position
 */
export async function deleteSurplusEvents(db: Db, since: number): Promise<{ readonly deleted: number; readonly newest: number }> {
  const { rows } = await sql<{ readonly oldest: unknown; readonly newest: unknown }>`
    select (select min(position) from events where position is not null) as oldest,
      (select max(position) from events where position is not null) as newest`.execute(db)
  const newest = Number(rows[0]?.newest ?? 0)
  let deleted = 0
  if (newest - Number(rows[0]?.oldest ?? 0) < mostKept) return { deleted, newest }
  const active = await db.selectFrom('events').select('organization_id').distinct().where('position', '>', since).execute()
  for (const { organization_id } of active) {
    const own = db.selectFrom('events').where('organization_id', '=', organization_id).where('type', '<>', recordsType)
    const last = own.select('position').where('position', 'is not', null).orderBy('position', 'desc').offset(mostKept).limit(1)
    const { position } = (await last.executeTakeFirst()) ?? { position: null }
    if (position === null) continue
    const rows = db.deleteFrom('events').where('organization_id', '=', organization_id).where('position', '<=', position)
    deleted += Number((await rows.executeTakeFirst()).numDeletedRows)
  }
  return { deleted, newest }
}
