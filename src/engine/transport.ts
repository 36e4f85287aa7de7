/** Sends one request of an operation under credentials, limits and retries, and returns an answer that is a success or "nothing found". */
import type { ErrorRule, Limits } from '../definition/connector.ts'
import { FerruleError, fail } from '../errors.ts'
import { bodyOf, headerOf, type WireAnswer } from './answer.ts'
import { type Authorization, authorize, isRenewable, renew } from './auth.ts'
import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import type { Http } from './http.ts'
import { budgetKey, type Limiter } from './limits.ts'
import { checkResult } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import { configured, originsOf, ownOriginOf, prefixOf } from './origin.ts'
import type { Call } from './outcome.ts'
import type { Params } from './params.ts'
import type { WireRequest } from './request.ts'
import { isTransient, maxAttempts, pauseBefore, retryAfterOf } from './retry.ts'
import { successOf, verdictOf } from './verdict.ts'

/** What the engine shares between calls. */
export interface Runtime {
  readonly http: Http
  /** Absent: the vendor's rate is not watched. */
  readonly limiter?: Limiter
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
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
  now: runtime.clock(),
})

const keyOf = ({ connection, operation }: Running, authorization: Authorization): string => {
  const { kind, limits } = operation.kind.definition
  const values = authorization.opened.values.reveal()
  const shared = limits.key.map((field) => values[field] ?? connection.configuration[field]).find((value) => typeof value === 'string')
  return budgetKey(kind, connection.origin?.api ?? '', ownOriginOf(connection), String(shared ?? ''))
}

/** The budget's rules, by the configuration of the connector. */
const limitsOf = ({ connection, operation }: Running): Limits => {
  const { limits } = operation.kind.definition
  const { other } = limits
  return other !== undefined && configured(connection, other.configuration) === other.is ? { ...limits, rates: other.rates } : limits
}

const tooLate = (running: Running, wait: number) =>
  fail('upstream_rate_limited', { vendor: running.operation.kind.definition.title }, { retryAfterMs: wait })

/** Waits until a turn is free that nobody else waits for: a call in the background reserves none. */
async function awaitFree(running: Running, key: string): Promise<void> {
  const { limiter, clock } = running.runtime
  const limits = limitsOf(running)
  for (let wait = limiter?.busyFor(key, limits, clock()) ?? 0; wait > 0; wait = limiter?.busyFor(key, limits, clock()) ?? 0) {
    if (wait > running.deadline.remaining) throw tooLate(running, wait)
    await running.deadline.pause(wait)
  }
}

async function takeTurn(running: Running, key: string): Promise<void> {
  const { limiter, clock } = running.runtime
  if (limiter === undefined) return
  if (running.background) await awaitFree(running, key)
  const now = clock()
  const { wait, refused } = limiter.reserve(key, limitsOf(running), {
    now,
    latest: now + running.deadline.remaining,
  })
  if (refused) throw tooLate(running, wait)
  try {
    await running.deadline.pause(wait)
    for (let more = limiter.enter(key, clock()); more > 0; more = limiter.enter(key, clock())) {
      if (more > running.deadline.remaining) throw tooLate(running, more)
      await running.deadline.pause(more)
    }
  } catch (error) {
    limiter.giveBack(key)
    throw error
  }
}

/** Tells the budget what the vendor says of its level, and the connector's owner which version answered. */
function observe({ runtime, connection, operation }: Running, key: string, answer: WireAnswer): void {
  const { limits, version } = operation.kind.definition
  const level = limits.bucket === undefined ? undefined : headerOf(answer, limits.bucket.header)
  if (level !== undefined) runtime.limiter?.observe(key, level, runtime.clock())
  if (version === undefined || connection.notice === undefined) return
  const answered = headerOf(answer, version.header)
  const deprecated = headerOf(answer, version.deprecation)
  const asked = configured(connection, version.configuration)
  if (answered !== undefined && answered !== asked) connection.notice({ type: 'api_version', asked, answered })
  if (deprecated !== undefined) connection.notice({ type: 'deprecated', entity: operation.entityName, reason: deprecated.slice(0, 500) })
}

async function send(running: Running, wire: WireRequest, authorization: Authorization): Promise<WireAnswer> {
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
    ...(running.rawRows === undefined ? {} : { asBytes: true }),
    signal: running.requestSignal ?? deadline.signal,
    vendor: title,
  })
}

async function attempt(running: Running, wire: WireRequest, authorization: Authorization): Promise<Attempt> {
  const { runtime, operation, params } = running
  const { redact } = authorization
  const key = keyOf(running, authorization)
  await takeTurn(running, key)
  const answer = await send(running, wire, authorization)
  observe(running, key, answer)
  if (wire.unready?.includes(answer.status)) return { is: 'unready', answer }
  if (answer.status >= 200 && answer.status < 300) {
    const body = bodyOf(operation, answer, running.rawRows)
    const warnings = successOf(operation, { answer, body, redact })
    if (warnings !== undefined) {
      checkResult(operation, body)
      runtime.limiter?.accept(key)
      return { is: 'answer', answer, body, warnings }
    }
  }
  const now = runtime.clock()
  const verdict = verdictOf(operation, answer, { params, redact, now, waitBy: (rule) => waitBy(running, key, rule) })
  if (verdict.is === 'empty') return { is: 'empty' }
  if (verdict.error.code === 'upstream_rate_limited' && verdict.error.retryAfterMs !== undefined)
    runtime.limiter?.postpone(key, now + verdict.error.retryAfterMs)
  throw verdict.error
}

/** How long to wait by a rule of the kind: refusals for too many calls in a row add up, other failures do not. */
function waitBy({ runtime }: Running, key: string, { is, wait }: ErrorRule): number | undefined {
  if (wait === undefined) return undefined
  const counted = is === 'upstream_rate_limited' ? runtime.limiter?.refuse(key, wait, runtime.clock()) : undefined
  return counted ?? wait.first * 1000
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
  const pause = Math.max(shortestPause, retryAfterOf(headers, runtime.clock()) ?? unreadyPause)
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
