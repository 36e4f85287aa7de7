/** Entries of the term table. */
import type { Column } from './columns.ts'

/** An entry of the term table. Text search finds a row only after the row's words are listed. */
export interface Term {
  /** `Column.field`, or `irregularField` of it. */
  readonly field: number
  readonly term: string
}

/** Derives the number under which the term table marks irregular values: decimal strings that are no numbers, or integers beyond int8. */
export const irregularField = (column: Column): number => ~column.field
