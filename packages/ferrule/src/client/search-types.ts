/**
 * The types of searches. A search takes its parameters as the type `P` that the compiler infers from the call. `P` must satisfy a type made
 * from itself, which has a sentence where a mistake is. The compiler's first line shows that sentence.
 */

import type { Static, TSchema } from '../definition/schema-types.ts'
import type { FollowPath, Nowhere, PathOf } from './path-types.ts'

/** A compile error as a sentence. */
interface Wrong<Sentence extends string> {
  readonly wrong: Sentence
}

type Schemas = Readonly<Record<string, TSchema>>
type SearchableOf<E> = E extends { readonly context_store_search: infer F extends Schemas } ? F : never
type KeyOf<E> = E extends { readonly key: readonly (infer K)[] } ? K : never
type NullOf<E, K> = E extends { readonly record: infer R extends Schemas } ? (K extends keyof R ? Extract<Static<R[K]>, null> : null) : null

/** A record of a search with all searchable fields. A field can be null where the entity's record can, or lacks the field. */
export type RowOf<E> = {
  [K in keyof SearchableOf<E>]: Static<SearchableOf<E>[K]> | (K extends KeyOf<E> ? never : NullOf<E, K>)
}

type Order = 'gt' | 'gte' | 'lt' | 'lte'
type Words = 'like' | 'fuzzy' | 'keyword'
type FieldOperator = 'eq' | 'neq' | Order | 'in' | Words | 'contains' | 'any'
type Operator = FieldOperator | 'not' | 'and' | 'or'

/** A value of a filter. A `Date` is sent as ISO 8601. */
type FilterValue = string | number | bigint | boolean | Date | null | readonly FilterValue[] | { readonly [name: string]: FilterValue }

/** Values that fields of a class are compared with. */
interface Comparable {
  readonly text: string | number | bigint | Date
  readonly number: number | bigint | `${number}`
  readonly truth: boolean
  readonly list: Exclude<FilterValue, null>
  readonly object: { readonly [name: string]: FilterValue }
  readonly any: Exclude<FilterValue, null>
}

/** What a field holds. `any`: the vendor decides. */
type ClassOf<V> = unknown extends V
  ? 'any'
  : [V] extends [string | null]
    ? 'text'
    : [V] extends [number | bigint | null]
      ? 'number'
      : [V] extends [boolean | null]
        ? 'truth'
        : [V] extends [readonly unknown[] | null]
          ? 'list'
          : [Extract<V, readonly unknown[]>] extends [never]
            ? 'object'
            : 'any'

/** Classes of the fields that an operator is offered for. */
type Suited<Op> = Op extends 'contains' | 'any'
  ? 'list' | 'any'
  : Op extends Order
    ? 'text' | 'number' | 'list' | 'any'
    : Op extends Words
      ? 'text' | 'number' | 'list' | 'object' | 'any'
      : Op extends 'in'
        ? 'text' | 'number' | 'truth' | 'list' | 'any'
        : keyof Comparable

/** Paths that the editor offers for fields of some classes. */
type Offered<Row, Class> = { [K in keyof Row & string]: OfferedAt<Row[K], Class, K> }[keyof Row & string]
type OfferedAt<V, Class, At extends string> = (ClassOf<V> extends Class ? At : never) | OfferedBelow<V, Class, At>
type OfferedBelow<V, Class, At extends string> = unknown extends V
  ? never
  : V extends readonly (infer Item)[]
    ? OfferedBelow<Item, Class, At>
    : V extends object
      ? string extends keyof V
        ? `${At}.${string}`
        : { [K in keyof V & string]: OfferedAt<NonNullable<V[K]>, Class, `${At}.${K}`> }[keyof V & string]
      : never

type NoField<Path, Entity extends string> = Path extends string ? Wrong<`'${Path}' is no searchable field of ${Entity}`> : never
type Unsuited<Op, Class, Path extends string> = Op extends 'contains' | 'any'
  ? Wrong<`'${Path}' is no list, which ${Op} needs`>
  : Class extends 'truth'
    ? Wrong<`'${Path}' is true or false, which ${Op & string} cannot compare; use eq`>
    : Op extends 'in'
      ? Wrong<`'${Path}' is an object, which in cannot compare; use eq, or a path into it`>
      : Wrong<`'${Path}' is an object and has no order; use a path into it`>

