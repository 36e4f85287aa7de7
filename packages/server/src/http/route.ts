/** Types of routes: a method, a path, a document and a function; and the limits of their calls. Routes do not know the HTTP library. */
import type { Readable } from 'node:stream'
import type { FerruleError } from 'ferrule'
import type { Field } from 'ferrule/definition'
import type { FileAnswer } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type Endpoint, endpoints, type Page, type Wire } from 'ferrule/wire'
import type { Logger } from 'pino'
import type { ArrivingCall, CallBounds, RateState } from '../calls/admission.ts'
import type { OperationServices } from '../calls/operations.ts'
import type { VendorRequestServices } from '../calls/vendor-requests.ts'
import type { ServedKind } from '../connectors/connector-types.ts'
import type { Platform } from '../main/platform-types.ts'
import type { Settings } from '../main/settings/settings.ts'
import type { Caller, Principal } from '../values/access.ts'
import type { Metrics } from '../values/metric-types.ts'
import type { JsonAnswerDocument, OpenApiDocuments, RouteDocument } from './openapi/types.ts'
import type { Stopping } from './stopping.ts'
import type { StreamOptions } from './streams/stream-shares.ts'

/** Headers that mark such a client. Its older packages send none. */
export const markerHeaders = ['X-ADP-Agent-SDK', 'X-ADP-Agent-CLI'] as const
const markers = markerHeaders.map((name) => name.toLowerCase())

/** Path in front of the address for clients without a marker. */
export const prefix = '/compat'

/** How a client came in. `plain`: in our own form. `short`: by the prefix, without `/api`, where such a client creates connectors. */
export type Door = 'plain' | 'marked' | 'prefixed' | 'short'

const prefixed = new RegExp(`^${prefix}(/api)?/v1(?=[/?]|$)`)

/** Removes the prefix once. A path without it, or with anything else behind it, stays and finds its own route or none. */
export const stripPrefix = (url: string): string => url.replace(prefixed, '/api/v1')

/**
 * Finds how a request came in.
 * @param url path as the client sent it
 * @param header reads a header by its lower-case name
 */
export function findDoor(url: string, header: (name: string) => string | undefined): Door {
  const found = prefixed.exec(url)
  if (found !== null) return found[1] === undefined ? 'short' : 'prefixed'
  return markers.some((name) => header(name) !== undefined) ? 'marked' : 'plain'
}

/** What those clients ask for and this service has not, by the form of its path, and what to do instead. */
const notOffered: readonly (readonly [path: RegExp, what: string, instead: string])[] = [
  [
    /^\/api\/v1\/internal\/workflows(\/|$)/,
    'workflows and automations: run a schedule of your own, and call the operations of a connector from it',
    'Run a schedule of your own, and call the operations of a connector from it.',
  ],
  [
    /^\/api\/v1\/integrations\/connectors\/[^/]+\/execute\/prepare$/,
    'executions on the machine of the caller: unset SECRETS_CONFIGURED_FROM_ENVIRONMENT, so that the client calls execute',
    'Unset SECRETS_CONFIGURED_FROM_ENVIRONMENT, so that the client calls execute.',
  ],
]

/** Builds the error of a path of something that this service has not; undefined for other paths. */
export function findNotOffered(path: string): FerruleError | undefined {
  const found = notOffered.find(([form]) => form.test(path))
  if (found === undefined) return undefined
  const [, what, hint] = found
  return fail('not_offered', { what }, { hint })
}

/** Services that routes use. */
export interface Services {
  readonly platform: Platform
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
  /** Executes, checks and sends requests, and counts them. */
  readonly operations: OperationServices & VendorRequestServices
  /** Shares and times of event streams. */
  readonly streams: StreamOptions
  readonly metrics: Metrics
  readonly logger: Logger
  readonly openApi: OpenApiDocuments
  readonly clock: () => number
  /** Milliseconds that never step. */
  readonly steady: () => number
  /** Progress of the shutdown. */
  readonly stopping: Pick<Stopping, 'isLeaving' | 'isDraining' | 'calls'>
}

