/**
 * Works through a pooler such as PgBouncer. In its transaction mode each transaction may meet another session of the server. So nothing
 * may stay in a session: no settings, no named statements, no locks.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import type { Answer } from './database.ts'

/** Timeout of connecting to the database, in milliseconds. */
export const connectMs = 5_000
/** Time that a cancelled statement has to end before its connection is cut, in milliseconds. It may wait for a session of the pooler. */
const stopMs = 1_000
/** Code of a request to cancel: `CancelRequest` of PostgreSQL's protocol, "Message Formats". */
const cancelCode = 80_877_102
const cancelBytes = 16

/**
 * Returns whether a pooler stands before the server: it greets with a process id of its own. Connects without settings, because a pooler
 * refuses unknown ones.
 * @param url `postgresql://` URL with its options
 * @param timeoutMs for connecting, and for the statement
 * @throws the driver's error when the database does not answer
 */
export async function hasPooler(url: string, timeoutMs: number = connectMs): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'ferrule',
  })
  client.on('error', () => undefined) // the running query fails
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid !== readNumber(client, 'processID')
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Mode of a transaction that reads one snapshot. */
export const beginSnapshot = 'isolation level repeatable read read only'

/** Mode of a transaction. */
type Mode = 'read only' | 'read write' | typeof beginSnapshot

/** Builds the beginning of a transaction with settings that end with the transaction, in one message. */
export const buildBegin = (settings: Readonly<Record<string, string | number>>, mode: Mode = 'read write'): string =>
  [`begin ${mode}`, ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)].join('; ')

/** Runs statements without values in one message, and returns the answer of the last one. */
export async function askAfter(client: pg.ClientBase, begin: string, text: string): Promise<Answer> {
  const answers: pg.QueryResult | readonly pg.QueryResult[] = await client.query(`${begin}; ${text}`)
  const last = Array.isArray(answers) ? answers.at(-1) : answers // an answer for each statement, which the driver does not declare
  return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 }
}

/**
 * Cancels the running statement of a client by the protocol's own request. A pooler passes the request to the session of the client's
 * running transaction. A statement without a session cannot be cancelled, so its connection is cut after a second.
 * @param ended settles when the statement has ended
 */
export async function stopStatement(client: pg.ClientBase, ended: Promise<unknown>): Promise<void> {
  if (!(client instanceof pg.Client)) return
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    void client.end().catch(() => undefined) // a client with a running statement is cut at once
    late.resolve()
  }, stopMs)
  const isOver = ended.then(
    () => undefined,
    () => undefined,
  )
  await Promise.race([Promise.all([requestCancellation(client).catch(() => undefined), isOver]), late.promise])
  clearTimeout(timer)
}

/** Sends the request unencrypted, as PostgreSQL's own client did up to version 16. Resolves when the other side has passed it on. */
async function requestCancellation(client: pg.Client): Promise<void> {
  const request = Buffer.alloc(cancelBytes)
  request.writeInt32BE(cancelBytes, 0)
  request.writeInt32BE(cancelCode, 4)
  request.writeInt32BE(readNumber(client, 'processID'), 8)
  request.writeInt32BE(readNumber(client, 'secretKey'), 12)
  const { host, port } = client
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(stopMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.resume().write(request)
  await once(socket, 'close')
}

/** Reads what the driver keeps of the greeting without declaring it. */
function readNumber(client: pg.Client, name: 'processID' | 'secretKey'): number {
  const value: unknown = Reflect.get(client, name)
  return typeof value === 'number' ? value : 0
}
