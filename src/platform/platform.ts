/** Opens the state of the service: database, keys, services. */
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clocks } from '../engine/clocks.ts'
import { createApplications } from './applications.ts'
import { createCatalogue } from './catalogue.ts'
import { openStoredClock, type StoredClock } from './clock.ts'
import { createConnectors } from './connectors.ts'
import { createDataKeys } from './data-keys.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openPostgres } from './db/postgres.ts'
import { usedMasterKeys } from './db/queries-keys.ts'
import { openSqlite } from './db/sqlite.ts'
import { startFirst } from './first-start.ts'
import { createJobs } from './jobs.ts'
import { openMasterKeys } from './master-key.ts'
import { createOrganizations } from './organizations.ts'
import type { Parts } from './parts.ts'
import { createRotation } from './rotation.ts'
import { KnownIndexes } from './syncs/known-indexes.ts'
import { SyncNode } from './syncs/node.ts'
import { createSyncs } from './syncs/syncs.ts'
import { Watching } from './syncs/watching.ts'
import { createSyncWorker } from './syncs/worker.ts'
import { createTokens } from './tokens.ts'
import type { Platform, PlatformOptions } from './types.ts'
import { createVault } from './vault.ts'
import { createWorkspaces } from './workspaces.ts'
import { createWrites } from './writes.ts'

/** How often expired workspaces, old jobs and what is kept of writes are looked for. */
const purgeMs = 10 * 60 * 1_000

/**
 * Opens the platform; the schema is brought up to date and, the first time, an organization, a workspace and an application are
 * made.
 * @throws FerruleError `setting_invalid` (wrong master key, newer schema, folder in use), `unavailable` (database not reachable)
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const database = openDatabase(options)
  let clock: StoredClock | undefined
  try {
    await migrate(database)
    clock = await clockOf(database, options)
    return await start(await partsOf(database, options, clock), options, clock)
  } catch (error) {
    await clock?.close()
    await database.close()
    throw error
  }
}

function openDatabase({ settings, role = 'service' }: PlatformOptions): Database {
  if (settings.databaseUrl !== undefined) return openPostgres(settings.databaseUrl.reveal())
  return openSqlite(resolve(settings.dataFolder), { exclusive: role === 'service' })
}

/** A clock of the caller alone is taken as it is. */
async function clockOf(database: Database, { clock, steady, role = 'service' }: PlatformOptions): Promise<StoredClock> {
  if (clock !== undefined && steady === undefined) return { now: clock, refresh: async () => undefined, close: async () => undefined }
  return openStoredClock(database, {
    isKept: role === 'service',
    ...(clock === undefined ? {} : { wall: clock }),
    ...(steady === undefined ? {} : { steady }),
  })
}

async function partsOf(database: Database, options: PlatformOptions, clock: StoredClock): Promise<Parts> {
  const { settings } = options
  const source = { clock: clock.now, randomBytes: options.randomBytes ?? randomBytes }
  const masterKeys = openMasterKeys({ settings, randomBytes: source.randomBytes, used: await usedMasterKeys(database.db) })
  const dataKeys = createDataKeys(masterKeys, source)
  return {
    settings,
    database,
    source,
    node: new SyncNode({ settings, database, source }),
    steady: options.steady ?? options.clock ?? clocks.steady,
    sleep: options.sleep ?? ((milliseconds) => sleep(milliseconds)),
    masterKeys,
    dataKeys,
    vault: createVault(dataKeys, source.randomBytes),
    catalogue: createCatalogue(options.kinds),
    unfinished: new Set(),
    events: new EventEmitter(),
    knownIndexes: new KnownIndexes(options.contextStore),
    renewalsOf: (connectorId) => options.contextStore?.renewals(connectorId) ?? new Set(),
    onBackgroundError: options.onBackgroundError ?? (() => undefined),
    onNotice: options.onNotice ?? (() => undefined),
    sandboxOrigins: options.sandboxOrigins ?? (() => undefined),
  }
}

async function start(parts: Parts, { role = 'service' }: PlatformOptions, clock: StoredClock): Promise<Platform> {
  const { database, source } = parts
  const first = await startFirst(parts)
  const workspaces = createWorkspaces(parts)
  const writes = createWrites(parts)
  const connectors = createConnectors(parts)
  const watching = new Watching(parts)
  const syncs = createSyncs(parts, watching)
  const purge = () => purgeExpired([workspaces, writes, syncs], source.clock()).catch(parts.onBackgroundError)
  const timer = role === 'service' ? setInterval(purge, purgeMs).unref() : undefined
  return {
    first,
    organizations: createOrganizations(parts),
    applications: createApplications(parts),
    tokens: createTokens(parts),
    workspaces,
    connectors,
    writes,
    syncs,
    syncWorker: (services) => createSyncWorker(parts, connectors, services),
    jobs: createJobs(parts),
    catalogue: parts.catalogue,
    vault: createRotation(parts),
    clock: clock.now,
    cursorKey: () => parts.masterKeys.current().cursors,
    ready: () => database.ready(),
    close: async () => {
      clearInterval(timer)
      watching.close()
      while (parts.unfinished.size > 0) await Promise.allSettled([...parts.unfinished])
      parts.node.close()
      await clock.close()
      await database.close()
    },
  }
}

async function purgeExpired(services: readonly { purgeExpired(now: number): Promise<unknown> }[], now: number): Promise<void> {
  for (const service of services) await service.purgeExpired(now)
}
