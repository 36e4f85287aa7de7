/** The span of a request to a vendor, in the names of OpenTelemetry's conventions for HTTP clients. Never the query, and never the filled path. */
import type { Span, SpanStart } from '../../tracing.ts'

/** What only the caller of a request knows. */
export interface TracedRequest {
  /** Method and path as definitions write them: `GET /v2/calls/{id}`. */
  readonly template: string
  /** The same object for each attempt of one request. */
  readonly sent: object
}

/** A request, as far as its span names it. */
interface DescribedRequest {
  readonly url: URL
  readonly method: string
  readonly traced?: TracedRequest
  readonly signal: AbortSignal
}

/** How often each request was sent. */
const sendings = new WeakMap<object, number>()

function countSending({ sent }: TracedRequest): number {
  const before = sendings.get(sent) ?? 0
  sendings.set(sent, before + 1)
  return before
}

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Describes the span of a request. Each call counts as one attempt. */
export function describeRequest({ url, method, traced, signal }: DescribedRequest): SpanStart {
  const resent = traced === undefined ? 0 : countSending(traced)
  return {
    name: traced?.template ?? method,
    kind: 'client',
    role: 'request',
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': url.port === '' ? ports[url.protocol] : Number(url.port),
      'url.template': traced?.template.slice(method.length + 1),
      'http.request.resend_count': resent === 0 ? undefined : resent,
    },
    signal,
  }
}

/** Notes the status of an answer. From 400 on it is an error of the request, whatever the kind makes of it. */
export function noteStatus(span: Span | undefined, status: number): void {
  if (span === undefined) return
  span.set({ 'http.response.status_code': status })
  if (status >= 400) span.fail(String(status))
}
