/** Queries endpoints of webhooks, and deliveries to them. */
import type { DeliveryStatus } from 'ferrule/wire'
import { type Selectable, sql } from 'kysely'
import { type Db, type Lease, lockForUpdate, skipLocked } from '../../db/database.ts'
import type { WebhookDeliveryTable, WebhookEndpointTable } from '../../db/schema/events-schema.ts'
import { type EventRow, testType } from './events.ts'

/** A stored endpoint. */
export type EndpointRow = Selectable<WebhookEndpointTable>
/** A stored delivery. */
export type DeliveryRow = Selectable<WebhookDeliveryTable>

const ofOrganization = (db: Db, organizationId: string) =>
  db.selectFrom('webhook_endpoints').selectAll().where('organization_id', '=', organizationId)

/** Lists the endpoints of organizations in the order of their creation. */
export const listEndpoints = (db: Db, organizationIds: readonly string[]): Promise<EndpointRow[]> =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('organization_id', 'in', [...organizationIds])
    .orderBy('id')
    .execute()

/** Finds an endpoint. */
export const findEndpoint = (db: Db, organizationId: string, id: string): Promise<EndpointRow | undefined> =>
  ofOrganization(db, organizationId).where('id', '=', id).executeTakeFirst()

/** Finds an endpoint, and locks it until the transaction ends. */
export const holdEndpoint = (db: Db, organizationId: string, id: string): Promise<EndpointRow | undefined> =>
  lockForUpdate(db, ofOrganization(db, organizationId).where('id', '=', id), 'webhook_endpoints').executeTakeFirst()

/** Stores a new endpoint. */
export const insertEndpoint = async (db: Db, row: EndpointRow): Promise<void> => {
  await db
    .insertInto('webhook_endpoints')
    .values({ ...row, ordered: Boolean(row.ordered) })
    .execute()
}

/** Columns of an endpoint that change. */
export type EndpointChange = Partial<Omit<EndpointRow, 'id' | 'organization_id' | 'ordered' | 'created_at'>> & {
  readonly ordered?: boolean
}

/** Changes an endpoint. */
export const updateEndpoint = async (
  db: Db,
  { organization_id, id }: Pick<EndpointRow, 'organization_id' | 'id'>,
  change: EndpointChange,
): Promise<void> => {
  await db.updateTable('webhook_endpoints').set(change).where('organization_id', '=', organization_id).where('id', '=', id).execute()
}

