/**
 * Submits requests that the vendor identifies by an id and does not carry out twice. One call at a time holds the id of a write. A write is
 * sent again only after an earlier submission cannot run any more, because vendors do not document what a repetition does to a running
 * original.
 */
import { createHash, randomUUID } from 'node:crypto'
import { v4, v5 } from 'uuid'
import type { Submission } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { errorConsequences } from '../../error-consequences.ts'
import { FerruleError, fail } from '../../errors.ts'
import { isTransient, maxAttempts } from '../../retry.ts'
import { writeJson } from '../../values/json/json.ts'
import { failParameter } from '../call/operation.ts'
import { findPageDefinition } from '../call/page-records.ts'
import { buildRequest, type WireRequest } from '../call/request.ts'
import { asRead, exchangeOnce, isWrite, pauseOrThrow, type Reply, type Running } from '../call/transport.ts'
import { isNeverSent, mayHaveRun } from '../http/unsent.ts'
import { sortKeys } from '../json/paths.ts'
import { awaitResult, exchangeCancellable, type Result, readHandle } from '../results/polling.ts'
import { claimLifeMs, normaliseRequestId } from './claims.ts'

/** Namespace of ids derived from an Idempotency-Key (RFC 9562 section 5.5). */
const keyNamespace = '5d2c7b7e-7a0f-4b07-9a53-4ce09f0f6a3d'

/** Reads the vendor's time limit of a request, in seconds; 0 if unknown. */
const readTimeLimit = ({ operation, params }: Running, { within }: Submission): number =>
  Number(params[within] ?? operation.operation.defaults?.[within] ?? 0)

/** Computes a hash of the request without its id. */
function computeFingerprint(running: Running, submits: Submission): string {
  const { operation, params } = running
  const { [submits.id]: _id, [submits.again]: _again, ...what } = params
  const limited = { ...what, [submits.within]: readTimeLimit(running, submits) }
  return createHash('sha256')
    .update(writeJson(sortKeys([operation.entityName, operation.action, limited])))
    .digest('base64url')
}

/**
 * Chooses the id of a submission: the caller's, one derived from the write's Idempotency-Key, or a new one. Sends the normalised form,
 * because a vendor that distinguishes case would carry out a repetition twice.
 */
function chooseId(running: Running, submits: Submission, fingerprint: string): string {
  const { params, idempotencyKey } = running
  const given = params[submits.id]
  if (idempotencyKey === undefined || !isWrite(running)) return typeof given === 'string' ? normaliseRequestId(given) : v4()
  if (given === undefined) return v5(`${idempotencyKey}\0${fingerprint}`, keyNamespace)
  const message = 'cannot go with the header Idempotency-Key: both name the write'
  throw failParameter(submits.id, message, 'conflict')
}

/**
 * Submits a request under an id and waits for its result within the deadline.
 * @throws FerruleError `outcome_unknown` for a write that may have been carried out, `request_id_conflict`, and of the vendor; errors of
 *   writes carry the id
 */
export async function submit(running: Running, submits: Submission): Promise<Reply & { readonly ready?: boolean }> {
  const { operation, params, runtime } = running
  const fingerprint = computeFingerprint(running, submits)
  const id = chooseId(running, submits, fingerprint)
  const wire = buildRequest(operation, { ...params, [submits.id]: id, [submits.again]: undefined }, runtime.wall())
  const again: WireRequest = { ...wire, path: `${wire.path}&${submits.again}=true` }
  const reply = await (isWrite(running)
    ? submitWrite({ running, submits, id, fingerprint, seconds: readTimeLimit(running, submits), wire, again })
    : submitRead(running, wire, again))
  if (reply.is === 'answer' && isObject(reply.body)) reply.body[submits.id] ??= id
  return reply
}

async function submitRead(running: Running, wire: WireRequest, again: WireRequest): Promise<Reply> {
  let next = wire
  const failed = async (error: unknown, failures: number): Promise<void> => {
    await pauseOrThrow(running, error, failures)
    next = again // the vendor returns the existing result, so the work is not paid twice
  }
  return awaitResult(running, await exchangeCancellable(running, { wire: () => next, failed }))
}

/** Margin on the time limit of a submission, in milliseconds: for the network and for clock differences. */
const margin = 2_000
/** Maximum number of submissions of a write. Usually the deadline ends the write earlier. */
const maxSubmissions = 10
/** Interval at which a call checks whether another call still holds its id, in milliseconds. */
const lookPause = 1_000

