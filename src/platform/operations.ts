/** The service's two ways to reach a vendor: executing an operation, and checking credentials. Every surface calls these. */
import { randomUUID } from 'node:crypto'
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { clocks } from '../engine/clocks.ts'
import type { Connection } from '../engine/connection.ts'
import { defaultDeadline } from '../engine/deadline.ts'
import type { Engine } from '../engine/execute.ts'
import type { MemoryLease } from '../engine/memory.ts'
import { actionsOf } from '../engine/operation.ts'
import type { Call, Outcome } from '../engine/outcome.ts'
import { missingScopes } from '../engine/scopes.ts'
import { asFerruleError, type ErrorCode, type FerruleError, fail } from '../errors.ts'
import type { Cutter } from './cut-apart.ts'
import { cutOutcome } from './cut-outcome.ts'
import { cutFound, isWhole } from './cut-records.ts'
import type { ExecuteRequest } from './execute-request.ts'
import type { Executed, ExecutedData, Found, ReplayedAnswer } from './executed.ts'
import type { Folds } from './folds.ts'
import type { Removing } from './gone.ts'
import { isWrite, requireScope, scopeOfAction } from './scopes.ts'
import type { Searches } from './searches.ts'
import type { ConnectorAccess, Platform, Principal } from './types.ts'

/** One finished call, for metrics. */
export interface CallReport {
  readonly kind: string
  readonly entity: string
  readonly action: string
  readonly code: CallCode
}
/** How a call ended: `aborted` when the client went away first. */
export type CallCode = 'ok' | 'aborted' | ErrorCode

/** What executing needs. */
export interface OperationServices {
  readonly platform: Pick<Platform, 'connectors' | 'writes'>
  readonly engine: Pick<Engine, 'run' | 'check' | 'scopes'>
  /** What answers `context_store_search`; without it the engine refuses the action. */
  readonly searches?: Searches
  /** Cuts answers that were read apart. */
  readonly cutter?: Cutter
  /** Takes the records that lists and gets answer. */
  readonly folds?: Pick<Folds, 'offer'>
  /** Takes what lists, gets and downloads teach of records that are gone or hidden. */
  readonly removing?: Pick<Removing, 'answered' | 'failed'>
  /** Milliseconds since 1970; for `folds`. */
  readonly clock?: () => number
  /** Told of every call that reached a connector. Must not throw. */
  readonly onCall?: (report: CallReport) => void
  /** Takes what went wrong beside a call: a status that could not be stored changes no answer. Must not throw. */
  readonly onBackgroundError?: (error: unknown) => void
}

/** How one call is run. */
export interface RunOptions {
  /** Aborts the call and its vendor requests. */
  readonly signal?: AbortSignal
  /** Milliseconds until it gives up. */
  readonly deadlineMs?: number
  /** The memory that the vendor's answers are counted in. */
  readonly memory?: MemoryLease
}

/** One call of a client. */
export interface ExecuteCall extends RunOptions {
  /** Any text; what the principal does not see is `connector_not_found`. */
  readonly connectorId: string
  /** Made by `readExecuteRequest`. */
  readonly request: ExecuteRequest
  /** The header Idempotency-Key; reads take no notice of it. */
  readonly idempotencyKey?: string | undefined
  /** Id of the client's request, for a problem that is kept under the key. */
  readonly requestId?: string | undefined
}

/**
 * Executes an operation on a connector of the principal's organization. A read ends with the client that asked for it; a write goes
 * on to its deadline, because nobody would know what became of one that was cut off.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, those of `Writes.once`, and all of the engine
 */