/** One request, as a route sees it. */
export interface Exchange<Who> {
  /** The caller; undefined on routes without a token. */
  readonly who: Who
  /** Slots of the path, decoded and unchecked. */
  readonly params: Readonly<Record<string, string>>
  /** Values are strings, or arrays of strings for a repeated name. */
  readonly query: Readonly<Record<string, unknown>>
  /** A JSON object, or undefined when the request has no body. */
  readonly body: unknown
  /** Id of the request, as the answer names it. */
  readonly requestId: string
  /** IP address of the client; forwarded addresses count only from proxies in FERRULE_TRUSTED_PROXIES. */
  readonly address: string
  /** How the client came in; routes do not ask, the door does. */
  readonly door: Door
  /** A request header by its lower-case name. */
  header(name: string): string | undefined
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  /** Adds a header to the answer, success or error. */
  setHeader(name: string, value: string): void
  /** Calls `ended` when the answer was sent or the client has left. */
  onEnd(ended: () => void): void
  /** Breaks the connection of the client: what was sent never looks whole. */
  disconnect(): void
  /** Adds names of request headers to `Vary` of the answer. */
  addVary(names: string): void
  /** Sets the error of a call that the shutdown interrupts. Default: a GET is retryable, other methods are not. */
  whenStopped(buildError: () => FerruleError): void
}

/** Answer of a route. `json` keeps all digits of big integers; `notModified` has the headers of the whole answer (RFC 9110 section 15.4.5). */
export type Answer =
  | { readonly json: unknown; readonly status?: number }
  | { readonly file: FileAnswer }
  | {
      readonly content: string | Buffer | Readable
      readonly type: string
      readonly headers?: Readonly<Record<string, string>>
      readonly status?: number
    }
  | { readonly notModified: { readonly headers: Readonly<Record<string, string>> } }
  | { readonly redirect: string; readonly status?: 303 }

interface RouteBase extends Endpoint {
  /** Absent: the route is not part of the API's document. */
  readonly document?: RouteDocument
  /** Bodies that are read as a form too (RFC 6749); JSON is read everywhere. */
  readonly form?: boolean
  /** Largest body in bytes, where it is more than FERRULE_BODY_LIMIT. */
  readonly largestBody?: number
  /** false: a session of the console does not count here, only a token. */
  readonly takesSessions?: false
  /** true: pages of MCP clients may read the answer, such as an inspector on the user's machine. */
  readonly isForPages?: true
}
/** A route without a token. */
export interface OpenRoute extends RouteBase {
  readonly auth: 'none'
  answer(exchange: Exchange<undefined>, services: Services): Answer | Promise<Answer>
}
/** A route of an application, before an organization is chosen. */
export interface CallerRoute extends RouteBase {
  readonly auth: 'caller'
  /** True: the answer has the kinds of the organization too, if the request names one or its sender reaches a single one. */
  readonly showsOwnKinds?: true
  answer(exchange: Exchange<Caller>, services: Services): Answer | Promise<Answer>
}
/** A route within an organization. */
export interface PrincipalRoute extends RouteBase {
  readonly auth: 'principal'
  /** True: the route reads a connector, whose statement fails for a deleted organization. Other routes cost a statement more. */
  readonly provesOrganization?: true
  /** True: the query's `organization_id` stands in for a missing X-Organization-Id, which media elements of browsers cannot send. */
  readonly takesOrganizationQuery?: true
  answer(exchange: Exchange<Principal>, services: Services): Answer | Promise<Answer>
}
/** One route of the service. */
export type Route = OpenRoute | CallerRoute | PrincipalRoute

