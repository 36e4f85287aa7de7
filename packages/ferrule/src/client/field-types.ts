/** The types of fields in searches: what a field holds, which operators it takes, and what it is compared with. */
import type { FieldOperator, FormOf } from '../definition/search.ts'
import type { FollowPath, Nowhere } from './path-types.ts'

/** A compile error as a sentence. */
export interface Wrong<Sentence extends string> {
  readonly wrong: Sentence
}

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
/** Classes of the fields that an operator is offered for. */
export type Suited<Op extends FieldOperator> = SuitedForms[FormOf<Op>]

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
type Unsuited<Op extends FieldOperator, Class, Path extends string> = Class extends 'list'
  ? Wrong<`'${Path}' lists plain values; use contains`>
  : FormOf<Op> extends 'element' | 'elements'
    ? Wrong<`'${Path}' is no list, which ${Op} needs`>
    : Class extends 'truth'
      ? Wrong<`'${Path}' is true or false, which ${Op} cannot compare; use eq`>
      : FormOf<Op> extends 'values'
        ? Wrong<`'${Path}' is an object, which ${Op} cannot compare; use eq, or a path into it`>
        : Wrong<`'${Path}' is an object and has no order; use a path into it`>

/** Operands for a class of fields, by form. */
interface Operands<Class extends keyof Comparable> {
  readonly value: Comparable[Class] | null
  readonly values: readonly (Comparable[Class] | null)[]
  readonly words: string
  readonly text: string
  readonly ordered: Comparable[Class extends 'number' ? 'number' : 'text']
  readonly element: FilterValue
  readonly elements: FilterValue
}

/** What a field at a path must be compared with. */
export type CheckOperand<Op extends FieldOperator, V, Path extends string, Entity extends string> = [V] extends [Nowhere]
  ? NoField<Path, Entity>
  : ClassOf<V> extends infer Class extends keyof Comparable
    ? Class extends Suited<Op>
      ? Operands<Class>[FormOf<Op>]
      : Unsuited<Op, Class, Path>
    : never

/** Fields and values of an operator, as the editor offers them. */
export type OfferedOperands<Row, Op extends FieldOperator> = {
  readonly [P in Offered<Row, Suited<Op>>]?: CheckOperand<Op, FollowPath<Row, P>, P, 'the entity'>
}
