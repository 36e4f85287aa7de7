// Throw-away PostgreSQL servers below one folder, run by an account that may run them. For processes that end their servers themselves.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findFreePort } from './listen.ts'
import { findMemoryFolder } from './memory-folder.ts'
import { type PostgresBinaries, program } from './postgres-binaries.ts'

/** What a spawned program needs to run as somebody else than root. */
interface Account {
  readonly uid?: number
  readonly gid?: number
}

/** Where servers live: a folder, programs, and the superuser's password. */
export interface ServerHome {
  readonly account: Account
  readonly folder: string
  readonly binaries: PostgresBinaries
  readonly password: string
}

/** A running server. */
export interface RunningServer {
  readonly process: ChildProcess
  readonly port: number
}

/** Attempts at a free port: another process can take it between our look and the server's start. */
const PORT_ATTEMPTS = 5
const START_TIMEOUT_MS = 240_000
const STOP_TIMEOUT_MS = 10_000

// Server messages in English, because readiness is read from them; the caller's PG* settings must not leak in.
const env = Object.fromEntries(Object.entries({ ...process.env, LC_ALL: 'C', TZ: 'UTC' }).filter(([name]) => !name.startsWith('PG')))

/** Makes a folder for servers. Root's own temporary folder may be closed to the account that the servers run as. */
export function makeHome(binaries: PostgresBinaries, onDisk = false): ServerHome {
  const account = unprivileged()
  const shared = (onDisk ? undefined : findMemoryFolder()) ?? '/tmp'
  const folder = mkdtempSync(join(account.uid === undefined ? tmpdir() : shared, 'ferrule-postgres-'))
  giveAway(account, folder)
  const home = { account, folder, password: randomBytes(12).toString('hex') }
  return { ...home, binaries: reachable(binaries, home) }
}

/** Removes everything of a home, whose servers are stopped. */
export const removeHome = ({ folder }: Pick<ServerHome, 'folder'>): void => rmSync(folder, { recursive: true, force: true })

/** PostgreSQL refuses to run as root: then the account `postgres`, or `nobody`, runs it. */
function unprivileged(): Account {
  if (process.getuid?.() !== 0) return {}
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres:', 'nobody:'].map((name) => accounts.find((entry) => entry.startsWith(name))).find((entry) => entry)
  const [, , uid, gid] = (line ?? '').split(':').map(Number)
  if (!uid || !gid) throw new Error('PostgreSQL does not run as root, and there is no account postgres or nobody to run it as.')
  return { uid, gid }
}

function giveAway({ uid, gid }: Account, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** Where the account cannot reach the programs (a checkout below /root), it gets a copy of the embedded ones. */
function reachable(binaries: PostgresBinaries, { account, folder }: Pick<ServerHome, 'account' | 'folder'>): PostgresBinaries {
  const works = spawnSync(program(binaries, 'initdb'), ['--version'], { ...account, cwd: '/' }).status === 0
  if (works || binaries.from === 'machine' || account.uid === undefined) return binaries
  const copy = join(folder, 'native')
  cpSync(dirname(binaries.folder), copy, { recursive: true, verbatimSymlinks: true })
  spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, copy])
  return { ...binaries, folder: join(copy, 'bin') }
}

/** Makes an empty cluster. @returns its data folder */
export function initialise({ account, folder, binaries, password }: ServerHome, name: string): string {
  const data = join(folder, name)
  const file = join(folder, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  giveAway(account, file)
  // --no-sync concerns the empty cluster only; the server itself syncs as in production.
  const options = ['--username=postgres', `--pwfile=${file}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
  const done = spawnSync(program(binaries, 'initdb'), ['-D', data, ...options], { ...account, cwd: folder, env, encoding: 'utf8' })
  rmSync(file)
  if (done.status !== 0) throw new Error(`initdb of PostgreSQL ${binaries.major} failed: ${done.error?.message ?? done.stderr}`)
  return data
}

/** Copies the data folder of a server that is not running. */
export function copyData({ account, folder }: ServerHome, from: string, name: string): string {
  const data = join(folder, name)
  const done = spawnSync('cp', ['-R', from, data], { ...account, cwd: folder, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`cannot copy ${from}: ${done.stderr}`)
  return data
}

/** Writes a file of a data folder. */
export function writeDataFile({ account }: ServerHome, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  giveAway(account, path)
}

/**
 * Starts the server of a data folder on a port of the loopback address.
 * @param given `port`: default a free one; `settings`: further ones
 */
export async function startServer(
  { account, folder, binaries }: ServerHome,
  data: string,
  { port: wanted, settings: more = [] }: { readonly port?: number; readonly settings?: readonly string[] | undefined } = {},
): Promise<RunningServer> {
  let log = ''
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = wanted ?? (await findFreePort())
    const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=200', ...more]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const server = spawn(program(binaries, 'postgres'), args, { ...account, cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    log = await logUntilReady(server)
    if (log === '') return { process: server, port }
    if (!log.includes('could not bind') && !log.includes('could not create any TCP/IP sockets')) break
  }
  throw new Error(`PostgreSQL ${binaries.major} did not start: ${log}`)
}

/** Waits for readiness and answers '', or what the server said before it ended. A standby says that it accepts read-only connections. */
async function logUntilReady(child: ChildProcess): Promise<string> {
  let log = ''
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  const ready = new Promise<string>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4000)
      if (/database system is ready to accept (read-only )?connections/.test(log)) resolve('')
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(log || 'no message'))
  })
  return ready.finally(() => clearTimeout(timer))
}

/** Shuts a server down at once, or kills its main process. The data is thrown away anyway. */
export async function stopServer({ process: server }: RunningServer, signal: 'SIGQUIT' | 'SIGKILL' = 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill(signal)
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await gone
  clearTimeout(timer)
}
