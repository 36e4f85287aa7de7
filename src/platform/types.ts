/**
 * The hosted service's own state, as interfaces: what a surface (HTTP, MCP, command line) may ask of it.
 *
 * Every method that takes a `Principal` checks its scope and sees the principal's organization only (and, with a scoped token,
 * its workspace only). The exception is `connectors.connectionOf`: its caller checks `scopeOfAction` first, because the scope
 * depends on the action. Records are in wire form: they can be sent as they are. All moments are ISO 8601 in UTC.
 */
import type { ContextStore } from '../context/store/types.ts'
import type { Kind } from '../definition/connector.ts'
import type { Connection, OriginOverride } from '../engine/connection.ts'
import type { Secret } from '../engine/secret.ts'
import type { ExecutedData, ReplayedAnswer } from './executed.ts'
import type {
  ConnectorNotice,
  ConnectorRecord,
  ConnectorStatus,
  ConnectorSummary,
  DefinitionRecord,
  DefinitionSummary,
  EntityDocument,
  JobRecord,
  OrganizationRecord,
  Page,
  TokenAnswer,
  WorkspaceRecord,
} from './records.ts'
import type { Scope } from './scopes.ts'
import type { Settings } from './settings.ts'
import type { SyncServices, Syncs, SyncWorker } from './syncs/types.ts'
import type { CredentialTrial, TriedTarget } from './trial-types.ts'
import type { Applications } from './types-applications.ts'

export type { Settings } from './settings.ts'

/** Who asks, before an organization is chosen. */
export interface Caller {
  readonly kind: 'application' | 'scoped'
  readonly applicationId: string
  readonly scopes: ReadonlySet<Scope>
}
/** Who asks, in which organization: the outcome of authentication. */
export interface Principal extends Caller {
  readonly organizationId: string
  /** The one workspace of a scoped token; null for an application token. */
  readonly workspaceId: string | null
}

/** What a principal sees: an organization, or one workspace of it. */
export type PrincipalView = Pick<Principal, 'organizationId' | 'workspaceId'>

/** What the platform is opened with. Clock, randomness and waiting are injected for tests. */
export interface PlatformOptions {
  readonly settings: Settings
  readonly kinds: readonly Kind[]
  /** Origins of the running sandbox by kind; undefined while it does not run. */
  readonly sandboxOrigins?: () => Readonly<Record<string, OriginOverride>> | undefined
  /**
   * `service` (default) holds the embedded data folder for itself; `administration` opens it beside a running service, for
   * commands such as a new client secret.
   */
  readonly role?: 'service' | 'administration'
  /** Where copies are kept: their records and indexes are asked for there for the status of syncs. Nothing is opened for that. */
  readonly contextStore?: Pick<ContextStore, 'status' | 'indexes' | 'renewals'>
  /** Milliseconds since 1970, as the machine has them; alone, without `steady`, they are the stored times themselves. */
  readonly clock?: () => number
  /** Milliseconds that never step. */
  readonly steady?: () => number
  readonly randomBytes?: (size: number) => Buffer
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Takes what a background task could not do. Never receives a secret. */
  readonly onBackgroundError?: (error: unknown) => void
  /** Told once of each thing that a vendor says beside its answers. */
  readonly onNotice?: (notice: { readonly connectorId: string } & ConnectorNotice) => void
}

/** Opened state of the service. */
export interface Platform {
  /** Application of the first start, or the one that the settings name. */
  readonly first: FirstApplication
  readonly organizations: Organizations
  readonly applications: Applications
  readonly tokens: Tokens
  readonly workspaces: Workspaces
  readonly connectors: Connectors
  readonly writes: Writes
  readonly syncs: Syncs
  /** Makes the worker that fills the context store on this node; `start` it, and `stop` it before `close`. */
  syncWorker(services: SyncServices): SyncWorker
  readonly jobs: Jobs
  readonly catalogue: Catalogue
  readonly vault: VaultAdministration
  /** The clock of stored times, in whole milliseconds since 1970: with PostgreSQL the database's, else one that never runs backwards. */
  clock(): number
  /** Key of the signature of cursors of searches; another one after the master key was rotated. */
  cursorKey(): Uint8Array
  /** Resolves when the database answers. @throws FerruleError `unavailable` */
  ready(): Promise<void>
  /** Ends background tasks and closes the database. Renewals and statements that run are finished first. */
  close(): Promise<void>
}

/** What is printed once after the first start. */
export interface FirstApplication {
  readonly organizationId: string
  readonly clientId: string
  /** Only when it was made in this start; it is stored as a hash and cannot be shown again. */
  readonly clientSecret?: Secret<string>
}

