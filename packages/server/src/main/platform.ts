/** Opens the database, the keys and the services. */
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BodyMemory, type Engine } from 'ferrule/engine'
import { clocks, fail } from 'ferrule/internal'
import { Admission } from '../calls/admission.ts'
import { createVendorBudgets, type VendorBudgets, type VendorLimiter } from '../calls/budgets/limiter.ts'
import { createUsage } from '../calls/usage/usage.ts'
import { createKeptAnswers, createWrites } from '../calls/writes.ts'
import type { Connectors, ServedKind } from '../connectors/connector-types.ts'
import { createConnectors } from '../connectors/connectors.ts'
import { createConsentRevocations, keepRevocationsOf } from '../connectors/consent-end.ts'
import { createKindPromotions } from '../connectors/kind-promotions.ts'
import { createKinds } from '../connectors/kinds.ts'
import { createConnectPages } from '../connectors/links/connect.ts'
import { createConnectLinks } from '../connectors/links/links.ts'
import { createOAuthClients } from '../connectors/links/oauth-clients.ts'
import { createOwnKinds, type ReadUploads } from '../connectors/own-kinds.ts'
import { listChangesDays } from '../connectors/sql/connectors.ts'
import { createConsumerRows } from '../copies/changes/consumer-rows.ts'
import { SyncNode } from '../copies/queue/node.ts'
import { KnownIndexes } from '../copies/status/status-facts.ts'
import { Watching } from '../copies/status/watching.ts'
import type { ContextStore } from '../copies/store/store.ts'
import { SyncWorker } from '../copies/sync/worker.ts'
import { createSyncs } from '../copies/syncs.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite.ts'
import { EventWorker } from '../events/event-worker.ts'
import { readBacklogs } from '../events/sql/backlogs.ts'
import { createConnectorWebhooks } from '../events/vendors/connector-webhooks.ts'
import { VendorEventReceiver } from '../events/vendors/receiver.ts'
import { type EventConnectors, VendorEventWorker } from '../events/vendors/vendor-event-worker.ts'
import { createWebhooks } from '../events/webhooks.ts'
import { createApplications, createOrganizationApplications } from '../tenancy/applications/applications.ts'
import { startFirst } from '../tenancy/applications/first-start.ts'
import { createLiveness } from '../tenancy/applications/live-client.ts'
import { createJobs } from '../tenancy/jobs.ts'
import { createOAuth } from '../tenancy/oauth/oauth.ts'
import { createOrganizations } from '../tenancy/organizations/organizations.ts'
import { createConsoleSessions } from '../tenancy/sessions/sessions.ts'
import { databaseNow, readState, writeState } from '../tenancy/sql/installation-state.ts'
import { listUsedMasterKeys } from '../tenancy/sql/keys.ts'
import { createMcpTokens, LastUses } from '../tenancy/tokens/mcp-tokens.ts'
import { createTokens } from '../tenancy/tokens/tokens.ts'
import { openMasterKeys } from '../tenancy/vault/master-key.ts'
import { createMasterSeals } from '../tenancy/vault/master-seals.ts'
import { createRotation } from '../tenancy/vault/rotation.ts'
import { createDataKeys, createVault } from '../tenancy/vault/vault.ts'
import { createWorkspaces } from '../tenancy/workspaces/workspaces.ts'
import type { IdSource } from '../values/ids.ts'
import { Unfinished } from '../values/try-again.ts'
import { createInstallation } from './installation/installation.ts'
import type { Parts } from './parts.ts'
import type { Platform } from './platform-types.ts'
import type { Settings } from './settings/settings.ts'

// The clock of stored times. The steady clock advances it, so a step of the machine's time has no effect.

interface StoredClock {
  /** Whole milliseconds since 1970. */
  readonly now: () => number
  /** Reads the database's clock again, or stores the embedded clock. */
  refresh(): Promise<void>
  /** Stops the timer and stores the embedded clock. */
  close(): Promise<void>
}

