/**
 * Sends one request of an operation with credentials, retries, and a turn in the vendor's budget for each attempt. Returns a successful
 * answer, or "nothing found".
 */
import type { ErrorRule, Limits } from '../../definition/connector.ts'
import { isWriting } from '../../definition/entity.ts'
import { errorConsequences } from '../../error-consequences.ts'
import { FerruleError, fail } from '../../errors.ts'
import { computePause, countAttempts, isTransient, parseRetryAfter } from '../../retry.ts'
import type { Connection } from '../connection.ts'
import { type Authorization, authorize, isRenewable, renew } from '../credentials/auth.ts'
import type { KeptProof, OpenedCredentials, Redact } from '../credentials/source.ts'
import { type Deadline, failTimeout } from '../http/deadline.ts'
import { type HttpAnswer, type HttpSender, readHeader } from '../http/http.ts'
import { callBytes, weightOfBody, weightOfBytes } from '../http/memory.ts'
import { buildPrefix, findVendorOrigin, type OriginSource, readConfiguration, resolveOrigins } from '../http/origin.ts'
import { acceptLines, loadLineReader } from '../json/raw-rows.ts'
import {
  type Asker,
  computeBudgetKey,
  computeCredentialDigest,
  isUsedUp,
  type Limiter,
  readLevel,
  readWindowEnd,
  type Turn,
} from '../limits/limits.ts'
import type { OwnGate } from '../limits/own-rates.ts'
import { checkDeclared, type DeclaredResults, readPartRows } from '../results/parts.ts'
import { isLarge, parseSuccess, readProof, readSuccess, readVerdict, type Success, type WireAnswer } from './answer.ts'
import { type Apart, type ApartCall, readAnswerApart } from './apart-answer.ts'
import type { Taken } from './apart-job.ts'
import type { Descriptions } from './described.ts'
import { type CompiledOperation, findOperation, type Params } from './operation.ts'
import type { Call } from './outcome.ts'
import { findNextPages, isInParts } from './page-records.ts'
import type { WireRequest } from './request.ts'

type WithCredentials = { readonly opened: OpenedCredentials }

interface Asking {
  readonly runtime: Pick<Runtime, 'limiter' | 'ownRates' | 'steady' | 'wall'>
  readonly connection: OriginSource & { readonly proof?: KeptProof }
  readonly deadline: Deadline
  readonly background?: boolean | undefined
  readonly operation: { readonly operation: { readonly budget?: string } }
}

const computeKey = ({ connection, operation: { operation } }: Asking, authorization: WithCredentials): string => {
  const { kind, limits } = connection.kind.definition
  const values = authorization.opened.values.reveal()
  const shared = limits.key.map((field) => values[field] ?? connection.configuration[field]).find((value) => typeof value === 'string')
  const own = operation.budget === undefined ? [] : [operation.budget]
  return computeBudgetKey(kind, connection.origin?.api ?? '', findVendorOrigin(connection), String(shared ?? ''), ...own)
}

/** Chooses the rates by the connector's configuration. */
const chooseLimits = ({ connection, operation: { operation } }: Asking): Limits => {
  const { limits } = connection.kind.definition
  const { other } = limits
  const own = limits.budgets?.[operation.budget ?? '']
  if (own !== undefined) return { ...limits, rates: own }
  return other !== undefined && readConfiguration(connection, other.configuration) === other.is ? { ...limits, rates: other.rates } : limits
}

function buildAsker(asking: Asking, authorization: WithCredentials): Asker {
  const { proof } = asking.connection
  const { values } = authorization.opened
  const key = computeKey(asking, authorization)
  const asker = { key, credential: computeCredentialDigest(key, values.reveal()), limits: chooseLimits(asking) }
  return proof === undefined ? asker : { ...asker, isProven: () => proof.holds(key, values) }
}

const failTooLate = ({ connection }: Asking, wait: number) =>
  fail('upstream_rate_limited', { vendor: connection.kind.definition.title }, { retryAfterMs: wait })