/** Organizations that an application reaches. */
export interface Organizations {
  /** All organizations that the application was granted in; at most 1,000. Scope organizations:read. */
  list(caller: Caller): Promise<readonly OrganizationRecord[]>
  /**
   * Makes an organization with its workspace `default` and grants the calling application in it. Scope organizations:write.
   * @param body `{ name }`
   * @throws FerruleError `validation_failed`
   */
  create(caller: Caller, body: unknown): Promise<OrganizationRecord>
}

/** What an application authenticates with. */
export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  /** Where the client asks from: addresses take turns. */
  readonly address?: string | undefined
  /** Value of `X-Organization-Id`. */
  readonly organizationId?: string | undefined
  /** Space-separated scopes; absent: all. */
  readonly scope?: string | undefined
}
/** Bearer tokens. */
export interface Tokens {
  /** @throws FerruleError `invalid_client`, `organization_forbidden`, `validation_failed` (malformed UUID, unknown scope) */
  issueApplicationToken(request: TokenRequest): Promise<TokenAnswer>
  /**
   * A token for one workspace, which is made when it does not exist. Needs an application token of scope workspaces:write.
   * @param body `{ workspace_name, region_id? }`; `customer_name` and `external_user_id` are read as old names of the former
   * @throws FerruleError `insufficient_scope`, `validation_failed`, `workspace_inactive`
   */
  issueScopedToken(principal: Principal, body: unknown): Promise<{ readonly token: string; readonly expires_in: number }>
  /** What a scoped token is for. @throws FerruleError `insufficient_scope` for an application token */
  scopedTokenInfo(
    principal: Principal,
  ): Promise<{ readonly organization_id: string; readonly workspace_id: string; readonly workspace_name: string }>
  /**
   * @param bearer the token without `Bearer `, undefined when the request has none
   * @param organizationHeader value of `X-Organization-Id`
   * @throws FerruleError `missing_token`, `invalid_token`, `token_expired`, `organization_required`, `organization_forbidden`, `validation_failed`
   */
  authenticate(bearer: string | undefined, organizationHeader: string | undefined): Promise<Principal>
  /**
   * For `GET /organizations` and `POST /organizations` only: like `authenticate`, but a token that reaches several organizations
   * passes without naming one.
   */
  authenticateCaller(bearer: string | undefined): Promise<Caller>
}

/** Workspaces of the principal's organization. All methods throw `validation_failed`, `insufficient_scope`; those with an id `workspace_not_found`. */
export interface Workspaces {
  /** @param query `{ name_contains?, status?, limit? (1..100, 20), cursor? }`, values as texts or numbers. @throws FerruleError `invalid_cursor` */
  list(principal: Principal, query: unknown): Promise<Page<WorkspaceRecord>>
  stats(principal: Principal): Promise<{ readonly active_count: number; readonly inactive_count: number; readonly total_count: number }>
  get(principal: Principal, id: string): Promise<WorkspaceRecord>
  /** @param body `{ name }`. @throws FerruleError `workspace_name_conflict` */
  create(principal: Principal, body: unknown): Promise<WorkspaceRecord>
  /** @param body any of `{ name, status, cache_enabled }`. @throws FerruleError `workspace_name_conflict` */
  update(principal: Principal, id: string, body: unknown): Promise<WorkspaceRecord>
  /** Hides the workspace and its connectors; it can be restored for 30 days. */
  remove(principal: Principal, id: string): Promise<{ readonly id: string; readonly deleted_at: string }>
  /** Brings a removed workspace back. @throws FerruleError `workspace_name_conflict` when its name was taken meanwhile */
  restore(principal: Principal, id: string): Promise<WorkspaceRecord>
  /** Destroys workspaces that were removed more than 30 days before `now` (milliseconds), with keys and connectors. @returns how many */
  purgeExpired(now: number): Promise<number>
}

/** Where a connector belongs. */
export interface ConnectorPlace {
  readonly organizationId: string
  readonly workspaceId: string
  readonly connectorId: string
}
/** A connector that is ready to execute. */
export interface ConnectorAccess {
  readonly place: ConnectorPlace
  readonly status: ConnectorStatus
  readonly unchecked?: boolean // no call has passed with its credentials yet
  readonly connection: Connection
}
/**
 * Connectors of the principal's organization. Methods with an id throw `connector_not_found` for whatever the principal does
 * not see: an id that never was, one of another organization, one that is malformed.
 */
