import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findBinaries, type PostgresBinaries } from './postgres-binaries.ts'

/** A running throw-away server. */
export interface PostgresCluster {
  /** Connection URL of the superuser, database `postgres`. */
  readonly url: string
  /** The programs that run it. */
  readonly binaries: PostgresBinaries
  /** Ends the server and removes its files. */
  stop(): Promise<void>
}

/** How a server runs. */
export interface ServerOptions {
  /** Further settings of the server, such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[]
  /** True: its files are never kept in memory, which many records would fill. */
  readonly onDisk?: boolean
}

/** What `postgres-keeper.ts` starts. */
export interface KeptServer extends ServerOptions {
  readonly binaries: PostgresBinaries
}

/**
 * Starts a fresh PostgreSQL with full durability on 127.0.0.1: by default from the first installation that works, npm's before those of
 * the machine. It ends with `stop()`, at the latest with this process.
 * Throws with every reason when none works.
 */
export async function startCluster(
  candidates: readonly PostgresBinaries[] = findBinaries(),
  options: ServerOptions = {},
): Promise<PostgresCluster> {
  const reasons: string[] = []
  for (const binaries of candidates) {
    const started = await startKeeper({ binaries, ...options })
    if ('stop' in started) return started
    reasons.push(`${binaries.folder}: ${started.error}`)
  }
  throw new Error(`No PostgreSQL 15 or later to test with; set TEST_DATABASE_URL or install one. ${reasons.join(' ')}`)
}

async function startKeeper(wanted: KeptServer): Promise<PostgresCluster | { error: string }> {
  const script = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))
  // A group of its own: Ctrl-C in the terminal must reach the tests first and the database last.
  const keeper = spawn(process.execPath, [script, JSON.stringify(wanted)], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const answer = await firstLine(keeper)
  if ('error' in answer) return answer
  return { url: answer.url, binaries: wanted.binaries, stop: () => end(keeper) }
}

async function firstLine(keeper: ChildProcess): Promise<{ url: string } | { error: string }> {
  if (!keeper.stdout) return { error: 'no output stream' }
  for await (const line of createInterface({ input: keeper.stdout })) return JSON.parse(line)
  return { error: 'its keeper ended without a word' }
}

async function end(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return
  const gone = once(keeper, 'exit')
  keeper.stdin?.end()
  await gone
}
