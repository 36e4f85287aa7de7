/** The tables, as both databases hold them. */
import type { ColumnType } from 'kysely'

/** SQLite keeps truth values as 0 and 1. */
type Flag = ColumnType<boolean | number, boolean, boolean>
/** Bytes: a Buffer from PostgreSQL, a Uint8Array from SQLite. */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>
/** Milliseconds since 1970. */
type Moment = number

/** Facts about the installation, such as which application came first. */
export interface StateTable {
  name: string
  value: string
}
/** Tenants. */
export interface OrganizationTable {
  id: string
  name: string
  created_at: Moment
}
/** Clients of the token endpoint. */
export interface ApplicationTable {
  id: string
  client_id: string
  name: string
  /** `scrypt:N:r:p:salt:hash`, base64url. */
  secret_hash: string
  created_at: Moment
}
/** Which application reaches which organization. */
export interface GrantTable {
  application_id: string
  organization_id: string
  role: string
  created_at: Moment
  /** 1: the application made the organization itself. */
  own: number
}
/** Workspaces; removed ones stay for 30 days. */
export interface WorkspaceTable {
  id: string
  organization_id: string
  name: string
  /** The name in lower case, for `name_contains`. */
  name_folded: string
  status: 'active' | 'inactive'
  cache_enabled: ColumnType<boolean | number | null, boolean | null, boolean | null>
  /** The key that new credentials are sealed with. */
  data_key_id: string
  created_at: Moment
  updated_at: Moment
  deleted_at: Moment | null
}
/** Data keys, wrapped. A workspace has more than one only while its credentials are sealed anew. */
export interface DataKeyTable {
  id: string
  organization_id: string
  workspace_id: string
  master_key_id: string
  wrapped: Bytes
  created_at: Moment
}
/** Connectors with their sealed credentials. */
export interface ConnectorTable {
  id: string
  organization_id: string
  workspace_id: string
  name: string
  kind: string
  status: 'active' | 'auth_error'
  status_reason: string | null
  /** JSON. */
  configuration: string
  /** JSON. */
  entities: string
  sandbox: Flag
  scheme: string
  /** JSON array of names. */
  credential_fields: string
  sealed: Bytes
  data_key_id: string
  /** Counts replacements of the credentials. */
  version: number
  /** Keyed digest of the credentials that the vendor took; null: they have not proven themselves. */
  proof: ColumnType<string | null, string | null | undefined, string | null>
  /** Who renews the credentials at the moment, and until when others keep away. */
  lease_owner: string | null
  lease_until: Moment | null
  created_at: Moment
  updated_at: Moment
  /** JSON array. */
  notices: string
  /** No call has passed with these credentials yet, so syncs wait. */
  unchecked: Flag
}
/** What is kept of the making of connectors. */
export interface ConnectorCreationTable {
  organization_id: string
  /** Digest of the Idempotency-Key, or of the credentials where there is none. */
  key_digest: string
  /** Digest of the request. */
  fingerprint: string
  /** Credentials that a check renewed; they open with those that the request brought. */
  sealed: ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>
  /** The connector that was made. */
  connector_id: string | null
  expires_at: Moment
}
/** Finished pieces of work that were asked for. */
export interface JobTable {
  id: string
  organization_id: string
  workspace_id: string
  type: 'connector_delete'
  status: 'succeeded'
  connector_id: string
  created_at: Moment
  finished_at: Moment
}

/** Calls under an Idempotency-Key: in flight while there is no status, then with their outcome. */
export interface IdempotencyKeyTable {
  organization_id: string
  connector_id: string
  /** Digest of the key. */
  key_digest: string
  /** Digest of entity, action and parameters. */
  fingerprint: string
  /** What the vendor's id of the write is derived from: one for each life of the key. */
  write_id: string
  /** The attempt that runs or ran. */
  owner: string
  started_at: Moment
  /** When an attempt without a status counts as dead. */
  lease_until: Moment
  /** Whether an attempt has claimed a vendor request id. */
  claimed: Flag
  /** HTTP status of the outcome. */
  status: number | null
  /** Code of an error. */
  code: string | null
  data_key_id: string | null
  /** The sealed body; null also when it was too large to be kept. */
  sealed: ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>
  expires_at: Moment
}
/** Which write a vendor request id stands for. */
export interface RequestClaimTable {
  organization_id: string
  connector_id: string
  request_id: string
  /** Digest of what the engine calls the write's fingerprint. */
  fingerprint: string
  /** The last time. */
  claimed_at: Moment
  /** The call that claimed it then, and until when no other one may. */
  owner: string
  busy_until: Moment
}