type Operand<Op, Class extends keyof Comparable> = Op extends 'eq' | 'neq'
  ? Comparable[Class] | null
  : Op extends 'in'
    ? readonly (Comparable[Class] | null)[]
    : Op extends Words
      ? string
      : Op extends Order
        ? Comparable[Class extends 'number' ? 'number' : 'text']
        : FilterValue

type ElementOf<V> = V extends readonly (infer Item)[] ? Item : Record<string, unknown>
type CheckElements<Q, V, Path extends string, Entity extends string> =
  ElementOf<NonNullable<V>> extends infer Item
    ? Item extends object
      ? CheckFilter<Q, Item, Entity>
      : Wrong<`'${Path}' lists plain values; use contains`>
    : never

type CheckOperand<Op, V, Path extends string, Entity extends string> = [V] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<V> extends infer Class extends keyof Comparable
    ? Class extends Suited<Op>
      ? Operand<Op, Class>
      : Unsuited<Op, Class, Path>
    : never

type Get<T, K> = K extends keyof T ? T[K] : unknown
type CheckOperands<Q, Op, Row, Entity extends string> = {
  readonly [P in keyof Q | Offered<Row, Suited<Op>>]?: P extends string ? CheckOperand<Op, FollowPath<Row, P>, P, Entity> : never
}
type CheckAny<Q, Row, Entity extends string> = {
  readonly [P in keyof Q | Offered<Row, 'list' | 'any'>]?: P extends string
    ? CheckOperand<'any', FollowPath<Row, P>, P, Entity> extends infer Refusal extends Wrong<string>
      ? Refusal
      : CheckElements<Get<Q, P>, FollowPath<Row, P>, P, Entity>
    : never
}
type CheckFilters<Q, Row, Entity extends string> = Q extends readonly unknown[]
  ? { readonly [I in keyof Q]: CheckFilter<Q[I], Row, Entity> }
  : readonly CheckFilter<unknown, Row, Entity>[]

/** What a condition of a filter must be. */
type CheckFilter<Q, Row, Entity extends string> = {
  readonly [Op in keyof Q | Operator]?: Op extends 'and' | 'or'
    ? CheckFilters<Get<Q, Op>, Row, Entity>
    : Op extends 'not'
      ? CheckFilter<Get<Q, Op>, Row, Entity>
      : Op extends 'any'
        ? CheckAny<Get<Q, Op>, Row, Entity>
        : Op extends FieldOperator
          ? CheckOperands<Get<Q, Op>, Op, Row, Entity>
          : Wrong<`'${Op & string}' is no operator of a filter`>
}

type Direction = 'asc' | 'desc'
type Single = 'text' | 'number' | 'truth'
type Sortable<Row> = { [K in keyof Row]: ClassOf<Row[K]> extends Single ? K : never }[keyof Row]
type CheckDirection<Row, K, Entity extends string> = K extends '_relevance'
  ? 'desc'
  : K extends keyof Row
    ? ClassOf<Row[K]> extends Single
      ? Direction
      : Wrong<`'${K & string}' is no single value, so nothing can be sorted by it`>
    : [FollowPath<Row, K>] extends [Nowhere]
      ? NoField<K, Entity>
      : Wrong<`'${K & string}' is a path into a field, and only whole fields can be sorted by`>
type IsSeveral<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never
type CheckKey<Q, Row, Entity extends string> =
  true extends IsSeveral<keyof Q>
    ? Wrong<'an entry of a sort names one field; the next field is the next entry'>
    : { readonly [K in keyof Q | Sortable<Row> | '_relevance']?: CheckDirection<Row, K, Entity> }
type CheckSort<Q, Row, Entity extends string> = Q extends readonly unknown[]
  ? { readonly [I in keyof Q]: CheckKey<Q[I], Row, Entity> }
  : readonly CheckKey<unknown, Row, Entity>[]

