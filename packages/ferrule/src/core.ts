/**
 * The entry `ferrule/core`: connectors without the kinds. Import the kinds that you use, or none for connectors of the service.
 *
 * ```ts
 * import { connect } from 'ferrule/core'
 * import { gong } from 'ferrule/gong'
 * const local = connect(gong, { credentials: { access_key: '…', access_key_secret: '…' } })
 * const hosted = connect('gong', { url: 'https://ferrule.example.com', token: '…' })
 * ```
 */
import { connectHosted, type HostedOptions, readHostedOptions } from './client/connect.ts'
import type { HostedConnector } from './client/types.ts'
import type { kinds } from './connectors/index.ts'
import type { ConnectorDefinition } from './definition/connector.ts'
import { isObject } from './definition/object.ts'
import type { ConnectOptions, ModeOptions } from './engine/local.ts'
import type { LocalConnector } from './engine/types.ts'
import { failValidation } from './errors.ts'
import type { ConnectableKind } from './kinds/connectable.ts'

export type { AnyAnswer, AnyRequest } from './client/any-route.ts'
export type { HostedOptions } from './client/connect.ts'
export { Ferrule } from './client/ferrule.ts'
export type { CreateOptions } from './client/resources/connectors.ts'
export type { FilterOf, RowOf, SortOf, WireSearchOf } from './client/search-types.ts'
export type { ServiceOptions } from './client/settings.ts'
export type { RequestOptions } from './client/transport.ts'
export type {
  AggregatePage,
  Change,
  ConnectorChange,
  ExportDownload,
  HostedConnector,
  SearchOptions,
  SearchPage,
  WriteOptions,
} from './client/types.ts'
export { type ReceivedWebhook, verifyWebhook } from './client/webhook-signature.ts'
export type { OwnRates, RateStore, RateWish } from './engine/limits/own-rates.ts'
export type { ConnectOptions } from './engine/local.ts'
export type { CallOptions, Download, DownloadOptions, LocalConnector } from './engine/types.ts'
export { type ErrorCode, type Fault, FerruleError, type Problem, type ProblemDetails, type Upstream } from './errors.ts'
export type { ConnectableKind } from './kinds/connectable.ts'
export { formatFilter } from './values/filter/format.ts'
export { type FilterCondition, parseFilter } from './values/filter/parse.ts'
export type { ListPage, WalkOptions } from './values/walks/walk.ts'

/** Options for a slug, which only a service takes, or for a kind itself. */
type OptionsOf<T> = T extends ConnectableKind<infer D> ? ModeOptions<D, HostedOptions> : HostedOptions

/** Kinds by slug, with the types of their definitions. */
export type Kinds = { readonly [K in keyof typeof kinds]: (typeof kinds)[K]['definition'] }
/** Slug of a kind. */
export type KindName = keyof Kinds

/**
 * Makes a typed connector. Synchronous: nothing is sent until you call an operation.
 * @param kind the kind, from an entry such as `ferrule/gong`; for a connector of the service its slug is enough
 * @param options `credentials` call the vendor; `url` (or FERRULE_URL) calls the service
 * @throws FerruleError `credentials_mismatch`, `validation_failed`, `setting_invalid`
 */
export function connect<D extends ConnectorDefinition>(kind: ConnectableKind<D>, options: ConnectOptions<D>): LocalConnector<D>
export function connect<D extends ConnectorDefinition>(kind: ConnectableKind<D>, options?: HostedOptions): HostedConnector<D>
export function connect<K extends KindName>(kind: K, options?: HostedOptions): HostedConnector<Kinds[K]>
/** Takes the options of either mode. The compiler describes wrong options by this signature, at the wrong field. */
export function connect<T extends KindName | Pick<ConnectableKind<ConnectorDefinition>, 'definition'>>(
  kind: T,
  options: OptionsOf<T>,
): object
export function connect<D extends ConnectorDefinition>(
  kind: ConnectableKind<D> | string,
  options?: HostedOptions | ConnectOptions<D>,
): object {
  const hosted = readHostedOptions(options)
  if (hosted !== undefined) return connectHosted(typeof kind === 'string' ? kind : kind.definition.kind, hosted)
  if (typeof kind !== 'string') return kind.connectLocally(options as ConnectOptions<D>) // checked there: JavaScript callers may omit what the types demand
  throw failSlug(kind, options)
}

/** Builds the error of a slug that cannot be connected here: kinds are values, and no service is named. */
function failSlug(kind: string, options: unknown): Error {
  const message = `need the kind itself: import it from 'ferrule/${kind}' and give it to connect instead of '${kind}'`
  if (isObject(options) && options['credentials'] !== undefined)
    return failValidation([{ field: '/credentials', message, error_code: 'kind' }])
  return failValidation([
    { field: '/url', message: 'is required: give the address of the service, or set FERRULE_URL', error_code: 'value' },
  ])
}