/** Options of `openStoredClock`; both clocks default to the machine's. */
interface ClockOptions {
  /** Wall clock of the machine in milliseconds since 1970; may step. */
  readonly wall?: (() => number) | undefined
  /** Steady clock in milliseconds; never steps. */
  readonly steady?: (() => number) | undefined
  /** True to refresh on a timer. */
  readonly isKept: boolean
}

/** Interval of refreshes, in milliseconds. */
const refreshMs = 60_000
/** Largest believable lead of a stored time, in milliseconds. A larger one comes from a wrong clock. */
const longestAheadMs = 86_400_000
/** Longest round trip to the database, in milliseconds. A longer one makes its time too inaccurate. */
const longestRoundTripMs = 1_000

/** Opens the clock. Nodes share the clock of PostgreSQL; the embedded clock continues from its last stored time. */
async function openStoredClock(database: Database, { isKept, ...options }: ClockOptions): Promise<StoredClock> {
  const { now, refresh } = await (database.dialect === 'postgres' ? openSharedClock : openOwnClock)(database, options)
  const refreshed = () => refresh().catch(() => undefined) // the next refresh retries
  const timer = isKept ? setInterval(refreshed, refreshMs).unref() : undefined
  const isOwn = isKept && database.dialect === 'sqlite'
  if (isOwn) await refreshed()
  const close = async (): Promise<void> => {
    clearInterval(timer)
    if (isOwn) await refreshed()
  }
  return { now, refresh, close }
}

type Clocks = Omit<ClockOptions, 'isKept'>
type OpenedClock = Omit<StoredClock, 'close'>

/** Advances the database's clock by the steady clock between refreshes. */
async function openSharedClock({ db }: Database, { steady = clocks.steady }: Clocks): Promise<OpenedClock> {
  let ahead: number | undefined
  const refresh = async (): Promise<void> => {
    const asked = steady()
    const told = await databaseNow(db)
    const answered = steady()
    if (ahead === undefined || answered - asked <= longestRoundTripMs) ahead = told - (asked + answered) / 2
  }
  await refresh()
  return { now: () => Math.floor(steady() + (ahead ?? 0)), refresh }
}

/** Never runs backwards: takes the machine's time when it is ahead, else the last time plus the elapsed time. */
async function openOwnClock({ db }: Database, { wall = Date.now, steady = clocks.steady }: Clocks): Promise<OpenedClock> {
  const kept = Number((await readState(db, 'clock')) ?? 0)
  let ahead = Math.max(wall(), kept > wall() + longestAheadMs ? 0 : kept) - steady()
  const now = (): number => {
    ahead = Math.max(ahead, wall() - steady())
    return Math.floor(steady() + ahead)
  }
  return { now, refresh: () => writeState(db, 'clock', String(now())) }
}

/** What an engine is made with. */
export interface EngineParts {
  /** Clock of stored times. */
  readonly clock: () => number
  /** Budgets of vendors, which all nodes share. */
  readonly limiter: VendorLimiter
}

/** Options of `openPlatform`. Tests inject clock, randomness and waiting. */
export interface PlatformOptions
  extends Partial<Pick<Parts, 'steady' | 'sleep' | 'onBackgroundError' | 'onNotice' | 'sandboxOrigins'> & Pick<IdSource, 'randomBytes'>> {
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
  /** Reads what organizations upload; default: there are no uploads. */
  readonly readUploads?: ReadUploads | undefined
  /** Slugs of the kinds that the sandbox plays; default: those of the sandbox of this project. */
  readonly standIns?: readonly string[]
  /** Makes the engine that the whole platform calls vendors with. The platform closes it. */
  readonly engine: (parts: EngineParts) => Engine
  /** Memory for the answers of vendors; default: as much as the settings say. */
  readonly memory?: BodyMemory
  /**
   * `service` (default) locks the embedded data folder. `administration` opens it beside a running service, for commands such as a new
   * client secret.
   */
  readonly role?: 'service' | 'administration'
  /** Store of the copies. The status of syncs reads records and indexes from it, and never opens it. */
  readonly contextStore?: Pick<ContextStore, 'status' | 'indexes' | 'openDatabase' | 'ready' | 'purgeExpired'>
  /** Wall clock in milliseconds since 1970. Without `steady` its values are the stored times. */
  readonly clock?: () => number
}

