/** A service over a primary with a streaming standby, reached over lines that lead elsewhere: for failovers and read-only episodes. */
import { expect } from 'vitest'
import { sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { startService } from '../../packages/server/src/index.ts'
import { ask } from '../faults/client.ts'
import { clientOf, settingsFor } from '../faults/node.ts'
import { makeFolder } from './folder.ts'
import { type Line, openLine } from './line.ts'
import { runSql } from './postgres.ts'
import { type Replication, startReplication } from './replication.ts'

/** What a test waits for at most, in milliseconds: ten times what it needs alone. */
const patience = { timeout: 120_000, interval: 50 } as const
const recipe = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'"
const databases = ['state', 'copy'] as const

/** Something that happens to the databases. */
export interface Episode {
  readonly name: string
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

/** What clients saw in an episode. */
export interface Seen {
  /** Statuses of all calls. */
  readonly statuses: ReadonlySet<number>
  /** Milliseconds from the end of the episode until every call worked. */
  readonly recoveredMs: number
  /** Connectors whose creation was acknowledged, and which the database lacks. */
  readonly lost: readonly string[]
}

/** A service and what can happen to its databases. */
export interface FailoverWorld extends AsyncDisposable {
  readonly episodes: readonly Episode[]
  /** URL of the state's database that names the standby before the primary. */
  readonly standbyFirst: string
  /** Runs an episode until readiness and calls have noticed it, while a client creates connectors. */
  survive(episode: Episode): Promise<Seen>
}

const named = (url: string, database: string): string => {
  const own = new URL(url)
  own.pathname = `/${database}`
  return own.href
}

/** Lists what can happen. The way back never cuts connections that the episode left behind. */
function listEpisodes({ primary, replicas: [standby = ''] }: Replication, lines: readonly Line[]): readonly Episode[] {
  const each = (act: (line: Line, database: string) => void) => () => {
    for (const [index, line] of lines.entries()) act(line, databases[index] ?? '')
  }
  const home = each((line, database) => line.lead(named(primary, database)))
  const writable = 'set default_transaction_read_only = off'
  const others = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($${state,copy}$$)'
  const setEach = (what: string) => databases.map((database) => `alter database ${database} ${what}`)
  return [
    {
      name: 'a failover that cuts connections and leads to the standby',
      begin: each((line, database) => {
        line.lead(named(standby, database))
        line.cut()
      }),
      end: home,
    },
    {
      name: 'a failover that leaves connections without an answer',
      begin: each((line, database) => {
        line.silence()
        line.lead(named(standby, database))
        line.resume({ open: 'silent' })
      }),
      end: home,
    },
    {
      name: 'a server that falls silent',
      begin: each((line) => line.silence()),
      end: each((line) => line.resume({ open: 'silent' })),
    },
    {
      name: 'a server that is set to read-only',
      begin: () => runSql(primary, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
      end: () => runSql(primary, writable, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()'),
    },
    {
      name: 'databases whose new sessions are read-only',
      begin: () => runSql(primary, ...setEach('set default_transaction_read_only = on'), others),
      end: () => runSql(primary, writable, ...setEach('reset default_transaction_read_only')),
    },
  ]
}

/** Starts the servers, with two databases and a line to each. */
async function startDatabases(undo: AsyncDisposableStack) {
  const servers = await startReplication(1)
  undo.defer(() => servers.stop())
  await runSql(servers.primary, ...databases.map((name) => `create database ${name} ${recipe}`))
  const lines = await Promise.all(databases.map((name) => openLine(named(servers.primary, name))))
  for (const line of lines) undo.defer(() => line.close())
  return { servers, lines }
}

/** Lists the names of connectors that are stored. */
async function listStored(url: string): Promise<ReadonlySet<unknown>> {
  return new Set((await runSql(url, 'select name from connectors')).map(({ name }) => name))
}

/** Starts everything, with a connector whose records can be searched. */
export async function startFailoverWorld(): Promise<FailoverWorld> {
  await using undo = new AsyncDisposableStack()
  const folder = makeFolder('failover', (remove) => undo.defer(remove))
  const { servers, lines } = await startDatabases(undo)
  const sandbox = undo.use(await startSandbox())
  const service = await startService({
    ...settingsFor(sandbox, folder),
    DATABASE_URL: lines[0]?.url ?? '',
    CONTEXT_DATABASE_URL: lines[1]?.url ?? '',
    FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FERRULE_LOG_LEVEL: 'silent',
  })
  undo.defer(() => service.close())
  const credentials = { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret }
  const id = await (await clientOf(service)).connect('first', credentials)
  let made = 0
  const survive = async (episode: Episode): Promise<Seen> => {
    const { token } = (await clientOf(service)).execute(id)
    const connectors = `${service.url}/api/v1/integrations/connectors`
    const statuses = new Set<number>()
    const acknowledged: string[] = []
    const call = async (url: string, body?: object): Promise<number> => {
      const { status } = await ask({ url, token, ...(body === undefined ? {} : { body }) })
      statuses.add(status)
      return status
    }
    const create = async (): Promise<number> => {
      made += 1
      const name = `made ${made}`
      const status = await call(connectors, { workspace_name: 'default', check: false, connector_type: 'gong', name, credentials })
      if (status < 300) acknowledged.push(name)
      return status
    }
    const execute = (more: object) => call(`${connectors}/${id}/execute`, { entity: 'users', ...more })
    const calls = {
      ready: async () => (await ask({ url: `${service.url}/health/ready` })).status,
      create,
      read: () => call(`${connectors}/${id}`),
      list: () => execute({ action: 'list' }),
      search: () => execute({ action: 'context_store_search', params: { query: { filter: {} } } }),
    }
    const works = (status: number): boolean => status < 300
    const untilEachWorks = () =>
      Promise.all(Object.values(calls).map((each) => expect.poll(async () => works(await each()), patience).toBe(true)))
    await untilEachWorks()
    await episode.begin()
    await expect.poll(calls.ready, patience).toBe(503)
    await expect.poll(create, patience).toBe(503)
    await Promise.all(Array.from({ length: 12 }, create)) // more than the pool holds
    expect(await calls.ready()).toBe(503)
    await episode.end()
    const ended = performance.now()
    await untilEachWorks()
    const recoveredMs = performance.now() - ended
    const stored = await listStored(named(servers.primary, 'state'))
    statuses.delete(409) // the copy is not there before its first sync
    return { statuses, recoveredMs, lost: acknowledged.filter((name) => !stored.has(name)) }
  }
  const kept = undo.move()
  const { host } = new URL(servers.primary)
  const standbyFirst = named(servers.replicas[0] ?? '', databases[0]).replace(/(:\d+)\//, `$1,${host}/`)
  return { episodes: listEpisodes(servers, lines), standbyFirst, survive, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
