/** How errors leave: one handler for what routes throw, for what Fastify refuses and for what no route takes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type FerruleError, fail } from '../../errors.ts'
import { allowedMethods } from './allowed-methods.ts'
import { errorOf, headersOf, pathOf, problemBody } from './reply.ts'
import { addCommonHeaders } from './reports.ts'
import type { Route } from './route.ts'

/** Headers that a route may have set for an answer which then failed. */
const ofTheAnswer = ['content-length', 'content-range', 'content-disposition', 'accept-ranges', 'etag']

/** Sends an error as problem details, and logs what nobody expected. */
export type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** What was not expected is logged with its cause, unless only the client went away. */
function report(logger: Logger, error: FerruleError, request: FastifyRequest): void {
  const isUnexpected = error.code === 'internal_error' || (error.fault === 'service' && error.cause !== undefined)
  if (isUnexpected) logger.error({ request_id: request.id, code: error.code, err: error.cause ?? error }, 'a request failed')
}

/** @param options `bodyLimit`: in bytes, for the refusal of larger bodies */
export function refuser({ logger, bodyLimit }: { readonly logger: Logger; readonly bodyLimit: number }): Refuse {
  return (thrown, request, reply) => {
    const { method, url, headers } = request
    const error = errorOf(thrown, { method, url, contentType: headers['content-type'], bodyLimit })
    if (!reply.raw.destroyed) report(logger, error, request)
    for (const name of ofTheAnswer) reply.removeHeader(name)
    addCommonHeaders(reply, request.id)
    reply.code(error.status).headers(headersOf(error)).send(problemBody(error, request.id))
  }
}

/** The refusal of a request that matches no route. */
function unmatched({ method, url }: FastifyRequest, allowed: readonly string[]): FerruleError {
  const path = pathOf(url)
  if (allowed.length === 0) return fail('not_found', { method, path })
  const list = allowed.join(', ')
  return fail('method_not_allowed', { method, path, allowed: list }, { headers: { allow: list } })
}

/** Adds the handlers. */
export function addRefusals(
  app: FastifyInstance,
  { routes, refuse }: { readonly routes: readonly Route[]; readonly refuse: Refuse },
): void {
  const methodsOf = allowedMethods(routes)
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => refuse(unmatched(request, methodsOf(request.url.split('?', 1)[0] ?? '')), request, reply))
}
