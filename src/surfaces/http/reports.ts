/** What happens around every request: its headers, its refusal while the service stops, its numbers and its log line. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'
import type { OpenRequests } from './open-requests.ts'
import { pathOf } from './reply.ts'
import type { Services } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path of the route as its document writes it. */
    readonly path?: string
  }
}

/** Requests that take longer are logged at `info`. Milliseconds. */
const slowMs = 10_000
/** What a log calls a request whose client went away before its answer. */
const clientGone = 499

/** Answers even of a stopping service: load balancers and scrapers ask until the end. */
const isAlwaysOpen = (url: string): boolean => url.startsWith('/health/') || url === '/metrics'

/** Headers of every answer; routes that may be cached replace the second. */
export function addCommonHeaders(reply: FastifyReply, requestId: string): void {
  reply.header('x-request-id', requestId)
  reply.header('cache-control', 'no-store')
  reply.header('x-content-type-options', 'nosniff')
}

/** Adds the hooks. There are two, because every hook costs every request. */
export function addReports(app: FastifyInstance, { stopping, metrics, logger }: Services, open: OpenRequests): void {
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(reply, request.id)
    open.add(request, reply)
    if (!stopping.isDraining || isAlwaysOpen(request.url)) return done()
    reply.header('connection', 'close')
    done(fail('unavailable', { reason: 'it is stopping' }, { retryAfterMs: 1_000 }))
  })
  const isDebug = logger.isLevelEnabled('debug')
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.raw.writableFinished ? reply.statusCode : clientGone
    const route = request.routeOptions.config.path ?? 'unmatched'
    metrics.request({ route, method: route === 'unmatched' ? 'any' : request.method, status, seconds: reply.elapsedTime / 1_000 })
    if (status >= 500 || reply.elapsedTime > slowMs) logger.info(lineOf(request, { reply, status }), 'request')
    else if (isDebug) logger.debug(lineOf(request, { reply, status }), 'request')
    done()
  })
}

/** Never the query, a header or a body. */
const lineOf = (request: FastifyRequest, { reply, status }: { readonly reply: FastifyReply; readonly status: number }) => ({
  request_id: request.id,
  ip: request.ip,
  method: request.method,
  path: pathOf(request.url),
  status,
  milliseconds: Math.round(reply.elapsedTime),
})
