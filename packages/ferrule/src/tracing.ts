/**
 * Spans of what this process does, for `ferrule/opentelemetry`. Without it nothing is loaded, and a span costs one comparison.
 * No name and no attribute holds a parameter, a record, a secret, a query or a whole address.
 * Reasons: docs/decisions/deployment.md
 */
import { FerruleError } from './errors.ts'

/** Attributes of a span; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

/** What a span is started with. */
export interface SpanStart {
  /** Has few distinct values: names of definitions, routes and tables. */
  readonly name: string
  readonly kind: 'internal' | 'client' | 'server'
  readonly attributes: SpanAttributes
  /** Headers of W3C Trace Context from the caller. Without them the running span is the parent. */
  readonly from?: Readonly<Record<string, unknown>> | undefined
  /** True: no span is made outside of another one, for work that mostly runs in the background. */
  readonly needsParent?: true
  /** `execute` counts the spans of `request` below it. A `tool` within another `tool` has no span of its own. */
  readonly role?: 'execute' | 'request' | 'tool'
  /** An error after its abort is `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** A started span. */
export interface Span {
  set(attributes: SpanAttributes): void
  /** Notes why the work failed, as a code. */
  fail(errorType: string): void
  /** Runs work within the span: spans that start in it are its children. */
  run<T>(work: () => T): T
  end(): void
}

/** What collects spans. */
export interface Tracing {
  /** True: requests to vendors carry the trace. */
  readonly isSentToVendors: boolean
  /** Starts a span; undefined where none is wanted. */
  start(start: SpanStart): Span | undefined
  /** Returns the headers of W3C Trace Context for the running span. */
  getHeaders(): Readonly<Record<string, string>>
  getIds(): { readonly trace_id: string; readonly span_id: string } | undefined
}

let tracing: Tracing | undefined

/** Sets what collects the spans of this process; undefined: nothing does. */
export function setTracing(next: Tracing | undefined): void {
  tracing = next
}

/** Returns what collects spans; undefined if nothing does. */
export const getTracing = (): Tracing | undefined => tracing

/** Returns the headers that pass the trace on to a service of our own; none without a trace. */
export const buildTraceHeaders = (): Readonly<Record<string, string>> | undefined => tracing?.getHeaders()

/** Returns the headers that pass the trace on to a vendor: only where the operator wants it. */
export const buildVendorTraceHeaders = (): Readonly<Record<string, string>> | undefined =>
  tracing?.isSentToVendors === true ? tracing.getHeaders() : undefined

/** Names an error of a span: our code, never a message. */
const nameError = (thrown: unknown, signal: AbortSignal | undefined): string => {
  if (thrown instanceof FerruleError) return thrown.code
  return signal?.aborted === true ? 'aborted' : 'internal_error'
}

async function runTraced<T>(span: Span, work: (span: Span) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await span.run(() => work(span))
  } catch (thrown) {
    span.fail(nameError(thrown, signal))
    throw thrown
  } finally {
    span.end()
  }
}

/** Runs work within a span. @param describe called only if something collects spans @throws what the work throws */
export function inSpan<T>(describe: () => SpanStart, work: (span?: Span) => Promise<T>): Promise<T> {
  if (tracing === undefined) return work()
  const start = describe()
  const span = tracing.start(start)
  return span === undefined ? work() : runTraced(span, work, start.signal)
}

/** An execute, by names of the definition. */
export interface NamedOperation {
  readonly kind: string
  readonly entity: string
  readonly action: string
}

/** Describes the span of an execute. */
export const describeExecute = (
  { kind, entity, action }: NamedOperation,
  more: { readonly connectorId?: string; readonly signal?: AbortSignal | undefined } = {},
): SpanStart => ({
  name: `execute ${kind}.${entity}.${action}`,
  kind: 'internal',
  role: 'execute',
  attributes: { 'ferrule.kind': kind, 'ferrule.entity': entity, 'ferrule.action': action, 'ferrule.connector_id': more.connectorId },
  signal: more.signal,
})
