/** Spans of requests, in the names of OpenTelemetry's conventions for HTTP servers. Never a filled path, a query, a header or an address. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getTracing, type Span, type SpanStart } from 'ferrule/internal'
import { clientGone, findStatus, nameRoute } from './body.ts'

/** Returns whether load balancers and scrapers send a request: these answer until the end, and have no span. */
export const isOfOperators = (url: string): boolean => url.startsWith('/health/') || url === '/metrics'

const describeRequest = (request: FastifyRequest): SpanStart => {
  const route = nameRoute(request)
  const isMatched = route !== 'unmatched'
  return {
    name: isMatched ? `${request.method} ${route}` : 'HTTP',
    kind: 'server',
    attributes: {
      'http.request.method': isMatched ? request.method : '_OTHER',
      'http.route': isMatched ? route : undefined,
      'url.scheme': request.protocol,
      'ferrule.request_id': request.id,
    },
    from: request.headers,
  }
}

interface Traced {
  readonly span: Span
  /** Code of the problem that is the answer. */
  code?: string
}

const running = new WeakMap<FastifyRequest, Traced>()

/** Notes the code of the problem that a request is answered with. */
export function noteProblem(request: FastifyRequest, code: string): void {
  const traced = running.get(request)
  if (traced !== undefined) traced.code = code
}

/** Ends a span. Only failures of ours are errors of the span, by the conventions. */
function endSpan({ span, code }: Traced, status: number): void {
  span.set({ 'http.response.status_code': status, 'error.type': status === clientGone ? 'aborted' : code })
  if (status >= 500) span.fail(code ?? String(status))
  span.end()
}

/** Adds the hooks of spans, if something collects spans. Call it before all other hooks. */
export function addRequestSpans(app: FastifyInstance): void {
  const tracing = getTracing()
  if (tracing === undefined) return
  const follow = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const traced = running.get(request)
    if (traced === undefined) done()
    else traced.span.run(done)
  }
  app.addHook('onRequest', (request, reply, done) => {
    const span = isOfOperators(request.url) ? undefined : tracing.start(describeRequest(request))
    if (span !== undefined) running.set(request, { span })
    follow(request, reply, done)
  })
  app.addHook('preValidation', follow) // the events of a body belong to its connection, not to the span
  app.addHook('onResponse', (request, reply, done) => {
    const traced = running.get(request)
    if (traced !== undefined) endSpan(traced, findStatus(reply))
    follow(request, reply, done)
  })
}
