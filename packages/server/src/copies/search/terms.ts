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

/** A lookup in the list of one column; `field` is `Column.field`. */
export type Lookup =
  /** Words that begin with a word, or are within `distance` typing errors of it. */
  | { readonly by: 'error'; readonly field: number; readonly word: string; readonly distance: number }
  /** Words that begin with a word. */
  | { readonly by: 'beginning'; readonly field: number; readonly word: string }
  /** Words that contain a part. The part has no wildcards, because parts consist of letters, marks and digits. */
  | { readonly by: 'part'; readonly field: number; readonly word: string }