/** A write before its first submission. */
interface Write {
  readonly running: Running
  readonly submits: Submission
  /** The vendor's id of the write. */
  readonly id: string
  /** Hash of the write without its id. */
  readonly fingerprint: string
  /** Maximum seconds that the vendor works on the write; 0 if unknown. */
  readonly seconds: number
  readonly wire: WireRequest
  /** The same request, marked as a repetition. */
  readonly again: WireRequest
}

interface Submitted extends Write {
  /** Owner of the hold on the id. */
  readonly owner: string
  /** Maximum milliseconds that a submission can run, from its sending. */
  readonly reach: number
  /** True if an earlier submission may have been carried out. */
  mayHaveRun: boolean
  /** True if the vendor saw and refused an earlier submission of this call. The next one is a repetition then. */
  wasSeen: boolean
  /** End of the time in which a submission of this call can run, in milliseconds since 1970. */
  busyUntil: number
  /** When the current attempt was sent; undefined before that. */
  sentAt: number | undefined
  /** The vendor's handle of an accepted submission; undefined before that. */
  handle: string | undefined
}

function startSubmission(write: Write): Submitted {
  const { running, submits, seconds } = write
  const longest = seconds > 0 ? seconds * 1000 : claimLifeMs
  const mayHaveRun = running.params[submits.again] === true
  const fresh = { wasSeen: false, busyUntil: 0, sentAt: undefined, handle: undefined }
  return { ...write, owner: randomUUID(), reach: longest + margin, mayHaveRun, ...fresh }
}

/** Records that the current attempt may run or have run. */
function markUncertain(submission: Submitted): void {
  submission.mayHaveRun = true
  submission.busyUntil = (submission.sentAt ?? submission.running.runtime.clock()) + submission.reach
}

/** Returns whether a failed attempt may have been carried out. */
function isUncertain({ sentAt }: Submitted, error: unknown): boolean {
  if (sentAt === undefined) return false
  if (!(error instanceof FerruleError)) return true // the caller disconnected during the request
  return mayHaveRun(error)
}

/** Returns whether the vendor itself reported the outcome of the write, earlier submissions included. */
const isAnswer = (error: unknown): boolean => error instanceof FerruleError && errorConsequences[error.code].submission === 'stated'

/** Adds the id of the write to an error, so that the caller can find the outcome. */
const addId = (error: FerruleError, { id }: Submitted): FerruleError =>
  new FerruleError(error.code, error, {
    errors: error.errors,
    cause: error.cause ?? error,
    retryable: error.retryable,
    retryAfterMs: error.retryAfterMs,
    upstream: { ...error.upstream, request_id: error.upstream?.request_id ?? id },
  })

/** Handles that messages may show. The vendor wrote them, so other forms are left out. */
const showable = /^[\w-]{1,100}$/

/** Describes how to find the outcome of a write. @param isBusy true if the error also has a wait */
function describeWayOut(submission: Submitted, isBusy: boolean): string {
  const { running, id, submits, handle } = submission
  if (isUnlimited(submission)) return describeUnlimitedWayOut(submission) + askByHandle(running, handle)
  const instead = running.idempotencyKey === undefined ? '' : ', instead of the Idempotency-Key'
  const repeat = `Repeat the same call with ${submits.id} ${id} and ${submits.again} true${instead}: it is carried out once.`
  const wait = isBusy ? ' Wait for the time of Retry-After: until then it may still be at work.' : ''
  return repeat + wait + askByHandle(running, handle)
}

/** Returns whether the vendor may work on the write for days. No repetition is sent then, and the caller need not wait for one. */
const isUnlimited = ({ seconds }: Submitted): boolean => seconds <= 0

function describeUnlimitedWayOut({ running, submits }: Submitted): string {
  const { title } = running.operation.kind.definition
  const key = running.idempotencyKey === undefined ? '' : ' and without this Idempotency-Key'
  return (
    `With ${submits.within} 0 it may be at work for 7 days, and the same call is not sent again before that. ` +
    `Look for the request id in the history of ${title}. If it was not carried out and no longer runs, send the write with a new ` +
    `${submits.id}${key}, and with a ${submits.within} above 0: then it can be repeated soon.`
  )
}

/** Describes how to ask for the result by the vendor's handle; empty without a handle. */
function askByHandle(running: Running, handle: string | undefined): string {
  const page = findPageDefinition(running.operation)
  if (handle === undefined || !showable.test(handle) || page === undefined || !('parts' in page)) return ''
  const { entity, handle: named, number } = page.parts
  return ` It began: ${entity} get with ${named.param} ${handle} and ${number} 0 also reports its outcome.`
}

/** Cause of a call that found an earlier submission of its write running. */
const stillAtWork = new Error('an earlier submission of it may still be at work')

function describeReason(error: unknown): string {
  if (error === stillAtWork) return stillAtWork.message
  return error instanceof FerruleError ? error.message.replace(/\.$/, '') : 'the call was given up'
}

