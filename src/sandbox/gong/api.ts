import type { ReceivedRequest, Reply } from '../http.ts'
import { findRoute, isObject, json, parseJson } from '../http.ts'
import { Random } from '../random.ts'
import type { Answer } from './answers.ts'
import { defaultErrors, isAnswer, refused } from './answers.ts'
import type { Route } from './routes.ts'
import { routes } from './routes.ts'
import type { GongState } from './state.ts'
import { sandboxCredentials } from './tokens.ts'

/** Who asks: an access key may do everything, a token what its scopes say. */
interface Caller {
  allows(scope: string): boolean
}

const deniable = ['/v2/users', '/v2/workspaces', '/v2/coaching']

/** The refusal of a token that lacks a scope: 401, not 403. */
export function missingScope(scope: string): Answer {
  return refused(401, `You don't have permission to use '${scope}' in your app.`)
}

function hostName(request: ReceivedRequest): string {
  const forwarded = request.headers['x-forwarded-host']
  const host = (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host ?? ''
  return host.replace(/:\d+$/, '').toLowerCase()
}

function tokenCaller(state: GongState, token: string, request: ReceivedRequest): Caller | Answer {
  const scopes = state.tokens.check(token)
  if (typeof scopes === 'string') return refused(401, scopes)
  const { customerHostOnly, apiBaseUrl } = state.switches.current()
  const home = new URL(apiBaseUrl || state.origins.api).hostname
  if (customerHostOnly && hostName(request) !== home) return refused(401, 'The access token has been revoked')
  return { allows: (scope) => scopes.includes(scope) }
}

function callerOf(state: GongState, request: ReceivedRequest): Caller | Answer {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ')
  if (scheme.toLowerCase() === 'bearer') return tokenCaller(state, value, request)
  if (scheme.toLowerCase() !== 'basic') return refused(401, 'Authentication is required')
  const { accessKey, accessKeySecret } = sandboxCredentials
  const right = Buffer.from(value, 'base64').toString() === `${accessKey}:${accessKeySecret}`
  return right ? { allows: () => true } : refused(401, 'Invalid access key or access key secret')
}

function overLimit(state: GongState): Answer | undefined {
  const { limits, ratePerSecond, dailyLimit } = state.switches.current()
  const wait = limits ? state.limiter.spend({ perSecond: ratePerSecond, perDay: dailyLimit }) : undefined
  return wait === undefined ? undefined : { ...refused(429, 'API request limit exceeded'), headers: { 'retry-after': String(wait) } }
}

function bodyOf(request: ReceivedRequest): Readonly<Record<string, unknown>> | Answer {
  if (request.method !== 'POST') return {}
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') return refused(415, 'Unsupported Media Type')
  const body = parseJson(request.body)
  return isObject(body) ? body : refused(400, 'Bad request: the body is not a JSON object')
}

function run(state: GongState, request: ReceivedRequest, match: { route: Route; slots: Readonly<Record<string, string>> }): Answer {
  const body = bodyOf(request)
  if (isAnswer(body)) return body
  const { path, query } = request
  const take = (kind: Parameters<GongState['faults']['takePage']>[0]) => state.faults.takePage(kind, 'api', path)
  return match.route.handle({ state, path, query, slots: match.slots, body, take })
}

function decide(state: GongState, request: ReceivedRequest): Answer {
  const caller = callerOf(state, request)
  if (isAnswer(caller)) return caller
  const limit = overLimit(state)
  if (limit) return limit
  const match = findRoute(routes, request.method, request.path)
  if (match.found === 'nothing') return refused(404, 'Not found')
  if (match.found === 'path') return { ...refused(405, 'Method Not Allowed'), headers: { allow: match.methods.join(', ') } }
  if (state.switches.current().accessDenied && deniable.includes(match.route.path)) return refused(403, 'Access denied')
  if (!caller.allows(match.route.scope)) return missingScope(match.route.scope)
  const answer = run(state, request, match)
  const further = answer.needs?.find((scope) => !caller.allows(scope))
  return further === undefined ? answer : missingScope(further)
}

/**
 * The API origin.
 *
 * @param state - shared by the servers
 * @returns how it answers, and how it refuses when a fault asks for it
 */
export function createApi(state: GongState) {
  const random = new Random(state.world.seed, 'request ids')
  const reply = ({ status, value, headers, rewrite }: Answer): Reply => {
    const requestId = random.base36(random.int(18, 20))
    const made = json(status, { requestId, ...value }, { 'x-traceid': requestId, 'x-gong-service-version': 'sandbox', ...headers })
    return rewrite && typeof made.body === 'string' ? { ...made, body: rewrite(made.body) } : made
  }
  return {
    answer: (request: ReceivedRequest) => reply(decide(state, request)),
    refuse: (status: number, message = defaultErrors[status] ?? 'Error') => reply(refused(status, message)),
  }
}