export async function executeOperation(
  services: OperationServices,
  principal: Principal,
  given: ExecuteCall,
): Promise<Executed | ReplayedAnswer> {
  const { connectorId, request, deadlineMs = defaultDeadline, signal, memory } = given
  requireScope(principal, scopeOfAction(request.action))
  const access = await services.platform.connectors.connectionOf(principal, connectorId)
  if (isWrite(request.action)) return write(services, access, given)
  const { entity, params } = request
  const action = actionOf(access.connection.kind.definition, request)
  const call: Call = {
    ...{ entity, action, params: params ?? {}, deadlineMs, memory },
    ...(isWhole(request) ? { rawRows: 'checked' as const } : {}),
    ...(signal === undefined ? {} : { signal }),
  }
  if (action === searchAction && services.searches !== undefined)
    return cutFound(await search(services, { access, call, searches: services.searches }, request), request)
  const asked = services.clock?.() ?? clocks.steady()
  const outcome = await read(services, access, call)
  services.folds?.offer(access, call, { outcome, asked })
  return cutOutcome(outcome, request, { cutter: services.cutter, signal })
}

/** Reads from the vendor. What the answer teaches of records that are gone or hidden leaves the copy before it is told. */
async function read(services: OperationServices, access: ConnectorAccess, call: Call): Promise<Outcome> {
  try {
    const outcome = await runMarked(services, { access, connection: access.connection }, call)
    await services.removing?.answered(access, call, outcome)
    return outcome
  } catch (thrown) {
    await services.removing?.failed(access, call, thrown)
    throw thrown
  }
}

const searchAction = 'context_store_search'

/** `search` is what older clients call a search. */
const actionOf = ({ entities }: ConnectorDefinition, { entity, action }: ExecuteRequest): string =>
  action === 'search' && Object.hasOwn(entities, entity) ? searchAction : action

/** Searches the copy. No vendor is asked, so it tells nothing of the connector's credentials. */
async function search(
  services: OperationServices,
  { access, call, searches }: { readonly access: ConnectorAccess; readonly call: Call; readonly searches: Pick<Searches, 'search'> },
  { max_age: maxAge, allow_partial: allowPartial }: ExecuteRequest,
): Promise<Found> {
  const { entity, params, signal, deadlineMs = defaultDeadline } = call
  const report = (code: CallCode) => services.onCall?.(reportOf(access.connection.kind, call, code))
  try {
    const found = await searches.search(access, {
      ...{ entity, params, deadlineMs, signal },
      maxAge: maxAge ?? undefined,
      allowPartial: allowPartial ?? undefined,
    })
    report('ok')
    return found
  } catch (thrown) {
    report(signal?.aborted ? 'aborted' : asFerruleError(thrown).code)
    throw thrown
  }
}