/** Makes the error of a write with an unknown outcome. @param until when nothing of the write can run any more */
function failUnknownOutcome(submission: Submitted, error: unknown, until = submission.busyUntil): FerruleError {
  const { running, id } = submission
  const reason = describeReason(error)
  const over = isUnlimited(submission) ? 0 : until - running.runtime.clock()
  return fail(
    'outcome_unknown',
    { vendor: running.operation.kind.definition.title, request_id: id, reason },
    {
      cause: error,
      hint: describeWayOut(submission, over > 0),
      upstream: { ...(error instanceof FerruleError ? error.upstream : {}), request_id: id },
      ...(over > 0 ? { retryAfterMs: over } : {}),
    },
  )
}

/** Takes the id for this call, or renews its hold. Waits for another call that holds it. */
async function takeId(submission: Submitted): Promise<void> {
  const { running, id, fingerprint, owner, reach } = submission
  const { connection, runtime, deadline } = running
  for (;;) {
    const until = Math.ceil(runtime.clock() + deadline.remaining + reach)
    const claim = await connection.writes?.claim(id, fingerprint, { owner, until })
    submission.mayHaveRun ||= claim?.repeated === true
    if (claim?.busyUntil === undefined) return
    const left = claim.busyUntil - runtime.clock()
    const wait = left > reach ? Math.min(left, lookPause) : left // a running call can end early; an abandoned submission cannot
    if (wait >= deadline.remaining) throw failUnknownOutcome(submission, stillAtWork, claim.busyUntil)
    await deadline.pause(wait)
  }
}

/** Releases the id when nothing of this call can run any more. */
async function leaveId({ running, id, owner, busyUntil }: Submitted): Promise<void> {
  // A hold that cannot be ended early expires by itself, and the outcome of the write is already known.
  await running.connection.writes?.settle(id, { owner, until: busyUntil }).catch(() => undefined)
}

/** Waits until the last submission cannot run any more. */
async function awaitOver(submission: Submitted, error: unknown): Promise<void> {
  const { running, busyUntil } = submission
  const wait = busyUntil - running.runtime.clock()
  if (wait >= running.deadline.remaining) throw failUnknownOutcome(submission, error)
  await running.deadline.pause(wait)
}

/** Decides after a failed attempt. */
async function handleFailure(submission: Submitted, error: unknown, failures: number): Promise<void> {
  const { running } = submission
  const uncertain = isUncertain(submission, error)
  if (uncertain) markUncertain(submission)
  submission.wasSeen ||= submission.sentAt !== undefined && !isNeverSent(error)
  const isOver = running.deadline.signal.aborted || failures >= maxSubmissions
  if (isOver || isAnswer(error) || !(uncertain || isTransient(error))) throw error
  if (uncertain) await awaitOver(submission, error)
  else await pauseOrThrow(asRead(running), error, Math.min(failures, maxAttempts - 1))
  await takeId(submission)
}

/** Chooses the error that ends a write: `outcome_unknown` if it may have been carried out and the vendor reported no outcome. */
function toFinalError(submission: Submitted, error: unknown): unknown {
  if (error instanceof FerruleError && error.code === 'outcome_unknown') return error
  if (submission.mayHaveRun && !isAnswer(error)) return failUnknownOutcome(submission, error)
  return error instanceof FerruleError ? addId(error, submission) : error
}

async function sendSubmission(submission: Submitted): Promise<Result> {
  const { running, wire, again } = submission
  const onSend = (): void => {
    submission.sentAt = running.runtime.clock()
  }
  const next = (): WireRequest => {
    submission.sentAt = undefined
    return submission.mayHaveRun || submission.wasSeen ? again : wire
  }
  const attempts = { wire: next, failed: (error: unknown, failures: number) => handleFailure(submission, error, failures) }
  const attempt = await exchangeOnce({ ...running, onSend }, attempts)
  markUncertain(submission) // until the result arrives
  const poll = running.operation.operation.running?.poll
  if (attempt.is === 'unready' && poll !== undefined) submission.handle = readHandle(running, attempt, poll)
  return awaitResult(running, attempt)
}

/** Submits a write under its id and waits for its result within the deadline. */
async function submitWrite(write: Write): Promise<Result> {
  const submission = startSubmission(write)
  try {
    await takeId(submission)
    const result = await sendSubmission(submission)
    if (result.is !== 'answer' || result.ready !== false) submission.busyUntil = 0
    return result
  } catch (error) {
    if (isAnswer(error)) submission.busyUntil = 0
    throw toFinalError(submission, error)
  } finally {
    await leaveId(submission)
  }
}
