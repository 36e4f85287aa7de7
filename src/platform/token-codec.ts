/** Bearer tokens as JWT (RFC 7519), signed with HS256 by a key that is derived from the master key. */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { fail } from '../errors.ts'
import type { MasterKeys } from './master-key.ts'
import { parseScopes, type Scope } from './scopes.ts'

/** What a token says. */
export interface Claims {
  readonly applicationId: string
  /** The one organization of the token; null: each request names one. */
  readonly organizationId: string | null
  /** Of a token for several organizations: the one of requests that name none; null: each request has to. */
  readonly usualOrganizationId: string | null
  /** The one workspace of a scoped token. */
  readonly workspaceId: string | null
  readonly scopes: readonly Scope[]
  /** Seconds since 1970. */
  readonly expires: number
}

/** Signs and verifies tokens. */
export interface TokenCodec {
  sign(claims: Claims): Promise<string>
  /** @throws FerruleError `invalid_token`, `token_expired` */
  verify(token: string): Promise<Claims>
}

const party = 'ferrule'
const algorithm = 'HS256'
const invalid = (cause?: unknown) => fail('invalid_token', {}, { cause })

function keyIdOf(token: string): string {
  try {
    return decodeProtectedHeader(token).kid ?? ''
  } catch (error) {
    throw invalid(error)
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function claimsOf(payload: JWTPayload): Claims {
  const found = parseScopes(text(payload['scope']) ?? '')
  if (payload.sub === undefined || payload.exp === undefined || found === undefined) throw invalid()
  return {
    applicationId: payload.sub,
    organizationId: text(payload['organization_id']),
    usualOrganizationId: text(payload['usual_organization_id']),
    workspaceId: text(payload['workspace_id']),
    scopes: found,
    expires: payload.exp,
  }
}

/**
 * Builds the codec.
 * @param clock milliseconds since 1970
 */
export const createTokenCodec = (masterKeys: MasterKeys, clock: () => number): TokenCodec => ({
  sign: ({ applicationId, organizationId, usualOrganizationId, workspaceId, scopes, expires }) => {
    const { id, signing } = masterKeys.current()
    const place = {
      ...(organizationId === null ? {} : { organization_id: organizationId }),
      ...(usualOrganizationId === null ? {} : { usual_organization_id: usualOrganizationId }),
      ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
    }
    return new SignJWT({ ...place, scope: scopes.join(' ') })
      .setProtectedHeader({ alg: algorithm, kid: id, typ: 'JWT' })
      .setIssuer(party)
      .setAudience(party)
      .setSubject(applicationId)
      .setIssuedAt(Math.floor(clock() / 1_000))
      .setExpirationTime(expires)
      .sign(signing)
  },
  verify: async (token) => {
    const key = masterKeys.find(keyIdOf(token))
    if (key === undefined) throw invalid()
    const rules = { issuer: party, audience: party, algorithms: [algorithm], currentDate: new Date(clock()) }
    try {
      return claimsOf((await jwtVerify(token, key.signing, rules)).payload)
    } catch (error) {
      throw error instanceof errors.JWTExpired ? fail('token_expired', {}, { cause: error }) : invalid(error)
    }
  },
})
