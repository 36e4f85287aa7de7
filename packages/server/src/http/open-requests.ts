/** Requests without an answer, and their errors when the service stops. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import type { Refuse } from './refusals.ts'

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
  if (method === 'GET' || method === 'HEAD') return stoppedRead()
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
  refuseAll(refuse: Refuse): void {
    for (const [request, reply] of this.#open) {
      if (reply.sent) continue
      reply.header('connection', 'close')
      refuse(stoppedError(request), request, reply)
    }
  }
}
