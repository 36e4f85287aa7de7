/** Mounts the authorization server: its door, the library behind it, and the pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Http } from 'ferrule/internal'
import { defaultMcpScopes, type McpScope } from 'ferrule/wire'
import type { Provider } from 'oidc-provider'
import { listMcpAddresses } from '../../main/settings/mcp-address.ts'
import { addPreflight, openToPages } from '../mcp/cors.ts'
import { createDoor, type Door } from '../mcp/doors.ts'
import type { Services } from '../route.ts'
import { findIssuer, oauthPaths, readIssuerPath } from './address.ts'
import { Consent } from './consent.ts'
import { createDocumentFetch, type DocumentHttp } from './documents.ts'
import { type LimitedRequest, OAuthLimits } from './limits.ts'
import { createProvider } from './provider.ts'

/** Largest body of a page's form, in bytes. The library reads 56 KiB of other bodies at most. */
const formBytes = 64 * 1_024

/** Type of the library's record that a request creates, by what is counted. Anybody can create these. */
const createdTypes: Readonly<Partial<Record<LimitedRequest, string>>> = { register: 'Client', authorize: 'Interaction' }

/** Answers an error (RFC 6749 section 5.2). */
const sendError = (reply: FastifyReply, status: number, [error, reason]: readonly [string, string]): FastifyReply =>
  reply.code(status).type('application/json').send({ error, error_description: reason })

/**
 * States the scopes of an authorization: the known ones for reading that the client asks for, else all of them, and the one for writing,
 * which the operator ticks or not. Clients ask for names of their own, or for those of the endpoint's challenge. RFC 6749 section 3.3 lets a
 * server decide; its answer names what was granted. Answers go into the address only, as the metadata says: other ways would be pages of
 * the library. Who names the endpoint in one form may exchange the code in any other.
 */
function stateAuthorization(url: string, resources: readonly string[]): string {
  const [path = '', text = ''] = url.split('?', 2)
  const query = new URLSearchParams(text)
  const asked = query.getAll('scope')
  if (asked.length > 1) return url // the library refuses it
  const words = asked.flatMap((scope) => scope.split(' '))
  const reads = defaultMcpScopes.filter((scope) => words.includes(scope))
  query.delete('response_mode')
  if (query.getAll('resource').every((resource) => resources.includes(resource))) {
    query.delete('resource')
    for (const resource of resources) query.append('resource', resource)
  }
  query.set('scope', [...(reads.length === 0 ? defaultMcpScopes : reads), 'execute:write' satisfies McpScope].join(' '))
  return `${path}?${query}`
}

/** The authorization server of one process. */
class OAuthServer {
  readonly #services: Services
  readonly #issuer: string
  readonly #resources: readonly string[]
  readonly #limits: OAuthLimits
  /** Who may enter. */
  readonly door: Door
  readonly #consent: Consent
  #http: DocumentHttp | undefined
  #provider: Promise<Provider> | undefined

  constructor(services: Services, issuer: string, http: DocumentHttp | undefined) {
    this.#services = services
    this.#issuer = issuer
    this.#resources = listMcpAddresses(services.settings)
    this.#http = http
    this.#limits = new OAuthLimits(services.steady)
    this.door = createDoor(services.settings)
    this.#consent = new Consent(services, this.#limits, () => this.#load())
  }

