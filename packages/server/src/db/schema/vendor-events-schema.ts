/** Declares the tables of webhooks that vendors send. */
import type { Generated } from 'kysely'

/** An address that a vendor sends webhooks to. */
export interface WebhookSourceTable {
  /** Random and secret: the last part of the address. */
  id: string
  organization_id: string
  /** The connector whose events come here; null for an OAuth client. */
  connector_id: string | null
  /** The operator's OAuth client whose events come here; null for a connector. */
  oauth_client_id: string | null
  /** Secret that verifies, encrypted with a master key; null: that of the credentials or of the OAuth client verifies. */
  sealed: Uint8Array | null
  master_key_id: string | null
  /** Counts since the creation: what came, and how much of it came again, was turned away, was worked on, was given up. */
  received: Generated<number>
  repeated: Generated<number>
  turned_away: Generated<number>
  worked: Generated<number>
  given_up: Generated<number>
  last_event_at: number | null
  last_refused_at: number | null
  last_worked_at: number | null
  /** Time from the arrival of the last event to the end of its work. */
  last_lag_ms: number | null
  /** JSON: what the vendor answered for each topic that it was asked for last; null before. */
  subscriptions: string | null
  created_at: number
  updated_at: number
}

/** What vendors sent, for a day after it was worked on and for 7 days at most. */
export interface VendorEventTable {
  id: string
  source_id: string
  organization_id: string
  /** Null until the connectors of the OAuth client are looked up. */
  connector_id: string | null
  /** Digest of the vendor's id of the event; null without one, and for an event of an OAuth client at each of its connectors. */
  digest: string | null
  /** What the event says, encrypted with a master key; null when it was worked on. */
  sealed: Uint8Array | null
  master_key_id: string | null
  attempts: number
  /** Time of the next attempt, or end of the lease of the attempt that runs. */
  next_at: number
  lease_owner: string | null
  received_at: number
  /** Time of the deletion. */
  ends_at: number
}

/** The tables by name. */
export interface VendorEventTables {
  webhook_sources: WebhookSourceTable
  vendor_events: VendorEventTable
}
