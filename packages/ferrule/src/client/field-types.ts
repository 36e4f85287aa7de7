/** The types of fields in searches: what a field holds, which operators it takes, and what it is compared with. */
import type { FollowPath, Nowhere } from './path-types.ts'

/** A compile error as a sentence. */
export interface Wrong<Sentence extends string> {
  readonly wrong: Sentence
}

type Order = 'gt' | 'gte' | 'lt' | 'lte'
type Words = 'like' | 'fuzzy' | 'keyword'
/** Operators that take fields and values. */
export type FieldOperator = 'eq' | 'neq' | Order | 'in' | Words | 'contains' | 'any'
/** A value of a filter. A `Date` is sent as ISO 8601. */
type FilterValue = string | number | bigint | boolean | Date | null | readonly FilterValue[] | { readonly [name: string]: FilterValue }

/** Values that fields of a class are compared with. */
export interface Comparable {
  readonly text: string | number | bigint | Date
  readonly number: number | bigint | `${number}`
  readonly truth: boolean
  readonly list: Exclude<FilterValue, null>
  readonly records: Exclude<FilterValue, null>
  readonly object: { readonly [name: string]: FilterValue }
  readonly any: Exclude<FilterValue, null>
}

/** What a field holds. `any`: the vendor decides. */
export type ClassOf<V> = unknown extends V
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

/** Classes of the fields that an operator is offered for. */
export type Suited<Op> = Op extends 'any'
  ? 'records' | 'any'
  : Op extends 'contains'
    ? 'list' | 'records' | 'any'
    : Op extends Order
      ? Exclude<keyof Comparable, 'truth' | 'object'>
      : Op extends Words
        ? Exclude<keyof Comparable, 'truth'>
        : Op extends 'in'
          ? Exclude<keyof Comparable, 'object'>
          : keyof Comparable

/** Paths that the editor offers for fields of some classes. */
export type Offered<Row, Class> = { [K in keyof Row & string]: OfferedAt<Row[K], Class, K> }[keyof Row & string]
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
export type NoField<Path, Entity extends string> = Path extends string ? Wrong<`'${Path}' is no searchable field of ${Entity}`> : never
type Unsuited<Op, Class, Path extends string> = Class extends 'list'
  ? Wrong<`'${Path}' lists plain values; use contains`>
  : Op extends 'contains' | 'any'
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

/** What a field at a path must be compared with. */
export type CheckOperand<Op, V, Path extends string, Entity extends string> = [V] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<V> extends infer Class extends keyof Comparable
    ? Class extends Suited<Op>
      ? Operand<Op, Class>
      : Unsuited<Op, Class, Path>
    : never

/** Fields and values of an operator, as the editor offers them. */
export type OfferedOperands<Row, Op> = {
  readonly [P in Offered<Row, Suited<Op>>]?: CheckOperand<Op, FollowPath<Row, P>, P, 'the entity'>
}
