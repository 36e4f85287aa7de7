/** Creates organizations, applications, workspaces, keys, connectors and jobs. */
import type { Migration } from './migration.ts'

/** The first schema. */
export const platform: Migration = {
  version: 1,
  statements: ({ id, text, bytes, moment, flag, end }) => [
    `create table state (name ${text} primary key, value ${text} not null)${end}`,
    `create table organizations (id ${id} primary key, name ${text} not null, created_at ${moment} not null)${end}`,
    `create table applications (
      id ${id} primary key,
      client_id ${text} not null unique,
      name ${text} not null,
      secret_hash ${text} not null,
      created_at ${moment} not null
    )${end}`,
    `create table grants (
      application_id ${id} not null references applications (id) on delete cascade,
      organization_id ${id} not null references organizations (id) on delete cascade,
      role ${text} not null check (role in ('admin')),
      created_at ${moment} not null,
      primary key (application_id, organization_id)
    )${end}`,
    'create index grants_by_organization on grants (organization_id)',
    // The unique (id, organization_id) prevents rows that name a workspace of another organization.
    `create table workspaces (
      id ${id} primary key,
      organization_id ${id} not null references organizations (id) on delete cascade,
      name ${text} not null,
      name_folded ${text} not null,
      status ${text} not null check (status in ('active', 'inactive')),
      cache_enabled ${flag},
      data_key_id ${id} not null,
      created_at ${moment} not null,
      updated_at ${moment} not null,
      deleted_at ${moment},
      unique (id, organization_id)
    )${end}`,
    'create unique index workspaces_by_name on workspaces (organization_id, name) where deleted_at is null',
    'create index workspaces_in_order on workspaces (organization_id, id)',
    'create index workspaces_removed on workspaces (deleted_at) where deleted_at is not null',
    `create table data_keys (
      id ${id} primary key,
      organization_id ${id} not null,
      workspace_id ${id} not null,
      master_key_id ${text} not null,
      wrapped ${bytes} not null,
      created_at ${moment} not null,
      foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
    )${end}`,
    'create index data_keys_by_workspace on data_keys (workspace_id, organization_id)',
    'create index data_keys_by_master_key on data_keys (master_key_id, id)',
    `create table connectors (
      id ${id} primary key,
      organization_id ${id} not null,
      workspace_id ${id} not null,
      name ${text} not null,
      kind ${text} not null,
      status ${text} not null check (status in ('active', 'auth_error')),
      status_reason ${text},
      configuration ${text} not null,
      entities ${text} not null,
      sandbox ${flag} not null,
      scheme ${text} not null,
      credential_fields ${text} not null,
      sealed ${bytes} not null,
      data_key_id ${id} not null references data_keys (id),
      version ${moment} not null,
      lease_owner ${text},
      lease_until ${moment},
      created_at ${moment} not null,
      updated_at ${moment} not null,
      foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
    )${end}`,
    'create unique index connectors_by_name on connectors (workspace_id, name)',
    'create index connectors_in_order on connectors (organization_id, id)',
    'create index connectors_of_workspace on connectors (workspace_id, organization_id, id)',
    'create index connectors_by_data_key on connectors (data_key_id, id)',
    `create table jobs (
      id ${id} primary key,
      organization_id ${id} not null references organizations (id) on delete cascade,
      workspace_id ${id} not null,
      type ${text} not null,
      status ${text} not null,
      connector_id ${id} not null,
      created_at ${moment} not null,
      finished_at ${moment} not null
    )${end}`,
    'create index jobs_by_age on jobs (created_at)',
  ],
}
