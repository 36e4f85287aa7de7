import type { DatedEdit } from '../edits.ts'
import type { FaultSupply } from '../faults.ts'
import type { ReceivedRequest, Reply } from '../http.ts'
import { findRoute } from '../http.ts'
import { Random } from '../random.ts'
import type { SwitchControl } from '../switches.ts'
import type { Answer } from './answers.ts'
import { inForm, isAnswer, missingScope, notFound, ok, refusalOf, refused, tooMany, unapproved, unauthorized } from './answers.ts'
import type { Bucket } from './bucket.ts'
import type { Call } from './calls.ts'
import type { Route } from './routes.ts'
import { routes } from './routes.ts'
import { shopId, storeHost } from './shop.ts'
import type { ShopifySwitches } from './switches.ts'
import { bucketOf } from './switches.ts'
import type { Access } from './tokens.ts'
import { accessOf } from './tokens.ts'
import { answeringVersion, oldestVersion } from './versions.ts'

/** Everything that the stand-in keeps between requests. */
export interface ShopifyState {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly secret: string
  readonly switches: SwitchControl<ShopifySwitches>
  readonly faults: FaultSupply
  readonly bucket: Bucket
  readonly edits: Map<string, DatedEdit>
  /** How often draft orders answered that they are not ready, by position. */
  readonly computing: Map<number, number>
  /** Stands for the store, see `perStore`. */
  readonly store: object
  /** Origin of the server, known once it listens. */
  readonly origin: { api: string }
}

const protectedPaths = ['/customers', '/orders', '/draft_orders', '/checkouts']
const deprecatedPaths = ['/products', '/variants', '/product_images']
const deprecationPage = 'https://shopify.dev/docs/apps/build/graphql/migrate/new-product-model'
const longestTarget = 8192

const stateAnswers: Readonly<Record<string, Answer>> = {
  frozen: refused(402, 'Unavailable Shop'),
  forbidden: refused(403, 'Unavailable Shop'),
  locked: refusalOf(423, undefined, 2),
  rejected: refusalOf(430, undefined, 2),
  gone: notFound,
}

