/**
 * Opens a session of PostgreSQL beside the pool. The session holds a lock under a key that no other session ever has. When the process is
 * killed, the server ends the session and frees the lock.
 */
import type { FerruleError } from 'ferrule'
import { clocks, fail } from 'ferrule/internal'
import type { IdSource } from '../values/ids.ts'
import type { ApartClient, Server } from './connections/database-server.ts'
import { readProcessId } from './connections/pooler.ts'
import { isConflict, isServerFault, isTimeout, readErrorCode, ServerFault } from './connections/problems.ts'

/** First half of the locks' keys; an arbitrary constant. Does not collide with locks under one 64-bit key. */
export const sessionLocks = 1_179_800_914
/** Interval of checks that the server still has the session, in milliseconds. */
const beatMs = 1_000
/** A session counts as ended after this time without confirmation, in milliseconds: other nodes may see its lock free. */
export const confirmedMs = 8_000

/** Options of `openSession`. */
export interface SessionOptions extends Pick<IdSource, 'randomBytes'> {
  /** Steady clock in milliseconds. */
  readonly steady?: () => number
}

/** A session that holds its lock until `signal` reports a possible loss. */
export class Session {
  /** Second half of the lock's key. */
  readonly key: number
  readonly #client: ApartClient
  readonly #steady: () => number
  readonly #ended = new AbortController()
  readonly #timer: NodeJS.Timeout
  #confirmedAt: number
  #isAsking = false

  constructor(client: ApartClient, key: number, { steady, confirmedAt }: { readonly steady: () => number; readonly confirmedAt: number }) {
    this.#client = client
    this.key = key
    this.#steady = steady
    this.#confirmedAt = confirmedAt
    this.#timer = setInterval(() => void this.#beat(), beatMs).unref()
    client.on('end', () => this.close())
    client.on('error', () => this.close())
  }

  /** Aborts when the session ended, or when the server has not confirmed it in time. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Returns whether the session certainly holds its lock. */
  holds(): boolean {
    if (this.#steady() - this.#confirmedAt >= confirmedMs) this.close()
    return !this.#ended.signal.aborted
  }

  /** Ends the session without waiting for the server, which may hang. */
  close(): void {
    if (this.#ended.signal.aborted) return
    clearInterval(this.#timer)
    this.#ended.abort(new Error('the session of the database ended'))
    this.#client.socket.destroy()
  }

  async #beat(): Promise<void> {
    if (!this.holds() || this.#isAsking) return
    this.#isAsking = true
    const asked = this.#steady()
    try {
      await this.#client.query('select 1')
      this.#confirmedAt = asked
    } catch {
      this.close()
    } finally {
      this.#isAsking = false
    }
  }
}

/**
 * Returns whether the connection is direct, without a pooler or proxy that could share the session or outlive this process. The server must
 * see the port of this socket (none for a local socket), and must be the process that greeted us.
 */
async function isDirect(client: ApartClient): Promise<boolean> {
  const asked = 'select pg_backend_pid() as pid, inet_client_port() as port'
  const { rows } = await client.query<{ readonly pid: number; readonly port: number | null }>(asked)
  return rows[0]?.pid === readProcessId(client) && (rows[0]?.port ?? undefined) === client.socket.localPort
}

/**
 * Opens a session that holds its lock.
 * @returns undefined behind a pooler or proxy, where a lock proves nothing
 * @throws FerruleError `unavailable` when the database does not answer
 */
export async function openSession(server: Server, { randomBytes, steady = clocks.steady }: SessionOptions): Promise<Session | undefined> {
  let client: ApartClient | undefined
  try {
    client = await server.connectApart({ query_timeout: confirmedMs })
    if (await isDirect(client)) {
      const key = randomBytes(4).readUInt32BE() >>> 1
      const confirmedAt = steady()
      const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [sessionLocks, key])
      if (rows[0]?.held === true) return new Session(client, key, { steady, confirmedAt })
    }
  } catch (thrown) {
    client?.socket.destroy()
    throw translated(thrown)
  }
  client.socket.destroy()
  return undefined
}

/** `disk_full`. */
const diskFull = '53100'
/** `too_many_connections`. */
const noConnection = '53300'

function describeFault(thrown: unknown): string {
  if (readErrorCode(thrown) === diskFull) return 'the disk of the database is full'
  if (readErrorCode(thrown) === noConnection) return 'the database has no connection left'
  if (isConflict(thrown)) return 'transactions of the database conflict'
  if (!(thrown instanceof ServerFault)) return 'the database does not answer'
  if (thrown.isReadOnly) return 'the database takes no writes'
  return thrown.isRefusedUser ? 'the database refuses the user or the password' : 'the database does not answer'
}

/** Translates temporary errors; returns other errors unchanged. */
export function translated(error: unknown): unknown {
  return isServerFault(error) || isTimeout(error) || isConflict(error) ? unavailable(error) : error
}
const unavailable = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: describeFault(cause) }, { cause, retryAfterMs: readErrorCode(cause) === diskFull ? 5_000 : 1_000 })
