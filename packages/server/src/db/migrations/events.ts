/** Creates the tables of events and of the webhooks that carry them. */
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