/** A route whose JSON answer has the type of its documented schema: its document, and what else the route has. */
type JsonRoute<R extends Route, S extends Field, Who> = Omit<RouteDocument<S>, 'id' | 'answer' | 'problems'> &
  Partial<Pick<RouteDocument, 'problems'>> &
  Omit<R, keyof Endpoint | 'auth' | 'answer' | 'document'> & {
    readonly returns: JsonAnswerDocument<S>
    answer(exchange: Exchange<Who>, services: Services): TypedAnswer<S> | Promise<TypedAnswer<S>>
  }
type TypedAnswer<S extends Field> = { readonly json: Wire<S>; readonly status?: number }
/** Id of a route: its key among the endpoints. */
export type RouteId = keyof typeof endpoints

/** Completes a route: its endpoint follows from its id. */
function complete<Who, S extends Field>(id: RouteId, route: JsonRoute<Route, S, Who>) {
  const { answer, returns, problems = [], ...rest } = route
  const endpoint: Endpoint = endpoints[id]
  return { ...endpoint, ...rest, answer, document: { id, ...rest, answer: returns, problems } }
}

/** Declares a route without a token. The compiler compares its answer with the documented schema. */
export const openRoute = <S extends Field>(id: RouteId, route: JsonRoute<OpenRoute, S, undefined>): OpenRoute => ({
  ...complete(id, route),
  auth: 'none',
})
/** Declares a route of an application. The compiler compares its answer with the documented schema. */
export const callerRoute = <S extends Field>(id: RouteId, route: JsonRoute<CallerRoute, S, Caller>): CallerRoute => ({
  ...complete(id, route),
  auth: 'caller',
})
/** Declares a route within an organization. The compiler compares its answer with the documented schema. */
export const principalRoute = <S extends Field>(id: RouteId, route: JsonRoute<PrincipalRoute, S, Principal>): PrincipalRoute => ({
  ...complete(id, route),
  auth: 'principal',
})

/** Returns the value of a slot of the path; an absent slot is an empty string, which matches nothing. */
export const slot = (params: Exchange<unknown>['params'], name: string): string => params[name] ?? ''

/**
 * A page as it is sent: its cursor becomes the address of the next page, with the query of this one.
 * The address is relative, so it holds behind any proxy.
 */
export function nextPage<T>(path: string, query: Readonly<Record<string, unknown>>, page: Page<T>): Page<T> {
  if (page.next === null) return page
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string' && name !== 'cursor') next.set(name, value)
  next.set('cursor', page.next)
  return { data: page.data, next: `${path}?${next}` }
}

function showRate(exchange: Exchange<Principal>, { limit, remaining, resetMs }: RateState): void {
  exchange.setHeader('ratelimit-limit', String(limit))
  exchange.setHeader('ratelimit-remaining', String(remaining))
  exchange.setHeader('ratelimit-reset', String(Math.ceil(resetMs / 1_000)))
}

/** Describes the call of a request; headers show the remaining calls (RateLimit-Limit, -Remaining, -Reset in seconds). */
export const toArriving = (exchange: Exchange<Principal>): ArrivingCall => ({
  organizationId: exchange.who.organizationId,
  signal: exchange.signal,
  onRate: (rate) => showRate(exchange, rate),
})

/**
 * Runs a call within the organization's limits. It keeps its slot among the concurrent calls, and its memory, until the answer was sent to
 * its last byte and the call has ended.
 * @throws FerruleError `rate_limited`, `overloaded`, and what `run` throws
 */
export const limited = <A extends Answer>(
  exchange: Exchange<Principal>,
  { platform }: Pick<Services, 'platform'>,
  run: (bounds: CallBounds) => Promise<A>,
): Promise<A> =>
  platform.admission.admit(toArriving(exchange), (bounds, hold) => {
    hold((end) => exchange.onEnd(end))
    return run(bounds)
  })

/** Returns a service of the copies. @throws FerruleError `context_store_unavailable` in a service without copies */
export function requireCopies<T>(service: T | undefined): T {
  if (service === undefined) throw fail('context_store_unavailable', {})
  return service
}
