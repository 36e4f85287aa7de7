/**
 * Sends all requests, over pools of connections. Every request states whether its address comes from configuration or from an answer. undici is
 * loaded at the first request: importing the library costs neither its time nor its memory.
 */
import type { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici/index.js'
import type { SentMethod } from '../../definition/entity.ts'
import { FerruleError, fail } from '../../errors.ts'
import { buildVendorTraceHeaders, inSpan, type Span, type SpanStart } from '../../tracing.ts'
import { collectAnswer, decodeBody, freeOwnBytes, type Holding, isUnpackable, TooLarge, unpackBytes } from './body.ts'
import { awaitUnlessAborted, failTimeout } from './deadline.ts'
import { type MemoryLease, weightOfBody, weightOfBytes } from './memory.ts'
import type { Trust } from './origin.ts'
import { type Proxies, readProxies } from './proxies.ts'
import { ForbiddenAddressError, isPublicUrl, publicLookup } from './public-address.ts'

/** HTTP answers, before their meaning is known. */

/** An HTTP answer with its body as a string. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The same body as bytes, if the request asked for bytes. */
  readonly bytes?: Buffer
  /** What `digest` of the request made of the body's bytes. */
  readonly digest?: string
  /** The bytes of `text`, if the request keeps them. Whoever reads the answer frees them. */
  readonly kept?: Buffer
}

/** Reads all values of a response header, in order. */
export const readHeaders = ({ headers }: Pick<HttpAnswer, 'headers'>, name: string): readonly string[] => {
  const value = (Object.hasOwn(headers, name) ? headers[name] : undefined) ?? []
  return Array.isArray(value) ? value : [value]
}

/** Reads the first value of a response header. */
export const readHeader = (answer: Pick<HttpAnswer, 'headers'>, name: string): string | undefined => readHeaders(answer, name)[0]

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

/** undici's own time limits, by the class of their error, in seconds. */
const timeoutSeconds = {
  ConnectTimeoutError: connectTimeout / 1000,
  HeadersTimeoutError: headersTimeout / 1000,
  BodyTimeoutError: bodyTimeout / 1000,
} as const

type Undici = typeof import('undici/index.js')
type ErrorName = keyof typeof timeoutSeconds | 'HTTPParserError' | 'ResponseExceededMaxSizeError' | 'UndiciError'

let loaded: Undici | undefined

/** Returns undici, and loads it at the first call. By its file: Bun's own module under the bare name lacks what is used here. */
const loadUndici = async (): Promise<Undici> => {
  loaded ??= await import('undici/index.js')
  return loaded
}

/** Returns whether an error belongs to the named class of undici. Always false before undici is loaded. */
const isUndiciError = (thrown: unknown, name: ErrorName): boolean => loaded !== undefined && thrown instanceof loaded.errors[name]

interface Agents {
  readonly api: Dispatcher
  /** For vendors whose answers may be larger: each request bounds its own. */
  readonly large: Dispatcher
  readonly files: Dispatcher
  /** The same for addresses that no operator chose: where this process resolves names, it connects to public addresses only. */
  readonly publicApi: Dispatcher
  readonly publicLarge: Dispatcher
  readonly publicFiles: Dispatcher
}

/** The error of a forward proxy that gave no connection: nothing has reached the vendor. */
class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code = 'ERR_PROXY'
}

/** Never behind a proxy: a proxy's own machine has these names too, and stand-ins of vendors run on this one. */
const ownHosts = 'localhost,127.0.0.1,::1'

const describeProxyFailure = (thrown: unknown): string => {
  const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : ''
  return `the proxy cannot be used${code}`
}

/** Makes the pool of connections to a proxy. Failures to get a tunnel say that they are the proxy's. */
function createProxyPool({ Pool }: Undici, url: URL, options: Pool.Options): Pool {
  const pool = new Pool(url, { ...options, headersTimeout: connectTimeout })
  const connect = pool.connect.bind(pool)
  const connectTunnel = async (wanted: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const tunnel = await connect(wanted).catch((cause: unknown) => {
      throw new ProxyError(describeProxyFailure(cause), { cause })
    })
    if (tunnel.statusCode === 200) return tunnel
    tunnel.socket.on('error', () => undefined).destroy()
    throw new ProxyError(`the proxy refused the connection with status ${tunnel.statusCode}`)
  }
  return Object.assign(pool, { connect: connectTunnel })
}

