/** Describes the service, and the node to its operator. */

import { fail } from 'ferrule/internal'
import type { NodeRecord } from 'ferrule/wire'
import type { ContextStore } from '../../copies/store/types.ts'
import { readState } from '../../tenancy/sql/installation-state.ts'
import type { Caller } from '../../values/access.ts'
import { iso } from '../../values/ids.ts'
import { version } from '../../values/version.ts'
import type { Parts } from '../parts.ts'
import { findSafeAddress } from '../settings/own-address.ts'
import { listNodes, readDatabaseFacts } from './database-facts.ts'
import type { Installation } from './installation-types.ts'

/** Syncs whose nodes are listed. */
const lookedAt = 1_000
/** Timeout of the statement about the copy of records, in milliseconds. */
const copyMs = 1_000

type Store = Pick<ContextStore, 'status' | 'openDatabase'> | undefined

/** Builds the service. */
export function createInstallation(parts: Parts, store: Store): Installation {
  const { database, settings, source, steady } = parts
  const startedAt = source.clock()
  const begun = steady()
  return {
    describe: async (caller) => ({
      version,
      sandbox: settings.sandbox,
      public_url: settings.publicUrl ?? null,
      connect_url: findSafeAddress(settings) ?? null,
      operator: await isOperator(parts, caller),
    }),
    readNode: async (caller) => {
      if (!(await isOperator(parts, caller))) throw fail('operator_required', {})
      const [facts, copy, nodes] = await Promise.all([readDatabaseFacts(database), describeStore(store), listNodes(database.db, lookedAt)])
      return {
        version,
        node_version: process.version,
        role: settings.role,
        started_at: iso(startedAt),
        uptime_seconds: Math.floor((steady() - begun) / 1_000),
        memory_bytes: process.memoryUsage.rss(),
        state: { engine: database.dialect, version: facts.version, size_bytes: facts.sizeBytes },
        context_store: copy,
        read_replicas: (store?.status().replicas ?? []).map(({ lagBytes, ...replica }) => ({ ...replica, lag_bytes: lagBytes })),
        settings: settings.shown,
        nodes: nodes.map(({ id, running, last_started_at }) => ({ id, running, last_started_at: iso(last_started_at) })),
      }
    },
  }
}

/** Returns whether a caller is the application of the first start, with a token that is not limited. */
async function isOperator({ database }: Parts, { kind, applicationId }: Caller): Promise<boolean> {
  return kind === 'application' && applicationId === (await readState(database.db, 'first_application'))
}

/** Describes the copy of records. Never opens it, and never waits long for it. */
async function describeStore(store: Store): Promise<NodeRecord['context_store']> {
  if (store === undefined) return null
  const { engine, opened } = store.status()
  const unknown = { engine, version: null, size_bytes: null }
  if (!opened) return unknown
  const text = "select current_setting('server_version') as version, pg_database_size(current_database()) as bytes"
  try {
    const database = await store.openDatabase()
    const { rows } = await database.query<{ readonly version: string; readonly bytes: bigint }>({ text }, { timeoutMs: copyMs })
    const [row] = rows
    return row === undefined ? unknown : { engine, version: row.version, size_bytes: Number(row.bytes) }
  } catch {
    return unknown // overloaded, too slow, or not reachable: the readiness of the service says so
  }
}
