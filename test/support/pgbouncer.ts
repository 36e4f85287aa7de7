/** Starts PgBouncer in transaction mode before a test database. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { ensurePgBouncer } from '../../scripts/programs.mjs'
import { findFreePort } from './listen.ts'

/** A running pooler. */
export interface Pooler {
  /** Returns the URL of a database of the server by way of the pooler. */
  through(database: string): string
  stop(): Promise<void>
}

/** Ends the pooler with its standard input: nothing stays behind a killed test. */
const keeper = '"$0" "$1" & child=$!; cat > /dev/null; kill -9 $child'
/** Another process can take a free port before the pooler does. */
const attempts = 5

/**
 * Starts the pooler on a free port of 127.0.0.1.
 * @param server URL of any database of the server
 * @param sessions connections to each database
 */
export async function startPgBouncer(server: string, sessions: number): Promise<Pooler> {
  const path = await ensurePgBouncer()
  const account = findAccount()
  const folder = mkdtempSync('/tmp/ferrule-pgbouncer-')
  const own = (path: string): string => {
    if (account !== undefined) chownSync(path, account.uid, account.gid)
    return path
  }
  own(folder)
  const write = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o600 })
    return own(join(folder, name))
  }
  const { username, password } = new URL(server)
  const users = write('users.txt', [`"${username}" "${password}"`])
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = await findFreePort()
    const file = write('pgbouncer.ini', describePooler(server, { users, port, sessions }))
    const child = spawn('/bin/sh', ['-c', keeper, path, file], { ...account, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] })
    const isUp = await waitUntilUp(child)
    const stop = () => end(child)
    if (isUp) return { through: (url) => through(url, port), stop: () => stop().then(() => rmSync(folder, { recursive: true })) }
    await stop()
  }
  throw new Error('PgBouncer does not start')
}

interface Described {
  readonly users: string
  readonly port: number
  readonly sessions: number
}
const describePooler = (server: string, { users, port, sessions }: Described): readonly string[] => [
  '[databases]',
  `* = host=${new URL(server).hostname} port=${new URL(server).port}`,
  '[pgbouncer]',
  'listen_addr = 127.0.0.1',
  `listen_port = ${port}`,
  'unix_socket_dir =',
  'auth_type = scram-sha-256',
  `auth_file = ${users}`,
  'pool_mode = transaction',
  `default_pool_size = ${sessions}`,
  'max_client_conn = 200',
]

function through(url: string, port: number): string {
  const pooled = new URL(url)
  pooled.port = String(port)
  return pooled.href
}

/** PgBouncer refuses to run as root. */
function findAccount(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  const [, , uid, gid] = (accounts.find((line) => line.startsWith('nobody:')) ?? '').split(':').map(Number)
  if (!uid || !gid) throw new Error('PgBouncer does not run as root, and there is no account nobody to run it as')
  return { uid, gid }
}

type Child = ChildProcessByStdio<Writable, null, Readable>

/** Returns whether the pooler listens; false when it ended before, or only came up without its port. */
async function waitUntilUp({ stderr }: Child): Promise<boolean> {
  let log = ''
  for await (const text of stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    log += text
    if (/process up|FATAL|ERROR/.test(log)) break
  }
  stderr.resume()
  return log.includes('process up') && !log.includes('already in use')
}

async function end(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.stdin.end()
  await gone
}
