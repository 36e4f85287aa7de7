import type { DatedEdit } from '../edits.ts'
import type { FaultSupply } from '../faults.ts'
import type { ReceivedRequest, Reply } from '../http.ts'
import { findRoute } from '../http.ts'
import { Random } from '../random.ts'
import type { SwitchControl } from '../switches.ts'
import type { Account } from './accounts.ts'
import { appId } from './accounts.ts'
import type { Answer, Failure } from './answers.ts'
import { failure, failureOf, inEnvelope, isFailure, plainText } from './answers.ts'
import type { Call } from './calls.ts'
import type { Limiter, Rate } from './limits.ts'
import { consent, consentPath, openRoutes } from './oauth.ts'
import type { Route } from './routes.ts'
import { routes } from './routes.ts'
import type { TiktokSwitches } from './switches.ts'
import { appRate } from './switches.ts'
import { hour, isoStamp } from './time.ts'
import type { Access, TokenStore } from './tokens.ts'

/** Everything that the stand-in keeps between requests. */
export interface TiktokState {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly switches: SwitchControl<TiktokSwitches>
  readonly faults: FaultSupply
  readonly limiter: Limiter
  readonly tokens: TokenStore
  readonly edits: Map<string, DatedEdit>
}

const version = '/open_api/v1.3'
const sandboxHost = 'sandbox-ads.tiktok.com'
/** Of each endpoint in the vendor's sandbox environment. */
const sandboxRate: Rate = { perSecond: 1, perMinute: 30, perDay: 1000 }
const unlimited = Number.POSITIVE_INFINITY

function headerOf(request: ReceivedRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The environment that a request is for. */
function environmentOf(request: ReceivedRequest, { environment }: TiktokSwitches): Access['environment'] {
  if (environment === 'sandbox' || environment === 'production') return environment
  const host = headerOf(request, 'x-forwarded-host') ?? (request.headers.host ?? '').replace(/:\d+$/, '')
  return host.toLowerCase() === sandboxHost ? 'sandbox' : 'production'
}

/** The vendor's request id: the time at UTC+8, then 20 hexadecimal digits. */
function requestId(random: Random, now: number): string {
  const time = isoStamp(now + 8 * hour).replaceAll(/\D/g, '')
  const digits = Array.from({ length: 20 }, () => random.int(0, 15).toString(16)).join('')
  return `${time}${digits.toUpperCase()}`
}

function overRate(state: TiktokState, environment: Access['environment'], path: string): Failure | undefined {
  const switches = state.switches.current()
  if (!switches.limits) return undefined
  const sandboxed = environment === 'sandbox'
  const broken = state.limiter.spend(sandboxed ? `sandbox ${path}` : 'app', sandboxed ? sandboxRate : appRate(switches))
  if (!broken) return undefined
  if (broken === 'perSecond') return failureOf(40100)
  return failure(40100, `Due to too many requests, requests from App ${appId} are temporarily restricted.`)
}

function spendOn(state: TiktokState, path: string): Call['spend'] {
  return ({ id }: Account) => {
    const { limits, advertiserQps } = state.switches.current()
    if (!limits) return undefined
    const rate = { perSecond: advertiserQps, perMinute: unlimited, perDay: unlimited }
    if (!state.limiter.spend(`advertiser ${id} ${path}`, rate)) return undefined
    const counted = `QPS (${advertiserQps + 1}) reaches QPS limit ${advertiserQps}`
    return failure(40133, `Advertiser (${id})'s ${counted} for current path, request is temporarily restricted.`)
  }
}

function scopesIn(access: Access, { scopes }: TiktokSwitches): readonly number[] {
  const wanted = scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  return wanted.length > 0 ? wanted.map(Number) : access.scopes
}

/** Token, environment, rate and scope, in this order. */
function accessTo(state: TiktokState, route: Route, request: ReceivedRequest): Access | Failure {
  const switches = state.switches.current()
  const access = state.tokens.check(headerOf(request, 'access-token'))
  if (isFailure(access)) return access
  const environment = environmentOf(request, switches)
  if (access.environment !== environment) return failureOf(40105)
  const over = overRate(state, environment, route.path)
  if (over) return over
  if (environment === 'sandbox' && !route.inSandbox) return failureOf(40008)
  const lacks = route.scope !== undefined && !scopesIn(access, switches).includes(route.scope)
  if (lacks) return failure(40001, `Permission error: The access token lacks the required scope for endpoint '${route.path}'`)
  return access
}

function callOf(state: TiktokState, request: ReceivedRequest, access: Access): Call {
  const switches = state.switches.current()
  const { seed, edits } = state
  return {
    view: { seed, now: state.clock(), hugeIds: switches.hugeIds, edits },
    access,
    switches,
    path: request.path,
    query: request.query,
    take: (kind) => state.faults.takePage(kind, 'tiktok', request.path),
    spend: spendOn(state, request.path),
  }
}

/** What a fault or a switch refuses before anything is looked at. */
function spoiled(state: TiktokState, path: string): Failure | undefined {
  const fault = state.faults.takeCode('tiktok', path)
  if (fault) return failureOf(fault.code, fault.message)
  const { errorCode, errorMessage } = state.switches.current()
  return errorCode === 0 ? undefined : failureOf(errorCode, errorMessage || undefined)
}

function answerRoute(state: TiktokState, request: ReceivedRequest, path: string): Answer | Reply {
  const spoil = spoiled(state, request.path)
  const open = findRoute(openRoutes, request.method, path)
  if (open.found === 'route') return spoil ?? open.route.handle(request, state.tokens)
  const match = findRoute(routes, request.method, path)
  if (match.found === 'nothing' && open.found === 'nothing') return plainText(404, '404 page not found')
  if (match.found !== 'route') return plainText(405, '405 method not allowed')
  if (spoil) return spoil
  const access = accessTo(state, match.route, request)
  return isFailure(access) ? access : match.route.handle(callOf(state, request, access))
}

function isReply(value: Answer | Reply): value is Reply {
  return 'status' in value
}

/**
 * The API, the token endpoint and the consent page.
 *
 * @param state - what it keeps
 * @returns how it answers, and how it refuses when a fault asks for a status
 */
export function createApi(state: TiktokState) {
  const random = new Random(state.seed, 'tiktok request ids')
  const sent = (answer: Answer, status = 200): Reply => {
    const id = requestId(random, state.clock())
    const reply = inEnvelope(answer, id, status)
    const trace = `00-${id.slice(-16).toLowerCase()}${id.slice(-16).toLowerCase()}-01`
    return { ...reply, headers: { ...reply.headers, 'x-tt-logid': id, 'x-tt-trace-id': trace } }
  }
  return {
    answer(request: ReceivedRequest): Reply {
      if (request.path === consentPath && request.method === 'GET') {
        return consent(request, state.tokens, state.clock() + state.switches.current().codeSeconds * 1000)
      }
      if (!request.path.startsWith(`${version}/`)) return plainText(404, '404 page not found')
      const answer = answerRoute(state, request, request.path.slice(version.length))
      return isReply(answer) ? answer : sent(answer)
    },
    refuse(status: number, message?: string): Reply {
      if (status === 404) return plainText(404, message ?? '404 page not found')
      if (status === 405) return plainText(405, message ?? '405 method not allowed')
      return sent(status < 500 ? failureOf(40000, message) : failureOf(50000, message), status)
    },
  }
}