/** Pauses within the deadline. */
async function pause(asking: Asking, wait: number): Promise<void> {
  if (wait > asking.deadline.remaining) throw failTooLate(asking, wait)
  await asking.deadline.pause(wait)
}

/** Reserves a turn. A background call reserves no turn that another call could take; it asks again. */
async function reserveTurn(asking: Asking, limiter: Limiter, asker: Asker): Promise<{ readonly turn: Turn; readonly wait: number }> {
  const { runtime, deadline, background } = asking
  for (;;) {
    const now = runtime.steady()
    const { turn, wait } = await limiter.reserve(asker, { now, latest: now + deadline.remaining, background })
    if (turn !== undefined) return { turn, wait }
    if (!background) throw failTooLate(asking, wait)
    await pause(asking, wait)
  }
}

/** The turn of one call. Does nothing if the engine ignores the vendor's limits. */
class BudgetTurn {
  readonly #asking: Asking
  readonly #authorization: WithCredentials
  readonly #turn: Turn | undefined

  constructor(asking: Asking, authorization: WithCredentials, turn: Turn | undefined) {
    this.#asking = asking
    this.#authorization = authorization
    this.#turn = turn
  }

  /** Records what the answer proves about the credentials; undefined: nothing. */
  prove(taken: boolean | undefined): void {
    if (this.#turn === undefined || taken === undefined) return
    const { runtime, connection } = this.#asking
    runtime.limiter?.prove(this.#turn, taken, runtime.steady())
    connection.proof?.keep(this.#turn.asker.key, this.#authorization.opened.values, taken)
  }

  /** Records the level that the answer reports. */
  observe(answer: HttpAnswer): void {
    if (this.#turn === undefined) return
    const { limiter, steady, wall } = this.#asking.runtime
    const { limits } = this.#turn.asker
    const [level, now] = [readLevel(limits, answer), steady()]
    if (level !== undefined) limiter?.observe(this.#turn, level, now)
    const wait = isUsedUp(limits, answer) ? readWindowEnd(limits, answer, wall()) : undefined
    if (wait !== undefined) limiter?.postpone(this.#turn, now + wait, now)
  }

  /** Computes the wait by a rule of the kind, in milliseconds. Only refusals for too many calls in a row add up. */
  waitBy({ is, wait }: ErrorRule): number | undefined {
    if (wait === undefined) return undefined
    const { limiter, steady } = this.#asking.runtime
    const isCounted = this.#turn !== undefined && is === 'upstream_rate_limited'
    return (isCounted ? limiter?.refuse(this.#turn, wait, steady()) : undefined) ?? wait.first * 1000
  }

  /** Records the vendor's wait from an error. */
  hold({ code, retryAfterMs }: FerruleError): void {
    if (this.#turn === undefined || code !== 'upstream_rate_limited' || retryAfterMs === undefined) return
    const { limiter, steady } = this.#asking.runtime
    const now = steady()
    limiter?.postpone(this.#turn, now + retryAfterMs, now)
  }

  giveBack(): void {
    if (this.#turn !== undefined) this.#asking.runtime.limiter?.giveBack(this.#turn)
  }
}

/** Waits for the turn of a call. The caller's own rates come last, so that they count what is sent. */
async function takeTurn(asking: Asking, authorization: WithCredentials): Promise<BudgetTurn> {
  const { limiter, ownRates, steady } = asking.runtime
  if (limiter === undefined) return new BudgetTurn(asking, authorization, undefined)
  const asker = buildAsker(asking, authorization)
  const { turn, wait } = await reserveTurn(asking, limiter, asker)
  try {
    await asking.deadline.pause(wait)
    for (let more = await limiter.enter(turn, steady()); more > 0; more = await limiter.enter(turn, steady())) await pause(asking, more)
    await ownRates?.pass({ key: asker.key, deadline: asking.deadline, vendor: asking.connection.kind.definition.title })
  } catch (error) {
    limiter.giveBack(turn)
    throw error
  }
  return new BudgetTurn(asking, authorization, turn)
}

/** What the engine shares between calls. */
export interface Runtime {
  readonly http: HttpSender
  /** Absent: the engine ignores the vendor's rate limit. */
  readonly limiter?: Limiter | undefined
  /** Absent: the caller has no rates of its own. */
  readonly ownRates?: OwnGate | undefined
  /** Milliseconds since 1970 for stored timestamps. */
  readonly clock: () => number
  /** Milliseconds since 1970 as vendors know them: in tokens and dates. */
  readonly wall: () => number
  /** Milliseconds of a clock that never steps, for waits. */
  readonly steady: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  /** Absent: the event loop parses all bodies. */
  readonly apart?: Apart | undefined
  /** The rows that vendors declared for results in parts. */
  readonly declared: DeclaredResults
  /** The fields that accounts have of their own. */
  readonly descriptions: Descriptions
}

/** One running call. */
export interface Running
  extends Pick<Call, 'idempotencyKey' | 'unfiltered' | 'background' | 'rawRows' | 'keepsText' | 'digest' | 'memory'> {
  readonly runtime: Runtime
  readonly connection: Connection
  readonly operation: CompiledOperation
  /** Parameters of the request. */
  readonly params: Params
  readonly deadline: Deadline
  /** What a worker thread returns from a large body; nothing if omitted. */
  readonly take?: Taken
  /** Called when a request is written to a connection. */
  readonly onSend?: () => void
  /** Ends sent requests, instead of the deadline. */
  readonly requestSignal?: AbortSignal
}

/** What a request that belongs to no operation needs. */
export type Calling = Pick<Running, 'runtime' | 'connection' | 'deadline'>

/** A success, or an answer that means "nothing found". */
export type Reply = Success | { readonly is: 'empty' }
/** A reply, or an answer that means "not ready yet". */
export type Attempt = Reply | Unready

/** An answer that means "not ready yet". */
export interface Unready {
  readonly is: 'unready'
  readonly answer: WireAnswer
}

/** Builds the context for the authorization of this call. */
export const buildAuthContext = ({ runtime, deadline }: Pick<Running, 'runtime' | 'deadline'>) => ({
  http: runtime.http,
  signal: deadline.signal,
  now: runtime.wall(),
})

/** Notifies the connector's owner of another API version or a deprecation. */
function sendNotices({ connection, operation }: Running, answer: WireAnswer): void {
  const { version } = operation.kind.definition
  if (version === undefined || connection.notice === undefined) return
  const answered = readHeader(answer, version.header)
  const deprecated = readHeader(answer, version.deprecation)
  const asked = readConfiguration(connection, version.configuration)
  if (answered !== undefined && answered !== asked) connection.notice({ type: 'api_version', asked, answered })
  if (deprecated !== undefined) connection.notice({ type: 'deprecated', entity: operation.entityName, reason: deprecated.slice(0, 500) })
}

/** Builds the call for the worker thread; undefined if the event loop parses all bodies. */
export function buildApartCall({
  runtime,
  connection,
  operation,
  params,
  unfiltered,
  take = 'nothing',
  deadline,
}: Running): ApartCall | undefined {
  const { apart } = runtime
  // The position of the next page, or of a search that starts again, is in the last row, which a worker does not return.
  const page = findNextPages(operation)
  const isNeeded = page?.position.startsWith('last:') === true || page?.cap !== undefined
  return apart === undefined || isNeeded ? undefined : { apart, connection, operation, params, unfiltered, take, signal: deadline.signal }
}

async function send(running: Running, wire: WireRequest, authorization: Authorization): Promise<WireAnswer> {
  const answer = await sendOver(running, wire, authorization)
  const call = buildApartCall(running)
  if (call === undefined || !isLarge(answer, call.apart.from)) return answer
  const held = (running.memory?.held ?? 0) - (weightOfBody - weightOfBytes) * answer.bytes.length
  const read = await readAnswerApart(call, answer)
  running.memory?.shrinkTo(Math.max(0, held)) // the parsed body is released, its bytes remain
  return read
}

async function sendOver(running: Running, wire: WireRequest, authorization: Authorization): Promise<WireAnswer> {
  const { runtime, connection, operation, deadline } = running
  const { patience, title } = operation.kind.definition
  await loadLineReader(operation.lines?.format)
  deadline.signal.throwIfAborted()
  const origins = resolveOrigins(connection, authorization.opened.values.reveal())
  const url = new URL(origins.api + (wire.unprefixed ? '' : buildPrefix(connection)) + wire.path)
  for (const [name, value] of authorization.query) url.searchParams.set(name, value)
  return runtime.http.send({
    url,
    trust: origins.trust,
    method: wire.method,
    headers: {
      accept: 'application/json',
      'user-agent': 'ferrule',
      ...authorization.headers,
      ...origins.forwarded.api,
      ...operation.kind.definition.headers,
      ...(operation.lines === undefined ? {} : { accept: acceptLines[operation.lines.format] }),
      ...wire.headers,
      ...(wire.body === undefined ? {} : { 'content-type': wire.isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    body: wire.body,
    patience,
    onSend: running.onSend,
    memory: running.memory,
    digest: running.digest,
    keepsBytes: running.keepsText,
    bytesFrom: running.rawRows === undefined ? runtime.apart?.from : 0,
    signal: running.requestSignal ?? deadline.signal,
    vendor: title,
    traced: { template: wire.template ?? operation.operation.call, sent: wire },
  })
}

async function attempt(running: Running, wire: WireRequest, authorization: Authorization): Promise<Attempt> {
  const turn = await takeTurn(running, authorization)
  const held = running.memory?.held ?? 0
  try {
    const answer = await send(running, wire, authorization)
    sendNotices(running, answer)
    return readAnswer(running, wire, { answer, turn, redact: authorization.redact })
  } catch (thrown) {
    running.memory?.shrinkTo(held)
    throw thrown
  } finally {
    turn.giveBack()
  }
}

interface Answered {
  readonly answer: WireAnswer
  readonly turn: BudgetTurn
  readonly redact: Redact
}

/** Reads what an answer means for the caller and for the budget. */
function readAnswer(running: Running, wire: WireRequest, { answer, turn, redact }: Answered): Attempt {
  const { runtime, operation, params } = running
  const done = (attempt: Attempt): Attempt => {
    turn.prove(true)
    turn.observe(answer)
    return attempt
  }
  if (wire.unready?.includes(answer.status)) return answer.status < 300 ? done({ is: 'unready', answer }) : { is: 'unready', answer }
  if (answer.status >= 200 && answer.status < 300) {
    const { body, ...kept } = parseSuccess(operation, answer, running.rawRows)
    const warnings = readSuccess(operation, { answer, body, redact })
    if (warnings !== undefined) {
      if (isInParts(operation)) {
        const rows = readPartRows(operation, body)
        // What became of a write is in its answer already, and a write is not repeated for its rows.
        if (!isWrite(running)) checkDeclared(running, body, rows)
      }
      return done({ is: 'answer', answer, body, warnings, ...kept })
    }
  }
  const verdict = readVerdict(operation, answer, { params, redact, now: runtime.wall(), waitBy: (rule) => turn.waitBy(rule) })
  if (verdict.is === 'empty') return done({ is: 'empty' })
  turn.prove(readProof(operation, verdict.error))
  turn.observe(answer)
  turn.hold(verdict.error)
  throw verdict.error
}

const isStale = (running: Running, error: unknown, authorization: Authorization): boolean =>
  error instanceof FerruleError && errorConsequences[error.code].credentials === 'refused' && isRenewable(running.connection, authorization)

/** Returns whether a call changes something at the vendor. A failed write may have run there, so it is never sent again. */
export const isWrite = ({ operation }: Pick<Running, 'operation'>): boolean => isWriting(operation.action)

/**
 * Reserves the memory that every call needs before it sends anything. The answer of a write must be read, because it reports the outcome.
 */
export async function takeMemory({ operation, deadline, memory }: Pick<Running, 'operation' | 'deadline' | 'memory'>): Promise<void> {
  await memory?.grow(callBytes, deadline.signal)
  if (memory !== undefined) memory.isKept = isWrite({ operation })
}

/** Returns whether a failed call may be sent again: a read, or a write that the vendor knows by a header and does once. */
const isRepeatable = (running: Running): boolean => !isWrite(running) || running.operation.operation.once !== undefined

/** Treats a call as a read: it may be repeated, as a poll, or because that was decided already. */
export const asRead = (running: Running): Running => ({ ...running, operation: { ...running.operation, action: 'get' } })

/** Waits before the next attempt. @throws the error itself if there is no further attempt; the reason of a signal that ends the pause */
export async function pauseOrThrow(running: Running, error: unknown, failures: number): Promise<void> {
  if (!isTransient(error) || !isRepeatable(running) || failures >= countAttempts(error) || running.deadline.signal.aborted) throw error
  const pause = computePause(error, failures, running.runtime.random)
  if (pause >= running.deadline.remaining) throw error
  await running.deadline.pause(pause)
}

/** Pause before the next request for an answer that was not ready, in milliseconds, if the vendor names none. */
const unreadyPause = 1_000
/** Shortest such pause, in milliseconds, because some vendors name a pause of zero. */
const shortestPause = 100

/** Waits for an answer that was not ready. */
async function awaitReady({ deadline, operation, runtime }: Running, { headers }: WireAnswer): Promise<void> {
  const pause = Math.max(shortestPause, parseRetryAfter(headers, runtime.wall()) ?? unreadyPause)
  const { remaining } = deadline
  if (pause < remaining) return deadline.pause(pause)
  deadline.signal.throwIfAborted()
  throw failTimeout(operation.kind.definition.title, remaining, {
    retryAfterMs: pause,
    hint: 'The answer is not ready yet: ask again after the time of Retry-After.',
  })
}

/**
 * Sends a request until it succeeds or the deadline comes.
 * Retries transient failures of reads, never a failed write. A wait beyond the deadline becomes `upstream_rate_limited` with its time.
 * Repeats the request while the answer is not ready. Renews refused credentials once; a failed renewal ends the call, because a single-use
 * token may be spent.
 * @param failed decides after a failed attempt; by default the retries above
 * @throws FerruleError of the error table; the abort reason of a caller that disconnected
 */
export async function exchange(
  running: Running,
  wire: WireRequest,
  failed: Attempts['failed'] = (error, failures) => pauseOrThrow(running, error, failures),
): Promise<Reply> {
  for (;;) {
    const reply = await exchangeOnce(running, { wire: () => wire, failed })
    if (reply.is !== 'unready') return reply
    await awaitReady(running, reply.answer)
  }
}

/**
 * Sends a request that belongs to no operation, with the error table and the budget of the kind's check.
 * @param call method and path, as definitions write them
 * @throws as `exchange`
 */
export function exchangeBeside(calling: Calling, call: `${'GET' | 'POST'} /${string}`, more: Partial<WireRequest> = {}): Promise<Reply> {
  const { kind } = calling.connection
  const operation = findOperation(kind, kind.definition.check.entity, kind.definition.check.action)
  const method = call.startsWith('POST ') ? 'POST' : 'GET'
  return exchange({ ...calling, operation, params: {} }, { ...more, method, path: call.slice(method.length + 1), template: call })
}

/** What decides after a failed attempt. */
export interface Attempts {
  /** Returns the next request to send. */
  readonly wire: () => WireRequest
  /** Waits before the next attempt. @throws the error that ends the call */
  readonly failed: (error: unknown, failures: number) => Promise<void>
}

/** Sends a request until an attempt succeeds or `failed` ends it. An answer that is not ready is returned as such. */
export async function exchangeOnce(running: Running, { wire, failed }: Attempts): Promise<Attempt> {
  let authorization = await authorize(running.connection, buildAuthContext(running))
  let renewals = 0
  for (let failures = 0; ; ) {
    try {
      return await attempt(running, wire(), authorization)
    } catch (error) {
      if (renewals === 0 && isStale(running, error, authorization)) {
        renewals += 1
        authorization = await renew(running.connection, authorization.opened, buildAuthContext(running))
        continue
      }
      failures += 1
      await failed(error, failures)
      authorization = await authorize(running.connection, buildAuthContext(running))
    }
  }
}
