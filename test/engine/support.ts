/** What engine tests share: a small HTTP server instead of the vendor, and connectors that point at it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { createEngine, type Engine, type EngineOptions } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { type CredentialSource, type CredentialValues, Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { OriginOverride } from '../../packages/ferrule/src/engine/http/origin.ts'
import { RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { listen } from '../support/listen.ts'

/** A request as the server met it. */
export interface Seen {
  readonly method: string
  /** Path with the query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer: a status, headers and a body (text and bytes as they are, everything else as JSON), or full control of the response. */
export type Reply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | ((response: ServerResponse) => unknown)

/** A server of one test. */
export interface TestServer extends AsyncDisposable {
  readonly origin: string
  readonly seen: readonly Seen[]
}

function send(response: ServerResponse, reply: Reply): void {
  if (typeof reply === 'function') {
    reply(response)
    return
  }
  const { status = 200, headers = {}, body } = reply
  const payload = typeof body === 'string' || body instanceof Uint8Array ? body : body === undefined ? '' : writeJson(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(payload)
}

/**
 * Serves until it is disposed of.
 * @param answer the reply to a request; `count` is 1 for the first
 */
export async function serve(answer: (seen: Seen, count: number) => Reply | Promise<Reply>): Promise<TestServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    response.on('error', () => {}) // a client that went away
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: await text(request) }
    seen.push(one)
    send(response, await answer(one, seen.length))
  })
  return { seen, ...(await listen(server)) }
}

export const accessKey = { access_key: 'AK_DEMO', access_key_secret: 'SECRET_DEMO' }

/** Credentials that never change. */
export const fixed = (values: CredentialValues): CredentialSource => {
  const opened = { values: new Secret(values), version: '0' }
  return { open: async () => opened, renew: async () => opened }
}

/** A Gong connector whose requests go to a test's server. */
export const gongAt = (
  origin: string | OriginOverride,
  { values = accessKey, configuration = {} }: { values?: CredentialValues; configuration?: Readonly<Record<string, unknown>> } = {},
): Connection => ({
  kind: kinds.gong,
  configuration,
  credentials: fixed(values),
  origin: typeof origin === 'string' ? { api: origin } : origin,
})

/** An engine that pauses for no backoff and watches no rate, closed at the end of the block. A clock of the test's is steady too. */
export function testEngine(options: EngineOptions = {}): Engine & AsyncDisposable {
  const { clock, steady = clock } = options
  const engine = createEngine({ limits: false, random: () => 0, ...options, ...(steady === undefined ? {} : { steady }) })
  return { ...engine, [Symbol.asyncDispose]: () => engine.close() }
}

/** Timers of JavaScript that only the test moves, until the end of the block: a deadline comes amid a request, however slow the machine. */
export function heldTimers(): Disposable & { readonly pass: (milliseconds: number) => void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return { pass: (milliseconds) => void vi.advanceTimersByTime(milliseconds), [Symbol.dispose]: () => void vi.useRealTimers() }
}

/** The error that a promise ends with. */
export async function failure(promise: Promise<unknown>): Promise<FerruleError> {
  const error: unknown = await promise.then(
    (value) => new Error(`it succeeded with ${typeof value}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof FerruleError) return error
  throw error
}

/** A list's outcome, with its records. */
export async function listed(
  promise: Promise<Outcome>,
): Promise<Extract<Outcome, { type: 'list' }> & { readonly data: readonly unknown[] }> {
  const outcome = await promise
  if (outcome.type !== 'list') throw new Error(`it is a ${outcome.type}`)
  const { data } = outcome
  return { ...outcome, data: data instanceof RawRows ? data.toJSON() : data }
}

/** A file's outcome. */
export async function opened(promise: Promise<Outcome>): Promise<Extract<Outcome, { type: 'file' }>['file']> {
  const outcome = await promise
  if (outcome.type !== 'file') throw new Error(`it is a ${outcome.type}`)
  return outcome.file
}

/** The twenty fields of a call, as the vendor sends them. */
export const callOf = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  url: `https://us-40017.app.gong.io/call?id=${id}`,
  title: 'Larkfield & Oakmere | Intro',
  scheduled: '2025-03-03T09:00:00-08:00',
  started: '2025-03-03T09:01:12-08:00',
  duration: 1384,
  primaryUserId: '5530918274460172839',
  direction: 'Conference',
  system: 'Zoom',
  scope: 'External',
  media: 'Video',
  language: 'eng',
  workspaceId: '3391827745061928374',
  sdrDisposition: null,
  clientUniqueId: null,
  customData: null,
  purpose: null,
  meetingUrl: 'https://zoom.example/j/000',
  isPrivate: false,
  calendarEventId: null,
  ...more,
})

/** A page of a list with a cursor. */
export const pageOf = (
  rows: Readonly<Record<string, readonly unknown[]>>,
  more: { cursor?: string; total?: number; page?: number } = {},
) => {
  const [size = 0] = Object.values(rows).map((each) => each.length)
  return {
    requestId: '4wq81kz0c7m2xn5rt9d',
    records: {
      totalRecords: more.total ?? size,
      currentPageSize: size,
      currentPageNumber: more.page ?? 0,
      ...(more.cursor === undefined ? {} : { cursor: more.cursor }),
    },
    ...rows,
  }
}
