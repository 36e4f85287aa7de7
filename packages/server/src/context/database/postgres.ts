/** PostgreSQL 15 or later as the context database: pools for searches, for lookups by key and for writes, and checks of encoding and collation. */

import { fail } from 'ferrule/internal'
import pg from 'pg'
import { searchSettings } from '../query/functions.ts'
import type { Answer, Connection, Engine, Run, Statement } from './database.ts'
import { decoders, encodeValues } from './decoding.ts'
import { Lane, type Purpose } from './lane.ts'
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

const connectMs = 5_000
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

  async run({ name, text, values = [] }: Statement): Promise<Answer> {
    if (name !== undefined) this.#names.add(name)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values), ...(name === undefined ? {} : { name }) })
    return { rows, count: rowCount ?? 0 }
  }

  stop(): Promise<void> {
    return this.#handling.cancel(Reflect.get(this.#client, 'processID')) // pg keeps the process id without declaring it
  }

  release(broken: boolean): void {
    this.#handling.giveBack(broken || this.#names.size > namedStatements)
  }
}

/** Creates the pools. The first statement connects and checks the database. */
export function createPostgresEngine(options: PostgresOptions): Engine {
  const pools = { search: createPool(options, 'search'), lookup: createPool(options, 'lookup'), write: createPool(options, 'write') }
  const createLane = (slots: number) => new Lane({ slots, waiting: options.waiting, waitMs: options.writeMs })
  const cancel = async (pid: unknown): Promise<void> => {
    await pools.write.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined) // the server's own timeout ends the statement then
  }
  let preparation: Promise<void> | undefined
  const prepare = (): Promise<void> => {
    preparation ??= checkDatabase(pools.write, options).catch((thrown: unknown) => {
      preparation = undefined
      throw thrown
    })
    return preparation
  }
  return {
    name: 'postgres',
    lanes: { search: createLane(options.searches), write: createLane(options.writers) },
    limits: { search: options.searchMs, write: options.writeMs },
    connect: async (purpose, hasOnePlan = false) => {
      await prepare()
      const client = await pools[hasOnePlan ? 'lookup' : purpose].connect()
      return new PostgresConnection(client, { cancel, giveBack: (broken) => client.release(broken) })
    },
    connectApart: async () => {
      await prepare()
      const client = new pg.Client({ ...buildClientOptions(options, 'write'), application_name: 'ferrule context upkeep' })
      client.on('error', () => undefined) // the running statement fails
      await client.connect()
      return new PostgresConnection(client, { cancel, giveBack: () => void client.end().catch(() => undefined) })
    },
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

function buildClientOptions(options: PostgresOptions, purpose: Use): pg.ClientConfig {
  const limit = (purpose === 'write' ? options.writeMs : options.searchMs) + graceMs
  return {
    connectionString: options.url,
    connectionTimeoutMillis: connectMs,
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    keepAlive: true,
    application_name: `ferrule context ${purpose}`,
    options: buildStartupOptions(purpose),
    types: decoders,
  }
}

const countConnections = ({ searches, writers }: PostgresOptions): Readonly<Record<Use, number>> => ({
  search: searches,
  lookup: Math.min(searches, mostLookups),
  write: writers + 1, // cancellations must not wait for a connection
})

function createPool(options: PostgresOptions, purpose: Use): pg.Pool {
  const pool = new pg.Pool({
    ...buildClientOptions(options, purpose),
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
async function checkDatabase(pool: pg.Pool, { prepare }: PostgresOptions): Promise<void> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw translateRefusal(thrown)
  })
  let broken = true
  try {
    for (const { ask, otherwise } of demands) {
      const { rows } = await client.query<{ holds: boolean }>(`select ${ask} as holds`)
      if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: urlSetting, reason: otherwise })
    }
    for (const name of extensions) await createExtension(client, name)
    const { rows } = await client.query<{ holds: boolean }>(`select ${trigrams.ask} as holds`)
    if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: urlSetting, reason: trigrams.otherwise })
    await client.query(`set statement_timeout = ${schemaMs}`)
    await prepare(async ({ text, values = [] }) => {
      const answer = await client.query({ text, values: encodeValues(values) }).catch((thrown: unknown) => {
        throw translatePreparation(thrown)
      })
      return { rows: answer.rows, count: answer.rowCount ?? 0 }
    })
    await client.query('reset statement_timeout')
    broken = false
  } finally {
    client.release(broken)
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
