/** The HTTP server: Fastify with our routes, our reader, our writer and our errors. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { FerruleError } from 'ferrule'
import { clocks, fail, webhookLimits } from 'ferrule/internal'
import { type Logger, pino } from 'pino'
import type { Cutter } from '../calls/cut-records.ts'
import type { ServedKind } from '../connectors/connector-types.ts'
import type { CopyServices } from '../copies/copy-services.ts'
import type { ParquetEncoder } from '../copies/parquet/encoder.ts'
import type { ArrivedRequest, Received } from '../events/vendors/receiver.ts'
import type { Platform } from '../main/platform-types.ts'
import type { Settings } from '../main/settings/settings.ts'
import type { Metrics } from '../values/metric-types.ts'
import { RefusalLimits } from './address-limits.ts'
import { addCommonHeaders, buildErrorHeaders, findStatus, nameRoute, problemBody, readFormBody, readJsonBody, readPath } from './body.ts'
import { adaptRoute } from './compat/index.ts'
import { mountConnect } from './connect/routes.ts'
import { mountWeb } from './console/mount.ts'
import { addPreflight, createDoor, openToPages } from './mcp/doors.ts'
import { mountServiceMcp } from './mcp/endpoint.ts'
import type { DocumentHttp } from './oauth/documents.ts'
import { mountOAuth } from './oauth/mount.ts'
import { createOpenApiDocuments } from './openapi/openapi.ts'
import { addRefusals, type Refuse, refuser } from './refusals.ts'
import { createAuthentication, decorate, type Registration, register } from './register.ts'
import { addRequestSpans, isOfOperators } from './request-spans.ts'
import { type Route, type Services, stripPrefix } from './route.ts'
import { routes } from './routes/index.ts'
import { OpenRequests, Stopping } from './stopping.ts'
import { type StreamOptions, StreamShares } from './streams/stream-shares.ts'

/** Node's own names of statuses. An `import` of `node:http` would load Node's `fetch` with it: 40 ms of a start, and 14 MB. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * Answers with a problem and closes the connection.
 * @param error Node's parser error, for example HPE_INVALID_METHOD or HPE_HEADER_OVERFLOW
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const refused = toRefusal(error)
  const requestId = randomUUID()
  const body = problemBody(refused, requestId)
  const headers = {
    ...buildErrorHeaders(refused),
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${lines.join('')}\r\n${body}`)
}

/** A client that takes longer to send its request is cut off. Milliseconds. */
const requestTimeout = 60_000

const toRefusal = ({ code }: NodeJS.ErrnoException): FerruleError => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('request_timeout', { seconds: requestTimeout / 1_000 })
  return fail('validation_failed', { reason: code === 'HPE_HEADER_OVERFLOW' ? 'its headers are too long' : 'it is not HTTP/1.1' })
}

const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request: the client's `X-Request-Id` when it is 1 to 128 letters, digits, dots, dashes and underscores, else a UUID. */
const chooseRequestId = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && sane.test(given) ? given : randomUUID()

/** Options of the server. */
export interface ServerOptions {
  readonly platform: Platform
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
  /** Answers searches; without it searches are refused. */
  readonly copies?: CopyServices
  /** Writes Parquet files apart from the loop. */
  readonly parquetEncoder?: ParquetEncoder | undefined
  /** Cuts answers that were read apart from the loop. */
  readonly cutter?: Cutter | undefined
  readonly metrics: Metrics
  /** Fetches metadata documents of MCP clients; default: from public addresses only. */
  readonly documents?: DocumentHttp
  /** Built files of the console and the connect page; default: those of this build, or of this checkout. */
  readonly webFolder?: string
  /** Default: nothing is logged. */
  readonly logger?: Logger
  /** Milliseconds since 1970; default: those of stored times. */
  readonly clock?: () => number
  /** Milliseconds that never step. */
  readonly steady?: () => number
  /** Event streams: their number on this node, and their times in milliseconds, as `StreamOptions`. */
  readonly streams?: Partial<Omit<StreamOptions, 'shares'>> & { readonly most?: number }
  /** Progress of the shutdown; left out: the service never stops. */
  readonly stopping?: Pick<Stopping, 'isLeaving' | 'isDraining' | 'calls'>
}

/** Times of event streams, in milliseconds. */
const streamTimes = { lookMs: 30_000, stallMs: 60_000, graceMs: 5_000 }
/** Longest slot of a path; the whole request line is bounded by Node (16 KiB). */
const maxParamLength = 4_096

const jsonTypes = /^application\/(?:[\w!#$&^.+-]+\+)?json(?:;\s*charset="?utf-8"?)?$/i
const formTypes = /^application\/x-www-form-urlencoded(?:;\s*charset="?utf-8"?)?$/i

/** Headers that a browser's script may read. */
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Mcp-Session-Id',
]
const corsOptions = { methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], exposedHeaders, maxAge: 600 }

