/** The words of records as they are stored, for the operators `keyword`, `fuzzy` and `like`. What a word is, is said by `tokens.ts`. */
import { isObject } from '../../definition/object.ts'
import { cleanText, plainNumber } from './text.ts'
import type { TokenRules } from './tokens.ts'

/**
 * Longest word, in code points; the rest of a longer one is cut. Words of a query may have 250 at most, so a cut word equals none, is
 * within an edit distance of 2 of none, and begins with what it began with: nothing is lost.
 */
export const longestWord = 253
/** Longest word of a query. Edit distances in PostgreSQL end at 255. */
export const longestQueryWord = 250
/** Stands in every stored array of words: a condition on it holds for every value, and the planner knows so. */
const anyWord = ''
/** Stands in the stored words of a value of which a word was cut: such a value is a candidate for every part of a word. */
const cutWord = ' '

/** The array of words that is stored: distinct, with the marks. */
export const storedWords = (words: readonly string[]): readonly string[] => {
  const distinct = new Set(words)
  const isCut = words.some((word) => word.length >= longestWord && [...word].length === longestWord)
  return [anyWord, ...(isCut ? [cutWord] : []), ...distinct]
}
/** Whether an element of a stored array is one of the marks, and no word. */
export const isMark = (word: string): boolean => word === anyWord || word === cutWord

const cut = (word: string): string => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(''))

/** The words of a text of a record in their order, with repeats, as they are stored. */
export const wordsOfText = (text: string, rules: TokenRules): readonly string[] => rules.words(cleanText(text)).map(cut)

/** The text of a leaf that text operators look at; undefined for truth values and null. */
const leafText = (leaf: unknown): string | undefined =>
  typeof leaf === 'string' ? leaf : typeof leaf === 'number' || typeof leaf === 'bigint' ? plainNumber(leaf) : undefined

/** Gives every text and number below a JSON value to `take`. */
export function eachLeaf(value: unknown, take: (text: string) => void): void {
  if (Array.isArray(value)) for (const element of value) eachLeaf(element, take)
  else if (isObject(value)) for (const part of Object.values(value)) eachLeaf(part, take)
  else {
    const text = leafText(value)
    if (text !== undefined) take(text)
  }
}

/** The distinct words of all texts and numbers below a JSON value. */
export function wordsOfJson(value: unknown, rules: TokenRules): readonly string[] {
  const words = new Set<string>()
  eachLeaf(value, (text) => {
    for (const word of wordsOfText(text, rules)) words.add(word)
  })
  return [...words]
}

/** The same JSON with every text and number replaced by its words, one space between them. */
export function foldedJson(value: unknown, rules: TokenRules): unknown {
  if (Array.isArray(value)) return value.map((part) => foldedJson(part, rules))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, foldedJson(part, rules)]))
  const text = leafText(value)
  return text === undefined ? value : wordsOfText(text, rules).join(' ')
}