type CheckField<Q, Row, Entity extends string> = [FollowPath<Row, PathOf<Q>>] extends [Nowhere]
  ? string extends Q
    ? Wrong<'fields must be known to the compiler; declare the list as const'>
    : NoField<PathOf<Q>, Entity>
  : Q
type CheckFields<Q, Row, Entity extends string> = Q extends readonly unknown[]
  ? { readonly [I in keyof Q]: CheckField<Q[I], Row, Entity> }
  : readonly (Offered<Row, keyof Comparable> | readonly string[])[]

/** Parameters beside those that say which records. */
interface Plain {
  readonly limit: number | null
  readonly cursor: string | null
  readonly format: 'ndjson' | 'csv'
}
/** Names of the parameters by what is called. */
interface ParamNames {
  readonly search: 'filter' | 'sort' | 'fields' | 'limit' | 'cursor'
  readonly walk: 'filter' | 'sort' | 'fields' | 'limit'
  readonly export: 'filter' | 'sort' | 'fields' | 'format'
}
type CheckParam<Name, Q, Row, Entity extends string> = Name extends 'filter'
  ? string | CheckFilter<Q, Row, Entity>
  : Name extends 'sort'
    ? CheckSort<Q, Row, Entity>
    : Name extends 'fields'
      ? CheckFields<Q, Row, Entity>
      : Plain[Name & keyof Plain]

/**
 * What the parameters of a search must be.
 *
 * - `filter`: conditions as the service takes them, or as text: `title fuzzy "pricing" and started >= 2026-01-01`
 * - `sort`: a list such as `[{ started: 'desc' }, { title: 'asc' }]`
 * - `fields`: paths such as `metaData.title`; all searchable fields if left out
 * - `limit`: rows of a page, 1 to 10,000; 1,000 by default
 * - `cursor`: `meta.cursor` of the page before, with the same filter, sort and fields
 * - `format` of an export: `ndjson` (default) or `csv`
 */
export type CheckSearch<Q, Call extends keyof ParamNames, Row, Entity extends string> = {
  readonly [K in keyof Q | ParamNames[Call]]?: K extends ParamNames[Call]
    ? CheckParam<K, Get<Q, K>, Row, Entity>
    : Wrong<`'${K & string}' is no parameter of ${Call extends 'export' ? 'an' : 'a'} ${Call}`>
}

type CheckQuery<Q, Row, Entity extends string> = {
  readonly [K in keyof Q | 'filter' | 'sort']?: K extends 'filter'
    ? CheckFilter<Get<Q, K>, Row, Entity> | null
    : K extends 'sort'
      ? CheckSort<Get<Q, K>, Row, Entity> | null
      : Wrong<`'${K & string}' is no part of a query, which has filter and sort`>
}
type WireName = 'fields' | 'limit' | 'cursor'

/** What the parameters of `context_store_search` must be: those of the service. */
export type CheckWireSearch<Q, Row, Entity extends string> = { readonly query: CheckQuery<Get<Q, 'query'>, Row, Entity> } & {
  readonly [K in Exclude<keyof Q, 'query'> | WireName]?: K extends WireName
    ? CheckParam<K, Get<Q, K>, Row, Entity>
    : Wrong<`'${K & string}' is no parameter of context_store_search`>
}

/** Parameters of `context_store_search` of an entity, for a value that is built elsewhere. */
export type WireSearchOf<E> = CheckWireSearch<unknown, RowOf<E>, 'the entity'>
/** Filter of an entity, for a value that is built elsewhere: `FilterOf<Kinds['gong']['entities']['calls']>`. */
export type FilterOf<E> = CheckFilter<unknown, RowOf<E>, 'the entity'>
/** Sort of an entity, for a value that is built elsewhere. */
export type SortOf<E> = readonly {
  [K in Sortable<RowOf<E>> | '_relevance']: { readonly [F in K]: CheckDirection<RowOf<E>, F, 'the entity'> }
}[Sortable<RowOf<E>> | '_relevance'][]
