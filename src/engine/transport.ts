/** Sends one request of an operation under credentials, limits and retries, and returns an answer that is a success or "nothing found". */
import { FerruleError, fail } from '../errors.ts'
import { verdictOf, type WireAnswer } from './answer.ts'
import { type Authorization, authorize, isRenewable, renew } from './auth.ts'
import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import type { Http } from './http.ts'
import { budgetKey, type Limiter } from './limits.ts'
import type { CompiledOperation } from './operation.ts'
import { originsOf } from './origin.ts'
import type { Params } from './params.ts'
import type { WireRequest } from './request.ts'
import { isTransient, maxAttempts, pauseBefore } from './retry.ts'

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
  readonly params: Params
  readonly deadline: Deadline
}

/** A success, or an answer that means "nothing found". */
export type Reply = { readonly empty: false; readonly answer: WireAnswer } | { readonly empty: true }

const authContext = ({ runtime, deadline }: Running) => ({ http: runtime.http, signal: deadline.signal, now: runtime.clock() })

const keyOf = ({ connection, operation }: Running, authorization: Authorization): string => {
  const { kind, limits } = operation.kind.definition
  const values = authorization.opened.values.reveal()
  const shared = limits.key.map((field) => values[field] ?? connection.configuration[field]).find((value) => typeof value === 'string')
  return budgetKey(kind, connection.origin?.api ?? '', String(shared ?? ''))
}

const tooLate = (running: Running, wait: number) =>
  fail('upstream_rate_limited', { vendor: running.operation.kind.definition.title }, { retryAfterMs: wait })

async function takeTurn(running: Running, key: string): Promise<void> {
  const { limiter, clock } = running.runtime
  if (limiter === undefined) return
  const now = clock()
  const { wait, refused } = limiter.reserve(key, running.operation.kind.definition.limits, {
    now,
    latest: now + running.deadline.remaining,
  })
  if (refused) throw tooLate(running, wait)
  await running.deadline.pause(wait)
}

async function attempt(running: Running, wire: WireRequest, authorization: Authorization): Promise<Reply> {
  const { runtime, connection, operation, params, deadline } = running
  const key = keyOf(running, authorization)
  await takeTurn(running, key)
  const origins = originsOf(connection, authorization.opened.values.reveal())
  const answer = await runtime.http.send({
    url: new URL(origins.api + wire.path),
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
    signal: deadline.signal,
    vendor: operation.kind.definition.title,
  })
  if (answer.status >= 200 && answer.status < 300) return { empty: false, answer }
  const verdict = verdictOf(operation, answer, { params, redact: authorization.redact, now: runtime.clock() })
  if (verdict.is === 'empty') return { empty: true }
  if (verdict.error.code === 'upstream_rate_limited' && verdict.error.retryAfterMs !== undefined)
    runtime.limiter?.postpone(key, runtime.clock() + verdict.error.retryAfterMs)
  throw verdict.error
}

const isStale = (running: Running, error: unknown, authorization: Authorization): boolean =>
  error instanceof FerruleError && error.code === 'upstream_auth_failed' && isRenewable(running.connection, authorization)

/** Waits before the next attempt. @throws the error itself when there is to be none; the reason of a signal that ends the pause */
export async function pauseOrThrow(running: Running, error: unknown, failures: number): Promise<void> {
  if (!isTransient(error) || failures >= maxAttempts || running.deadline.signal.aborted) throw error
  const pause = pauseBefore(error, failures, running.runtime.random)
  if (pause >= running.deadline.remaining) throw error
  await running.deadline.pause(pause)
}

/**
 * Sends a read. Transient failures are tried again within the deadline; a wait that the vendor asks for beyond the deadline is
 * returned to the caller as `upstream_rate_limited` with its time, not slept. Credentials that the vendor no longer takes are
 * renewed once. A renewal that fails ends the call: a single-use token may be spent although no answer came.
 * @throws FerruleError of the error table; the abort reason of a caller that went away
 */
export async function exchange(running: Running, wire: WireRequest): Promise<Reply> {
  let authorization = await authorize(running.connection, authContext(running))
  let renewals = 0
  for (let failures = 0; ; ) {
    try {
      return await attempt(running, wire, authorization)
    } catch (error) {
      if (renewals === 0 && isStale(running, error, authorization)) {
        renewals += 1
        authorization = await renew(running.connection, authorization.opened, authContext(running))
        continue
      }
      failures += 1
      await pauseOrThrow(running, error, failures)
      authorization = await authorize(running.connection, authContext(running))
    }
  }
}
