import { createHash } from 'node:crypto'
import { setTimeout as pass } from 'node:timers/promises'
import type { FaultSupply } from '../faults.ts'
import { findRoute, headerOf, type ReceivedRequest, type Reply } from '../http.ts'
import { bare, canceled, failedReply, partitionReply, type RowsFault, refused, resultSet, running, unknownAccount } from './answers.ts'
import type { RunEnvironment } from './context.ts'
import { enginePackage } from './engine.ts'
import { type Failure, failure, failureOfCode, isFailure } from './failures.ts'
import type { createSnowflakeOauth } from './oauth.ts'
import { runSubmission } from './run.ts'
import { isHandle, requestIdIn, type Session, type Submission, sessionFor, submissionIn } from './sessions.ts'
import type { Statement, StatementLabel } from './statements.ts'
import { type Access, type Authenticator, snowflakeCredentials } from './tokens.ts'

/** Everything that the stand-in keeps between requests. */
export interface SnowflakeState extends RunEnvironment {
  readonly faults: FaultSupply
  readonly authenticator: Authenticator
  readonly oauth: ReturnType<typeof createSnowflakeOauth>
  /** Code and message of a fault instead of the success code, in a result. */
  readonly code?: { readonly code: string; readonly message: string }
}

interface ApiCall {
  readonly state: SnowflakeState
  readonly request: ReceivedRequest
  readonly access: Access
  /** Of the statement that the path names. */
  readonly handle: string
}

const domain = '.snowflakecomputing.com'

/** Returns true for a request to the account of the sandbox; a host that is not the vendor's is that of the sandbox. */
function isOwnAccount(request: ReceivedRequest): boolean {
  const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  const named = headerOf(request, 'x-forwarded-host')?.toLowerCase() ?? (host.endsWith(domain) ? host : snowflakeCredentials.host)
  return named === snowflakeCredentials.host
}

/** Refuses what is not JSON; the vendor says so before it looks further. */
function unfit(request: ReceivedRequest): Reply | undefined {
  const { accept } = request.headers
  if (!/\*\/\*|application\/(\*|json)/i.test(accept ?? ''))
    return refused(failure('accept', `Unsupported Accept header ${accept ?? null} is specified.`))
  const type = headerOf(request, 'content-type')
  const submits = request.method === 'POST' && !request.path.endsWith('/cancel')
  return submits && type !== undefined && !/^application\/json\s*(;|$)/i.test(type) ? bare(415) : undefined
}

function hashOf({ statement, database, schema, warehouse, role }: Submission): string {
  const parts = JSON.stringify([statement, database, schema, warehouse, role])
  return createHash('sha256').update(parts).digest('base64')
}

/** Returns a statement that a retry stands for: one that succeeded, or one that runs where retries join. */
function original(state: SnowflakeState, submission: Submission, label: StatementLabel): Statement | undefined {
  if (!submission.retry) return undefined
  const alike = state.store.alike(label)
  const done = alike.find(({ outcome }) => outcome.state === 'succeeded')
  if (done || state.switches().retryWhileRunning !== 'join') return done
  return alike.find(({ outcome }) => outcome.state === 'running')
}

const longestTimer = 2 ** 31 - 1

/** Begins a statement. Its time limit counts from its arrival, however long the engine needed for a session. */
function begin(
  state: SnowflakeState,
  submission: Submission,
  at: { readonly label: StatementLabel; readonly session: Session; readonly arrival: number },
): Statement {
  const statement = state.store.begin(at.label, (own) => runSubmission(submission, { ...state, session: at.session, statement: own }))
  const left = submission.timeout * state.switches().timeoutSecondMs - (performance.now() - at.arrival)
  if (left <= 0) statement.abort('timeout')
  else {
    const timer = setTimeout(() => statement.abort('timeout'), Math.min(left, longestTimer)).unref()
    void statement.finished.then(() => clearTimeout(timer))
  }
  return statement
}

async function contextOf({ state, access }: ApiCall, submission: Submission): Promise<Session | Failure> {
  const engine = await (await state.house.open()).session()
  try {
    return await sessionFor(submission, access, { switches: state.switches(), engine })
  } finally {
    engine.close()
  }
}

/** Waits until the statement has ended, the window has passed, or a hold wants the answer at once. */
async function inWindow(statement: Statement, { windowMs }: { readonly windowMs: number }): Promise<void> {
  const ended = new AbortController()
  const window = pass(windowMs, undefined, { ref: false, signal: ended.signal }).catch(() => undefined)
  await Promise.race([statement.finished, statement.accepted, window])
  ended.abort()
}

const rowsFaults: readonly RowsFault[] = ['short-part', 'long-part']

const takeRowsFault = ({ state, request }: ApiCall): RowsFault | undefined =>
  rowsFaults.find((kind) => state.faults.takePage(kind, 'snowflake', request.path, request.method))

/** Returns an answer of the vendor's choice, or the statement's result. */
function outcomeReply(asked: ApiCall, statement: Statement): Promise<Reply> | Reply {
  const { outcome } = statement
  const switches = asked.state.switches()
  if (outcome.state === 'running') return running(statement)
  if (outcome.state === 'failed') return failedReply(statement, outcome.failure)
  if (outcome.state === 'dropped') return notFound(statement.handle)
  const { code } = asked.state
  const sending = { switches, packed: /\bgzip\b/i.test(headerOf(asked.request, 'accept-encoding') ?? ''), rowsFault: takeRowsFault(asked) }
  return resultSet(statement, outcome.result, { ...sending, ...(code ? { code } : {}) })
}

