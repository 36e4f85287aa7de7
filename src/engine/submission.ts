/**
 * Requests that the vendor knows by an id: sent again after a failure, they are not carried out twice. A write is sent again only
 * when an earlier submission of it cannot be at work any more: what the vendor does with one that meets a running original is not
 * known.
 */
import { hash } from 'node:crypto'
import { v4, v5 } from 'uuid'
import type { Submission } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { FerruleError, fail } from '../errors.ts'
import { writeJson } from './json.ts'
import { resultOf } from './polling.ts'
import { buildRequest, type WireRequest } from './request.ts'
import { isTransient, maxAttempts } from './retry.ts'
import { exchangeOnce, isWrite, pauseOrThrow, type Reply, type Running } from './transport.ts'
import { isNeverSent } from './unsent.ts'

/** Namespace of ids that are made of an Idempotency-Key (RFC 9562 section 5.5). */
const keyNamespace = '5d2c7b7e-7a0f-4b07-9a53-4ce09f0f6a3d'
/** Added to the time limit of an earlier submission before it counts as over, in milliseconds: for the way there, and for clocks. */
const margin = 2_000
/** Attempts of a write, the first included; its deadline ends it earlier in most cases. */
const maxSubmissions = 10

/** A submission on its way. */
interface Submitted {
  readonly running: Running
  readonly submits: Submission
  /** The id that the vendor knows it by. */
  readonly id: string
  /** What it is, whatever its id. */
  readonly fingerprint: string
  readonly wire: WireRequest
  /** Milliseconds that the vendor works on it at most. */
  readonly longest: number
  /** An earlier submission may have been carried out. */
  mayHaveRun: boolean
  /** When the last one that may still be at work was sent, in milliseconds since 1970. */
  lastSent: number | undefined
  /** The attempt under way has left for the vendor. */
  isSent: boolean
}

/** The same value with its keys in order, so that the same request has the same text. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  )
}

/** What a request is, whatever its id and its time limit. */
function fingerprintOf({ operation, params }: Running, submits: Submission): string {
  const { [submits.id]: _id, [submits.again]: _again, [submits.within]: _within, ...what } = params
  return hash('sha256', writeJson(ordered([operation.entityName, operation.action, what])), 'base64url')
}

/** The id of a submission: the caller's, one made of the Idempotency-Key, or a new one. @throws FerruleError `invalid_parameter` when both are given */
function idOf({ params, idempotencyKey }: Running, submits: Submission, fingerprint: string): string {
  const given = params[submits.id]
  if (idempotencyKey === undefined) return typeof given === 'string' ? given : v4()
  if (given === undefined) return v5(`${idempotencyKey}\0${fingerprint}`, keyNamespace)
  const message = 'cannot go with the header Idempotency-Key: both name the write'
  throw fail(
    'invalid_parameter',
    { reason: `/params/${submits.id} ${message}` },
    { problems: [{ field: `/params/${submits.id}`, message, error_code: 'conflict' }] },
  )
}

async function prepared(running: Running, submits: Submission): Promise<Submitted> {
  const { connection, operation, params, runtime } = running
  const fingerprint = fingerprintOf(running, submits)
  const id = idOf(running, submits, fingerprint)
  const claim = isWrite(running) ? await connection.writes?.claim(id, fingerprint) : undefined
  const wire = buildRequest(operation, { ...params, [submits.id]: id, [submits.again]: undefined }, runtime.clock())
  const seconds = Number(params[submits.within] ?? operation.operation.defaults?.[submits.within] ?? 0)
  const mayHaveRun = params[submits.again] === true || claim?.repeated === true
  return {
    running,
    submits,
    id,
    fingerprint,
    wire,
    longest: seconds > 0 ? seconds * 1000 : Number.POSITIVE_INFINITY,
    mayHaveRun,
    lastSent: mayHaveRun ? claim?.previous : undefined,
    isSent: false,
  }
}

const wireOf = ({ wire, submits, mayHaveRun }: Submitted): WireRequest =>
  mayHaveRun ? { ...wire, path: `${wire.path}&${submits.again}=true` } : wire

/** What became of an attempt that failed: nothing, or nobody knows. */
function isUncertain({ isSent }: Submitted, error: unknown): boolean {
  if (!isSent) return false
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
    problems: error.problems,
    cause: error.cause ?? error,
    retryable: error.retryable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    upstream: { ...error.upstream, request_id: error.upstream?.request_id ?? id },
  })

