/** PostgreSQL 15 and newer as the context database: a pool for searches, a pool for writes, and a look at the database's rules of text. */
import pg from 'pg'
import { fail } from '../../errors.ts'
import { searchSettings } from '../query/functions.ts'
import type { Answer, Connection, Engine, Run, Statement } from './database.ts'
import { bound, decoders } from './decoding.ts'
import { Lane, type Purpose } from './lane.ts'
import { isPassing, isTimeout } from './problems.ts'
import { extensions } from './requirements.ts'

/** How the pools are made. */
export interface PostgresOptions {
  /** A `postgresql://` URL with its options (for example `sslmode`). */
  readonly url: string
  /** Connections for searches. */
  readonly searches: number
  /** Connections for writes. */
  readonly writers: number
  /** Searches, and writes, that may wait. */
  readonly waiting: number
  /** Milliseconds until a search is stopped. */
  readonly searchMs: number
  /** Milliseconds until a write is stopped. */
  readonly writeMs: number
  /** Makes what the store needs, once, before anything else runs. */
  prepare(run: Run): Promise<void>
}

const connectMs = 5_000
const idleMs = 60_000
/** The server's own limit, for connections that lost their client; ours comes first. Milliseconds. */
const graceMs = 5_000
/** A new index over a large table, after an update of the service. Milliseconds. */
const schemaMs = 600_000
/** Named statements of a connection; one that has more is replaced, so that the server's memory stays bounded. */
const namedStatements = 600
/**
 * Reads come from memory, and sorts get some of it. Writes are planned anew too: a plan that was kept from the first batches reads
 * whole partitions, because they were empty then.
 */
const settings: Readonly<Record<Purpose, Readonly<Record<string, string>>>> = {
  search: { ...searchSettings, random_page_cost: '1.1', work_mem: '32MB', default_transaction_read_only: 'on' },
  write: { ...searchSettings, random_page_cost: '1.1' },
}
const optionsOf = (purpose: Purpose): string =>
  Object.entries(settings[purpose])
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Names that a client has prepared. */
const prepared = new WeakMap<pg.ClientBase, Set<string>>()

interface Handling {
  /** Stops the statement of a process of the server. */
  cancel(pid: unknown): Promise<void>
  /** Takes the client back; a broken one is not used again. */
  giveBack(broken: boolean): void
}

class PostgresConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #names: Set<string>
  readonly #handling: Handling

  constructor(client: pg.ClientBase, handling: Handling) {
    this.#client = client
    this.#names = prepared.get(client) ?? new Set()
    prepared.set(client, this.#names)
    this.#handling = handling
  }

  async run({ name, text, values = [] }: Statement): Promise<Answer> {
    if (name !== undefined) this.#names.add(name)
    const { rows, rowCount } = await this.#client.query({ text, values: bound(values), ...(name === undefined ? {} : { name }) })
    return { rows, count: rowCount ?? 0 }
  }

  stop(): Promise<void> {
    return this.#handling.cancel(Reflect.get(this.#client, 'processID')) // pg keeps it but does not declare it
  }

  release(broken: boolean): void {
    this.#handling.giveBack(broken || this.#names.size > namedStatements)
  }
}

/** Opens the pools; the first statement connects and looks at the database. */
export function postgresEngine(options: PostgresOptions): Engine {
  const pools = { search: poolOf(options, 'search'), write: poolOf(options, 'write') }
  const laneOf = (slots: number) => new Lane({ slots, waiting: options.waiting, waitMs: options.writeMs })
  const cancel = async (pid: unknown): Promise<void> => {
    await pools.write.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined) // the server's own limit ends it then
  }
  let prepared: Promise<void> | undefined
  const prepare = (): Promise<void> => {
    prepared ??= check(pools.write, options).catch((thrown: unknown) => {
      prepared = undefined
      throw thrown
    })
    return prepared
  }
  return {
    name: 'postgres',
    lanes: { search: laneOf(options.searches), write: laneOf(options.writers) },
    limits: { search: options.searchMs, write: options.writeMs },
    connect: async (purpose) => {
      await prepare()
      const client = await pools[purpose].connect()
      return new PostgresConnection(client, { cancel, giveBack: (broken) => client.release(broken) })
    },
    connectApart: async () => {
      await prepare()
      const client = new pg.Client({ ...clientOptions(options, 'write'), application_name: 'ferrule context upkeep' })
      client.on('error', () => undefined) // the statement that runs fails
      await client.connect()
      return new PostgresConnection(client, { cancel, giveBack: () => void client.end().catch(() => undefined) })
    },
    close: async () => {
      await Promise.all([pools.search.end(), pools.write.end()])
    },
  }
}