/** When copies are brought up to date. */
export interface SyncScheduleTable {
  organization_id: string
  connector_id: string
  /** A group of entities that has its own interval; '' for all others. */
  entity: string
  /** null: the default of the settings. */
  interval_seconds: number | null
  /** null while it is paused. */
  next_run_at: Moment | null
}
/** Runs that bring a connector's copy up to date: waiting, running, and those of the last days. */
export interface SyncRunTable {
  id: string
  organization_id: string
  workspace_id: string
  connector_id: string
  mode: 'incremental' | 'full'
  /** JSON array of names; null: all. */
  entities: string | null
  state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled'
  cause: 'created' | 'changed' | 'schedule' | 'demand' | 'search'
  /** How often a node has begun it, or gone on with it. */
  attempts: number
  /** Attempts in a row that came to nothing. */
  failures: number
  /** What the queue is ordered by. */
  place: number
  /** null: at once. */
  not_before: Moment | null
  /** The node that walks, and until when others keep away. A cancelled run keeps it until its node has let go. */
  lease_owner: string | null
  lease_until: Moment | null
  /** The node of the lease; it stays when the lease is given back. */
  lease_node: string | null
  /** The session that the lease ends with; null where its end is to be waited for. */
  lease_session: number | null
  /** JSON: what was met so far. */
  progress: string
  /** JSON array: how it ended for each entity that is done. */
  results: string
  error_code: string | null
  error_message: string | null
  error_hint: string | null
  /** Counts changes, for watchers. */
  version: number
  created_at: Moment
  started_at: Moment | null
  finished_at: Moment | null
}
/** What is known of the copy of one entity. */
export interface SyncEntityTable {
  organization_id: string
  connector_id: string
  entity: string
  records: number | null
  /** What was new or had changed until this moment, as far as the vendor tells, is in the copy. */
  synced_at: Moment | null
  /** The copy was compared with everything that the vendor had at this moment. */
  verified_at: Moment | null
  /** 1: no part of it was left unread by the last walk that read it; 0: some was. */
  whole: Moment | null
  last_success_at: Moment | null
  last_attempt_at: Moment | null
  /** How the last walk ended. */
  outcome: 'complete' | 'changes' | 'partial' | 'skipped' | 'failed' | null
  error_code: string | null
  error_message: string | null
  error_hint: string | null
  /** Records that the last walk met which asked for changes. */
  met_changes: number | null
}
/** Copies that are to be removed. */
export interface SyncRemovalTable {
  id: string
  organization_id: string
  connector_id: string
  kind: string
  /** JSON array of entities that are emptied; null: the connector is gone for good. */
  entities: string | null
  failures: number
  /** Until then nobody else begins it. */
  not_before: Moment
  lease_owner: string | null
  /** The node of the lease. */
  lease_node: string | null
  created_at: Moment
}

/** All tables by name. */
export interface Tables {
  state: StateTable
  organizations: OrganizationTable
  applications: ApplicationTable
  grants: GrantTable
  workspaces: WorkspaceTable
  data_keys: DataKeyTable
  connectors: ConnectorTable
  connector_creations: ConnectorCreationTable
  jobs: JobTable
  idempotency_keys: IdempotencyKeyTable
  request_claims: RequestClaimTable
  sync_schedules: SyncScheduleTable
  sync_runs: SyncRunTable
  sync_entities: SyncEntityTable
  sync_removals: SyncRemovalTable
}
