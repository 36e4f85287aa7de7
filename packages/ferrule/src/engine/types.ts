/** The types of a call, inferred from the definition: parameters, records and meta. Nothing is generated. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { LiveAction } from '../definition/entity.ts'
import type { Fields, Flat } from '../definition/fields.ts'
import type { CommonMeta, PageMeta } from '../definition/page.ts'
import type { RowForm, TypedRow } from '../values/rows/rows.ts'
import type { ListPage, WalkOptions } from '../values/walks/walk.ts'

/** Lets optional fields be null, which counts as absent: `next_params` uses null to remove a filter. */
type NullIsAbsent<P> = { [K in keyof P]: Record<never, never> extends Pick<P, K> ? P[K] | null : P[K] }
/** The action that only connectors of the service have. */
export type SearchAction = 'context_store_search'
/** Stands for the parameters of a search, whose types the hosted client adds. */
type SearchedElsewhere = { readonly searched: never }
/** Parameters of an action of an entity; `never` if the entity lacks the action. */
export type ParamsOf<E, A> = E extends { readonly [K in A & string]: { readonly params: infer P } }
  ? NullIsAbsent<Flat<P>>
  : A extends SearchAction
    ? SearchedElsewhere
    : never
/** Record of an entity: the documented fields. At run time the record also has the vendor's other fields. */
export type RecordOf<E> = E extends { readonly record: infer R } ? Flat<R> : never
/** Meta of a list: the documented keys of its shape, and `next_params`. */
export type MetaOf<E> = (E extends { readonly list: { readonly page: infer S } }
  ? PageMeta[S extends keyof PageMeta ? S : 'next']
  : PageMeta['none']) &
  CommonMeta<ParamsOf<E, 'list'>>
/** An operation whose whole answer is a result in parts. */
interface InParts {
  readonly page: 'statement'
}
/** Meta of a result in parts. `next_params` belong to the operation that returns the next part. */
export type PartMeta = PageMeta['statement'] & CommonMeta<Record<string, unknown>>

/** A file in transfer to the caller. */
export interface Download {
  /** 200 for the whole file, 206 for a range. */
  readonly status: 200 | 206
  /** Content type, for example `audio/mpeg`. */
  readonly type: string
  /** Number of bytes of this answer; null if the vendor omits it. */
  readonly length: number | null
  /** `bytes a-b/total` of a range. */
  readonly range: string | null
  /** A suggested file name. */
  readonly name: string
  /** Entity tag of the file; null if the vendor omits it. Two downloads with the same tag, unless it is weak (`W/`), are of the same bytes. */
  readonly etag: string | null
  /** The bytes. Fails if the vendor cuts the transfer. Cancel it to stop the vendor's transfer. */
  readonly stream: ReadableStream<Uint8Array>
}

/** One result of a statement, or one part of the result. */
export interface ResultPart<E> {
  readonly data: RecordOf<E>
  readonly meta: PartMeta
}

/** One part of a result with its rows. */
export interface ReadyPart<E> {
  readonly data: RecordOf<E> & WithRows<RecordOf<E>>
  readonly meta: PartMeta
}
type WithRows<R> = R extends { readonly data: infer Rows } ? { readonly data: NonNullable<Rows> } : unknown

/** The result of an action. */
export type ResultOf<E, A> = E extends { readonly [K in A & string]: InParts }
  ? ResultPart<E>
  : A extends 'list'
    ? ListPage<RecordOf<E>, MetaOf<E>>
    : A extends 'download'
      ? Download
      : A extends SearchAction
        ? unknown // the hosted client adds the type
        : { readonly data: AnswerOf<E, E extends { readonly [K in A & string]: infer O } ? O : never>; readonly meta: Record<never, never> }

/** The record that an action answers: all of it, what the vendor answers of it, or nothing. */
type AnswerOf<E, O> = O extends { readonly answers: 'nothing' }
  ? Record<never, never>
  : O extends { readonly answers: 'part' }
    ? Partial<RecordOf<E>>
    : RecordOf<E>

/** Live actions of an entity. */
export type ActionsOf<E> = keyof E & LiveAction

/**
 * The arguments after the action: parameters (optional if none is required) and options. A missing operation accepts any arguments, so that
 * the compiler reports the entity or action and not the number of arguments.
 */
export type ParamsArgument<P, O = CallOptions> = [P] extends [never]
  ? unknown[]
  : keyof P extends never
    ? [params?: Record<string, never>, options?: O] // the type `{}` accepts any object
    : Record<never, never> extends P
      ? [params?: P, options?: O]
      : 'searched' extends keyof P
        ? never
        : [params: P, options?: O]
type WalkArgument<P> = ParamsArgument<P, CallOptions & WalkOptions>

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of the call in milliseconds; 60,000 by default. */
  readonly deadlineMs?: number | undefined
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** True: a transfer that breaks off continues by range, as long as the vendor says that the file is the same. */
  readonly resume?: boolean | undefined
}

/** Options of the actions that change something: they differ between the modes. */
type WriteAction = 'create' | 'update' | 'delete'
/** Options of an action. */
export type OptionsOf<A, W> = A extends 'download' ? DownloadOptions : A extends WriteAction ? W : CallOptions

/** One cell of a row, as the vendor writes it. */
export type Cell = string | null

