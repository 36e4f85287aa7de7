/** PostgreSQL 15 or later as the context database: pools for searches, for lookups by key and for writes, and checks of encoding and collation. */

import { fail } from 'ferrule/internal'
import pg from 'pg'
import { searchSettings } from '../query/functions.ts'
import { copyRows } from './copy.ts'
import type { Answer, Connection, Engine, Run, Statement } from './database.ts'
import { decoders, encodeValues } from './decoding.ts'
import { Lane, type Purpose } from './lane.ts'
import { PooledConnection } from './pooled-connection.ts'
import { connectMs, hasPooler } from './pooler.ts'
import { isTimeout, isTransient, readErrorCode } from './problems.ts'
import { extensions, schemaMs } from './requirements.ts'

/** Options of the pools. */
export interface PostgresOptions {
  /** A `postgresql://` URL with its options (for example `sslmode`). */
  readonly url: string
  /** Connections for searches. */
  readonly searches: number
  /** Connections for writes. */
  readonly writers: number
  /** Maximum number of waiting searches, and of waiting writes. */
  readonly waiting: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of a write in milliseconds. */
  readonly writeMs: number
  /** Creates tables and functions, once, before anything else runs. */
  prepare(run: Run): Promise<void>
}

const idleMs = 60_000
/** Added to the server's own timeout, in milliseconds. It serves connections that lost their client; the service's timeout comes first. */
const graceMs = 5_000
/** Maximum number of named statements of a connection. A connection with more is replaced, which bounds the server's memory. */
const namedStatements = 600
/**
 * Purpose of a connection. `lookup` is a search whose statement has one plan: planning takes longer than running, so the plan is cached.
 */
type Use = Purpose | 'lookup'
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

interface Handling {
  /** Cancels the statement of a server process. */
  cancel(pid: unknown): Promise<void>
  /** Releases the client; a broken one is not reused. */
  giveBack(broken: boolean): void
}

class PostgresConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #names: Set<string>
  readonly #handling: Handling

  constructor(client: pg.ClientBase, handling: Handling) {
    this.#client = client
    this.#names = preparedNames.get(client) ?? new Set()
    preparedNames.set(client, this.#names)
    this.#handling = handling
  }

  async run({ name, text, values = [], copied }: Statement): Promise<Answer> {
    if (copied !== undefined) return copyRows(this.#client, text, copied)
    if (name !== undefined) this.#names.add(name)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values), ...(name === undefined ? {} : { name }) })
    return { rows, count: rowCount ?? 0 }
  }

  async limit(timeoutMs: number | undefined): Promise<void> {
    await this.#client.query(timeoutMs === undefined ? 'reset statement_timeout' : `set statement_timeout = ${Math.ceil(timeoutMs)}`)
  }

  stop(): Promise<void> {
    return this.#handling.cancel(Reflect.get(this.#client, 'processID')) // pg keeps the process id without declaring it
  }

  release(broken: boolean): void {
    this.#handling.giveBack(broken || this.#names.size > namedStatements)
  }
}

/** Pools of the server, once it is known whether a pooler stands before it. */
interface Opened {
  readonly pools: Readonly<Record<Use, pg.Pool>>
  readonly isPooled: boolean
}

/** Creates the engine. The first statement connects and checks the database. */
export function createPostgresEngine(options: PostgresOptions): Engine {
  const createLane = (slots: number) => new Lane({ slots, waiting: options.waiting, waitMs: options.writeMs })
  let opening: Promise<Opened> | undefined
  const open = (): Promise<Opened> => {
    opening ??= openPools(options).catch((thrown: unknown) => {
      opening = undefined
      throw thrown
    })
    return opening
  }
  return {
    name: 'postgres',
    lanes: { search: createLane(options.searches), write: createLane(options.writers) },
    limits: { search: options.searchMs, write: options.writeMs },
    connect: async (purpose, hasOnePlan = false) => {
      const opened = await open()
      const use = hasOnePlan ? 'lookup' : purpose
      const client = await opened.pools[use].connect()
      return connectWith({ client, use, giveBack: (broken) => client.release(broken) }, { ...opened, options })
    },
    connectApart: async () => {
      const opened = await open()
      const client = new pg.Client({ ...buildClientOptions(options, 'write', opened.isPooled), application_name: 'ferrule context upkeep' })
      client.on('error', () => undefined) // the running statement fails
      await client.connect()
      return connectWith({ client, use: 'write', giveBack: () => void client.end().catch(() => undefined) }, { ...opened, options })
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined)
      await Promise.all(Object.values(opened?.pools ?? {}).map((pool) => pool.end()))
    },
  }
}

/** Looks for a pooler, creates the pools and prepares the database. */
async function openPools(options: PostgresOptions): Promise<Opened> {
  const isPooled = await hasPooler(options.url).catch((thrown: unknown) => {
    throw translateRefusal(thrown)
  })
  const create = (use: Use) => createPool(options, use, isPooled)
  const pools = { search: create('search'), lookup: create('lookup'), write: create('write') }
  try {
    await checkDatabase({ pools, isPooled, options })
    return { pools, isPooled }
  } catch (thrown) {
    await Promise.all(Object.values(pools).map((pool) => pool.end()))
    throw thrown
  }
}

