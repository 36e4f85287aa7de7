/**
 * A session of PostgreSQL beside the pool. It holds a lock under a key of its own, which no other session ever has: while the lock is
 * held the process lives, and when the process is killed the server frees the lock with the session.
 */
import { Socket } from 'node:net'
import pg from 'pg'
import { clocks } from '../../engine/clocks.ts'
import type { IdSource } from '../ids.ts'
import { translated } from './postgres-problems.ts'

/** First half of the locks' keys; an arbitrary constant. Locks with one key of 64 bits are others. */
export const sessionLocks = 1_179_800_914
const connectMs = 5_000
/** Milliseconds between two questions whether the server still has the session. */
const beatMs = 1_000
/** A session that the server has not confirmed for so long counts as ended: others may see its lock free. Milliseconds. */
export const confirmedMs = 8_000

/** What a session is made with. */
export interface SessionParts extends Pick<IdSource, 'randomBytes'> {
  /** Milliseconds that never step. */
  readonly steady?: () => number
}

interface Connection {
  readonly client: pg.Client
  readonly socket: Socket
}
interface Confirmed {
  readonly steady: () => number
  readonly confirmedAt: number
}

/** A session that holds its lock, until `signal` says that it may have lost it. */
export class Session {
  /** Second half of the lock's key. */
  readonly key: number
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #steady: () => number
  readonly #ended = new AbortController()
  readonly #timer: NodeJS.Timeout
  #confirmedAt: number
  #isAsking = false

  constructor({ client, socket }: Connection, key: number, { steady, confirmedAt }: Confirmed) {
    this.#client = client
    this.#socket = socket
    this.key = key
    this.#steady = steady
    this.#confirmedAt = confirmedAt
    this.#timer = setInterval(() => void this.#beat(), beatMs).unref()
    client.on('end', () => this.close())
    client.on('error', () => this.close())
  }

  /** Aborted when the session has ended, or when the server has not confirmed it for too long. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Whether the lock is held for certain. */
  holds(): boolean {
    if (this.#steady() - this.#confirmedAt >= confirmedMs) this.close()
    return !this.#ended.signal.aborted
  }

  /** Ends the session without waiting for the server, which may hang. */
  close(): void {
    if (this.#ended.signal.aborted) return
    clearInterval(this.#timer)
    this.#ended.abort(new Error('the session of the database ended'))
    this.#socket.destroy()
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
 * Whether nothing between here and the server shares its sessions among others or outlives this process: the server sees this end of the
 * connection (no port: a local socket), and is the process that greeted us. A pooler or proxy has a connection of its own.
 */
async function isDirect(client: pg.Client, port: number | undefined): Promise<boolean> {
  const asked = 'select pg_backend_pid() as pid, inet_client_port() as port'
  const { rows } = await client.query<{ readonly pid: number; readonly port: number | null }>(asked)
  const greeted: unknown = Reflect.get(client, 'processID')
  return rows[0]?.pid === greeted && (rows[0]?.port ?? undefined) === port
}

/**
 * Opens a session that holds its lock.
 * @returns undefined when a pooler or a proxy lies between: a lock would say nothing
 * @throws FerruleError `unavailable` when the database does not answer
 */
export async function openSession(url: string, { randomBytes, steady = clocks.steady }: SessionParts): Promise<Session | undefined> {
  const socket = new Socket()
  let port: number | undefined
  socket.once('connect', () => {
    port = socket.localPort
  })
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    query_timeout: confirmedMs,
    keepAlive: true,
    application_name: 'ferrule',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (await isDirect(client, port)) {
      const key = randomBytes(4).readUInt32BE() >>> 1
      const confirmedAt = steady()
      const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', [sessionLocks, key])
      if (rows[0]?.held === true) return new Session({ client, socket }, key, { steady, confirmedAt })
    }
  } catch (thrown) {
    socket.destroy()
    throw translated(thrown)
  }
  socket.destroy()
  return undefined
}
