/** Issues bearer tokens to applications and for workspaces, and turns tokens into principals. */
import { BoundedMap, fail } from 'ferrule/internal'
import { scopedTokenRequest, type TokenAnswer } from 'ferrule/wire'
import type { JWTPayload } from 'jose'
import type { Parts } from '../../main/parts.ts'
import {
  type Caller,
  type Principal,
  parseScopes,
  requireScope,
  type Scope,
  scopedTokenScopes,
  scopes,
  viewOrganization,
} from '../../values/access.ts'
import { asId } from '../../values/ids.ts'
import { failField, readBody, requireWorkspaceName } from '../../values/read.ts'
import { createSecretCheck, markSecret } from '../applications/client-secret.ts'
import { refuseDeleted } from '../applications/live-client.ts'
import { findApplication, isGranted, listGrantedOrganizations } from '../sql/applications.ts'
import { existenceQuery, findWorkspace } from '../sql/organizations.ts'
import type { MasterKeys } from '../vault/master-key.ts'
import { ensureWorkspace } from '../workspaces/workspace-keeper.ts'
import { isMcpToken, refuseMcpToken } from './mcp-tokens.ts'
import type { ClientCredentials, TokenRequest, Tokens } from './token-types.ts'

/** Lifetimes in seconds. The published client library uses a token for 840 seconds without checking it. */
const applicationTokenSeconds = 900
const scopedTokenSeconds = 1_200
/** Maximum number of remembered verified tokens, about 5 MB. */
const rememberedTokens = 10_000

interface Verified {
  readonly claims: TokenClaims
  readonly scopes: ReadonlySet<Scope>
  /** Principal of a token that names its organization. */
  readonly principal: Principal | undefined
  /** Principal of requests without an organization. */
  readonly unnamed: Principal | undefined
}

interface TokenParts extends Parts {
  readonly codec: TokenCodec
  readonly checkSecret: ReturnType<typeof createSecretCheck>
}

/** Builds the service. */
export function createTokens(parts: Parts): Tokens {
  const codec = createTokenCodec(parts.masterKeys, parts.source.clock)
  const all: TokenParts = { ...parts, codec, checkSecret: createSecretCheck() }
  const verify = createVerifier(all)
  const isExisting = existenceQuery(parts.database.db)
  return {
    issueApplicationToken: (request) => issueApplicationToken(all, request),
    checkClient: async (request) => {
      const { id: applicationId, secretMark } = await authenticateApplication(all, request)
      return { applicationId, secretMark }
    },
    issueScopedToken: (principal, body) => issueScopedToken(all, principal, body),
    scopedTokenInfo: (principal) => scopedTokenInfo(parts, principal),
    authenticate: async (bearer, header, isProvenLater = false) => {
      const verified = await verify(bearer)
      const known = findKnownPrincipal(verified, header)
      if (known === undefined) return findGrantedPrincipal(parts, verified, header)
      if (!isProvenLater && !(await isExisting(known.organizationId))) throw refuseDeleted()
      return known
    },
    authenticateCaller: async (bearer) => {
      const { claims, scopes: held } = await verify(bearer)
      return toCaller(claims, held)
    },
  }
}

const toCaller = ({ applicationId, organizationId, workspaceId, expires, secretMark }: TokenClaims, held: ReadonlySet<Scope>): Caller => ({
  kind: workspaceId === null ? 'application' : 'scoped',
  applicationId,
  organizationId,
  scopes: held,
  token: { id: null, expiresAt: expires * 1_000, secretMark },
})

/** Builds the verifier. A verification costs about 0.1 ms, so it is cached until the token expires. */
function createVerifier({ codec, source, settings }: TokenParts): (bearer: string | undefined) => Promise<Verified> {
  const remembered = new BoundedMap<string, Verified>(rememberedTokens)
  return async (bearer) => {
    if (bearer === undefined || bearer === '') throw fail('missing_token', {})
    const known = remembered.get(bearer)
    if (known !== undefined && known.claims.expires * 1_000 > source.clock()) return known
    if (isMcpToken(bearer)) throw refuseMcpToken(settings)
    const claims = await codec.verify(bearer)
    const held = new Set(claims.scopes)
    const { organizationId, usualOrganizationId, workspaceId } = claims
    const workspaceIds = workspaceId === null ? null : [workspaceId]
    const within = (id: string | null) => (id === null ? undefined : { ...toCaller(claims, held), ...viewOrganization(id), workspaceIds })
    const principal = within(organizationId)
    const verified = { claims, scopes: held, principal, unnamed: principal ?? within(usualOrganizationId) }
    remembered.set(bearer, verified)
    return verified
  }
}

function readOrganizationId(header: string): string {
  const id = asId(header)
  if (id === undefined) throw failField('X-Organization-Id', 'must be a UUID', 'format')
  return id
}

