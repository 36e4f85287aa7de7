/** Binds a route to Fastify: who sends the request, the exchange that the route sees, and its answer (docs/decisions/http.md). */
import { transcode } from 'node:buffer'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FerruleError } from 'ferrule'
import { type FileAnswer, RawJson } from 'ferrule/engine'
import { asFerruleError, fail, isObject, splitRawJson, writeBody } from 'ferrule/internal'
import type { Logger } from 'pino'
import type { Caller, Principal } from '../values/access.ts'
import { contentDisposition, jsonType } from './body.ts'
import { createAddressFinder, createSessionFinder } from './console/own-address.ts'
import { collect } from './garbage-collection.ts'
import {
  type Answer,
  type CallerRoute,
  type Door,
  type Exchange,
  findDoor,
  type PrincipalRoute,
  type Route,
  type Services,
} from './route.ts'

const bearer = /^bearer +(\S+) *$/i

const readBearer = ({ headers }: FastifyRequest): string | undefined => bearer.exec(headers.authorization ?? '')?.[1]

/** What the organization of a request depends on. */
type OrganizationRoute = Pick<PrincipalRoute, 'takesSessions' | 'takesOrganizationQuery' | 'provesOrganization'>

function readOrganization({ headers, query }: FastifyRequest, { takesOrganizationQuery }: OrganizationRoute): string | undefined {
  const header = headers['x-organization-id']
  if (header !== undefined) return typeof header === 'string' ? header : header[0]
  const named = takesOrganizationQuery === true && isObject(query) ? query['organization_id'] : undefined
  return typeof named === 'string' ? named : undefined
}

interface Authentication {
  /** @throws FerruleError as `Tokens.authenticateCaller` and `ConsoleSessions.authenticateCaller` */
  readCaller(request: FastifyRequest, route: Route): Promise<Caller>
  /** @throws FerruleError as `Tokens.authenticate` and `ConsoleSessions.authenticate` */
  readPrincipal(request: FastifyRequest, route: OrganizationRoute): Promise<Principal>
}

/** Builds the authentication: by the token of a request, or by the session of the console where it has no token. */
export function createAuthentication({ platform, settings }: Pick<Services, 'platform' | 'settings'>): Authentication {
  const { tokens, consoleSessions } = platform
  const findSession = createSessionFinder(createAddressFinder(settings))
  /** Finds the session of a request; one with an Authorization is judged by that alone. */
  const sessionOf = ({ headers }: FastifyRequest, { takesSessions }: Pick<Route, 'takesSessions'>): string | undefined =>
    headers.authorization === undefined && takesSessions !== false ? findSession(headers) : undefined
  return {
    readCaller: (request, route) => {
      const session = sessionOf(request, route)
      return session === undefined ? tokens.authenticateCaller(readBearer(request)) : consoleSessions.authenticateCaller(session)
    },
    readPrincipal: (request, route) => {
      const header = readOrganization(request, route)
      const session = sessionOf(request, route)
      if (session !== undefined) return consoleSessions.authenticate(session, header)
      return tokens.authenticate(readBearer(request), header, route.provesOrganization)
    },
  }
}

/** Shortest and longest string in UTF-16 units that is encoded here. Below, Node is as fast; above, the copy would take more memory. */
const [shortest, longest] = [2_048, 262_144]

/** Matches what Latin-1 lacks. V8 keeps a string without such characters in single bytes, where the search ends at once. */
const beyondLatin = /[\u0100-\uffff]/

let units: Buffer | undefined

/**
 * Encodes a string that V8 keeps in two bytes a character, in a third of the time of Node's own encoder and of its count of bytes
 * (60 instead of 200 µs for 62 kB, Node 24).
 * @returns the bytes; the string itself where Node is as fast, and where a lone surrogate needs its replacement
 */
export function encodeText(text: string): string | Buffer {
  if (text.length < shortest || text.length > longest || !beyondLatin.test(text)) return text
  units ??= Buffer.allocUnsafeSlow(2 * longest)
  const length = units.write(text, 'utf16le')
  try {
    return transcode(units.subarray(0, length), 'utf16le', 'utf8')
  } catch {
    return text
  }
}

/**
 * Bytes after which what has passed is freed. V8 counts the memory of buffers against a limit of its own and lets 64 to 128 MB
 * of them pile up; a collection of the young generation after every 2 MB keeps a transfer of 1 GB below 35 MB and, as memory
 * stays in the processor's cache, makes it a fifth faster (measured on Node 24).
 */