interface Opening extends Opened {
  readonly options: PostgresOptions
}

/** Wraps a client by whether a pooler stands before the server. */
function connectWith(
  { client, use, giveBack }: { readonly client: pg.ClientBase; readonly use: Use; giveBack(broken: boolean): void },
  { pools, isPooled, options }: Opening,
): Connection {
  const limitMs = getLimitMs(options, use)
  if (isPooled) return new PooledConnection(client, { settings: sessionSettings[use], limitMs, isReading: use !== 'write', giveBack })
  const cancel = async (pid: unknown): Promise<void> => {
    await pools.write.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined) // the server's own timeout ends the statement then
  }
  return new PostgresConnection(client, { cancel, giveBack })
}

const getLimitMs = (options: PostgresOptions, use: Use): number => (use === 'write' ? options.writeMs : options.searchMs) + graceMs

function buildClientOptions(options: PostgresOptions, purpose: Use, isPooled: boolean): pg.ClientConfig {
  const limit = getLimitMs(options, purpose)
  const session = {
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    options: buildStartupOptions(purpose),
  }
  return {
    connectionString: options.url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: `ferrule context ${purpose}`,
    types: decoders,
    ...(isPooled ? {} : session),
  }
}

const countConnections = ({ searches, writers }: PostgresOptions): Readonly<Record<Use, number>> => ({
  search: searches,
  lookup: Math.min(searches, mostLookups),
  write: writers + 1, // cancellations must not wait for a connection
})

function createPool(options: PostgresOptions, purpose: Use, isPooled: boolean): pg.Pool {
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

const urlSetting = 'CONTEXT_DATABASE_URL'
const recipe = "create database ferrule_context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'"

/** Requirements in the order of checking, with advice for each. */
const demands: readonly { readonly ask: string; readonly otherwise: string }[] = [
  {
    ask: "current_setting('server_version_num')::int >= 150000",
    otherwise: 'the server is older than PostgreSQL 15; use a newer one',
  },
  {
    ask: "current_setting('server_encoding') = 'UTF8'",
    otherwise: `the database does not hold UTF-8; make one with \`${recipe}\` and name it here`,
  },
  {
    ask: "'Z' < 'a' and lower('Ж') = 'ж'",
    otherwise: `the database sorts text or folds case by other rules than the context store needs; make one with \`${recipe}\` and name it here`,
  },
]
/** Checked after the extension is created. */
const trigrams = {
  ask: "cardinality(show_trgm('Привет')) > 0",
  otherwise: `the database takes letters beyond ASCII for no letters; make one with \`${recipe}\` and name it here`,
}

/**
 * Checks the database and prepares it.
 * @throws FerruleError `setting_invalid` with advice
 */
async function checkDatabase({ pools, isPooled, options }: Opening): Promise<void> {
  const client = await pools.write.connect()
  const giveBack = (broken: boolean): void => client.release(broken)
  const connection = connectWith({ client, use: 'write', giveBack }, { pools, isPooled, options })
  let broken = true
  try {
    for (const { ask, otherwise } of demands) {
      const { rows } = await client.query<{ holds: boolean }>(`select ${ask} as holds`)
      if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: urlSetting, reason: otherwise })
    }
    for (const name of extensions) await createExtension(client, name)
    const { rows } = await client.query<{ holds: boolean }>(`select ${trigrams.ask} as holds`)
    if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: urlSetting, reason: trigrams.otherwise })
    await connection.limit(schemaMs)
    await options.prepare((statement) =>
      connection.run(statement).catch((thrown: unknown) => {
        throw translatePreparation(thrown)
      }),
    )
    await connection.limit(undefined)
    broken = false
  } finally {
    connection.release(broken)
  }
}

/** Translates the refusal of a connection: unknown database, user or password. PostgreSQL's message contains no password. */
function translateRefusal(thrown: unknown): unknown {
  if (!/^(28|3D)/.test(readErrorCode(thrown)) || !(thrown instanceof Error)) return thrown
  return fail('setting_invalid', { name: urlSetting, reason: `the server says: ${thrown.message}` }, { cause: thrown })
}

/** Translates an error of creating the store's own tables and functions, for example a missing module. */
function translatePreparation(thrown: unknown): unknown {
  if (!(thrown instanceof pg.DatabaseError) || isTransient(thrown) || isTimeout(thrown)) return thrown
  return fail(
    'setting_invalid',
    { name: urlSetting, reason: `the server cannot be prepared and says: ${thrown.message}` },
    { cause: thrown },
  )
}

/** Creates an extension. Two nodes that do so at the same time conflict in the catalogue; the extension then exists. */
async function createExtension(client: pg.PoolClient, name: string): Promise<void> {
  try {
    await client.query(`create extension if not exists ${name}`)
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === '23505' || code === '42710') return
    const reason = `the extension ${name} is missing; let an administrator run \`create extension ${name}\` in this database (it is one of PostgreSQL's contrib modules)`
    throw ['42501', '0A000', '58P01'].includes(code) ? fail('setting_invalid', { name: urlSetting, reason }, { cause: thrown }) : thrown
  }
}
