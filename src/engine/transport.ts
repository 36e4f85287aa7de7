/** Sends one request of an operation under credentials, limits and retries, and returns an answer that is a success or "nothing found". */
import { FerruleError, fail } from '../errors.ts'
import { bodyOf, headerOf, type WireAnswer } from './answer.ts'
import type { Taken } from './apart.ts'
import { type Apart, type ApartCall, answerApart, isLarge } from './apart-answer.ts'
import { type Authorization, authorize, isRenewable, renew } from './auth.ts'
import { type Place, takePlace } from './budget.ts'
import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import type { Http } from './http.ts'
import type { Limiter } from './limits.ts'
import { type MemoryLease, weightOfBody, weightOfBytes } from './memory.ts'
import { checkResult } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import { configured, originsOf, prefixOf } from './origin.ts'
import type { Call } from './outcome.ts'
import type { Params } from './params.ts'
import type { WireRequest } from './request.ts'
import { isTransient, maxAttempts, pauseBefore, retryAfterOf } from './retry.ts'
import { proofIn, type Redact, successOf, verdictOf } from './verdict.ts'

/** What the engine shares between calls. */
export interface Runtime {
  readonly http: Http
  /** Absent: the vendor's rate is not watched. */
  readonly limiter?: Limiter
  /** Milliseconds since 1970, as they are stored. */
  readonly clock: () => number
  /** Milliseconds since 1970, as vendors have them: in tokens and dates. */
  readonly wall: () => number
  /** Milliseconds that never step, for waits. */
  readonly steady: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  /** Absent: all bodies are read in the loop. */
  readonly apart?: Apart
}

/** One call on its way. */
export interface Running {
  readonly runtime: Runtime
  readonly connection: Connection
  readonly operation: CompiledOperation
  /** Parameters as they are sent. */
  readonly params: Params
  readonly deadline: Deadline
  /** The caller's Idempotency-Key of a write. */
  readonly idempotencyKey?: string | undefined
  /** In the vendor's budget every other call goes first. */
  readonly background?: boolean | undefined
  /** Rows of a large result stay raw. */
  readonly rawRows?: Call['rawRows']
  /** The memory that answers are counted in. */
  readonly memory?: MemoryLease | undefined
  /** What is taken of a body that is read apart; nothing when left out. */
  readonly take?: Taken
  /** Told when a request is written to a connection. */
  readonly onSend?: () => void
  /** Ends requests that were sent, in the place of the deadline. */
  readonly requestSignal?: AbortSignal
}

/** A success, with its body and what the vendor tells beside it; or an answer that means "nothing found". */
export type Reply =
  | { readonly is: 'answer'; readonly answer: WireAnswer; readonly body: unknown; readonly warnings: readonly string[] }
  | { readonly is: 'empty' }
/** A reply, or an answer that means "not yet". */
export type Attempt = Reply | Unready

/** An answer that means "not yet". */
export interface Unready {
  readonly is: 'unready'
  readonly answer: WireAnswer
}

/** What an authorization of this call needs. */
export const authContext = ({ runtime, deadline }: Pick<Running, 'runtime' | 'deadline'>) => ({
  http: runtime.http,
  signal: deadline.signal,
  now: runtime.wall(),
})

/** Tells the connector's owner which version answered. */
function notice({ connection, operation }: Running, answer: WireAnswer): void {
  const { version } = operation.kind.definition
  if (version === undefined || connection.notice === undefined) return
  const answered = headerOf(answer, version.header)
  const deprecated = headerOf(answer, version.deprecation)
  const asked = configured(connection, version.configuration)
  if (answered !== undefined && answered !== asked) connection.notice({ type: 'api_version', asked, answered })
  if (deprecated !== undefined) connection.notice({ type: 'deprecated', entity: operation.entityName, reason: deprecated.slice(0, 500) })
}

/** How the answers of a call are read apart; undefined where they are not. */
export function apartCallOf({ runtime, connection, operation, params, take = 'nothing', deadline }: Running): ApartCall | undefined {
  const { apart } = runtime
  return apart === undefined ? undefined : { apart, connection, operation, params, take, signal: deadline.signal }
}

async function send(running: Running, wire: WireRequest, authorization: Authorization): Promise<WireAnswer> {
  const answer = await sendOver(running, wire, authorization)
  const call = apartCallOf(running)
  if (call === undefined || !isLarge(answer, call.apart)) return answer
  const held = (running.memory?.held ?? 0) - (weightOfBody - weightOfBytes) * answer.bytes.length
  const read = await answerApart(call, answer)
  running.memory?.shrinkTo(Math.max(0, held)) // what was read is gone, its bytes are here
  return read
}

const bytesFrom = ({ apart }: Runtime) => (apart === undefined ? {} : { bytesFrom: apart.from })

