/** Results that are not ready at once: asked for until they are, within the deadline of the call. */
import type { Poll } from '../definition/entity.ts'
import { FerruleError } from '../errors.ts'
import { bodyOf, invalidAnswer } from './answer.ts'
import { Deadline, within } from './deadline.ts'
import { getAt, parsePath } from './paths.ts'
import { buildRequest, slot, type WireRequest } from './request.ts'
import { type Attempt, type Attempts, exchangeOnce, isWrite, pauseOrThrow, type Reply, type Running, type Unready } from './transport.ts'

/** First pause between two questions and its bound, in milliseconds. */
const firstPause = 250
const longestPause = 2_000
/** Longest wait for the end of a request whose caller went away, in milliseconds. */
const cancelTimeout = 10_000

/** A reply, or the answer that says "not ready" when the deadline comes first. */
export type Result = Reply & { readonly ready?: boolean }

/** The handle in an answer that says "not ready". @throws FerruleError `upstream_answer_invalid` where there is none */
export const handleOf = ({ operation }: Running, { answer }: Unready, poll: Poll): string => {
  const handle = getAt(bodyOf(operation, answer), parsePath(poll.handle))
  if (typeof handle !== 'string' || handle === '') throw invalidAnswer(operation, 'a result that is not ready, without a handle')
  return handle
}

const wireOf = (call: string, handle: string, statuses: readonly number[]): WireRequest => {
  const [method, template = ''] = call.split(' ')
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path: template.replace(/\{\w+\}/, () => slot('handle', handle)),
    unready: statuses,
  }
}

/** The answer that says "not ready", as the result. */
const notReady = ({ operation }: Running, { answer }: Unready): Result => ({
  is: 'answer',
  answer,
  body: bodyOf(operation, answer),
  warnings: [],
  ready: false,
})

/** Tells the vendor that nobody waits for a read any more. What comes of it matters to nobody: the caller is gone. */
async function cancelled(running: Running, poll: Poll, handle: string): Promise<void> {
  using deadline = new Deadline(cancelTimeout, running.operation.kind.definition.title)
  const failed = (error: unknown): Promise<void> => Promise.reject(error)
  await exchangeOnce({ ...running, deadline }, { wire: () => wireOf(poll.cancel, handle, []), failed }).catch(() => undefined)
}

/** How the result is asked for: by the request itself where that asks for a result already, as another one may name another part of it. */
const askOf = ({ operation, params, runtime }: Running, poll: Poll, handle: string): WireRequest =>
  operation.method === 'GET'
    ? { ...buildRequest(operation, params, runtime.wall()), unready: poll.statuses }
    : wireOf(poll.call, handle, poll.statuses)

/** Whether the vendor is told to stop when the caller goes away: reads that this call began. What another call began is its own affair. */
const isCancelled = (running: Running): boolean => running.operation.operation.submits !== undefined && !isWrite(running)

/** Whether the call's own deadline ended it, and not its caller. */
const isOver = ({ deadline }: Running): boolean =>
  deadline.signal.aborted && deadline.signal.reason instanceof FerruleError && deadline.signal.reason.code === 'upstream_timeout'

async function polled(running: Running, first: Unready, poll: Poll): Promise<Result> {
  const { deadline } = running
  const handle = handleOf(running, first, poll)
  const wire = askOf(running, poll, handle)
  const ask = {
    wire: () => wire,
    failed: (error: unknown, failures: number) => pauseOrThrow(reading(running), error, failures),
  }
  let last = first
  try {
    for (let pause = firstPause; pause < deadline.remaining; pause = Math.min(longestPause, pause * 2)) {
      await deadline.pause(pause)
      const attempt = await exchangeOnce(running, ask)
      if (attempt.is !== 'unready') return attempt
      if (attempt.answer.status === first.answer.status) last = attempt
    }
    return notReady(running, last)
  } catch (error) {
    if (isOver(running)) return notReady(running, last)
    if (deadline.signal.aborted && isCancelled(running)) await cancelled(running, poll, handle)
    throw error
  }
}

/**
 * Ends a read whose caller went away before the vendor told the handle of it.
 * @param sent what becomes of its request
 */
async function endedLate(running: Running, sent: Promise<Attempt>): Promise<void> {
  const poll = running.operation.operation.running?.poll
  const attempt = await sent
  if (attempt.is === 'unready' && poll !== undefined) await cancelled(running, poll, handleOf(running, attempt, poll))
}

/** Time for the answer of a request whose caller went away, where the vendor has none of its own, in seconds. */
const usualPatience = 30

/**
 * Sends a read that can be ended by a handle. When its caller goes away before the vendor told the handle, or the deadline comes, the
 * request goes on until the vendor answers, and the read is ended then.
 * @throws as `exchangeOnce`
 */
export async function exchangeEnded(running: Running, attempts: Attempts): Promise<Attempt> {
  const { deadline, operation } = running
  const { title, patience } = operation.kind.definition
  const own = new Deadline(deadline.remaining + (patience?.seconds ?? usualPatience) * 1000, title)
  const sent = exchangeOnce({ ...running, requestSignal: own.signal }, attempts)
  const late = async (): Promise<void> => {
    if (deadline.signal.aborted) await endedLate(running, sent)
  }
  try {
    return await within(deadline.signal, () => sent)
  } finally {
    void sent
      .then(late, () => undefined)
      .finally(() => own[Symbol.dispose]())
      .catch(() => undefined) // nobody waits for it
  }
}

/** To ask for the result of a write is a read: it may be repeated. */
const reading = (running: Running): Running => ({ ...running, operation: { ...running.operation, action: 'get' } })

/**
 * Waits for the result of a request. When the deadline comes first, the answer that says "not ready" is returned, with `ready` false.
 * @throws FerruleError of the vendor; the reason of a caller that went away, after the vendor was told to stop a read
 */
export async function resultOf(running: Running, attempt: Attempt): Promise<Result> {
  if (attempt.is !== 'unready') return attempt
  const poll = running.operation.operation.running?.poll
  return poll === undefined ? notReady(running, attempt) : polled(running, attempt, poll)
}
