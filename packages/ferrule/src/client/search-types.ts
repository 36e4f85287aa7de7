/**
 * The types of searches. A search takes its parameters as the type `P` that the compiler infers from the call. `P` must satisfy a type made
 * from itself, which has a sentence where a mistake is. The compiler's first line shows that sentence.
 */

import type { Fields, Static } from '../definition/fields.ts'
import type { FieldOperator, FilterOperator, FormOf } from '../definition/operators.ts'
import type { MeasureFunction, TimeUnit } from '../values/aggregates.ts'
import type { FormulaMode } from '../values/csv.ts'

type SearchableOf<E> = E extends { readonly context_store_search: infer F extends Fields } ? F : never
type KeyOf<E> = E extends { readonly key: readonly (infer K)[] } ? K : never
type NullOf<E, K> = E extends { readonly record: infer R extends Fields } ? (K extends keyof R ? Extract<Static<R[K]>, null> : null) : null

/** A record of a search with all searchable fields. A field can be null where the entity's record can, or lacks the field. */
export type RowOf<E> = {
  [K in keyof SearchableOf<E>]: Static<SearchableOf<E>[K]> | (K extends KeyOf<E> ? never : NullOf<E, K>)
}

type PlainOperator = Exclude<FieldOperator, 'any'>
type ElementOf<V> = NonNullable<V> extends readonly (infer Item)[] ? Item : Record<string, unknown>

/** A filter without the sentences of mistakes. */
type OfferedFilter<Row> = {
  readonly [Op in PlainOperator]?: OfferedOperands<Row, Op>
} & {
  readonly any?: { readonly [P in Offered<Row, Suited<'any'>>]?: OfferedFilter<ElementOf<FollowPath<Row, P>>> }
  readonly not?: OfferedFilter<Row>
  readonly and?: readonly OfferedFilter<Row>[]
  readonly or?: readonly OfferedFilter<Row>[]
}

type Get<T, K> = K extends keyof T ? T[K] : unknown
type CheckAny<Q, V, Path extends string, Entity extends string> =
  CheckOperand<'any', V, Path, Entity> extends infer Refusal extends Wrong<string> ? Refusal : CheckConditions<Q, ElementOf<V>, Entity>
type CheckOperands<Q, Op extends FieldOperator, Row, Entity extends string> = {
  readonly [P in keyof Q]?: P extends string
    ? Op extends 'any'
      ? CheckAny<Q[P], FollowPath<Row, P>, P, Entity>
      : CheckOperand<Op, FollowPath<Row, P>, P, Entity>
    : never
}
/** The sentences of mistakes. A type with all operators was built elsewhere and has been checked there. */
type CheckConditions<Q, Row, Entity extends string> = FilterOperator extends keyof Q
  ? unknown
  : [Q] extends [string]
    ? Wrong<'a condition is an object'>
    : {
        readonly [Op in keyof Q]: Op extends 'and' | 'or'
          ? CheckEach<Q[Op], Row, Entity>
          : Op extends 'not'
            ? CheckConditions<Q[Op], Row, Entity>
            : Op extends FieldOperator
              ? CheckOperands<Q[Op], Op, Row, Entity>
              : Wrong<`'${Op & string}' is no operator of a filter`>
      }
type CheckEach<Q, Row, Entity extends string> = { readonly [I in keyof Q]: CheckConditions<Q[I], Row, Entity> }
type CheckFilter<Q, Row, Entity extends string> = OfferedFilter<Row> & CheckConditions<Q, Row, Entity>

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
    : { readonly [K in keyof Q]: CheckDirection<Row, K, Entity> }
/** A sort without the sentences of mistakes. */
type OfferedSort<Row> = readonly { readonly [K in Sortable<Row> | '_relevance']?: K extends '_relevance' ? 'desc' : Direction }[]
type CheckSort<Q, Row, Entity extends string> = OfferedSort<Row> & { readonly [I in keyof Q]: CheckKey<Q[I], Row, Entity> }

type CheckField<Q, Row, Entity extends string> = [FollowPath<Row, PathOf<Q>>] extends [Nowhere]
  ? string extends Q
    ? Wrong<'fields must be known to the compiler; declare the list as const'>
    : NoField<PathOf<Q>, Entity>
  : Q
