/** Checks of Host and Origin before anything else: a page on a foreign site must not reach a service on this machine. */
import type { FastifyInstance } from 'fastify'
import { isLoopback } from 'ferrule/internal'
import type { Settings } from '../../main/settings/settings.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Returns why a request is refused; undefined: it may enter. */
export type Door = (request: { readonly host: string | undefined; readonly origin: string | undefined }) => string | undefined

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

/** Headers that a page may read. */
const exposed = 'WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, X-Request-Id'
/** Time for which a browser remembers a preflight, in seconds. */
const preflightSeconds = 600

/**
 * Opens the routes of a scope to pages of the origins that the door admits. Call it before the routes are added.
 * @param scope a scope of its own
 * @param door who may enter
 */
export function openToPages(scope: FastifyInstance, door: Door): void {
  scope.addHook('onRoute', (route) => {
    // The service's own list of origins would answer a preflight before this hook.
    Object.assign(route, { config: { ...route.config, cors: false } })
  })
  scope.addHook('onRequest', async ({ method, headers }, reply) => {
    const { host, origin } = headers
    reply.header('vary', 'Origin')
    const isAdmitted = origin !== undefined && door({ host, origin }) === undefined
    if (isAdmitted) reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })
    if (method !== 'OPTIONS') return undefined
    const allowed = { 'access-control-allow-methods': 'GET, POST, DELETE', 'access-control-max-age': String(preflightSeconds) }
    const wanted = headers['access-control-request-headers']
    const wantedHeaders = typeof wanted === 'string' ? { 'access-control-allow-headers': wanted } : {}
    return reply
      .code(isAdmitted ? 204 : 403)
      .headers(isAdmitted ? { ...allowed, ...wantedHeaders } : {})
      .send()
  })
}

/** Adds the preflights of a route. The hook of the scope answers them. */
export function addPreflight(scope: FastifyInstance, path: string): void {
  scope.options(path, { config: { path } }, (_request, reply) => reply.code(403).send())
}
