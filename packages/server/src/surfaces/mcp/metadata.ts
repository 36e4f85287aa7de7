/** Metadata of the MCP endpoint as a protected resource (RFC 9728). */
import { fail } from 'ferrule/internal'
import { mcpScopes } from 'ferrule/wire'
import type { Settings } from '../../platform/model/types.ts'
import { buildMcpAddress } from '../../platform/settings/mcp-address.ts'
import { listensOnLoopback } from '../../platform/settings/own-address.ts'
import type { OpenRoute } from '../http/route.ts'
import { findIssuer } from '../oauth/address.ts'

const path = '/.well-known/oauth-protected-resource/mcp'
/** Lifetime of the document in caches, in seconds. */
const cacheSeconds = 300

type AddressSettings = Pick<Settings, 'publicUrl' | 'host' | 'port'>

/**
 * Returns the address of the metadata. It is beside the endpoint, below the path of FERRULE_PUBLIC_URL: a proxy passes on nothing else. The
 * challenge names it, so no client has to guess.
 * @returns undefined: the service does not know its address
 */
export const findMetadataAddress = (settings: AddressSettings): string | undefined =>
  settings.publicUrl === undefined && !listensOnLoopback(settings)
    ? undefined
    : `${buildMcpAddress(settings).slice(0, -'/mcp'.length)}${path}`

/** The document. Without FERRULE_PUBLIC_URL only a service on the loopback address knows its name. */
export const protectedResource: OpenRoute = {
  method: 'GET',
  path,
  auth: 'none',
  answer: (_exchange, { settings }) => {
    if (findMetadataAddress(settings) === undefined)
      throw fail('not_found', { method: 'GET', path }, { hint: 'The operator sets FERRULE_PUBLIC_URL, the address that clients use.' })
    const issuer = findIssuer(settings)
    const document = {
      resource: buildMcpAddress(settings),
      ...(issuer === undefined ? {} : { authorization_servers: [issuer] }),
      resource_name: 'Ferrule',
      scopes_supported: mcpScopes,
      bearer_methods_supported: ['header'],
    }
    const headers = { 'cache-control': `public, max-age=${cacheSeconds}` }
    return { content: JSON.stringify(document), type: 'application/json; charset=utf-8', headers }
  },
}
