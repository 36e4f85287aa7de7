/**
 * Interfaces of the platform: what surfaces (HTTP, MCP, command line) may call.
 *
 * Every method that takes a `Principal` checks its scope. It sees its view only: the organization, or the workspaces and connectors of a
 * scoped token. The exception is `connectors.readAccess`: its caller checks `getActionScope` first, because the scope depends on the action.
 * Records are in wire form. All timestamps in records are ISO 8601 in UTC.
 */

import type { Kind } from 'ferrule/definition'
import type { Connection, Limiter, OriginOverride, Secret } from 'ferrule/engine'
import type {
  ConnectorNotice,
  ConnectorRecord,
  ConnectorSummary,
  DefinitionRecord,
  DefinitionSummary,
  EntityDocument,
  JobRecord,
  JobReference,
  Page,
  WorkspaceRecord,
  WorkspaceRemoval,
  WorkspaceStats,
} from 'ferrule/wire'
import type { ContextStore } from '../../context/store/types.ts'
import type { Settings } from '../settings/settings.ts'
import type { ConnectorAccess, Principal, PrincipalView } from './access.ts'
import type { Applications, OrganizationApplications } from './application-types.ts'
import type { ConnectLinks, ConnectPages, ConsentRevocations, VendorApplications } from './connect-types.ts'
import type { ExecutedData, ReplayedAnswer } from './executed.ts'
import type { OAuth } from './oauth-types.ts'
import type { Installation } from './operator-types.ts'
import type { Organizations } from './organization-types.ts'
import type { ConsoleSessions } from './session-types.ts'
import type { SyncServices, Syncs, SyncWorker } from './sync-types.ts'
import type { Liveness, McpTokens, Tokens } from './token-types.ts'
import type { CredentialTrial, TriedTarget } from './trial-types.ts'
import type { Usage } from './usage-types.ts'

export type { Settings } from '../settings/settings.ts'

/** Origins of the stand-ins by kind; undefined without a running sandbox. */
type SandboxOrigins = Readonly<Record<string, OriginOverride>> | undefined

/** Options of `openPlatform`. Tests inject clock, randomness and waiting. */
export interface PlatformOptions {
  readonly settings: Settings
  readonly kinds: readonly Kind[]
  /** Returns the origins of the sandbox by kind, at once or when it has started; undefined while it does not run. */
  readonly sandboxOrigins?: () => SandboxOrigins | Promise<SandboxOrigins>
  /**
   * `service` (default) locks the embedded data folder. `administration` opens it beside a running service, for commands such as a new
   * client secret.
   */
  readonly role?: 'service' | 'administration'
  /** Store of the copies. The status of syncs reads records and indexes from it, and never opens it. */
  readonly contextStore?: Pick<ContextStore, 'status' | 'indexes' | 'openDatabase' | 'ready'>
  /** Wall clock in milliseconds since 1970. Without `steady` its values are the stored times. */
  readonly clock?: () => number
  /** Steady clock in milliseconds. */
  readonly steady?: () => number
  readonly randomBytes?: (size: number) => Buffer
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Called with errors of background work. Never receives a secret. */
  readonly onBackgroundError?: (error: unknown) => void
  /** Called once for each notice of a vendor. */
  readonly onNotice?: (notice: { readonly connectorId: string } & ConnectorNotice) => void
}

/** The opened platform. */
export interface Platform {
  /** Application of the first start. */
  readonly first: FirstApplication
  readonly organizations: Organizations
  readonly applications: Applications
  readonly organizationApplications: OrganizationApplications
  readonly tokens: Tokens
  readonly mcpTokens: McpTokens
  readonly oauth: OAuth
  readonly consoleSessions: ConsoleSessions
  readonly liveness: Liveness
  readonly workspaces: Workspaces
  readonly connectors: Connectors
  readonly connectLinks: ConnectLinks
  readonly connectPages: ConnectPages
  readonly vendorApplications: VendorApplications
  readonly consentRevocations: ConsentRevocations
  readonly writes: Writes
  readonly keptAnswers: KeptAnswers
  readonly syncs: Syncs
  readonly usage: Usage
  readonly installation: Installation
  /** Budgets of vendors, which all nodes share. */
  readonly limiter: VendorLimiter
  /** Builds the worker that fills the context store on this node. Call its `start`, and its `stop` before `close`. */
  syncWorker(services: SyncServices): SyncWorker
  readonly jobs: Jobs
  readonly catalogue: Catalogue
  readonly vault: VaultAdministration
  /**
   * Clock of stored times, in whole milliseconds since 1970. With PostgreSQL it follows the database's clock; otherwise it never runs
   * backwards.
   */
  clock(): number
  /** Key that signs the cursors of searches; changes with the master key. */
  cursorKey(): Uint8Array
  /** Resolves when the database answers. @throws FerruleError `unavailable` */
  ready(): Promise<void>
  /** Ends background work and closes the database. Waits for renewals and statements in progress. */
  close(): Promise<void>
}