const bytesPerCollection = 2_000_000

let passed = 0

const count = (chunk: Buffer): void => {
  passed += chunk.length
  if (passed < bytesPerCollection) return
  passed = 0
  collect({ type: 'minor' })
}

/** Counts the bytes of a stream once somebody reads it; a listener before that would start it, and the first bytes would be lost. */
function freePassedBuffers(body: Readable): void {
  body.once('resume', () => body.on('data', count))
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    principal: Principal | null
  }
}

/** Largest JSON answer, in bytes. */
const maxResultBytes = 32 * 1024 * 1024

/** Longest answer in parts that is joined, in bytes: a stream costs more than the copy. */
const longestWhole = 262_144

const isRecord = (value: unknown): value is Readonly<Record<string, string>> => typeof value === 'object' && value !== null

/** The header's value; of a repeated header Node joins the values or keeps the first. */
const readHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** One request as its route sees it. A class, so that a request costs one object and no closures. */
class RouteExchange<Who> implements Exchange<Who> {
  readonly who: Who
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #signal: AbortSignal | undefined
  readonly #ended: (() => void)[] = []

  constructor(who: Who, request: FastifyRequest, reply: FastifyReply) {
    this.who = who
    this.#request = request
    this.#reply = reply
  }

  get requestId(): string {
    return this.#request.id
  }

  get address(): string {
    return this.#request.ip
  }

