/** Pools of connections to a PostgreSQL server: for searches, for lookups by key and for writes. */
import type pg from 'pg'
import type { Pool, Server, SessionConfig } from '../../../db/connections/database-server.ts'
import { askAfter, beginSnapshot, buildBegin, readCommitted, stopStatement } from '../../../db/connections/pooler.ts'
import { searchSettings } from '../../search/functions.ts'
import { type Answer, type Connection, decoders, encodeValues, type Purpose, type Statement } from './database.ts'

/** Calls a method of the driver's connection, which its types do not declare. */
function send(connection: object, method: 'query' | 'sendCopyFromChunk' | 'endCopyFrom', ...values: readonly unknown[]): void {
  const found: unknown = Reflect.get(connection, method)
  if (typeof found !== 'function') throw new TypeError(`the driver's connection has no ${method}`)
  Reflect.apply(found, connection, values)
}

/** Runs `copy … from stdin` with rows in PostgreSQL's text format. */
const copyRows = async (client: pg.ClientBase, text: string, rows: string): Promise<Answer> => ({
  rows: [],
  count: await client.query(new Copy(text, rows)).finished,
})

/** A COPY for the driver's `query`, which calls the methods. The server ignores rows that follow its error. */
class Copy {
  readonly text: string
  readonly #rows: Buffer
  readonly #finished = Promise.withResolvers<number>()
  #count = 0

  /**
   * @param text `copy … from stdin`
   * @param rows rows in PostgreSQL's text format
   */
  constructor(text: string, rows: string) {
    this.text = text
    this.#rows = Buffer.from(rows)
  }

  /** Number of written rows, when the connection is ready for the next statement. Rejects with the server's error. */
  get finished(): Promise<number> {
    return this.#finished.promise
  }

  submit(connection: object): void {
    send(connection, 'query', this.text)
  }

  handleCopyInResponse(connection: object): void {
    send(connection, 'sendCopyFromChunk', this.#rows)
    send(connection, 'endCopyFrom')
  }

  /** @param answer for example `COPY 250` */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = Number(text.split(' ')[1] ?? 0)
  }

  handleError(thrown: unknown): void {
    this.#finished.reject(thrown)
  }

  handleReadyForQuery(): void {
    this.#finished.resolve(this.#count)
  }
}

/** Limits of the pools. */
export interface PoolOptions {
  readonly searches: number
  /** Connections for writes. */
  readonly writers: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of a write in milliseconds. */
  readonly writeMs: number
  /** Time that a cancelled statement has to end before its connection is cut, in milliseconds; default: one second. */
  readonly cutMs?: number | undefined
}

/**
 * Purpose of a connection. `lookup` is a search whose statement has one plan: planning takes longer than running, so the plan is cached.
 */
export type Use = Purpose | 'lookup'

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
const preparedNames = new WeakMap<pg.ClientBase, Set<string>>()

/** A client of a pool, and what it is for. */
export interface Client {
  readonly client: pg.ClientBase
  readonly use: Use
  /** True when a pooler stands before the server. */
  readonly isPooled: boolean
  readonly server: Server
  /** Releases the client; a broken one is not reused. */
  giveBack(broken: boolean): void
}

class PostgresConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #names: Set<string>
  readonly #options: Client & Pick<PoolOptions, 'cutMs'>
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: Client & Pick<PoolOptions, 'cutMs'>) {
    this.#client = options.client
    this.#names = preparedNames.get(options.client) ?? new Set()
    preparedNames.set(options.client, this.#names)
    this.#options = options
  }

  run(statement: Statement): Promise<Answer> {
    const running = this.#follow(this.#ask(statement))
    this.#running = running
    return running
  }

  async limit(timeoutMs: number | undefined): Promise<void> {
    const text = timeoutMs === undefined ? 'reset statement_timeout' : `set statement_timeout = ${Math.ceil(timeoutMs)}`
    await this.#follow(this.#client.query(text))
  }

  stop(): Promise<void> {
    return stopStatement(this.#client, this.#running, this.#options.cutMs)
  }

  release(broken: boolean): void {
    this.#options.giveBack(broken || this.#names.size > namedStatements)
  }

  #follow<T>(running: Promise<T>): Promise<T> {
    return this.#options.server.follow(this.#client, running, this.#options.use === 'write')
  }

  async #ask({ name, text, values = [], copied, beginsSnapshot }: Statement): Promise<Answer> {
    if (copied !== undefined) return copyRows(this.#client, text, copied)
    if (beginsSnapshot) return askAfter(this.#client, `begin ${beginSnapshot}`, text)
    if (name !== undefined) this.#names.add(name)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values), name })
    return { rows, count: rowCount ?? 0 }
  }
}

/** Wraps a client by whether a pooler stands before the server. */
export function connectWith(given: Client, options: PoolOptions): Connection {
  const { client, use, isPooled, server, giveBack } = given
  if (!isPooled) return new PostgresConnection({ ...given, cutMs: options.cutMs })
  return new PooledConnection(client, {
    settings: sessionSettings[use],
    limitMs: getLimitMs(options, use),
    isReading: use !== 'write',
    follow: (running) => server.follow(client, running, use === 'write'),
    giveBack,
  })
}

const getLimitMs = (options: PoolOptions, use: Use): number => (use === 'write' ? options.writeMs : options.searchMs) + graceMs

/** Describes the sessions of a purpose. */
export function describeSessions(options: PoolOptions, use: Use, isPooled: boolean): SessionConfig {
  const limit = getLimitMs(options, use)
  const settings = { ...readCommitted, ...sessionSettings[use], statement_timeout: limit, idle_in_transaction_session_timeout: limit }
  return {
    application_name: `ferrule context ${use}`,
    types: decoders,
    isReading: use !== 'write',
    ...(isPooled ? {} : { settings }),
  }
}

const countConnections = ({ searches, writers }: PoolOptions): Readonly<Record<Use, number>> => ({
  search: searches,
  lookup: Math.min(searches, mostLookups),
  write: writers,
})

/** Creates the pool of a purpose. It connects when a client is asked for. */
export const createPool = (server: Server, options: PoolOptions, use: Use, isPooled: boolean): Pool =>
  server.createPool(countConnections(options)[use], describeSessions(options, use, isPooled))

interface PooledOptions {
  readonly settings: Readonly<Record<string, string>>
  /** Timeout of a statement on the server in milliseconds. */
  readonly limitMs: number
  /** Runs each statement in a reading transaction of its own. */
  readonly isReading: boolean
  /** Follows what the client is asked, see `Server.follow`. */
  follow<T>(running: Promise<T>): Promise<T>
  /** Releases the client; a broken one is not reused. */
  giveBack(broken: boolean): void
}

/** Repeats the settings in each transaction, and names no statement. Statements outside of transactions have the server's settings. */
class PooledConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #options: PooledOptions
  #limitMs: number
  #running: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #isBroken = false
  #isInSnapshot = false

  constructor(client: pg.ClientBase, options: PooledOptions) {
    this.#client = client
    this.#options = options
    this.#limitMs = options.limitMs
  }

  run(statement: Statement): Promise<Answer> {
    this.#isStopped = false
    const isApart = this.#options.isReading && !this.#isInSnapshot && statement.beginsSnapshot !== true
    const running = this.#options.follow(isApart ? this.#read(statement) : this.#ask(statement))
    this.#running = running
    return running
  }

  limit(timeoutMs: number | undefined): Promise<void> {
    this.#limitMs = timeoutMs ?? this.#options.limitMs
    return Promise.resolve()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return stopStatement(this.#client, this.#running)
  }

  release(broken: boolean): void {
    this.#options.giveBack(broken || this.#isBroken)
  }

  async #read(statement: Statement): Promise<Answer> {
    try {
      await this.#begin('isolation level read committed read only')
      // A cancellation finds nothing while the transaction waits for a session of the pooler.
      if (this.#isStopped) throw new Error('the statement was cancelled before its begin')
      const answer = await this.#ask(statement)
      await this.#client.query('commit')
      return answer
    } catch (thrown) {
      await this.#client.query('rollback').catch(() => {
        this.#isBroken = true
      })
      throw thrown
    }
  }

  async #ask({ text, values = [], copied, beginsSnapshot }: Statement): Promise<Answer> {
    if (text === 'begin') return this.#begin()
    if (beginsSnapshot) {
      this.#isInSnapshot = true // until the connection is released
      return askAfter(this.#client, this.#buildBegin(beginSnapshot), text)
    }
    if (copied !== undefined) return copyRows(this.#client, text, copied)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values) })
    return { rows, count: rowCount ?? 0 }
  }

  async #begin(mode?: 'isolation level read committed read only'): Promise<Answer> {
    await this.#client.query(this.#buildBegin(mode))
    return { rows: [], count: 0 }
  }

  #buildBegin(mode?: Parameters<typeof buildBegin>[1]): string {
    const limits = { statement_timeout: this.#limitMs, idle_in_transaction_session_timeout: this.#limitMs }
    return buildBegin({ ...this.#options.settings, ...limits }, mode)
  }
}