/** Options of `rows()`. */
export interface RowOptions<As extends RowForm = RowForm> extends CallOptions, WalkOptions {
  /** `arrays` (default): the vendor's strings, in the order of the columns. `objects`: typed cells by the names of the columns. */
  readonly as?: As
}
interface Rows {
  readonly arrays: readonly Cell[]
  readonly objects: TypedRow
}

type ListWalkers<E> = E extends { readonly list: InParts }
  ? {
      /** Yields the parts of the result, each when its rows are there. The statement runs once. */
      parts(...args: WalkArgument<ParamsOf<E, 'list'>>): AsyncGenerator<ReadyPart<E>, void, undefined>
      /**
       * Yields the rows of all parts. The statement runs once, and memory holds one part at a time. Rows are arrays of the vendor's strings;
       * `{ as: 'objects' }` makes them objects with typed cells.
       */
      rows<As extends RowForm = 'arrays'>(
        ...args: ParamsArgument<ParamsOf<E, 'list'>, RowOptions<As>>
      ): AsyncGenerator<Rows[As], void, undefined>
    }
  : PositionWalkers<E>

type PositionWalkers<E> = 'list' extends keyof E
  ? {
      pages(...args: WalkArgument<ParamsOf<E, 'list'>>): AsyncGenerator<ListPage<RecordOf<E>, MetaOf<E>>, void, undefined>
      /** Yields the records of all pages. */
      records(...args: WalkArgument<ParamsOf<E, 'list'>>): AsyncGenerator<RecordOf<E>, void, undefined>
    }
  : unknown

/** The actions of one entity as methods. @typeParam W options of writes */
export type EntityMethods<E, W = CallOptions> = {
  readonly [A in ActionsOf<E>]: (...args: ParamsArgument<ParamsOf<E, A>, OptionsOf<A, W>>) => Promise<ResultOf<E, A>>
} & ListWalkers<E>

type Entities<D extends ConnectorDefinition> = D['entities']
type EntityName<D extends ConnectorDefinition> = keyof Entities<D> & string
type ListEntity<D extends ConnectorDefinition> = keyof {
  [N in EntityName<D> as Entities<D>[N] extends { readonly list: InParts } ? never : 'list' extends keyof Entities<D>[N] ? N : never]: N
}

/** Names that a connector uses itself. Entities with these names are reached by `entity(name)`. */
export type MemberName = 'execute' | 'pages' | 'records' | 'parts' | 'rows' | 'changes' | 'entity' | 'check' | 'id' | 'close'

/** What a connector has beside `execute` and its entities. */
export interface ConnectorMethods<D extends ConnectorDefinition> {
  /**
   * Walks the pages of a list.
   * @throws FerruleError
   */
  pages<N extends ListEntity<D>>(
    entity: N,
    ...args: WalkArgument<ParamsOf<Entities<D>[N], 'list'>>
  ): AsyncGenerator<ListPage<RecordOf<Entities<D>[N]>, MetaOf<Entities<D>[N]>>, void, undefined>
  /**
   * Walks the records of all pages of a list.
   * @throws FerruleError
   */
  records<N extends ListEntity<D>>(
    entity: N,
    ...args: WalkArgument<ParamsOf<Entities<D>[N], 'list'>>
  ): AsyncGenerator<RecordOf<Entities<D>[N]>, void, undefined>
  /**
   * Proves the credentials with one cheap call.
   * @throws FerruleError `upstream_auth_failed` and others
   */
  check(options?: CallOptions): Promise<void>
  /** Closes the connections. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A connector with its operations, typed by its definition. It lacks `context_store_search`, which needs the hosted platform. */
export type LocalConnector<D extends ConnectorDefinition> = {
  /**
   * Runs an action on an entity.
   * @throws FerruleError
   */
  execute<N extends keyof Entities<D> & string, A extends ActionsOf<Entities<D>[N]>>(
    entity: N,
    action: A,
    ...args: ParamsArgument<ParamsOf<Entities<D>[N], A>, OptionsOf<A, CallOptions>>
  ): Promise<ResultOf<Entities<D>[N], A>>
  /**
   * Returns the actions of an entity: the way to those whose names the connector uses itself, such as `pages`.
   * @throws FerruleError `entity_not_found`
   */
  entity<N extends EntityName<D>>(name: N): EntityMethods<Entities<D>[N]>
} & ConnectorMethods<D> & { readonly [N in Exclude<EntityName<D>, MemberName>]: EntityMethods<Entities<D>[N]> }

type Schemes<D extends ConnectorDefinition> = { [S in keyof D['credentials']]: D['credentials'][S]['fields'] }
type FieldName<F> = F extends unknown ? keyof F : never
type Foreign<F, All> = { [K in Exclude<FieldName<All>, keyof F>]?: never }
type OneScheme<F, All> = F extends Fields
  ? { [K in keyof (Flat<F> & Foreign<F, All>)]: (Flat<F> & Foreign<F, All>)[K] } // one object type, because compiler messages show it
  : never
/** Credentials of a kind: the fields of exactly one of its schemes. */
export type CredentialsOf<D extends ConnectorDefinition> = OneScheme<Schemes<D>[keyof Schemes<D>], Schemes<D>[keyof Schemes<D>]>
/** Configuration of a kind. */
export type ConfigurationOf<D extends ConnectorDefinition> = Flat<D['configuration']>
