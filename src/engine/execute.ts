/** Runs one operation against a vendor: the steps in order. The file to read first. */
import { isObject } from '../definition/object.ts'
import { type ErrorDetails, FerruleError, fail } from '../errors.ts'
import { invalidAnswer } from './answer.ts'
import { type Apart, takenFrom } from './apart-answer.ts'
import { discovered } from './auth.ts'
import { clocks } from './clocks.ts'
import type { Connection } from './connection.ts'
import { Deadline, defaultDeadline } from './deadline.ts'
import { download } from './download.ts'
import { filledParams } from './fill.ts'
import { hiddenCount, hiddenError, isHidden, showsHidden } from './hidden.ts'
import { Http } from './http.ts'
import type { Limiter } from './limits.ts'
import { MemoryLimiter } from './limits-memory.ts'
import { callBytes } from './memory.ts'
import { doubtOf, emptyMetaOf, isInParts, metaOf } from './meta.ts'
import { type CompiledOperation, operationOf } from './operation.ts'
import type { Call, Outcome } from './outcome.ts'
import { admitted, checkParams, type Params } from './params.ts'
import { getAt } from './paths.ts'
import { resultOf } from './polling.ts'
import { followed } from './position.ts'
import { RawJson } from './raw-rows.ts'
import { readPage } from './read-page.ts'
import { buildRequest } from './request.ts'
import { shapeRow } from './rows.ts'
import { grantedScopes } from './scopes.ts'
import { submit } from './submission.ts'
import { authContext, exchange, exchangeOnce, isWrite, pauseOrThrow, type Reply, type Running, type Runtime } from './transport.ts'

/** What an engine is made with. All are injected for tests; the defaults are the machine's. */
export interface EngineOptions {
  /** Milliseconds since 1970, as they are stored: by default the steady ones. */
  readonly clock?: () => number
  /** Milliseconds since 1970, as vendors have them; by default those of `clock`, else the machine's. */
  readonly wall?: () => number
  /** Milliseconds that never step, for waits and windows. */
  readonly steady?: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
  /** Whether the vendor's rate is obeyed ahead of time; true by default. */
  readonly limits?: boolean
  /** The error of `context_store_search`, which no vendor answers. */
  readonly searchRefusal?: 'unsupported_in_local_mode' | 'context_store_unavailable'
  /** Reads large bodies apart from the loop. Without it they are read like all others. */
  readonly apart?: Apart
}

/** How a check is run. */
export type CheckOptions = Pick<Call, 'signal' | 'deadlineMs' | 'memory'>

/** Runs operations. It knows no vendor: a definition arrives as a value. */
export interface Engine {
  /**
   * Runs one operation.
   * @throws FerruleError of the error table; the reason of `call.signal` when it aborts
   */
  run(connection: Connection, call: Call): Promise<Outcome>
  /**
   * Proves the credentials of a connection with one cheap call.
   * @throws FerruleError `upstream_auth_failed` and others, as `run`
   */
  check(connection: Connection, options?: CheckOptions): Promise<void>
  /**
   * Scopes that the vendor granted to the credentials; undefined for a kind whose vendor does not tell.
   * @throws FerruleError of the vendor
   */
  scopes(connection: Connection, options?: CheckOptions): Promise<ReadonlySet<string> | undefined>
  /** Closes all sockets at once; running calls fail. */
  close(): Promise<void>
}