type CheckFields<Q, Row, Entity extends string> = Q extends readonly unknown[]
  ? { readonly [I in keyof Q]: CheckField<Q[I], Row, Entity> }
  : readonly (Offered<Row, keyof Comparable> | readonly string[])[]

/** Parameters whose type no field changes. */
interface Plain {
  readonly text: string | null
  readonly limit: number | null
  readonly cursor: string | null
  readonly include: Include | null
  readonly format: 'ndjson' | 'csv' | 'parquet'
  readonly formulas: FormulaMode
}
/** Fields of a related record, and what that record refers to in turn. */
type IncludedFields = readonly (string | readonly string[] | Include)[]
/** Fields of related records that rows come with below `_related`, by what refers to them: `{ primaryUserId: ['firstName'] }`. */
export interface Include {
  readonly [reference: string]: IncludedFields
}

interface ParamNames {
  readonly search: 'filter' | 'text' | 'sort' | 'fields' | 'include' | 'limit' | 'cursor'
  readonly walk: 'filter' | 'text' | 'sort' | 'fields' | 'include' | 'limit'
  readonly export: 'filter' | 'text' | 'sort' | 'fields' | 'format' | 'formulas'
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
 * - `text`: words; each must be in some field that holds a string, as `fuzzy` finds it
 * - `sort`: a list such as `[{ started: 'desc' }, { title: 'asc' }]`
 * - `fields`: paths such as `metaData.title`; all searchable fields if left out
 * - `include`: fields of the records that rows refer to, `{ primaryUserId: ['firstName'] }`; rows have them below `_related`
 * - `limit`: rows of a page, 1 to 10,000; 1,000 by default
 * - `cursor`: `meta.cursor` of the page before, with the same filter, sort and fields
 * - `format` of an export: `ndjson` (default), `csv` or `parquet`
 * - `formulas` of an export as CSV: `mark` (default) puts a single quote before text that a spreadsheet would run, `keep` leaves it
 */
export type CheckSearch<Q, Call extends keyof ParamNames, Row, Entity extends string> = {
  readonly [K in ParamNames[Call]]?: CheckParam<K, Get<Q, K>, Row, Entity>
} & {
  readonly [K in Exclude<
    keyof Q,
    ParamNames[Call]
  >]: Wrong<`'${K & string}' is no parameter of ${Call extends 'export' ? 'an' : 'a'} ${Call}`>
}

type CheckQuery<Q, Row, Entity extends string> = {
  readonly filter?: CheckFilter<Get<Q, 'filter'>, Row, Entity> | null
  readonly text?: Plain['text']
  readonly sort?: CheckSort<Get<Q, 'sort'>, Row, Entity> | null
} & {
  readonly [K in Exclude<
    keyof Q,
    'filter' | 'text' | 'sort'
  >]: Wrong<`'${K & string}' is no part of a query, which has filter, text and sort`>
}
type WireName = 'query' | 'fields' | 'include' | 'limit' | 'cursor'

/** What the parameters of `context_store_search` must be: those of the service. */
export type CheckWireSearch<Q, Row, Entity extends string> = {
  readonly query: CheckQuery<Get<Q, 'query'>, Row, Entity>
  readonly fields?: CheckFields<Get<Q, 'fields'>, Row, Entity>
  readonly include?: Plain['include']
  readonly limit?: Plain['limit']
  readonly cursor?: Plain['cursor']
} & { readonly [K in Exclude<keyof Q, WireName>]: Wrong<`'${K & string}' is no parameter of context_store_search`> }

/** Parameters of `context_store_search` of an entity, for a value that is built elsewhere. */
export type WireSearchOf<E> = {
  readonly query: { readonly filter?: FilterOf<E> | null; readonly text?: Plain['text']; readonly sort?: SortOf<E> | null }
  readonly fields?: readonly (Offered<RowOf<E>, keyof Comparable> | readonly string[])[]
  readonly include?: Plain['include']
  readonly limit?: Plain['limit']
  readonly cursor?: Plain['cursor']
}
/** Filter of an entity, for a value that is built elsewhere: `FilterOf<Kinds['gong']['entities']['calls']>`. */
export type FilterOf<E> = OfferedFilter<RowOf<E>>
/** Sort of an entity, for a value that is built elsewhere. */
export type SortOf<E> = readonly {
  [K in Sortable<RowOf<E>> | '_relevance']: { readonly [F in K]: F extends '_relevance' ? 'desc' : Direction }
}[Sortable<RowOf<E>> | '_relevance'][]

/** Values that groups and measures take of a field: the elements of a list by themselves. */
type ValueOf<V> = unknown extends V ? unknown : NonNullable<V> extends readonly (infer Item)[] ? NonNullable<Item> : NonNullable<V>
type ValueAt<Row, Path> = ValueOf<FollowPath<Row, Path>>
type Grouped = 'text' | 'number' | 'truth' | 'any'

type CheckGrouped<Row, Path, Entity extends string> = [FollowPath<Row, Path>] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<ValueAt<Row, Path>> extends Grouped
    ? Path
    : Wrong<`'${Path & string}' is an object and has no single value; use a path into it`>
/** A path that leads nowhere has its own sentence. */
type CheckPeriod<Row, Path> = [FollowPath<Row, Path>] extends [Nowhere]
  ? TimeUnit
  : ClassOf<ValueAt<Row, Path>> extends 'text' | 'any'
    ? TimeUnit
    : Wrong<`'${Path & string}' is no time, which by needs`>
type CheckGroup<G, Row, Entity extends string> = G extends { readonly field: infer Path }
  ? {
      readonly field: CheckGrouped<Row, Path, Entity>
      readonly by?: CheckPeriod<Row, Path>
      readonly time_zone?: string
      readonly ranges?: readonly (number | bigint)[]
      readonly as?: string
    } & { readonly [K in Exclude<keyof G, GroupPart>]: Wrong<`'${K & string}' is no part of a group`> }
  : CheckGrouped<Row, G, Entity>
type GroupPart = 'field' | 'by' | 'time_zone' | 'ranges' | 'as'
/** What groups are offered as, without the sentences of mistakes. */
type OfferedGroup<Row> = Offered<Row, keyof Comparable> | { readonly field: string; readonly [part: string]: unknown }
type CheckGroups<Q, Row, Entity extends string> = readonly OfferedGroup<Row>[] & { readonly [I in keyof Q]: CheckGroup<Q[I], Row, Entity> }

type CheckMeasured<Is extends MeasureFunction, V, Path, Entity extends string> = [V] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<ValueOf<V>> extends infer Class
    ? Class extends 'truth'
      ? Is extends 'distinct'
        ? Path
        : Wrong<`'${Path & string}' is true or false, which ${Is} cannot measure`>
      : Class extends Grouped
        ? Path
        : Wrong<`'${Path & string}' is an object and has no single value; use a path into it`>
    : never
type CheckMeasure<M, Row, Entity extends string> = M extends 'count'
  ? 'count'
  : M extends string
    ? Wrong<`'${M}' is no measure; use count, or an object such as { sum: 'duration' }`>
    : {
        readonly [Is in keyof M]: Is extends MeasureFunction
          ? CheckMeasured<Is, FollowPath<Row, M[Is]>, M[Is], Entity>
          : Is extends 'at'
            ? number
            : Wrong<`'${Is & string}' is no function of a measure`>
      }

type CheckMeasures<Q, Row, Entity extends string> = { readonly [N in keyof Q]: CheckMeasure<Q[N], Row, Entity> }

type GroupsOf<P> = P extends { readonly group_by: readonly (infer G)[] } ? G : never
type MeasuresOf<P> = P extends { readonly measures: infer M extends object } ? M : { readonly count: 'count' }
type GroupName<G> = G extends { readonly as: infer Name extends string }
  ? Name
  : G extends { readonly field: infer Path extends string }
    ? Path
    : G & string
type GroupNamed<G, Name> = G extends unknown ? (Name extends GroupName<G> ? G : never) : never
type GroupValue<G, Row> = G extends { readonly by: TimeUnit }
  ? string | null
  : G extends { readonly ranges: readonly unknown[] }
    ? { readonly from: number | bigint | null; readonly to: number | bigint | null } | null
    : G extends { readonly field: infer Path }
      ? ValueAt<Row, Path> | null
      : ValueAt<Row, G> | null
type MeasureValue<M, Row> = M extends 'count' | { readonly distinct: unknown }
  ? number
  : ClassOf<ValueAt<Row, M[Exclude<keyof M, 'at'>]>> extends infer Class
    ? Class extends 'number'
      ? number | bigint | null
      : Class extends 'text'
        ? string | null
        : unknown
    : never

type MeasuredRow<P, Row> = { [Name in keyof MeasuresOf<P>]: MeasureValue<MeasuresOf<P>[Name], Row> }
/** A row of an aggregate: its groups and its measures by their names. Sums of decimal strings are decimal strings. */
export type AggregateRow<P, Row> = { [Name in GroupName<GroupsOf<P>>]: GroupValue<GroupNamed<GroupsOf<P>, Name>, Row> } & MeasuredRow<
  P,
  Row
>

type AggregateName = 'filter' | 'text' | 'group_by' | 'measures' | 'include' | 'having' | 'sort' | 'limit' | 'cursor'
type CheckOrder<Q, Name> = { readonly [K in keyof Q]: K extends Name ? Direction : Wrong<`'${K & string}' is no group and no measure`> }
type CheckOrders<Q, Name> = { readonly [I in keyof Q]: CheckOrder<Q[I], Name> }

/**
 * What the parameters of an aggregate must be.
 *
 * - `filter`, `text`: as in a search
 * - `group_by`: fields or paths, or objects such as `{ field: 'started', by: 'month', time_zone: 'Europe/Berlin', as: 'month' }` and
 *   `{ field: 'duration', ranges: [60, 600] }`; one row over all records if left out
 * - `measures`: by the names that rows have, `'count'`, or an object such as `{ sum: 'duration' }` or `{ percentile: 'duration', at: 0.95 }`
 * - `include`: fields of the records that groups refer to, `{ primaryUserId: ['firstName'] }`; rows have them below `_related`
 * - `having`: a filter whose fields are the measures
 * - `sort`: a list such as `[{ calls: 'desc' }]` of groups and measures
 * - `limit`, `cursor`: as in a search
 */
export type CheckAggregate<Q, Row, Entity extends string> = {
  readonly filter?: string | CheckFilter<Get<Q, 'filter'>, Row, Entity>
  readonly text?: string | null
  readonly group_by?: CheckGroups<Get<Q, 'group_by'>, Row, Entity>
  readonly measures?: CheckMeasures<Get<Q, 'measures'>, Row, Entity>
  readonly include?: Plain['include']
  readonly having?: string | CheckFilter<Get<Q, 'having'>, MeasuredRow<Q, Row>, 'the measures'>
  readonly sort?: CheckOrders<Get<Q, 'sort'>, GroupName<GroupsOf<Q>> | keyof MeasuresOf<Q>>
  readonly limit?: number | null
  readonly cursor?: string | null
} & { readonly [K in Exclude<keyof Q, AggregateName>]: Wrong<`'${K & string}' is no parameter of an aggregate`> }

interface Wrong<Sentence extends string> {
  readonly wrong: Sentence
}

/** A value of a filter. A `Date` is sent as ISO 8601. */
type FilterValue = string | number | bigint | boolean | Date | null | readonly FilterValue[] | { readonly [name: string]: FilterValue }

interface Comparable {
  readonly text: string | number | bigint | Date
  readonly number: number | bigint | `${number}`
  readonly truth: boolean
  readonly list: Exclude<FilterValue, null>
  readonly records: Exclude<FilterValue, null>
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
        : [V] extends [readonly (infer Item)[] | null]
          ? Item extends object
            ? 'records'
            : 'list'
          : [Extract<V, readonly unknown[]>] extends [never]
            ? 'object'
            : 'any'

/** Classes of the fields that operators are offered for, by the form of the operand. */
interface SuitedForms {
  readonly value: keyof Comparable
  readonly values: Exclude<keyof Comparable, 'object'>
  readonly words: Exclude<keyof Comparable, 'truth'>
  readonly text: Exclude<keyof Comparable, 'truth'>
  readonly ordered: Exclude<keyof Comparable, 'truth' | 'object'>
  readonly element: 'list' | 'records' | 'any'
  readonly elements: 'records' | 'any'
}
type Suited<Op extends FieldOperator> = SuitedForms[FormOf<Op>]

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

/** The sentence of a path that leads nowhere. */
type NoField<Path, Entity extends string> = Path extends string ? Wrong<`'${Path}' is no searchable field of ${Entity}`> : never
type Unsuited<Op extends FieldOperator, Class, Path extends string> = Class extends 'list'
  ? Wrong<`'${Path}' lists plain values; use contains`>
  : FormOf<Op> extends 'element' | 'elements'
    ? Wrong<`'${Path}' is no list, which ${Op} needs`>
    : Class extends 'truth'
      ? Wrong<`'${Path}' is true or false, which ${Op} cannot compare; use eq`>
      : FormOf<Op> extends 'values'
        ? Wrong<`'${Path}' is an object, which ${Op} cannot compare; use eq, or a path into it`>
        : Wrong<`'${Path}' is an object and has no order; use a path into it`>

interface Operands<Class extends keyof Comparable> {
  readonly value: Comparable[Class] | null
  readonly values: readonly (Comparable[Class] | null)[]
  readonly words: string
  readonly text: string
  readonly ordered: Comparable[Class extends 'number' ? 'number' : 'text']
  readonly element: FilterValue
  readonly elements: FilterValue
}

type CheckOperand<Op extends FieldOperator, V, Path extends string, Entity extends string> = [V] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<V> extends infer Class extends keyof Comparable
    ? Class extends Suited<Op>
      ? Operands<Class>[FormOf<Op>]
      : Unsuited<Op, Class, Path>
    : never

type OfferedOperands<Row, Op extends FieldOperator> = {
  readonly [P in Offered<Row, Suited<Op>>]?: CheckOperand<Op, FollowPath<Row, P>, P, 'the entity'>
}

/** Paths into the records of a search, as types: what a path leads to, and the part of a record that some paths select. */

/** What a path without a field leads to. */
interface Nowhere {
  readonly nowhere: true
}

type Each<V> = unknown extends V ? unknown : V extends readonly (infer Item)[] ? Item : V extends null ? never : Nowhere
type FollowFrom<V, Path> = unknown extends V
  ? unknown
  : V extends readonly (infer Item)[]
    ? FollowFrom<Item, Path>
    : V extends object
      ? FollowPath<V, Path>
      : V extends null
        ? never
        : Nowhere

/** The type of the value at a path such as `a.b` or `a[].b`. A member of a list is a member of each of its elements. */
type FollowPath<Row, Path> = Path extends keyof Row
  ? Row[Path]
  : Path extends `${infer First}.${infer Rest}`
    ? FollowFrom<FollowPath<Row, First>, Rest>
    : Path extends `${infer List}[]`
      ? Each<FollowPath<Row, List>>
      : Nowhere

/** A path as one text; `fields` also takes it as a list of names. */
export type PathOf<Names> = Names extends readonly [infer First extends string, ...infer Rest]
  ? Rest extends readonly []
    ? First
    : `${First}.${PathOf<Rest>}`
  : Names extends string
    ? Names
    : never

type Head<Path> = Path extends `${infer First}.${string}` ? Whole<First> : Whole<Path>
type Whole<Name> = Name extends `${infer List}[]` ? List : Name
type Rest<Path, Name extends string> = Path extends `${Name}.${infer Below}` | `${Name}[].${infer Below}` ? Below : never
type ProjectBelow<V, Path> = unknown extends V
  ? unknown
  : V extends readonly (infer Item)[]
    ? ProjectBelow<Item, Path>[]
    : V extends object
      ? string extends keyof V
        ? V
        : { [K in keyof V & Head<Path>]?: ProjectAt<V[K], K, Path> }
      : V
type ProjectAt<V, K, Path> = K extends Whole<Path> ? V : ProjectBelow<V, Rest<Path, K & string>>

/** The part of a record that paths select. Nesting is kept; without a path it is the whole record. */
export type Project<Row, Path> = [Path] extends [never] ? Row : { [K in keyof Row & Head<Path>]: ProjectAt<Row[K], K, Path> }
