/** Adds the syncs: schedules, runs, the state of copies, and removals. */
import type { Migration } from './migration.ts'

/**
 * Adds the tables. Runs have no foreign key, so that watchers still see the runs of a deleted connector; old runs expire. Removals have
 * none either, because they outlive their connector.
 */
export const syncs: Migration = {
  version: 4,
  statements: ({ id, text, moment, end }) => [
    `create table sync_schedules (
      organization_id ${id} not null,
      connector_id ${id} not null,
      entity ${text} not null,
      interval_seconds ${moment},
      next_run_at ${moment},
      primary key (connector_id, entity),
      foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
    )${end}`,
    'create index sync_schedules_due on sync_schedules (next_run_at, connector_id) where next_run_at is not null',
    `create table sync_runs (
      id ${id} primary key,
      organization_id ${id} not null references organizations (id) on delete cascade,
      workspace_id ${id} not null,
      connector_id ${id} not null,
      mode ${text} not null check (mode in ('incremental', 'full')),
      entities ${text},
      state ${text} not null check (state in ('queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled')),
      cause ${text} not null check (cause in ('created', 'changed', 'schedule', 'demand', 'search')),
      attempts ${moment} not null,
      failures ${moment} not null,
      place ${moment} not null,
      not_before ${moment},
      lease_owner ${text},
      lease_until ${moment},
      progress ${text} not null,
      results ${text} not null,
      error_code ${text},
      error_message ${text},
      error_hint ${text},
      version ${moment} not null,
      created_at ${moment} not null,
      started_at ${moment},
      finished_at ${moment},
      check ((finished_at is null) = (state in ('queued', 'running'))),
      check (state <> 'queued' or lease_owner is null)
    )${end}`,
    // One walk of a connector at a time across all nodes, and one run that waits for its first attempt.
    'create unique index sync_runs_leased on sync_runs (connector_id) where lease_owner is not null',
    "create unique index sync_runs_waiting on sync_runs (connector_id) where state = 'queued' and attempts = 0",
    // Separates runs that can start from runs that wait for a time, so that leasing skips the latter.
    "create index sync_runs_queue on sync_runs (place, id) where state = 'queued' and not_before is null",
    "create index sync_runs_delayed on sync_runs (not_before) where state = 'queued' and not_before is not null",
    'create index sync_runs_leases on sync_runs (lease_until) where lease_owner is not null',
    'create index sync_runs_of_connector on sync_runs (connector_id, id)',
    'create index sync_runs_unfinished on sync_runs (connector_id) where finished_at is null',
    'create index sync_runs_of_workspace on sync_runs (workspace_id) where finished_at is null',
    'create index sync_runs_ended on sync_runs (finished_at) where finished_at is not null',
    `create table sync_entities (
      organization_id ${id} not null,
      connector_id ${id} not null,
      entity ${text} not null,
      records ${moment},
      synced_at ${moment},
      last_success_at ${moment},
      last_attempt_at ${moment},
      outcome ${text},
      error_code ${text},
      error_message ${text},
      error_hint ${text},
      met_changes ${moment},
      primary key (connector_id, entity),
      foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
    )${end}`,
    `create table sync_removals (
      id ${id} primary key,
      organization_id ${id} not null,
      connector_id ${id} not null,
      kind ${text} not null,
      entities ${text},
      failures ${moment} not null,
      not_before ${moment} not null,
      lease_owner ${text},
      created_at ${moment} not null
    )${end}`,
    'create index sync_removals_due on sync_removals (not_before, id)',
    'create index sync_removals_of_connector on sync_removals (connector_id)',
  ],
}
