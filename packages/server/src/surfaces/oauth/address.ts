/** Addresses of the authorization server. They come from the settings, never from a request. */
import type { Settings } from '../../platform/model/types.ts'
import { buildMcpAddress } from '../../platform/settings/mcp-address.ts'
import { isLoopback, listensOnLoopback } from '../mcp/doors.ts'

/** Settings that the address depends on. */
export type OAuthSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'mcpOAuth' | 'role'>

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
  if (settings.publicUrl === undefined && !listensOnLoopback(settings)) return undefined
  const issuer = buildMcpAddress(settings).slice(0, -'/mcp'.length)
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || isLoopback(hostname) ? issuer : undefined
}

/** Returns the path of the issuer, without a slash at its end. */
export const readIssuerPath = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')
