/** Queries webhooks that vendors send: the addresses that they come to, and the events that wait. */
import { type Selectable, sql } from 'kysely'
import { type Db, type Lease, lockForUpdate, skipLocked } from '../../db/database.ts'
import type { VendorEventTable, WebhookSourceTable } from '../../db/schema/vendor-events-schema.ts'

/** An address that a vendor sends webhooks to. */
export type SourceRow = Selectable<WebhookSourceTable>
/** An event of a vendor. */
export type VendorEventRow = Selectable<VendorEventTable>

/** Bytes that a master key encrypts. */
export interface MasterSealedBytes {
  readonly master_key_id: string
  readonly sealed: Uint8Array
}

const noCounts = { received: 0, repeated: 0, turned_away: 0, worked: 0, given_up: 0 } as const
const noTimes = { last_event_at: null, last_refused_at: null, last_worked_at: null, last_lag_ms: null } as const

/** A new address. */
export type NewSource = Pick<SourceRow, 'id' | 'organization_id' | 'connector_id' | 'oauth_client_id' | 'created_at'>

/** Stores an address unless its connector or OAuth client has one. */
export const insertSource = async (db: Db, source: NewSource): Promise<void> => {
  await db
    .insertInto('webhook_sources')
    .values({ ...source, ...noCounts, ...noTimes, sealed: null, master_key_id: null, subscriptions: null, updated_at: source.created_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Finds an address, of an organization that is not deleted. */
export const findSource = (db: Db, id: string): Promise<SourceRow | undefined> =>
  db
    .selectFrom('webhook_sources')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', 'not in', deletedOrganizations(db))
    .executeTakeFirst()

const deletedOrganizations = (db: Db) => db.selectFrom('organizations').select('organizations.id').where('deleted_at', 'is not', null)

/** Whose address it is. */
export interface SourceOwner {
  readonly organizationId: string
  readonly connectorId: string
}

const ofOrganization = (db: Db, organizationId: string) =>
  db.selectFrom('webhook_sources').selectAll().where('organization_id', '=', organizationId)

/** Finds the address of a connector. */
export const findConnectorSource = (db: Db, { organizationId, connectorId }: SourceOwner): Promise<SourceRow | undefined> =>
  ofOrganization(db, organizationId).where('connector_id', '=', connectorId).executeTakeFirst()

/** Finds the address of an OAuth client. */
export const findOAuthClientSource = (db: Db, organizationId: string, oauthClientId: string): Promise<SourceRow | undefined> =>
  ofOrganization(db, organizationId).where('oauth_client_id', '=', oauthClientId).executeTakeFirst()

/** Columns of an address that change. */
export type SourceChange = Partial<Pick<SourceRow, 'sealed' | 'master_key_id' | 'last_refused_at' | 'subscriptions' | 'updated_at'>>

type SourceId = Pick<SourceRow, 'id' | 'organization_id'>

/** Changes an address. */
export const updateSource = async (db: Db, { id, organization_id }: SourceId, change: SourceChange): Promise<void> => {
  await db.updateTable('webhook_sources').set(change).where('id', '=', id).where('organization_id', '=', organization_id).execute()
}

/** Stores a secret that a request has stated, unless another one was stored since the address was read. */
export const offerSecret = async (db: Db, { id, organization_id, sealed }: SourceRow, offered: MasterSealedBytes): Promise<void> => {
  const rows = db.updateTable('webhook_sources').set(offered).where('id', '=', id).where('organization_id', '=', organization_id)
  await (sealed === null ? rows.where('sealed', 'is', null) : rows.where('sealed', '=', sealed)).execute()
}

/** Deletes an address with its events. */
export const deleteSource = async (db: Db, { id, organization_id }: SourceId): Promise<void> => {
  await db.deleteFrom('webhook_sources').where('id', '=', id).where('organization_id', '=', organization_id).execute()
}

/** Lists addresses whose secret the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listSourcesNotSealedBy = async (db: Db, current: string, limit: number): Promise<(SourceId & MasterSealedBytes)[]> => {
  const rows = db.selectFrom('webhook_sources').select(['id', 'organization_id', 'sealed', 'master_key_id'])
  const found = rows.where('sealed', 'is not', null).where('master_key_id', '<>', current).orderBy('id').limit(limit)
  return (await found.execute()).flatMap(keepSealed)
}

/** Keeps rows that have sealed bytes: the types do not know the conditions of a query. */
const keepSealed = <R extends Pick<SourceRow, 'sealed' | 'master_key_id'>>(row: R): readonly (R & MasterSealedBytes)[] => {
  const { sealed, master_key_id } = row
  return sealed === null || master_key_id === null ? [] : [{ ...row, sealed, master_key_id }]
}

/** Bytes after a rotation. */
interface Resealed {
  readonly masterKeyId: string
  readonly sealed: Uint8Array
}

/** Replaces the encryption of a secret unless it changed. */
export const resealSource = async (db: Db, { id, organization_id, master_key_id }: SourceId & MasterSealedBytes, next: Resealed) => {
  const rows = db.updateTable('webhook_sources').set({ master_key_id: next.masterKeyId, sealed: next.sealed })
  await rows.where('id', '=', id).where('organization_id', '=', organization_id).where('master_key_id', '=', master_key_id).execute()
}

/** Lists events that the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listVendorEventsNotSealedBy = async (db: Db, current: string, limit: number) => {
  const rows = db.selectFrom('vendor_events').select(['id', 'organization_id', 'source_id', 'sealed', 'master_key_id'])
  const found = rows.where('sealed', 'is not', null).where('master_key_id', '<>', current).orderBy('id').limit(limit)
  return (await found.execute()).flatMap(keepSealed)
}

/** Replaces the encryption of an event unless it was worked on. */
export const resealVendorEvent = async (db: Db, { id, organization_id, master_key_id }: SourceId & MasterSealedBytes, next: Resealed) => {
  const rows = db.updateTable('vendor_events').set({ master_key_id: next.masterKeyId, sealed: next.sealed })
  await rows.where('id', '=', id).where('organization_id', '=', organization_id).where('master_key_id', '=', master_key_id).execute()
}

/** Events of one request. */
export interface Arrival {
  readonly source: SourceId
  readonly rows: readonly VendorEventRow[]
}

/** Repeats the literal of the indexes: the databases do not match an index by parameters. */
const isWaiting = sql<boolean>`vendor_events.sealed is not null`

/** Counts the events that wait at an address, up to a number. */
export async function countWaiting(db: Db, { id, organization_id }: SourceId, most: number): Promise<number> {
  const { rows } = await sql<{ waiting: unknown }>`
    select count(*) as waiting from (select 1 from vendor_events
      where source_id = ${id} and organization_id = ${organization_id} and ${isWaiting} limit ${most}) as first_events`.execute(db)
  return Number(rows[0]?.waiting ?? 0)
}

/** Events of one statement: a statement of SQLite takes 32,766 values, and each has 12. */
const batch = 500

/** Stores events; a repeat is dropped. Call it in a transaction. @returns the number of stored ones */
async function insertEvents(db: Db, rows: readonly VendorEventRow[]): Promise<number> {
  let inserted = 0n
  for (let index = 0; index < rows.length; index += batch) {
    const some = db.insertInto('vendor_events').values(rows.slice(index, index + batch))
    const done = await some.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()
    inserted += done.numInsertedOrUpdatedRows ?? 0n
  }
  return Number(inserted)
}

/** What became of a request: its events are stored, too many wait, or the address was deleted meanwhile. */
export type ArrivalEnd = 'stored' | 'full' | 'gone'

/**
 * Stores the events of some requests. Call it in a transaction.
 * @param options `most`: number of events that may wait at one address
 */
export async function insertArrivals(
  db: Db,
  arrivals: readonly Arrival[],
  { most, now }: { readonly most: number; readonly now: number },
): Promise<readonly ArrivalEnd[]> {
  const ids = [...new Set(arrivals.map(({ source }) => source.id))].toSorted()
  const locked = lockForUpdate(db, db.selectFrom('webhook_sources').select('id').where('id', 'in', ids).orderBy('id'), 'webhook_sources')
  const found = new Set((await locked.execute()).map(({ id }) => id))
  const ends = new Map<Arrival, ArrivalEnd>()
  for (const own of Map.groupBy(arrivals, ({ source }) => source.id).values())
    for (const [arrival, end] of await insertOwn(db, own, { most, now, isGone: !found.has(own[0]?.source.id ?? '') }))
      ends.set(arrival, end)
  return arrivals.map((arrival) => ends.get(arrival) ?? 'gone')
}

/** Stores the events of requests to one address: one statement for the events, one for the counts. */
async function insertOwn(
  db: Db,
  arrivals: readonly Arrival[],
  { most, now, isGone }: { readonly most: number; readonly now: number; readonly isGone: boolean },
): Promise<ReadonlyMap<Arrival, ArrivalEnd>> {
  const ends = new Map<Arrival, ArrivalEnd>()
  const [first] = arrivals
  if (first === undefined || isGone) return ends
  const { id, organization_id } = first.source
  const kept: VendorEventRow[] = []
  let [free, away] = [most - (await countWaiting(db, first.source, most)), 0]
  for (const arrival of arrivals) {
    // A request is taken whole: one that names more than fits would be turned away whenever it comes. The limit of its body bounds it.
    const isFull = free <= 0
    ends.set(arrival, isFull ? 'full' : 'stored')
    if (isFull) away += arrival.rows.length
    else kept.push(...arrival.rows)
    if (!isFull) free -= arrival.rows.length
  }
  const repeated = kept.length - (await insertEvents(db, kept))
  const counted = db.updateTable('webhook_sources').where('id', '=', id).where('organization_id', '=', organization_id)
  const counts = counted.set((eb) => ({
    received: eb('received', '+', kept.length),
    repeated: eb('repeated', '+', repeated),
    turned_away: eb('turned_away', '+', away),
    ...(kept.length === 0 ? {} : { last_event_at: now }),
  }))
  await counts.execute()
  return ends
}

/** Events that a node works on. */
export interface VendorEventLease extends Lease {
  readonly limit: number
}

/** Where events are due: a connector, or an address of an OAuth client. */
export interface DueEvents {
  readonly sourceId: string
  readonly connectorId: string | null
}

/** Lists where events are due, those that wait longest first. */
export async function listDueEvents(db: Db, now: number, limit: number): Promise<readonly DueEvents[]> {
  const rows = await db
    .selectFrom('vendor_events')
    .select(({ fn }) => ['source_id', 'connector_id', fn.min('next_at').as('first_at')])
    .where(isWaiting)
    .where('next_at', '<=', now)
    .where('organization_id', 'not in', deletedOrganizations(db))
    .groupBy(['source_id', 'connector_id'])
    .orderBy('first_at')
    .limit(limit)
    .execute()
  return rows.map(({ source_id: sourceId, connector_id: connectorId }) => ({ sourceId, connectorId }))
}

/** A leased event, with its content. */
export type LeasedEvent = VendorEventRow & MasterSealedBytes

/** Leases due events, the oldest first. Call it in a transaction. */
export async function leaseVendorEvents(
  db: Db,
  { sourceId, connectorId }: DueEvents,
  { owner, now, until, limit }: VendorEventLease,
): Promise<readonly LeasedEvent[]> {
  const waiting = db.selectFrom('vendor_events').selectAll().where('source_id', '=', sourceId).where(isWaiting).where('next_at', '<=', now)
  const own = connectorId === null ? waiting.where('connector_id', 'is', null) : waiting.where('connector_id', '=', connectorId)
  const rows = (await skipLocked(db, own.orderBy('id').limit(limit), 'vendor_events').execute()).flatMap(keepSealed)
  if (rows.length === 0) return []
  await db
    .updateTable('vendor_events')
    .set({ lease_owner: owner, next_at: until })
    .where('source_id', '=', sourceId)
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  return rows.map((row) => ({ ...row, lease_owner: owner, next_at: until }))
}

/** Time for which the digest of a worked event is kept, in milliseconds: vendors repeat within hours. */
const repeatMs = 24 * 3_600_000

/** How the work on leased events ended. */
export interface VendorEventEnd {
  readonly now: number
  /** True: it failed too often. */
  readonly isGivenUp?: boolean
}

/** Ends leased events of one address: what they say is deleted. Those that another node took over stay. Call it in a transaction. */
export async function endVendorEvents(db: Db, events: readonly LeasedEvent[], { now, isGivenUp = false }: VendorEventEnd): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const ids = events.map(({ id }) => id)
  const known = db.updateTable('vendor_events').set({ sealed: null, master_key_id: null, lease_owner: null, ends_at: now + repeatMs })
  const kept = known.where('source_id', '=', first.source_id).where('lease_owner', '=', first.lease_owner).where('id', 'in', ids)
  const { numUpdatedRows } = await kept.where('digest', 'is not', null).executeTakeFirst()
  const unknown = db.deleteFrom('vendor_events').where('source_id', '=', first.source_id).where('lease_owner', '=', first.lease_owner)
  const { numDeletedRows } = await unknown.where('id', 'in', ids).where('digest', 'is', null).executeTakeFirst()
  const ended = Number(numUpdatedRows + numDeletedRows)
  if (ended === 0) return
  const lag = Math.max(0, now - Math.max(...events.map(({ received_at }) => received_at)))
  await db
    .updateTable('webhook_sources')
    .set((eb) => ({
      ...(isGivenUp
        ? { given_up: eb('given_up', '+', ended) }
        : { worked: eb('worked', '+', ended), last_worked_at: now, last_lag_ms: lag }),
    }))
    .where('id', '=', first.source_id)
    .where('organization_id', '=', first.organization_id)
    .execute()
}

/** Returns leased events to the queue. */
export async function putOffVendorEvents(
  db: Db,
  events: readonly LeasedEvent[],
  { nextAt, isFailed }: { readonly nextAt: number; readonly isFailed: boolean },
): Promise<void> {
  for (const { id, source_id, lease_owner, attempts } of events)
    await db
      .updateTable('vendor_events')
      .set({ lease_owner: null, next_at: nextAt, attempts: attempts + (isFailed ? 1 : 0) })
      .where('source_id', '=', source_id)
      .where('id', '=', id)
      .where('lease_owner', '=', lease_owner)
      .execute()
}

/** Hands leased events of an OAuth client to its connectors, and ends them. Call it in a transaction. */
export async function dispatchVendorEvents(
  db: Db,
  events: readonly LeasedEvent[],
  { copies, now }: { readonly copies: readonly VendorEventRow[]; readonly now: number },
): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const ids = events.map(({ id }) => id)
  const own = db.selectFrom('vendor_events').select('id').where('source_id', '=', first.source_id).where('id', 'in', ids)
  const held = lockForUpdate(db, own.where('lease_owner', '=', first.lease_owner), 'vendor_events')
  if ((await held.execute()).length < events.length) return // another node took them over
  await insertEvents(db, copies)
  await endVendorEvents(db, events, { now })
}

/** Lists events that wait for a connector, after an id. */
export const listWaitingEvents = async (
  db: Db,
  { organizationId, connectorId }: SourceOwner,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<(VendorEventRow & MasterSealedBytes)[]> => {
  const rows = db.selectFrom('vendor_events').selectAll().where('organization_id', '=', organizationId)
  const own = rows.where('connector_id', '=', connectorId).where(isWaiting).where('id', '>', after)
  return (await own.orderBy('id').limit(limit).execute()).flatMap(keepSealed)
}

/** Deletes events that wait for a connector. */
export const deleteVendorEvents = async (db: Db, organizationId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await db.deleteFrom('vendor_events').where('organization_id', '=', organizationId).where('id', 'in', ids).execute()
}

/** Counts what waits for a connector, and finds when the oldest of it came. */
export async function readBacklog(db: Db, { organizationId, connectorId }: SourceOwner) {
  const own = db.selectFrom('vendor_events').where('organization_id', '=', organizationId).where('connector_id', '=', connectorId)
  const rows = own.where(isWaiting)
  const found = await rows.select(({ fn }) => [fn.countAll().as('waiting'), fn.min('received_at').as('oldest')]).executeTakeFirst()
  return { waiting: Number(found?.waiting ?? 0), oldestAt: found?.oldest === null || found === undefined ? null : Number(found.oldest) }
}

/** A connector of an OAuth client. */
export interface ReachedConnector {
  readonly id: string
  readonly configuration: string
  readonly account: string | null
}

/** Lists the connectors of an OAuth client, after an id. Those of deleted workspaces get no events. */
export const listReachedConnectors = (
  db: Db,
  { organizationId, oauthClientId }: { readonly organizationId: string; readonly oauthClientId: string },
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ReachedConnector[]> =>
  db
    .selectFrom('connectors')
    .select(['id', 'configuration', 'account'])
    .where('organization_id', '=', organizationId)
    .where('oauth_client_id', '=', oauthClientId)
    .where('workspace_id', 'not in', db.selectFrom('workspaces').select('workspaces.id').where('deleted_at', 'is not', null))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
