/** Types of the token rules. */

/** A word of a query. */
export interface QueryToken {
  readonly text: string
  /** Allowed number of typing errors. */
  readonly distance: number
  /** True for a single character of a script without spaces: `keyword` then accepts words that begin with it. */
  readonly isBeginning: boolean
}

/** A word, or a part of one, in every value that contains a given literal. */
export type RequiredWord =
  /** Part of some word. */
  | { readonly within: string }
  /** Words of which one is present. */
  | { readonly oneOf: readonly string[] }

/** Known versions; new copies use the last one. */
export type TokenVersion = 1 | 3

/** One version of the rules. */
export interface TokenRules {
  readonly version: TokenVersion
  /** True when swapping two neighbours is one typing error, false when it is two. */
  readonly swapIsOne: boolean
  /** Splits a string of a record into words, in order, with repeats and at full length. */
  splitText(text: string): readonly string[]
  /** Splits a string of a query into words, with repeats. */
  splitQuery(text: string): readonly QueryToken[]
  /** Lists the words, or parts of words, in every value that contains a literal. The list is often empty. */
  requiredWords(literal: string): readonly RequiredWord[]
}
