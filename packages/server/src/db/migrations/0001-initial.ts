/**
 * Creates every table. A foreign key with the organization, and the unique (id, organization_id) that it needs, prevent rows of two tenants
 * from meeting.
 */
import { usageBins } from '../schema/usage-schema.ts'
import { changeConsumers, events, vendorEvents } from './events.ts'
import type { ColumnTypes, Migration } from './migration.ts'
import { ownKinds } from './own-kinds.ts'
import { takeTurns } from './take-turns.ts'

const tenancy = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table state (name ${text} primary key, value ${text} not null)${end}`,
  `create table organizations (id ${id} primary key, name ${text} not null, created_at ${moment} not null, deleted_at ${moment})${end}`,
  'create index organizations_deleted on organizations (deleted_at) where deleted_at is not null',
  `create table applications (
    id ${id} primary key,
    client_id ${text} not null unique,
    name ${text} not null,
    secret_hash ${text} not null,
    created_at ${moment} not null
  )${end}`,
  // `own` is 1 in an organization that the application created, else 0.
  `create table grants (
    application_id ${id} not null references applications (id) on delete cascade,
    organization_id ${id} not null references organizations (id) on delete cascade,
    role ${text} not null check (role in ('admin')),
    created_at ${moment} not null,
    own ${moment} not null default 0,
    primary key (application_id, organization_id)
  )${end}`,
  'create index grants_by_organization on grants (organization_id)',
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
]

/**
 * A grant of OAuth is an MCP token without a text of its own; its access tokens are rows below it. A token ends with the grant of its
 * application. Its workspaces and connectors are ids only: a view never shows others.
 */
const mcpTokens = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table mcp_tokens (
    id ${id} primary key,
    organization_id ${id} not null,
    application_id ${id} not null,
    name ${text} not null,
    digest ${text} not null unique,
    workspace_ids ${text} not null,
    connector_ids ${text},
    scopes ${text} not null,
    resource ${text} not null,
    created_at ${moment} not null,
    expires_at ${moment} not null,
    last_used_at ${moment},
    parent_id ${id} references mcp_tokens (id) on delete cascade,
    client_id ${text},
    foreign key (application_id, organization_id) references grants (application_id, organization_id) on delete cascade
  )${end}`,
  'create index mcp_tokens_in_order on mcp_tokens (organization_id, id)',
  'create index mcp_tokens_of_application on mcp_tokens (application_id, organization_id)',
  'create index mcp_tokens_by_end on mcp_tokens (expires_at)',
  'create index mcp_tokens_of_parent on mcp_tokens (parent_id, id)',
  // Codes and refresh tokens are records, so the end of a grant ends all of them.
  `create table oauth_records (
    digest ${text} primary key,
    type ${text} not null,
    grant_id ${id} references mcp_tokens (id) on delete cascade,
    sealed ${bytes} not null,
    consumed_at ${moment},
    created_at ${moment} not null,
    expires_at ${moment} not null
  )${end}`,
  'create index oauth_records_of_grant on oauth_records (grant_id)',
  'create index oauth_records_by_end on oauth_records (type, expires_at)',
]

/** A session ends with its application; a replaced secret leaves rows that no longer count. */
const consoleSessions = ({ id, text, moment, end }: ColumnTypes): readonly string[] => [
  `create table console_sessions (
    digest ${text} primary key,
    application_id ${id} not null references applications (id) on delete cascade,
    secret_mark ${text} not null,
    created_at ${moment} not null,
    last_used_at ${moment} not null
  )${end}`,
  'create index console_sessions_of_application on console_sessions (application_id, created_at)',
  'create index console_sessions_by_use on console_sessions (last_used_at)',
]

