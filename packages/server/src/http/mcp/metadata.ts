/** Metadata of the MCP endpoint as a protected resource (RFC 9728). */
import { fail } from 'ferrule/internal'
import { mcpScopes } from 'ferrule/wire'
import { listensOnLoopback, type McpPath, nameMcpAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { findIssuer } from '../oauth/metadata.ts'
import type { OpenRoute } from '../route.ts'

/** Path of the document, before that of the endpoint. */
const metadataPath = '/.well-known/oauth-protected-resource'
/** Lifetime of the document in caches, in seconds. */
const cacheSeconds = 300

type AddressSettings = Pick<Settings, 'publicUrl' | 'host' | 'port'>

/**
 * Returns the address of the metadata. It is beside the endpoint, below the path of FERRULE_PUBLIC_URL: a proxy passes on nothing else. The
 * challenge names it, so no client has to guess.
 * @returns undefined: the service does not know its address
 */
export const findMetadataAddress = (settings: AddressSettings, request: Parameters<typeof nameMcpAddress>[1]): string | undefined =>
  settings.publicUrl === undefined && !listensOnLoopback(settings)
    ? undefined
    : `${nameMcpAddress(settings, request).slice(0, -request.path.length)}${metadataPath}${request.path}`

/** Builds the route of the document. Without FERRULE_PUBLIC_URL only a service on the loopback address knows its name. */
const buildRoute = (endpoint: McpPath): OpenRoute => ({
  method: 'GET',
  path: `${metadataPath}${endpoint}`,
  auth: 'none',
  isForPages: true,
  answer: (exchange, { settings }) => {
    const request = { host: exchange.header('host'), path: endpoint }
    if (findMetadataAddress(settings, request) === undefined)
      throw fail(
        'not_found',
        { method: 'GET', path: `${metadataPath}${endpoint}` },
        { hint: 'The operator sets FERRULE_PUBLIC_URL, the address that clients use.' },
      )
    const issuer = findIssuer(settings)
    const document = {
      resource: nameMcpAddress(settings, request),
      ...(issuer === undefined ? {} : { authorization_servers: [issuer] }),
      resource_name: 'Ferrule',
      scopes_supported: mcpScopes,
      bearer_methods_supported: ['header'],
    }
    exchange.addVary('Host')
    const headers = { 'cache-control': `public, max-age=${cacheSeconds}` }
    return { content: JSON.stringify(document), type: 'application/json; charset=utf-8', headers }
  },
})

/** The document, for both ways to write the endpoint. */
export const protectedResource: readonly OpenRoute[] = [buildRoute('/mcp'), buildRoute('/mcp/')]
