/** Metadata of the authorization server (RFC 8414). It is stated here, so that reading it loads no library. */
import { fail } from 'ferrule/internal'
import { mcpScopes } from 'ferrule/wire'
import { findSafeAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import type { OpenRoute } from '../route.ts'

/** Settings that the address depends on. */
type OAuthSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'mcpOAuth' | 'role'>

/** Paths below the address of the service. */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  consent: '/oauth/consent',
} as const

/**
 * Returns the issuer: the address of the service. A person types a secret there, so it is https, or on this machine.
 * @returns undefined: the service has no authorization server
 */
export function findIssuer(settings: OAuthSettings): string | undefined {
  if (!settings.mcpOAuth || settings.role === 'worker') return undefined
  return findSafeAddress(settings)
}

/** Returns the path of the issuer, without a slash at its end. */
export const readIssuerPath = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')

const path = '/.well-known/oauth-authorization-server'
/** Lifetime of the document in caches, in seconds. */
const cacheSeconds = 300

/** Builds the document. */
export const buildServerMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${oauthPaths.authorize}`,
  token_endpoint: `${issuer}${oauthPaths.token}`,
  registration_endpoint: `${issuer}${oauthPaths.register}`,
  revocation_endpoint: `${issuer}${oauthPaths.revoke}`,
  scopes_supported: mcpScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})

/** The document. */
export const authorizationServer: OpenRoute = {
  method: 'GET',
  path,
  auth: 'none',
  isForPages: true,
  answer: (_exchange, { settings }) => {
    const issuer = findIssuer(settings)
    if (issuer === undefined)
      throw fail(
        'not_found',
        { method: 'GET', path },
        { hint: 'The operator sets FERRULE_PUBLIC_URL, the https address that clients use, and leaves FERRULE_MCP_OAUTH on.' },
      )
    const headers = { 'cache-control': `public, max-age=${cacheSeconds}` }
    return { content: JSON.stringify(buildServerMetadata(issuer)), type: 'application/json; charset=utf-8', headers }
  },
}
