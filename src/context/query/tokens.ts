/**
 * Token rules: how texts are cut into words, and which words of a query match which words of a record. Rules have a version, which is
 * stored with the words that were made by it: a copy that was filled by older rules is searched by them until its words were made anew
 * (`store/renewal.ts`). Words are made here and stored, because databases differ in their Unicode versions.
 */
import { firstTokenRules } from './tokens-first.ts'
import { secondTokenRules } from './tokens-second.ts'

/** A word of a query. */
export interface QueryToken {
  readonly text: string
  /** Typing errors that are allowed where it is misspelt. */
  readonly distance: number
  /** A single character of a script without spaces: words that begin with it count as whole for `keyword`. */
  readonly isBeginning: boolean
}

/** A part of a literal text that every value with the text has as a word, or in one. */
export type TokenPart =
  /** Some word contains it. */
  | { readonly within: string }
  /** One of these is a word. */
  | { readonly oneOf: readonly string[] }

/** Versions that the code knows; the last one is that of everything new. */
export type TokenVersion = 1 | 2

/** One version of the rules. */
export interface TokenRules {
  readonly version: TokenVersion
  /** Whether two neighbours in the wrong order are one typing error; else they are two. */
  readonly swapIsOne: boolean
  /** The words of a text of a record in their order, with repeats; long ones uncut. */
  words(text: string): readonly string[]
  /** The words of a text of a query, with repeats. */
  asked(text: string): readonly QueryToken[]
  /** What the words of every value have that contains a text; often nothing. */
  parts(literal: string): readonly TokenPart[]
}

/** The rules of everything that is written anew. */
export const currentTokens: TokenVersion = 2

/** All of them. */
export const tokenRules: Readonly<Record<TokenVersion, TokenRules>> = { 1: firstTokenRules, 2: secondTokenRules }
