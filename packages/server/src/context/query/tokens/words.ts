/** Stored words of records, for the operators `keyword`, `fuzzy` and `like`. `tokens.ts` defines what a word is. */
import { isObject } from 'ferrule/internal'
import { cleanText, formatNumber } from '../text.ts'
import type { TokenRules } from './types.ts'

/**
 * Maximum length of a stored word in code points; the rest is cut. Query words have at most 250. So a shortened word equals none, is
 * within distance 2 of none, and keeps its prefix: no match is lost.
 */
export const longestWord = 253
/** Maximum length of a query word. Edit distances in PostgreSQL end at 255. */
export const longestQueryWord = 250
/** Present in every stored array of words: a condition on it holds for every value, which the planner knows. */
const anyWord = ''
/** Present in the stored words of a value with a shortened word: such a value is a candidate for every part of a word. */
const cutWord = ' '

/** Builds the stored array of words: distinct words and marks. */
export const toStoredWords = (words: readonly string[]): readonly string[] => {
  const distinct = new Set(words)
  const isCut = words.some((word) => word.length >= longestWord && [...word].length === longestWord)
  return [anyWord, ...(isCut ? [cutWord] : []), ...distinct]
}
/** Returns whether an element of a stored array is a mark. */
export const isMark = (word: string): boolean => word === anyWord || word === cutWord

const shortenWord = (word: string): string => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(''))

/** Splits a string of a record into words, in order, with repeats, shortened as they are stored. */
export function listTextWords(text: string, rules: TokenRules): readonly string[] {
  const words = rules.splitText(cleanText(text))
  return words.some(({ length }) => length > longestWord) ? words.map(shortenWord) : words
}

/** Converts a leaf to the string that text operators test; undefined for booleans and null. */
const toLeafText = (leaf: unknown): string | undefined =>
  typeof leaf === 'string' ? leaf : typeof leaf === 'number' || typeof leaf === 'bigint' ? formatNumber(leaf) : undefined

/** Calls `take` for every string and number below a JSON value. */
export function visitLeaves(value: unknown, take: (text: string) => void): void {
  if (Array.isArray(value)) for (const element of value) visitLeaves(element, take)
  else if (isObject(value)) for (const part of Object.values(value)) visitLeaves(part, take)
  else {
    const text = toLeafText(value)
    if (text !== undefined) take(text)
  }
}

/** Lists the distinct words of all strings and numbers below a JSON value. */
export function listJsonWords(value: unknown, rules: TokenRules): readonly string[] {
  const words = new Set<string>()
  visitLeaves(value, (text) => {
    for (const word of listTextWords(text, rules)) words.add(word)
  })
  return [...words]
}

/** Replaces every string and number of a JSON value by its words, separated by spaces. */
export function foldJson(value: unknown, rules: TokenRules): unknown {
  if (Array.isArray(value)) return value.map((part) => foldJson(part, rules))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, foldJson(part, rules)]))
  const text = toLeafText(value)
  return text === undefined ? value : listTextWords(text, rules).join(' ')
}
