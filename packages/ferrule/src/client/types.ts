/** The types of a connector of the service: those of a local connector, and searches of the copy. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import type {
  ActionsOf,
  CallOptions,
  ConnectorMethods,
  Download,
  EntityMethods,
  MemberName,
  OptionsOf,
  ParamsArgument,
  ParamsOf,
  ResultOf,
  SearchAction,
} from '../engine/types.ts'
import type { WalkOptions } from '../values/walks/walk.ts'
import type { AggregateMeta, Freshness, SearchMeta } from '../wire/execute-request.ts'
import type { ChangesParams, ConnectorChangesParams } from './changes.ts'
import type {
  AggregateRow,
  CheckAggregate,
  CheckSearch,
  CheckWireSearch,
  Include,
  PathOf,
  Project,
  RowOf,
  WireSearchOf,
} from './search-types.ts'

/** Options of a create, an update or a delete. */
export interface WriteOptions extends CallOptions {
  /**
   * Key of the call (`Idempotency-Key`). The service carries out one call of a key within 24 hours, and answers repetitions with the first
   * answer. Default: a new key for each call, kept over its attempts.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /** Maximum age of the copy in seconds (the service's `max_age`). An older copy is refreshed first, or the error is `context_store_stale`. */
  readonly maxAge?: number | undefined
  /** True accepts what is there during the first filling (the service's `allow_partial`); `context_store.complete` is false then. */
  readonly allowPartial?: boolean | undefined
}

/** A page of a search. */
export interface SearchPage<Row> {
  readonly data: Row[]
  readonly meta: SearchMeta
  /** How fresh the copy is. */
  readonly context_store: Freshness
}

/** A page of an aggregate. */
export interface AggregatePage<Row> {
  readonly data: Row[]
  readonly meta: AggregateMeta
  /** How fresh the copy is. */
  readonly context_store: Freshness
}

/** An export in transfer. */
export interface ExportDownload extends Download {
  /** How fresh the copy is; null before its first filling. */
  readonly context_store: Pick<Freshness, 'synced_at' | 'verified_at'>
}

/** What happened to a record, or a mark around all records. */
export type Change<Row> = {
  /** Where to continue when this entry and all before it are stored; undefined within the first page: begin again. */
  readonly cursor: string | undefined
} & (
  | { readonly type: 'snapshot_begin' | 'snapshot_end' }
  | { readonly type: 'present'; readonly key: string; readonly record: Row }
  | ({ readonly key: string; readonly cause: 'sync' | 'live' | 'webhook'; readonly changed_at: string } & (
      | { readonly type: 'added'; readonly record: Row }
      | { readonly type: 'changed'; readonly record: Row; readonly fields: readonly string[] }
      | { readonly type: 'removed' }
    ))
)

type FieldsIn<P> = P extends { readonly fields: readonly (infer Names)[] } ? PathOf<Names> : never
/** What rows come with of the records that they refer to. */
type Related<P> = P extends { readonly include: infer I extends Include }
  ? { readonly _related: { readonly [Reference in keyof I]: Readonly<Record<string, unknown>> | null } }
  : unknown
type Selected<Row, P> = Project<Row, FieldsIn<P>> & Related<P>

/** Searches of the copy of one entity. */
export interface Search<Row, Entity extends string> {
  /**
   * Searches the copy, and returns one page.
   * @throws FerruleError `context_store_not_ready`, `context_store_stale` and others
   */
  <const P extends CheckSearch<P, 'search', Row, Entity>>(params?: P, options?: SearchOptions): Promise<SearchPage<Selected<Row, P>>>
  /** Yields the rows of all pages. `limit` is the number of rows of a page. */
  records<const P extends CheckSearch<P, 'walk', Row, Entity>>(
    params?: P,
    options?: SearchOptions & WalkOptions,
  ): AsyncGenerator<Selected<Row, P>, void, undefined>
  /** Yields the pages. */
  pages<const P extends CheckSearch<P, 'walk', Row, Entity>>(
    params?: P,
    options?: SearchOptions & WalkOptions,
  ): AsyncGenerator<SearchPage<Selected<Row, P>>, void, undefined>
}