/** Makes the pools of one engine. Requests go through the proxies in tunnels only, so that no credentials are in what a proxy reads. */
async function createAgents({ http, https, none }: Proxies): Promise<Agents> {
  const undici = await loadUndici()
  const connect = { timeout: connectTimeout }
  const create = (options: { readonly connect: object; readonly maxResponseSize?: number }): Dispatcher => {
    if (http === '' && https === '') return new undici.Agent({ ...agentOptions, ...options })
    return new undici.EnvHttpProxyAgent({
      ...agentOptions,
      ...options,
      httpProxy: http,
      httpsProxy: https,
      noProxy: `${none},${ownHosts}`,
      proxyTunnel: true,
      clientFactory: (url, given) => createProxyPool(undici, url, given),
    })
  }
  const publicOnly = { ...connect, lookup: publicLookup }
  return {
    api: create({ connect, maxResponseSize: maxAnswerBytes }),
    large: create({ connect, maxResponseSize: maxLargeAnswerBytes }),
    files: create({ connect }),
    publicApi: create({ connect: publicOnly, maxResponseSize: maxAnswerBytes }),
    publicLarge: create({ connect: publicOnly, maxResponseSize: maxLargeAnswerBytes }),
    publicFiles: create({ connect: publicOnly }),
  }
}

interface TracedRequest {
  /** Method and path as definitions write them: `GET /v2/calls/{id}`. */
  readonly template: string
  /** The same object for each attempt of one request. */
  readonly sent: object
}

/** A request, as far as its span names it. */
interface DescribedRequest {
  readonly url: URL
  readonly method: string
  readonly traced?: TracedRequest | undefined
  readonly trust: Trust
  readonly signal: AbortSignal
}

/** How often each request was sent. */
const sendings = new WeakMap<object, number>()

function countSending({ sent }: TracedRequest): number {
  const before = sendings.get(sent) ?? 0
  sendings.set(sent, before + 1)
  return before
}

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Describes the span of a request. Each call counts as one attempt. */
function describeRequest({ url, method, traced, trust, signal }: DescribedRequest): SpanStart {
  const resent = traced === undefined ? 0 : countSending(traced)
  // The paths of a stranger's definition are names of its tenant.
  const template = trust === 'foreign' ? undefined : traced?.template
  return {
    name: template ?? method,
    kind: 'client',
    role: 'request',
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': url.port === '' ? ports[url.protocol] : Number(url.port),
      'url.template': template?.slice(method.length + 1),
      'http.request.resend_count': resent === 0 ? undefined : resent,
    },
    signal,
  }
}

/** Notes the status of an answer. From 400 on it is an error of the request, whatever the kind makes of it. */
function noteStatus(span: Span | undefined, status: number): void {
  if (span === undefined) return
  span.set({ 'http.response.status_code': status })
  if (status >= 400) span.fail(String(status))
}

/** One request. Redirects are never followed here. */
export interface HttpRequest {
  readonly url: URL
  readonly trust: Trust
  readonly method: SentMethod
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Maximum wait for the head of the answer in seconds, and maximum size of the answer in bytes; defaults if omitted. */
  readonly patience?: { readonly seconds: number; readonly bytes: number } | undefined
  readonly signal: AbortSignal
  /** Name of the vendor, for messages. */
  readonly vendor: string
  /** Size in bytes above which the answer is returned as bytes. */
  readonly bytesFrom?: number | undefined
  /** Digests the bytes of an answer that is returned as a string. */
  readonly digest?: ((body: Buffer) => string) | undefined
  /** Keeps the bytes of an answer that is returned as a string. */
  readonly keepsBytes?: boolean | undefined
  /** Hint of the error for a refused address; the error's own hint if omitted. */
  readonly refusedHint?: string | undefined
  /** The memory account of the answer. */
  readonly memory?: MemoryLease | undefined
  /** Called when the request is written to a connection. Before that, nothing can have reached the vendor. */
  readonly onSend?: (() => void) | undefined
  readonly traced?: TracedRequest | undefined
}

/** An answer whose body is still arriving. */
export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** undici's own timeouts, in seconds. */
const timeouts = Object.entries(timeoutSeconds) as [keyof typeof timeoutSeconds, number][] // keys of a constant

const describeFailure = (thrown: unknown): string => {
  if (isUndiciError(thrown, 'HTTPParserError')) return 'the answer is not HTTP'
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}

const proxyHint = 'Check HTTPS_PROXY and NO_PROXY, and whether the proxy lets this process through to the host.'
const trustHint = 'Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that signed it, and start the process again.'

/** Codes of Node for a certificate whose authority the process does not know. */
const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const hasCause = (thrown: unknown, type: new (...args: never[]) => Error): boolean =>
  thrown instanceof type || (thrown instanceof Error && thrown.cause !== undefined && hasCause(thrown.cause, type))

