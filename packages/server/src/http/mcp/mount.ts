/** Mounts an MCP endpoint in Fastify: Streamable HTTP without sessions, for the revisions 2026-07-28 and 2025-11-25 (docs/decisions/mcp.md). */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { AuthInfo, McpHttpHandler, McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  asFerruleError,
  type McpMessage,
  type McpSdk,
  type MessageId,
  type MessageRefusal,
  messageCodes,
  readMessage,
} from 'ferrule/internal'
import { readAnyJson } from '../body.ts'
import { addPreflight, type Door, openToPages } from './doors.ts'

/** What the SDK wants to read of a client: both forms. */
const bothForms = 'application/json, text/event-stream'

/** Form that a client takes; `any`: whatever the SDK chooses. */
type Form = 'any' | 'json' | 'stream'

/** Reads the media ranges of a header that are not refused by their weight. */
const readRanges = (accept: string): readonly string[] =>
  accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([type = '']) => type)

/**
 * Chooses the form of an answer. Who does not name the stream reads JSON: such a client may not know streams.
 * @param accept the header; undefined: the client sent none
 */
function chooseForm(accept: string | undefined): Form {
  const ranges = readRanges(accept ?? '')
  if (!ranges.some((range) => range === 'text/event-stream')) return 'json'
  return ranges.some((range) => ['application/json', 'application/*', '*/*'].includes(range)) ? 'any' : 'stream'
}

const isStream = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/event-stream') === true

const isAnswer = (text: string): boolean => {
  const message: unknown = JSON.parse(text)
  return typeof message === 'object' && message !== null && ('result' in message || 'error' in message)
}

const readEvents = (text: string): readonly string[] =>
  text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    return data.length === 0 || data.join('') === '' ? [] : [data.join('\n')]
  })

/** Copies the headers of an answer, with another type. The SDK's length is that of the other form. */
function changeType({ headers }: Response, type: string): Headers {
  const changed = new Headers(headers)
  changed.delete('content-length')
  changed.set('content-type', type)
  return changed
}

/**
 * Brings an answer of the SDK into the form that its client takes. What is no answer to a message stays as it is, such as a refusal.
 * JSON cannot carry reports of progress, so they are left out.
 */
async function toForm(response: Response, form: Form): Promise<Response> {
  const { status } = response
  if (form === 'json' && isStream(response)) {
    const answer = readEvents(await response.text()).findLast(isAnswer)
    if (answer === undefined) throw new Error('A stream ended without an answer.')
    return new Response(answer, { status, headers: changeType(response, 'application/json') })
  }
  if (form === 'stream' && status === 200 && !isStream(response)) {
    const headers = changeType(response, 'text/event-stream')
    return new Response(`event: message\ndata: ${await response.text()}\n\n`, { status, headers })
  }
  return response
}

interface RunningKey {
  /** Who holds the token; sessions of others are out of reach. */
  readonly owner: string
  /** Value of `Mcp-Session-Id`. */
  readonly session: string
  readonly id: MessageId
}

const print = ({ owner, session, id }: RunningKey): string => JSON.stringify([owner, session, id])

class RunningRequests {
  readonly #requests = new Map<string, AbortController>()

  /** Adds a request. @returns removes it */
  add(key: RunningKey, controller: AbortController): () => void {
    const name = print(key)
    this.#requests.set(name, controller)
    return () => {
      if (this.#requests.get(name) === controller) this.#requests.delete(name)
    }
  }

  /** Cancels a request; an unknown one has ended, or runs on another node. */
  cancel(key: RunningKey): void {
    this.#requests.get(print(key))?.abort()
  }
}

/** One request, as the server of the mount sees it. */
export interface McpExchange<Who> {
  readonly who: Who
  /** The message with exact integers. */
  readonly message: McpMessage
  readonly requestId: string
  /** Aborts when the client disconnects or cancels the request. */
  readonly signal: AbortSignal
}

/** A request, and the reply to its caller. */
export interface Arrival {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What is mounted. */
export interface McpMount<Who> {
  readonly path: '/mcp'
  readonly door: Door
  /** Authenticates a request before its body is read. @throws FerruleError when it is refused */
  readonly authenticate: (arrival: Arrival) => Promise<Who>
  /** Names the holder of a token, so that nobody cancels another's requests. */
  readonly identify: (who: Who) => string
  /** Checks a message before the SDK sees it. @throws FerruleError when it is refused */
  readonly admit?: (exchange: McpExchange<Who>, arrival: Arrival) => Promise<void>
  readonly createServer: (sdk: McpSdk, exchange: McpExchange<Who>, era: McpRequestContext['era']) => Server | Promise<Server>
  /** Receives what the SDK refuses or fails with. */
  readonly onError?: (error: Error) => void
}

/** Answers a JSON-RPC error that was found before the SDK. */
function sendRefusal(reply: FastifyReply, status: number, { code, message }: MessageRefusal): FastifyReply {
  const error = { jsonrpc: '2.0', id: null, error: { code, message } }
  return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(error))
}

/** Code of JSON-RPC for errors of a server. */
const serverError = -32_000

const readHeader = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** Copies the headers for the SDK, which refuses a client that does not take both forms. */
const copyHeaders = ({ headers }: FastifyRequest): Headers => {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) copied.append(name, one)
  copied.set('accept', bothForms)
  return copied
}

