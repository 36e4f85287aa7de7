/** Collects the spans of this process in memory, with the SDK of OpenTelemetry as a program sets it up. */
import { context, propagation, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { startTracing, stopTracing, type TracingOptions } from '../../packages/ferrule/src/opentelemetry/index.ts'

/** A span, as tests read it. */
export interface SeenSpan {
  readonly name: string
  /** `SERVER`, `CLIENT` or `INTERNAL`. */
  readonly kind: string
  readonly id: string
  readonly trace: string
  /** Id of the parent; undefined for a root. */
  readonly parent: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  /** True: the span has the status of an error. */
  readonly isError: boolean
}

const toSeen = (span: ReadableSpan): SeenSpan => ({
  name: span.name,
  kind: SpanKind[span.kind],
  id: span.spanContext().spanId,
  trace: span.spanContext().traceId,
  parent: span.parentSpanContext?.spanId,
  attributes: span.attributes,
  isError: span.status.code === 2,
})

/** Spans that have ended. */
export interface Collector {
  /** Returns the ended spans in the order of their ends, and forgets them. */
  take(): readonly SeenSpan[]
  /** Sends traces to vendors too. */
  restart(options: TracingOptions): Promise<void>
  stop(): void
}

/** Starts to collect. Stop it in `afterAll`: test files share processes. */
export async function startCollector(): Promise<Collector> {
  const exporter = new InMemorySpanExporter()
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  propagation.setGlobalPropagator(new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }))
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  await startTracing()
  return {
    take: () => {
      const spans = exporter.getFinishedSpans().map(toSeen)
      exporter.reset()
      return spans
    },
    restart: (options) => startTracing(options),
    stop: () => {
      stopTracing()
      for (const api of [trace, context, propagation]) api.disable()
      manager.disable()
    },
  }
}