/** Copies a cause without its properties: undici's errors hold bytes of the answer and the socket. */
function copyCause(thrown: unknown): Error | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { name, message } = thrown
  const inner =
    thrown instanceof AggregateError ? thrown.errors.map((each) => (each instanceof Error ? each.message : '')).join('; ') : message
  return Object.assign(new Error(message === '' ? inner : message), { name, ...('code' in thrown ? { code: thrown.code } : {}) })
}

/** Makes the error for a link to a forbidden address. The caller throws it. */
function failAddress({ trust, vendor, refusedHint: hint }: HttpRequest, what: string, details: { readonly cause?: unknown } = {}) {
  if (trust !== 'foreign')
    return fail('upstream_answer_invalid', { vendor, reason: `a link ${what}` }, { ...details, retryable: false, hint })
  const own = 'Name a host of the internet in the file of the kind, or correct the value that its address is made of.'
  return fail('upstream_unreachable', { vendor, reason: `its address is one ${what}` }, { ...details, retryable: false, hint: own })
}

/** Checks an address that no operator chose, before a connection is made. A name is checked when it resolves. */
function checkAddress(request: HttpRequest): void {
  const { trust, url } = request
  if (trust === 'config' || (isPublicUrl(url) && (trust === 'answer' || url.port === ''))) return
  throw failAddress(request, 'that is not a public https address', { cause: new ForbiddenAddressError('not a public https address') })
}

/** Converts the failure of a request to an error of the table. The reason of an aborted signal stays unchanged. */
function toFerruleError(thrown: unknown, request: HttpRequest): unknown {
  const { signal, vendor, patience } = request
  if (signal.aborted) return signal.reason
  if (thrown instanceof FerruleError) return thrown
  const details = { cause: copyCause(thrown) }
  if (hasCause(thrown, ForbiddenAddressError)) return failAddress(request, 'to an address that is not public', details)
  if (isUndiciError(thrown, 'ResponseExceededMaxSizeError') || thrown instanceof TooLarge)
    return fail('result_too_large', { limit: patience?.bytes ?? maxAnswerBytes }, details)
  if (isUnpackable(thrown)) return fail('upstream_answer_invalid', { vendor, reason: 'the body cannot be unpacked' }, details)
  const timeout = timeouts.find(([name]) => isUndiciError(thrown, name))
  const seconds = isUndiciError(thrown, 'HeadersTimeoutError') ? patience?.seconds : undefined
  if (timeout !== undefined) return failTimeout(vendor, (seconds ?? timeout[1]) * 1000, details)
  if (thrown instanceof ProxyError) return fail('upstream_unreachable', { vendor, reason: thrown.message }, { ...details, hint: proxyHint })
  return fail(
    'upstream_unreachable',
    { vendor, reason: describeFailure(thrown) },
    thrown instanceof Error && untrusted.has(Reflect.get(thrown, 'code')) ? { ...details, hint: trustHint } : details,
  )
}

/**
 * Prepares the body of the given answer as a file. Failures become errors of the table, and an abandoned body is no failure. A failure before the
 * first reader waits for that reader instead of ending the process.
 */
function guardBody(body: Readable, explain: (thrown: unknown) => unknown): Readable {
  const destroy = body.destroy.bind(body)
  const release = body._destroy.bind(body)
  body.destroy = (error) => {
    body.pause() // undici closes one tick later: a body that just began would still deliver bytes
    const failure = error !== undefined && (isUndiciError(error, 'UndiciError') || 'syscall' in error) ? explain(error) : error
    return destroy(failure instanceof Error ? failure : error)
  }
  body._destroy = (error, callback) => release(error, () => callback(error))
  return body.on('error', () => {})
}

const buildHolding = ({ memory, bytesFrom, signal }: HttpRequest): Holding | undefined =>
  memory === undefined ? undefined : { lease: memory, signal, weight: bytesFrom === 0 ? weightOfBytes : weightOfBody }

const buildDispatch = ({ url, method, headers, body, patience }: HttpRequest): Dispatcher.DispatchOptions => ({
  origin: url.origin,
  path: url.pathname + url.search,
  method,
  headers: { ...headers, ...buildVendorTraceHeaders() },
  body: body ?? null,
  ...(patience === undefined ? {} : { headersTimeout: patience.seconds * 1000 }),
})

/** An answer that decodes its body on demand. */
class ByteAnswer implements HttpAnswer {
  readonly status: number
  readonly headers: HttpAnswer['headers']
  readonly bytes: Buffer

  constructor(status: number, headers: HttpAnswer['headers'], bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get text(): string {
    return decodeBody(this.bytes)
  }
}

/** Sends the engine's requests over one set of connection pools. */
export class Http {
  readonly #proxies: { reveal(): Proxies } | undefined
  #agents: Promise<Agents> | undefined
  /** The same once they are open, so that later calls wait for nothing. */
  #opened: Agents | undefined
  #isClosed = false

