/** Sends requests of a caller's own to the vendor of a connector. */
import { type Connection, defaultDeadlineMs, type Engine } from 'ferrule/engine'
import { isReading } from 'ferrule/internal'
import type { VendorRequest } from 'ferrule/wire'
import { type Principal, requireScope } from '../values/access.ts'
import type { ExecutedData, ReplayedAnswer } from './executed.ts'
import { type ExecuteCall, type OperationServices, runStored } from './operations.ts'

/** Services that a request needs. */
export interface VendorRequestServices extends Omit<OperationServices, 'engine'> {
  readonly engine: Pick<Engine, 'request'>
}

/** One request of a client. Its signal aborts a GET or a HEAD; other methods ignore it. */
export interface VendorRequestCall extends Omit<ExecuteCall, 'request' | 'writesJson'> {
  readonly request: VendorRequest
}

/**
 * Sends a request on a connector of the principal's organization. Nothing of the answer enters the copy, because no operation says what it is.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, those of `Writes.once`, and of the engine
 */
export async function requestVendor(
  services: VendorRequestServices,
  principal: Principal,
  given: VendorRequestCall,
): Promise<ExecutedData | ReplayedAnswer> {
  requireScope(principal, 'connectors:request')
  const { connectorId, idempotencyKey: key, requestId, deadlineMs = defaultDeadlineMs, memory } = given
  const access = await services.platform.connectors.readAccess(principal, connectorId)
  const { query, form, headers, ...rest } = given.request
  const request = { ...rest, query: query ?? undefined, form: form ?? undefined, headers: headers ?? undefined }
  const isRead = isReading(request.method)
  const call = { entity: 'request', action: request.method, signal: isRead ? given.signal : undefined }
  const run = async (connection: Connection, idempotencyKey?: string): Promise<ExecutedData> => {
    const send = () => services.engine.request(connection, { request, signal: call.signal, deadlineMs, memory, idempotencyKey })
    const { body, ...meta } = await runStored(services, { access, call }, send)
    return { type: 'record', data: body, meta }
  }
  if (isRead || key === undefined) return run(access.connection)
  const write = { key, entity: call.entity, action: call.action, params: request, deadlineMs, requestId }
  return services.platform.writes.once(access, write, run)
}
