/**
 * Version 1 of the token rules, for copies that were filled by it: Unicode NFKD, marks removed, lower case (the final sigma is an
 * ordinary one), split on everything that is no letter and no digit. Each step works character by character, so the words of a part of
 * a text are parts of its words.
 */
import { isAscii, shortestPart, toleranceOf, wordsOfAscii } from './token-parts.ts'
import type { TokenRules } from './tokens.ts'

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')

const words = (text: string): readonly string[] =>
  isAscii(text)
    ? wordsOfAscii(text)
    : fold(text)
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== '')

/** Version 1. */
export const firstTokenRules: TokenRules = {
  version: 1,
  swapIsOne: false,
  words,
  asked: (text) => words(text).map((word) => ({ text: word, distance: toleranceOf(word), isBeginning: false })),
  parts: (literal) => words(literal).flatMap((word) => (isLong(word) ? [{ within: word }] : [])),
}

const isLong = (word: string): boolean => [...word].length >= shortestPart
