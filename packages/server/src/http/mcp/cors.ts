/** Lets pages of admitted origins call, such as an inspector on the user's machine. They send a token, never a cookie. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Door } from './doors.ts'

/** Headers that a page may read. */
const exposed = 'WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, X-Request-Id'
/** Time for which a browser remembers a preflight, in seconds. */
const preflightSeconds = 600

const admit = (reply: FastifyReply, origin: string): FastifyReply =>
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })

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
    if (isAdmitted) admit(reply, origin)
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
