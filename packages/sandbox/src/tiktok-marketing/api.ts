import { findRoute, headerOf, hostOf, type ReceivedRequest, type Reply } from '../http.ts'
import type { Rate } from '../limits.ts'
import { hexOf, Random } from '../random.ts'
import { appId } from './accounts.ts'
import { Failure, inEnvelope, plainText, type Success } from './answers.ts'
import { authorize, consentPath } from './consent.ts'
import type { Call } from './lists.ts'
import { type Access, openRoutes } from './oauth.ts'
import { type Route, routes } from './routes.ts'
import type { TiktokState } from './state.ts'
import { appRate, type TiktokSwitches } from './switches.ts'
import { hour, isoStamp } from './time.ts'

const version = '/open_api/v1.3'
const sandboxHost = 'sandbox-ads.tiktok.com'
/** Of each endpoint in the vendor's sandbox environment. */
const sandboxRate: Rate = { perSecond: 1, perMinute: 30, perDay: 1000 }
const unlimited = Number.POSITIVE_INFINITY

function environmentOf(request: ReceivedRequest, { environment }: TiktokSwitches): string {
  if (environment !== 'host') return environment
  return hostOf(request) === sandboxHost ? 'sandbox' : 'production'
}

/** Returns the vendor's request id: the time at UTC+8, then 20 hexadecimal digits. */
function requestId(random: Random, now: number): string {
  const time = isoStamp(now + 8 * hour).replaceAll(/\D/g, '')
  return `${time}${hexOf(20, random.int(0, 0xffff_ffff)).toUpperCase()}`
}

function spendRate(state: TiktokState, environment: string, path: string): void {
  const switches = state.switches.current()
  if (!switches.limits) return
  const sandboxed = environment === 'sandbox'
  const broken = state.rates.spend(sandboxed ? `sandbox ${path}` : 'app', sandboxed ? sandboxRate : appRate(switches))
  if (broken === 'perSecond') throw new Failure(40100)
  if (broken) throw new Failure(40100, `Due to too many requests, requests from App ${appId} are temporarily restricted.`)
}

function spendOn(state: TiktokState, path: string): Call['spend'] {
  return ({ id }) => {
    const { limits, advertiserQps } = state.switches.current()
    const rate = { perSecond: advertiserQps, perMinute: unlimited, perDay: unlimited }
    if (!limits || !state.rates.spend(`advertiser ${id} ${path}`, rate)) return
    const counted = `QPS (${advertiserQps + 1}) reaches QPS limit ${advertiserQps}`
    throw new Failure(40133, `Advertiser (${id})'s ${counted} for current path, request is temporarily restricted.`)
  }
}

/** Checks token, environment, rate and scope, in this order. */
function accessTo(state: TiktokState, route: Route, request: ReceivedRequest): Access {
  const switches = state.switches.current()
  const access = state.tokens.check(headerOf(request, 'access-token'))
  const environment = environmentOf(request, switches)
  if (access.environment !== environment) throw new Failure(40105)
  spendRate(state, environment, route.path)
  if (environment === 'sandbox' && !route.inSandbox) throw new Failure(40008)
  const wanted = switches.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  const granted = wanted.length > 0 ? wanted.map(Number) : access.scopes
  if (route.scope === undefined || granted.includes(route.scope)) return access
  throw new Failure(40001, `Permission error: The access token lacks the required scope for endpoint '${route.path}'`)
}

function callOf(state: TiktokState, request: ReceivedRequest, access: Access): Call {
  const switches = state.switches.current()
  const { seed, edits } = state
  return {
    view: { seed, now: state.clock(), hugeIds: switches.hugeIds, edits },
    access,
    switches,
    query: request.query,
    take: (kind) => state.faults.takePage(kind, 'tiktok', request.path),
    spend: spendOn(state, request.path),
  }
}

/** Refuses what a fault or a switch wants refused before anything is looked at. */
function spoil(state: TiktokState, path: string): void {
  const fault = state.faults.takeCode('tiktok', path)
  if (fault) throw new Failure(fault.code, fault.message)
  const { errorCode, errorMessage } = state.switches.current()
  if (errorCode !== 0) throw new Failure(errorCode, errorMessage || undefined)
}

/** Answers a request below the version; undefined for an unknown path. */
function answerRoute(state: TiktokState, request: ReceivedRequest, path: string): Success | Reply {
  const open = findRoute(openRoutes, request.method, path)
  const match = findRoute(routes, request.method, path)
  if (match.found === 'nothing' && open.found === 'nothing') return plainText(404, '404 page not found')
  if (match.found !== 'route' && open.found !== 'route') return plainText(405, '405 method not allowed')
  spoil(state, request.path)
  if (open.found === 'route') return open.route.handle(request, state)
  return match.found === 'route' ? match.route.handle(callOf(state, request, accessTo(state, match.route, request))) : { data: {} }
}

/** Returns how the API, the token endpoint and the consent page answer, and how they refuse when a fault asks for a status. */
export function createApi(state: TiktokState) {
  const random = new Random(state.seed, 'tiktok request ids')
  const sent = (answer: Success | Failure, status = 200): Reply => {
    const id = requestId(random, state.clock())
    const reply = inEnvelope(answer, id, status)
    const trace = `00-${id.slice(-16).toLowerCase()}${id.slice(-16).toLowerCase()}-01`
    return { ...reply, headers: { ...reply.headers, 'x-tt-logid': id, 'x-tt-trace-id': trace } }
  }
  return {
    answer(request: ReceivedRequest): Reply {
      if (request.path === consentPath) {
        return ['GET', 'POST'].includes(request.method) ? authorize(state, request) : plainText(405, '405 method not allowed')
      }
      if (!request.path.startsWith(`${version}/`)) return plainText(404, '404 page not found')
      try {
        const answer = answerRoute(state, request, request.path.slice(version.length))
        return 'data' in answer ? sent(answer) : answer
      } catch (error) {
        if (error instanceof Failure) return sent(error)
        throw error
      }
    },
    refuse(status: number, message?: string): Reply {
      if (status === 404) return plainText(404, message ?? '404 page not found')
      if (status === 405) return plainText(405, message ?? '405 method not allowed')
      return sent(new Failure(status < 500 ? 40000 : 50000, message), status)
    },
  }
}
