/** Declares the tables of both databases. */
import type { EntityOutcome, JobStatus, JobType, RunCause, RunMode, RunState, StoredConnectorStatus, WorkspaceStatus } from 'ferrule/wire'
import type { ColumnType, Generated } from 'kysely'
import type { ConsumerTables } from './consumers-schema.ts'
import type { EventTables } from './events-schema.ts'
import type { OwnKindTables } from './own-kinds-schema.ts'
import type { VendorEventTables } from './vendor-events-schema.ts'

/** Facts of the installation, such as the first application. */
export interface StateTable {
  name: string
  value: string
}
/** Tenants; deleted ones stay for 30 days. */
export interface OrganizationTable {
  id: string
  name: string
  created_at: Moment
  deleted_at: Moment | null
}
/** Clients of the token endpoint. */
export interface ApplicationTable {
  id: string
  client_id: string
  name: string
  /** `sha256:salt:digest`, base64url. */
  secret_hash: string
  created_at: Moment
}
/** Grants of applications in organizations. */
export interface GrantTable {
  application_id: string
  organization_id: string
  role: string
  created_at: Moment
  /** 1 when the application created the organization, else 0. */
  own: number
}
/** MCP tokens. A revoked token has no row. */
export interface McpTokenTable {
  id: string
  organization_id: string
  application_id: string
  name: string
  /** SHA-256 of the token's text, base64url. */
  digest: string
  /** JSON array of ids. */
  workspace_ids: string
  /** JSON array of ids; null for all connectors of the workspaces. */
  connector_ids: string | null
  /** Space-separated scopes. */
  scopes: string
  /** Address of the MCP endpoint. */
  resource: string
  created_at: Moment
  expires_at: Moment
  last_used_at: Moment | null
  /** Grant of an access token of OAuth; null for the grant itself, and for a token made by hand. */
  parent_id: string | null
  /** OAuth client of a grant and of its access tokens. */
  client_id: string | null
}
/** Workspaces; deleted ones stay for 30 days. */
export interface WorkspaceTable {
  id: string
  organization_id: string
  name: string
  /** The name in lower case, for `name_contains`. */
  name_folded: string
  status: WorkspaceStatus
  cache_enabled: ColumnType<boolean | number | null, boolean | null, boolean | null>
  /** Key that encrypts new credentials. */
  data_key_id: string
  created_at: Moment
  updated_at: Moment
  deleted_at: Moment | null
}
/** Wrapped data keys. A workspace has several only during a rotation. */
export interface DataKeyTable {
  id: string
  organization_id: string
  workspace_id: string
  master_key_id: string
  wrapped: Bytes
  created_at: Moment
}
/** Connectors with their encrypted credentials. */
export interface ConnectorTable extends ConsentColumns {
  id: string
  organization_id: string
  workspace_id: string
  name: string
  /** Slug; of a kind of the organization `slug~id~version`. */
  kind: string
  status: StoredConnectorStatus
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
  version: number
  /** Keyed digest of accepted credentials; null before their first success. */
  proof: OptionalText
  /** Owner and end of the lease on a renewal. */
  lease_owner: string | null
  lease_until: Moment | null
  created_at: Moment
  updated_at: Moment
  /** JSON array. */
  notices: string
  /** True before the first successful call with these credentials; syncs wait for it. */
  unchecked: Flag
  /** Days for which changes of its copy are kept; null uses the default of the settings. */
  changes_days: number | null
}
/** Creations of connectors, for repeats of their requests. */
export interface ConnectorCreationTable {
  organization_id: string
  /** Digest of the Idempotency-Key, or of the credentials without a key. */
  key_digest: string
  /** Digest of the request. */
  fingerprint: string
  /** Credentials that a trial renewed; the request's credentials decrypt them. */
  sealed: NullableBytes
  connector_id: string | null
  expires_at: Moment
  /** The attempt that runs, or the last one. */
  owner: Generated<string>
  /** Until then nobody else runs the creation; 0 when it does not run. */
  busy_until: Generated<Moment>
}
/** Finished jobs. */
export interface JobTable {
  id: string
  organization_id: string
  workspace_id: string
  type: JobType
  status: JobStatus
  connector_id: string
  created_at: Moment
  finished_at: Moment
}

/** Calls under an Idempotency-Key: in flight without a status, then with their outcome. */
export interface IdempotencyKeyTable {
  organization_id: string
  connector_id: string
  /** Digest of the key. */
  key_digest: string
  /** Digest of entity, action and parameters. */
  fingerprint: string
  /** Source of the vendor's id of the write; new for each life of the key. */
  write_id: string
  /** The current or last attempt. */
  owner: string
  started_at: Moment
  /** Time after which an attempt without a status counts as dead. */
  lease_until: Moment
  /** True when an attempt claimed a vendor request id. */
  claimed: Flag
  /** HTTP status of the outcome. */
  status: number | null
  code: string | null
  data_key_id: string | null
  /** Encrypted body; null also for a body too large to store. */
  sealed: NullableBytes
  expires_at: Moment
}

