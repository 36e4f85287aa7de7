/**
 * The entry `ferrule/opentelemetry`: spans of this process for the SDK of OpenTelemetry that the program has set up.
 *
 * ```ts
 * import { startTracing } from 'ferrule/opentelemetry'
 * await startTracing()
 * ```
 */
import type { Span as ApiSpan, Context } from '@opentelemetry/api'
import { loadPeer } from '../adapters/peer.ts'
import { type Span, type SpanAttributes, type SpanStart, setTracing, type Tracing } from '../tracing.ts'

/**
 * Starts spans of connectors, of clients of the service and of agent tools in this process. Until the program registers an SDK, spans are
 * lost. A second call replaces the options.
 * @param options whether vendors get the trace
 * @throws FerruleError `setting_invalid` when `@opentelemetry/api` is not installed
 */
export async function startTracing(options: TracingOptions = {}): Promise<void> {
  setTracing(new ApiTracing(await loadPeer('@opentelemetry/api', () => import('@opentelemetry/api')), options))
}

/** Stops making spans. Spans that have started still end. */
export function stopTracing(): void {
  setTracing(undefined)
}

type Api = typeof import('@opentelemetry/api')

/** Options of `startTracing`. */
export interface TracingOptions {
  /** True: requests to vendors carry `traceparent` and `tracestate`. Default: false, because vendors are foreign. */
  readonly vendors?: boolean
}

/** Counts the requests below an execute. A class, because a context gives its values back untyped. */
class RequestCount {
  requests = 0
}

/** Headers of W3C Trace Context. Baggage is not among them: it holds whatever a caller put in. */
const traceHeaders: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])

/** A started span with the context that makes it the parent of others. */
class OpenSpan implements Span {
  readonly #api: Api
  readonly #span: ApiSpan
  readonly #context: Context
  readonly #count: RequestCount | undefined

  constructor(api: Api, span: ApiSpan, { context, count }: { readonly context: Context; readonly count: RequestCount | undefined }) {
    this.#api = api
    this.#span = span
    this.#context = context
    this.#count = count
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  fail(errorType: string): void {
    this.#span.setAttribute('error.type', errorType)
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
  }

  run<T>(work: () => T): T {
    return this.#api.context.with(this.#context, work)
  }

  end(): void {
    if (this.#count !== undefined && this.#count.requests > 0) this.#span.setAttribute('ferrule.attempts', this.#count.requests)
    this.#span.end()
  }
}

class ApiTracing implements Tracing {
  readonly isSentToVendors: boolean
  readonly #api: Api
  readonly #tool: symbol
  readonly #count: symbol

  constructor(api: Api, { vendors = false }: TracingOptions) {
    this.#api = api
    this.isSentToVendors = vendors
    this.#tool = api.createContextKey('ferrule.tool')
    this.#count = api.createContextKey('ferrule.requests')
  }

  start({ name, kind, attributes, from, needsParent, role }: SpanStart): Span | undefined {
    const { context, propagation, trace, SpanKind } = this.#api
    const running = context.active()
    if (needsParent === true && trace.getSpan(running) === undefined) return undefined
    if (role === 'tool' && running.getValue(this.#tool) === true) return undefined
    if (role === 'request') this.#countRequest(running)
    const parent = from === undefined ? running : propagation.extract(running, from)
    const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER }
    const span = trace.getTracer('ferrule').startSpan(name, { kind: kinds[kind], attributes }, parent)
    const count = role === 'execute' ? new RequestCount() : undefined
    return new OpenSpan(this.#api, span, { context: this.#mark(trace.setSpan(parent, span), role, count), count })
  }

  getHeaders(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    this.#api.propagation.inject(this.#api.context.active(), headers, {
      set: (carrier, name, value) => {
        if (traceHeaders.has(name)) carrier[name] = value
      },
    })
    return headers
  }

  getIds() {
    const { context, isSpanContextValid, trace } = this.#api
    const found = trace.getSpanContext(context.active())
    return found !== undefined && isSpanContextValid(found) ? { trace_id: found.traceId, span_id: found.spanId } : undefined
  }

  #mark(context: Context, role: SpanStart['role'], count: RequestCount | undefined): Context {
    if (role === 'tool') return context.setValue(this.#tool, true)
    return count === undefined ? context : context.setValue(this.#count, count)
  }

  #countRequest(running: Context): void {
    const count = running.getValue(this.#count)
    if (count instanceof RequestCount) count.requests += 1
  }
}
