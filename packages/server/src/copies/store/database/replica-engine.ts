/** Connections to a read replica: pools for searches only. Nothing is created or checked there. */

import { Server, type ServerOptions } from '../../../db/connections/server.ts'
import { connectWith, createPool, type PoolOptions } from './client-pools.ts'
import { createContextDatabase } from './context-database.ts'
import type { ContextDatabase, Engine } from './database.ts'
import { Lane } from './lane.ts'

/** Limits of a replica. */
export interface ReplicaOptions extends Pick<ServerOptions, 'url' | 'password'> {
  /** Maximum number of concurrent searches, each with a connection. */
  readonly searches: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of connecting in milliseconds. */
  readonly connectMs: number
}

/** A replica for reading. */
export interface ReplicaDatabase extends Pick<ContextDatabase, 'read' | 'glance' | 'close'> {
  /** Number of running searches. */
  readonly running: number
}

/** Opens a replica. The first statement connects. */
export function openReplica(options: ReplicaOptions): ReplicaDatabase {
  const lane = new Lane({ slots: options.searches, waiting: 0, waitMs: 0 })
  const database = createContextDatabase(createReplicaEngine(options, lane))
  return {
    read: database.read,
    glance: database.glance,
    close: database.close,
    get running() {
      return lane.load.running
    },
  }
}

function createReplicaEngine(options: ReplicaOptions, lane: Lane): Engine {
  const limits: PoolOptions = { ...options, writers: 0, writeMs: options.searchMs }
  const { url, password, connectMs } = options
  const server = new Server({ url, password, connectMs, setting: 'CONTEXT_READ_URLS', isReplica: true })
  const openPools = async () => {
    const isPooled = await server.greet()
    const create = (use: 'search' | 'lookup') => createPool(server, limits, use, isPooled)
    return { isPooled, search: create('search'), lookup: create('lookup') }
  }
  let opening: ReturnType<typeof openPools> | undefined
  const open = () => {
    opening ??= openPools().catch((thrown: unknown) => {
      opening = undefined
      throw thrown
    })
    return opening
  }
  return {
    name: 'postgres',
    lanes: { search: lane, write: lane },
    limits: { search: options.searchMs, write: options.searchMs },
    connect: async (_purpose, hasOnePlan = false) => {
      const { isPooled, ...pools } = await open()
      const use = hasOnePlan ? 'lookup' : 'search'
      const client = await pools[use].connect()
      return connectWith({ client, use, isPooled, server, giveBack: (broken) => server.release(client, broken) }, limits)
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined)
      await Promise.all([opened?.search.end(), opened?.lookup.end()])
      server.close()
    },
  }
}