/** Schedules of syncs. */
export interface SyncScheduleTable {
  organization_id: string
  connector_id: string
  /** Group of entities with an own interval; '' for the connector's default. */
  entity: string
  /** null uses the default of the settings. */
  interval_seconds: number | null
  /** null while paused. */
  next_run_at: Moment | null
}
/** Sync runs: waiting, active, and recently finished ones. */
export interface SyncRunTable {
  id: string
  organization_id: string
  workspace_id: string
  connector_id: string
  mode: RunMode
  /** JSON array of names; null means all. */
  entities: string | null
  state: RunState
  cause: RunCause
  attempts: number
  /** Number of consecutive fruitless attempts. */
  failures: number
  /** Orders the queue: when the run was queued, less its head start. Smaller goes first. */
  queue_order: number
  /** null starts at once. */
  not_before: Moment | null
  /** Time of the next look at a run that cannot start; null in the queue. */
  parked_until: Moment | null
  /** Attempt and end of the lease. A cancelled run keeps its lease until its node releases it. */
  lease_owner: string | null
  lease_until: Moment | null
  /** Node of the lease; stays after the release. */
  lease_node: string | null
  /** Database session that ends the lease; null when only time ends it. */
  lease_session: number | null
  /** JSON: counts so far. */
  progress: string
  /** JSON array: results of finished entities. */
  results: string
  /** JSON array: entities that searches wait for; null for none. */
  asked: string | null
  error_code: string | null
  error_message: string | null
  error_hint: string | null
  /** Counts changes, for watchers. */
  version: number
  created_at: Moment
  started_at: Moment | null
  finished_at: Moment | null
}
/** State of the copy of one entity. */
export interface SyncEntityTable {
  organization_id: string
  connector_id: string
  entity: string
  records: number | null
  /** The copy contains everything that was new or changed up to this time, as far as the vendor reports it. */
  synced_at: Moment | null
  /** Time of the last comparison with everything that the vendor had. */
  verified_at: Moment | null
  /** 1: the last successful walk read every part; 0: some part was unread. */
  whole: Moment | null
  last_success_at: Moment | null
  last_attempt_at: Moment | null
  /** Result of the last walk. */
  outcome: EntityOutcome | null
  error_code: string | null
  error_message: string | null
  error_hint: string | null
  /** Records that the last walk of changes read. */
  met_changes: number | null
}
/** Removals of copies. */
export interface SyncRemovalTable {
  id: string
  organization_id: string
  connector_id: string
  kind: string
  /** JSON array of entities to empty; null after the deletion of the connector. */
  entities: string | null
  /** Version of an organization's kind that the other rows move to. */
  next_kind: string | null
  failures: number
  /** End of the lease, or time of the next try. */
  not_before: Moment
  lease_owner: string | null
  lease_node: string | null
  created_at: Moment
}

/** All tables by name. */
export interface Tables extends ConnectTables, ConsumerTables, EventTables, OwnKindTables, VendorEventTables {
  state: StateTable
  organizations: OrganizationTable
  applications: ApplicationTable
  grants: GrantTable
  mcp_tokens: McpTokenTable
  oauth_records: OAuthRecordTable
  console_sessions: ConsoleSessionTable
  workspaces: WorkspaceTable
  data_keys: DataKeyTable
  connectors: ConnectorTable
  connector_creations: ConnectorCreationTable
  jobs: JobTable
  idempotency_keys: IdempotencyKeyTable
  kept_answers: KeptAnswerTable
  request_claims: RequestClaimTable
  sync_schedules: SyncScheduleTable
  sync_runs: SyncRunTable
  sync_entities: SyncEntityTable
  sync_removals: SyncRemovalTable
}

/** Registrations, authorizations in progress, codes and refresh tokens. */
export interface OAuthRecordTable {
  /** SHA-256 of type and id, base64url: the id is a secret. */
  digest: string
  type: string
  /** Row of `mcp_tokens` that a code or refresh token belongs to. */
  grant_id: string | null
  /** Encrypted content; only the id decrypts it. */
  sealed: Bytes
  /** Time of the only use of a code or refresh token. */
  consumed_at: Moment | null
  created_at: Moment
  expires_at: Moment
}

/** Sessions of the console. */
export interface ConsoleSessionTable {
  /** SHA-256 of the session's id, base64url: the id is a secret. */
  digest: string
  application_id: string
  /** Mark of the client secret at the sign-in: a replaced secret ends the session. */
  secret_mark: string
  created_at: Moment
  last_used_at: Moment
}

/** Answers of writes and statements that agents read on from, on any node. */
export interface KeptAnswerTable {
  organization_id: string
  /** SHA-256 of the id, base64url. */
  digest: string
  /** Encrypted with a key of the id, which only the agent's handle has. */
  sealed: Bytes
  expires_at: Moment
}

