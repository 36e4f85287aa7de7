/** Creates the tables of events, of the webhooks that carry them, of webhooks that vendors send, and of consumers of changes. */
import type { ColumnTypes } from './migration.ts'

/**
 * An event is written in the transaction that causes it. It gets its position later, one event after the other, so that a reader of
 * positions misses none that commits late.
 */
export const events = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table events (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    workspace_id ${id},
    connector_id ${id},
    endpoint_id ${id},
    type ${text} not null,
    data ${text} not null,
    position ${moment},
    created_at ${moment} not null
  )${end}`,
  'create unique index events_in_order on events (position) where position is not null',
  'create index events_of_organization on events (organization_id, position)',
  'create index events_without_position on events (id) where position is null',
  'create index events_by_age on events (created_at)',
  `create table webhook_endpoints (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    name ${text} not null,
    url ${text} not null,
    types ${text} not null,
    workspace_ids ${text},
    connector_ids ${text},
    ordered ${flag} not null,
    status ${text} not null check (status in ('unverified', 'active', 'paused', 'disabled')),
    status_reason ${text},
    failing_since ${moment},
    sealed ${bytes} not null,
    master_key_id ${text} not null,
    previous_until ${moment},
    records_at ${moment},
    created_at ${moment} not null,
    updated_at ${moment} not null,
    unique (id, organization_id)
  )${end}`,
  'create index webhook_endpoints_in_order on webhook_endpoints (organization_id, id)',
  'create index webhook_endpoints_by_master_key on webhook_endpoints (master_key_id, id)',
  'create index webhook_endpoints_of_records on webhook_endpoints (records_at) where records_at is not null',
  `create table webhook_deliveries (
    id ${id} primary key,
    organization_id ${id} not null,
    endpoint_id ${id} not null,
    event_id ${id} not null references events (id) on delete cascade,
    status ${text} not null check (status in ('waiting', 'delivered', 'failed')),
    attempts ${moment} not null,
    next_at ${moment} not null,
    lease_owner ${text},
    last_status ${moment},
    last_error ${text},
    last_answer ${text},
    last_ms ${moment},
    last_at ${moment},
    created_at ${moment} not null,
    foreign key (endpoint_id, organization_id) references webhook_endpoints (id, organization_id) on delete cascade
  )${end}`,
  'create unique index webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id)',
  'create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, id)',
  "create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_at) where status = 'waiting'",
  "create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, id) where status = 'waiting'",
  `create table webhook_positions (
    organization_id ${id} not null,
    endpoint_id ${id} not null,
    connector_id ${id} not null,
    entity ${text} not null,
    generation ${text} not null,
    position ${text} not null,
    since ${text},
    event_id ${id} not null,
    primary key (endpoint_id, connector_id, entity),
    foreign key (endpoint_id, organization_id) references webhook_endpoints (id, organization_id) on delete cascade
  )${end}`,
]

/**
 * A source is an address of one connector, or of the operator's OAuth client at a vendor. Its events have no connector until the connectors of
 * the OAuth client are looked up. A worked event keeps its digest for a while, so that a repeat is dropped, and nothing else.
 */
export const vendorEvents = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table webhook_sources (
    id ${text} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    connector_id ${id},
    oauth_client_id ${id} references oauth_clients (id) on delete cascade,
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
    check ((connector_id is null) <> (oauth_client_id is null)),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create unique index webhook_sources_of_connector on webhook_sources (connector_id, organization_id) where connector_id is not null',
  `create unique index webhook_sources_of_oauth_client on webhook_sources (oauth_client_id)
    where oauth_client_id is not null`,
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

/** A consumer keeps its cursor here as positions, so that it outlives the key that signs cursors. */
export const changeConsumers = ({ id, text, moment, end }: ColumnTypes): readonly string[] => [
  `create table change_consumers (
    organization_id ${id} not null,
    connector_id ${id} not null,
    name ${text} not null,
    entities ${text},
    positions ${text},
    created_at ${moment} not null,
    moved_at ${moment},
    primary key (connector_id, name),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create index change_consumers_of_organization on change_consumers (organization_id)',
]
