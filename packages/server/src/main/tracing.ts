/** Starts spans when an SDK of OpenTelemetry runs in this process. Without one, spans cost nothing. */
import { startTracing, stopTracing } from 'ferrule/opentelemetry'

/**
 * Under this symbol all copies of the API share what an SDK has registered (opentelemetry-js, `api/src/internal/global-utils.ts`). The
 * number is the API's major version. Asking the API itself would load a second copy, beside the one of the package for metrics.
 */
const registered = Symbol.for('opentelemetry.js.api.1')

/** Returns whether an SDK has registered itself: `node --import` runs it before the service. */
const hasSdk = (): boolean => typeof Reflect.get(globalThis, registered) === 'object'

/**
 * Starts spans if there is an SDK.
 * @param options `vendors`: true to pass traces on to vendors
 * @returns a function that stops them
 */
export async function traceService(options: { readonly vendors: boolean }): Promise<() => void> {
  if (!hasSdk()) return () => undefined
  await startTracing(options)
  return stopTracing
}
