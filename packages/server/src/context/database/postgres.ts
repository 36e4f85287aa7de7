/** PostgreSQL 15 or later as the context database: pools for searches, for lookups by key and for writes, and checks of encoding and collation. */

import { fail } from 'ferrule/internal'
import pg from 'pg'
import { buildClientOptions, type Client, connectWith, createPool, type PoolOptions, type Use } from './client-pools.ts'
import type { Connection, Engine, Run } from './database.ts'
import { Lane } from './lane.ts'
import { hasPooler } from './pooler.ts'
import { isTimeout, isTransient, readErrorCode } from './problems.ts'
import { extensions, schemaMs } from './requirements.ts'

/** Options of the engine. */
export interface PostgresOptions extends PoolOptions {
  /** Maximum number of waiting searches, and of waiting writes. */
  readonly waiting: number
  /** Creates tables and functions, once, before anything else runs. */
  prepare(run: Run): Promise<void>
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
      return wrapClient({ client, use, giveBack: (broken) => client.release(broken) }, { ...opened, options })
    },
    connectApart: async () => {
      const opened = await open()
      const client = new pg.Client({ ...buildClientOptions(options, 'write', opened.isPooled), application_name: 'ferrule context upkeep' })
      client.on('error', () => undefined) // the running statement fails
      await client.connect()
      return wrapClient({ client, use: 'write', giveBack: () => void client.end().catch(() => undefined) }, { ...opened, options })
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

/** Wraps a client whose statements are cancelled through the pool for writes. */
const wrapClient = (given: Pick<Client, 'client' | 'use' | 'giveBack'>, { pools, isPooled, options }: Opening): Connection =>
  connectWith({ ...given, isPooled, cancel: (client) => cancelStatement(pools.write, client) }, options)

async function cancelStatement(pool: pg.Pool, client: pg.ClientBase): Promise<void> {
  const pid: unknown = Reflect.get(client, 'processID') // pg keeps the process id without declaring it
  await pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined) // the server's own timeout ends the statement then
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
  const connection = wrapClient({ client, use: 'write', giveBack }, { pools, isPooled, options })
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
