/** PostgreSQL 15 or later as the context database: pools for searches, for lookups by key and for writes, and checks of encoding and collation. */
import { fail } from 'ferrule/internal'
import pg from 'pg'
import { type Pool, Server, type ServerOptions } from '../../../db/connections/database-server.ts'
import { explainRights, isClusterFault, isServerFault, isTimeout, readErrorCode } from '../../../db/connections/problems.ts'
import { connectWith, createPool, describeSessions, type PoolOptions, type Use } from './client-pools.ts'
import { type Connection, type Engine, Lane, type RunStatement } from './database.ts'
import { unavailable } from './problems.ts'
import { extensions, schemaMs } from './requirements.ts'

/** Options of the engine. */
export interface PostgresOptions extends PoolOptions, Pick<ServerOptions, 'url' | 'password'> {
  /** Maximum number of waiting searches, and of waiting writes. */
  readonly waiting: number
  /** Creates tables and functions, once, before anything else runs. */
  prepare(run: RunStatement): Promise<void>
}

/** Pools of the server, once it is known whether a pooler stands before it. */
interface ServerPools {
  readonly pools: Readonly<Record<Use, Pool>>
  readonly isPooled: boolean
}

/** Creates the engine. The first statement connects and checks the database. */
export function createPostgresEngine(options: PostgresOptions): Engine {
  const createLane = (slots: number) => new Lane({ slots, waiting: options.waiting, waitMs: options.writeMs })
  const server = new Server({ url: options.url, password: options.password, setting: urlSetting })
  let opening: Promise<ServerPools> | undefined
  const open = (): Promise<ServerPools> => {
    opening ??= openPools(server, options).catch((thrown: unknown) => {
      opening = undefined
      throw thrown
    })
    return opening
  }
  return {
    name: 'postgres',
    lanes: { search: createLane(options.searches), write: createLane(options.writers) },
    limits: { search: options.searchMs, write: options.writeMs },
    connect: async (purpose, hasOnePlan = false) => connectPool({ ...(await open()), server, options }, hasOnePlan ? 'lookup' : purpose),
    connectApart: async () => {
      const { isPooled } = await open()
      const sessions = describeSessions(options, 'write', isPooled)
      const client = await server.connectApart({ ...sessions, application_name: 'ferrule context upkeep' })
      return connectWith({ client, use: 'write', isPooled, server, giveBack: () => client.socket.destroy() }, options)
    },
    ready: () =>
      server.look().catch((thrown: unknown) => {
        throw unavailable(thrown)
      }),
    close: async () => {
      const opened = await opening?.catch(() => undefined)
      await Promise.all(Object.values(opened?.pools ?? {}).map((pool) => pool.end()))
      server.close()
    },
  }
}

/** Looks for a pooler, creates the pools and prepares the database. */
async function openPools(server: Server, options: PostgresOptions): Promise<ServerPools> {
  const isPooled = await server.greet()
  const create = (use: Use) => createPool(server, options, use, isPooled)
  const pools = { search: create('search'), lookup: create('lookup'), write: create('write') }
  try {
    await checkDatabase({ pools, isPooled, server, options })
    return { pools, isPooled }
  } catch (thrown) {
    await Promise.all(Object.values(pools).map((pool) => pool.end()))
    throw thrown
  }
}

interface Opening extends ServerPools {
  readonly server: Server
  readonly options: PostgresOptions
}

async function connectPool({ pools, isPooled, server, options }: Opening, use: Use): Promise<Connection> {
  const client = await pools[use].connect()
  return connectWith({ client, use, isPooled, server, giveBack: (broken) => server.release(client, broken) }, options)
}

const urlSetting = 'CONTEXT_DATABASE_URL'
const recipe = "create database ferrule_context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'"

/** Requirements in the order of checking, with advice for each. */
const demands: readonly Demand[] = [
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
const trigrams: Demand = {
  ask: "cardinality(show_trgm('Привет')) > 0",
  otherwise: `the database takes letters beyond ASCII for no letters; make one with \`${recipe}\` and name it here`,
}

async function checkDatabase(opening: Opening): Promise<void> {
  const connection = await connectPool(opening, 'write')
  const run: RunStatement = (statement) => connection.run(statement)
  let broken = true
  try {
    for (const demand of demands) await check(run, demand)
    for (const name of extensions) await createExtension(run, name)
    await checkExtensions(run)
    await check(run, trigrams)
    await connection.limit(schemaMs)
    await opening.options.prepare((statement) =>
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

interface Demand {
  readonly ask: string
  readonly otherwise: string
}

async function check(run: RunStatement, { ask, otherwise }: Demand): Promise<void> {
  const { rows } = await run({ text: `select ${ask} as holds` })
  if (rows[0]?.['holds'] !== true) throw fail('setting_invalid', { name: urlSetting, reason: otherwise })
}

/** Checks that the functions of the extensions are found without the name of their schema. */
async function checkExtensions(run: RunStatement): Promise<void> {
  const text = `select e.extname as name, n.nspname as schema, current_user as role from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = any($1) and n.nspname <> all(current_schemas(true)::text[])`
  const [hidden] = (await run({ text, values: [extensions] })).rows
  if (hidden === undefined) return
  const { name, schema, role } = hidden
  const remedy = `let an administrator run \`grant usage on schema "${schema}" to "${role}"\` and \`alter role "${role}" set search_path = public, "${schema}"\`, or \`alter extension ${name} set schema public\``
  const reason = `the extension ${name} is in the schema ${schema}, where sessions of this user do not look; ${remedy}`
  throw fail('setting_invalid', { name: urlSetting, reason })
}

/** Translates an error of creating the store's own tables and functions, for example a missing module. */
function translatePreparation(thrown: unknown): unknown {
  if (!(thrown instanceof pg.DatabaseError) || isServerFault(thrown) || isClusterFault(thrown) || isTimeout(thrown)) return thrown
  return fail(
    'setting_invalid',
    { name: urlSetting, reason: explainRights(thrown) ?? `the server cannot be prepared and says: ${thrown.message}` },
    { cause: thrown },
  )
}

/** Creates an extension. Two nodes that do so at the same time conflict in the catalogue; the extension then exists. */
async function createExtension(run: RunStatement, name: string): Promise<void> {
  try {
    await run({ text: `create extension if not exists ${name}` })
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === '23505' || code === '42710') return
    const reason = `the extension ${name} is missing; let an administrator run \`create extension ${name}\` in this database (it is one of PostgreSQL's contrib modules)`
    throw ['42501', '0A000', '58P01'].includes(code) ? fail('setting_invalid', { name: urlSetting, reason }, { cause: thrown }) : thrown
  }
}
