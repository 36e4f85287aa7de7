/** Creates the tables of webhooks that vendors send. */
import type { ColumnTypes } from './migration.ts'

/**
 * A source is an address of one connector, or of the operator's application at a vendor. Its events have no connector until the connectors of
 * the application are looked up. A worked event keeps its digest for a while, so that a repeat is dropped, and nothing else.
 */
export const vendorEvents = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table webhook_sources (
    id ${text} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    connector_id ${id},
    vendor_application_id ${id} references vendor_applications (id) on delete cascade,
    sealed ${bytes},
    master_key_id ${text},
    received ${moment} not null default 0,
    repeated ${moment} not null default 0,
    turned_away ${moment} not null default 0,
    worked ${moment} not null default 0,
    given_up ${moment} not null default 0,
    last_event_at ${moment},
    last_refused_at ${moment},
    last_worked_at ${moment},
    last_lag_ms ${moment},
    subscriptions ${text},
    created_at ${moment} not null,
    updated_at ${moment} not null,
    check ((connector_id is null) <> (vendor_application_id is null)),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create unique index webhook_sources_of_connector on webhook_sources (connector_id, organization_id) where connector_id is not null',
  `create unique index webhook_sources_of_application on webhook_sources (vendor_application_id)
    where vendor_application_id is not null`,
  'create index webhook_sources_of_organization on webhook_sources (organization_id)',
  'create index webhook_sources_by_master_key on webhook_sources (master_key_id, id) where sealed is not null',
  `create table vendor_events (
    id ${id} primary key,
    source_id ${text} not null references webhook_sources (id) on delete cascade,
    organization_id ${id} not null,
    connector_id ${id},
    digest ${text},
    sealed ${bytes},
    master_key_id ${text},
    attempts ${moment} not null,
    next_at ${moment} not null,
    lease_owner ${text},
    received_at ${moment} not null,
    ends_at ${moment} not null,
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create unique index vendor_events_once on vendor_events (source_id, digest) where digest is not null',
  'create index vendor_events_waiting on vendor_events (source_id, id) where sealed is not null',
  'create index vendor_events_of_connector on vendor_events (connector_id, organization_id, id)',
  'create index vendor_events_due on vendor_events (next_at) where sealed is not null',
  'create index vendor_events_by_master_key on vendor_events (master_key_id, id) where sealed is not null',
  'create index vendor_events_ended on vendor_events (ends_at)',
]
