/** Executes operations, and checks calls and credentials. Every surface reaches vendors through these functions. */
import { randomUUID } from 'node:crypto'
import { FerruleError } from 'ferrule'
import type { ConnectorDefinition } from 'ferrule/definition'
import { admitParams, type Call, type Connection, defaultDeadlineMs, type Engine, findOperation, type Outcome } from 'ferrule/engine'
import { asFerruleError, clocks, fail, fillHint, findMissingScopes } from 'ferrule/internal'
import { type CheckResult, type ExecuteRequest, type Validation, validationInput } from 'ferrule/wire'
import { type CallServices, runMarked, runReported, type StoredCall } from '../connectors/access.ts'
import type { CheckTarget } from '../connectors/check-target.ts'
import type { Consumers } from '../copies/changes/consumers.ts'
import type { Changes } from '../copies/changes/feed.ts'
import type { Everything } from '../copies/everything/everything.ts'
import type { Folds } from '../copies/folds.ts'
import type { LostRecords } from '../copies/lost-records.ts'
import type { ParquetEncoder } from '../copies/parquet/encoder.ts'
import { parseAggregate } from '../copies/search/aggregates/parse.ts'
import { buildSearchTable } from '../copies/search/columns.ts'
import { parseSearch } from '../copies/search/parse.ts'
import { assertSearchable, type CopyQuery, type Searches } from '../copies/searches.ts'
import type { Platform } from '../main/platform-types.ts'
import { type ConnectorAccess, getActionScope, isWrite, type Principal, requireScope } from '../values/access.ts'
import { type Read, readBody } from '../values/read.ts'
import type { CallBounds } from './admission.ts'
import { type Cutter, cutFound, cutOutcome, isUntouched, isWhole } from './cut-records.ts'
import type { Executed, ExecutedData, Found, ReplayedAnswer } from './executed.ts'

/** Services that an execution needs. */
export interface OperationServices extends Omit<CallServices, 'connectors'> {
  readonly platform: Pick<Platform, 'connectors' | 'writes'>
  readonly engine: Pick<Engine, 'run' | 'check' | 'scopes'>
  /** Answers searches and aggregates of the copy; without it the engine refuses these actions. */
  readonly searches?: Searches
  /** Searches all connectors at once; absent where there is no context store. */
  readonly everything?: Everything
  /** Reads the changes of copies; absent where there is no context store. */
  readonly changes?: Changes
  /** Keeps the consumers of changes; absent as `changes`. */
  readonly consumers?: Consumers
  /** Cuts large answers in a worker thread. */
  readonly cutter?: Cutter | undefined
  /** Writes Parquet files in a worker thread. */
  readonly parquetEncoder?: ParquetEncoder | undefined
  /** Receives the records of lists and gets. */
  readonly folds?: Pick<Folds, 'offer' | 'findDigest'>
  /** Receives outcomes and errors of lists, gets and downloads, to delete lost records. */
  readonly lostRecords?: Pick<LostRecords, 'answered' | 'failed'>
  /** Milliseconds since 1970; for `folds`. */
  readonly clock?: () => number
}

/** One call of a client. Its signal aborts a read; a write ignores it. */
export interface ExecuteCall extends CallBounds {
  /** Any string; an id that the principal does not see causes `connector_not_found`. */
  readonly connectorId: string
  /** Body of `executeInput`, read. */
  readonly request: ExecuteRequest
  /** The answer is written as JSON, so records that nothing changes are returned as text. */
  readonly writesJson?: boolean
  /** Header Idempotency-Key; ignored by reads. */
  readonly idempotencyKey?: string | undefined
  /** Id of the client's request, for an error stored under the key. */
  readonly requestId?: string | undefined
}

/**
 * Executes an operation on a connector of the principal's organization. A read stops when its client disconnects. A write runs to its
 * timeout, because the outcome of an interrupted write is unknown.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, those of `Writes.once`, and all of the engine
 */
export async function executeOperation(
  services: OperationServices,
  principal: Principal,
  given: ExecuteCall,
): Promise<Executed | ReplayedAnswer> {
  const { connectorId, request, deadlineMs = defaultDeadlineMs, signal, memory } = given
  requireScope(principal, getActionScope(request.action))
  const access = await services.platform.connectors.readAccess(principal, connectorId)
  if (isWrite(request.action)) return write(services, access, given)
  const { entity, params } = request
  const action = resolveAction(access.connection.kind.definition, request)
  const call: Call = {
    entity,
    action,
    params: params ?? {},
    deadlineMs,
    memory,
    signal,
    ...(isWhole(request) ? { rawRows: 'checked' as const } : {}),
    ...(given.writesJson === true && isUntouched({ type: 'list' }, request) ? { keepsText: true } : {}),
  }
  const ask = services.searches === undefined ? undefined : findSearch(services.searches, action)
  if (ask !== undefined) return cutFound(await search(services, { access, call, ask }, request), request)
  const asked = services.clock?.() ?? clocks.steady()
  const outcome = await read(services, access, { ...call, digest: services.folds?.findDigest(access, call) })
  services.folds?.offer(access, call, { outcome, asked })
  return cutOutcome(outcome, request, { cutter: services.cutter, signal })
}

/** Reads from the vendor. Deletes lost records from the copy before it returns. */
async function read(services: OperationServices, access: ConnectorAccess, call: Call): Promise<Outcome> {
  try {
    const outcome = await runStored(services, { access, call }, () => services.engine.run(access.connection, call))
    await services.lostRecords?.answered(access, call, outcome)
    return outcome
  } catch (thrown) {
    await services.lostRecords?.failed(access, call, thrown)
    throw thrown
  }
}

/** Actions that are answered from the copy. */
export const searchAction = 'context_store_search'
const aggregateAction = 'context_store_aggregate'

