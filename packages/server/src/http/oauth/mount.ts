/** Mounts the authorization server: its door, the library behind it, and the pages. */
import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { Http } from 'ferrule/internal'
import { defaultMcpScopes, type McpScope, mcpScopes } from 'ferrule/wire'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { listMcpAddresses } from '../../main/settings/own-address.ts'
import type { OAuth } from '../../tenancy/oauth/oauth.ts'
import { type LimitedRequest, OAuthLimits } from '../address-limits.ts'
import { buildPageHeaders } from '../html/frame.ts'
import { addPreflight, createDoor, type Door, openToPages } from '../mcp/doors.ts'
import type { Services } from '../route.ts'
import { createAdapters, operator } from './adapter.ts'
import { fitClient } from './clients.ts'
import { Consent } from './consent.ts'
import { createDocumentFetch, type DocumentHttp, documentBytes } from './documents.ts'
import { findIssuer, oauthPaths, readIssuerPath } from './metadata.ts'
import { buildErrorPage } from './pages.ts'

/** Lifetimes in seconds. A refresh token ends with its grant, whose row decides. */
const lifetimes = {
  AccessToken: 3_600,
  AuthorizationCode: 60,
  Interaction: 600,
  Session: 600,
  RefreshToken: 365 * 24 * 60 * 60,
  Grant: 365 * 24 * 60 * 60,
} as const

/** Bytes of refresh tokens and their seeds. */
const seedBytes = 32

interface ProviderParts {
  readonly issuer: string
  /** Forms of the address of the MCP endpoint; the first one is that of tokens. */
  readonly resources: readonly string[]
  readonly oauth: OAuth
  readonly fetch: (input: string | URL | Request) => Promise<Response>
  readonly logger: Logger
}

type Library = typeof import('oidc-provider')

/** Finds the grant that an operator made in this authorization; undefined before. */
const findGrantId = ({ oidc }: KoaContextWithOIDC): string | undefined => oidc.result?.consent?.grantId

/** Each authorization asks an operator: nobody stays signed in, and no grant is used twice. */
function buildPolicy({ interactionPolicy: { Check, Prompt } }: Library) {
  const details = ({ oidc }: KoaContextWithOIDC) => ({ client_name: oidc.client?.clientName })
  const isOpen = (context: KoaContextWithOIDC) => findGrantId(context) === undefined
  const check = new Check('not_granted', 'an operator has to agree', 'consent_required', isOpen)
  return [
    new Prompt({ name: 'login', requestable: true }, details),
    new Prompt({ name: 'select_account', requestable: true }, details),
    new Prompt({ name: 'consent', requestable: true }, details, check),
  ]
}

const off = { enabled: false } as const

function buildFeatures({ errors }: Library, { resources }: ProviderParts): NonNullable<Configuration['features']> {
  const [resource = ''] = resources
  return {
    devInteractions: off,
    userinfo: off,
    rpInitiatedLogout: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    claimsParameter: off,
    introspection: off,
    clientCredentials: off,
    deviceFlow: off,
    requestObjects: off,
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    rpMetadataChoices: { enabled: true }, // ChatGPT's document prefers a signed assertion, and takes `none` too
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, asked) => {
        if (!resources.includes(asked)) throw new errors.InvalidTarget(`the only resource is ${resource}`)
        return { scope: mcpScopes.join(' '), audience: resource, accessTokenTTL: lifetimes.AccessToken, accessTokenFormat: 'opaque' }
      },
    },
  }
}

function buildCookies({ issuer, oauth }: ProviderParts): NonNullable<Configuration['cookies']> {
  // Lax: the client's redirect to the first page comes from another site.
  const common = { httpOnly: true, sameSite: 'lax', signed: true, secure: issuer.startsWith('https:'), overwrite: true } as const
  return {
    keys: [...oauth.cookieKeys()],
    names: { session: 'ferrule_oauth_request', interaction: 'ferrule_oauth_consent', resume: 'ferrule_oauth_resume' },
    long: { ...common, path: `${readIssuerPath(issuer)}/oauth` },
    short: common,
  }
}

