/** Server-sent events (HTML Living Standard, section 9.2), with heartbeats between the events. */

import { Readable } from 'node:stream'
import type { Field } from 'ferrule/definition'
import { writeJson } from 'ferrule/engine'
import type { EventSchema, Wire } from 'ferrule/wire'
import type { Answer } from './route.ts'

/** Options of a stream of events. */
export interface EventStreamOptions<S extends Field = Field> {
  readonly event: EventSchema<S>
  /** The stream ends when the service drains. */
  readonly stopping: { readonly isDraining: boolean }
}

/** Milliseconds of silence before a comment is sent: proxies and clients close silent connections. */
const heartbeatMs = 15_000
/** Interval between two checks for the end of the service, in milliseconds. */
const lookMs = 1_000
/** Milliseconds after which a client reconnects. */
const retryMs = 3_000

const idle = Symbol('nothing came')

/** Returns the next value, or `idle` after a while; a later call returns the value. */
async function within<T>(next: Promise<T>, milliseconds: number): Promise<T | typeof idle> {
  const waited = Promise.withResolvers<typeof idle>()
  const timer = setTimeout(() => waited.resolve(idle), milliseconds)
  try {
    return await Promise.race([next, waited.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function* formatEvents(
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
      yield `event: ${event.name}\ndata: ${writeJson(got.value)}\n\n`
      silentMs = 0
      next = values.next()
      next.catch(() => undefined) // the next turn awaits it, unless the client has left
    }
  }
}

/**
 * Sends values as events, each when the client has read the previous event. Waits for the first value, so that a refusal becomes a
 * problem.
 * @param values their end ends the stream; they must end with the signal of the request
 */
export async function eventStream<S extends Field>(
  values: AsyncGenerator<Wire<S>, void, undefined>,
  options: EventStreamOptions<S>,
): Promise<Answer> {
  const first = await values.next()
  const content = Readable.from(formatEvents(values, first, options), { objectMode: false })
  // Ends the generator when the client leaves before the last value. A generator that waits ends with its signal.
  content.once('close', () => void values.return().catch(() => undefined))
  return {
    content,
    type: 'text/event-stream',
    // nginx buffers answers without this header.
    headers: { 'x-accel-buffering': 'no' },
  }
}
