/**
 * The entry `ferrule/opentelemetry`: spans of this process for the SDK of OpenTelemetry that the program has set up.
 *
 * ```ts
 * import { startTracing } from 'ferrule/opentelemetry'
 * await startTracing()
 * ```
 */
import { loadPeer } from '../adapters/peer.ts'
import { setTracing } from '../tracing.ts'
import { createTracing, type TracingOptions } from './tracing.ts'

/**
 * Starts spans of connectors, of clients of the service and of agent tools in this process. Until the program registers an SDK, spans are
 * lost. A second call replaces the options.
 * @param options whether vendors get the trace
 * @throws FerruleError `setting_invalid` when `@opentelemetry/api` is not installed
 */
export async function startTracing(options: TracingOptions = {}): Promise<void> {
  setTracing(createTracing(await loadPeer('@opentelemetry/api', () => import('@opentelemetry/api')), options))
}

/** Stops making spans. Spans that have started still end. */
export function stopTracing(): void {
  setTracing(undefined)
}

export type { TracingOptions } from './tracing.ts'
