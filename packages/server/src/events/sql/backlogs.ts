/** Queries what waits for the workers of events, of all organizations: for metrics. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { waitingEndpoints } from './webhooks.ts'

/** What a worker has not begun, though its time has come. */
export interface Backlog {
  /** 10,000 at most. */
  readonly due: number
  /** Since when the first one waits; null if none does. */
  readonly since: number | null
}

/** What waits for the workers of events. */
export interface Backlogs {
  readonly deliveries: Backlog
  readonly vendorEvents: Backlog
  /** Endpoints of webhooks that get nothing any more. */
  readonly disabledEndpoints: number
}

/** Rows that are counted at most: a backlog of millions must not cost each scrape as much. */
const mostCounted = 10_000

interface BacklogRow {
  readonly deliveries: unknown
  readonly deliveries_since: unknown
  readonly vendor_events: unknown
  readonly vendor_events_since: unknown
  readonly disabled: unknown
}

const toBacklog = (due: unknown, since: unknown): Backlog => ({
  due: Math.min(Number(due), mostCounted),
  since: since === null ? null : Number(since),
})

/** Reads all of it with one statement. What an endpoint with an order holds back, because an event before it fails, is not counted. */
export async function readBacklogs(db: Db, now: number): Promise<Backlogs> {
  const { rows } = await sql<BacklogRow>`with ${waitingEndpoints}
    select deliveries.due as deliveries, deliveries.since as deliveries_since,
      vendor_events.due as vendor_events, vendor_events.since as vendor_events_since,
      (select count(*) from webhook_endpoints where status = 'disabled') as disabled
    from (select sum(due) as due, min(since) as since from (
        select (select count(*) from (select 1 from webhook_deliveries d
            where d.endpoint_id = e.id and d.status = 'waiting' and d.next_at <= ${now} limit ${mostCounted}) as first_due) as due,
          (select min(d.next_at) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'waiting' and d.next_at <= ${now}) as since
        from waiting join webhook_endpoints e on e.id = waiting.endpoint_id join organizations o on o.id = e.organization_id
        where e.status = 'active' and o.deleted_at is null and (not e.ordered or e.failing_since is null)) as of_endpoints) as deliveries,
      (select count(*) as due, min(next_at) as since from (
        select v.next_at from vendor_events v join organizations o on o.id = v.organization_id
        where v.sealed is not null and v.next_at <= ${now} and o.deleted_at is null
        order by v.next_at limit ${mostCounted}) as first_events) as vendor_events`.execute(db)
  const [found] = rows
  return {
    deliveries: toBacklog(found?.deliveries ?? 0, found?.deliveries_since ?? null),
    vendorEvents: toBacklog(found?.vendor_events ?? 0, found?.vendor_events_since ?? null),
    disabledEndpoints: Number(found?.disabled ?? 0),
  }
}
