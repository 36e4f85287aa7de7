/** Describes the service, and the node to its operator. */
import { fail } from 'ferrule/internal'
import type { NodeRecord, ServiceRecord } from 'ferrule/wire'
import { sql } from 'kysely'
import type { ContextStore } from '../../copies/store/store.ts'
import type { Database, Db } from '../../db/database.ts'
import { readState } from '../../tenancy/sql/installation-state.ts'
import type { Caller } from '../../values/access.ts'
import { iso } from '../../values/ids.ts'
import { version } from '../../values/version.ts'
import type { Parts } from '../parts.ts'
import { findSafeAddress } from '../settings/own-address.ts'

/** Timeout of a size in milliseconds: PostgreSQL looks at every file of the database. */
const sizeMs = 1_000

interface DatabaseFacts {
  readonly version: string
  /** Null when the size took too long. */
  readonly sizeBytes: number | null
}

/** Reads version and size of the service's own database. */
const readDatabaseFacts = (database: Database): Promise<DatabaseFacts> =>
  database.dialect === 'sqlite' ? readSqlite(database.db) : readPostgres(database)

async function readSqlite(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<{ readonly version: string; readonly bytes: number }>`select sqlite_version() as version,
    page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db)
  const [row] = rows
  return { version: row?.version ?? '', sizeBytes: row?.bytes ?? null }
}

async function readPostgres(database: Database): Promise<DatabaseFacts> {
  const { rows } = await sql<{ readonly version: string }>`select current_setting('server_version') as version`.execute(database.db)
  const size = await database
    .transaction(async (db) => {
      await sql.raw(`set local statement_timeout = ${sizeMs}`).execute(db)
      return sql<{ readonly bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db)
    })
    .catch(() => undefined) // it took too long, or this user may not ask
  return { version: rows[0]?.version ?? '', sizeBytes: size?.rows[0]?.bytes ?? null }
}

interface NodeRow {
  readonly id: string
  readonly running: number
  readonly last_started_at: number
}

/** Lists the nodes of the last syncs, for the operator. Covers all organizations. @param limit syncs that are looked at */
async function listNodes(db: Db, limit: number): Promise<readonly NodeRow[]> {
  const { rows } = await sql<NodeRow>`select lease_node as id, max(started_at) as last_started_at,
      cast(sum(case when state = 'running' then 1 else 0 end) as bigint) as running
    from (select lease_node, started_at, state from sync_runs order by id desc limit ${limit}) as last
    where lease_node is not null and started_at is not null group by lease_node order by lease_node`.execute(db)
  return rows
}

/** Syncs whose nodes are listed. */
const lookedAt = 1_000
/** Timeout of the statement about the copy of records, in milliseconds. */
const copyMs = 1_000

type Store = Pick<ContextStore, 'status' | 'openDatabase'> | undefined

/** Builds the service. */
export function createInstallation(parts: Pick<Parts, 'settings' | 'database' | 'source' | 'steady'>, store: Store): Installation {
  const { database, settings, source, steady } = parts
  const startedAt = source.clock()
  const begun = steady()
  return {
    describe: async (caller) => ({
      version,
      sandbox: settings.sandbox,
      public_url: settings.publicUrl ?? null,
      connect_url: findSafeAddress(settings) ?? null,
      context_store: store !== undefined,
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
async function isOperator({ database }: Pick<Parts, 'database'>, { kind, applicationId }: Caller): Promise<boolean> {
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

/** The installation as its operator sees it. The operator is the application of the first start. */
export interface Installation {
  describe(caller: Caller): Promise<ServiceRecord>
  /** Describes the node that answers. @throws FerruleError `operator_required` */
  readNode(caller: Caller): Promise<NodeRecord>
}
