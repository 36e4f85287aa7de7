/** What the tests of the Snowflake kind share: a connector that points at a test's server, and answers of the vendor. */
import { vi } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { createMemoryClaims, type WriteClaims } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { fixed, type Reply, type Seen } from './support.ts'

export const token = 'pat-secret-0001'
export const account = 'acme-sales'
export const configuration = { account, database: 'SALES', warehouse: 'SALES_WH', role: 'SALES_ROLE' }
export const handle = '01bd5a21-0001-6f3c-0000-77e500a1c0de'
/** An id that the caller gives. */
export const requestId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

/** A connector; without an origin its requests would go to the vendor. */
export const snowflakeAt = (
  origin: string | undefined,
  more: { values?: CredentialValues; configuration?: Readonly<Record<string, unknown>>; writes?: WriteClaims } = {},
): Connection => ({
  kind: kinds.snowflake,
  configuration: more.configuration ?? configuration,
  credentials: fixed(more.values ?? { programmatic_access_token: token }),
  writes: more.writes ?? createMemoryClaims(),
  ...(origin === undefined ? {} : { origin: { api: origin } }),
})

export const insert = { entity: 'record', action: 'create', params: { statement: 'INSERT INTO T VALUES (1)' } }
export const select = { entity: 'record', action: 'list', params: { statement: 'SELECT 1' } }

type Answer = Exclude<Reply, (...args: never[]) => unknown>

/** A result with some parts; `rows` are those of the first. */
export const resultOf = (rows: readonly (readonly unknown[])[], more: { parts?: number; link?: string; body?: object } = {}): Answer => ({
  headers: more.link === undefined ? {} : { link: more.link },
  body: {
    resultSetMetaData: {
      numRows: rows.length * (more.parts ?? 1),
      format: 'jsonv2',
      rowType: [],
      partitionInfo: Array.from({ length: more.parts ?? 1 }, () => ({ rowCount: rows.length, uncompressedSize: 10 })),
    },
    data: rows,
    code: '090001',
    statementHandle: handle,
    message: 'Statement executed successfully.',
    ...more.body,
  },
})

/** The answer that says that a statement is still running. */
export const running = (more: { status?: number; body?: object } = {}): Answer => ({
  status: more.status ?? 202,
  body: {
    code: '333334',
    message: 'Asynchronous execution in progress.',
    statementHandle: handle,
    statementStatusUrl: `/api/v2/statements/${handle}`,
    ...more.body,
  },
})

/** An error as the vendor writes it. */
export const refusal = (status: number, code: string, message = 'Refused.'): Answer => ({
  status,
  body: { code, message, sqlState: '42000', statementHandle: handle },
})

/** The vendor takes the request and the connection ends without an answer. */
export const cut: Reply = (response) => response.destroy()

const html: Reply = { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Service unavailable</h1>' }
/** Answers after which nobody knows what became of a request; the last one is no failure of the way there. */
export const lostAnswers: readonly (readonly [what: string, answer: Reply])[] = [
  ['a connection that ends', cut],
  ['an answer that ends', (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy())],
  ['500', refusal(500, '')],
  ['502 of a proxy', { status: 502, body: 'Bad gateway' }],
  ['503 of a proxy', html],
  ['504', { status: 504 }],
  ['an answer that is no JSON', { status: 200, body: '<html>' }],
]

/** The query of a request. */
export const queryOf = ({ url }: Seen): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(url, 'http://vendor.example').searchParams)

/** A record's outcome. */
export async function recorded(
  promise: Promise<Outcome>,
): Promise<{ data: Record<string, unknown>; meta: Readonly<Record<string, unknown>> }> {
  const outcome = await promise
  if (outcome.type !== 'record') throw new Error(`it is a ${outcome.type}`)
  return { data: Object(outcome.data), meta: outcome.meta }
}

/** Milliseconds that a deadline really has left. */
const reallyLeft = Object.getOwnPropertyDescriptor(Deadline.prototype, 'remaining')?.get

/**
 * Time that only waits and the test itself move; restored at the end of the block.
 * @param left milliseconds that each deadline has for its pauses; requests take nothing of it. By default what is really left.
 */
export function movedTime(left?: number): Disposable & { now: number; left: number | undefined; readonly waits: number[] } {
  const waits: number[] = []
  const paused = new WeakMap<Deadline, number>()
  const time = { now: 1_780_000_000_000, left, waits, [Symbol.dispose]: () => vi.restoreAllMocks() }
  vi.spyOn(Deadline.prototype, 'pause').mockImplementation(async function (this: Deadline, milliseconds) {
    this.signal.throwIfAborted()
    if (milliseconds <= 0) return
    waits.push(milliseconds)
    paused.set(this, (paused.get(this) ?? 0) + milliseconds)
    time.now += milliseconds
  })
  vi.spyOn(Deadline.prototype, 'remaining', 'get').mockImplementation(function (this: Deadline) {
    if (time.left === undefined || this.signal.aborted) return reallyLeft?.call(this)
    return Math.max(0, time.left - (paused.get(this) ?? 0))
  })
  return time
}
