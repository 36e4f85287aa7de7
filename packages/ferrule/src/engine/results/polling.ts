/** Polls for results that are not ready, within the deadline of the call. */
import type { Poll } from '../../definition/entity.ts'
import { FerruleError } from '../../errors.ts'
import { failInvalidAnswer, parseBody } from '../call/answer.ts'
import { buildRequest, encodePathSegment, type WireRequest } from '../call/request.ts'
import {
  type Attempt,
  type Attempts,
  asRead,
  exchangeOnce,
  isWrite,
  pauseOrThrow,
  type Reply,
  type Running,
  type Unready,
} from '../call/transport.ts'
import { awaitUnlessAborted, Deadline } from '../http/deadline.ts'
import { getAt, parsePath } from '../json/paths.ts'

/** First pause between two requests and its limit, in milliseconds. */
const firstPause = 250
const longestPause = 2_000
/** Timeout of a cancellation, in milliseconds. */
const cancelTimeout = 10_000

/** A reply. `ready` is false if the deadline came first; the reply is then the answer that says "not ready". */
export type Result = Reply & { readonly ready?: boolean }

/** Reads the handle from an answer that says "not ready". @throws FerruleError `upstream_answer_invalid` without a handle */
export const readHandle = ({ operation }: Running, { answer }: Unready, poll: Poll): string => {
  const handle = getAt(parseBody(operation, answer), parsePath(poll.handle))
  if (typeof handle !== 'string' || handle === '') throw failInvalidAnswer(operation, 'a result that is not ready, without a handle')
  return handle
}

const buildHandleRequest = (call: string, handle: string, statuses: readonly number[]): WireRequest => {
  const [method, template = ''] = call.split(' ')
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path: template.replace(/\{\w+\}/, () => encodePathSegment('handle', handle)),
    template: call,
    unready: statuses,
  }
}

const buildUnreadyResult = ({ operation }: Running, { answer }: Unready): Result => ({
  is: 'answer',
  answer,
  body: parseBody(operation, answer),
  warnings: [],
  ready: false,
})

/** Asks the vendor to stop a read. Ignores failures, because the caller has disconnected. */
async function cancelRequest(running: Running, poll: Poll, handle: string): Promise<void> {
  using deadline = new Deadline(cancelTimeout, running.operation.kind.definition.title)
  const failed = (error: unknown): Promise<void> => Promise.reject(error)
  await exchangeOnce({ ...running, deadline }, { wire: () => buildHandleRequest(poll.cancel, handle, []), failed }).catch(() => undefined)
}

/** Builds the poll request. A GET asks for the result itself, because the general poll may name another part. */
const buildPollRequest = ({ operation, params, runtime }: Running, poll: Poll, handle: string): WireRequest =>
  operation.method === 'GET'
    ? { ...buildRequest(operation, params, runtime.wall()), unready: poll.statuses }
    : buildHandleRequest(poll.call, handle, poll.statuses)

/** Returns whether a disconnect cancels the request: only for reads that this call started. */
const isCancelled = (running: Running): boolean => running.operation.operation.submits !== undefined && !isWrite(running)

/** Returns whether the call's own deadline ended the call, and not its caller. */
const isOver = ({ deadline }: Running): boolean =>
  deadline.signal.aborted && deadline.signal.reason instanceof FerruleError && deadline.signal.reason.code === 'upstream_timeout'

async function pollResult(running: Running, first: Unready, poll: Poll): Promise<Result> {
  const { deadline } = running
  const handle = readHandle(running, first, poll)
  const wire = buildPollRequest(running, poll, handle)
  const ask = {
    wire: () => wire,
    failed: (error: unknown, failures: number) => pauseOrThrow(asRead(running), error, failures),
  }
  let last = first
  try {
    for (let pause = firstPause; pause < deadline.remaining; pause = Math.min(longestPause, pause * 2)) {
      await deadline.pause(pause)
      const attempt = await exchangeOnce(running, ask)
      if (attempt.is !== 'unready') return attempt
      if (attempt.answer.status === first.answer.status) last = attempt
    }
    return buildUnreadyResult(running, last)
  } catch (error) {
    if (isOver(running)) return buildUnreadyResult(running, last)
    if (deadline.signal.aborted && isCancelled(running)) await cancelRequest(running, poll, handle)
    throw error
  }
}

/** Cancels a read whose caller disconnected before the vendor returned its handle. @param sent the running request */
async function cancelLate(running: Running, sent: Promise<Attempt>): Promise<void> {
  const poll = running.operation.operation.running?.poll
  const attempt = await sent
  if (attempt.is === 'unready' && poll !== undefined) await cancelRequest(running, poll, readHandle(running, attempt, poll))
}

/** Wait for the answer to an abandoned request if the kind defines none, in seconds. */
const usualPatience = 30

/**
 * Sends a read that a handle can cancel. If the call ends before the vendor returns the handle, the request continues until the answer, and
 * the read is cancelled then.
 * @throws as `exchangeOnce`
 */
export async function exchangeCancellable(running: Running, attempts: Attempts): Promise<Attempt> {
  const { deadline, operation } = running
  const { title, patience } = operation.kind.definition
  const own = new Deadline(deadline.remaining + (patience?.seconds ?? usualPatience) * 1000, title)
  const sent = exchangeOnce({ ...running, requestSignal: own.signal }, attempts)
  const late = async (): Promise<void> => {
    if (deadline.signal.aborted) await cancelLate(running, sent)
  }
  try {
    return await awaitUnlessAborted(deadline.signal, () => sent)
  } finally {
    void sent
      .then(late, () => undefined)
      .finally(() => own[Symbol.dispose]())
      .catch(() => undefined) // nobody waits for it
  }
}

/**
 * Waits for the result of a request. At the deadline, returns the answer that says "not ready", with `ready` false.
 * @throws FerruleError of the vendor; the reason of a caller that disconnected, after the read was cancelled
 */
export async function awaitResult(running: Running, attempt: Attempt): Promise<Result> {
  if (attempt.is !== 'unready') return attempt
  const poll = running.operation.operation.running?.poll
  return poll === undefined ? buildUnreadyResult(running, attempt) : pollResult(running, attempt, poll)
}