type Ask = (access: ConnectorAccess, query: CopyQuery) => Promise<Found>

/** Finds what answers an action from the copy; undefined for the actions of vendors. */
function findSearch(searches: Searches, action: string): Ask | undefined {
  if (action === searchAction) return (access, query) => searches.search(access, query)
  return action === aggregateAction ? (access, query) => searches.aggregate(access, query) : undefined
}

/** Returns the action of a request: older clients say `search`. */
export const resolveAction = ({ entities }: ConnectorDefinition, { entity, action }: Pick<ExecuteRequest, 'entity' | 'action'>): string =>
  action === 'search' && Object.hasOwn(entities, entity) ? searchAction : action

/** Searches the copy. Does not change the connector's status, because no vendor call is made. */
async function search(
  services: OperationServices,
  { access, call, ask }: { readonly access: ConnectorAccess; readonly call: Call; readonly ask: Ask },
  { max_age: maxAge, allow_partial: allowPartial }: ExecuteRequest,
): Promise<Found> {
  const { entity, params, signal, deadlineMs = defaultDeadlineMs } = call
  const query = { entity, params, deadlineMs, signal, maxAge: maxAge ?? undefined, allowPartial: allowPartial ?? undefined }
  return runReported(services, { access, call }, () => ask(access, query))
}

function write(services: OperationServices, access: ConnectorAccess, given: ExecuteCall): Promise<ExecutedData | ReplayedAnswer> {
  const { request, idempotencyKey: key, requestId, deadlineMs = defaultDeadlineMs, memory } = given
  const { entity, action } = request
  const call: Call = { entity, action, params: request.params ?? {}, deadlineMs, memory }
  const run = async (connection: Connection, idempotencyKey?: string): Promise<ExecutedData> => {
    const named = idempotencyKey === undefined ? call : { ...call, idempotencyKey }
    const answer = await runStored(services, { access, call }, () => services.engine.run(connection, named))
    const outcome = await cutOutcome(answer, request, services)
    if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} ${action} answers a file` })
    return outcome
  }
  if (key === undefined) return run(access.connection)
  return services.platform.writes.once(access, { key, entity, action, params: call.params, deadlineMs, requestId }, run)
}

/** Runs a call on a stored connector, and stores what it reveals. */
export function runStored<T>(
  { platform, onCall, usage, onBackgroundError }: Omit<OperationServices, 'engine'>,
  stored: StoredCall,
  run: () => Promise<T>,
) {
  return runMarked({ connectors: platform.connectors, onCall, usage, onBackgroundError }, stored, run)
}

/**
 * Runs the kind's check operation, or its substitute where a parameter cannot be filled. Returns the vendor's refusals as results and
 * throws failures of this service.
 * @param options `now`: milliseconds since 1970, for the result
 * @throws FerruleError of fault `service`
 */
export async function checkConnection(
  services: OperationServices,
  target: CheckTarget,
  options: CallBounds & { readonly now: number },
): Promise<CheckResult> {
  const { now, ...run } = options
  const { connection } = 'access' in target ? target.access : target
  const { entity, action, params } = connection.kind.definition.check
  const call: Call = { entity, action, params, ...run }
  try {
    const check = () => services.engine.check(connection, run)
    await ('access' in target ? runStored(services, { access: target.access, call }, check) : check())
    const scopes = await services.engine.scopes(connection, run)
    const entities = scopes === undefined ? [{ entity, status: 'succeeded' as const }] : describeReach(connection.kind.definition, scopes)
    return { id: randomUUID(), status: 'succeeded', entity_check_results: entities }
  } catch (thrown) {
    const known = 'access' in target ? { connector_id: target.access.ref.connectorId } : {}
    const error = fillHint(asFerruleError(thrown), known)
    if (error.fault === 'service') throw thrown
    return failedCheck(entity, error, now)
  }
}

function describeReach(definition: ConnectorDefinition, scopes: ReadonlySet<string>): CheckResult['entity_check_results'] {
  const missing = findMissingScopes(definition, scopes)
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
      problem: error.toProblem(),
    },
    entity_check_results: [{ entity, status: 'failed', ...status, error_message: error.message }],
  }
}

type ValidatedCall = Read<typeof validationInput>

/**
 * Checks a call on a connector of the principal's organization as execute does, up to the point where the vendor or the copy is asked. A
 * refusal is a result.
 * @param body `{ entity, action, params? }`
 * @throws FerruleError `validation_failed` (the body), `insufficient_scope`, `connector_not_found`, `workspace_inactive`
 */
export async function validateCall(
  { connectors }: Pick<Platform, 'connectors'>,
  principal: Principal,
  { connectorId, body }: { readonly connectorId: string; readonly body: unknown },
): Promise<Validation> {
  const call = readBody(validationInput, body)
  requireScope(principal, getActionScope(call.action))
  const access = await connectors.readAccess(principal, connectorId)
  try {
    checkCall(access, call)
    return { problem: null }
  } catch (thrown) {
    if (thrown instanceof FerruleError) return { problem: thrown.toProblem() }
    throw thrown
  }
}

function checkCall(access: ConnectorAccess, { entity, params, ...call }: ValidatedCall): void {
  const { kind } = access.connection
  const action = resolveAction(kind.definition, { entity, ...call })
  if (action !== searchAction && action !== aggregateAction) {
    admitParams(findOperation(kind, entity, action), params)
    return
  }
  assertSearchable(access, entity)
  const { kind: slug, entities } = kind.definition
  const findTable = (name: string) => buildSearchTable(slug, name, entities[name] ?? { about: '', key: [] })
  if (action === searchAction) parseSearch(findTable(entity), params, findTable)
  else parseAggregate(findTable(entity), params)
}