/** A connector of a consent refers to the operator's OAuth client at the vendor, and never has a copy of its secret. */
const connectors = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table oauth_clients (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    kind ${text} not null,
    fields ${text} not null,
    hosts ${text},
    sealed ${bytes} not null,
    master_key_id ${text} not null,
    created_at ${moment} not null,
    updated_at ${moment} not null,
    unique (organization_id, kind)
  )${end}`,
  'create index oauth_clients_by_master_key on oauth_clients (master_key_id, id)',
  // `proof` is a keyed digest of accepted credentials. `unchecked` says that no call has used the credentials yet.
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
    notices ${text} not null default '[]',
    proof ${text},
    unchecked ${flag} not null default ${flag === 'boolean' ? 'false' : '0'},
    changes_days ${moment},
    oauth_client_id ${id} references oauth_clients (id) on delete set null,
    consent_digest ${text},
    account ${text},
    foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
  )${end}`,
  'create unique index connectors_by_name on connectors (workspace_id, name)',
  'create unique index connectors_of_organization on connectors (id, organization_id)',
  'create index connectors_in_order on connectors (organization_id, id)',
  'create index connectors_of_workspace on connectors (workspace_id, organization_id, id)',
  'create index connectors_by_data_key on connectors (data_key_id, id)',
  'create index connectors_of_oauth_client on connectors (oauth_client_id)',
  'create index connectors_of_consent on connectors (organization_id, consent_digest) where consent_digest is not null',
  // Without it a page of a rare kind reads all connectors of the organization.
  'create index connectors_of_kind on connectors (organization_id, kind, id)',
]

/**
 * A creation holds tokens that a trial renewed, or the connector of an Idempotency-Key. Its rows live for a day. The lease lets a repeat on
 * another node wait.
 */
