/** Reads a stream of events for as long as it takes: reconnects after a cut, a restart of the service, or silence. */
import { FerruleError, fail } from '../errors.ts'
import { parseJson } from '../values/json/json.ts'
import { pause } from './deadline.ts'
import { describeFailure } from './transport.ts'

/** Where events come from, and when they end. */
export interface WatchSource<T> {
  /** Address of the service, for errors. */
  readonly url: string
  /** Type of the wanted events; others are left out. */
  readonly type: string
  /** Connects. @throws what a request throws */
  open(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  /** Returns whether nothing follows. The service ends its streams early when it stops. */
  isLast(value: T): boolean
  readonly signal?: AbortSignal | undefined
  /** Longest silence in milliseconds; the service sends a comment every 15 seconds. */
  readonly silenceMs?: number
}

/** Connections without a single event, one after the other, after which the stream fails. */
const mostFailures = 6
const defaultSilenceMs = 60_000
/** Wait before the first reconnection, unless the service names another: its own default. */
const defaultRetryMs = 3_000
const shortestPause = 50
const longestPause = 30_000

/** What one connection hands on to the next. */
interface StreamState {
  lastEventId: string
  retryMs: number
}

/** Computes the wait before a reconnection: doubled after each failure, with jitter, and at least what the service asks for. */
function computeWait({ retryMs }: StreamState, failures: number, error: FerruleError): number {
  const wait = Math.max(shortestPause, Math.min(longestPause, retryMs * 2 ** (failures - 1)))
  return Math.max(error.retryAfterMs ?? 0, wait * (1 + Math.random() / 4))
}

/** Writes an id as the bytes of its UTF-8 text, as headers carry it. */
const writeId = (id: string): string => Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')

function openBody(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  const type = response.headers.get('content-type') ?? 'none'
  if (response.body !== null && type.startsWith('text/event-stream')) return response.body.getReader()
  throw fail('service_answer_invalid', { reason: `it has the type ${type}, not text/event-stream` }, { retryable: false })
}

/** Reads the next chunk; undefined at the end. Only the wait for the service counts as silence. */
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>, left: AbortController, silenceMs: number) {
  const silent = (): void => left.abort(fail('service_timeout', { seconds: silenceMs / 1_000 }))
  const timer = setTimeout(silent, silenceMs)
  try {
    return (await reader.read()).value
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the events of one connection. It ends the connection when its caller leaves. */
async function* readEvents<T>(source: WatchSource<T>, state: StreamState): AsyncGenerator<ServerEvent, void, undefined> {
  const left = new AbortController()
  const signal = source.signal === undefined ? left.signal : AbortSignal.any([source.signal, left.signal])
  try {
    const id: Record<string, string> = state.lastEventId === '' ? {} : { 'last-event-id': writeId(state.lastEventId) }
    const reader = openBody(await source.open({ accept: 'text/event-stream', ...id }, signal))
    signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => undefined), { once: true })
    const parser = new EventParser(state.lastEventId)
    for (;;) {
      const chunk = await readChunk(reader, left, source.silenceMs ?? defaultSilenceMs)
      signal.throwIfAborted()
      if (chunk === undefined) return
      const events = parser.push(chunk)
      state.lastEventId = parser.lastEventId
      state.retryMs = parser.retryMs ?? state.retryMs
      yield* events
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    if (thrown instanceof FerruleError) throw thrown
    throw fail('service_unreachable', { url: source.url, reason: describeFailure(thrown) }, { cause: thrown })
  } finally {
    left.abort()
  }
}

function parseData<T>(data: string): T {
  try {
    return parseJson(data) as T // the route documents the type
  } catch (thrown) {
    throw fail('service_answer_invalid', { reason: 'an event is not JSON' }, { cause: thrown, retryable: false })
  }
}

/** Yields what the service sends on one connection; what the earlier connection yielded last is left out. */
async function* readValues<T>(
  source: WatchSource<T>,
  state: StreamState & { previous: string },
): AsyncGenerator<T | undefined, void, undefined> {
  for await (const { type, data } of readEvents(source, state)) {
    if (type !== source.type) continue
    const isNew = data !== state.previous
    state.previous = data
    yield isNew ? parseData<T>(data) : undefined
  }
}

/**
 * Yields the values of a stream until the last one.
 * @throws FerruleError the service's error; the last one after several connections in a row without an event; the reason of the signal
 */
export async function* watchEvents<T>(source: WatchSource<T>): AsyncGenerator<T, void, undefined> {
  const state = { lastEventId: '', retryMs: defaultRetryMs, previous: '' }
  for (let failures = 1; ; failures += 1) {
    let error = fail('service_answer_invalid', { reason: 'the stream of events ended early' })
    try {
      for await (const value of readValues(source, state)) {
        failures = 0
        if (value === undefined) continue
        yield value
        if (source.isLast(value)) return
      }
    } catch (thrown) {
      if (source.signal?.aborted === true) throw source.signal.reason
      if (!(thrown instanceof FerruleError && thrown.retryable)) throw thrown
      error = thrown
    }
    if (failures >= mostFailures) throw error
    await pause(computeWait(state, Math.max(1, failures), error), source.signal ?? new AbortController().signal)
  }
}

/** One event. */
export interface ServerEvent {
  /** `message` when the server names no type. */
  readonly type: string
  readonly data: string
}

/** Largest event, and largest line, in UTF-16 code units. The status of a copy with 200 entities has about 200,000. */
const largestEvent = 8 * 1024 * 1024

/** A parser for one stream. Chunks can be cut anywhere, in the middle of a character too. */
export class EventParser {
  readonly #decoder = new TextDecoder()
  readonly #limit: number
  /** Beginning of a line whose end has not arrived. */
  #line = ''
  /** True: the last chunk ended with a carriage return, so a line feed at the start of the next chunk ends no line. */
  #endedWithReturn = false
  #type = ''
  #data = ''
  #id: string
  #lastEventId: string
  #retryMs: number | undefined

  /**
   * @param lastEventId id of the last event of the earlier stream, or an empty string
   * @param limit largest event in UTF-16 code units
   */
  constructor(lastEventId = '', limit = largestEvent) {
    this.#id = lastEventId
    this.#lastEventId = lastEventId
    this.#limit = limit
  }

  /** Id of the last event; an empty string when the server names none. */
  get lastEventId(): string {
    return this.#lastEventId
  }

  /** Wait before a reconnection, in milliseconds, as the server wants it. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  /**
   * Parses the next chunk.
   * @returns the events that it completes
   * @throws FerruleError `service_answer_invalid` when an event is too large
   */
  push(chunk: Uint8Array): ServerEvent[] {
    const text = this.#decoder.decode(chunk, { stream: true })
    if (text === '') return []
    const events: ServerEvent[] = []
    let start = this.#endedWithReturn && text.startsWith('\n') ? 1 : 0
    this.#endedWithReturn = text.endsWith('\r')
    const ends = /\r\n|\r|\n/g
    ends.lastIndex = start
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const event = this.#readLine(this.#line + text.slice(start, end.index))
      if (event !== undefined) events.push(event)
      this.#line = ''
      start = ends.lastIndex
    }
    this.#line += text.slice(start)
    this.#checkSize(this.#line)
    return events
  }

  #checkSize(line: string): void {
    if (line.length + this.#data.length <= this.#limit) return
    throw fail('service_answer_invalid', { reason: `an event is larger than ${this.#limit} characters` }, { retryable: false })
  }

  #readLine(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch()
    this.#checkSize(line)
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.#data += `${value}\n`
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value)
    return undefined
  }

  #dispatch(): ServerEvent | undefined {
    const event = { type: this.#type === '' ? 'message' : this.#type, data: this.#data.slice(0, -1) }
    const isEmpty = this.#data === ''
    this.#lastEventId = this.#id
    this.#type = ''
    this.#data = ''
    return isEmpty ? undefined : event
  }
}
