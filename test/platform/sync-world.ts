/** An installation with a context store: the platform over both databases, a store on PostgreSQL, and a scripted vendor. */
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SyncWorker } from '../../packages/server/src/copies/sync/worker.ts'
import type { SyncServices } from '../../packages/server/src/copies/sync-types.ts'
import type { PlatformOptions } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import type { RunReport } from '../../packages/server/src/values/metric-types.ts'
import { createStubEngine } from '../support/engines.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { stall } from './kinds.ts'
import { ledger } from './sync-kinds.ts'
import { Vendor } from './sync-vendor.ts'
import { createWorld, type DatabaseName, firstPrincipal, newTenant, type Through, type World } from './world.ts'

/** A node: an opened platform with its worker. */
export interface Node {
  readonly platform: Platform
  readonly worker: SyncWorker
  readonly reports: readonly RunReport[]
}

/** The installation with its first node. */
export interface SyncWorld extends Node {
  readonly world: World
  readonly store: ContextStore
  readonly vendor: Vendor
  readonly principal: Principal
  /** Errors of background tasks; a test removes those that it expects. */
  readonly errors: unknown[]
  /** Opens another node over the same databases. SQLite has one process, so there it is another worker in the same process. */
  node(services?: Partial<SyncServices>): Promise<Node>
  /** Creates a principal of a new organization. */
  tenant(): Promise<Principal>
  /** Creates a connector of the ledger kind. */
  connect(options?: { readonly principal?: Principal; readonly body?: Record<string, unknown> }): Promise<string>
  /** Lets a worker do all due work. */
  work(worker?: SyncWorker): Promise<void>
  /** Lets a worker begin a run, which stalls at its first call. */
  hold(worker?: SyncWorker): Promise<void>
  /** Reads the names of the searchable records with their counts, by entity. */
  copies(connector: string): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** Options of `createSyncWorld`. */
export interface SyncWorldOptions extends Partial<PlatformOptions> {
  readonly services?: Partial<SyncServices>
  readonly through?: Through
  readonly env?: Readonly<Record<string, string>>
}

/** One tick can enable the next: after a removal a run can start. */
const usefulTicks = 4

/** Lets a worker do all due work. */
async function work(worker: SyncWorker): Promise<void> {
  for (let ticks = 0; ticks < usefulTicks; ticks += 1) {
    await worker.tick()
    await worker.idle()
  }
}

/** Opens a store on the run's PostgreSQL server; closing drops its database. */
async function openStore(name: string, world: World, through: Through): Promise<{ readonly store: ContextStore; close(): Promise<void> }> {
  const server = await createTestDatabase(`${name} context`)
  const store = new ContextStore({
    settings: { engine: 'postgres', url: new Secret(through(server.url)), searches: 3, writers: 3, waiting: 50, searchSeconds: 60 },
    kinds: [ledger.definition],
    clock: () => world.now,
  })
  const close = async () => {
    await store.close()
    await server.drop()
  }
  return { store, close }
}

/** Creates an installation. */
export async function createSyncWorld(
  database: DatabaseName,
  name: string,
  { services: own = {}, through = (url) => url, ...options }: SyncWorldOptions = {},
): Promise<SyncWorld> {
  const world = await createWorld(database, name, through)
  const { store, close } = await openStore(name, world, through)
  const vendor = new Vendor()
  const errors: unknown[] = []
  const onBackgroundError = (error: unknown) => errors.push(error)
  const open = () =>
    world.open({
      kinds: [ledger, stall],
      engine: () => createStubEngine({ run: vendor.run }),
      contextStore: store,
      onBackgroundError,
      ...options,
    })
  const nodeOf = (platform: Platform, services: Partial<SyncServices>): Node => {
    const reports: RunReport[] = []
    const worker = platform.syncWorker({ store, onRun: (report) => reports.push(report), ...own, ...services })
    return { platform, worker, reports }
  }
  const first = nodeOf(await open(), {})
  const principal = await firstPrincipal(first.platform)
  let made = 0
  const body = () => {
    made += 1
    const credentials = { token: `token-${made}` }
    return { workspace_name: 'default', create_workspace: true, name: `Ledger ${made}`, connector_type: 'ledger', credentials }
  }
  return {
    ...first,
    ...{ world, store, vendor, principal, errors },
    node: async (services = {}) => nodeOf(database === 'sqlite' ? first.platform : await open(), services),
    tenant: () => newTenant(first.platform, principal),
    connect: async ({ principal: owner = principal, body: more = {} } = {}) =>
      (await first.platform.connectors.create(owner, { ...body(), ...more })).id,
    work: (worker = first.worker) => work(worker),
    hold: async (worker = first.worker) => {
      vendor.hold()
      await worker.tick()
      await vendor.arrived
    },
    copies: async (connector) => Object.fromEntries([...(await store.countRecords(connector))].filter(([, count]) => count > 0).toSorted()),
    close: async () => {
      await first.worker.stop()
      await world.close()
      await close()
    },
  }
}

/** Reads the newest run of a connector. */
export async function newest({ platform }: Pick<Node, 'platform'>, principal: Principal, id: string): Promise<SyncRunRecord> {
  const [run] = (await platform.syncs.list(principal, id, {})).data
  if (run === undefined) throw new Error('there is no run')
  return run
}

/** Counts of all records that belong to three accounts and three entries. */
export const whole = { accounts: 3, comments: 3, entries: 3, lines: 3 } as const
