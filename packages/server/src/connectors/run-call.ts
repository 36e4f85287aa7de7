/** Runs calls on stored connectors: each in its span, reported, and with what it reveals about the credentials stored. */
import { type Call, nameOperation } from 'ferrule/engine'
import { asFerruleError, clocks, describeExecute, errorConsequences, inSpan } from 'ferrule/internal'
import type { Usage } from '../calls/usage/usage.ts'
import type { ConnectorAccess } from '../values/access.ts'
import type { CallCode, CallReport } from '../values/metric-types.ts'
import type { Connectors } from './connector-types.ts'

/** Services that hear of calls. */
export interface CallServices {
  readonly connectors: Pick<Connectors, 'markAuthError' | 'markHealthy'>
  /** Called after every call that reached a connector. Must not throw. */
  readonly onCall?: ((report: CallReport) => void) | undefined
  /** Counts the same calls for each connector. */
  readonly usage?: Pick<Usage, 'count'> | undefined
  /** Called with errors beside a call, such as a status that could not be stored. Must not throw. */
  readonly onBackgroundError?: ((error: unknown) => void) | undefined
}

/** A call on a stored connector. */
export interface StoredCall {
  readonly access: ConnectorAccess
  readonly call: Pick<Call, 'entity' | 'action' | 'signal'>
}

/** Runs work in the span of a call, and reports it. */
export async function runReported<T>(
  { onCall, usage }: Pick<CallServices, 'onCall' | 'usage'>,
  { access: { ref, connection }, call: { entity, action, signal } }: StoredCall,
  run: () => Promise<T>,
): Promise<T> {
  const begun = clocks.steady()
  const named = nameOperation(connection.kind.definition, entity, action)
  const report = (code: CallCode): void => {
    onCall?.({ ...named, code })
    usage?.count(ref, code, clocks.steady() - begun)
  }
  try {
    const result = await inSpan(() => describeExecute(named, { connectorId: ref.connectorId, signal }), run)
    report('ok')
    return result
  } catch (thrown) {
    report(signal?.aborted ? 'aborted' : asFerruleError(thrown).code)
    throw thrown
  }
}

/** Runs work as `runReported` and updates the status of the connector: refused credentials set `auth_error`, success clears it. */
export async function runMarked<T>(services: CallServices, stored: StoredCall, run: () => Promise<T>): Promise<T> {
  const { connectors } = services
  const failed = (error: unknown): void => services.onBackgroundError?.(error)
  try {
    const result = await runReported(services, stored, run)
    await connectors.markHealthy(stored.access).catch(failed)
    return result
  } catch (thrown) {
    const { code, message } = asFerruleError(thrown)
    if (errorConsequences[code].credentials === 'refused') await connectors.markAuthError(stored.access, message).catch(failed)
    throw thrown
  }
}
