/** Declares the tables of events and webhooks. */
import type { DeliveryStatus, EndpointStatus, EventType } from 'ferrule/wire'
import type { ColumnType } from 'kysely'

/** What happened in an organization, for 30 days. */
export interface EventTable {
  id: string
  organization_id: string
  workspace_id: string | null
  connector_id: string | null
  /** Endpoint that the event is about; only this endpoint gets it. */
  endpoint_id: string | null
  type: EventType
  /** JSON object. */
  data: string
  /** Number in the order of all events; null before the event has one. */
  position: number | null
  created_at: number
}

/** Addresses that events are sent to. */
export interface WebhookEndpointTable {
  id: string
  organization_id: string
  name: string
  url: string
  /** JSON array. */
  types: string
  /** JSON array of ids; null for all. */
  workspace_ids: string | null
  /** JSON array of ids; null for all. */
  connector_ids: string | null
  /** True: one event at a time, in the order of the events. */
  ordered: ColumnType<boolean | number, boolean, boolean>
  status: EndpointStatus
  status_reason: string | null
  /** Time of the first failed attempt since the last success. */
  failing_since: number | null
  /** Secrets, encrypted with a master key. */
  sealed: Uint8Array
  master_key_id: string
  /** Until then the secret before the last rotation signs too. */
  previous_until: number | null
  /** Time of the next look at logs of changes; null: the endpoint does not want `records.changed`. */
  records_at: number | null
  created_at: number
  updated_at: number
}

/** Events on their way to an endpoint, and those that arrived or failed. */
export interface WebhookDeliveryTable {
  id: string
  organization_id: string
  endpoint_id: string
  event_id: string
  status: DeliveryStatus
  attempts: number
  /** Time of the next attempt, or end of the lease of the attempt that runs. */
  next_at: number
  lease_owner: string | null
  /** HTTP status of the last attempt. */
  last_status: number | null
  /** Why the last attempt failed. */
  last_error: string | null
  /** First kilobyte of the last answer. */
  last_answer: string | null
  /** Duration of the last attempt, in milliseconds. */
  last_ms: number | null
  last_at: number | null
  created_at: number
}

/** Which changes of a copy an endpoint has. */
export interface WebhookPositionTable {
  organization_id: string
  endpoint_id: string
  connector_id: string
  entity: string
  generation: string
  /** Position after the last message, a decimal number. */
  position: string
  /** Position that was delivered, a decimal number; null: it was not, or the last message asked for a snapshot. */
  since: string | null
  /** The last message. */
  event_id: string
}

/** The tables by name. */
export interface EventTables {
  events: EventTable
  webhook_endpoints: WebhookEndpointTable
  webhook_deliveries: WebhookDeliveryTable
  webhook_positions: WebhookPositionTable
}