function write(services: OperationServices, access: ConnectorAccess, given: ExecuteCall): Promise<ExecutedData | ReplayedAnswer> {
  const { request, idempotencyKey: key, requestId, deadlineMs = defaultDeadline, memory } = given
  const { entity, action } = request
  const call: Call = { entity, action, params: request.params ?? {}, deadlineMs, memory }
  const run = async (connection: Connection, idempotencyKey?: string): Promise<ExecutedData> => {
    const named = idempotencyKey === undefined ? call : { ...call, idempotencyKey }
    const outcome = await cutOutcome(await runMarked(services, { access, connection }, named), request, services)
    if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} ${action} answers a file` })
    return outcome
  }
  if (key === undefined) return run(access.connection)
  return services.platform.writes.once(access, { key, entity, action, params: call.params, deadlineMs, requestId }, run)
}

/** A connector with the connection of one call. */
interface Marked {
  readonly access: ConnectorAccess
  readonly connection: Connection
}

/** Runs a call on a stored connector. */
const runMarked = (services: OperationServices, { access, connection }: Marked, call: Call): Promise<Outcome> =>
  keepingStatus(services, { access, call }, () => services.engine.run(connection, call))

/** Does something with a stored connector and keeps its status true: refused credentials mark it, a success clears the mark. */
async function keepingStatus<T>(
  services: OperationServices,
  { access, call }: { readonly access: ConnectorAccess; readonly call: Call },
  run: () => Promise<T>,
): Promise<T> {
  const { platform, onCall } = services
  const marked = (marking: Promise<void>) => marking.catch((error: unknown) => services.onBackgroundError?.(error))
  const report = (code: CallCode) => onCall?.(reportOf(access.connection.kind, call, code))
  try {
    const result = await run()
    await marked(platform.connectors.markHealthy(access))
    report('ok')
    return result
  } catch (thrown) {
    const error = asFerruleError(thrown)
    report(call.signal?.aborted ? 'aborted' : error.code)
    if (error.code === 'upstream_auth_failed') await marked(platform.connectors.markAuthError(access, error.message))
    throw thrown
  }
}

/** Names of metrics come from definitions only: what a client invents must not become a label. */
function reportOf({ definition }: Kind, { entity, action }: Call, code: CallCode): CallReport {
  const known = isOffered(definition, entity, action)
  return { kind: definition.kind, entity: known ? entity : 'unknown', action: known ? action : 'unknown', code }
}

function isOffered({ entities }: ConnectorDefinition, name: string, action: string): boolean {
  const entity = Object.hasOwn(entities, name) ? entities[name] : undefined
  return entity !== undefined && actionsOf(entity).includes(action)
}

/** Result of a check, in the shape that existing clients read. */
export interface CheckResult {
  readonly id: string
  readonly status: 'succeeded' | 'failed'
  readonly error_message?: string
  readonly failure_reason?: {
    /** Milliseconds since 1970. */
    readonly timestamp: number
    readonly failure_origin: 'source'
    readonly failure_type: 'config_error' | 'transient_error'
    readonly external_message: string
    readonly internal_message: ErrorCode
    readonly retryable: boolean
  }
  readonly entity_check_results: readonly {
    readonly entity: string
    /** `skipped`: the credentials lack the scope for it. */
    readonly status: 'succeeded' | 'failed' | 'skipped'
    readonly status_code?: number
    readonly error_message?: string
  }[]
}

/** What is checked: a stored connector, or values that are not stored. */
export type CheckTarget = { readonly access: ConnectorAccess } | { readonly connection: Connection }

/**
 * Runs the kind's check: its operation, or what stands in where a parameter of it cannot be filled. Refusals of the vendor are
 * results; failures of this service are thrown.
 * @param options `now`: milliseconds since 1970, for the result
 * @throws FerruleError of fault `service`
 */
export async function checkConnection(
  services: OperationServices,
  target: CheckTarget,
  options: RunOptions & { readonly now: number },
): Promise<CheckResult> {
  const { now, ...run } = options
  const { connection } = 'access' in target ? target.access : target
  const { entity, action, params } = connection.kind.definition.check
  const call: Call = { entity, action, params, ...run }
  try {
    const check = () => services.engine.check(connection, run)
    await ('access' in target ? keepingStatus(services, { access: target.access, call }, check) : check())
    const scopes = await services.engine.scopes(connection, run)
    const entities = scopes === undefined ? [{ entity, status: 'succeeded' as const }] : reachOf(connection.kind.definition, scopes)
    return { id: randomUUID(), status: 'succeeded', entity_check_results: entities }
  } catch (thrown) {
    const error = asFerruleError(thrown)
    if (error.fault === 'service') throw thrown
    return failedCheck(entity, error, now)
  }
}

/** Which entities the granted scopes reach. */
function reachOf(definition: ConnectorDefinition, scopes: ReadonlySet<string>): CheckResult['entity_check_results'] {
  const missing = missingScopes(definition, scopes)
  return Object.keys(definition.entities).map((entity) => {
    const needed = missing.get(entity)
    return needed === undefined
      ? { entity, status: 'succeeded' }
      : { entity, status: 'skipped', error_message: `needs the scope ${needed.join(' or ')}` }
  })
}

function failedCheck(entity: string, error: FerruleError, now: number): CheckResult {
  const status = error.upstream?.status === undefined ? {} : { status_code: error.upstream.status }
  return {
    id: randomUUID(),
    status: 'failed',
    error_message: error.message,
    failure_reason: {
      timestamp: now,
      failure_origin: 'source',
      failure_type: error.retryable ? 'transient_error' : 'config_error',
      external_message: `${error.message} ${error.hint}`,
      internal_message: error.code,
      retryable: error.retryable,
    },
    entity_check_results: [{ entity, status: 'failed', ...status, error_message: error.message }],
  }
}
