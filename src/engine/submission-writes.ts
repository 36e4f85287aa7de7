/**
 * Writes that the vendor knows by an id. One call at a time holds an id, and a write is sent again only when an earlier submission
 * of it cannot be at work any more: what the vendor does with one that meets a running original is not known.
 */
import { randomUUID } from 'node:crypto'
import type { Submission } from '../definition/entity.ts'
import { FerruleError, fail } from '../errors.ts'
import { claimLifeMs } from './claims.ts'
import { pageOf } from './meta.ts'
import { handleOf, type Result, resultOf } from './polling.ts'
import type { WireRequest } from './request.ts'
import { isTransient, maxAttempts } from './retry.ts'
import { exchangeOnce, pauseOrThrow, type Running } from './transport.ts'
import { isNeverSent } from './unsent.ts'

/** Added to the time limit of a submission before it counts as over, in milliseconds: for the way there, and for clocks. */
const margin = 2_000
/** Attempts of a write, the first included; its deadline ends it earlier in most cases. */
const maxSubmissions = 10
/** How often a call looks whether another one that holds its id still runs, in milliseconds. */
const lookPause = 1_000

/** A write as it is sent. */
export interface Write {
  readonly running: Running
  readonly submits: Submission
  /** The id that the vendor knows it by. */
  readonly id: string
  /** What it is, whatever its id. */
  readonly fingerprint: string
  /** Seconds that the vendor works on it at most; 0 where that is not known. */
  readonly seconds: number
  readonly wire: WireRequest
  /** The same, as the repetition of one that was sent before. */
  readonly again: WireRequest
}

/** A write on its way. */
interface Submitted extends Write {
  /** Of its hold on the id. */
  readonly owner: string
  /** Milliseconds that a submission can be at work at most, counted from when it was sent. */
  readonly reach: number
  /** An earlier submission may have been carried out. */
  mayHaveRun: boolean
  /** The vendor has seen an earlier submission of this call, and refused its turn: the next one is a repetition for it too. */
  wasSeen: boolean
  /** Until when a submission of this call may be at work, in milliseconds since 1970. */
  busyUntil: number
  /** When the attempt under way was sent; undefined before that. */
  sentAt: number | undefined
  /** By which the vendor knows a submission that it took; undefined while it told none. */
  handle: string | undefined
}

function submitted(write: Write): Submitted {
  const { running, submits, seconds } = write
  const longest = seconds > 0 ? seconds * 1000 : claimLifeMs
  const mayHaveRun = running.params[submits.again] === true
  const fresh = { wasSeen: false, busyUntil: 0, sentAt: undefined, handle: undefined }
  return { ...write, owner: randomUUID(), reach: longest + margin, mayHaveRun, ...fresh }
}

/** The attempt that was sent may be at work, or was carried out. */
function markUncertain(submission: Submitted): void {
  submission.mayHaveRun = true
  submission.busyUntil = (submission.sentAt ?? submission.running.runtime.clock()) + submission.reach
}

/** What became of an attempt that failed: nothing, or nobody knows. */
function isUncertain({ sentAt }: Submitted, error: unknown): boolean {
  if (sentAt === undefined) return false
  if (!(error instanceof FerruleError)) return true // the caller went away amid the request
  if (isNeverSent(error)) return false
  if (error.code === 'upstream_unreachable' || error.code === 'upstream_timeout') return true
  if (error.code === 'upstream_error') return (error.upstream?.status ?? 500) >= 500
  return error.code === 'upstream_answer_invalid' || error.code === 'result_too_large'
}

/** Errors by which the vendor itself says what became of the write, an earlier submission of it included. */
const answers: ReadonlySet<string> = new Set(['statement_failed', 'statement_timeout', 'request_id_conflict'])
const isAnswer = (error: unknown): boolean => error instanceof FerruleError && answers.has(error.code)

/** An error with the id of the write, which the caller needs to find out more. */
const withId = (error: FerruleError, { id }: Submitted): FerruleError =>
  new FerruleError(error.code, error, {
    errors: error.errors,
    cause: error.cause ?? error,
    retryable: error.retryable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    upstream: { ...error.upstream, request_id: error.upstream?.request_id ?? id },
  })

/** Handles that are shown: the vendor wrote them, so a text of any other form is left out. */
const showable = /^[\w-]{1,100}$/

/** How to find out what became of a write. @param isBusy whether a time to wait goes with it */
function wayOut(submission: Submitted, isBusy: boolean): string {
  const { running, id, submits, handle } = submission
  if (isUnlimited(submission)) return wayOutOfUnlimited(submission) + askByHandle(running, handle)
  const place = running.idempotencyKey === undefined ? '' : ', in the place of the Idempotency-Key'
  const repeat = `Repeat the same call with ${submits.id} ${id} and ${submits.again} true${place}: it is carried out once.`
  const wait = isBusy ? ' Wait for the time of Retry-After: until then it may still be at work.' : ''
  return repeat + wait + askByHandle(running, handle)
}

/** Whether the vendor may work on it for days: then a repetition is not sent for as long, and nobody should be told to wait for it. */
const isUnlimited = ({ seconds }: Submitted): boolean => seconds <= 0

function wayOutOfUnlimited({ running, submits }: Submitted): string {
  const { title } = running.operation.kind.definition
  const key = running.idempotencyKey === undefined ? '' : ' and without this Idempotency-Key'
  return (
    `With ${submits.within} 0 it may be at work for 7 days, and the same call is not sent again before that. ` +
    `Look for the request id in the history of ${title}. If it was not carried out and no longer runs, send the write with a new ` +
    `${submits.id}${key}, and with a ${submits.within} above 0: then it can be repeated soon.`
  )
}