/** Keeps the vendors' budgets. */
export interface VendorLimiter extends Limiter {
  /** Number of budgets that this node uses now. */
  readonly size: number
}

/** The application that the first start prints. */
export interface FirstApplication {
  readonly organizationId: string
  readonly clientId: string
  /** Present only in the start that created it; stored as a hash, so it cannot be shown again. */
  readonly clientSecret?: Secret<string>
  /** Whether the settings have a pair for it: none, the one that it has, or another one, which the start ignored. */
  readonly settings: 'none' | 'same' | 'ignored'
}

/**
 * Workspaces of the principal's organization. All methods throw `validation_failed` and `insufficient_scope`; methods with an id also throw
 * `workspace_not_found`.
 */
export interface Workspaces {
  /**
   * Lists workspaces.
   * @param query `{ name_contains?, status?, deleted? ('only'), limit? (1..100, default 20), cursor? }`, values as strings or numbers
   * @throws FerruleError `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<WorkspaceRecord>>
  stats(principal: Principal): Promise<WorkspaceStats>
  get(principal: Principal, id: string): Promise<WorkspaceRecord>
  /** Creates a workspace. @param body `{ name }`. @throws FerruleError `workspace_name_conflict` */
  create(principal: Principal, body: unknown): Promise<WorkspaceRecord>
  /** Updates a workspace. @param body any of `{ name, status, cache_enabled }`. @throws FerruleError `workspace_name_conflict` */
  update(principal: Principal, id: string, body: unknown): Promise<WorkspaceRecord>
  /** Deletes the workspace with its connectors; it can be restored for 30 days. */
  remove(principal: Principal, id: string): Promise<WorkspaceRemoval>
  /** Restores a deleted workspace. @throws FerruleError `workspace_name_conflict` when another workspace took its name */
  restore(principal: Principal, id: string): Promise<WorkspaceRecord>
  /**
   * Deletes workspaces for good, with keys and connectors, 30 days after their deletion.
   * @param now milliseconds since 1970.
   * @returns the number
   */
  purgeExpired(now: number): Promise<number>
}

/**
 * Connectors of the principal's organization. Methods with an id throw `connector_not_found` for anything that the principal does not see:
 * an unknown id, an id of another organization, a malformed id.
 */
export interface Connectors {
  /**
   * Tries the credentials, then stores the connector. A failure stores nothing except tokens that the vendor issues once.
   * @param body `{ workspace_name (or its old names), create_workspace?, name, connector_type (or definition_id, source_template_id),
   *   credentials, check?, replication_config?, environment?, entities? }`; null counts as absent
   * @throws FerruleError the single problem, or `validation_failed` with several; `idempotency_key_conflict`; `idempotency_key_in_flight`; the error of the trial
   */
  create(principal: Principal, body: unknown, trial: CredentialTrial): Promise<ConnectorRecord>
  /** Validates a body of `create` without storing it. The surface runs the kind's check operation over the connection. */
  trial(principal: Principal, body: unknown): Promise<Connection>
  /**
   * Lists connectors.
   * @param query `{ workspace_id?, workspace_name? (or its old names), definition_id?, connector_type?, limit? (1..100, default 20),
   *   cursor? }`
   * @throws FerruleError `validation_failed`, `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<ConnectorSummary>>
  get(principal: Principal, id: string): Promise<ConnectorRecord>
  /**
   * Updates a connector.
   * @param body any of `{ name, replication_config, entities }`; replaces replication_config
   */
  update(principal: Principal, id: string, body: unknown): Promise<ConnectorRecord>
  /**
   * Changes a connector. Tries new credentials like `create`, and clears `auth_error`.
   * @param body like `update`, plus `credentials`. Merges objects as in RFC 7396 (null removes); credentials of another scheme replace the
   *   stored ones
   */
  patch(principal: Principal, target: TriedTarget, body: unknown): Promise<ConnectorRecord>
  /** Deletes the connector and its credentials; the job has finished when this resolves. */
  remove(principal: Principal, id: string): Promise<JobReference>
  /**
   * Reads what the engine needs to run a call, in one statement. The credentials stay encrypted until the engine opens them.
   * @throws FerruleError `connector_not_found`, `workspace_inactive`
   */
  readAccess(view: PrincipalView, id: string): Promise<ConnectorAccess>
  /**
   * Stores that the vendor refused this version of the credentials. Writes on change only, and leaves a newer version alone.
   * @param reason the vendor's message without secrets; the next step is added
   */
  markAuthError(access: ConnectorAccess, reason: string): Promise<void>
  /** Stores that a call succeeded, which clears `auth_error`. Writes on change only, so every call may use it. */
  markHealthy(access: ConnectorAccess): Promise<void>
}