const refuseUpload = () => Promise.reject(fail('not_offered', { what: 'upload of kinds' }))

/** Interval of deleting expired workspaces, organizations, jobs, runs and outcomes, in milliseconds. */
const purgeMs = 10 * 60 * 1_000

/**
 * Opens the platform: migrates the schema and, on the first start, creates an organization, a workspace and an application.
 * @throws FerruleError `setting_invalid` (wrong master key, newer schema, folder in use), `unavailable` (database not reachable)
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const database = await openDatabase(options)
  let clock: StoredClock | undefined
  try {
    await migrate(database)
    clock = await openClock(database, options)
    return await start(await buildFoundation(database, options, clock), options)
  } catch (error) {
    await clock?.close()
    await database.close()
    throw error
  }
}

/** Opens the database. The driver of PostgreSQL is loaded only where it is needed: it takes a twentieth of a start. */
async function openDatabase({ settings, role = 'service' }: PlatformOptions): Promise<Database> {
  const { databaseUrl: url, databasePassword: password, databaseConnections: connections } = settings
  if (url !== undefined) return (await import('../db/postgres.ts')).openPostgres({ url, password, connections })
  return openSqlite(resolve(settings.dataFolder), { exclusive: role === 'service' })
}

/** Opens the clock. An injected wall clock without a steady clock is used directly. */
async function openClock(database: Database, { clock, steady, role = 'service' }: PlatformOptions): Promise<StoredClock> {
  if (clock !== undefined && steady === undefined) return { now: clock, refresh: async () => undefined, close: async () => undefined }
  return openStoredClock(database, {
    isKept: role === 'service',
    wall: clock,
    steady,
  })
}

/** What stands before the services: each member needs those before it. */
interface Foundation {
  readonly clock: StoredClock
  readonly budgets: VendorBudgets
  readonly engine: Engine
  readonly parts: Parts
}

async function buildFoundation(database: Database, options: PlatformOptions, clock: StoredClock): Promise<Foundation> {
  const { settings, onBackgroundError = () => undefined } = options
  const source = { clock: clock.now, randomBytes: options.randomBytes ?? randomBytes }
  const masterKeys = openMasterKeys({ settings, randomBytes: source.randomBytes, used: await listUsedMasterKeys(database.db) })
  const dataKeys = createDataKeys(masterKeys, source)
  const steady = options.steady ?? options.clock ?? clocks.steady
  const budgets = createVendorBudgets({ database, source, steady, onBackgroundError, isClockGiven: options.clock !== undefined })
  const engine = options.engine({ clock: clock.now, limiter: budgets.limiter })
  const { rateLimit: perMinute, concurrency: atOnce, operationSeconds, bodyMemory: bytes } = settings
  const limits = { perMinute, atOnce, clock: steady, longestMs: operationSeconds * 1_000 }
  const parts: Parts = {
    settings,
    database,
    source,
    steady,
    sleep: options.sleep ?? ((milliseconds) => sleep(milliseconds)),
    masterKeys,
    dataKeys,
    vault: createVault(dataKeys, source.randomBytes),
    masterSeals: createMasterSeals(masterKeys, source.randomBytes),
    kinds: createKinds(database.db, options.kinds, options.standIns),
    engine,
    admission: new Admission(limits, options.memory ?? new BodyMemory({ bytes })),
    unfinished: new Unfinished(),
    events: new EventEmitter(),
    onBackgroundError,
    onNotice: options.onNotice ?? (() => undefined),
    sandboxOrigins: options.sandboxOrigins ?? (() => undefined),
  }
  return { clock, budgets, engine, parts }
}