/** Sends the SDK's answer: a stream of events as it comes, JSON at once. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).headers(Object.fromEntries(response.headers))
  if (response.body === null) return reply.send('')
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  return reply.send(isStream ? Readable.fromWeb(response.body) : await response.text())
}

function readBody(bytes: Uint8Array): ReturnType<typeof readMessage> {
  try {
    return readMessage(readAnyJson(bytes))
  } catch (thrown) {
    const { code, message } = asFerruleError(thrown)
    return { refusal: { code: code === 'malformed_json' ? messageCodes.parseError : messageCodes.invalidRequest, message } }
  }
}

/** The handler of the SDK, and the exchanges that its factory finds again. */
class Endpoint<Who> {
  readonly #mount: McpMount<Who>
  readonly #exchanges = new WeakMap<AuthInfo, McpExchange<Who>>()
  readonly #running = new RunningRequests()
  #handler: Promise<McpHttpHandler> | undefined

  constructor(mount: McpMount<Who>) {
    this.#mount = mount
  }

  /** Loads the SDK once. Its import costs 30 MB and up to a second, so a service without MCP never pays for it. */
  #load(): Promise<McpHttpHandler> {
    this.#handler ??= this.#create().catch((thrown: unknown) => {
      this.#handler = undefined
      throw thrown
    })
    return this.#handler
  }

  async #create(): Promise<McpHttpHandler> {
    const sdk = await import('@modelcontextprotocol/server')
    const { createServer, onError } = this.#mount
    const factory = ({ authInfo, era }: McpRequestContext) => {
      const exchange = authInfo === undefined ? undefined : this.#exchanges.get(authInfo)
      if (exchange === undefined) throw new Error('A request came without its exchange.')
      return createServer(sdk, exchange, era)
    }
    return sdk.createMcpHandler(factory, onError === undefined ? {} : { onerror: onError })
  }

  async answer(who: Who, arrival: Arrival): Promise<FastifyReply> {
    const { request, reply } = arrival
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    const read = request.method === 'POST' && body.length > 0 ? readBody(body) : { message: nothing }
    if ('refusal' in read) return sendRefusal(reply, 400, read.refusal)
    const gone = new AbortController()
    const exchange = { who, message: read.message, requestId: request.id, signal: gone.signal }
    const ends: (() => void)[] = []
    reply.raw.once('close', () => {
      for (const end of ends) end()
      if (!reply.raw.writableFinished) gone.abort()
    })
    await this.#mount.admit?.(exchange, arrival)
    if (!gone.signal.aborted) ends.push(this.#track(exchange, { arrival, gone }))
    return this.#serve(exchange, arrival)
  }

  /** Remembers a request of a session while it runs, and carries out a cancellation. @returns forgets the request */
  #track({ who, message }: McpExchange<Who>, { arrival, gone }: { readonly arrival: Arrival; readonly gone: AbortController }): () => void {
    const session = readHeader(arrival.request, sessionHeader)
    if (session === undefined) return () => undefined
    const owner = this.#mount.identify(who)
    if (message.id !== undefined) return this.#running.add({ owner, session, id: message.id }, gone)
    const { requestId: id } = message.params
    const isCancellation = message.method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number')
    if (isCancellation) this.#running.cancel({ owner, session, id })
    return () => undefined
  }

  async #serve(exchange: McpExchange<Who>, { request, reply }: Arrival): Promise<FastifyReply> {
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] }
    this.#exchanges.set(authInfo, exchange)
    const { method } = request
    // The address is never used: what the SDK reads are headers, and the message that is parsed already.
    const sent = new Request('http://mcp.invalid/', { method, headers: copyHeaders(request), signal: exchange.signal })
    const { fetch } = await this.#load()
    const { message } = exchange
    const response = await fetch(sent, message === nothing ? { authInfo } : { authInfo, parsedBody: message.plain })
    if (message.method === 'initialize' && response.ok) reply.header(sessionHeader, randomUUID())
    return sendResponse(reply, await toForm(response, chooseForm(request.headers.accept)))
  }

  async close(): Promise<void> {
    const handler = await this.#handler?.catch(() => undefined)
    await handler?.close()
  }
}

/** A name that clients of the revision 2025-11-25 repeat. It says which request a cancellation means; no node stores it. */
const sessionHeader = 'mcp-session-id'

/** A request without a message. */
const nothing: McpMessage = { id: undefined, method: undefined, params: {}, plain: undefined }

/**
 * Mounts the endpoint on an app.
 * @param app an app with the common hooks
 * @param mount what is mounted
 * @typeParam Who stated by the caller: inferred, it makes the compiler compare Fastify whole, which costs 116,000 type instantiations
 */
export function mountMcp<Who>(app: FastifyInstance, mount: McpMount<Who>): void {
  const endpoint = new Endpoint(mount)
  const callers = new WeakMap<FastifyRequest, { readonly who: Who }>()
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, read) => read(null, body))
    openToPages(scope, mount.door)
    for (const url of [mount.path, `${mount.path}/`] as const) {
      addPreflight(scope, url)
      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        url,
        config: { path: mount.path },
        onRequest: async (request, reply) => {
          const refused = mount.door({ host: readHeader(request, 'host'), origin: readHeader(request, 'origin') })
          if (refused !== undefined) return sendRefusal(reply, 403, { code: serverError, message: refused })
          callers.set(request, { who: await mount.authenticate({ request, reply }) })
          return undefined
        },
        handler: async (request, reply) => {
          const caller = callers.get(request)
          if (caller === undefined) throw new Error('A request was not authenticated.')
          return endpoint.answer(caller.who, { request, reply })
        },
      })
    }
    scope.addHook('onClose', () => endpoint.close())
    done()
  })
}
