/** Runs recorded calls without a network: each request is compared with its recording, and gets the recorded answer. */
import { isObject } from '../definition/object.ts'
import { createEngine, type Engine } from '../engine/call/execute.ts'
import type { Call, Outcome } from '../engine/call/outcome.ts'
import type { Connection } from '../engine/connection.ts'
import type { HttpAnswer, HttpRequest, HttpSender } from '../engine/http/http.ts'
import { fail } from '../errors.ts'
import { writeJson } from '../values/json/json.ts'
import { compareRequests, show } from './compare-requests.ts'
import type { Exchange, RecordedAnswer, Recording } from './recording.ts'
import { listSecretQuery } from './replay-connection.ts'

/** Makes an answer of the engine's transport of a recorded one. */
const toHttpAnswer = ({ status, headers, body, text }: RecordedAnswer): HttpAnswer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]])),
  text: body === undefined ? (text ?? '') : writeJson(body),
})

class Unrecorded extends Error {}

/** Answers the requests of one call, in the order of its exchanges. */
class ReplaySender implements HttpSender {
  readonly sent: HttpRequest[] = []
  readonly problems: string[] = []
  readonly #exchanges: readonly Exchange[]
  readonly #secret: ReadonlySet<string>
  readonly #onLast: () => void

  constructor(exchanges: readonly Exchange[], secret: ReadonlySet<string>, onLast: () => void) {
    this.#exchanges = exchanges
    this.#secret = secret
    this.#onLast = onLast
  }

