/** A search as it was understood: what `parse.ts` makes of the parameters, and `sql.ts` makes SQL of. */
import type { Column, Comparison, SearchTable } from './columns.ts'
import type { Period } from './instants.ts'
import type { Spot } from './refusals.ts'
import type { QueryToken } from './tokens.ts'

/** One step of a path: the name of a member, or `null` for each element of an array (`[]`). */
export type Step = string | null

/** What the documents say of a place. `any`: nothing, below an object of the vendor's shape. */
export type PlaceType = Exclude<Column['type'], 'json'> | 'array' | 'object' | 'any'

/** Where a condition looks. */
export interface Place {
  /** The column that it begins at; undefined within `any`, where it begins at the element. */
  readonly column: Column | undefined
  /** The way below it. A member of an array is a member of each of its elements; where one is missing there is nothing. */
  readonly steps: readonly Step[]
  readonly type: PlaceType
  readonly compare: Comparison
}

/** A value to compare with. Texts are cleaned as stored ones are. */
export type Operand =
  | { readonly is: 'null' }
  | {
      readonly is: 'text'
      readonly text: string
      /** The number that the text writes, in plain notation. */
      readonly number: string | undefined
      /** The moments that the text means where times are compared. */
      readonly period: Period | undefined
    }
  | { readonly is: 'number'; readonly number: string }
  | { readonly is: 'truth'; readonly truth: boolean }
  /** An array or an object, as JSON text. */
  | { readonly is: 'array' | 'object'; readonly json: string }

/** Operators that order. */
export type Ordering = 'gt' | 'gte' | 'lt' | 'lte'

/** A condition. `neq` is `not` of `eq`; several fields under one operator, and several operators of one object, are `and`. */
export type Condition =
  | { readonly op: 'and'; readonly of: readonly Condition[] }
  | { readonly op: 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  /** Equal to one of the values: `eq` has one, `in` many. */
  | { readonly op: 'equals'; readonly place: Place; readonly values: readonly Operand[] }
  | { readonly op: 'order'; readonly place: Place; readonly test: Ordering; readonly value: Operand }
  | { readonly op: 'like'; readonly place: Place; readonly pattern: Pattern }
  | { readonly op: 'fuzzy'; readonly place: Place; readonly tokens: readonly QueryToken[] }
  | { readonly op: 'keyword'; readonly place: Place; readonly tokens: readonly QueryToken[] }
  | { readonly op: 'contains'; readonly place: Place; readonly value: Operand }
  /** Some element of an array satisfies the condition, whose places begin at the element. */
  | { readonly op: 'any'; readonly place: Place; readonly of: Condition }

/** A pattern of `like`. */
export interface Pattern {
  /** As SQL LIKE reads it, with a backslash as escape. */
  readonly sql: string
  /** Its literal runs. */
  readonly literals: readonly string[]
}

/** One part of the order. Null is last in both directions. */
export interface SortKey {
  readonly column: Column
  readonly direction: 'asc' | 'desc'
}

/** A condition whose words count for the relevance of a record. */
export interface ScoredCondition {
  readonly condition: Extract<Condition, { readonly op: 'fuzzy' | 'keyword' }>
  /** The arrays of the `any` that it stands in, from the outside in: the words of all their elements count. */
  readonly within: readonly Place[]
}

/** Where the relevance stands in an order, and what it is made of. */
export interface Relevance {
  /** How many keys of the sort come before it. */
  readonly at: number
  readonly of: readonly ScoredCondition[]
}

/** What of a column is returned: all, or the members below it. */
export type Selection = true | { readonly [name: string]: Selection }

/** Names from a row down to a place: a column, and members below it. */
export interface Way {
  readonly column: Column
  readonly names: readonly string[]
}

/** An operand that is none of the known values of its text: some record has to have it. */
export interface Unlisted extends Way {
  readonly known: readonly string[]
  readonly operand: Operand
  readonly spot: Spot
}

/** A whole search. */
export interface SearchQuery {
  readonly table: SearchTable
  readonly filter: Condition | undefined
  /** Operands of the filter that have to be looked up. */
  readonly unlisted: readonly Unlisted[]
  readonly sort: readonly SortKey[]
  /** Asked for by `_relevance` in the sort, or without a sort by a filter that looks for words; undefined: the order is without. */
  readonly relevance: Relevance | undefined
  /** Records of a page, 1 to 10,000. */
  readonly limit: number
  readonly cursor: string | undefined
  /** What is returned, in the order of the documents; undefined is all. */
  readonly selection: ReadonlyMap<Column, Selection> | undefined
  /** What was asked, as it was written: a cursor is bound to it. Empty `fields` are left out. */
  readonly asked: { readonly filter?: unknown; readonly sort?: unknown; readonly fields?: unknown }
}
