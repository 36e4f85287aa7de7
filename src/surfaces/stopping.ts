/** The end of the service, in order: readiness fails, nothing new is taken, running calls get their time, then all is closed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { fail } from '../errors.ts'

/** How often connections are looked for that have answered their last request and wait for more. Milliseconds. */
const idleCheck = 50
/** Time for the last answers to reach their clients, in milliseconds. */
const flushMs = 1_000
/** Time for what is closed behind the last call: walks of syncs, what is still to be stored, databases. Milliseconds. */
const closeMs = 30_000

/** How far the end is. */
export class Stopping {
  readonly #calls = new AbortController()
  readonly #delay = new AbortController()
  #isLeaving = false
  #isDraining = false

  /** Whether load balancers are told to send nothing more; requests that come are answered. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Whether new requests are refused. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Aborts when running calls have had their time. */
  get calls(): AbortSignal {
    return this.#calls.signal
  }

  /** Waits until load balancers have learned of the end. @param seconds FERRULE_SHUTDOWN_DELAY */
  async leave(seconds: number): Promise<void> {
    this.#isLeaving = true
    if (seconds > 0) await sleep(seconds * 1_000, undefined, { signal: this.#delay.signal }).catch(() => undefined)
    this.#delay.abort()
    this.#isDraining = true
  }

  /** Ends the wait of `leave`. @returns false when there is none */
  skipDelay(): boolean {
    if (!this.#isLeaving || this.#delay.signal.aborted) return false
    this.#delay.abort()
    return true
  }

  /**
   * Ends the server: requests that run may finish; those that do not are answered with a problem, then their sockets are destroyed.
   * @param seconds FERRULE_SHUTDOWN_SECONDS
   */
  async drain(app: FastifyInstance, seconds: number): Promise<void> {
    const { server } = app
    const idle = setInterval(() => server.closeIdleConnections(), idleCheck)
    const last = setTimeout(() => this.#calls.abort(), seconds * 1_000)
    const force = setTimeout(() => server.closeAllConnections(), seconds * 1_000 + flushMs)
    await app.close()
    clearInterval(idle)
    clearTimeout(last)
    clearTimeout(force)
  }
}

/**
 * Waits for what is closed, but not for ever: a database that hangs must not keep the process.
 * @throws FerruleError `unavailable` when it takes too long, and what `closing` throws
 */
export async function closeInTime(closing: Promise<void>): Promise<void> {
  const inTime = new AbortController()
  const tooLong = sleep(closeMs, undefined, { signal: inTime.signal }).then(() => {
    throw fail('unavailable', { reason: 'it does not close in time, as a database does not answer; the next start goes on where it stood' })
  })
  try {
    await Promise.race([closing, tooLong])
  } finally {
    inTime.abort()
    tooLong.catch(() => undefined)
  }
}
