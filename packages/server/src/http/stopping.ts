/**
 * The shutdown in order: readiness fails, new requests are refused, running calls get their time and then an error, then everything is
 * closed.
 * Reasons: docs/decisions/deployment.md
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FerruleError } from 'ferrule'
import { fail, isReading } from 'ferrule/internal'

/** Interval between two closings of idle connections, in milliseconds. */
const idleCheck = 50
/** Time for the last answers to reach their clients, in milliseconds. */
const flushMs = 1_000
/** Time to close syncs and databases after the last call, in milliseconds. */
const closeMs = 30_000

/** Progress of the shutdown. */
export class Stopping {
  readonly #calls = new AbortController()
  readonly #delay = new AbortController()
  #isLeaving = false
  #isDraining = false

  /** true: readiness fails, so load balancers send nothing more; requests are still answered. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** true: new requests are refused. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Aborts when running calls have had their time. */
  get calls(): AbortSignal {
    return this.#calls.signal
  }

  /** Fails readiness and waits until load balancers have noticed. @param seconds FERRULE_SHUTDOWN_DELAY */
  async leave(seconds: number): Promise<void> {
    this.#isLeaving = true
    if (seconds > 0) await sleep(seconds * 1_000, undefined, { signal: this.#delay.signal }).catch(() => undefined)
    this.#delay.abort()
    this.#isDraining = true
  }

  /** Ends the wait of `leave`. @returns false when nothing waits */
  skipDelay(): boolean {
    if (!this.#isLeaving || this.#delay.signal.aborted) return false
    this.#delay.abort()
    return true
  }

  /**
   * Ends the server. Running requests get their time; then they are answered with a problem and their sockets are destroyed.
   * @param seconds FERRULE_SHUTDOWN_SECONDS
   */
  async drain(app: FastifyInstance, seconds: number): Promise<void> {
    const { server } = app
    const idle = setInterval(() => server.closeIdleConnections(), idleCheck)
    let last = setTimeout(() => {
      this.#calls.abort()
      last = setTimeout(() => server.closeAllConnections(), flushMs) // from now on: a busy process comes late
    }, seconds * 1_000)
    await app.close()
    clearInterval(idle)
    clearTimeout(last)
  }
}

/**
 * Waits for a closing with a limit: a hanging database must not keep the process.
 * @throws FerruleError `unavailable` when it takes too long, and what `closing` throws
 */
export async function closeInTime(closing: Promise<void>): Promise<void> {
  const inTime = new AbortController()
  const tooLong = sleep(closeMs, undefined, { signal: inTime.signal }).then(() => {
    throw fail('unavailable', { reason: 'it does not close in time, because a database does not answer; the next start resumes the work' })
  })
  try {
    await Promise.race([closing, tooLong])
  } finally {
    inTime.abort()
    tooLong.catch(() => undefined)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Builds the route's own error for a shutdown; null: the default. Built when needed, because an error costs a stack. */
    buildStopped: (() => FerruleError) | null
  }
}

/** Why a call has no answer. */
export const stoppedReason = 'it was stopped before the call ended'

/** Builds the error of a stopped request that the client can retry. */
export const stoppedRead = (): FerruleError => fail('unavailable', { reason: stoppedReason }, { retryAfterMs: 1_000 })

/** Builds the error of a stopped request. A GET is retryable; the outcome of other methods is unknown. */
function stoppedError({ buildStopped, method }: FastifyRequest): FerruleError {
  if (buildStopped !== null) return buildStopped()
  if (isReading(method)) return stoppedRead()
  const hint = 'The request may have been carried out: look before you send it again.'
  return fail('unavailable', { reason: stoppedReason }, { retryable: false, hint })
}

/** The requests that are open. */
export class OpenRequests {
  readonly #open = new Map<FastifyRequest, FastifyReply>()

  /** Counts a request as open until its answer was sent or its connection closes. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    this.#open.set(request, reply)
    reply.raw.once('close', () => this.#open.delete(request))
  }

  /** Refuses all open requests, except requests whose answer has begun. */
  refuseAll(refuse: (error: FerruleError, request: FastifyRequest, reply: FastifyReply) => void): void {
    for (const [request, reply] of this.#open) {
      if (reply.sent) continue
      reply.header('connection', 'close')
      refuse(stoppedError(request), request, reply)
    }
  }
}
