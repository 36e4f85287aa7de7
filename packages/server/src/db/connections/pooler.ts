/**
 * Works through a pooler such as PgBouncer. In its transaction mode each transaction may meet another session of the server. So nothing
 * may stay in a session: no settings, no named statements, no locks.
 */
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import type pg from 'pg'
import { within } from '../../values/within.ts'

/** Timeout of connecting to the database, in milliseconds. */
export const connectMs = 5_000
/** Isolation of all sessions that have settings. The statements of this service rely on it, whatever the default of the role is. */
export const readCommitted = { default_transaction_isolation: 'read committed' } as const
/** Time that a cancelled statement has to end before its connection is cut, in milliseconds. It may wait for a session of the pooler. */
const stopMs = 1_000
/** Code of a request to cancel: `CancelRequest` of PostgreSQL's protocol, "Message Formats". */
const cancelCode = 80_877_102
const cancelBytes = 16

/** Returns whether a pooler stands before the server: it greets with a process id of its own. */
export async function hasPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== readProcessId(client)
}

/** Mode of a transaction that reads one snapshot. */
export const beginSnapshot = 'isolation level repeatable read read only'

/** Mode of a transaction. Reading and writing is the default of the database, so that a read-only one stays so. */
type Mode = 'isolation level read committed' | 'isolation level read committed read only' | typeof beginSnapshot

/** Builds the beginning of a transaction with settings that end with the transaction, in one message. */
export const buildBegin = (settings: Readonly<Record<string, string | number>>, mode: Mode = 'isolation level read committed'): string =>
  [`begin ${mode}`, ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`)].join('; ')

/** Rows of the last statement of a message, and their number. */
export interface LastAnswer {
  readonly rows: pg.QueryResult['rows']
  readonly count: number
}

/** Runs statements without values in one message, and returns the answer of the last one. */
export async function askAfter(client: pg.ClientBase, begin: string, text: string): Promise<LastAnswer> {
  const answers: pg.QueryResult | readonly pg.QueryResult[] = await client.query(`${begin}; ${text}`)
  const last = Array.isArray(answers) ? answers.at(-1) : answers // an answer for each statement, which the driver does not declare
  return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 }
}

/**
 * Cancels the running statement of a client by the protocol's own request. A pooler passes the request to the session of the client's
 * running transaction. A statement that does not end is cut off with its connection: it has no session, or the server is silent. So is a
 * session that takes no other statement: Citus says why one failed, and only then waits for a machine that may be silent.
 * @param ended settles when the statement has ended
 * @param cutMs time that it has to end, in milliseconds
 */
export async function stopStatement(client: pg.ClientBase, ended: Promise<unknown>, cutMs: number = stopMs): Promise<void> {
  if (!isConnected(client)) return
  const takesAnother = async (): Promise<void> => {
    await ended.catch(() => undefined)
    if (Reflect.get(client, 'readyForQuery') === false) await once(client, 'drain').catch(() => undefined) // the driver does not declare it
  }
  const stopped = Promise.all([requestCancellation(client).catch(() => undefined), takesAnother()])
  await within(cutMs, stopped, () => cutOff(client))
}

/** Returns whether a client is connected to a server by itself. */
const isConnected = (client: pg.ClientBase): client is pg.Client => 'host' in client && 'port' in client

/** Ends a client at once. Its own end waits for the server when no statement runs, although some may wait. */
function cutOff(client: pg.Client): void {
  void client.end().catch(() => undefined)
  if ('socket' in client && client.socket instanceof Socket) client.socket.destroy()
}

/** Sends the request unencrypted, as PostgreSQL's own client did up to version 16. Resolves when the other side has passed it on. */
async function requestCancellation(client: pg.Client): Promise<void> {
  const request = Buffer.alloc(cancelBytes)
  request.writeInt32BE(cancelBytes, 0)
  request.writeInt32BE(cancelCode, 4)
  request.writeInt32BE(readProcessId(client), 8)
  request.writeInt32BE(readNumber(client, 'secretKey'), 12)
  const { host, port } = client
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(stopMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.resume().write(request)
  await once(socket, 'close')
}

/** Reads the process id of the session that greeted a client. */
export const readProcessId = (client: pg.ClientBase): number => readNumber(client, 'processID')

/** Reads what the driver keeps of the greeting without declaring it. */
function readNumber(client: pg.ClientBase, name: 'processID' | 'secretKey'): number {
  const value: unknown = Reflect.get(client, name)
  return typeof value === 'number' ? value : 0
}
