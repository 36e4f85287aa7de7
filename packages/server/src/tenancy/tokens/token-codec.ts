/** Signs and verifies bearer tokens: JWT (RFC 7519) with HS256, by a key derived from the master key. */

import { fail } from 'ferrule/internal'
import type { JWTPayload } from 'jose'
import { parseScopes, type Scope } from '../../values/scopes.ts'
import type { MasterKeys } from '../vault/master-key.ts'

/** Claims of a token. */
export interface TokenClaims {
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

/** Signs and verifies tokens. */
export interface TokenCodec {
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

/**
 * Builds the codec.
 * @param clock milliseconds since 1970
 */
export const createTokenCodec = (masterKeys: MasterKeys, clock: () => number): TokenCodec => ({
  sign: async ({ applicationId, organizationId, usualOrganizationId, workspaceId, scopes, secretMark, expires }) => {
    const { id, signing } = masterKeys.current()
    const place = {
      ...(organizationId === null ? {} : { organization_id: organizationId }),
      ...(usualOrganizationId === null ? {} : { usual_organization_id: usualOrganizationId }),
      ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
      ...(secretMark === null ? {} : { secret_mark: secretMark }),
    }
    const { SignJWT } = await loadJose()
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
