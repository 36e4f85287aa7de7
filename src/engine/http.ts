/** The only file that opens sockets. Every request states whether its address comes from configuration or from an answer. */
import type { Readable } from 'node:stream'
// By its file: Bun has a module of its own under the bare name, without what is used here.
import { Agent, type Dispatcher, errors } from 'undici/index.js'
import { FerruleError, fail } from '../errors.ts'
import type { WireAnswer } from './answer.ts'
import { within } from './deadline.ts'
import { bytesOf, type Holding, isUnpackable, TooLarge, textOf } from './http-body.ts'
import { ForbiddenAddressError, isPublicUrl, publicLookup } from './http-public.ts'
import { type MemoryLease, weightOfBody, weightOfBytes } from './memory.ts'

/** `config`: the origin comes from a definition or the operator. `answer`: a vendor's answer gave it, so it must be public. */
export type Trust = 'config' | 'answer'

/** One request. Redirects are never followed here. */
export interface HttpRequest {
  readonly url: URL
  readonly trust: Trust
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** How long the head of the answer may take, in seconds, and how large the answer may be, in bytes; the bounds below when left out. */
  readonly patience?: { readonly seconds: number; readonly bytes: number }
  readonly signal: AbortSignal
  /** Name of the vendor, for messages. */
  readonly vendor: string
  /** Answers that have more bytes are wanted as bytes. */
  readonly bytesFrom?: number
  /** What to do when the address of an answer is refused; default: the error's own hint. */
  readonly refusedHint?: string
  /** The memory that its answer is counted in. */
  readonly memory?: MemoryLease
  /** Told when the request is written to a connection: until then nothing of it can have reached the vendor. */
  readonly onSend?: () => void
}

/** An answer whose body is still on its way. */
export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Largest JSON answer that is read, in bytes. */
const maxAnswerBytes = 32 * 1024 * 1024
/** Largest answer of a vendor whose definition asks for more, in bytes. */
const maxLargeAnswerBytes = 128 * 1024 * 1024
/** Longest wait for the head of an answer, in milliseconds: half of a call's usual life, so that a second attempt is possible. */
const headersTimeout = 30_000
/** Longest silence within an answer, in milliseconds. */
const bodyTimeout = 30_000
/** Longest wait for a connection, in milliseconds. */
const connectTimeout = 10_000
/** Sockets to one origin; more calls wait for a free one within their deadline. */
const connectionsPerOrigin = 128

const agentOptions = {
  connections: connectionsPerOrigin,
  pipelining: 1,
  bodyTimeout,
  headersTimeout,
  keepAliveTimeout: 10_000,
} as const

/** undici's own time limits, with their length in seconds. */
const timeouts: readonly [new (...args: never[]) => Error, number][] = [
  [errors.ConnectTimeoutError, connectTimeout / 1000],
  [errors.HeadersTimeoutError, headersTimeout / 1000],
  [errors.BodyTimeoutError, bodyTimeout / 1000],
]

const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof errors.HTTPParserError) return 'the answer is not HTTP'
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}

const hasCause = (thrown: unknown, type: new (...args: never[]) => Error): boolean =>
  thrown instanceof type || (thrown instanceof Error && thrown.cause !== undefined && hasCause(thrown.cause, type))

/** A failure without what clings to it: undici's errors carry bytes of the answer and the socket. */
function causeOf(thrown: unknown): Error | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { name, message } = thrown
  const inner =
    thrown instanceof AggregateError ? thrown.errors.map((each) => (each instanceof Error ? each.message : '')).join('; ') : message
  return Object.assign(new Error(message === '' ? inner : message), { name, ...('code' in thrown ? { code: thrown.code } : {}) })
}

/** A link of an answer that leads where nothing is sent. */
const refusedAddress = ({ vendor, refusedHint: hint }: HttpRequest, reason: string, details: { readonly cause?: unknown } = {}) =>
  fail('upstream_answer_invalid', { vendor, reason }, hint === undefined ? details : { ...details, hint })

/** What a failed request means; an abort of the signal is passed on as it is. */
function errorOf(thrown: unknown, request: HttpRequest): unknown {
  const { signal, vendor, patience } = request
  if (signal.aborted) return signal.reason
  if (thrown instanceof FerruleError) return thrown
  const details = { cause: causeOf(thrown) }
  if (hasCause(thrown, ForbiddenAddressError)) return refusedAddress(request, 'a link to an address that is not public', details)
  if (thrown instanceof errors.ResponseExceededMaxSizeError || thrown instanceof TooLarge)
    return fail('result_too_large', { limit: patience?.bytes ?? maxAnswerBytes }, details)
  if (isUnpackable(thrown)) return fail('upstream_answer_invalid', { vendor, reason: 'the body cannot be unpacked' }, details)
  const timeout = timeouts.find(([type]) => thrown instanceof type)
  const seconds = thrown instanceof errors.HeadersTimeoutError ? patience?.seconds : undefined
  if (timeout !== undefined) return fail('upstream_timeout', { vendor, seconds: seconds ?? timeout[1] }, details)
  return fail('upstream_unreachable', { vendor, reason: reasonOf(thrown) }, details)
}