async function start({ clock, budgets, engine, parts }: Foundation, options: PlatformOptions): Promise<Platform> {
  const { role = 'service', contextStore } = options
  const { database, source } = parts
  const first = await startFirst(parts)
  const workspaces = createWorkspaces(parts, (db, workspace) => keepRevocationsOf(parts, db, workspace))
  const organizations = createOrganizations(parts)
  const [writes, keptAnswers, usage] = [createWrites(parts), createKeptAnswers(parts), createUsage(parts)]
  const connectors = createConnectors(parts)
  const watching = new Watching(parts)
  const node = new SyncNode(parts)
  const syncs = createSyncs({ ...parts, knownIndexes: new KnownIndexes(contextStore) }, watching)
  const { uses, ...access } = createTokenServices(parts)
  const connect = createConnectServices(parts, connectors)
  const webhooks = createWebhooks(parts)
  const vendorEvents = new VendorEventReceiver(parts)
  const visits = [access.mcpTokens, access.oauth, access.consoleSessions, connect.connectLinks]
  const copies = { purgeExpired: async (now: number) => contextStore?.purgeExpired(now, await listChangesDays(database.db)) }
  const expiring = [workspaces, organizations, writes, keptAnswers, syncs, usage, budgets, webhooks, vendorEvents, ...visits, copies]
  const purge = () => purgeExpired(expiring, source.clock()).catch(parts.onBackgroundError)
  const timer = role === 'service' ? setInterval(purge, purgeMs).unref() : undefined
  return {
    first,
    organizations,
    applications: createApplications(parts),
    organizationApplications: createOrganizationApplications(parts),
    ...access,
    workspaces,
    connectors,
    ...connect,
    writes,
    keptAnswers,
    usage,
    webhooks,
    connectorWebhooks: createConnectorWebhooks(parts, connectors),
    vendorEvents,
    installation: createInstallation(parts, contextStore),
    syncs,
    consumerRows: createConsumerRows(parts),
    engine,
    admission: parts.admission,
    limiter: budgets.limiter,
    syncWorker: (services) => new SyncWorker({ ...parts, node }, connectors, services),
    ...createEventServices(parts, connectors),
    jobs: createJobs(parts),
    kinds: { served: parts.kinds.served, of: parts.kinds.of, getVersion: parts.kinds.getVersion },
    ownKinds: createOwnKinds({ ...parts, readUploads: options.readUploads ?? { kind: refuseUpload, document: refuseUpload } }),
    kindPromotions: createKindPromotions(parts),
    vault: createRotation(parts),
    clock: clock.now,
    cursorKey: () => parts.masterKeys.current().cursors,
    ready: async () => {
      await Promise.all([database.ready(), contextStore?.ready()])
    },
    close: async () => {
      clearInterval(timer)
      watching.close()
      await engine.close()
      await parts.unfinished.end()
      node.close()
      await Promise.all([uses.store(), usage.store(), budgets.limiter.close()])
      await clock.close()
      await database.close()
    },
  }
}

function createEventServices(
  parts: Parts,
  connectors: EventConnectors,
): Pick<Platform, 'eventWorker' | 'vendorEventWorker' | 'readBacklogs'> {
  return {
    eventWorker: (options) => new EventWorker(parts, options),
    vendorEventWorker: (services) => new VendorEventWorker(parts, connectors, services),
    readBacklogs: () => readBacklogs(parts.database.db, parts.source.clock()),
  }
}

function createTokenServices(parts: Parts) {
  const tokens = createTokens(parts)
  const uses = new LastUses(parts)
  const consoleSessions = createConsoleSessions(parts, tokens)
  return {
    tokens,
    uses,
    mcpTokens: createMcpTokens(parts, { tokens, uses }),
    oauth: createOAuth(parts, tokens),
    consoleSessions,
    liveness: createLiveness(parts, consoleSessions),
  }
}

const createConnectServices = (parts: Parts, connectors: Connectors) => ({
  connectLinks: createConnectLinks(parts),
  connectPages: createConnectPages(parts, connectors),
  oauthClients: createOAuthClients(parts),
  consentRevocations: createConsentRevocations(parts),
})

async function purgeExpired(services: readonly { purgeExpired(now: number): Promise<unknown> }[], now: number): Promise<void> {
  for (const service of services) await service.purgeExpired(now)
}
