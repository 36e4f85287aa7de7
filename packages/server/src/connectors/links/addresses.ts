/** Addresses of links and their pages. They come from the settings, never from a request. */
import { fail, isLoopback } from 'ferrule/internal'
import { connectPaths } from 'ferrule/wire'
import { findSafeAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { failField } from '../../values/read.ts'

/** Settings that addresses depend on. */
export type AddressSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'connectRedirects' | 'connectOrigins'>

/** Returns the address of the service. @throws FerruleError `not_offered` when it is neither https nor of this machine */
export function requireOwnAddress(settings: AddressSettings): string {
  const found = findSafeAddress(settings)
  if (found !== undefined) return found
  const hint = 'Set FERRULE_PUBLIC_URL to the https address of this service. An address of this machine may be http.'
  throw fail('not_offered', { what: 'address at which an end user could type a secret' }, { hint })
}

/** Builds the address of a link. The secret is in the fragment, which no browser sends. */
export const buildLinkUrl = (settings: AddressSettings, id: string, secret: string): string =>
  `${requireOwnAddress(settings)}${connectPaths.page.replace('{link_id}', id)}#${secret}`

/** Builds the redirect URI of a kind: the same for all links, because operators register it at the vendor by hand. */
export const buildCallbackUrl = (settings: AddressSettings, kind: string): string =>
  `${requireOwnAddress(settings)}${connectPaths.callback.replace('{kind}', kind)}`

/** Whose webhooks come to an address. */
export type SourceOwnerName = 'connectors' | 'apps'

/** Builds the address that a vendor sends webhooks to; undefined while the service does not know its own. */
export function buildSourceUrl(settings: AddressSettings, of: SourceOwnerName, id: string): string | undefined {
  const own = findSafeAddress(settings)
  return own === undefined ? undefined : `${own}/webhooks/${of}/${id}`
}

/** Returns whether an origin is allowed. Those of this machine always are while the service itself is at an address of this machine. */
function isAllowed(settings: AddressSettings, origin: string, allowed: readonly string[]): boolean {
  const own = findSafeAddress(settings)
  const isDevelopment = own !== undefined && isLoopback(new URL(own).hostname)
  return allowed.includes(origin) || (isDevelopment && isLoopback(new URL(origin).hostname))
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

/** Reads the address that a page leads back to. @throws FerruleError `validation_failed` */
export function readRedirect(settings: AddressSettings, given: string | undefined): string | null {
  if (given === undefined) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !isWeb(url) || url.username !== '' || url.password !== '' || url.hash !== '')
    throw failField('/redirect_url', 'must be an http or https address without user and fragment', 'not_allowed')
  if (!isAllowed(settings, url.origin, settings.connectRedirects))
    throw failField('/redirect_url', `has an origin that FERRULE_CONNECT_REDIRECTS does not list: ${url.origin}`, 'not_allowed')
  return url.href
}

/** Reads the origin of the page that opens a link. @throws FerruleError `validation_failed` */
export function readAllowedOrigin(settings: AddressSettings, given: string | undefined): string | null {
  if (given === undefined) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !isWeb(url) || url.origin !== given)
    throw failField('/allowed_origin', 'must be an origin: http or https, host and port, nothing else', 'not_allowed')
  if (!isAllowed(settings, url.origin, settings.connectOrigins))
    throw failField('/allowed_origin', 'is not listed in FERRULE_CONNECT_ORIGINS', 'not_allowed')
  return url.origin
}

/** Adds the outcome to the address that a page leads back to. */
export function buildReturnUrl(redirect: string | null, outcome: Readonly<Record<string, string>>): string | null {
  if (redirect === null) return null
  const url = new URL(redirect)
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value)
  return url.href
}
