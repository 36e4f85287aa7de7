/** The handlers of errors: thrown by routes, refused by Fastify, or without a route. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FerruleError } from 'ferrule'
import { fail, fillHint } from 'ferrule/internal'
import type { Logger } from 'pino'
import { addCommonHeaders, buildErrorHeaders, problemBody, readPath, toError } from './body.ts'
import { noteProblem } from './request-spans.ts'
import { findNotOffered, type Route } from './route.ts'

const slotsIn = (path: string): number => path.split('{').length - 1

/**
 * A function from a path (without query) to the methods that it takes: empty where no route is. Where several routes fit a path, it is
 * that of the one with the fewest slots: `/workspaces/stats` is no workspace.
 * It runs for unmatched requests only.
 */
function allowedMethods(routes: readonly Pick<Route, 'method' | 'path'>[]): (path: string) => readonly string[] {
  const table = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, own]) => ({
      path,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
      methods: own.map(({ method }) => method),
    }))
    .toSorted((a, b) => slotsIn(a.path) - slotsIn(b.path))
  return (path) => {
    const { methods = [] } = table.find(({ pattern }) => pattern.test(path)) ?? {}
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted()
  }
}

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
  return Object.fromEntries(
    given.filter(([name, value]) => name.endsWith('_id') && typeof value === 'string' && /^[\w-]{1,100}$/.test(value)),
  )
}

/** Builds what answers refusals. */
export function refuser({ logger }: { readonly logger: Logger }): Refuse {
  return (thrown, request, reply) => {
    const { method, url, headers, routeOptions } = request
    const error = fillHint(
      toError(thrown, { method, url, contentType: headers['content-type'], bodyLimit: routeOptions.bodyLimit }),
      readIds(request),
    )
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
