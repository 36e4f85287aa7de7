/** An installation that fills a context store: the platform over both databases, a store on PostgreSQL, a vendor with a script. */
import { openContextStore } from '../../src/context/store/store.ts'
import type { ContextStore } from '../../src/context/store/types.ts'
import { Secret } from '../../src/engine/secret.ts'
import type { SyncRunRecord } from '../../src/platform/syncs/records.ts'
import type { RunReport, SyncServices, SyncWorker } from '../../src/platform/syncs/types.ts'
import type { Platform, PlatformOptions, Principal } from '../../src/platform/types.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { stall } from './kinds.ts'
import { ledger } from './sync-kinds.ts'
import { Vendor } from './sync-vendor.ts'
import { createWorld, type DatabaseName, firstPrincipal, newTenant, type World } from './world.ts'

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
  /** What background tasks could not do; a test that expects some takes them out. */
  readonly errors: unknown[]
  /** Another node over the same databases. SQLite has one process, so there it is another worker of the same one. */
  node(services?: Partial<SyncServices>): Promise<Node>
  /** A principal of an organization that no other test uses. */
  tenant(): Promise<Principal>
  /** Makes a connector of the ledger. */
  connect(options?: { readonly principal?: Principal; readonly body?: Record<string, unknown> }): Promise<string>
  /** Lets a worker do all that is due now. */
  work(worker?: SyncWorker): Promise<void>
  /** Names of the records that searches would find, by entity. */
  copies(connector: string): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** How an installation is opened. */
export type SyncWorldOptions = Partial<PlatformOptions> & { readonly services?: Partial<SyncServices> }

/** A turn can make the next one useful: a removal lets a run begin. */
const usefulTurns = 4

/** Lets a worker do all that is due now. */
async function work(worker: SyncWorker): Promise<void> {
  for (let turns = 0; turns < usefulTurns; turns += 1) {
    await worker.turn()
    await worker.idle()
  }
}

/** A store on the run's server, dropped with its database. */
async function openStore(name: string, world: World): Promise<{ readonly store: ContextStore; close(): Promise<void> }> {
  const server = await createTestDatabase(`${name} context`)
  const store = openContextStore({
    settings: { engine: 'postgres', url: new Secret(server.url), searches: 3, writers: 3, waiting: 50, searchSeconds: 10 },
    kinds: [ledger.definition],
    clock: () => world.now,
  })
  const close = async () => {
    await store.close()
    await server.drop()
  }
  return { store, close }
}

/** Makes an installation. */
export async function createSyncWorld(
  database: DatabaseName,
  name: string,
  { services: own = {}, ...options }: SyncWorldOptions = {},
): Promise<SyncWorld> {
  const world = await createWorld(database, name)
  const { store, close } = await openStore(name, world)
  const vendor = new Vendor()
  const errors: unknown[] = []
  const onBackgroundError = (error: unknown) => errors.push(error)
  const open = () => world.open({ kinds: [ledger, stall], contextStore: store, onBackgroundError, ...options })
  const nodeOf = (platform: Platform, services: Partial<SyncServices>): Node => {
    const reports: RunReport[] = []
    const worker = platform.syncWorker({ engine: vendor, store, onRun: (report) => reports.push(report), ...own, ...services })
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
    copies: async (connector) => Object.fromEntries([...(await store.counts(connector))].filter(([, count]) => count > 0).toSorted()),
    close: async () => {
      await first.worker.stop()
      await world.close()
      await close()
    },
  }
}

/** The newest run of a connector. */
export async function newest({ platform }: Pick<Node, 'platform'>, principal: Principal, id: string): Promise<SyncRunRecord> {
  const [run] = (await platform.syncs.list(principal, id, {})).data
  if (run === undefined) throw new Error('there is no run')
  return run
}

/** Everything that three accounts and three entries bring. */
export const whole = { accounts: 3, comments: 3, entries: 3, lines: 3 } as const
