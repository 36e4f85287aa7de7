/** Opens PostgreSQL under Kysely: a bounded pool, with translated errors. */
import { inSpan } from 'ferrule/internal'
import { Kysely, type PostgresCursor, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { type Pool, Server, type ServerOptions } from './connections/database-server.ts'
import { buildBegin, connectMs, readCommitted, stopStatement } from './connections/pooler.ts'
import { isServerFault, retryConflicts } from './connections/problems.ts'
import { createDatabase, type Database, getStatementName } from './database.ts'
import type { Tables } from './schema/schema.ts'
import { openSession, translated } from './session.ts'
import { describeRows, describeStatement } from './statement-span.ts'

/** Usual pool size of one node. */
const usualConnections = 10
/** Timeout of a statement, in milliseconds; migrations of large tables must finish earlier or raise it themselves. */
const statementMs = 30_000
const int8 = 20

/** Limits of each session, and of each transaction through a pooler, whose sessions keep none. */
const limits = { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }
const settings = { ...readCommitted, ...limits }
const pooledBegin = buildBegin(limits)

/** Runs a statement through a pooler: without a name, and cancelled by this process when it takes too long. */
async function runPooled(client: pg.PoolClient, { text, values }: { readonly text: string; readonly values: unknown[] }) {
  const running = text === 'begin' ? client.query(pooledBegin) : client.query({ text, values })
  const timer = setTimeout(() => void stopStatement(client, running), statementMs)
  return running.finally(() => clearTimeout(timer))
}

/** A pool of a server, and whether a pooler stands before it. */
interface ServerPool {
  readonly server: Server
  readonly pool: Pool
  readonly isPooled: boolean
}

/** Wraps a client and translates its errors. A client with a fault of the server is not used again. */
function translating(client: pg.PoolClient, { server, isPooled }: ServerPool): PostgresPoolClient {
  let isBroken = false
  let isInside = false
  /** Asks once. A statement of its own that was rolled back because of another one is asked again by `run`. */
  const ask = async (statement: { readonly text: string; readonly values: unknown[] }) => {
    try {
      return await server.follow(client, isPooled ? runPooled(client, statement) : client.query(statement))
    } catch (thrown) {
      isBroken ||= isServerFault(thrown)
      throw translated(thrown)
    }
  }
  const run: typeof ask = async (statement) => {
    const { text } = statement
    if (text === 'begin') isInside = true
    if (text === 'commit' || text === 'rollback') isInside = false
    return isInside ? ask(statement) : retryConflicts(() => ask(statement))
  }
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('cursors are not used here')
    const name = getStatementName(text)
    const statement = { text, values: [...values], name }
    return inSpan(
      () => describeStatement('postgresql', text),
      async (span) => {
        const answer = await run(statement)
        span?.set(describeRows(answer.rowCount ?? 0))
        return answer
      },
    )
  }
  return { query, release: () => server.release(client, isBroken) }
}

/** Wraps each client once, because Kysely identifies connections by object. The first statement opens the pool. */
function translatingPool(open: () => Promise<ServerPool>): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  let opening: Promise<ServerPool> | undefined
  const opened = (): Promise<ServerPool> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const connect = async (): Promise<PostgresPoolClient> => {
    const all = await opened()
    const client = await all.pool.connect()
    const known = wrapped.get(client) ?? translating(client, all)
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

/** Options of the state's database. */
export interface PostgresOptions extends Pick<ServerOptions, 'url' | 'password'> {
  /** Maximum number of connections of this node; default: ten. */
  readonly connections?: number
}

/** Opens a pool; the first statement connects. @throws FerruleError `setting_invalid` for a URL that cannot be used */
export function openPostgres({ url, password, connections = usualConnections }: PostgresOptions): Database {
  const server = new Server({ url, password, setting: 'DATABASE_URL' })
  const config = { query_timeout: statementMs + connectMs, types: { getTypeParser } }
  const open = async (): Promise<ServerPool> => {
    const isPooled = await server.greet()
    return { server, isPooled, pool: server.createPool(connections, isPooled ? config : { ...config, settings }) }
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: translatingPool(open) }) })
  return createDatabase('postgres', db, {
    close: async () => {
      await db.destroy()
      server.close()
    },
    ready: () =>
      server.look().catch((thrown: unknown) => {
        throw translated(thrown)
      }),
    session: (source) => openSession(server, source),
  })
}
