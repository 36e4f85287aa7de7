/** Builds the authorization server from the library: authorization codes with S256 and refresh tokens, for public clients, nothing else. */
import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { mcpScopes } from 'ferrule/wire'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import type { OAuth } from '../../tenancy/oauth/oauth-types.ts'
import { buildPageHeaders } from '../html/page.ts'
import { createAdapters, operator } from './adapter.ts'
import { oauthPaths, readIssuerPath } from './address.ts'
import { fitClient } from './clients.ts'
import { documentBytes } from './documents.ts'
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

/** What the server is built from. */
export interface ProviderParts {
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
 * again within a minute gets the same ones. The library has no documented place for either.
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
export async function createProvider(parts: ProviderParts): Promise<Provider> {
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