const isOfTransport = (error: Error): boolean => error instanceof errors.UndiciError || 'syscall' in error

/**
 * The body of a file, in place: its failures are of the error table, to give it up is none, and a failure that comes before
 * anyone listens waits for the reader instead of ending the process.
 */
function guarded(body: Readable, request: HttpRequest): Readable {
  const destroy = body.destroy.bind(body)
  const release = body._destroy.bind(body)
  body.destroy = (error) => {
    body.pause() // undici closes a turn later: a flow that has just begun would hand bytes to a reader that is gone
    const failure = error !== undefined && isOfTransport(error) ? errorOf(error, request) : error
    return destroy(failure instanceof Error ? failure : error)
  }
  body._destroy = (error, callback) => release(error, () => callback(error))
  return body.on('error', () => {})
}

const holdingOf = ({ memory, bytesFrom, signal }: HttpRequest): Holding | undefined =>
  memory === undefined ? undefined : { lease: memory, signal, weight: bytesFrom === 0 ? weightOfBytes : weightOfBody }

/** An answer whose text is made when somebody wants it. */
class ByteAnswer implements WireAnswer {
  readonly status: number
  readonly headers: WireAnswer['headers']
  readonly bytes: Buffer

  constructor(status: number, headers: WireAnswer['headers'], bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get text(): string {
    return textOf(this.bytes)
  }
}

/** Tells when a request is written: it may have waited for a connection before. */
const telling =
  (onSend: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        onSend()
        handler.onRequestStart?.(controller, context)
      },
      onResponseStart: (...told) => handler.onResponseStart?.(...told),
      onResponseData: (...told) => handler.onResponseData?.(...told),
      onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
      onResponseError: (...told) => handler.onResponseError?.(...told),
    })

/** HTTP for the engine, over one pool of connections. */
export class Http {
  readonly #api = new Agent({ ...agentOptions, maxResponseSize: maxAnswerBytes, connect: { timeout: connectTimeout } })
  /** For vendors whose answers may be larger: each request bounds its own. */
  readonly #large = new Agent({ ...agentOptions, maxResponseSize: maxLargeAnswerBytes, connect: { timeout: connectTimeout } })
  readonly #files = new Agent({ ...agentOptions, connect: { timeout: connectTimeout } })
  readonly #publicFiles = new Agent({ ...agentOptions, connect: { timeout: connectTimeout, lookup: publicLookup } })

  /**
   * Sends a request and reads the whole answer.
   * @throws FerruleError `upstream_unreachable`, `upstream_timeout`, `result_too_large`; the signal's reason when it aborts
   */
  async send(request: HttpRequest): Promise<WireAnswer> {
    try {
      const { bytes = maxAnswerBytes } = request.patience ?? {}
      const { statusCode, headers, body } = await this.#dispatch(bytes > maxAnswerBytes ? this.#large : this.#api, request)
      const whole = await bytesOf(body, { encoding: headers['content-encoding'], most: bytes, holding: holdingOf(request) })
      const { bytesFrom = Number.POSITIVE_INFINITY } = request
      return whole.length > bytesFrom ? new ByteAnswer(statusCode, headers, whole) : { status: statusCode, headers, text: textOf(whole) }
    } catch (thrown) {
      throw errorOf(thrown, request)
    }
  }

  /**
   * Sends a request for a file and returns as soon as its headers are there.
   * @throws FerruleError as `send`, and `upstream_answer_invalid` for an address that an answer may not lead to
   */
  async open(request: HttpRequest): Promise<StreamAnswer> {
    if (request.trust === 'answer' && !isPublicUrl(request.url)) throw refusedAddress(request, 'a link that is not a public https address')
    try {
      const { statusCode, headers, body } = await this.#dispatch(request.trust === 'answer' ? this.#publicFiles : this.#files, request)
      return { status: statusCode, headers, body: guarded(body, request) }
    } catch (thrown) {
      throw errorOf(thrown, request)
    }
  }

  /** Closes all sockets at once. */
  async close(): Promise<void> {
    await Promise.all([this.#api.destroy(), this.#large.destroy(), this.#files.destroy(), this.#publicFiles.destroy()])
  }

  #dispatch(agent: Agent, { url, method, headers, body, signal, patience, onSend }: HttpRequest): Promise<Dispatcher.ResponseData> {
    const dispatcher = onSend === undefined ? agent : agent.compose(telling(onSend))
    const sent = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      signal,
      ...(patience === undefined ? {} : { headersTimeout: patience.seconds * 1000 }),
    }
    return within(signal, () => dispatcher.request(sent)) // undici looks at the signal only once there is a connection
  }
}