export interface Connectors {
  /**
   * Tries the credentials, then stores the connector; of what fails nothing is stored but tokens that the vendor gives only once.
   * @param body `{ workspace_name (or its old names), create_workspace?, name, connector_type (or definition_id, source_template_id),
   *   credentials, check?, replication_config?, environment?, entities? }`; null counts as absent
   * @throws FerruleError of its one mistake, or `validation_failed` with several; `idempotency_key_conflict`; what the trial ends with
   */
  create(principal: Principal, body: unknown, trial?: CredentialTrial): Promise<ConnectorRecord>
  /** Checks a body of `create` without storing it; the surface runs the kind's check operation over the connection. */
  trial(principal: Principal, body: unknown): Promise<Connection>
  /**
   * @param query `{ workspace_id?, workspace_name? (or its old names), definition_id?, connector_type?, limit? (1..100, 20), cursor? }`
   * @throws FerruleError `validation_failed`, `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<ConnectorSummary>>
  get(principal: Principal, id: string): Promise<ConnectorRecord>
  /** @param body any of `{ name, replication_config, entities }`; replication_config replaces. */
  update(principal: Principal, id: string, body: unknown): Promise<ConnectorRecord>
  /**
   * @param body as `update`, plus `credentials`. Objects are merged as RFC 7396 (null removes); credentials of another scheme
   *   replace the stored ones. New credentials are tried as by `create`, and clear `auth_error`.
   */
  patch(principal: Principal, target: string | TriedTarget, body: unknown): Promise<ConnectorRecord>
  /** Destroys the credentials and removes the connector; the job is finished when this resolves. */
  remove(principal: Principal, id: string): Promise<{ readonly job_id: string }>
  /**
   * What the engine needs to run a call. One statement; the credentials stay sealed until they are opened.
   * @throws FerruleError `connector_not_found`, `workspace_inactive`
   */
  connectionOf(view: PrincipalView, id: string): Promise<ConnectorAccess>
  /**
   * The vendor refused the credentials of this version. Writes on change only; a newer version is left alone.
   * @param reason the vendor's words without secrets; the next step is added
   */
  markAuthError(access: ConnectorAccess, reason: string): Promise<void>
  /** A call succeeded: ends `auth_error`. Writes on change only, so it can follow every call. */
  markHealthy(access: ConnectorAccess): Promise<void>
}

/** A write under an Idempotency-Key. */
export interface KeyedWrite {
  /** 1 to 255 printable ASCII characters, known to the connector alone. */
  readonly key: string
  readonly entity: string
  readonly action: string
  readonly params: unknown
  /** Milliseconds within which the write ends. */
  readonly deadlineMs: number
  /** Id of the request, for the problem that is kept. */
  readonly requestId?: string | undefined
}

/** Writes that happen once. Callers have an access already, so these take no principal. */
export interface Writes {
  /**
   * Runs a write, or gives the answer of the earlier call with the same key. The key is stored before `run` is called, and the
   * outcome before it is returned; it is kept for 24 hours. Errors that mean that nothing happened free the key.
   * @param run does the write with the given connection and `Call.idempotencyKey`
   * @throws FerruleError `validation_failed` (the key), `idempotency_key_conflict`, `idempotency_key_in_flight`, `outcome_unknown`
   *   (the node that ran it died), and what `run` throws; an error that is kept says that it is not retryable
   */
  once(
    access: ConnectorAccess,
    write: KeyedWrite,
    run: (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>,
  ): Promise<ExecutedData | ReplayedAnswer>
  /** Forgets keys and vendor request ids whose time is over at `now` (milliseconds). @returns how many */
  purgeExpired(now: number): Promise<number>
}

/** Jobs of the principal's organization; kept for 30 days. */
export interface Jobs {
  /** Scope connectors:read. @throws FerruleError `job_not_found` */
  get(principal: Principal, id: string): Promise<JobRecord>
}

/** The kinds that this service runs; the same for everybody, so it takes no principal. */
export interface Catalogue {
  /** @param nameContains case-insensitive part of the title or slug */
  list(nameContains?: string): readonly DefinitionSummary[]
  /** @param id definition id, slug or title. @throws FerruleError `connector_type_not_found` */
  get(id: string): DefinitionRecord
  /** Entities of a kind, for `describe` and `inspect`. @throws FerruleError `connector_type_not_found` */
  entities(id: string): readonly EntityDocument[]
  /** The kind that a `connector_type`, title or definition id names: case, space, `_` and `-` do not matter. @throws FerruleError `connector_type_not_found` */
  kindOf(given: string): Kind
}

/** Rotation of keys, for the operator's own commands. Both can be stopped at any point and run again. */
export interface VaultAdministration {
  /**
   * Wraps every data key with the current master key. Embedded, a new master key is made first (the old one is kept until
   * nothing needs it); with FERRULE_MASTER_KEY the new key is the setting and the old one is in FERRULE_MASTER_KEY_PREVIOUS.
   * @returns how many data keys were wrapped anew
   */
  rotateMasterKey(): Promise<{ readonly rewrapped: number }>
  /** Gives every workspace a new data key and seals all credentials with it. @returns how many credentials were sealed anew */
  rotateDataKeys(): Promise<{ readonly resealed: number }>
}