function clientOptions(options: PostgresOptions, purpose: Purpose): pg.ClientConfig {
  const limit = (purpose === 'search' ? options.searchMs : options.writeMs) + graceMs
  return {
    connectionString: options.url,
    connectionTimeoutMillis: connectMs,
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    keepAlive: true,
    application_name: `ferrule context ${purpose}`,
    options: optionsOf(purpose),
    types: decoders,
  }
}

function poolOf(options: PostgresOptions, purpose: Purpose): pg.Pool {
  const pool = new pg.Pool({
    ...clientOptions(options, purpose),
    // One more for writes: requests to stop a statement must not wait for a turn.
    max: purpose === 'search' ? options.searches : options.writers + 1,
    idleTimeoutMillis: idleMs,
  })
  // A connection that breaks is replaced by the pool, and its statement fails. Without listeners it would end the process too.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const setting = 'CONTEXT_DATABASE_URL'
const recipe = "create database ferrule_context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'"

/** What must hold, in the order of the questions, and what to do when it does not. */
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
/** Asked when the extension is there. */
const trigrams = {
  ask: "cardinality(show_trgm('Привет')) > 0",
  otherwise: `the database takes letters beyond ASCII for no letters; make one with \`${recipe}\` and name it here`,
}

/** @throws FerruleError `setting_invalid`, a sentence that says what to do */
async function check(pool: pg.Pool, { prepare }: PostgresOptions): Promise<void> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw refused(thrown)
  })
  let broken = true
  try {
    for (const { ask, otherwise } of demands) {
      const { rows } = await client.query<{ holds: boolean }>(`select ${ask} as holds`)
      if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: setting, reason: otherwise })
    }
    for (const name of extensions) await extend(client, name)
    const { rows } = await client.query<{ holds: boolean }>(`select ${trigrams.ask} as holds`)
    if (rows[0]?.holds !== true) throw fail('setting_invalid', { name: setting, reason: trigrams.otherwise })
    await client.query(`set statement_timeout = ${schemaMs}`)
    await prepare(async ({ text, values = [] }) => {
      const answer = await client.query({ text, values: bound(values) }).catch((thrown: unknown) => {
        throw unprepared(thrown)
      })
      return { rows: answer.rows, count: answer.rowCount ?? 0 }
    })
    await client.query('reset statement_timeout')
    broken = false
  } finally {
    client.release(broken)
  }
}

const codeOf = (thrown: unknown): string => (typeof thrown === 'object' && thrown !== null ? String(Reflect.get(thrown, 'code') ?? '') : '')

/** A server that answers but does not let us in: no such database, user or password. Its sentence names no password. */
function refused(thrown: unknown): unknown {
  if (!/^(28|3D)/.test(codeOf(thrown)) || !(thrown instanceof Error)) return thrown
  return fail('setting_invalid', { name: setting, reason: `the server says: ${thrown.message}` }, { cause: thrown })
}

/** What the server cannot do with the store's own tables and functions, in its own words: a language or module that cannot be loaded, for example. */
function unprepared(thrown: unknown): unknown {
  if (!(thrown instanceof pg.DatabaseError) || isPassing(thrown) || isTimeout(thrown)) return thrown
  return fail('setting_invalid', { name: setting, reason: `the server cannot be prepared and says: ${thrown.message}` }, { cause: thrown })
}

/** Two nodes that create an extension at one time meet in the catalogue; then it is there. */
async function extend(client: pg.PoolClient, name: string): Promise<void> {
  try {
    await client.query(`create extension if not exists ${name}`)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === '23505' || code === '42710') return
    const reason = `the extension ${name} is missing; let an administrator run \`create extension ${name}\` in this database (it is one of PostgreSQL's contrib modules)`
    throw ['42501', '0A000', '58P01'].includes(code) ? fail('setting_invalid', { name: setting, reason }, { cause: thrown }) : thrown
  }
}