  get params(): Readonly<Record<string, string>> {
    return isRecord(this.#request.params) ? this.#request.params : {}
  }

  get query(): Readonly<Record<string, unknown>> {
    return isRecord(this.#request.query) ? this.#request.query : {}
  }

  get body(): unknown {
    return this.#request.body
  }

  /** Not Fastify's own `request.signal`: that one aborts when the request's body has been read. */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal
    const controller = new AbortController()
    this.#signal = controller.signal
    const { raw } = this.#reply
    this.onEnd(() => {
      if (!raw.writableFinished) controller.abort()
    })
    return controller.signal
  }

  get door(): Door {
    return findDoor(this.#request.originalUrl, (name) => readHeader(this.#request, name))
  }

  header(name: string): string | undefined {
    return readHeader(this.#request, name)
  }

  setHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }

  whenStopped(buildError: () => FerruleError): void {
    this.#request.buildStopped = buildError
  }

  addVary(names: string): void {
    const given = this.#reply.getHeader('vary')
    this.#reply.header('vary', given === undefined ? names : `${given}, ${names}`)
  }

  disconnect(): void {
    this.#reply.raw.destroy()
  }

  #end(): void {
    for (const ended of this.#ended) ended()
  }

  onEnd(ended: () => void): void {
    const { raw } = this.#reply
    if (raw.destroyed || raw.closed) {
      ended()
      return
    }
    // One listener for all: Node warns of a leak when there are many.
    if (this.#ended.length === 0) raw.once('close', () => this.#end())
    this.#ended.push(ended)
  }
}

/** Prints the JSON of an answer. @throws FerruleError `result_too_large` */
function jsonText(value: unknown): string {
  const text = writeBody(value)
  // A UTF-16 unit is 3 bytes at most, so only large strings need the exact length.
  if (text.length * 3 > maxResultBytes && Buffer.byteLength(text) > maxResultBytes)
    throw fail('result_too_large', { limit: maxResultBytes })
  return text
}

/** Fastify pipes the body, destroys it when the client goes, and destroys the socket when the body fails: never a clean end. */
function sendFile(reply: FastifyReply, file: FileAnswer, logger: Logger): FastifyReply {
  const known: readonly (readonly [string, string | null])[] = [
    ['content-length', file.contentLength === null ? null : String(file.contentLength)],
    ['content-range', file.contentRange],
    ['accept-ranges', file.acceptRanges],
    ['etag', file.etag],
  ]
  for (const [name, value] of known) if (value !== null) reply.header(name, value)
  file.body.once('error', (err) => {
    if (!reply.raw.destroyed) logger.warn({ request_id: reply.request.id, err }, 'a download was cut')
  })
  freePassedBuffers(file.body)
  reply.header('content-disposition', contentDisposition(file.name))
  return reply.code(file.status).header('content-type', file.contentType).send(file.body)
}

function sendContent(reply: FastifyReply, { content, type, headers = {}, status = 200 }: Extract<Answer, { readonly content: unknown }>) {
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': type })
    .send(content)
}

/** Sends JSON; raw parts are sent unchanged. */
function sendJson(reply: FastifyReply, { json, status = 200 }: Extract<Answer, { readonly json: unknown }>): FastifyReply {
  reply.code(status).header('content-type', jsonType)
  const found = splitRawJson(json)
  if (found === undefined) return reply.send(encodeText(jsonText(json)))
  const { parts, raw } = found
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length > mostBytes(json)) throw fail('result_too_large', { limit: maxResultBytes })
  if (length <= longestWhole) {
    const whole = Buffer.concat(parts, length)
    raw.release()
    return reply.send(whole)
  }
  const body = Readable.from(parts, { objectMode: false })
  freePassedBuffers(body)
  reply.raw.once('finish', () => raw.release()) // the system has them
  return reply.header('content-length', String(length)).send(body)
}

/** The engine bounds the rows of a result in parts. */
const mostBytes = (json: unknown): number =>
  isObject(json) && (json['data'] ?? json['result']) instanceof RawJson ? maxResultBytes : Number.POSITIVE_INFINITY

/** Releases an answer that comes after the refusal of the shutdown. */
function discard(answer: Answer): void {
  if ('json' in answer) splitRawJson(answer.json)?.raw.release()
  if ('file' in answer) answer.file.body.destroy()
  if ('content' in answer && answer.content instanceof Readable) answer.content.destroy()
}

function send(reply: FastifyReply, answer: Answer, logger: Logger): FastifyReply {
  if (reply.sent) {
    discard(answer)
    return reply
  }
  if ('json' in answer) return sendJson(reply, answer)
  if ('file' in answer) return sendFile(reply, answer.file, logger)
  if ('content' in answer) return sendContent(reply, answer)
  if ('redirect' in answer) return reply.redirect(answer.redirect, answer.status ?? 302)
  return reply
    .code(304)
    .headers({ ...answer.notModified.headers })
    .send()
}

/** Reads the caller; with its organization where the route shows kinds of it, unless the request could mean several. */
async function readCaller(authentication: Authentication, request: FastifyRequest, route: CallerRoute): Promise<Caller> {
  if (route.showsOwnKinds !== true) return authentication.readCaller(request, route)
  try {
    return await authentication.readPrincipal(request, route)
  } catch (thrown) {
    if (asFerruleError(thrown).code !== 'organization_required') throw thrown
    return authentication.readCaller(request, route)
  }
}

/** Builds the hook that authenticates before the body is read, and the handler of the route. */
function boundTo(route: Route, services: Services, authentication: Authentication) {
  switch (route.auth) {
    case 'none':
      return {
        handler: (request: FastifyRequest, reply: FastifyReply) => route.answer(new RouteExchange(undefined, request, reply), services),
      }
    case 'caller':
      return {
        onRequest: async (request: FastifyRequest) => {
          request.caller = await readCaller(authentication, request, route)
        },
        handler: (request: FastifyRequest, reply: FastifyReply) =>
          route.answer(new RouteExchange(known(request.caller), request, reply), services),
      }
    case 'principal':
      return {
        onRequest: async (request: FastifyRequest) => {
          request.principal = await authentication.readPrincipal(request, route)
        },
        handler: (request: FastifyRequest, reply: FastifyReply) =>
          route.answer(new RouteExchange(known(request.principal), request, reply), services),
      }
  }
}

/** The hook of the same route has set it; without it nothing may be answered. */
function known<T>(who: T | null): T {
  if (who === null) throw fail('missing_token', {})
  return who
}

/** Adds the members that `register` needs on every request. */
export function decorate(app: FastifyInstance): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('principal', null)
  app.decorateRequest('buildStopped', null)
}

/** What all routes are registered with. */
export interface Registration {
  readonly services: Services
  readonly authentication: Authentication
}

/** Registers one route on an app that was decorated. */
export function register(app: FastifyInstance, route: Route, { services, authentication }: Registration): void {
  const { onRequest, handler } = boundTo(route, services, authentication)
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { path: route.path },
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(route.largestBody === undefined ? {} : { bodyLimit: Math.max(route.largestBody, services.settings.bodyLimit) }),
    handler: async (request, reply) => {
      return send(reply, await handler(request, reply), services.logger)
    },
  })
}