async function sendOver(running: Running, wire: WireRequest, authorization: Authorization): Promise<WireAnswer> {
  const { runtime, connection, operation, deadline } = running
  const { patience, title } = operation.kind.definition
  deadline.signal.throwIfAborted()
  const origins = originsOf(connection, authorization.opened.values.reveal())
  return runtime.http.send({
    url: new URL(origins.api + (wire.unprefixed ? '' : prefixOf(connection)) + wire.path),
    trust: 'config',
    method: wire.method,
    headers: {
      accept: 'application/json',
      'user-agent': 'ferrule',
      ...authorization.headers,
      ...origins.forwarded.api,
      ...(wire.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(wire.body === undefined ? {} : { body: wire.body }),
    ...(patience === undefined ? {} : { patience }),
    ...(running.onSend === undefined ? {} : { onSend: running.onSend }),
    ...(running.memory === undefined ? {} : { memory: running.memory }),
    ...(running.rawRows === undefined ? bytesFrom(runtime) : { bytesFrom: 0 }),
    signal: running.requestSignal ?? deadline.signal,
    vendor: title,
  })
}

async function attempt(running: Running, wire: WireRequest, authorization: Authorization): Promise<Attempt> {
  const place = await takePlace(running, authorization)
  const held = running.memory?.held ?? 0
  try {
    const answer = await send(running, wire, authorization)
    notice(running, answer)
    return readAnswer(running, wire, { answer, place, redact: authorization.redact })
  } catch (thrown) {
    running.memory?.shrinkTo(held)
    throw thrown
  } finally {
    place.giveBack()
  }
}

/** An answer, with whom it is told to. */
interface Answered {
  readonly answer: WireAnswer
  readonly place: Place
  readonly redact: Redact
}

/** What an answer means to the caller, and to the budget. @throws FerruleError of the vendor */
function readAnswer(running: Running, wire: WireRequest, { answer, place, redact }: Answered): Attempt {
  const { runtime, operation, params } = running
  const done = (attempt: Attempt): Attempt => {
    place.prove(true)
    place.observe(answer)
    return attempt
  }
  if (wire.unready?.includes(answer.status)) return answer.status < 300 ? done({ is: 'unready', answer }) : { is: 'unready', answer }
  if (answer.status >= 200 && answer.status < 300) {
    const body = bodyOf(operation, answer, running.rawRows)
    const warnings = successOf(operation, { answer, body, redact })
    if (warnings !== undefined) {
      checkResult(operation, body)
      return done({ is: 'answer', answer, body, warnings })
    }
  }
  const verdict = verdictOf(operation, answer, { params, redact, now: runtime.wall(), waitBy: (rule) => place.waitBy(rule) })
  if (verdict.is === 'empty') return done({ is: 'empty' })
  place.prove(proofIn(operation, verdict.error))
  place.observe(answer)
  place.hold(verdict.error)
  throw verdict.error
}

const isStale = (running: Running, error: unknown, authorization: Authorization): boolean =>
  error instanceof FerruleError && error.code === 'upstream_auth_failed' && isRenewable(running.connection, authorization)

/** Actions that change something: whether the vendor ran one that failed is not known, so it is never sent again. */
const writes: ReadonlySet<string> = new Set(['create', 'update', 'delete'])
/** Whether a call changes something at the vendor. */
export const isWrite = ({ operation }: Pick<Running, 'operation'>): boolean => writes.has(operation.action)

/** Waits before the next attempt. @throws the error itself when there is to be none; the reason of a signal that ends the pause */
export async function pauseOrThrow(running: Running, error: unknown, failures: number): Promise<void> {
  if (!isTransient(error) || isWrite(running) || failures >= maxAttempts || running.deadline.signal.aborted) throw error
  const pause = pauseBefore(error, failures, running.runtime.random)
  if (pause >= running.deadline.remaining) throw error
  await running.deadline.pause(pause)
}

/** Pause before an answer that was not ready is asked for again, when the vendor names none, in milliseconds. */
const unreadyPause = 1_000
/** The shortest such pause: a vendor that names none worth the name is not asked again at once. */
const shortestPause = 100

/** Waits for an answer that was not ready. @throws FerruleError `upstream_timeout`, at once when it would come after the deadline */
async function awaitReady({ deadline, operation, runtime }: Running, { headers }: WireAnswer): Promise<void> {
  const pause = Math.max(shortestPause, retryAfterOf(headers, runtime.wall()) ?? unreadyPause)
  const { remaining } = deadline
  if (pause < remaining) return deadline.pause(pause)
  deadline.signal.throwIfAborted()
  throw fail(
    'upstream_timeout',
    { vendor: operation.kind.definition.title, seconds: Math.round(remaining) / 1000 },
    { retryAfterMs: pause, hint: 'The answer is not ready yet: ask again after the time of Retry-After.' },
  )
}

/**
 * Sends a request. Transient failures of reads are tried again within the deadline, a write that failed is not; a wait that the
 * vendor asks for beyond the deadline is returned to the caller as `upstream_rate_limited` with its time, not slept. An answer that is not ready yet is asked for again
 * until the deadline. Credentials that the vendor no longer takes are renewed once; a renewal that fails ends the call: a
 * single-use token may be spent although no answer came.
 * @throws FerruleError of the error table; the abort reason of a caller that went away
 */
export async function exchange(running: Running, wire: WireRequest): Promise<Reply> {
  const failed = (error: unknown, failures: number) => pauseOrThrow(running, error, failures)
  for (;;) {
    const reply = await exchangeOnce(running, { wire: () => wire, failed })
    if (reply.is !== 'unready') return reply
    await awaitReady(running, reply.answer)
  }
}

/** What decides after an attempt that failed. */
export interface Attempts {
  /** What is sent next. */
  readonly wire: () => WireRequest
  /** Waits before the next attempt. @throws what ends the call */
  readonly failed: (error: unknown, failures: number) => Promise<void>
}

/** Sends a request until an attempt succeeds or `failed` ends it; an answer that is not ready is returned as such. */
export async function exchangeOnce(running: Running, { wire, failed }: Attempts): Promise<Attempt> {
  let authorization = await authorize(running.connection, authContext(running))
  let renewals = 0
  for (let failures = 0; ; ) {
    try {
      return await attempt(running, wire(), authorization)
    } catch (error) {
      if (renewals === 0 && isStale(running, error, authorization)) {
        renewals += 1
        authorization = await renew(running.connection, authorization.opened, authContext(running))
        continue
      }
      failures += 1
      await failed(error, failures)
      authorization = await authorize(running.connection, authContext(running))
    }
  }
}
