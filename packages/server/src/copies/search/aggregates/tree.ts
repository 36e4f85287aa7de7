/** A parsed aggregate: `parse.ts` builds it from the parameters, `sql.ts` builds SQL from it. */
import type { MeasureFunction, TimeUnit } from 'ferrule/internal'
import type { Condition, FieldPath, PathType, SearchQuery } from '../tree.ts'

/** How groups are made of values: one for each value, for each period of time, or for each range of numbers. */
export type GroupBy =
  | { readonly is: 'value' }
  /** @param zone name of a time zone; date-times shift to it, dates do not */
  | { readonly is: 'time'; readonly unit: TimeUnit; readonly zone: string }
  /** Ascending numbers in plain notation. Each begins a range, which the next one ends. */
  | { readonly is: 'range'; readonly bounds: readonly string[] }

/** A key of `group_by`. */
export interface Group {
  readonly name: string
  readonly path: FieldPath
  /** Type of one value: of an array, that of its elements. */
  readonly type: PathType
  readonly by: GroupBy
}

/** A measure of each group. */
export type Measure =
  | { readonly name: string; readonly is: 'count' }
  | {
      readonly name: string
      readonly is: MeasureFunction
      readonly path: FieldPath
      /** Type of one value: of an array, that of its elements. */
      readonly type: PathType
      /** For `percentile`, `median` too: 0 to 1. */
      readonly at: number
    }

/** A measure of a field. */
export type FieldMeasure = Exclude<Measure, { readonly is: 'count' }>

/** Kind of the result of a measure: numbers as JSON numbers or as strings with digits, times, and texts. */
export type MeasureResult = 'number' | 'decimal' | 'time' | 'text'

/** A sort key: a group or a measure by its index. */
export interface AggregateSort {
  readonly by: 'group' | 'measure'
  readonly index: number
  readonly direction: 'asc' | 'desc'
}

/** A parsed aggregate. */
export interface AggregateQuery {
  /** Which records count; its `limit` is that of groups. */
  readonly search: SearchQuery
  readonly groups: readonly Group[]
  /** One at least. */
  readonly measures: readonly Measure[]
  /** Condition on the columns `m0` … of the measures. */
  readonly having: Condition | undefined
  readonly sort: readonly AggregateSort[]
  /** Groups of the pages before. */
  readonly offset: number
  /** The request as sent, which a cursor is bound to. */
  readonly asked: unknown
}