  /** @param proxies forward proxies; if omitted, those of the process's environment */
  constructor(proxies?: { reveal(): Proxies }) {
    this.#proxies = proxies
  }

  /**
   * Sends a request and reads the whole answer.
   * @throws FerruleError `upstream_answer_invalid` for a forbidden address of an answer; `upstream_unreachable`, `upstream_timeout`, `result_too_large`; the signal's reason if it aborts
   */
  send(request: HttpRequest): Promise<HttpAnswer> {
    return inSpan(
      () => describeRequest(request),
      (span) => this.#send(request, span),
    )
  }

  async #send(request: HttpRequest, span: Span | undefined): Promise<HttpAnswer> {
    if (this.#isClosed) throw fail('connector_closed', {})
    checkAddress(request)
    const agents = this.#opened ?? (await this.#getAgents(request.signal))
    const most = request.patience?.bytes ?? maxAnswerBytes
    const holding = buildHolding(request)
    const { signal, onSend } = request
    const onStatus = (status: number): void => noteStatus(span, status)
    try {
      const isTrusted = request.trust === 'config'
      const agent = most > maxAnswerBytes ? agents[isTrusted ? 'large' : 'publicLarge'] : agents[isTrusted ? 'api' : 'publicApi']
      const { status, headers, bytes } = await collectAnswer(agent, buildDispatch(request), { most, holding, signal, onSend, onStatus })
      const whole = await unpackBytes(bytes, { encoding: headers['content-encoding'], most, holding })
      const { bytesFrom = Number.POSITIVE_INFINITY, digest, keepsBytes = false } = request
      if (whole.length > bytesFrom) return new ByteAnswer(status, headers, whole)
      const read = { text: decodeBody(whole), ...(digest === undefined ? {} : { digest: digest(whole) }) }
      if (keepsBytes) return { status, headers, ...read, kept: whole }
      freeOwnBytes(whole)
      return { status, headers, ...read }
    } catch (thrown) {
      throw this.#explain(thrown, request)
    }
  }

  /** Converts the failure of a request. A connection that broke because of `close` is no failure of the vendor. */
  readonly #explain = (thrown: unknown, request: HttpRequest): unknown => {
    const error = toFerruleError(thrown, request)
    const isOurs = this.#isClosed && error instanceof FerruleError && error.code === 'upstream_unreachable'
    return isOurs ? fail('connector_closed', {}, { cause: error.cause }) : error
  }

  /**
   * Sends a request for a file and returns when the headers arrive.
   * @throws FerruleError as `send`, and `upstream_answer_invalid` for a forbidden address
   */
  open(request: HttpRequest): Promise<StreamAnswer> {
    return inSpan(
      () => describeRequest(request),
      (span) => this.#open(request, span),
    )
  }

  async #open(request: HttpRequest, span: Span | undefined): Promise<StreamAnswer> {
    if (this.#isClosed) throw fail('connector_closed', {})
    checkAddress(request)
    const { files, publicFiles } = await this.#getAgents(request.signal)
    try {
      const { signal } = request
      const agent = request.trust === 'config' ? files : publicFiles
      const sent = { ...buildDispatch(request), signal }
      // undici checks the signal only with a connection.
      const { statusCode, headers, body } = await awaitUnlessAborted(signal, () => agent.request(sent))
      noteStatus(span, statusCode)
      return { status: statusCode, headers, body: guardBody(body, (thrown) => this.#explain(thrown, request)) }
    } catch (thrown) {
      throw this.#explain(thrown, request)
    }
  }

  /** Closes all sockets at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    const agents = await this.#agents?.catch(() => undefined) // the requests reported why loading failed
    if (agents !== undefined) await destroyAll(agents)
  }

  /**
   * Opens the pools at the first call.
   * @throws `setting_invalid` for a wrong address of a proxy; the reason why undici cannot be loaded; the signal's reason
   */
  #getAgents(signal: AbortSignal): Promise<Agents> {
    this.#agents ??= this.#openAgents()
    const opened = this.#agents
    return awaitUnlessAborted(signal, () => opened)
  }

  async #openAgents(): Promise<Agents> {
    const agents = await createAgents(this.#proxies?.reveal() ?? readProxies())
    if (this.#isClosed) await destroyAll(agents) // a request after the end fails as on a closed pool
    this.#opened = agents
    return agents
  }
}

/** Sends requests: over pools of connections, or from what was recorded. */
export type HttpSender = Pick<Http, 'send' | 'open' | 'close'>

const destroyAll = async (agents: Agents): Promise<void> => {
  await Promise.all(Object.values(agents).map((agent: Dispatcher) => agent.destroy()))
}
