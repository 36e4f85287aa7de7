/** Bearer tokens: issued to applications and for workspaces, and turned into principals. */
import { validationFailed } from '../engine/credentials.ts'
import { fail } from '../errors.ts'
import { bodies, readBody, requiredWorkspaceName } from './bodies.ts'
import { BoundedMap } from './bounded-map.ts'
import { ClientChecks } from './client-checks.ts'
import { findApplication, grantedOrganizations, isGranted } from './db/queries-applications.ts'
import { findWorkspace } from './db/queries-workspaces.ts'
import { asId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { TokenAnswer } from './records.ts'
import { parseScopes, requireScope, type Scope, scopedTokenScopes, scopes } from './scopes.ts'
import { type Claims, createTokenCodec, type TokenCodec } from './token-codec.ts'
import type { Caller, Principal, TokenRequest, Tokens } from './types.ts'
import { workspaceFor } from './workspace-keeper.ts'

/** Seconds. The published client library uses a token for 840 seconds without looking. */
const applicationTokenSeconds = 900
const scopedTokenSeconds = 1_200
/** Tokens whose verification is remembered: about 5 MB. */
const rememberedTokens = 10_000

/** A verified token. */
interface Verified {
  readonly claims: Claims
  readonly scopes: ReadonlySet<Scope>
  /** Of a token that names its organization. */
  readonly principal: Principal | undefined
  /** Of requests that name no organization. */
  readonly unnamed: Principal | undefined
}

interface TokenParts extends Parts {
  readonly codec: TokenCodec
  readonly checks: ClientChecks
}

/** Builds the service. */
export function createTokens(parts: Parts): Tokens {
  const codec = createTokenCodec(parts.masterKeys, parts.source.clock)
  const all: TokenParts = { ...parts, codec, checks: new ClientChecks({ steady: parts.steady }) }
  const verify = verifier(all)
  return {
    issueApplicationToken: (request) => issueApplicationToken(all, request),
    issueScopedToken: (principal, body) => issueScopedToken(all, principal, body),
    scopedTokenInfo: (principal) => scopedTokenInfo(parts, principal),
    authenticate: async (bearer, header) => {
      const verified = await verify(bearer)
      if (header === undefined && verified.unnamed !== undefined) return verified.unnamed
      return inOrganization(parts, verified, header)
    },
    authenticateCaller: async (bearer) => {
      const { claims, scopes: held } = await verify(bearer)
      return callerOf(claims, held)
    },
  }
}

const callerOf = ({ applicationId, workspaceId }: Claims, held: ReadonlySet<Scope>): Caller => ({
  kind: workspaceId === null ? 'application' : 'scoped',
  applicationId,
  scopes: held,
})

/** Verifying costs about 0.1 ms, so its outcome is kept until the token ends. */
function verifier({ codec, source }: TokenParts): (bearer: string | undefined) => Promise<Verified> {
  const remembered = new BoundedMap<string, Verified>(rememberedTokens)
  return async (bearer) => {
    if (bearer === undefined || bearer === '') throw fail('missing_token', {})
    const known = remembered.get(bearer)
    if (known !== undefined && known.claims.expires * 1_000 > source.clock()) return known
    const claims = await codec.verify(bearer)
    const held = new Set(claims.scopes)
    const { organizationId, usualOrganizationId, workspaceId } = claims
    const within = (id: string | null) => (id === null ? undefined : { ...callerOf(claims, held), organizationId: id, workspaceId })
    const principal = within(organizationId)
    const verified = { claims, scopes: held, principal, unnamed: principal ?? within(usualOrganizationId) }
    remembered.set(bearer, verified)
    return verified
  }
}

function organizationOf(header: string): string {
  const id = asId(header)
  if (id === undefined) throw validationFailed([{ field: 'X-Organization-Id', message: 'must be a UUID', error_code: 'format' }])
  return id
}

async function inOrganization(
  { database }: Parts,
  { claims, scopes: held, principal }: Verified,
  header: string | undefined,
): Promise<Principal> {
  if (header === undefined) throw fail('organization_required', {})
  const organizationId = organizationOf(header)
  if (principal?.organizationId === organizationId) return principal
  if (principal !== undefined || !(await isGranted(database.db, claims.applicationId, organizationId)))
    throw fail('organization_forbidden', {})
  return { ...callerOf(claims, held), organizationId, workspaceId: null }
}

const storable = (clientId: string): boolean => clientId.length <= 256 && !clientId.includes('\u0000')

async function issueApplicationToken(parts: TokenParts, request: TokenRequest): Promise<TokenAnswer> {
  const named = request.organizationId === undefined ? undefined : organizationOf(request.organizationId)
  const narrowed = request.scope === undefined ? undefined : parseScopes(request.scope)
  if (request.scope !== undefined && narrowed === undefined)
    throw validationFailed([{ field: '/scope', message: `must be some of: ${scopes.join(' ')}`, error_code: 'enum' }])
  const application = await authenticatedApplication(parts, request)
  const organizations = await organizationsFor(parts, application, named)
  const expires = Math.floor(parts.source.clock() / 1_000) + applicationTokenSeconds
  const claims = { applicationId: application, ...organizations, workspaceId: null, scopes: narrowed ?? scopes, expires }
  return {
    access_token: await parts.codec.sign(claims),
    token_type: 'bearer',
    expires_in: applicationTokenSeconds,
    organization_id: organizations.organizationId ?? organizations.usualOrganizationId,
    ...(narrowed === undefined ? {} : { scope: narrowed.join(' ') }),
  }
}

async function authenticatedApplication({ database, checks }: TokenParts, request: TokenRequest): Promise<string> {
  const { clientId } = request
  const application = storable(clientId) ? await findApplication(database.db, clientId) : undefined
  await checks.check(request, application?.secret_hash)
  if (application === undefined) throw fail('invalid_client', {})
  return application.id
}

/**
 * The organization that a new token is bound to: the named one, else the only one. Else the token reaches all of the application's, and
 * requests that name none are for the one that it had before it made others itself, as they were before: whoever makes an
 * organization is not locked out of the one that it works in.
 */
async function organizationsFor(
  { database }: Parts,
  applicationId: string,
  named: string | undefined,
): Promise<Pick<Claims, 'organizationId' | 'usualOrganizationId'>> {
  if (named !== undefined) {
    if (!(await isGranted(database.db, applicationId, named))) throw fail('organization_forbidden', {})
    return { organizationId: named, usualOrganizationId: null }
  }
  const reached = await grantedOrganizations(database.db, applicationId)
  const [only, ...more] = reached
  if (only !== undefined && more.length === 0) return { organizationId: only.id, usualOrganizationId: null }
  const [had, ...others] = reached.filter(({ own }) => own === 0)
  return { organizationId: null, usualOrganizationId: others.length === 0 ? (had?.id ?? null) : null }
}

async function issueScopedToken(parts: TokenParts, principal: Principal, body: unknown): Promise<{ token: string; expires_in: number }> {
  requireScope(principal, 'workspaces:write')
  const name = requiredWorkspaceName(readBody(bodies.scopedToken, body))
  const held = scopedTokenScopes.filter((scope) => principal.scopes.has(scope))
  if (held.length === 0) throw fail('insufficient_scope', { scope: scopedTokenScopes.join(' or ') })
  const { applicationId, organizationId } = principal
  if (!(await isGranted(parts.database.db, applicationId, organizationId))) throw fail('organization_forbidden', {})
  const workspace = await parts.database.transaction((db) => workspaceFor(parts, db, { principal, name, make: true }))
  const token = await parts.codec.sign({
    applicationId,
    organizationId,
    usualOrganizationId: null,
    workspaceId: workspace.id,
    scopes: held,
    expires: Math.floor(parts.source.clock() / 1_000) + scopedTokenSeconds,
  })
  return { token, expires_in: scopedTokenSeconds }
}

async function scopedTokenInfo({ database }: Parts, principal: Principal) {
  if (principal.workspaceId === null)
    throw fail(
      'insufficient_scope',
      { scope: 'of one workspace' },
      { hint: 'Use a token of POST /api/v1/account/applications/scoped-token.' },
    )
  const workspace = await findWorkspace(database.db, principal, principal.workspaceId)
  if (workspace === undefined) throw fail('workspace_not_found', {})
  return { organization_id: principal.organizationId, workspace_id: workspace.id, workspace_name: workspace.name }
}
