// A process of its own that owns a primary and its streaming replicas, and ends them when its standard input ends. The argument is the JSON
// of `PostgresBinaries`. Each line of standard input is a command, and each gets a line of standard output: JSON, with `error` for a failure.
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PostgresBinaries } from './postgres-binaries.ts'
import {
  copyData,
  initialise,
  makeHome,
  type RunningServer,
  removeHome,
  startServer,
  stopServer,
  writeDataFile,
} from './postgres-server.ts'

/** A command on a server: 0 is the primary, replicas follow. */
interface Command {
  readonly server: number
  readonly what: 'start' | 'kill'
}

/** A server and its data folder. */
interface Member {
  readonly data: string
  running: RunningServer
}

const settings = [
  'wal_keep_size=1GB',
  'max_wal_senders=20',
  'wal_receiver_status_interval=1',
  'max_standby_streaming_delay=0',
  'autovacuum=off',
]
// The arguments are what `replication.ts` writes.
const binaries: PostgresBinaries = JSON.parse(process.argv[2] ?? '')
const home = makeHome(binaries)
const members: Member[] = []

/** Starts a primary and replicas, which begin with a copy of the empty primary: npm's PostgreSQL has no `pg_basebackup`. */
async function begin(replicas: number): Promise<readonly string[]> {
  const data = initialise(home, 'primary')
  const copies = Array.from({ length: replicas }, (_, index) => copyData(home, data, `replica-${index + 1}`))
  const primary = { data, running: await startServer(home, data, { settings }) }
  members.push(primary)
  const source = `host=127.0.0.1 port=${primary.running.port} user=postgres password=${home.password}`
  for (const copy of copies) {
    writeDataFile(home, join(copy, 'standby.signal'), '')
    writeDataFile(home, join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    members.push({ data: copy, running: await startServer(home, copy, { settings }) })
  }
  return members.map(({ running: { port } }) => `postgresql://postgres:${home.password}@127.0.0.1:${port}/postgres`)
}

async function obey({ server, what }: Command): Promise<object> {
  const member = members[server]
  if (member === undefined) throw new Error(`there is no server ${server}`)
  if (what === 'kill') await stopServer(member.running)
  else member.running = await startServer(home, member.data, { port: member.running.port, settings })
  return {}
}

const say = (what: object): void => console.log(JSON.stringify(what))
const sayError = (error: unknown): void => say({ error: error instanceof Error ? error.message : String(error) })

try {
  process.on('SIGINT', () => undefined).on('SIGTERM', () => process.stdin.destroy())
  say({ urls: await begin(Number(process.argv[3])) })
  for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line)).then(say, sayError)
} catch (error) {
  sayError(error)
} finally {
  for (const { running } of members.reverse()) await stopServer(running)
  removeHome(home)
}
process.exit()
