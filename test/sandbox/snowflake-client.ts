import { randomUUID } from 'node:crypto'
import { type Sandbox, type SandboxOptions, snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask, get, openSandbox, rows } from './client.ts'

/** Noon of a day. */
export const noon = Date.UTC(2025, 5, 16, 12)

/** The context that the documentation of the sandbox names. */
export const context = {
  database: snowflakeCredentials.database,
  warehouse: snowflakeCredentials.warehouse,
  role: snowflakeCredentials.role,
} as const

/** What a submit has beside its statement. */
export interface Submitted {
  /** Fields of the body, instead of the usual context where they have the same name; undefined leaves one out. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Such as `requestId` and `retry`. */
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** A sandbox with a clock that a test can move, and short ways to ask its warehouse. */
export interface Depot {
  readonly sandbox: Sandbox
  readonly snowflake: Sandbox['snowflake']
  readonly origin: string
  readonly clock: { now: number }
  /** Submits a statement. */
  submit(statement: string, more?: Submitted): Promise<Answered>
  /** Asks for the status or a partition of a statement. */
  poll(handle: unknown, query?: Readonly<Record<string, string>>): Promise<Answered>
  cancel(handle: unknown): Promise<Answered>
}

/** Headers of a request with a token, as the vendor wants them. */
export function signedIn(token: string, type = 'PROGRAMMATIC_ACCESS_TOKEN'): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'x-snowflake-authorization-token-type': type, accept: 'application/json' }
}

/** Opens a warehouse. */
export async function openDepot(options: SandboxOptions = {}): Promise<Depot> {
  const { sandbox, clock } = await openSandbox('snowflake', noon, options)
  const origin = sandbox.origins.snowflake.api
  const headers = signedIn(snowflakeCredentials.token)
  const base = `${origin}/api/v2/statements`
  return {
    sandbox,
    snowflake: sandbox.snowflake,
    origin,
    clock,
    submit: (statement, { body = {}, query = {}, headers: other = {} } = {}) =>
      ask(`${base}?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...other },
        body: { statement, ...context, ...body },
      }),
    poll: (handle, query = {}) => ask(`${base}/${handle}?${new URLSearchParams(query)}`, { headers }),
    cancel: (handle) => ask(`${base}/${handle}/cancel`, { method: 'POST', headers }),
  }
}

/** Query parameters of a first submission and of its repetition. */
export function repeatable(): { readonly first: Readonly<Record<string, string>>; readonly again: Readonly<Record<string, string>> } {
  const requestId = randomUUID()
  return { first: { requestId }, again: { requestId, retry: 'true' } }
}

/** Status, code and SQL state of an answer. */
export function codeOf({ status, body }: Answered): readonly [number, unknown, unknown] {
  return [status, get(body, 'code'), get(body, 'sqlState')]
}

/** The handle in an answer. */
export function handleOf({ body }: Answered): string {
  return String(get(body, 'statementHandle'))
}

/** The rows in an answer. */
export function dataOf({ body }: Answered): readonly unknown[] {
  return rows(body, 'data')
}

/** Names of the columns in an answer. */
export function namesOf({ body }: Answered): readonly unknown[] {
  return rows(body, 'resultSetMetaData', 'rowType').map((column) => get(column, 'name'))
}

/** Types of the columns in an answer. */
export function typesOf({ body }: Answered): readonly unknown[] {
  return rows(body, 'resultSetMetaData', 'rowType').map((column) => get(column, 'type'))
}

/** The partitions that an answer announces. */
export function partitionsOf({ body }: Answered): readonly unknown[] {
  return rows(body, 'resultSetMetaData', 'partitionInfo')
}