function trusted(proxies: Settings['trustedProxies']): string[] | false | ((address: string, hop: number) => boolean) {
  if (typeof proxies === 'number') return proxies > 0 ? (_address, hop) => hop < proxies : false
  return proxies.length > 0 ? [...proxies] : false
}

/** Routes have no Fastify schemas, so its validator and its serialiser are never made; ajv is not even loaded. */
function noSchemas(): never {
  throw new Error('Routes have no Fastify schemas')
}
const withoutSchemas = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } }

/** Creates the Fastify app without its logger, which costs a child logger per request. */
function createApp(settings: Settings, refuse: Refuse): FastifyInstance {
  const app = fastify({
    bodyLimit: settings.bodyLimit,
    requestTimeout,
    return503OnClosing: false,
    trustProxy: trusted(settings.trustedProxies),
    requestIdHeader: false,
    genReqId: (request) => chooseRequestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength },
    schemaController: withoutSchemas,
    rewriteUrl: ({ url = '/' }) => stripPrefix(url),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: refuse,
  })
  // No route takes it: without this Fastify asks for its content type before it looks for a route.
  app.addHttpMethod('QUERY', { overrideExisting: true })
  decorate(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonTypes, { parseAs: 'buffer' }, (_request, body: Buffer, done) => done(null, readJsonBody(body)))
  return app
}

function buildServices(options: ServerOptions & { readonly logger: Logger }): Services {
  const { platform, settings, kinds, logger, metrics, clock = platform.clock, steady = clocks.steady, stopping = new Stopping() } = options
  const { admission } = platform
  metrics.gauge({ name: 'ferrule_executes_in_flight', help: 'Executed calls that have not ended', read: () => admission.running })
  const { most, ...times } = options.streams ?? {}
  const streams = { ...streamTimes, ...times, shares: new StreamShares(most) }
  metrics.gauge({ name: 'ferrule_event_streams', help: 'Event streams that are open', read: () => streams.shares.open })
  metrics.gauge({
    name: 'ferrule_body_memory_bytes',
    help: 'Memory that answers of vendors are counted with',
    read: () => admission.memory.held,
  })
  const onBackgroundError = (err: unknown) => logger.error({ err }, 'the status of a connector could not be stored')
  const operations = {
    platform,
    engine: platform.engine,
    onCall: metrics.call,
    usage: platform.usage,
    onBackgroundError,
    clock,
    ...options.copies,
    cutter: options.cutter,
    parquetEncoder: options.parquetEncoder,
  }
  const openApi = createOpenApiDocuments({ routes, kinds, serverUrl: settings.publicUrl })
  const own = { platform, settings, kinds, metrics, logger, clock, steady, stopping }
  return { ...own, operations, streams, openApi }
}

/** Forms are read at the token endpoint only, so its route lives in a scope of its own. */
function registerForms(app: FastifyInstance, forms: readonly Route[], registration: Registration): void {
  app.register((scope, _options, done) => {
    scope.addContentTypeParser(formTypes, { parseAs: 'buffer' }, (_request, body: Buffer, done) => done(null, readFormBody(body)))
    for (const route of forms) register(scope, route, registration)
    done()
  })
}

/** Registers the routes that pages of MCP clients read. */
function registerForPages(app: FastifyInstance, pages: readonly Route[], registration: Registration): void {
  app.register((scope, _options, done) => {
    openToPages(scope, createDoor(registration.services.settings))
    for (const route of pages) {
      addPreflight(scope, route.path)
      register(scope, route, registration)
    }
    done()
  })
}

/** Routes of a process that only fills the context store: its health and its numbers. */
const ofWorkers: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics'])
/**
 * Makes the server with all routes of its role; the caller listens and closes.
 * @returns a Fastify instance that is ready to listen
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const logger = options.logger ?? pino({ level: 'silent' })
  const { settings } = options
  const services = buildServices({ ...options, logger })
  const refuse = refuser({ logger })
  const app = createApp(settings, refuse)
  const open = new OpenRequests()
  addReports(app, services, open)
  services.stopping.calls.addEventListener('abort', () => open.refuseAll(refuse))
  const served = (settings.role === 'worker' ? routes.filter(({ path }) => ofWorkers.has(path)) : routes).map(adaptRoute)
  addRefusals(app, { routes: served, refuse })
  if (settings.corsOrigins.length > 0) await app.register(cors, { ...corsOptions, origin: [...settings.corsOrigins] })
  const registration = { services, authentication: createAuthentication(services) }
  for (const route of served) if (!route.form && !route.isForPages) register(app, route, registration)
  registerForms(
    app,
    served.filter((route) => route.form),
    registration,
  )
  registerForPages(
    app,
    served.filter((route) => route.isForPages),
    registration,
  )
  if (settings.role !== 'worker') mountServiceMcp(app, services)
  mountOAuth(app, services, options.documents)
  if (settings.role !== 'worker') mountWeb(app, services, options.webFolder)
  if (settings.role !== 'worker') mountConnect(app, registration)
  if (settings.role !== 'worker') mountVendorWebhooks(app, services)
  app.addHook('onClose', () => services.metrics.close())
  await app.ready()
  return app
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path of the route as its document writes it. */
    readonly path?: string
  }
}