/** Returns the principal of the organization that the token names, unless the header names another one. */
const findKnownPrincipal = ({ principal, unnamed }: Verified, header: string | undefined): Principal | undefined => {
  if (header === undefined) return unnamed
  return principal?.organizationId === readOrganizationId(header) ? principal : undefined
}

async function findGrantedPrincipal(
  { database }: Pick<Parts, 'database'>,
  { claims, scopes: held, principal }: Verified,
  header: string | undefined,
): Promise<Principal> {
  if (header === undefined) throw fail('organization_required', {})
  const organizationId = readOrganizationId(header)
  if (principal !== undefined || !(await isGranted(database.db, claims.applicationId, organizationId)))
    throw fail('organization_forbidden', {})
  return { ...toCaller(claims, held), ...viewOrganization(organizationId) }
}

const isStorable = (clientId: string): boolean => clientId.length <= 256 && !clientId.includes('\u0000')

/**
 * Enters an organization as an application that no token names: the one of the header, else the one that a token would have.
 * @throws FerruleError `organization_required`, `organization_forbidden`, `validation_failed`
 */
export async function enterOrganization(
  { database }: Pick<Parts, 'database'>,
  caller: Caller,
  header: string | undefined,
): Promise<Principal> {
  const named = header === undefined ? undefined : readOrganizationId(header)
  const { organizationId, usualOrganizationId } = await findTokenOrganizations({ database }, caller.applicationId, named)
  const found = organizationId ?? usualOrganizationId
  if (found === null) throw fail('organization_required', {})
  return { ...caller, ...viewOrganization(found) }
}

async function issueApplicationToken(parts: TokenParts, request: TokenRequest): Promise<TokenAnswer> {
  const named = request.organizationId === undefined ? undefined : readOrganizationId(request.organizationId)
  const narrowed = request.scope === undefined ? undefined : parseScopes(request.scope)
  if (request.scope !== undefined && narrowed === undefined) throw failField('/scope', `must be some of: ${scopes.join(' ')}`, 'enum')
  const { id: applicationId, secretMark } = await authenticateApplication(parts, request)
  const organizations = await findTokenOrganizations(parts, applicationId, named)
  const expires = Math.floor(parts.source.clock() / 1_000) + applicationTokenSeconds
  const claims = { applicationId, secretMark, ...organizations, workspaceId: null, scopes: narrowed ?? scopes, expires }
  return {
    access_token: await parts.codec.sign(claims),
    token_type: 'bearer',
    expires_in: applicationTokenSeconds,
    organization_id: organizations.organizationId ?? organizations.usualOrganizationId,
    ...(narrowed === undefined ? {} : { scope: narrowed.join(' ') }),
  }
}

async function authenticateApplication(
  { database, checkSecret }: TokenParts,
  { clientId, clientSecret }: ClientCredentials,
): Promise<{ id: string; secretMark: string }> {
  const application = isStorable(clientId) ? await findApplication(database.db, clientId) : undefined
  await checkSecret(clientSecret, application?.secret_hash)
  if (application === undefined) throw fail('invalid_client', {})
  return { id: application.id, secretMark: markSecret(application.secret_hash) }
}

/**
 * Returns the organization of a new token: the named one, else the only one. Otherwise the token reaches all organizations of the
 * application. Requests without an organization then use the one that the application did not create itself. So creating an organization
 * does not lock a client out of its old one.
 */
async function findTokenOrganizations(
  { database }: Pick<Parts, 'database'>,
  applicationId: string,
  named: string | undefined,
): Promise<Pick<TokenClaims, 'organizationId' | 'usualOrganizationId'>> {
  if (named !== undefined) {
    if (!(await isGranted(database.db, applicationId, named))) throw fail('organization_forbidden', {})
    return { organizationId: named, usualOrganizationId: null }
  }
  const reached = await listGrantedOrganizations(database.db, applicationId)
  const [only, ...more] = reached
  if (only !== undefined && more.length === 0) return { organizationId: only.id, usualOrganizationId: null }
  const [had, ...others] = reached.filter(({ own }) => own === 0)
  return { organizationId: null, usualOrganizationId: others.length === 0 ? (had?.id ?? null) : null }
}

