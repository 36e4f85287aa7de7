/** Runs one operation against a vendor: the steps in order. The file to read first. */
import { type ErrorDetails, fail } from '../errors.ts'
import { bodyOf, invalidAnswer, rowsOf } from './answer.ts'
import type { Connection } from './connection.ts'
import { Deadline, defaultDeadline } from './deadline.ts'
import { download } from './download.ts'
import { hiddenCount, hiddenError, isHidden, shownRows } from './hidden.ts'
import { Http } from './http.ts'
import { Limiter } from './limits.ts'
import { emptyMetaOf, metaOf } from './meta.ts'
import { type CompiledOperation, operationOf } from './operation.ts'
import type { Call, Outcome } from './outcome.ts'
import { checkParams, type Params } from './params.ts'
import { getAt } from './paths.ts'
import { followed } from './position.ts'
import { buildRequest } from './request.ts'
import { localFilterOf, shapeRow } from './rows.ts'
import { grantedScopes } from './scopes.ts'
import { exchange, type Running, type Runtime } from './transport.ts'

/** What an engine is made with. All are injected for tests; the defaults are the machine's. */
export interface EngineOptions {
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
  /** Whether the vendor's rate is obeyed ahead of time; true by default. */
  readonly limits?: boolean
  /** What answers `context_store_search`; without it the action is refused. */
  readonly search?: (connection: Connection, call: Call) => Promise<Outcome>
  /** The error of a search where there is none to answer it. */
  readonly searchRefusal?: 'unsupported_in_local_mode' | 'context_store_unavailable'
}

/** Runs operations. It knows no vendor: a definition arrives as a value. */
export interface Engine {
  /**
   * Runs one operation.
   * @throws FerruleError of the error table; the reason of `call.signal` when it aborts
   */
  run(connection: Connection, call: Call): Promise<Outcome>
  /**
   * Scopes that the vendor granted to the credentials; undefined for a kind whose vendor does not tell.
   * @throws FerruleError of the vendor
   */
  scopes(connection: Connection, options?: Pick<Call, 'signal' | 'deadlineMs'>): Promise<ReadonlySet<string> | undefined>
  /** Closes all sockets at once; running calls fail. */
  close(): Promise<void>
}

async function list(running: Running, given: Params): Promise<Outcome> {
  const { operation, params, runtime } = running
  const reply = await exchange(running, buildRequest(operation, params, runtime.clock()))
  if (reply.empty) return { type: 'list', data: [], meta: { ...emptyMetaOf(operation), ...hiddenCount(running, 0) } }
  const body = bodyOf(operation, reply.answer)
  const { rows, excluded } = await shownRows(running, rowsOf(operation, body))
  const records = rows.map((row) => shapeRow(operation, row))
  const keep = localFilterOf(operation, params)
  return {
    type: 'list',
    data: keep === undefined ? records : records.filter(keep),
    meta: { ...metaOf(operation, { answer: reply.answer, body, params: given }), ...hiddenCount(running, excluded) },
  }
}

async function single(running: Running): Promise<Outcome> {
  const { operation, params, runtime } = running
  const reply = await exchange(running, buildRequest(operation, params, runtime.clock()))
  const row = reply.empty ? undefined : getAt(bodyOf(operation, reply.answer), operation.at)
  if (reply.empty) throw fail('record_not_found', { reason: `${operation.entityName} has none` })
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw invalidAnswer(operation, `there is no record at "${operation.operation.at}"`)
  if (isHidden(running, row)) throw hiddenError(operation)
  return { type: 'record', data: shapeRow(operation, row), meta: {} }
}

async function runLive(runtime: Runtime, connection: Connection, call: Call): Promise<Outcome> {
  const operation: CompiledOperation = operationOf(connection.kind, call.entity, call.action)
  const given: Params = checkParams(operation, call.params)
  const params: Params = followed(connection, operation, given)
  const running = { runtime, connection, operation, params }
  const deadlineMs = call.deadlineMs ?? defaultDeadline
  if (operation.action === 'download') return { type: 'file', file: await download(running, { deadlineMs, signal: call.signal }) }
  using deadline = new Deadline(deadlineMs, connection.kind.definition.title, call.signal)
  return await (operation.action === 'list' ? list({ ...running, deadline }, given) : single({ ...running, deadline }))
}

/** A search where nothing answers it: an entity without the action is told so first. */
function searchRefused(connection: Connection, call: Call, code: NonNullable<EngineOptions['searchRefusal']>): Error {
  const entity = connection.kind.definition.entities[call.entity]
  if (entity?.context_store_search === undefined) operationOf(connection.kind, call.entity, call.action)
  const details: ErrorDetails = { retryable: false }
  return code === 'context_store_unavailable' ? fail(code, {}, details) : fail(code, { action: call.action }, details)
}

/** Makes an engine. Close it when it is no longer needed: it keeps connections open. */
export function createEngine(options: EngineOptions = {}): Engine {
  const http = new Http()
  const limiter = options.limits === false ? undefined : new Limiter()
  const runtime: Runtime = {
    http,
    clock: options.clock ?? Date.now,
    random: options.random ?? Math.random,
    ...(limiter === undefined ? {} : { limiter }),
  }
  return {
    run: async (connection, call) => {
      if (call.action !== 'context_store_search') return runLive(runtime, connection, call)
      if (options.search !== undefined) return options.search(connection, call)
      throw searchRefused(connection, call, options.searchRefusal ?? 'context_store_unavailable')
    },
    scopes: async (connection, { signal, deadlineMs = defaultDeadline } = {}) => {
      using deadline = new Deadline(deadlineMs, connection.kind.definition.title, signal)
      return await grantedScopes({ runtime, connection, deadline })
    },
    close: () => http.close(),
  }
}
