// Sends the spans of a process to a collector: node --import ./otel.mjs node_modules/.bin/ferrule-server
// npm install @opentelemetry/{api,context-async-hooks,core,exporter-trace-otlp-http,resources,sdk-trace}
import { isMainThread } from 'node:worker_threads'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'

// Threads of the process run this file too, and make no spans.
if (isMainThread) {
  const { OTEL_SERVICE_NAME = 'ferrule', OTEL_TRACES_SAMPLER_ARG = '1' } = process.env
  // The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS by itself.
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': OTEL_SERVICE_NAME }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(Number(OTEL_TRACES_SAMPLER_ARG)) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1_000 })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  // The last spans leave while the service ends its requests.
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void provider.forceFlush())
}
