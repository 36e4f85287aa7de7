/** Opens PostgreSQL under Kysely: a bounded pool, with translated errors. */
import { inSpan } from 'ferrule/internal'
import { Kysely, type PostgresCursor, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { buildBegin, connectMs, hasPooler, stopStatement } from '../../context/database/pooler.ts'
import { describeRows, describeStatement } from '../../statement-span.ts'
import { createDatabase, type Database, getStatementName } from './database.ts'
import { translated } from './postgres-problems.ts'
import type { Tables } from './schema.ts'
import { openSession } from './session.ts'

/** Pool size of one node. */
const connections = 10
/** Timeout of a statement, in milliseconds; migrations of large tables must finish earlier or raise it themselves. */
const statementMs = 30_000
const int8 = 20

/** Settings of each transaction through a pooler, whose sessions keep none. */
const pooledBegin = buildBegin({ statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs })

/** Runs a statement through a pooler: without a name, and cancelled by this process when it takes too long. */
async function runPooled(client: pg.PoolClient, { text, values }: { readonly text: string; readonly values: unknown[] }) {
  const running = text === 'begin' ? client.query(pooledBegin) : client.query({ text, values })
  const timer = setTimeout(() => void stopStatement(client, running), statementMs)
  return running.finally(() => clearTimeout(timer))
}

/** Wraps a client and translates its errors. */
function translating(client: pg.PoolClient, isPooled: boolean): PostgresPoolClient {
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('cursors are not used here')
    const name = getStatementName(text)
    const statement = { text, values: [...values], ...(name === undefined ? {} : { name }) }
    return inSpan(
      () => describeStatement('postgresql', text),
      async (span) => {
        const running = isPooled ? runPooled(client, statement) : client.query(statement)
        const answer = await running.catch((error: unknown) => {
          throw translated(error)
        })
        span?.set(describeRows(answer.rowCount ?? 0))
        return answer
      },
    )
  }
  return { query, release: (destroy?: boolean) => client.release(destroy) }
}

/** A pool, and whether a pooler stands before the server. */
interface Opened {
  readonly pool: pg.Pool
  readonly isPooled: boolean
}

/** Wraps each client once, because Kysely identifies connections by object. The first statement opens the pool. */
function translatingPool(open: () => Promise<Opened>): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  let opening: Promise<Opened> | undefined
  const opened = (): Promise<Opened> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const connect = async (): Promise<PostgresPoolClient> => {
    const { pool, isPooled } = await opened()
    const client = await pool.connect()
    const known = wrapped.get(client) ?? translating(client, isPooled)
    wrapped.set(client, known)
    return known
  }
  return {
    options: {},
    end: async () => (await opening?.catch(() => undefined))?.pool.end(),
    connect: () =>
      connect().catch((error: unknown) => {
        throw translated(error)
      }),
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
  const open = async (): Promise<Opened> => {
    const isPooled = await hasPooler(url)
    return { pool: createPool(url, isPooled), isPooled }
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: translatingPool(open) }) })
  return createDatabase('postgres', db, { close: () => db.destroy(), session: (source) => openSession(url, source) })
}

function createPool(url: string, isPooled: boolean): pg.Pool {
  const session = { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + connectMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'ferrule',
    types: { getTypeParser },
    ...(isPooled ? {} : session),
  })
  // A connection that breaks is replaced by the pool, and its statement fails. Without listeners, both for idle connections and
  // for those in use, it would end the process too.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