/** Creates a key for ID tokens. The library refuses clients without one; nobody can ask for such a token, because no scope gives it. */
const createIdleKey = () => ({ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256' })

function buildConfiguration(library: Library, parts: ProviderParts): Configuration {
  const { issuer, oauth, resources, fetch } = parts
  const { errors } = library
  return {
    adapter: createAdapters({ oauth, resources, errors }),
    clientAuthMethods: ['none'],
    clientDefaults: {
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    claims: {},
    clientBasedCORS: () => true, // the door has checked the origin
    cookies: buildCookies(parts),
    expiresWithSession: () => false, // there are no sessions
    extraClientMetadata: {
      properties: ['software_id'], // one name, so that the check runs once
      validator: (...[, , , metadata]) => fitClient(errors, metadata),
    },
    features: buildFeatures(library, parts),
    fetch,
    fetchResponseBodyLimits: { 'client_id metadata document': documentBytes },
    findAccount: (_context, id) => (id === operator ? { accountId: id, claims: async () => ({ sub: id }) } : undefined),
    interactions: { policy: buildPolicy(library), url: (_context, { uid }) => `${issuer}${oauthPaths.consent}/${uid}` },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [createIdleKey()] },
    loadExistingGrant: (context) => {
      const id = findGrantId(context)
      return id === undefined ? undefined : context.oidc.provider.Grant.find(id)
    },
    pkce: { required: () => true },
    renderError: (context, { error, error_description: reason }) => {
      context.type = 'html'
      context.set(buildPageHeaders())
      context.body = buildErrorPage(reason ?? error)
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
    },
    scopes: [...mcpScopes],
    ttl: lifetimes,
  }
}

/** A token of the library, as far as its id is formed here. */
interface FormedToken {
  format?: string | undefined
  scope?: string | undefined
  /** Secret of a refresh token that its successors come from. */
  seed?: string | undefined
}

const deriveId = (seed: string): string =>
  Buffer.from(hkdfSync('sha256', seed, '', 'ferrule refresh token', seedBytes)).toString('base64url')

/**
 * Forms access tokens that the MCP endpoint accepts, and the tokens of a refresh from the seed of the token that is used: whoever sends it
 * again within a minute gets the same ones. The library has no documented hook for either.
 */
function formTokens(library: Library, { AccessToken, RefreshToken }: Provider, oauth: OAuth): void {
  const findSeed = (): string | undefined => {
    const rotated: FormedToken | undefined = library.Provider.ctx?.oidc.entities.RotatedRefreshToken
    return rotated?.seed
  }
  const names = [...RefreshToken.IN_PAYLOAD, 'seed' satisfies keyof FormedToken]
  Object.defineProperty(RefreshToken, 'IN_PAYLOAD', { value: names })
  Object.assign(RefreshToken.prototype, {
    generateTokenId(this: FormedToken): string {
      const seed = findSeed()
      this.seed = randomBytes(seedBytes).toString('base64url')
      return seed === undefined ? randomBytes(seedBytes).toString('base64url') : deriveId(seed)
    },
  })
  Object.assign(AccessToken.prototype, {
    generateTokenId(this: FormedToken): string {
      this.format = 'opaque'
      const seed = findSeed()
      return oauth.newAccessToken(seed === undefined ? undefined : `${seed} ${this.scope}`)
    },
  })
}

/** Loads the library and builds the server. The import takes a fifth of a second and 35 MB, so the first request of a client pays it. */
async function createProvider(parts: ProviderParts): Promise<Provider> {
  const library = await import('oidc-provider')
  const provider = new library.Provider(parts.issuer, buildConfiguration(library, parts))
  provider.proxy = true // the door writes the forwarded headers itself, from the settings
  formTokens(library, provider, parts.oauth)
  const report = (err: unknown) => parts.logger.error({ err }, 'a request of OAuth failed')
  provider.on('server_error', (_context, err: unknown) => report(err))
  const app: EventEmitter = provider // without a listener the web framework prints errors itself
  app.on('error', report)
  return provider
}

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

class OAuthServer {
  readonly #services: Services
  readonly #issuer: string
  readonly #resources: readonly string[]
  readonly #limits: OAuthLimits
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