/** Where the vendor told a handle, its result can be asked for. */
function askByHandle(running: Running, handle: string | undefined): string {
  const page = pageOf(running.operation)
  if (handle === undefined || !showable.test(handle) || page === undefined || !('parts' in page)) return ''
  const { entity, handle: named, number } = page.parts
  return ` It began: ${entity} get with ${named.param} ${handle} and ${number} 0 tells what became of it, too.`
}

/** What a call ends with that found an earlier submission of its write at work. */
const stillAtWork = new Error('an earlier submission of it may still be at work')

function reasonOf(error: unknown): string {
  if (error === stillAtWork) return stillAtWork.message
  return error instanceof FerruleError ? error.message.replace(/\.$/, '') : 'the call was given up'
}

/** The error of a write of which nobody knows whether it was carried out. @param until when nothing of it can be at work any more */
function unknownOutcome(submission: Submitted, error: unknown, until = submission.busyUntil): FerruleError {
  const { running, id } = submission
  const reason = reasonOf(error)
  const over = isUnlimited(submission) ? 0 : until - running.runtime.clock()
  return fail(
    'outcome_unknown',
    { vendor: running.operation.kind.definition.title, request_id: id, reason },
    {
      cause: error,
      hint: wayOut(submission, over > 0),
      upstream: { ...(error instanceof FerruleError ? error.upstream : {}), request_id: id },
      ...(over > 0 ? { retryAfterMs: over } : {}),
    },
  )
}

/**
 * Takes the id for this call, or renews its hold; waits for another call that holds it.
 * @throws FerruleError `request_id_conflict`; `outcome_unknown` when the other one holds it beyond the deadline
 */
async function takeId(submission: Submitted): Promise<void> {
  const { running, id, fingerprint, owner, reach } = submission
  const { connection, runtime, deadline } = running
  for (;;) {
    const until = Math.ceil(runtime.clock() + deadline.remaining + reach)
    const claim = await connection.writes?.claim(id, fingerprint, { owner, until })
    submission.mayHaveRun ||= claim?.repeated === true
    if (claim?.busyUntil === undefined) return
    const left = claim.busyUntil - runtime.clock()
    const wait = left > reach ? Math.min(left, lookPause) : left // a call that runs can end early; what it left behind cannot
    if (wait >= deadline.remaining) throw unknownOutcome(submission, stillAtWork, claim.busyUntil)
    await deadline.pause(wait)
  }
}

/** Lets others have the id, once nothing of this call can be at work. */
async function leaveId({ running, id, owner, busyUntil }: Submitted): Promise<void> {
  // A hold that cannot be ended early ends by itself, and what became of the write is known without it.
  await running.connection.writes?.settle(id, { owner, until: busyUntil }).catch(() => undefined)
}

/** Waits until the last submission is over. @throws FerruleError `outcome_unknown` when that comes after the deadline */
async function awaitOver(submission: Submitted, error: unknown): Promise<void> {
  const { running, busyUntil } = submission
  const wait = busyUntil - running.runtime.clock()
  if (wait >= running.deadline.remaining) throw unknownOutcome(submission, error)
  await running.deadline.pause(wait)
}

/** A pause as between attempts of a read: that a write may be sent again was decided already. */
const reading = (running: Running): Running => ({ ...running, operation: { ...running.operation, action: 'get' } })

/** Decides after a failed attempt. @throws FerruleError; the reason of a caller that went away */
async function failed(submission: Submitted, error: unknown, failures: number): Promise<void> {
  const { running } = submission
  const uncertain = isUncertain(submission, error)
  if (uncertain) markUncertain(submission)
  submission.wasSeen ||= submission.sentAt !== undefined && !isNeverSent(error)
  const isOver = running.deadline.signal.aborted || failures >= maxSubmissions
  if (isOver || isAnswer(error) || !(uncertain || isTransient(error))) throw error
  if (uncertain) await awaitOver(submission, error)
  else await pauseOrThrow(reading(running), error, Math.min(failures, maxAttempts - 1))
  await takeId(submission)
}

/** What ends a write: its own error where nothing of it can have been carried out, or where the vendor itself says what became of it. */
function ended(submission: Submitted, error: unknown): unknown {
  if (error instanceof FerruleError && error.code === 'outcome_unknown') return error
  if (submission.mayHaveRun && !isAnswer(error)) return unknownOutcome(submission, error)
  return error instanceof FerruleError ? withId(error, submission) : error
}

async function sent(submission: Submitted): Promise<Result> {
  const { running, wire, again } = submission
  const onSend = (): void => {
    submission.sentAt = running.runtime.clock()
  }
  const next = (): WireRequest => {
    submission.sentAt = undefined
    return submission.mayHaveRun || submission.wasSeen ? again : wire
  }
  const attempts = { wire: next, failed: (error: unknown, failures: number) => failed(submission, error, failures) }
  const attempt = await exchangeOnce({ ...running, onSend }, attempts)
  markUncertain(submission) // until its result is there
  const poll = running.operation.operation.running?.poll
  if (attempt.is === 'unready' && poll !== undefined) submission.handle = handleOf(running, attempt, poll)
  return resultOf(running, attempt)
}

/**
 * Submits a write under its id and waits for its result within the deadline.
 * @throws FerruleError as `submit`
 */
export async function submitWrite(write: Write): Promise<Result> {
  const submission = submitted(write)
  try {
    await takeId(submission)
    const result = await sent(submission)
    if (result.is !== 'answer' || result.ready !== false) submission.busyUntil = 0
    return result
  } catch (error) {
    if (isAnswer(error)) submission.busyUntil = 0
    throw ended(submission, error)
  } finally {
    await leaveId(submission)
  }
}
