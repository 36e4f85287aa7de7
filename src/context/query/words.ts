/**
 * Words of texts, as the operators `keyword` and `fuzzy` see them: Unicode NFKD, marks removed, lower case (the final sigma is an
 * ordinary one), split on everything that is no letter and no digit. They are made here and stored, because databases differ in
 * their Unicode versions. Each step works character by character, so the words of a part of a text are parts of its words.
 */
import { isObject } from '../../definition/object.ts'
import { cleanText, plainNumber } from './text.ts'

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

/** Whether SQL can split a text alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
        .replaceAll('ς', 'σ')

const cut = (word: string): string => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(''))

/** The words of a text in their order, with repeats. */
export const wordsOfText = (text: string): readonly string[] =>
  fold(cleanText(text))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(cut)

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
export function wordsOfJson(value: unknown): readonly string[] {
  const words = new Set<string>()
  eachLeaf(value, (text) => {
    for (const word of wordsOfText(text)) words.add(word)
  })
  return [...words]
}

/** The same JSON with every text and number replaced by its words, one space between them. */
export function foldedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(foldedJson)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, foldedJson(part)]))
  const text = leafText(value)
  return text === undefined ? value : wordsOfText(text).join(' ')
}