const creations = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table connector_creations (
    organization_id ${id} not null references organizations (id) on delete cascade,
    key_digest ${text} not null,
    fingerprint ${text} not null,
    sealed ${bytes},
    connector_id ${id},
    expires_at ${moment} not null,
    owner ${text} not null default '',
    busy_until ${moment} not null default 0,
    primary key (organization_id, key_digest)
  )${end}`,
  'create index connector_creations_ended on connector_creations (expires_at)',
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
]

/** Of a secret only a digest is stored. */
const links = ({ id, text, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table connect_links (
    id ${id} primary key,
    organization_id ${id} not null,
    application_id ${id} not null,
    workspace_id ${id} not null,
    digest ${text} not null,
    kinds ${text} not null,
    target_connector_id ${id} references connectors (id) on delete cascade,
    allow_other_account ${flag} not null,
    end_user_id ${text} not null,
    end_user_name ${text},
    end_user_email ${text},
    name ${text},
    defaults ${text} not null,
    locked ${text} not null,
    redirect_url ${text},
    allowed_origin ${text},
    sandbox ${flag} not null,
    attempts ${moment} not null,
    connector_id ${id},
    created_at ${moment} not null,
    expires_at ${moment} not null,
    used_at ${moment},
    revoked_at ${moment},
    unique (id, organization_id),
    foreign key (application_id, organization_id) references grants (application_id, organization_id) on delete cascade,
    foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_links_in_order on connect_links (organization_id, id)',
  'create index connect_links_of_application on connect_links (application_id, organization_id)',
  'create index connect_links_of_workspace on connect_links (workspace_id, organization_id)',
  'create index connect_links_of_target on connect_links (target_connector_id)',
  'create index connect_links_by_end on connect_links (expires_at)',
]

const visits = ({ id, text, bytes, moment, end }: ColumnTypes): readonly string[] => [
  `create table connect_sessions (
    digest ${text} primary key,
    organization_id ${id} not null,
    link_id ${id} not null,
    created_at ${moment} not null,
    expires_at ${moment} not null,
    foreign key (link_id, organization_id) references connect_links (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_sessions_of_link on connect_sessions (link_id, organization_id)',
  'create index connect_sessions_by_end on connect_sessions (expires_at)',
  `create table connect_attempts (
    id ${id} primary key,
    organization_id ${id} not null,
    link_id ${id} not null,
    session_digest ${text} not null references connect_sessions (digest) on delete cascade,
    kind ${text} not null,
    oauth_client_id ${id} not null references oauth_clients (id) on delete cascade,
    state_digest ${text} not null unique,
    cookie_digest ${text} not null,
    configuration ${text} not null,
    name ${text},
    status ${text} not null,
    sealed ${bytes},
    failure ${text},
    created_at ${moment} not null,
    expires_at ${moment} not null,
    foreign key (link_id, organization_id) references connect_links (id, organization_id) on delete cascade
  )${end}`,
  'create index connect_attempts_of_link on connect_attempts (link_id, organization_id)',
  'create index connect_attempts_of_session on connect_attempts (session_digest, id)',
  'create index connect_attempts_of_oauth_client on connect_attempts (oauth_client_id)',
  'create index connect_attempts_by_end on connect_attempts (expires_at)',
]

/** Tokens that wait for their end. They have no foreign key: they outlive their workspace and organization, because a vendor may be down. */
const revocations = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table consent_revocations (
    id ${id} primary key,
    organization_id ${id} not null,
    connector_id ${id} not null,
    kind ${text} not null,
    configuration ${text} not null,
    sandbox ${flag} not null,
    oauth_client_id ${id} not null,
    sealed ${bytes} not null,
    master_key_id ${text} not null,
    failures ${moment} not null,
    not_before ${moment} not null,
    created_at ${moment} not null
  )${end}`,
  'create index consent_revocations_by_time on consent_revocations (not_before)',
  'create index consent_revocations_by_master_key on consent_revocations (master_key_id, id)',
  'create index consent_revocations_of_oauth_client on consent_revocations (oauth_client_id)',
]

/**
 * A key without a status is in flight; `claimed` means that the vendor recognizes the write by an id of its own. Claims have no foreign
 * key: they hold only digests, and a connector with a week of claims is deleted fast.
 */
const writes = ({ id, text, bytes, moment, flag, end }: ColumnTypes): readonly string[] => [
  `create table idempotency_keys (
    organization_id ${id} not null,
    connector_id ${id} not null,
    key_digest ${text} not null,
    fingerprint ${text} not null,
    write_id ${id} not null,
    owner ${id} not null,
    started_at ${moment} not null,
    lease_until ${moment} not null,
    claimed ${flag} not null,
    status ${moment},
    code ${text},
    data_key_id ${id} references data_keys (id),
    sealed ${bytes},
    expires_at ${moment} not null,
    primary key (organization_id, connector_id, key_digest),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  'create index idempotency_keys_by_end on idempotency_keys (expires_at)',
  'create index idempotency_keys_by_data_key on idempotency_keys (data_key_id)',
  `create table request_claims (
    organization_id ${id} not null,
    connector_id ${id} not null,
    request_id ${text} not null,
    fingerprint ${text} not null,
    claimed_at ${moment} not null,
    owner ${id} not null,
    busy_until ${moment} not null,
    primary key (organization_id, connector_id, request_id)
  )${end}`,
  'create index request_claims_by_age on request_claims (claimed_at)',
  // What a write or a statement answered an agent, so that any node continues it. Rows live for minutes.
  `create table kept_answers (
    organization_id ${id} not null references organizations (id) on delete cascade,
    digest ${text} not null,
    sealed ${bytes} not null,
    expires_at ${moment} not null,
    primary key (organization_id, digest)
  )${end}`,
  'create index kept_answers_of_organization on kept_answers (organization_id, expires_at)',
  'create index kept_answers_by_end on kept_answers (expires_at)',
]

/**
 * Runs have no foreign key to their connector, so that watchers still see the runs of a deleted one; old runs expire. `lease_node` lets a
 * restarted node take over its own leases, `lease_session` ends a lease with its process, `asked` is what searches wait for.
 */
const runs = ({ id, text, moment, end }: ColumnTypes): readonly string[] => [
  `create table sync_runs (
    id ${id} primary key,
    organization_id ${id} not null references organizations (id) on delete cascade,
    workspace_id ${id} not null,
    connector_id ${id} not null,
    mode ${text} not null check (mode in ('incremental', 'full')),
    entities ${text},
    state ${text} not null check (state in ('queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled')),
    cause ${text} not null check (cause in ('created', 'changed', 'schedule', 'demand', 'search', 'webhook')),
    attempts ${moment} not null,
    failures ${moment} not null,
    queue_order ${moment} not null,
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
    lease_node ${text},
    lease_session ${moment},
    asked ${text},
    parked_until ${moment},
    check ((finished_at is null) = (state in ('queued', 'running'))),
    check (state <> 'queued' or lease_owner is null)
  )${end}`,
  // One walk of a connector at a time across all nodes, and one run that waits for its first attempt.
  'create unique index sync_runs_leased on sync_runs (connector_id) where lease_owner is not null',
  "create unique index sync_runs_waiting on sync_runs (connector_id) where state = 'queued' and attempts = 0",
  // Runs that wait for a time, and parked ones, are outside the queue's index: a claim would read over them each time.
  "create index sync_runs_queue on sync_runs (queue_order, id) where state = 'queued' and not_before is null and parked_until is null",
  "create index sync_runs_delayed on sync_runs (not_before) where state = 'queued' and not_before is not null",
  'create index sync_runs_parked on sync_runs (parked_until) where parked_until is not null',
  'create index sync_runs_leases on sync_runs (lease_until) where lease_owner is not null',
  'create index sync_runs_of_connector on sync_runs (connector_id, id)',
  'create index sync_runs_unfinished on sync_runs (connector_id) where finished_at is null',
  'create index sync_runs_of_workspace on sync_runs (workspace_id) where finished_at is null',
  'create index sync_runs_ended on sync_runs (finished_at) where finished_at is not null',
  // Without it a page of unfinished runs reads all runs of the organization.
  'create index sync_runs_of_organization on sync_runs (organization_id, id) where finished_at is null',
]

/** Removals have no foreign key, because they outlive their connector. */
const copies = ({ id, text, moment, end }: ColumnTypes): readonly string[] => [
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
    verified_at ${moment},
    whole ${moment},
    primary key (connector_id, entity),
    foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
  )${end}`,
  `create table sync_removals (
    id ${id} primary key,
    organization_id ${id} not null,
    connector_id ${id} not null,
    kind ${text} not null,
    entities ${text},
    next_kind ${text},
    failures ${moment} not null,
    not_before ${moment} not null,
    lease_owner ${text},
    created_at ${moment} not null,
    lease_node ${text}
  )${end}`,
  'create index sync_removals_due on sync_removals (not_before, id)',
  'create index sync_removals_of_connector on sync_removals (connector_id)',
]

/**
 * A call is counted for its organization, its workspace and its connector, so that each is read without a sum over connectors. Counts are
 * only ever added to, so nodes need no lock. Counts of a deleted connector stay until they expire.
 */
const usage = ({ id, text, moment, moments, end }: ColumnTypes): readonly string[] => [
  `create table usage_counts (
    organization_id ${id} not null references organizations (id) on delete cascade,
    scope_id ${id} not null,
    step ${moment} not null,
    time ${moment} not null,
    code ${text} not null,
    ${usageBins.map((bin) => `${bin} ${moment} not null`).join(', ')},
    primary key (organization_id, scope_id, step, time, code)
  )${end}`,
  'create index usage_counts_by_age on usage_counts (step, time)',
  // No second index, so that PostgreSQL can change a row in place: a row changes with each call. `numbers` and `times` are of the last calls.
  `create table vendor_budgets (
    key ${text} primary key,
    total ${moment} not null default 0,
    numbers ${moments} not null default '{}',
    times ${moments} not null default '{}',
    level ${moment} not null default 0,
    level_at ${moment} not null default 0,
    size ${moment},
    hold_until ${moment},
    probe_until ${moment},
    used_at ${moment} not null
  )${end}`,
  ...(moments === 'text' ? [] : [takeTurns]),
]

const subjects = [
  tenancy,
  mcpTokens,
  consoleSessions,
  connectors,
  ownKinds,
  creations,
  links,
  visits,
  revocations,
  writes,
  runs,
  copies,
  usage,
  events,
  vendorEvents,
  changeConsumers,
]

/** The schema of version 0.1.0. */
export const initial: Migration = { version: 1, statements: (types) => subjects.flatMap((subject) => subject(types)) }
