/** Nodes with read replicas over one primary, and clients that notice an answer older than one before. */
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import type { ReplicaChange, ReplicaRules, SearchRoute } from '../../packages/server/src/copies/store/replicas/types.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { ContextStoreOptions } from '../../packages/server/src/copies/store/types.ts'
import { runSql } from '../support/postgres.ts'
import { type Replication, startReplication } from '../support/replication.ts'
import { createSearcher } from '../support/searcher.ts'
import { note, testKind } from './store-records.ts'

/** Rules of tests. Looks come often, so that tests need not wait. */
export const rules: ReplicaRules = { checkMs: 100, retryMs: 20, longestRetryMs: 100, answerMs: 20_000 }
const recipe = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'"

/** A node and what it noticed. */
export interface ReplicaNode {
  readonly store: ContextStore
  readonly changes: ReplicaChange[]
  /** Returns how many statements of searches took a route. */
  count(route: SearchRoute): number
}

/** Servers and nodes. */
export interface ReplicaWorld extends Replication {
  /** Runs statements on a server: `primary`, or the number of a replica. */
  run(server: 'primary' | number, text: string): Promise<readonly Record<string, unknown>[]>
  /** Returns the URL of the context database on a server. */
  urlOf(server: 'primary' | number): string
  /** Opens a node, which is closed with the world. */
  open(urls?: readonly string[], more?: Partial<ContextStoreOptions>): Promise<ReplicaNode>
  /** Waits until replicas have everything that the primary has. */
  caughtUp(...replicas: readonly number[]): Promise<void>
  close(): Promise<void>
}

/** Asks until it is so; the test's timeout ends the wait. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Starts a primary with an empty context database, and replicas. */
async function startReplicaWorld(count: number): Promise<ReplicaWorld> {
  const servers = await startReplication(count)
  const urlOf = (server: 'primary' | number, database = 'copy'): string => {
    const url = new URL(server === 'primary' ? servers.primary : (servers.replicas[server] ?? ''))
    url.pathname = `/${database}`
    // On a starved machine the handshake can take longer than the service usually waits.
    if (server === 'primary') url.searchParams.set('connect_timeout', '60')
    return url.href
  }
  await runSql(servers.primary, `create database copy ${recipe}`, `create database other ${recipe}`)
  const stores: ContextStore[] = []
  return {
    ...servers,
    urlOf,
    run: (server, text) => runSql(urlOf(server), text),
    open: async (urls = servers.replicas.map((_, index) => urlOf(index)), more = {}) => {
      const settings: ContextStoreSettings = {
        ...{ engine: 'postgres', url: new Secret(urlOf('primary')), replicas: urls.map((url) => new Secret(url)) },
        ...{ searches: 3, writers: 2, waiting: 100, searchSeconds: 60 },
      }
      const changes: ReplicaChange[] = []
      const usual = { settings, kinds: [testKind()], replicaRules: rules, onReplica: (change: ReplicaChange) => changes.push(change) }
      const store = new ContextStore({ ...usual, ...more })
      stores.push(store)
      await store.checkDatabase()
      return { store, changes, count: (route) => store.status().searches.get(route) ?? 0 }
    },
    caughtUp: async (...replicas) => {
      const [row] = await runSql(servers.primary, 'select pg_current_wal_lsn()::text as at')
      const replayed = `select coalesce(pg_last_wal_replay_lsn() >= '${String(row?.['at'])}', false) as is`
      for (const replica of replicas) await until(async () => (await runSql(urlOf(replica, 'postgres'), replayed))[0]?.['is'] === true)
    },
    close: async () => {
      for (const store of stores) await store.close()
      await servers.stop()
    },
  }
}

/** Waits until a node sees its replicas in some states. */
export const untilStates = ({ store }: ReplicaNode, ...states: readonly string[]): Promise<void> =>
  until(
    async () =>
      store
        .status()
        .replicas.map(({ state }) => state)
        .join() === states.join(),
  )

/** Starts a primary with two replicas, and two nodes that use both. */
export async function startTwoNodes(): Promise<{ readonly world: ReplicaWorld; readonly nodes: readonly [ReplicaNode, ReplicaNode] }> {
  const world = await startReplicaWorld(2)
  const nodes = [await world.open(), await world.open()] as const
  for (const node of nodes) await untilStates(node, 'used', 'used')
  return { world, nodes }
}

const key = Buffer.from('a key of tests')

/** Writes a version of record 1: its own text says which. */
export const write = ({ store }: ReplicaNode, ref: EntityRef, version: number) =>
  store.writeBatch(ref, { records: [note(store, { id: 1, title: `version ${version}` })], asked: version })

/** Searches record 1 for its version, or for another filter. */
export async function read({ store }: ReplicaNode, ref: EntityRef, filter: object = { eq: { id: 1 } }): Promise<number> {
  const found = await createSearcher(store).search({ ref, params: { query: { filter } }, key, now: 1 })
  const records: readonly { readonly title: string }[] = JSON.parse(found?.json ?? '[]')
  return Number(records[0]?.title.split(' ')[1] ?? 0)
}

/** Clients over several nodes and their figures. */
export interface Clients {
  /** Searches so far. */
  searches: number
  /** Newest version that was written. */
  newest: number
  /** Answers older than one that the client, or another, had before its request. */
  readonly older: string[]
}

/**
 * Runs clients that write and search at any node. A search must see what was written, or answered to anyone, before it was sent.
 * @param nodes of the service, at least one
 * @param given `searches` of all clients together; `newest`: version that was written before
 */
export async function runClients(
  nodes: readonly ReplicaNode[],
  ref: EntityRef,
  { searches, newest = 0 }: { readonly searches: number; readonly newest?: number },
): Promise<Clients> {
  const clients: Clients = { searches: 0, older: [], newest }
  let known = newest
  let turn = 0
  const pick = (): ReplicaNode => {
    turn += 1
    const node = nodes[turn % nodes.length]
    if (node === undefined) throw new Error('there is no node')
    return node
  }
  const client = async (isWriter: boolean): Promise<void> => {
    while (clients.searches < searches) {
      if (isWriter) {
        const version = clients.newest + 1
        clients.newest = version
        await write(pick(), ref, version)
        known = version
      }
      const least = known
      clients.searches += 1
      const filter = clients.searches % 3 === 0 ? { fuzzy: { title: 'version' } } : undefined
      const seen = await read(pick(), ref, filter)
      if (seen < least) clients.older.push(`${seen} after ${least}`)
      known = Math.max(known, seen)
    }
  }
  await Promise.all([client(true), client(false), client(false)])
  return clients
}
