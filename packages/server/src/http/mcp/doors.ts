/** Checks of Host and Origin before anything else: a page on a foreign site must not reach a service on this machine. */

import { isLoopback } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Addresses of a request, from its headers. */
export interface Addressed {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** Returns why a request is refused; undefined: it may enter. */
export type Door = (request: Addressed) => string | undefined

const readHostname = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).hostname : undefined)

/** Settings that decide which names are the service's own. */
export type DoorSettings = Pick<Settings, 'host' | 'publicUrl' | 'corsOrigins' | 'mcpHosts'>

/**
 * Builds the check. A service on all addresses without a public URL does not know its names, so it accepts any Host; its tokens protect it.
 * A browser sends an Origin; other clients send none.
 */
export function createDoor({ host, publicUrl, corsOrigins, mcpHosts }: DoorSettings): Door {
  const publicName = publicUrl === undefined ? undefined : readHostname(publicUrl)
  const own = [host.includes(':') ? `[${host}]` : host, ...(publicName === undefined ? [] : [publicName])]
  const names = new Set([...loopbackNames, ...own, ...mcpHosts])
  const isKnown = publicName !== undefined || isLoopback(host)
  const origins = new Set(corsOrigins)
  return (request) => {
    const name = readHostname(`http://${request.host ?? ''}`)
    if (name === undefined || (isKnown && !names.has(name)))
      return `The Host ${name ?? 'of the request'} is none of this service. Use the address of FERRULE_PUBLIC_URL; the operator adds others to FERRULE_MCP_HOSTS.`
    if (request.origin === undefined || origins.has(request.origin)) return undefined
    const site = readHostname(request.origin)
    if (site !== undefined && names.has(site)) return undefined
    return 'The Origin of the request is not allowed. The operator allows it with FERRULE_CORS_ORIGINS.'
  }
}
