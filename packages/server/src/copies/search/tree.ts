/** A parsed search: `parse.ts` builds it from the parameters, `sql.ts` builds SQL from it. */
import type { Comparison, OperatorOf, SearchFieldType } from 'ferrule/internal'
import type { Column, SearchTable } from './columns.ts'
import type { RequestPointer } from './refusals.ts'
import type { Period } from './timestamps.ts'
import type { QueryToken } from './tokens/tokenizer.ts'

/** One step of a path: the name of a member, or `null` for each element of an array (`[]`). */
export type Step = string | null

/** Documented type at a path. `any`: undocumented. */
export type PathType = SearchFieldType

/** Path that a condition tests. */
export interface FieldPath {
  /** Column where the path begins; undefined within `any`, where the path begins at the element. */
  readonly column: Column | undefined
  /** Steps below the column. A member of an array is a member of each of its elements; elements without the member are skipped. */
  readonly steps: readonly Step[]
  readonly type: PathType
  readonly compare: Comparison
}

/** A value to compare with. Strings are cleaned like stored ones. */
export type Operand =
  | { readonly is: 'null' }
  | {
      readonly is: 'text'
      readonly text: string
      /** The number that the string represents, in plain notation. */
      readonly number: string | undefined
      /** The period that the string represents where timestamps compare. */
      readonly period: Period | undefined
    }
  | { readonly is: 'number'; readonly number: string }
  | { readonly is: 'truth'; readonly truth: boolean }
  /** A JSON array or object. */
  | { readonly is: 'array' | 'object'; readonly json: string }

/** Operators that compare an order. */
export type Ordering = OperatorOf<'ordered'>

/** A condition on words. */
export interface WordsCondition {
  readonly op: OperatorOf<'words'>
  readonly path: FieldPath
  readonly tokens: readonly QueryToken[]
}

/** A condition. `neq` is `not` of `eq`. Several fields under one operator, and several operators of one object, are joined by `and`. */
export type Condition =
  | { readonly op: 'and'; readonly of: readonly Condition[] }
  | { readonly op: 'or'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  /** Equal to one of the values: `eq` has one, `in` has several. */
  | { readonly op: 'equals'; readonly path: FieldPath; readonly values: readonly Operand[] }
  | { readonly op: 'order'; readonly path: FieldPath; readonly test: Ordering; readonly value: Operand }
  /** Matches a pattern: every operator on a string as it is becomes one. */
  | { readonly op: 'like'; readonly path: FieldPath; readonly pattern: Pattern }
  | WordsCondition
  | { readonly op: 'contains'; readonly path: FieldPath; readonly value: Operand }
  /** Some element of an array satisfies the condition, whose paths begin at the element. */
  | { readonly op: 'any'; readonly path: FieldPath; readonly of: Condition }
  | RelatedCondition

/** A record that the value at the path refers to, or one of them, satisfies the condition. */
export interface RelatedCondition {
  readonly op: 'related'
  readonly path: FieldPath
  /** True where the path leads through a list. */
  readonly isMany: boolean
  /** Table of the records that are referred to; their paths begin there. */
  readonly table: SearchTable
  readonly of: Condition
}

/** A pattern of `like`. */
export interface Pattern {
  /** Pattern for SQL LIKE, with a backslash as escape. */
  readonly sql: string
  /** Literal runs of the pattern. */
  readonly literals: readonly string[]
  /** True for a pattern that every string matches, the empty one too. */
  readonly isAnything: boolean
}

/** A sort key. Nulls are last in both directions. */
export interface SortKey {
  readonly column: Column
  readonly direction: 'asc' | 'desc'
}

/** A condition whose words count for relevance. */
export interface ScoredCondition {
  readonly condition: WordsCondition
  /** Arrays of the enclosing `any` conditions, from the outside in. The words of all their elements count. */
  readonly within: readonly FieldPath[]
}

/** Relevance as a sort key. */
export interface Relevance {
  /** Number of sort keys before the relevance. */
  readonly at: number
  readonly of: readonly ScoredCondition[]
}

/** Selected part of a column: everything, or some members. */
export type Selection = true | { readonly [name: string]: Selection }

/** A column and the names of members below it. */
export interface MemberPath {
  readonly column: Column
  readonly names: readonly string[]
  /** The reference through which the column is reached. */
  readonly through?: string
}

/** A field that refers to records of another entity. */
export interface Reference {
  /** As the definition writes it: `parties[].userId`. */
  readonly name: string
  readonly column: Column
  /** Steps below the column. */
  readonly steps: readonly Step[]
  /** True where the path leads through a list: a record can refer to several. */
  readonly isMany: boolean
  readonly entity: string
}

/** What a search adds of the records that a field refers to. */
export interface Included {
  readonly reference: Reference
  /** Table of these records; undefined: nothing of the entity is stored. */
  readonly table: SearchTable | undefined
  readonly selection: SearchQuery['selection']
  readonly include: readonly Included[]
}

/** An operand that is not a known value of its field: it is refused unless some record has it. */
export interface Unlisted extends MemberPath {
  readonly known: readonly string[]
  readonly operand: Operand
  readonly pointer: RequestPointer
}

/** Sort keys of the last record of a page, as strings that keep every digit; null for null. */
export interface Position {
  readonly keys: readonly (string | null)[]
  readonly pk: string
  /** True when relevance is one of the keys: later pages must keep that order. */
  readonly isRanked?: boolean
}

/** A parsed search. */
export interface SearchQuery {
  readonly table: SearchTable
  readonly filter: Condition | undefined
  /** Operands of the filter to check against stored values. */
  readonly unlisted: readonly Unlisted[]
  readonly sort: readonly SortKey[]
  /** Set by `_relevance` in the sort, or without a sort by a filter on words; undefined: not sorted by relevance. */
  readonly relevance: Relevance | undefined
  /** Records of a page, 1 to 10,000. */
  readonly limit: number
  readonly cursor: string | undefined
  /** True to count the records of all pages. */
  readonly isCounted: boolean
  /** Position of the cursor, after which the page begins; `parseSearch` does not know the key of cursors. */
  readonly after?: Position | undefined
  /** Only records with one of these keys, as `buildPrimaryKey` builds them; left out: all. */
  readonly keys?: readonly string[]
  /** Selected fields in the order of the records; undefined selects everything. */
  readonly selection: ReadonlyMap<Column, Selection> | undefined
  /** What the records of the page refer to. */
  readonly include: readonly Included[]
  /** The query as sent, which a cursor is bound to. Empty `fields` are left out. */
  readonly asked: {
    readonly filter?: unknown
    readonly text?: unknown
    readonly sort?: unknown
    readonly fields?: unknown
    readonly include?: unknown
  }
}