async function issueScopedToken(parts: TokenParts, principal: Principal, body: unknown): Promise<{ token: string; expires_in: number }> {
  requireScope(principal, 'workspaces:write')
  const name = requireWorkspaceName(readBody(scopedTokenRequest, body))
  const held = scopedTokenScopes.filter((scope) => principal.scopes.has(scope))
  if (held.length === 0) throw fail('insufficient_scope', { scope: scopedTokenScopes.join(' or ') })
  const { applicationId, organizationId } = principal
  if (!(await isGranted(parts.database.db, applicationId, organizationId))) throw fail('organization_forbidden', {})
  const workspace = await parts.database.transaction((db) => ensureWorkspace(parts, db, { principal, name, make: true }))
  const token = await parts.codec.sign({
    applicationId,
    organizationId,
    usualOrganizationId: null,
    workspaceId: workspace.id,
    scopes: held,
    secretMark: principal.token.secretMark,
    expires: Math.floor(parts.source.clock() / 1_000) + scopedTokenSeconds,
  })
  return { token, expires_in: scopedTokenSeconds }
}

async function scopedTokenInfo({ database }: Pick<Parts, 'database'>, principal: Principal) {
  const [workspaceId] = principal.workspaceIds ?? []
  if (workspaceId === undefined)
    throw fail(
      'insufficient_scope',
      { scope: 'of one workspace' },
      { hint: 'Use a token of POST /api/v1/account/applications/scoped-token.' },
    )
  const workspace = await findWorkspace(database.db, principal, workspaceId)
  if (workspace === undefined) throw fail('workspace_not_found', {})
  return { organization_id: principal.organizationId, workspace_id: workspace.id, workspace_name: workspace.name }
}

/** Signs and verifies bearer tokens: JWT (RFC 7519) with HS256, by a key derived from the master key. */

interface TokenClaims {
  readonly applicationId: string
  /** The only organization of the token; null when each request names one. */
  readonly organizationId: string | null
  /** Default organization of a token for several organizations; null when each request must name one. */
  readonly usualOrganizationId: string | null
  /** The only workspace of a scoped token; null for an application token. */
  readonly workspaceId: string | null
  readonly scopes: readonly Scope[]
  /** Mark of the client secret that the token goes back to; null in tokens of older versions. */
  readonly secretMark: string | null
  /** Seconds since 1970. */
  readonly expires: number
}

interface TokenCodec {
  sign(claims: TokenClaims): Promise<string>
  /** @throws FerruleError `invalid_token`, `token_expired` */
  verify(token: string): Promise<TokenClaims>
}

type Jose = typeof import('jose')

let loaded: Promise<Jose> | undefined

/** Loads jose with the first token: its 46 files are a tenth of a start. */
const loadJose = (): Promise<Jose> => {
  loaded ??= import('jose')
  return loaded
}

const party = 'ferrule'
const algorithm = 'HS256'
const invalid = (cause?: unknown) => fail('invalid_token', { reason: 'it was not issued by this service' }, { cause })

function readKeyId({ decodeProtectedHeader }: Jose, token: string): string {
  try {
    return decodeProtectedHeader(token).kid ?? ''
  } catch (error) {
    throw invalid(error)
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function readClaims(payload: JWTPayload): TokenClaims {
  const found = parseScopes(text(payload['scope']) ?? '')
  if (payload.sub === undefined || payload.exp === undefined || found === undefined) throw invalid()
  return {
    applicationId: payload.sub,
    organizationId: text(payload['organization_id']),
    usualOrganizationId: text(payload['usual_organization_id']),
    workspaceId: text(payload['workspace_id']),
    scopes: found,
    secretMark: text(payload['secret_mark']),
    expires: payload.exp,
  }
}

const createTokenCodec = (masterKeys: MasterKeys, clock: () => number): TokenCodec => ({
  sign: async ({ applicationId, organizationId, usualOrganizationId, workspaceId, scopes, secretMark, expires }) => {
    const { id, signing } = masterKeys.current()
    const claims = {
      ...(organizationId === null ? {} : { organization_id: organizationId }),
      ...(usualOrganizationId === null ? {} : { usual_organization_id: usualOrganizationId }),
      ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
      ...(secretMark === null ? {} : { secret_mark: secretMark }),
    }
    const { SignJWT } = await loadJose()
    return new SignJWT({ ...claims, scope: scopes.join(' ') })
      .setProtectedHeader({ alg: algorithm, kid: id, typ: 'JWT' })
      .setIssuer(party)
      .setAudience(party)
      .setSubject(applicationId)
      .setIssuedAt(Math.floor(clock() / 1_000))
      .setExpirationTime(expires)
      .sign(signing)
  },
  verify: async (token) => {
    const jose = await loadJose()
    const key = masterKeys.find(readKeyId(jose, token))
    if (key === undefined) throw invalid()
    const rules = { issuer: party, audience: party, algorithms: [algorithm], currentDate: new Date(clock()) }
    try {
      return readClaims((await jose.jwtVerify(token, key.signing, rules)).payload)
    } catch (error) {
      throw error instanceof jose.errors.JWTExpired ? fail('token_expired', {}, { cause: error }) : invalid(error)
    }
  },
})
