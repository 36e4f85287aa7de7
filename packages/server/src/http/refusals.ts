/** The handlers of errors: thrown by routes, refused by Fastify, or without a route. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FerruleError } from 'ferrule'
import { fail, fillHint } from 'ferrule/internal'
import type { Logger } from 'pino'
import { allowedMethods } from './allowed-methods.ts'
import { findNotOffered } from './compat/door.ts'
import { addCommonHeaders, buildErrorHeaders, problemBody, readPath, toError } from './reply.ts'
import { noteProblem } from './reports/request-spans.ts'
import type { Route } from './route.ts'

/** Headers that a route may have set for an answer which then failed. */
const ofTheAnswer = ['content-length', 'content-range', 'content-disposition', 'accept-ranges', 'etag']

/** Sends an error as problem details, and logs unexpected errors. */
export type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** Logs an unexpected error with its cause. */
export function reportError(logger: Logger, error: FerruleError, request: FastifyRequest): void {
  const isUnexpected = error.code === 'internal_error' || (error.fault === 'service' && error.cause !== undefined)
  if (isUnexpected) logger.error({ request_id: request.id, code: error.code, err: error.cause ?? error }, 'a request failed')
}

/** Ids of the path that hints name. A value that cannot be an id is not repeated. */
function readIds({ params }: FastifyRequest): Readonly<Record<string, string>> {
  const given = typeof params === 'object' && params !== null ? Object.entries(params) : []
  return Object.fromEntries(given.filter(([name, value]) => name.endsWith('_id') && typeof value === 'string' && isId(value)))
}

const isId = (text: string): boolean => /^[\w-]{1,100}$/.test(text)

/** @param options `bodyLimit`: in bytes, for the refusal of larger bodies */
export function refuser({ logger, bodyLimit }: { readonly logger: Logger; readonly bodyLimit: number }): Refuse {
  return (thrown, request, reply) => {
    const { method, url, headers } = request
    const error = fillHint(toError(thrown, { method, url, contentType: headers['content-type'], bodyLimit }), readIds(request))
    if (!reply.raw.destroyed) reportError(logger, error, request)
    noteProblem(request, error.code)
    for (const name of ofTheAnswer) reply.removeHeader(name)
    addCommonHeaders(reply, request)
    const challenge = reply.getHeader('www-authenticate') // a route's own says more than the default
    reply.code(error.status).headers(buildErrorHeaders(error))
    if (challenge !== undefined) reply.header('www-authenticate', challenge)
    reply.send(problemBody(error, request.id))
  }
}

/** Builds the error of a request without a route. */
function unmatched({ method, url }: FastifyRequest, allowed: readonly string[]): FerruleError {
  const path = readPath(url)
  if (allowed.length === 0) return findNotOffered(path) ?? fail('not_found', { method, path })
  const list = allowed.join(', ')
  return fail('method_not_allowed', { method, path, allowed: list }, { headers: { allow: list } })
}

/** Adds the handlers. */
export function addRefusals(
  app: FastifyInstance,
  { routes, refuse }: { readonly routes: readonly Route[]; readonly refuse: Refuse },
): void {
  const findMethods = allowedMethods(routes)
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => refuse(unmatched(request, findMethods(request.url.split('?', 1)[0] ?? '')), request, reply))
}