function headerOf(request: ReceivedRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Origin under which the store is asked; undefined for another store. */
function storeOrigin(state: ShopifyState, request: ReceivedRequest): string | undefined {
  const forwarded = headerOf(request, 'x-forwarded-host')?.toLowerCase()
  const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  const named = forwarded ?? (host.endsWith('.myshopify.com') ? host : undefined)
  if (named === undefined) return state.origin.api
  return named === storeHost ? `https://${storeHost}` : undefined
}

/** A path below the version: what was asked, and what answers. */
interface Target {
  readonly path: string
  /** Everything before it. */
  readonly prefix: string
  readonly version: string
}

function targetOf(path: string, now: number): Target | undefined {
  const found = /^(\/admin(?:\/api\/([^/]+))?)(\/.+)\.json$/.exec(path)
  if (!found) return undefined
  const [, prefix = '', asked, rest = ''] = found
  const version = answeringVersion(asked, now)
  return version === undefined ? undefined : { path: rest, prefix, version }
}

function accepts(request: ReceivedRequest): boolean {
  const accepted = request.headers.accept
  return accepted === undefined || /(^|[,\s])(\*\/\*|application\/\*|application\/json|text\/json)/i.test(accepted)
}

function startsWithOne(path: string, starts: readonly string[]): boolean {
  return starts.some((start) => path === start || path.startsWith(`${start}/`))
}

/** Who asks, and what the switches make of the token. */
function accessIn(request: ReceivedRequest, switches: ShopifySwitches): Access | undefined {
  const access = accessOf(headerOf(request, 'x-shopify-access-token') ?? '')
  if (!access) return undefined
  const scopes = switches.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  return { scopes: scopes.length > 0 ? scopes : access.scopes, customerData: access.customerData && switches.customerData }
}

function computingIn(state: ShopifyState): Call['computing'] {
  return (draft) => {
    const given = state.computing.get(draft) ?? 0
    if (given >= state.switches.current().draftPolls) return false
    state.computing.set(draft, given + 1)
    return true
  }
}

interface Asked {
  readonly request: ReceivedRequest
  readonly origin: string
  readonly access: Access
  readonly target: Target
}

function callOf(state: ShopifyState, asked: Asked, slots: Readonly<Record<string, string>>): Call {
  const { request, origin, access, target } = asked
  const switches = state.switches.current()
  const { seed, edits, store } = state
  return {
    view: { seed, now: state.clock(), version: target.version, edits, store },
    switches,
    path: target.path,
    base: `${switches.linkOrigin.replace(/\/+$/, '') || origin}${target.prefix}`,
    query: request.query,
    slots,
    scopes: new Set(access.scopes),
    secret: state.secret,
    take: (kind) => state.faults.takePage(kind, 'shopify', request.path),
    computing: computingIn(state),
  }
}

function mayNot(route: Route, { access, target }: Asked): Answer | undefined {
  if (route.scope !== '' && !access.scopes.includes(route.scope)) return missingScope(route.scope)
  return !access.customerData && startsWithOne(target.path, protectedPaths) ? unapproved : undefined
}

function run(state: ShopifyState, asked: Asked): Answer {
  const { request, target, access } = asked
  if (target.prefix === '/admin' && target.path === '/oauth/access_scopes') {
    return ok({ access_scopes: access.scopes.map((handle) => ({ handle })) })
  }
  const match = findRoute(routes, request.method === 'HEAD' ? 'GET' : request.method, target.path)
  if (match.found === 'nothing') return notFound
  if (match.found === 'path') return { ...refused(405, 'Method Not Allowed'), headers: { allow: match.methods.join(', ') } }
  const denied = mayNot(match.route, asked)
  if (denied) return denied
  return accepts(request) ? (match.route.handle(callOf(state, asked, match.slots)) ?? notFound) : refused(406, 'Not Acceptable')
}

/** What stands before the routes: store, state, token, limit, version. */
function gate(state: ShopifyState, request: ReceivedRequest): Answer | Asked {
  const switches = state.switches.current()
  const origin = storeOrigin(state, request)
  if (origin === undefined) return notFound
  if (switches.redirectTo) return { status: 301, body: '', headers: { location: switches.redirectTo } }
  const closed = stateAnswers[switches.shopState]
  if (closed) return closed
  const access = accessIn(request, switches)
  if (!access) return unauthorized
  const limits = bucketOf(switches)
  if (!state.bucket.spend(limits) && switches.limits) return tooMany(limits.leak)
  if (request.path.length + String(request.query).length > longestTarget) return refused(414, 'Request-URI Too Long')
  const target = targetOf(request.path, state.clock())
  return target ? { request, origin, access, target } : notFound
}

/** Ids that a switch makes too large for a JavaScript number: the usual one, and what is sent instead. */
export type Aliases = readonly (readonly [usual: string, huge: string])[]

/**
 * The API of the store.
 *
 * @param state - what it keeps
 * @param aliases - used while the switch `hugeIds` is on
 * @returns how it answers, and how it refuses when a fault asks for it
 */
export function createApi(state: ShopifyState, aliases: () => Aliases) {
  const random = new Random(state.seed, 'shopify request ids')
  const headersFor = (version: string): Record<string, string> => {
    const { size } = bucketOf(state.switches.current())
    return {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId(random),
      'x-shopid': String(shopId(state)),
      'x-shopify-api-version': version,
      'x-shopify-shop-api-call-limit': `${Math.min(state.bucket.used(), size)}/${size}`,
    }
  }
  const reply = (answer: Answer, headers: Readonly<Record<string, string>>): Reply => {
    const { status, body, text, headers: further } = inForm(answer, state.switches.current().errorForm)
    const type = typeof body === 'string' ? { 'content-type': 'text/html; charset=utf-8' } : {}
    const sent = text ?? (typeof body === 'string' ? body : JSON.stringify(body))
    return { status, headers: { ...headers, ...type, ...further }, body: sent }
  }
  const answer = (received: ReceivedRequest): Reply => {
    const pairs = state.switches.current().hugeIds ? aliases() : []
    const request = pairs.length > 0 ? withUsualIds(received, pairs) : received
    const asked = gate(state, request)
    if (isAnswer(asked)) return reply(asked, headersFor(oldestVersion(state.clock())))
    const made = reply(run(state, asked), { ...headersFor(asked.target.version), ...deprecation(state, asked.target) })
    return typeof made.body === 'string' ? { ...made, body: withHugeIds(made.body, pairs) } : made
  }
  return {
    answer,
    refuse: (status: number, message?: string) =>
      reply(refusalOf(status, message, bucketOf(state.switches.current()).leak), headersFor(oldestVersion(state.clock()))),
    waitText: (seconds: number) => seconds.toFixed(1),
  }
}

function deprecation(state: ShopifyState, { path }: Target): Readonly<Record<string, string>> {
  const told = state.switches.current().deprecations && startsWithOne(path, deprecatedPaths)
  return told ? { 'x-shopify-api-deprecated-reason': deprecationPage } : {}
}

function requestId(random: Random): string {
  const hex = (length: number) => Array.from({ length }, () => random.int(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}-${random.int(1_000_000_000, 1_999_999_999)}`
}

function withHugeIds(text: string, aliases: Aliases): string {
  return aliases.reduce((made, [usual, huge]) => made.replaceAll(usual, huge), text)
}

function withUsualIds(request: ReceivedRequest, aliases: Aliases): ReceivedRequest {
  const back = (text: string) => aliases.reduce((made, [usual, huge]) => made.replaceAll(huge, usual), text)
  return { ...request, path: back(request.path), query: new URLSearchParams(back(String(request.query))) }
}