  /** Loads the library once, with the first request. */
  #load(): Promise<Provider> {
    this.#provider ??= this.#create().catch((thrown: unknown) => {
      this.#provider = undefined
      throw thrown
    })
    return this.#provider
  }

  #create(): Promise<Provider> {
    const { platform, settings, logger } = this.#services
    const fetch = createDocumentFetch(() => {
      this.#http ??= new Http(settings.proxies)
      return this.#http
    })
    return createProvider({ issuer: this.#issuer, resources: this.#resources, oauth: platform.oauth, fetch, logger })
  }

  /** Refuses requests of foreign pages, too many requests, and new records when there is no room. */
  async enter(request: FastifyRequest, reply: FastifyReply, name: LimitedRequest | undefined): Promise<FastifyReply | undefined> {
    const { host, origin } = request.headers
    const refused = this.door({ host, origin })
    if (refused !== undefined) return sendError(reply, 403, ['invalid_request', refused])
    this.#state(request)
    if (name === undefined) return undefined
    const wait = this.#limits.count(name, request.ip)
    const type = createdTypes[name]
    if (wait === undefined && (type === undefined || (await this.#services.platform.oauth.hasRoom(type)))) return undefined
    reply.header('retry-after', String(wait ?? 600))
    return sendError(reply, wait === undefined ? 503 : 429, ['temporarily_unavailable', 'there are too many requests; try again later'])
  }

  /** Writes the address of the settings over what the request says of it, since the library asks for both. */
  #state({ raw }: FastifyRequest): void {
    const { host, protocol } = new URL(this.#issuer)
    delete raw.headers['x-forwarded-host']
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    raw.headers.host = host
  }

  /** Hands a request to the library. */
  async answer(request: FastifyRequest, reply: FastifyReply, name: LimitedRequest): Promise<FastifyReply> {
    const provider = await this.#load()
    const { url = '' } = request.raw
    request.raw.url = name === 'authorize' ? stateAuthorization(url, this.#resources) : url
    Object.assign(request.raw, { originalUrl: readIssuerPath(this.#issuer) + request.raw.url }) // the library takes its path from here
    for (const [header, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(header, value)
    reply.hijack()
    await provider.callback()(request.raw, reply.raw)
    return reply
  }

  get consent(): Consent {
    return this.#consent
  }

  async close(): Promise<void> {
    await this.#http?.close()
  }
}

/** Adds routes that the library answers. Their bodies stay unread: it reads them itself. */
function addLibraryRoutes(scope: FastifyInstance, server: OAuthServer, [method, paths]: LibraryRoutes): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const [url, name] of paths) {
    if (method === 'POST') addPreflight(scope, url)
    scope.route({
      method,
      url,
      config: { path: url.replace(':id', '{id}') },
      onRequest: async (request, reply) => server.enter(request, reply, name),
      handler: async (request, reply) => server.answer(request, reply, name),
    })
  }
}

/** Routes of a method. */
type LibraryRoutes = readonly ['GET' | 'POST', readonly (readonly [url: string, name: LimitedRequest])[]]

/** Where browsers are sent. */
const visited: LibraryRoutes = [
  'GET',
  [
    [oauthPaths.authorize, 'authorize'],
    [`${oauthPaths.authorize}/:id`, 'authorize'],
  ],
]
/** What clients call, from pages too. */
const called: LibraryRoutes = [
  'POST',
  [
    [oauthPaths.token, 'token'],
    [oauthPaths.register, 'register'],
    [oauthPaths.revoke, 'revoke'],
  ],
]

/** Adds the pages. */
function addPages(scope: FastifyInstance, server: OAuthServer): void {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: formBytes } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => done(null, body))
  const url = `${oauthPaths.consent}/:id`
  const add = (method: 'GET' | 'POST', handler: RouteHandlerMethod) =>
    scope.route({
      method,
      url,
      config: { path: `${oauthPaths.consent}/{id}` },
      onRequest: async (request, reply) => server.enter(request, reply, undefined),
      handler,
    })
  add('GET', async (request, reply) => server.consent.show({ request, reply }))
  add('POST', async (request, reply) => server.consent.submit({ request, reply }))
}

/**
 * Mounts the authorization server. Nothing of the library is loaded before the first request.
 * @param http sends requests for metadata documents of clients; default: to public addresses only
 */
export function mountOAuth(app: FastifyInstance, services: Services, http?: DocumentHttp): void {
  const issuer = findIssuer(services.settings)
  if (issuer === undefined) return
  const server = new OAuthServer(services, issuer, http)
  app.register((scope, _options, done) => {
    addLibraryRoutes(scope, server, visited)
    scope.addHook('onClose', () => server.close())
    done()
  })
  app.register((scope, _options, done) => {
    openToPages(scope, server.door)
    addLibraryRoutes(scope, server, called)
    done()
  })
  app.register((scope, _options, done) => {
    addPages(scope, server)
    done()
  })
}