/** Writes of vendor request ids. */
export interface RequestClaimTable {
  organization_id: string
  connector_id: string
  request_id: string
  /** Digest of the engine's fingerprint of the write. */
  fingerprint: string
  /** Time of the last claim. */
  claimed_at: Moment
  /** Call of the last claim, and the end of its hold. */
  owner: string
  busy_until: Moment
}

/** Columns of connectors that a consent made. */
export interface ConsentColumns {
  /** The operator's OAuth client that the credentials belong to; its fields are not among the encrypted ones. */
  oauth_client_id: OptionalText
  /** Digest of the token of a consent; connectors of one consent share it. */
  consent_digest: OptionalText
  /** JSON: account behind the credentials, as it was read with accepted ones. */
  account: OptionalText
}

/** Links, by which end users authorize connectors. */
export interface ConnectLinkTable {
  id: string
  organization_id: string
  /** Application that made the link; the link ends with it. */
  application_id: string
  workspace_id: string
  /** SHA-256 of the secret part, base64url. */
  digest: string
  /** JSON array of slugs. */
  kinds: string
  /** Connector whose credentials the link replaces; null for a new connector. */
  target_connector_id: string | null
  allow_other_account: Flag
  end_user_id: string
  end_user_name: string | null
  end_user_email: string | null
  name: string | null
  /** JSON: configuration values by slug. */
  defaults: string
  /** JSON: configuration values by slug. */
  locked: string
  redirect_url: string | null
  allowed_origin: string | null
  sandbox: Flag
  /** Authorizations that were begun. */
  attempts: number
  connector_id: string | null
  created_at: Moment
  expires_at: Moment
  used_at: Moment | null
  revoked_at: Moment | null
}

/** Sessions of the connect page. */
export interface ConnectSessionTable {
  /** SHA-256 of the cookie's value, base64url. */
  digest: string
  organization_id: string
  link_id: string
  created_at: Moment
  expires_at: Moment
}

/** Steps of an attempt. */
export type AttemptStatus = 'started' | 'exchanging' | 'choosing' | 'done' | 'failed'

/** Authorizations on a vendor's consent page. */
export interface ConnectAttemptTable {
  id: string
  organization_id: string
  link_id: string
  /** Session that began the attempt. */
  session_digest: string
  kind: string
  /** The operator's OAuth client that the consent was given to. */
  oauth_client_id: string
  /** SHA-256 of the parameter `state`, base64url. */
  state_digest: string
  /** SHA-256 of the cookie's value, base64url. The cookie binds the return to a browser, and decrypts `sealed`. */
  cookie_digest: string
  /** JSON: configuration values of the page. */
  configuration: string
  name: string | null
  status: AttemptStatus
  /** Credentials of the consent while accounts are chosen. */
  sealed: NullableBytes
  /** JSON: why it failed. */
  failure: string | null
  created_at: Moment
  expires_at: Moment
}

/** The operator's OAuth clients at vendors: client id and secret of a kind, in an organization. */
export interface OAuthClientTable {
  id: string
  organization_id: string
  kind: string
  /** JSON array of names. */
  fields: string
  /** JSON array: hosts of an organization's kind that the secret was entered for. */
  hosts: string | null
  /** Encrypted with a master key. */
  sealed: Bytes
  master_key_id: string
  created_at: Moment
  updated_at: Moment
}

/** Tokens of deleted connectors that the vendor still has to end. A row outlives its workspace and its organization. */
export interface ConsentRevocationTable {
  id: string
  organization_id: string
  /** Deleted connector, to which `sealed` is bound. */
  connector_id: string
  kind: string
  configuration: string
  sandbox: Flag
  /** The operator's OAuth client. Its deletion deletes the row, since `sealed` has its secret. */
  oauth_client_id: string
  /** Credentials of the connector with those of the OAuth client, encrypted with a master key. */
  sealed: Bytes
  master_key_id: string
  failures: number
  /** Time of the next try, or end of the lease. */
  not_before: Moment
  created_at: Moment
}

interface ConnectTables {
  connect_links: ConnectLinkTable
  connect_sessions: ConnectSessionTable
  connect_attempts: ConnectAttemptTable
  oauth_clients: OAuthClientTable
  consent_revocations: ConsentRevocationTable
}

/** A boolean, which SQLite stores as 0 and 1. */
type Flag = ColumnType<boolean | number, boolean, boolean>
/** Bytes: a Buffer from PostgreSQL, a Uint8Array from SQLite. */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>
/** Bytes of a column that can be null. */
type NullableBytes = ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>
/** Text of a column that an insert may leave out. */
type OptionalText = ColumnType<string | null, string | null | undefined, string | null>
/** Milliseconds since 1970. */
type Moment = number