  async send(request: HttpRequest): Promise<HttpAnswer> {
    const index = this.sent.push(request) - 1
    const exchange = this.#exchanges[index]
    if (exchange === undefined)
      throw new Unrecorded(`sends ${request.method} ${request.url.pathname}${request.url.search}, which is not recorded`)
    const problems = compareRequests(exchange.request, request, this.#secret)
    this.problems.push(...problems.map((problem) => `request ${index + 1}: ${problem}`))
    request.onSend?.()
    if (index + 1 === this.#exchanges.length) this.#onLast()
    return toHttpAnswer(exchange.answer)
  }

  open(): never {
    throw fail('action_not_supported', { entity: 'recordings', action: 'download', known: 'list, get, create, update, delete' })
  }

  async close(): Promise<void> {}
}

/** What came of a replay. */
export interface Replay {
  /** The records of all pages of a list, the record of others; undefined after an error. */
  readonly data: unknown
  /** Meta of the first page. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly pages: number
  /** The last page says that there are more. */
  readonly hasMore: boolean
  /** Why a page may be incomplete. */
  readonly doubts: readonly string[]
  readonly error: unknown
  /** Requests that differ from their recordings, and those that were not sent. */
  readonly problems: readonly string[]
}

/** What the pages of a list brought, or the record of another call. */
export interface Walked {
  readonly rows: unknown[]
  readonly metas: Readonly<Record<string, unknown>>[]
  readonly doubts: string[]
  record: unknown
  hasMore: boolean
  /** Why the call ended. */
  error?: unknown
}

/** Notes what a page brings. @returns the parameters of the next page; null after the last */
function notePage(walked: Walked, outcome: Outcome): Readonly<Record<string, unknown>> | null {
  if (outcome.type !== 'list') {
    walked.record = outcome.type === 'file' ? undefined : outcome.data
    return null
  }
  const { data, meta, doubt } = outcome
  if (Array.isArray(data)) walked.rows.push(...data)
  walked.metas.push(meta)
  if (doubt !== undefined) walked.doubts.push(doubt)
  const next = meta['next_params']
  walked.hasMore = isObject(next)
  return isObject(next) ? next : null
}

/** Runs a call, and a list page by page. @param options `mostPages`: pages at most. A failure is a part of the result */
export async function walkCall(
  engine: Engine,
  connection: Connection,
  { call, mostPages }: { readonly call: Call & Pick<Recording, 'params'>; readonly mostPages: number },
): Promise<Walked> {
  const walked: Walked = { rows: [], metas: [], doubts: [], record: undefined, hasMore: false }
  try {
    let params: Readonly<Record<string, unknown>> | null = call.params
    for (let pages = 0; params !== null && pages < mostPages; pages += 1) {
      const given: Readonly<Record<string, unknown>> = params
      const next = notePage(walked, await engine.run(connection, { ...call, params: given }))
      params = next === null ? null : { ...given, ...next }
    }
  } catch (thrown) {
    walked.error = thrown
  }
  return walked
}

const listUnsent = ({ exchanges }: Recording, count: number): string[] =>
  exchanges.slice(count).map(({ request }, index) => `request ${count + index + 1} is not sent: ${request.method} ${request.path}`)

/** Replays a recording. Nothing waits, and a refusal is not tried again. */
export async function replay(connection: Connection, recording: Recording): Promise<Replay> {
  const { entity, action, exchanges, error: expected, hasMore } = recording
  const ended = new AbortController()
  // After the last answer of a refusal the engine would wait and try again.
  const onLast = (): void => (expected === undefined ? undefined : ended.abort())
  const vendor = new ReplaySender(exchanges, listSecretQuery(connection.kind.definition), onLast)
  const engine = createEngine({ limits: false, random: () => 0, http: vendor })
  const call = { entity, action, params: recording.params, signal: ended.signal }
  const walked = await walkCall(engine, connection, { call, mostPages: hasMore ? exchanges.length : Number.POSITIVE_INFINITY })
  await engine.close()
  const { error } = walked
  const unrecorded = error instanceof Unrecorded ? [error.message] : []
  return {
    data: error !== undefined || action !== 'list' ? walked.record : walked.rows,
    meta: walked.metas[0] ?? {},
    pages: walked.metas.length,
    hasMore: walked.hasMore,
    doubts: walked.doubts,
    error: error instanceof Unrecorded ? undefined : error,
    problems: [...vendor.problems, ...unrecorded, ...listUnsent(recording, vendor.sent.length)],
  }
}

/** What a write did whose answer was lost. */
export interface LostWrite {
  readonly sent: readonly HttpRequest[]
  readonly error: unknown
}

/** Runs a write whose first answer is lost on its way. */
export async function loseAnswer(connection: Connection, recording: Recording): Promise<LostWrite> {
  const { entity, action, params, exchanges } = recording
  const vendor = new ReplaySender(exchanges, listSecretQuery(connection.kind.definition), () => undefined)
  const sent: HttpRequest[] = []
  const http: HttpSender = {
    send: async (request) => {
      sent.push(request)
      if (sent.length > 1) return vendor.send(request)
      request.onSend?.()
      throw fail('upstream_unreachable', { vendor: connection.kind.definition.title, reason: 'the connection failed' })
    },
    open: () => vendor.open(),
    close: () => vendor.close(),
  }
  const engine = createEngine({ limits: false, random: () => 0, http })
  const error: unknown = await engine.run(connection, { entity, action, params }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  await engine.close()
  return { sent, error }
}

class Caught extends Error {}

/** Leaves out the call that describes the fields of an account, so that the first request is that of the call itself. */
function withoutDescription({ kind, ...connection }: Connection, name: string): Connection {
  const { entities, ...definition } = kind.definition
  const { described: _described, ...entity } = entities[name] ?? { about: '', key: [] }
  return { ...connection, kind: { ...kind, definition: { ...definition, entities: { ...entities, [name]: entity } } } }
}

/** Returns the first request of a call, which is not sent. @throws FerruleError for parameters that the kind refuses */
export async function catchRequest(
  connection: Connection,
  call: { readonly entity: string; readonly action: string; readonly params: Readonly<Record<string, unknown>> },
): Promise<HttpRequest> {
  const caught: HttpRequest[] = []
  const http: HttpSender = {
    send: async (request) => {
      caught.push(request)
      throw new Caught()
    },
    open: () => {
      throw new Caught()
    },
    close: async () => {},
  }
  const engine = createEngine({ limits: false, random: () => 0, http })
  try {
    await engine.run(withoutDescription(connection, call.entity), call)
  } catch (thrown) {
    if (!(thrown instanceof Caught)) throw thrown
  } finally {
    await engine.close()
  }
  const [request] = caught
  if (request === undefined) throw new Error(`${call.entity}.${call.action} sends nothing: ${show(call.params)}`)
  return request
}
