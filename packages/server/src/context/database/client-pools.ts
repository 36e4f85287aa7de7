/** Pools of connections to a PostgreSQL server: for searches, for lookups by key and for writes. */
import pg from 'pg'
import { searchSettings } from '../query/functions.ts'
import { copyRows } from './copy.ts'
import type { Answer, Connection, Statement } from './database.ts'
import { decoders, encodeValues } from './decoding.ts'
import type { Purpose } from './lane.ts'
import { PooledConnection } from './pooled-connection.ts'
import { askAfter, beginSnapshot, connectMs } from './pooler.ts'

/** Limits of the pools. */
export interface PoolOptions {
  /** A `postgresql://` URL with its options (for example `sslmode`). */
  readonly url: string
  /** Connections for searches. */
  readonly searches: number
  /** Connections for writes. */
  readonly writers: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of a write in milliseconds. */
  readonly writeMs: number
  /** Timeout of connecting in milliseconds; default: five seconds. */
  readonly connectMs?: number
}

/**
 * Purpose of a connection. `lookup` is a search whose statement has one plan: planning takes longer than running, so the plan is cached.
 */
export type Use = Purpose | 'lookup'

const idleMs = 60_000
/** Added to the server's own timeout, in milliseconds. It serves connections that lost their client; the service's timeout comes first. */
const graceMs = 5_000
/** Maximum number of named statements of a connection. A connection with more is replaced, which bounds the server's memory. */
const namedStatements = 600
/** Maximum number of connections for lookups; each lookup takes less than a millisecond. */
const mostLookups = 4
const sessionSettings: Readonly<Record<Use, Readonly<Record<string, string>>>> = {
  // Without sequential scans: a plan cached while a table is empty would scan it forever.
  lookup: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off', default_transaction_read_only: 'on' },
  // Every search is planned for its values; reads come from memory, and sorts get some of it.
  search: { ...searchSettings, random_page_cost: '1.1', work_mem: '32MB', default_transaction_read_only: 'on' },
  // Every write is planned too: plans cached for the first batches would scan whole partitions, which were empty then.
  write: { ...searchSettings, random_page_cost: '1.1' },
}
const buildStartupOptions = (purpose: Use): string =>
  Object.entries(sessionSettings[purpose])
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Names of statements that a client has prepared. */
const preparedNames = new WeakMap<pg.ClientBase, Set<string>>()

/** How a connection is cancelled and released. */
interface Handling {
  /**
   * Cancels the running statement of a client.
   * @param ended settles when the statement has ended
   */
  cancel(client: pg.ClientBase, ended: Promise<unknown>): Promise<void>
  /** Releases the client; a broken one is not reused. */
  giveBack(broken: boolean): void
}

class PostgresConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #names: Set<string>
  readonly #handling: Handling
  #running: Promise<unknown> = Promise.resolve()

  constructor(client: pg.ClientBase, handling: Handling) {
    this.#client = client
    this.#names = preparedNames.get(client) ?? new Set()
    preparedNames.set(client, this.#names)
    this.#handling = handling
  }

  run(statement: Statement): Promise<Answer> {
    const running = this.#ask(statement)
    this.#running = running
    return running
  }

  async limit(timeoutMs: number | undefined): Promise<void> {
    await this.#client.query(timeoutMs === undefined ? 'reset statement_timeout' : `set statement_timeout = ${Math.ceil(timeoutMs)}`)
  }

  stop(): Promise<void> {
    return this.#handling.cancel(this.#client, this.#running)
  }

  release(broken: boolean): void {
    this.#handling.giveBack(broken || this.#names.size > namedStatements)
  }

  async #ask({ name, text, values = [], copied, beginsSnapshot }: Statement): Promise<Answer> {
    if (copied !== undefined) return copyRows(this.#client, text, copied)
    if (beginsSnapshot) return askAfter(this.#client, `begin ${beginSnapshot}`, text)
    if (name !== undefined) this.#names.add(name)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values), ...(name === undefined ? {} : { name }) })
    return { rows, count: rowCount ?? 0 }
  }
}

/** A client of a pool, and what it is for. */
export interface Client extends Handling {
  readonly client: pg.ClientBase
  readonly use: Use
  /** True when a pooler stands before the server. */
  readonly isPooled: boolean
}

/** Wraps a client by whether a pooler stands before the server. */
export function connectWith({ client, use, isPooled, cancel, giveBack }: Client, options: PoolOptions): Connection {
  if (!isPooled) return new PostgresConnection(client, { cancel, giveBack })
  return new PooledConnection(client, {
    settings: sessionSettings[use],
    limitMs: getLimitMs(options, use),
    isReading: use !== 'write',
    giveBack,
  })
}

const getLimitMs = (options: PoolOptions, use: Use): number => (use === 'write' ? options.writeMs : options.searchMs) + graceMs

/** Builds the options of a client. */
export function buildClientOptions(options: PoolOptions, purpose: Use, isPooled: boolean): pg.ClientConfig {
  const limit = getLimitMs(options, purpose)
  const session = {
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    options: buildStartupOptions(purpose),
  }
  return {
    connectionString: options.url,
    connectionTimeoutMillis: options.connectMs ?? connectMs,
    keepAlive: true,
    application_name: `ferrule context ${purpose}`,
    types: decoders,
    ...(isPooled ? {} : session),
  }
}

const countConnections = ({ searches, writers }: PoolOptions): Readonly<Record<Use, number>> => ({
  search: searches,
  lookup: Math.min(searches, mostLookups),
  write: writers + 1, // cancellations must not wait for a connection
})

/** Creates the pool of a purpose. It connects when a client is asked for. */
export function createPool(options: PoolOptions, purpose: Use, isPooled: boolean): pg.Pool {
  const pool = new pg.Pool({
    ...buildClientOptions(options, purpose, isPooled),
    max: countConnections(options)[purpose],
    idleTimeoutMillis: idleMs,
  })
  // The pool replaces a broken connection, and its statement fails. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