/** Requests that take longer are logged at `info`. Milliseconds. */
const slowMs = 10_000

/** Adds the hooks. There are two, because every hook costs every request; spans have their own. */
function addReports(app: FastifyInstance, { stopping, metrics, logger }: Services, open: OpenRequests): void {
  addRequestSpans(app)
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(reply, request)
    open.add(request, reply)
    if (!stopping.isDraining || isOfOperators(request.url)) return done()
    reply.header('connection', 'close')
    done(fail('unavailable', { reason: 'it is stopping' }, { retryAfterMs: 1_000 }))
  })
  const isDebug = logger.isLevelEnabled('debug')
  app.addHook('onResponse', (request, reply, done) => {
    const status = findStatus(reply)
    const route = nameRoute(request)
    metrics.request({ route, method: route === 'unmatched' ? 'any' : request.method, status, seconds: reply.elapsedTime / 1_000 })
    if (status >= 500 || reply.elapsedTime > slowMs) logger.info(toLogLine(request, { reply, status }), 'request')
    else if (isDebug) logger.debug(toLogLine(request, { reply, status }), 'request')
    done()
  })
}

/** Never the query, a header or a body. */
const toLogLine = (request: FastifyRequest, { reply, status }: { readonly reply: FastifyReply; readonly status: number }) => ({
  request_id: request.id,
  ip: request.ip,
  method: request.method,
  path: readPath(request.url),
  status,
  milliseconds: Math.round(reply.elapsedTime),
})

/** Time after which a vendor may send again what was too much, in seconds. */
const webhookRetrySeconds = 60
const noBody = Buffer.alloc(0)

interface WebhookSlots {
  readonly id: string
}

const toArrivedWebhook = (of: ArrivedRequest['of'], request: FastifyRequest<{ Params: WebhookSlots }>): ArrivedRequest => {
  const { originalUrl, method, headers, body, params } = request
  const mark = originalUrl.indexOf('?')
  return {
    of,
    id: params.id,
    query: mark < 0 ? '' : originalUrl.slice(mark),
    method,
    headers,
    body: Buffer.isBuffer(body) ? body : noBody,
  }
}

/** An unknown address and a wrong signature get the same answer. */
function answerVendor(reply: FastifyReply, received: Received): FastifyReply {
  switch (received.outcome) {
    case 'taken':
      return reply.code(200).send()
    case 'challenge':
      return reply
        .code(received.answer.status)
        .headers({ ...received.answer.headers })
        .send(received.answer.body)
    case 'refused':
      return reply.code(401).send()
    case 'full':
      return reply.code(503).header('retry-after', String(webhookRetrySeconds)).send()
  }
}

/** Mounts the addresses that vendors send webhooks to. They take any bytes, and need no token: the signature of the vendor counts. */
function mountVendorWebhooks(app: FastifyInstance, { platform, metrics, steady }: Pick<Services, 'platform' | 'metrics' | 'steady'>): void {
  const { vendorEvents } = platform
  const refusals = new RefusalLimits(steady)
  metrics.counters({
    name: 'ferrule_vendor_webhooks_total',
    help: 'Requests of vendors to addresses of webhooks, by what became of them',
    label: 'outcome',
    read: () => vendorEvents.counts,
  })
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, read) => read(null, body))
    for (const owner of ['connectors', 'apps'] as const)
      scope.post<{ Params: WebhookSlots }>(
        `/webhooks/${owner}/:id`,
        { bodyLimit: webhookLimits.bytes, config: { path: `/webhooks/${owner}/{id}` } },
        async (request, reply) => {
          const to = `${owner}/${request.params.id}`
          if (refusals.isOver(request.ip, to)) return reply.code(429).header('retry-after', String(webhookRetrySeconds)).send()
          const received = await vendorEvents.receive(toArrivedWebhook(owner, request))
          refusals.note(request.ip, to, received.outcome === 'refused')
          return answerVendor(reply, received)
        },
      )
    done()
  })
}