/** Deletes an endpoint with its deliveries. @returns whether there was one */
export async function deleteEndpoint(db: Db, organizationId: string, id: string): Promise<boolean> {
  const rows = db.deleteFrom('webhook_endpoints').where('organization_id', '=', organizationId).where('id', '=', id)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

/** Lists endpoints whose secrets the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listEndpointsNotSealedBy = (db: Db, current: string, limit: number): Promise<EndpointRow[]> =>
  db.selectFrom('webhook_endpoints').selectAll().where('master_key_id', '<>', current).orderBy('id').limit(limit).execute()

/** Replaces the encryption of an endpoint's secrets unless they changed. */
export const resealEndpoint = async (
  db: Db,
  { id, organization_id, master_key_id, updated_at }: EndpointRow,
  next: { readonly masterKeyId: string; readonly sealed: Uint8Array },
): Promise<void> => {
  const rows = db.updateTable('webhook_endpoints').set({ master_key_id: next.masterKeyId, sealed: next.sealed })
  const same = rows.where('id', '=', id).where('organization_id', '=', organization_id).where('updated_at', '=', updated_at)
  await same.where('master_key_id', '=', master_key_id).execute()
}

/** Deliveries of one statement: a statement of SQLite takes 32,766 values, and each has 15. */
const batch = 500

/** Queues deliveries. An event that is queued for an endpoint already stays. */
export async function insertDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<void> {
  for (let index = 0; index < rows.length; index += batch)
    await db
      .insertInto('webhook_deliveries')
      .values(rows.slice(index, index + batch))
      .onConflict((conflict) => conflict.columns(['event_id', 'endpoint_id']).doNothing())
      .execute()
}

/** An event on its way, with what is sent. */
export type WaitingDelivery = DeliveryRow &
  Pick<EventRow, 'type' | 'data' | 'workspace_id' | 'connector_id'> & { readonly happened_at: number }

const withEvent = (db: Db) =>
  db
    .selectFrom('webhook_deliveries')
    .innerJoin('events', 'events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select(['events.type', 'events.data', 'events.workspace_id', 'events.connector_id', 'events.created_at as happened_at'])
    .whereRef('events.organization_id', '=', 'webhook_deliveries.organization_id')

const deliveriesTo = (db: Db, { organization_id, id }: EndpointRow) =>
  withEvent(db).where('webhook_deliveries.organization_id', '=', organization_id).where('webhook_deliveries.endpoint_id', '=', id)

/** Which deliveries are listed. */
export interface DeliveryListOptions {
  readonly status?: DeliveryStatus | undefined
  /** Id before the page. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists the deliveries of an endpoint, the newest first. */
export const listDeliveries = (db: Db, endpoint: EndpointRow, { status, after, limit }: DeliveryListOptions): Promise<WaitingDelivery[]> =>
  deliveriesTo(db, endpoint)
    .$if(status !== undefined, (rows) => rows.where('webhook_deliveries.status', '=', status ?? 'waiting'))
    .$if(after !== undefined, (rows) => rows.where('webhook_deliveries.id', '<', after ?? ''))
    .orderBy('webhook_deliveries.id', 'desc')
    .limit(limit)
    .execute()

/** Finds a delivery of an endpoint. */
export const findDelivery = (db: Db, endpoint: EndpointRow, deliveryId: string): Promise<WaitingDelivery | undefined> =>
  deliveriesTo(db, endpoint).where('webhook_deliveries.id', '=', deliveryId).executeTakeFirst()

/** Counts the tests of an endpoint since a time, in milliseconds since 1970. */
export async function countTests(db: Db, { organization_id, id }: EndpointRow, since: number): Promise<number> {
  const rows = db
    .selectFrom('events')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('organization_id', '=', organization_id)
    .where('endpoint_id', '=', id)
  return Number((await rows.where('type', '=', testType).where('created_at', '>', since).executeTakeFirst())?.count ?? 0)
}

/** Which given up deliveries are sent again. */
export interface Redelivery {
  readonly now: number
  /** Only this one. */
  readonly deliveryId?: string
  /** Only those queued since; default: all. */
  readonly since?: number
}

/** Queues deliveries again that were given up, or one whatever became of it. One under way stays as it is. @returns the number */
export async function requeueDeliveries(
  db: Db,
  { organization_id, id }: EndpointRow,
  { now, deliveryId, since = 0 }: Redelivery,
): Promise<number> {
  const rows = db
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', attempts: 0, next_at: now, lease_owner: null })
    .where('organization_id', '=', organization_id)
    .where('endpoint_id', '=', id)
    .where('created_at', '>=', since)
  const wanted =
    deliveryId === undefined ? rows.where('status', '=', 'failed') : rows.where('id', '=', deliveryId).where('lease_owner', 'is', null)
  return Number((await wanted.executeTakeFirst()).numUpdatedRows)
}

/** Repeats the literal of the indexes: SQLite does not match an index by parameters. */
const waitingStatus = sql.lit<DeliveryStatus>('waiting')

/**
 * The endpoints for which deliveries wait, as `waiting(endpoint_id)`. It looks at one delivery of each, so thousands that wait for a paused
 * endpoint cost as much as one.
 */
export const waitingEndpoints = sql`recursive waiting(endpoint_id) as (
  select (select endpoint_id from webhook_deliveries where status = 'waiting' order by endpoint_id limit 1) union all
  select (select endpoint_id from webhook_deliveries where status = 'waiting' and endpoint_id > waiting.endpoint_id order by endpoint_id limit 1)
    from waiting where endpoint_id is not null)`

/** Lists endpoints with deliveries that are due, those that wait longest first. One that is not verified gets tests only. */
export async function listDueEndpoints(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`with ${waitingEndpoints}
    select id from (select e.id, case
        when e.status = 'active' then (select min(d.next_at) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'waiting')
        else (select min(d.next_at) from webhook_deliveries d join events v on v.id = d.event_id
          where d.endpoint_id = e.id and d.status = 'waiting' and v.type = ${testType}) end as next_at
      from waiting join webhook_endpoints e on e.id = waiting.endpoint_id join organizations o on o.id = e.organization_id
      where e.status in ('active', 'unverified') and o.deleted_at is null) as first_due
    where next_at <= ${now} order by next_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** A lease of deliveries. */
export interface DeliveryLease extends Lease {
  /** Attempts that one endpoint has at a time, on all nodes. */
  readonly atOnce: number
  /** Deliveries at most. */
  readonly limit: number
}

/** Deliveries of an endpoint that a node may send now. */
export interface LeasedDeliveries {
  readonly endpoint: EndpointRow
  readonly deliveries: readonly WaitingDelivery[]
}

/**
 * Leases due deliveries of an endpoint. Call it in a transaction. An endpoint that takes its events in order has one attempt at a time, and
 * its oldest delivery goes first.
 */
export async function leaseDeliveries(db: Db, endpointId: string, lease: DeliveryLease): Promise<LeasedDeliveries | undefined> {
  const { owner, now, until, atOnce, limit } = lease
  const rows = db.selectFrom('webhook_endpoints').selectAll().where('id', '=', endpointId)
  const endpoint = await skipLocked(db, rows.where('status', 'in', ['active', 'unverified']), 'webhook_endpoints').executeTakeFirst()
  if (endpoint === undefined) return undefined
  const waiting = deliveriesTo(db, endpoint)
    .where('webhook_deliveries.status', '=', waitingStatus)
    .$if(endpoint.status === 'unverified', (rows) => rows.where('events.type', '=', testType))
  const isOrdered = Boolean(endpoint.ordered)
  const running = waiting
    .clearSelect()
    .select('webhook_deliveries.id')
    .where('webhook_deliveries.lease_owner', 'is not', null)
    .where('webhook_deliveries.next_at', '>', now)
  const free = Math.min((isOrdered ? 1 : atOnce) - (await running.execute()).length, limit)
  if (free <= 0) return undefined
  const first = isOrdered ? waiting : waiting.where('webhook_deliveries.next_at', '<=', now)
  const found = await first.orderBy('events.position').limit(free).execute()
  const due = found.filter(({ next_at }) => next_at <= now)
  if (due.length === 0) return undefined
  await db
    .updateTable('webhook_deliveries')
    .set({ lease_owner: owner, next_at: until })
    .where('organization_id', '=', endpoint.organization_id)
    .where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    .execute()
  return { endpoint, deliveries: due.map((each) => ({ ...each, lease_owner: owner, next_at: until })) }
}

/** How an attempt ends. */
export type DeliveryEnd = Pick<
  DeliveryRow,
  'status' | 'attempts' | 'next_at' | 'last_status' | 'last_error' | 'last_answer' | 'last_ms' | 'last_at'
>

/** Stores how an attempt ended, and ends its lease. @returns false when the attempt no longer has the delivery */
export async function endDelivery(db: Db, { id, organization_id, lease_owner }: DeliveryRow, end: DeliveryEnd): Promise<boolean> {
  const rows = db
    .updateTable('webhook_deliveries')
    .set({ ...end, lease_owner: null })
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('status', '=', 'waiting')
  return (await rows.where('lease_owner', '=', lease_owner).executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes a delivery whose endpoint no longer wants its event. */
export const deleteDelivery = async (db: Db, { id, organization_id }: DeliveryRow): Promise<void> => {
  await db.deleteFrom('webhook_deliveries').where('id', '=', id).where('organization_id', '=', organization_id).execute()
}
