/** Opens PostgreSQL under Kysely: a bounded pool, with translated errors. */
import { inSpan } from 'ferrule/internal'
import { Kysely, type PostgresCursor, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { describeRows, describeStatement } from '../../statement-span.ts'
import { createDatabase, type Database, getStatementName } from './database.ts'
import { translated } from './postgres-problems.ts'
import type { Tables } from './schema.ts'
import { openSession } from './session.ts'

/** Pool size of one node. */
const connections = 10
const connectMs = 5_000
/** Timeout of a statement, in milliseconds; migrations of large tables must finish earlier or raise it themselves. */
const statementMs = 30_000
const int8 = 20

/** Wraps a client and translates its errors. */
function translating(client: pg.PoolClient): PostgresPoolClient {
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('cursors are not used here')
    const name = getStatementName(text)
    const statement = { text, values: [...values], ...(name === undefined ? {} : { name }) }
    return inSpan(
      () => describeStatement('postgresql', text),
      async (span) => {
        const answer = await client.query(statement).catch((error: unknown) => {
          throw translated(error)
        })
        span?.set(describeRows(answer.rowCount ?? 0))
        return answer
      },
    )
  }
  return { query, release: (destroy?: boolean) => client.release(destroy) }
}

/** Wraps each client once, because Kysely identifies connections by object. */
function translatingPool(pool: pg.Pool): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect().catch((error: unknown) => {
        throw translated(error)
      })
      const known = wrapped.get(client) ?? translating(client)
      wrapped.set(client, known)
      return known
    },
  }
}

/** Parses `bigint` columns as doubles, which hold milliseconds and counters exactly. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')

/**
 * Opens a pool; the first statement connects.
 * @param url `postgresql://` URL with its options (for example `sslmode`)
 */
export function openPostgres(url: string): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + connectMs,
    idle_in_transaction_session_timeout: statementMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'ferrule',
    types: { getTypeParser },
  })
  // A connection that breaks is replaced by the pool, and its statement fails. Without listeners, both for idle connections and
  // for those in use, it would end the process too.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: translatingPool(pool) }) })
  return createDatabase('postgres', db, { close: () => db.destroy(), session: (source) => openSession(url, source) })
}
