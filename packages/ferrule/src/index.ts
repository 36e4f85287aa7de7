/**
 * Ferrule as a library: typed connectors for external systems, with your own credentials and without a platform.
 *
 * ```ts
 * import { connect } from 'ferrule'
 * const gong = connect('gong', { credentials: { access_key: '…', access_key_secret: '…' } })
 * for await (const call of gong.calls.records({ fromDateTime: '2026-01-01T00:00:00Z' })) console.log(call.title)
 * ```
 */
import { connectHosted, type HostedOptions, readHostedOptions } from './client/connect.ts'
import type { HostedConnector } from './client/types.ts'
import { kinds } from './connectors/index.ts'
import type { KindName, Kinds } from './core.ts'
import type { Kind } from './definition/connector.ts'
import { type ConnectOptions, connectLocally, type ModeOptions } from './engine/local.ts'
import type { LocalConnector } from './engine/types.ts'
import { fail } from './errors.ts'

export type { AnyAnswer, AnyRequest } from './client/any-route.ts'
export type { HostedOptions } from './client/connect.ts'
export { type EverySearch, Ferrule } from './client/ferrule.ts'
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
export type { KindName, Kinds } from './core.ts'
export type { VendorNotice } from './engine/connection.ts'
export type { OriginOverride } from './engine/http/origin.ts'
export type { OwnRates, RateStore, RateWish } from './engine/limits/own-rates.ts'
export type { ConnectOptions } from './engine/local.ts'
export type {
  CallOptions,
  Cell,
  ConfigurationOf,
  CredentialsOf,
  Download,
  DownloadOptions,
  LocalConnector,
  MetaOf,
  ParamsOf,
  PartMeta,
  ReadyPart,
  RecordOf,
  ResultPart,
  RowOptions,
} from './engine/types.ts'
export { type ErrorCode, type Fault, FerruleError, type Problem, type ProblemDetails, type Upstream } from './errors.ts'
export { formatFilter } from './values/filter/format.ts'
export { type FilterCondition, parseFilter } from './values/filter/parse.ts'
export type { TypedCell } from './values/rows/cells.ts'
export type { RowForm, TypedRow } from './values/rows/rows.ts'
export type { ListPage, WalkOptions } from './values/walks/walk.ts'

/**
 * Makes a typed connector of a kind. Synchronous: nothing is sent until you call an operation.
 * @param kind slug, for example `gong`
 * @param options `credentials` call the vendor; `url` (or FERRULE_URL) calls the service
 * @throws FerruleError `connector_type_not_found`, `credentials_mismatch`, `validation_failed`, `setting_invalid`
 */
export function connect<K extends KindName>(kind: K, options: ConnectOptions<Kinds[K]>): LocalConnector<Kinds[K]>
export function connect<K extends KindName>(kind: K, options?: HostedOptions): HostedConnector<Kinds[K]>
/** Takes the options of either mode. The compiler describes wrong options by this signature, at the wrong field. */
export function connect<K extends KindName>(
  kind: K,
  options: ModeOptions<Kinds[K], HostedOptions>,
): LocalConnector<Kinds[K]> | HostedConnector<Kinds[K]>
export function connect<K extends KindName>(kind: K, options?: HostedOptions | ConnectOptions<Kinds[K]>): object {
  const hosted = readHostedOptions(options)
  if (hosted !== undefined) return connectHosted(kind, hosted)
  if (!Object.hasOwn(kinds, kind)) throw fail('connector_type_not_found', { given: String(kind), known: Object.keys(kinds).join(', ') })
  const known: { readonly [N in KindName]: Kind<Kinds[N]> } = kinds
  return connectLocally<Kinds[K]>(known[kind], options as ConnectOptions<Kinds[K]>) // checked there: JavaScript has no types
}

/** Lists the slugs of all kinds. */
export const listKinds = (): KindName[] => Object.keys(kinds) as KindName[] // the keys of a constant
