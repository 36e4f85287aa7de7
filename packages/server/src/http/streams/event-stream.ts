/** Server-sent events (HTML Living Standard, section 9.2), with heartbeats between the events. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FerruleError } from 'ferrule'
import type { Field } from 'ferrule/definition'
import { asFerruleError, fail, writeBody } from 'ferrule/internal'
import { type EventSchema, endEvent, type Wire } from 'ferrule/wire'
import type { Principal } from '../../values/access.ts'
import { within } from '../../values/within.ts'
import type { Answer, Exchange, Services } from '../route.ts'
import { lookWhileSent } from './look-while-sent.ts'

/** What a stream sends, and about which connector. */
export interface EventSource<S extends Field = Field> {
  readonly event: EventSchema<S>
  readonly connectorId: string
  /** Their end ends the stream. They must end with the signal of the request. */
  readonly values: AsyncGenerator<Wire<S>, void, undefined>
  /** Returns the id of an event, with which a client that comes again continues (`Last-Event-ID`). */
  readId?(value: Wire<S>): string
}

/** Milliseconds of silence before a comment is sent: proxies and clients close silent connections. */
const heartbeatMs = 15_000
/** Interval between two checks for the end of the service, in milliseconds. */
const pollMs = 1_000
/** Milliseconds after which a client reconnects. */
const retryMs = 3_000
/** Bytes that wait for a slow reader in this process, beside the last event. */
const mostBytes = 65_536

const idle = Symbol('nothing came')

/** Writes an event. Line breaks of JSON stand between its parts, so a space does as well. */
const format = ({ name }: EventSchema, data: unknown, id?: string): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${writeBody(data).replace(/[\r\n]/g, ' ')}\n\n`

type StreamExchange = Pick<Exchange<Principal>, 'who' | 'onEnd' | 'disconnect' | 'requestId'>
type StreamServices = Pick<Services, 'platform' | 'streams' | 'stopping' | 'logger'>

/** One stream: an event is sent when its reader has taken the events before. */
class EventSender {
  readonly body = new PassThrough({ highWaterMark: mostBytes })
  readonly #exchange: StreamExchange
  readonly #services: StreamServices
  /** Aborts when the stream has to end, or its reader has left. */
  readonly #ending = new AbortController()

  constructor(exchange: StreamExchange, services: StreamServices) {
    this.#exchange = exchange
    this.#services = services
    exchange.onEnd(() => this.#ending.abort(fail('unavailable', { reason: 'its reader has left' })))
  }

  /** Ends the stream with a reason, whatever it waits for. */
  end(why: FerruleError): void {
    this.#ending.abort(why)
  }

  /** Sends values until they end, the service stops, or something ends the stream. */
  async run(first: IteratorResult<unknown, void>, source: EventSource): Promise<void> {
    const { values } = source
    try {
      await this.#send(`retry: ${retryMs}\n\n`)
      await this.#sendAll(first, source)
      this.body.end()
    } catch (thrown) {
      this.#close(asFerruleError(thrown))
    } finally {
      void values.return().catch(() => undefined) // a generator that waits ends with the signal of the request
    }
  }

  async #sendAll(first: IteratorResult<unknown, void>, source: EventSource): Promise<void> {
    const { event, values } = source
    let next = Promise.resolve(first)
    let silentMs = 0
    while (!this.#services.stopping.isDraining) {
      const got = await within(pollMs, this.#orEnd(next), (): typeof idle => idle)
      if (got === idle) {
        silentMs += pollMs
        if (silentMs >= heartbeatMs) await this.#send(':\n\n')
        silentMs %= heartbeatMs
      } else {
        if (got.done) return
        await this.#send(format(event, got.value, source.readId?.(got.value)))
        silentMs = 0
        next = values.next()
        next.catch(() => undefined) // the next round awaits it, unless the client has left
      }
    }
  }

  #orEnd<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#ending
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const refuse = (): void => reject(signal.reason)
    if (signal.aborted) refuse()
    signal.addEventListener('abort', refuse, { once: true })
    return Promise.race([promise, ended]).finally(() => signal.removeEventListener('abort', refuse))
  }

  /** Sends text, and waits until its reader has room for more. @throws FerruleError `overloaded` when the reader takes nothing for a while */
  async #send(text: string): Promise<void> {
    this.#ending.signal.throwIfAborted()
    if (this.body.write(text)) return
    const { stallMs } = this.#services.streams
    const stalled = new AbortController()
    const timer = setTimeout(() => stalled.abort(), stallMs)
    try {
      await this.#orEnd(once(this.body, 'drain', { signal: stalled.signal }))
    } catch (thrown) {
      if (!stalled.signal.aborted) throw thrown
      throw fail('overloaded', { reason: `the reader of the events took none for ${stallMs / 1_000} seconds` }, { retryAfterMs: retryMs })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Says why the stream ends, and breaks the connection of a reader that does not take it. */
  #close(why: FerruleError): void {
    const { logger, streams } = this.#services
    const facts = { request_id: this.#exchange.requestId, code: why.code }
    if (why.code === 'internal_error') logger.error({ ...facts, err: why.cause }, 'an event stream was ended')
    else logger.warn({ ...facts, reason: why.message }, 'an event stream was ended')
    this.body.end(format(endEvent, why.toProblem(this.#exchange.requestId)))
    const timer = setTimeout(() => this.#exchange.disconnect(), streams.graceMs).unref()
    this.#exchange.onEnd(() => clearTimeout(timer))
  }
}

/**
 * Sends values as events, each when the client has read the previous event. Waits for the first value, so that a refusal becomes a
 * problem. A stream ends with what allowed it: the token, the application, the organization, the connector; then its last event is `end`.
 * @throws FerruleError `overloaded` when the application has its share of streams, and what the first value throws
 */
export async function eventStream<S extends Field>(
  exchange: StreamExchange,
  services: StreamServices,
  source: EventSource<S>,
): Promise<Answer> {
  exchange.onEnd(services.streams.shares.enter(exchange.who))
  const first = await source.values.next()
  const sender = new EventSender(exchange, services)
  lookWhileSent(exchange, services, { connectorId: source.connectorId, countsToken: true, ended: (why) => sender.end(why) })
  void sender.run(first, source)
  return {
    content: sender.body,
    type: 'text/event-stream',
    // nginx buffers answers without this header.
    headers: { 'x-accel-buffering': 'no' },
  }
}