const notFound = (handle: string): Reply =>
  failedReply({ handle, createdOn: 0 }, { ...failure('notFound', `Statement ${handle} not found`), early: true })

async function submit(asked: ApiCall): Promise<Reply> {
  const arrival = performance.now()
  const { state, request, access } = asked
  const submission = submissionIn(request)
  if (isFailure(submission)) return refused(submission)
  const session = await contextOf(asked, submission)
  if (isFailure(session)) return refused(session)
  const label = { requestId: submission.requestId, user: access.user, hash: hashOf(submission) }
  const known = original(state, submission, label)
  const { unfinishedLimit, windowMs } = state.switches()
  if (!known && state.store.unfinished() >= unfinishedLimit) return refused(failure('tooMany'))
  const statement = known ?? begin(state, submission, { label, session, arrival })
  if (submission.async || windowMs === 0) return running(statement)
  await inWindow(statement, { windowMs })
  return outcomeReply(asked, statement)
}

function partitionIn(query: URLSearchParams): number | undefined {
  const text = query.get('partition') ?? '0'
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Answers a poll of a statement that runs, or that timed out. */
function poll({ state }: ApiCall, statement: Statement): Reply | undefined {
  const { outcome } = statement
  const { busyPolls, pollTimeoutStatus } = state.switches()
  if (outcome.state === 'failed' && outcome.failure.status === 408)
    return failedReply(statement, { ...outcome.failure, status: pollTimeoutStatus })
  if (outcome.state !== 'running') return undefined
  statement.polls += 1
  return running(statement, statement.polls <= busyPolls ? 429 : 202)
}

function status(asked: ApiCall): Promise<Reply> | Reply {
  const { state, request, access, handle } = asked
  const partition = partitionIn(request.query)
  if (request.query.has('nullable') || partition === undefined) return refused(failure('malformed'))
  const statement = state.store.find(handle, access.user)
  if (!statement) return notFound(handle)
  const { outcome } = statement
  const polled = poll(asked, statement)
  if (polled || partition === 0 || outcome.state !== 'succeeded') return polled ?? outcomeReply(asked, statement)
  const { linkForm } = state.switches()
  const reply = partitionReply(statement, outcome.result, { partition, linkForm, rowsFault: takeRowsFault(asked) })
  return reply ?? refused(failure('malformed', `Partition ${partition} is out of range.`))
}

async function cancel({ state, access, handle }: ApiCall): Promise<Reply> {
  const statement = state.store.find(handle, access.user)
  if (!statement) return notFound(handle)
  if (!statement.abort('cancel')) return failedReply(statement, { ...failure('notExecuting'), early: true })
  await statement.finished
  return canceled(statement)
}

const path = '/api/v2/statements'
const routes: readonly { readonly method: string; readonly path: string; readonly handle: (asked: ApiCall) => Promise<Reply> | Reply }[] = [
  { method: 'POST', path, handle: submit },
  { method: 'GET', path: `${path}/{handle}`, handle: status },
  { method: 'POST', path: `${path}/{handle}/cancel`, handle: cancel },
]

/** Returns what the missing engine is answered with: only this vendor is without it. */
function withoutEngine(error: unknown): Reply {
  if (error instanceof Error && error.message.includes(enginePackage))
    return refused({ status: 501, code: '000002', message: error.message })
  throw error
}

async function answer(state: SnowflakeState, request: ReceivedRequest): Promise<Reply> {
  if (!isOwnAccount(request)) return unknownAccount
  const consented = state.oauth.answer(request)
  if (consented !== undefined) return consented
  const match = findRoute(routes, request.method, request.path)
  if (match.found !== 'route') return bare(match.found === 'path' ? 405 : 404)
  const type = headerOf(request, 'x-snowflake-authorization-token-type')
  const access = state.authenticator.check(request.headers.authorization, type, state.switches().tokenTypeAbsent)
  if (isFailure(access)) return refused(access)
  const requestId = requestIdIn(request.query)
  const handle = match.slots['handle'] ?? ''
  if (isFailure(requestId)) return refused(requestId)
  if (handle !== '' && !isHandle(handle)) return refused(failure('malformed'))
  return unfit(request) ?? match.route.handle({ state, request, access, handle })
}

/** Code and HTTP status that a fault asks for, before the statement runs or after it has. */
async function spoiled(state: SnowflakeState, request: ReceivedRequest): Promise<Reply | undefined> {
  const fault = state.faults.takeCode('snowflake', request.path, request.method)
  if (!fault) return undefined
  if (fault.code === largeCode) {
    const code = { code: String(largeCode), message: fault.message ?? 'The result set is too large.' }
    return answer({ ...state, code }, request)
  }
  if (fault.moment === 'after') await answer(state, request)
  return refused(failureOfCode(fault.code, fault.message))
}

/** A result that is too large keeps HTTP 200. */
const largeCode = 391_908

/** Answers a request to the SQL API. */
export const answerTo = (state: SnowflakeState, request: ReceivedRequest): Promise<Reply> =>
  spoiled(state, request)
    .then((reply) => reply ?? answer(state, request))
    .catch(withoutEngine)
