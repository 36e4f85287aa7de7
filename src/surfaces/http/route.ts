/** What a route is: a method, a path, its document and a function that translates. Routes know nothing of the HTTP library. */
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Kind } from '../../definition/connector.ts'
import type { Engine } from '../../engine/execute.ts'
import type { BodyMemory } from '../../engine/memory.ts'
import type { FileAnswer } from '../../engine/outcome.ts'
import type { FerruleError } from '../../errors.ts'
import type { ExecuteLimits } from '../../platform/execute-limits.ts'
import type { OperationServices } from '../../platform/operations.ts'
import type { Caller, Platform, Principal, Settings } from '../../platform/types.ts'
import type { Metrics } from '../metrics.ts'
import type { RouteDocument } from '../openapi/types.ts'
import type { PrintedDocument } from '../openapi.ts'
import type { Stopping } from '../stopping.ts'

/** What routes may use. */
export interface Services {
  readonly platform: Platform
  readonly engine: Pick<Engine, 'run' | 'check' | 'scopes'>
  readonly settings: Settings
  readonly kinds: readonly Kind[]
  /** Executing and checking, with the metrics attached. */
  readonly operations: OperationServices
  readonly limits: ExecuteLimits
  /** What the answers of vendors are counted in. */
  readonly memory: BodyMemory
  readonly metrics: Metrics
  readonly logger: Logger
  /** The API's document. */
  readonly openApi: () => PrintedDocument
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** How far the end of the service is. */
  readonly stopping: Pick<Stopping, 'isLeaving' | 'isDraining' | 'calls'>
}

/** One request, as a route sees it. */
export interface Exchange<Who> {
  /** Who asks; undefined at routes that take no token. */
  readonly who: Who
  /** Slots of the path, decoded. They can hold anything. */
  readonly params: Readonly<Record<string, string>>
  /** Values are texts, or arrays of texts for a repeated name. */
  readonly query: Readonly<Record<string, unknown>>
  /** A JSON object, or undefined when the request has no body. */
  readonly body: unknown
  /** Id of the request, as the answer names it. */
  readonly requestId: string
  /** Where the client asks from; a proxy's word counts where FERRULE_TRUSTED_PROXIES names it. */
  readonly address: string
  /** A request header by its lower-case name. */
  header(name: string): string | undefined
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  /** Adds a header to the answer, whether it becomes a success or an error. */
  setHeader(name: string, value: string): void
  /** Calls `ended` once the answer was sent or the client is gone. */
  onEnd(ended: () => void): void
  /** What the client is told when the service stops before the call has ended. Left out: a GET may be sent again, others not unseen. */
  whenStopped(error: FerruleError): void
}

/** What a route answers. `json` values are written with all digits of big integers; `notModified` has the headers of the whole answer (RFC 9110 section 15.4.5). */
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
  | { readonly redirect: string }

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Slots are written `{name}`. */
  readonly path: string
  /** Absent: the route is not part of the API's document. */
  readonly document?: RouteDocument
  /** Bodies that are read as a form too (RFC 6749); JSON is read everywhere. */
  readonly form?: boolean
}
/** A route without a token. */
export interface OpenRoute extends RouteBase {
  readonly auth: 'none'
  answer(exchange: Exchange<undefined>, services: Services): Answer | Promise<Answer>
}
/** A route of an application, before an organization is chosen. */
export interface CallerRoute extends RouteBase {
  readonly auth: 'caller'
  answer(exchange: Exchange<Caller>, services: Services): Answer | Promise<Answer>
}
/** A route within an organization. */
export interface PrincipalRoute extends RouteBase {
  readonly auth: 'principal'
  answer(exchange: Exchange<Principal>, services: Services): Answer | Promise<Answer>
}
/** One route of the service. */
export type Route = OpenRoute | CallerRoute | PrincipalRoute

/** Address of a connector in paths. */
export const connectorPath = '/api/v1/integrations/connectors/{connector_id}'

/** The value of a path's slot. The router guarantees it; an absent one matches nothing. */
export const slot = (exchange: Pick<Exchange<unknown>, 'params'>, name: string): string => exchange.params[name] ?? ''