async function list(running: Running, given: Params): Promise<Outcome> {
  const { operation, params, runtime } = running
  const reply = await exchange({ ...running, take: 'page' }, buildRequest(operation, params, runtime.wall()))
  if (reply.is === 'empty') return { type: 'list', data: [], meta: { ...emptyMetaOf(operation), ...hiddenCount(running, 0) } }
  const { data, excluded, hidden, made, listed } = await readPage(running, reply)
  const doubt = doubtOf(operation, reply.body, listed)
  return {
    type: 'list',
    data,
    meta: {
      ...metaOf(operation, { ...reply, params: given, listed, ...(made === undefined ? {} : { made }) }),
      ...hiddenCount(running, excluded),
      ...told(doubt === undefined ? reply.warnings : [...reply.warnings, `${doubt}.`]),
    },
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

/** What the vendor tells beside its records; nothing where it tells nothing. */
const told = (warnings: readonly string[]) => (warnings.length === 0 ? {} : { warnings })

async function single(running: Running): Promise<Outcome> {
  const { operation, params, runtime } = running
  const reply = await exchange({ ...running, take: 'record' }, buildRequest(operation, params, runtime.wall()))
  if (reply.is === 'empty') throw fail('record_not_found', { reason: `${operation.entityName} has none` })
  return { type: 'record', data: recordIn(running, reply), meta: told(reply.warnings) }
}

/** The record of an answer. @throws FerruleError `upstream_answer_invalid` where there is none; of a hidden one */
function recordIn({ operation, params, connection }: Running, { answer, body }: Extract<Reply, { is: 'answer' }>): unknown {
  const value = takenFrom(operation, answer)
  if (value?.is === 'hidden') throw hiddenError(operation)
  if (value?.is === 'record') return new RawJson(Buffer.from(value.bytes.buffer))
  const row = getAt(body, operation.at)
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw invalidAnswer(operation, `there is no record at "${operation.operation.at}"`)
  if (isHidden({ operation, showsHidden: showsHidden(connection, operation) }, row)) throw hiddenError(operation)
  return shapeRow(operation, row, params)
}

/** The whole answer as the one record, whatever the action; what is not ready when the deadline comes is a record too. */
async function whole(running: Running, given: Params): Promise<Outcome> {
  const { operation, params } = running
  const { submits } = operation.operation
  const reply = submits === undefined ? await resultOf(running, await asked(running)) : await submit(running, submits)
  if (reply.is === 'empty') throw fail('record_not_found', { reason: `${operation.entityName} has none` })
  const { body, ready = true } = reply
  if (!isObject(body)) throw invalidAnswer(operation, 'it is no object')
  const meta = metaOf(operation, { ...reply, params: given, ready })
  return { type: 'record', data: shapeRow(operation, body, params), meta: { ...meta, ...told(reply.warnings) } }
}

const asked = (running: Running) => {
  const wire = buildRequest(running.operation, running.params, running.runtime.wall())
  return exchangeOnce(running, { wire: () => wire, failed: (error, failures) => pauseOrThrow(running, error, failures) })
}

const runners = { list, single, whole } as const
const runnerOf = ({ action, operation }: CompiledOperation): keyof typeof runners => {
  if (operation.one) return 'whole'
  return action === 'list' ? 'list' : 'single'
}

/** What a call takes before it sends anything. The answer of a write is read whatever it takes: it says what became of the write. */
async function takeMemory(operation: CompiledOperation, memory: Call['memory'], { signal }: Deadline): Promise<void> {
  await memory?.grow(callBytes, signal)
  if (memory !== undefined) memory.isKept = isWrite({ operation })
}

async function runLive(runtime: Runtime, connection: Connection, call: Call): Promise<Outcome> {
  const operation: CompiledOperation = operationOf(connection.kind, call.entity, call.action)
  const given: Params = admitted(operation, checkParams(operation, call.params))
  const deadlineMs = call.deadlineMs ?? defaultDeadline
  const running = { runtime, connection, operation, params: followed(connection, operation, given) }
  if (operation.action === 'download') return { type: 'file', file: await download(running, { deadlineMs, signal: call.signal }) }
  using deadline = new Deadline(deadlineMs, connection.kind.definition.title, call.signal)
  await takeMemory(operation, call.memory, deadline)
  const params = await filledParams(connection, {
    operation,
    params: running.params,
    discovered: (field) => discovered(connection, authContext({ runtime, deadline }), field),
  })
  return await runners[runnerOf(operation)](
    {
      ...running,
      params,
      deadline,
      idempotencyKey: call.idempotencyKey,
      background: call.background,
      memory: call.memory,
      ...(call.rawRows !== undefined && isInParts(operation) ? { rawRows: call.rawRows } : {}),
    },
    given,
  )
}

/** Proves credentials by the operation of the kind, or by its probe where a parameter of the operation cannot be filled. */
async function runCheck(runtime: Runtime, connection: Connection, options: CheckOptions): Promise<void> {
  const { entity, action, params, probe } = connection.kind.definition.check
  try {
    await runLive(runtime, connection, { ...options, entity, action, params })
  } catch (thrown) {
    if (probe === undefined || !(thrown instanceof FerruleError) || thrown.code !== 'missing_parameter') throw thrown
    using deadline = new Deadline(options.deadlineMs ?? defaultDeadline, connection.kind.definition.title, options.signal)
    const operation = operationOf(connection.kind, entity, action)
    await exchange({ runtime, connection, operation, params: {}, deadline }, { method: 'GET', path: probe.slice('GET '.length) })
  }
}

/** A search that came here, because nothing answers it: an entity without the action is told so first. */
function searchRefused(connection: Connection, call: Call, code: NonNullable<EngineOptions['searchRefusal']>): Error {
  const entity = connection.kind.definition.entities[call.entity]
  if (entity?.context_store_search === undefined) operationOf(connection.kind, call.entity, call.action)
  const details: ErrorDetails = { retryable: false }
  return code === 'context_store_unavailable' ? fail(code, {}, details) : fail(code, { action: call.action }, details)
}

/** Makes an engine. Close it when it is no longer needed: it keeps connections open. */
export function createEngine(options: EngineOptions = {}): Engine {
  const http = new Http()
  const limiter: Limiter | undefined = options.limits === false ? undefined : new MemoryLimiter()
  const runtime: Runtime = {
    http,
    clock: options.clock ?? clocks.steady,
    wall: options.wall ?? options.clock ?? Date.now,
    steady: options.steady ?? clocks.steady,
    random: options.random ?? Math.random,
    ...(limiter === undefined ? {} : { limiter }),
    ...(options.apart === undefined ? {} : { apart: options.apart }),
  }
  return {
    run: async (connection, call) => {
      if (call.action !== 'context_store_search') return runLive(runtime, connection, call)
      throw searchRefused(connection, call, options.searchRefusal ?? 'context_store_unavailable')
    },
    check: (connection, checkOptions = {}) => runCheck(runtime, connection, checkOptions),
    scopes: async (connection, { signal, deadlineMs = defaultDeadline } = {}) => {
      using deadline = new Deadline(deadlineMs, connection.kind.definition.title, signal)
      return await grantedScopes({ runtime, connection, deadline })
    },
    close: () => http.close(),
  }
}
