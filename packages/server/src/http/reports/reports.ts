/** Hooks of every request: common headers, refusal during a shutdown, metrics and the log line. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from 'ferrule/internal'
import type { OpenRequests } from '../open-requests.ts'
import { addCommonHeaders, readPath } from '../reply.ts'
import type { Services } from '../route.ts'
import { addRequestSpans, findStatus, isOfOperators, nameRoute } from './request-spans.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path of the route as its document writes it. */
    readonly path?: string
  }
}

/** Requests that take longer are logged at `info`. Milliseconds. */
const slowMs = 10_000

/** Adds the hooks. There are two, because every hook costs every request; spans have their own. */
export function addReports(app: FastifyInstance, { stopping, metrics, logger }: Services, open: OpenRequests): void {
  addRequestSpans(app)
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(reply, request)
    open.add(request, reply)
    if (!stopping.isDraining || isOfOperators(request.url)) return done()
    reply.header('connection', 'close')
    done(fail('unavailable', { reason: 'it is stopping' }, { retryAfterMs: 1_000 }))
  })
  const isDebug = logger.isLevelEnabled('debug')
  app.addHook('onResponse', (request, reply, done) => {
    const status = findStatus(reply)
    const route = nameRoute(request)
    metrics.request({ route, method: route === 'unmatched' ? 'any' : request.method, status, seconds: reply.elapsedTime / 1_000 })
    if (status >= 500 || reply.elapsedTime > slowMs) logger.info(toLogLine(request, { reply, status }), 'request')
    else if (isDebug) logger.debug(toLogLine(request, { reply, status }), 'request')
    done()
  })
}

/** Never the query, a header or a body. */
const toLogLine = (request: FastifyRequest, { reply, status }: { readonly reply: FastifyReply; readonly status: number }) => ({
  request_id: request.id,
  ip: request.ip,
  method: request.method,
  path: readPath(request.url),
  status,
  milliseconds: Math.round(reply.elapsedTime),
})
