/** Requests that have no answer yet, and what they are told when the service stops before their call has ended. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FerruleError, fail } from '../../errors.ts'
import type { Refuse } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What its route wants the client to be told; null: what is told by default. */
    stopped: FerruleError | null
  }
}

/** Why a call has no answer. */
export const stoppedReason = 'it was stopped before the call ended'

/** What a client is told that may send its request again. */
export const stoppedRead = (): FerruleError => fail('unavailable', { reason: stoppedReason }, { retryAfterMs: 1_000 })

/** A GET can be sent again; of other requests nobody knows whether they were carried out. */
function stoppedError({ stopped, method }: FastifyRequest): FerruleError {
  if (stopped !== null) return stopped
  if (method === 'GET' || method === 'HEAD') return stoppedRead()
  const hint = 'The request may have been carried out: look before you send it again.'
  return fail('unavailable', { reason: stoppedReason }, { retryable: false, hint })
}

/** The requests that are open. */
export class OpenRequests {
  readonly #open = new Map<FastifyRequest, FastifyReply>()

  /** Counts a request as open until its connection has its answer, or is gone. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    this.#open.set(request, reply)
    reply.raw.once('close', () => this.#open.delete(request))
  }

  /** Answers them all; those whose answer has begun are left alone, because it can only be cut. */
  refuseAll(refuse: Refuse): void {
    for (const [request, reply] of this.#open) {
      if (reply.sent) continue
      reply.header('connection', 'close')
      refuse(stoppedError(request), request, reply)
    }
  }
}