/** The error of a write of which nobody knows whether it was carried out. */
function unknownOutcome(submitted: Submitted, error: unknown): FerruleError {
  const { running, id, submits, lastSent, longest } = submitted
  const reason = error instanceof FerruleError ? error.message.replace(/\.$/, '') : 'the call was given up'
  const over = lastSent === undefined ? 0 : lastSent + longest + margin - running.runtime.clock()
  return fail(
    'outcome_unknown',
    { vendor: running.operation.kind.definition.title, request_id: id, reason },
    {
      cause: error,
      hint: `Repeat the same call with ${submits.id} ${id} and ${submits.again} true: it is carried out once.${over > 0 && Number.isFinite(over) ? ' Wait for the time of Retry-After: until then it may still be at work.' : ''}`,
      upstream: { ...(error instanceof FerruleError ? error.upstream : {}), request_id: id },
      ...(over > 0 && Number.isFinite(over) ? { retryAfterMs: over } : {}),
    },
  )
}

/** Waits until an earlier submission is over. @throws FerruleError `outcome_unknown` when that comes after the deadline */
async function awaitOver(submitted: Submitted, error: unknown): Promise<void> {
  const { running, lastSent, longest } = submitted
  if (lastSent === undefined) return
  const wait = lastSent + longest + margin - running.runtime.clock()
  if (wait <= 0) return
  if (wait >= running.deadline.remaining) throw unknownOutcome(submitted, error)
  await running.deadline.pause(wait)
}

/** Decides after a failed attempt of a write. @throws FerruleError; the reason of a caller that went away */
async function writeFailed(submitted: Submitted, error: unknown, failures: number): Promise<void> {
  const { running, id, fingerprint } = submitted
  const uncertain = isUncertain(submitted, error)
  submitted.mayHaveRun ||= uncertain
  const isOver = running.deadline.signal.aborted || failures >= maxSubmissions
  if (isOver || isAnswer(error) || !(uncertain || isTransient(error))) throw error
  await awaitOver(submitted, error)
  if (!uncertain) await pauseOrThrow(reading(running), error, Math.min(failures, maxAttempts - 1))
  await running.connection.writes?.claim(id, fingerprint)
}

/** A pause as between attempts of a read: that a write may be sent again was decided already. */
const reading = (running: Running): Running => ({ ...running, operation: { ...running.operation, action: 'get' } })

/** What ends a write: its own error where nothing of it can have been carried out, or where the vendor itself says what became of it. */
function ended(submitted: Submitted, error: unknown): unknown {
  if (error instanceof FerruleError && error.code === 'outcome_unknown') return error
  if (submitted.mayHaveRun && !isAnswer(error)) return unknownOutcome(submitted, error)
  return error instanceof FerruleError ? withId(error, submitted) : error
}

/**
 * Submits a request under an id and waits for its result within the deadline.
 * @throws FerruleError `outcome_unknown` for a write that may have been carried out, `request_id_conflict`, and of the vendor; errors
 *   of writes carry the id
 */
export async function submit(running: Running, submits: Submission): Promise<Reply & { readonly ready?: boolean }> {
  const submitted = await prepared(running, submits)
  const reply = await (isWrite(running) ? submitWrite(submitted) : submitRead(submitted))
  if (reply.is === 'answer' && isObject(reply.body)) reply.body[submits.id] ??= submitted.id
  return reply
}

async function submitRead(submitted: Submitted): Promise<Reply> {
  const { running } = submitted
  const failed = async (error: unknown, failures: number): Promise<void> => {
    await pauseOrThrow(running, error, failures)
    submitted.mayHaveRun = true // the vendor gives the result that it has, so that the work is not paid twice
  }
  return resultOf(running, await exchangeOnce(running, { wire: () => wireOf(submitted), failed }))
}

async function submitWrite(submitted: Submitted): Promise<Reply> {
  const { running } = submitted
  const onSend = (): void => {
    submitted.isSent = true
    submitted.lastSent = running.runtime.clock()
  }
  const wire = (): WireRequest => {
    submitted.isSent = false
    return wireOf(submitted)
  }
  const failed = (error: unknown, failures: number) => writeFailed(submitted, error, failures)
  try {
    await awaitOver(submitted, undefined)
    const attempt = await exchangeOnce({ ...running, onSend }, { wire, failed })
    submitted.mayHaveRun = true
    return await resultOf(running, attempt)
  } catch (error) {
    throw ended(submitted, error)
  }
}
