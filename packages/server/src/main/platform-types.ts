/**
 * Interfaces of the platform: what surfaces (HTTP, MCP, command line) may call.
 *
 * Every method that takes a `Principal` checks its scope. It sees its view only: the organization, or the workspaces and connectors of a
 * scoped token. The exception is `connectors.readAccess`: its caller checks `getActionScope` first, because the scope depends on the action.
 * Records are in wire form. All timestamps in records are ISO 8601 in UTC.
 */
import type { Admission } from '../calls/admission.ts'
import type { VendorLimiter } from '../calls/budgets/limiter.ts'
import type { Usage } from '../calls/usage/usage.ts'
import type { KeptAnswers, Writes } from '../calls/writes.ts'
import type { Connectors, Kinds } from '../connectors/connector-types.ts'
import type { KindPromotions } from '../connectors/kind-promotions.ts'
import type { ConnectLinks, ConnectPages, ConsentRevocations, OAuthClients } from '../connectors/links/connect-types.ts'
import type { OwnKinds } from '../connectors/own-kinds.ts'
import type { ConsumerRows } from '../copies/changes/consumer-rows.ts'
import type { SyncWorker } from '../copies/sync/worker.ts'
import type { SyncServices, Syncs } from '../copies/sync-types.ts'
import type { EventWorker, EventWorkerOptions } from '../events/event-worker.ts'
import type { Backlogs } from '../events/sql/backlogs.ts'
import type { ConnectorWebhookService } from '../events/vendors/connector-webhooks.ts'
import type { VendorEventReceiver } from '../events/vendors/receiver.ts'
import type { VendorEventServices, VendorEventWorker } from '../events/vendors/vendor-event-worker.ts'
import type { Webhooks } from '../events/webhooks.ts'
import type { Applications, OrganizationApplications } from '../tenancy/applications/applications.ts'
import type { FirstApplication } from '../tenancy/applications/first-start.ts'
import type { Jobs } from '../tenancy/jobs.ts'
import type { OAuth } from '../tenancy/oauth/oauth.ts'
import type { Organizations } from '../tenancy/organizations/organizations.ts'
import type { ConsoleSessions } from '../tenancy/sessions/sessions.ts'
import type { Liveness, McpTokens, Tokens } from '../tenancy/tokens/token-types.ts'
import type { VaultAdministration } from '../tenancy/vault/rotation.ts'
import type { Workspaces } from '../tenancy/workspaces/workspaces.ts'
import type { Installation } from './installation/installation.ts'
import type { ServiceEngine } from './parts.ts'

/** The opened platform. */
export interface Platform {
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
  readonly oauthClients: OAuthClients
  readonly consentRevocations: ConsentRevocations
  readonly writes: Writes
  readonly keptAnswers: KeptAnswers
  readonly syncs: Syncs
  /** Rows of the consumers of changes. */
  readonly consumerRows: ConsumerRows
  readonly usage: Usage
  readonly webhooks: Webhooks
  readonly connectorWebhooks: ConnectorWebhookService
  /** Takes what vendors send. */
  readonly vendorEvents: VendorEventReceiver
  readonly installation: Installation
  /** Calls vendors, within their budgets. */
  readonly engine: ServiceEngine
  /** Admits calls to vendors on this node. */
  readonly admission: Admission
  /** Budgets of vendors, which all nodes share. */
  readonly limiter: VendorLimiter
  /** Builds the worker that fills the context store on this node. Call its `start`, and its `stop` before `close`. */
  syncWorker(services: SyncServices): SyncWorker
  /** Builds the worker that numbers and sends events on this node. Call its `start`, and its `stop` before `close`. */
  eventWorker(options?: EventWorkerOptions): EventWorker
  /** Reads what waits for the workers of events, on all nodes. @throws FerruleError `unavailable` */
  readBacklogs(): Promise<Backlogs>
  /** Builds the worker that works on events of vendors on this node. Call its `start`, and its `stop` before `close`. */
  vendorEventWorker(services: VendorEventServices): VendorEventWorker
  readonly jobs: Jobs
  readonly kinds: Pick<Kinds, 'served' | 'of' | 'getVersion'>
  readonly ownKinds: OwnKinds
  readonly kindPromotions: KindPromotions
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
