/** Queries version and size of the database, and the nodes that work over it. */
import { sql } from 'kysely'
import type { Database, Db } from '../../db/database.ts'

/** Timeout of a size in milliseconds: PostgreSQL looks at every file of the database. */
const sizeMs = 1_000

/** Version and size of a database. */
export interface DatabaseFacts {
  readonly version: string
  /** Null when the size took too long. */
  readonly sizeBytes: number | null
}

/** Reads version and size of the service's own database. */
export const readDatabaseFacts = (database: Database): Promise<DatabaseFacts> =>
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

/** A node by its syncs. */
export interface NodeRow {
  readonly id: string
  readonly running: number
  /** Milliseconds since 1970. */
  readonly last_started_at: number
}

/** Lists the nodes of the last syncs, for the operator. Covers all organizations. @param limit syncs that are looked at */
export async function listNodes(db: Db, limit: number): Promise<readonly NodeRow[]> {
  const { rows } = await sql<NodeRow>`select lease_node as id, max(started_at) as last_started_at,
      cast(sum(case when state = 'running' then 1 else 0 end) as bigint) as running
    from (select lease_node, started_at, state from sync_runs order by id desc limit ${limit}) as last
    where lease_node is not null and started_at is not null group by lease_node order by lease_node`.execute(db)
  return rows
}
