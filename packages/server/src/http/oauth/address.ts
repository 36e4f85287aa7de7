/** Addresses of the authorization server. They come from the settings, never from a request. */

import { findSafeAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'

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
  return findSafeAddress(settings)
}

/** Returns the path of the issuer, without a slash at its end. */
export const readIssuerPath = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')
