/** Server-sent events (HTML Living Standard, section 9.2): values as they come, and a sign of life in between. */
import { Readable } from 'node:stream'
import { writeJson } from '../../engine/json.ts'
import type { Answer } from './route.ts'

/** What a stream of events is made with. */
export interface EventStreamOptions {
  /** Name of the events. */
  readonly event: string
  /** Whether the service stops: the stream ends then. */
  readonly stopping: { readonly isDraining: boolean }
}

/** A comment goes out when nothing else did for so long: proxies and clients take a silent connection for a dead one. Milliseconds. */
const heartbeatMs = 15_000
/** How often it is looked whether the service stops, in milliseconds. */
const lookMs = 1_000
/** After how many milliseconds a client asks again when its connection was lost. */
const retryMs = 3_000

const idle = Symbol('nothing came')

/** The next value, or `idle` after a while; the value is not lost then. */
async function within<T>(next: Promise<T>, milliseconds: number): Promise<T | typeof idle> {
  const waited = Promise.withResolvers<typeof idle>()
  const timer = setTimeout(() => waited.resolve(idle), milliseconds)
  try {
    return await Promise.race([next, waited.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function* textOf(
  values: AsyncGenerator<unknown, void, undefined>,
  first: IteratorResult<unknown, void>,
  { event, stopping }: EventStreamOptions,
): AsyncGenerator<string, void, undefined> {
  yield `retry: ${retryMs}\n\n`
  let next = Promise.resolve(first)
  let silentMs = 0
  while (!stopping.isDraining) {
    const got = await within(next, lookMs)
    if (got === idle) {
      silentMs += lookMs
      if (silentMs >= heartbeatMs) yield ':\n\n'
      silentMs %= heartbeatMs
    } else {
      if (got.done) return
      yield `event: ${event}\ndata: ${writeJson(got.value)}\n\n`
      silentMs = 0
      next = values.next()
      next.catch(() => undefined) // it is awaited in the next turn, unless the client is gone by then
    }
  }
}

/**
 * Answers values as events, each when it comes and the client has taken the one before. The first one is waited for, so that what
 * refuses the stream is answered as a problem.
 * @param values end the stream when they end; they must end with the signal of the request
 */
export async function eventStream(values: AsyncGenerator<unknown, void, undefined>, options: EventStreamOptions): Promise<Answer> {
  const first = await values.next()
  const content = Readable.from(textOf(values, first, options), { objectMode: false })
  // Whoever gives the values must learn of the end, also when nobody has taken the last one. One that waits ends with its signal.
  content.once('close', () => void values.return().catch(() => undefined))
  return {
    content,
    type: 'text/event-stream',
    // nginx holds answers back until a buffer is full, unless it is told not to.
    headers: { 'x-accel-buffering': 'no' },
  }
}