/** A write under an Idempotency-Key. */
export interface KeyedWrite {
  /** 1 to 255 printable ASCII characters, unique per connector. */
  readonly key: string
  readonly entity: string
  readonly action: string
  readonly params: unknown
  /** Timeout of the write, in milliseconds. */
  readonly deadlineMs: number
  /** Id of the request, for a stored error. */
  readonly requestId?: string | undefined
}

/** Runs writes once. Callers hold an access already, so no method takes a principal. */
export interface Writes {
  /**
   * Runs a write, or returns the answer of the earlier call with the same key. Stores the key before `run` starts, and the outcome before
   * it returns. Keeps the outcome for 24 hours. Errors without an effect release the key.
   * @param run does the write with the given connection and `Call.idempotencyKey`
   * @throws FerruleError `validation_failed` (the key), `idempotency_key_conflict`, `idempotency_key_in_flight`, `outcome_unknown` (its
   * node died), and errors of `run`; a stored error is not retryable
   */
  once(
    access: ConnectorAccess,
    write: KeyedWrite,
    run: (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>,
  ): Promise<ExecutedData | ReplayedAnswer>
  /** Deletes keys and vendor request ids that expired at `now` (milliseconds). @returns the number */
  purgeExpired(now: number): Promise<number>
}

/** Keeps for minutes what writes and statements answered to agents, for any node. */
export interface KeptAnswers {
  /** Returns the answers of the principal's organization. */
  of(principal: Pick<Principal, 'organizationId'>): {
    /** Keeps a text until a time (milliseconds). The oldest texts of the organization make room. @returns false: it is too large, or the database failed */
    put(id: string, text: string, untilMs: number): Promise<boolean>
    /** Returns a kept text; undefined: never kept, or no longer. */
    get(id: string): Promise<string | undefined>
  }
  /** Deletes what expired at `now` (milliseconds). */
  purgeExpired(now: number): Promise<void>
}

/** Jobs of the principal's organization; kept for 30 days. */
export interface Jobs {
  /** Reads a job. Scope connectors:read. @throws FerruleError `job_not_found` */
  get(principal: Principal, id: string): Promise<JobRecord>
}

/** Kinds of this service, the same for everybody, so no method takes a principal. */
export interface Catalogue {
  /** Lists the kinds. @param nameContains case-insensitive part of the title or slug */
  list(nameContains?: string): readonly DefinitionSummary[]
  /** Returns a kind. @param id definition id, slug or title. @throws FerruleError `connector_type_not_found` */
  get(id: string): DefinitionRecord
  /** Returns the entities of a kind, for `describe` and `inspect`. @throws FerruleError `connector_type_not_found` */
  entities(id: string): readonly EntityDocument[]
  /**
   * Returns the kind of a `connector_type`, title or definition id; ignores case, space, `_` and `-`.
   * @throws FerruleError `connector_type_not_found`
   */
  getKind(given: string): Kind
}

/** Rotates keys, for the operator's commands. A stopped rotation can run again. */
export interface VaultAdministration {
  /**
   * Wraps every data key with the current master key. The embedded service first creates a new master key, and deletes the old one when
   * nothing needs it. With FERRULE_MASTER_KEY the setting is the new key, and FERRULE_MASTER_KEY_PREVIOUS holds the old one.
   * @returns the number of wrapped data keys
   */
  rotateMasterKey(): Promise<{ readonly rewrapped: number }>
  /** Gives every workspace a new data key and encrypts all credentials with it. @returns the number of encrypted credentials */
  rotateDataKeys(): Promise<{ readonly resealed: number }>
}
