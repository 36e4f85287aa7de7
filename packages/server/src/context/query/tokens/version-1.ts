/**
 * Version 1 of the token rules, for copies that were filled by it: Unicode NFKD, marks removed, lower case (the final sigma as an ordinary
 * one), split at everything but letters and digits. Each step works character by character. So the words of a part of a string are parts
 * of its words.
 */
import { findTolerance, minSubstringLength } from './shared.ts'
import type { TokenRules } from './types.ts'

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')

const splitWords = (text: string): readonly string[] =>
  fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Version 1 of the token rules. */
export const firstTokenRules: TokenRules = {
  version: 1,
  swapIsOne: false,
  splitText: splitWords,
  splitQuery: (text) => splitWords(text).map((word) => ({ text: word, distance: findTolerance(word), isBeginning: false })),
  requiredWords: (literal) => splitWords(literal).flatMap((word) => (isLong(word) ? [{ within: word }] : [])),
}

const isLong = (word: string): boolean => [...word].length >= minSubstringLength
