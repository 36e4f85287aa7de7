// A process of its own that owns one throw-away PostgreSQL cluster and ends it when its standard input ends, so nothing
// stays behind however the test run ends: its end, Ctrl-C or a kill. The argument is the JSON of `PostgresBinaries`; standard output gets one
// line, `{ "url": string }` or `{ "error": string }`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findMemoryFolder } from './memory-folder.ts'
import { type PostgresBinaries, program } from './postgres-binaries.ts'

/** What a spawned program needs to run as somebody else than root. */
interface Account {
  readonly uid?: number
  readonly gid?: number
}

/** Attempts at a free port: another process can take it between our look and the server's start. */
const PORT_ATTEMPTS = 5
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 10_000

// Server messages in English, because readiness is read from them; the caller's PG* settings must not leak in.
const env = Object.fromEntries(Object.entries({ ...process.env, LC_ALL: 'C', TZ: 'UTC' }).filter(([name]) => !name.startsWith('PG')))

const account = unprivileged()
// Root's own temporary folder may be closed to the account that the server runs as.
const folder = mkdtempSync(join(account.uid === undefined ? tmpdir() : (findMemoryFolder() ?? '/tmp'), 'ferrule-postgres-'))
const data = join(folder, 'data')
let server: ChildProcess | undefined

try {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
  const binaries = reachable(JSON.parse(process.argv[2] ?? '') as PostgresBinaries)
  const password = randomBytes(12).toString('hex')
  initialise(binaries, password)
  const port = await start(binaries)
  console.log(JSON.stringify({ url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres` }))
  process.on('SIGINT', () => undefined).on('SIGTERM', () => process.stdin.destroy())
  process.stdin.resume()
  await once(process.stdin, 'close')
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** PostgreSQL refuses to run as root: then the account `postgres`, or `nobody`, runs it. */
function unprivileged(): Account {
  if (process.getuid?.() !== 0) return {}
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres:', 'nobody:'].map((name) => accounts.find((entry) => entry.startsWith(name))).find((entry) => entry)
  const [, , uid, gid] = (line ?? '').split(':').map(Number)
  if (!uid || !gid) throw new Error('PostgreSQL does not run as root, and there is no account postgres or nobody to run it as.')
  return { uid, gid }
}

/** Where the account cannot reach the programs (a checkout below /root), it gets a copy of the embedded ones. */
function reachable(binaries: PostgresBinaries): PostgresBinaries {
  const works = spawnSync(program(binaries, 'initdb'), ['--version'], { ...account, cwd: '/' }).status === 0
  if (works || binaries.from === 'machine' || account.uid === undefined) return binaries
  const copy = join(folder, 'native')
  cpSync(dirname(binaries.folder), copy, { recursive: true, verbatimSymlinks: true })
  spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, copy])
  return { ...binaries, folder: join(copy, 'bin') }
}

function initialise(binaries: PostgresBinaries, password: string): void {
  const file = join(folder, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  if (account.uid !== undefined && account.gid !== undefined) chownSync(file, account.uid, account.gid)
  // --no-sync concerns the empty cluster only; the server itself syncs as in production.
  const options = ['--username=postgres', `--pwfile=${file}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
  const done = spawnSync(program(binaries, 'initdb'), ['-D', data, ...options], { ...account, cwd: folder, env, encoding: 'utf8' })
  rmSync(file)
  if (done.status !== 0) throw new Error(`initdb of PostgreSQL ${binaries.major} failed: ${done.error?.message ?? done.stderr}`)
}

/** Starts the server on a free port of the loopback address and answers the port. */
async function start(binaries: PostgresBinaries): Promise<number> {
  let log = ''
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = await freePort()
    const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=200']
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    server = spawn(program(binaries, 'postgres'), args, { ...account, cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    log = await logUntilReady(server)
    if (log === '') return port
    if (!log.includes('could not bind') && !log.includes('could not create any TCP/IP sockets')) break
  }
  throw new Error(`PostgreSQL ${binaries.major} did not start: ${log}`)
}

/** Waits for readiness and answers '', or what the server said before it ended. */
async function logUntilReady(child: ChildProcess): Promise<string> {
  let log = ''
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  const ready = new Promise<string>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4000)
      if (log.includes('database system is ready to accept connections')) resolve('')
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(log || 'no message'))
  })
  return ready.finally(() => clearTimeout(timer))
}

/** Immediate shutdown: the data is thrown away anyway. */
async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill('SIGQUIT')
  const timer = setTimeout(() => server?.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await gone
  clearTimeout(timer)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no TCP port on 127.0.0.1')
  return address.port
}
