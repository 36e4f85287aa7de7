/** Metadata of the authorization server (RFC 8414). It is stated here, so that reading it loads no library. */
import { fail } from 'ferrule/internal'
import { mcpScopes } from 'ferrule/wire'
import type { OpenRoute } from '../route.ts'
import { findIssuer, oauthPaths } from './address.ts'

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