/** What a searchable entity has beside its actions. */
export interface Searches<Row, Entity extends string> {
  readonly search: Search<Row, Entity>
  /**
   * Searches the copy with the parameters as the service takes them.
   * @throws FerruleError as `search`
   */
  context_store_search<const P extends CheckWireSearch<P, Row, Entity>>(
    params: P,
    options?: SearchOptions,
  ): Promise<SearchPage<Selected<Row, P>>>
  /**
   * Counts and groups the records of the copy, exact to the last digit (docs/search.md).
   * @throws FerruleError as `search`
   */
  aggregate<const P extends CheckAggregate<P, Row, Entity>>(
    params?: P,
    options?: SearchOptions,
  ): Promise<AggregatePage<AggregateRow<P, Row> & Related<P>>>
  /**
   * Exports all rows that the filter finds, as a stream.
   * @throws FerruleError as `search`
   */
  export<const P extends CheckSearch<P, 'export', Row, Entity>>(params?: P, options?: SearchOptions): Promise<ExportDownload>
  /**
   * Yields all records, then what changes, forever. With `after` only what changed since.
   * @throws FerruleError `changes_expired` (begin again without `after`), `context_store_not_ready` and others
   */
  changes(params?: ChangesParams, options?: CallOptions): AsyncGenerator<Change<Row>, void, undefined>
}

type SearchesOf<E, Entity extends string> = E extends { readonly context_store_search: object } ? Searches<RowOf<E>, Entity> : unknown
type HostedActionsOf<E> = ActionsOf<E> | (keyof E & SearchAction)
type SearchArgument<E, A> = A extends SearchAction ? [params: WireSearchOf<E>, options?: SearchOptions] : never
/** A row can lack what `fields` leave out. */
type SearchResult<E, A> = A extends SearchAction ? SearchPage<Partial<RowOf<E>>> : unknown

type Entities<D extends ConnectorDefinition> = D['entities']
type EntityName<D extends ConnectorDefinition> = keyof Entities<D> & string

type SearchableEntity<D extends ConnectorDefinition> = {
  [N in EntityName<D>]: Entities<D>[N] extends { readonly context_store_search: object } ? N : never
}[EntityName<D>]

/** What happened in an entity of a connector: each entity has entries of its own type. */
export type ConnectorChange<D extends ConnectorDefinition, N extends SearchableEntity<D> = SearchableEntity<D>> = {
  [Entity in N]: Change<RowOf<Entities<D>[Entity]>> & { readonly entity: Entity }
}[N]

/**
 * A connector of the service with its operations, typed by its definition. It has everything that a local connector has, so that a program
 * for local connectors takes it, and searches.
 */
export type HostedConnector<D extends ConnectorDefinition> = {
  /**
   * Runs an action on an entity.
   * @throws FerruleError
   */
  execute<N extends EntityName<D>, A extends HostedActionsOf<Entities<D>[N]>>(
    entity: N,
    action: A,
    ...args: ParamsArgument<ParamsOf<Entities<D>[N], A>, OptionsOf<A, WriteOptions>> | SearchArgument<Entities<D>[N], A>
  ): Promise<ResultOf<Entities<D>[N], A> & SearchResult<Entities<D>[N], A>>
  /** Returns the actions of an entity: the way to those whose names the connector uses itself, such as `pages`. */
  entity<N extends EntityName<D>>(name: N): EntityMethods<Entities<D>[N], WriteOptions> & SearchesOf<Entities<D>[N], N>
  /** Returns the id of the connector. The service is asked for it once, unless it was given. */
  id(): Promise<string>
  /**
   * Yields the changes of all entities, each with the name of its entity: an entity begins with all its records as soon as it can be
   * searched, and again where its changes were lost. There is no order between entities.
   * @throws FerruleError `entity_not_found` and others
   */
  changes<N extends SearchableEntity<D> = SearchableEntity<D>>(
    params?: ConnectorChangesParams<N>,
    options?: CallOptions,
  ): AsyncGenerator<ConnectorChange<D, N>, void, undefined>
} & ConnectorMethods<D> & {
    readonly [N in Exclude<EntityName<D>, MemberName>]: EntityMethods<Entities<D>[N], WriteOptions> & SearchesOf<Entities<D>[N], N>
  }
