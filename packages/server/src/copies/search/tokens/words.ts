/** Stored words of records, for the operators `keyword`, `fuzzy` and `like`. `tokenizer.ts` defines what a word is. */
import { isObject } from 'ferrule/internal'
import { cleanText, formatNumber } from '../text.ts'
import { isAscii } from './shared.ts'
import { splitText } from './tokenizer.ts'

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
export const toStoredWords = (distinct: ReadonlySet<string>): readonly string[] => {
  const stored = [anyWord, ...distinct]
  const isCut = stored.some((word) => word.length >= longestWord && [...word].length === longestWord)
  if (isCut) stored.splice(1, 0, cutWord)
  return stored
}
/** Returns whether an element of a stored array is a mark. */
export const isMark = (word: string): boolean => word === anyWord || word === cutWord

const shortenWord = (word: string): string =>
  word.length <= longestWord ? word : isAscii(word) ? word.slice(0, longestWord) : [...word].slice(0, longestWord).join('')

/** Splits a string of a record into words, in order, with repeats, shortened as they are stored. */
export function listTextWords(text: string): readonly string[] {
  const words = splitText(cleanText(text))
  return words.some(({ length }) => length > longestWord) ? words.map(shortenWord) : words
}

/** Converts a leaf to the string that text operators test; undefined for booleans and null. */
const toLeafText = (leaf: unknown): string | undefined =>
  typeof leaf === 'string' ? leaf : typeof leaf === 'number' || typeof leaf === 'bigint' ? formatNumber(leaf) : undefined

/** Calls `take` for every string and number below a JSON value. */
function visitLeaves(value: unknown, take: (text: string) => void): void {
  if (Array.isArray(value)) for (const element of value) visitLeaves(element, take)
  else if (isObject(value)) for (const part of Object.values(value)) visitLeaves(part, take)
  else {
    const text = toLeafText(value)
    if (text !== undefined) take(text)
  }
}

/** Words of a JSON value, and the value with words instead of its strings and numbers. */
export interface JsonWords {
  /** Distinct words of all strings and numbers below the value. */
  readonly words: ReadonlySet<string>
  /** JSON with the words of each string and number, separated by spaces; undefined unless it was asked for. */
  readonly folded: string | undefined
}

/** Reads the words of all strings and numbers below a JSON value. With `isFolding` also builds the folded JSON. */
export function readJsonWords(value: unknown, isFolding: boolean): JsonWords {
  const words = new Set<string>()
  const readLeaf = (text: string): readonly string[] => {
    const found = recentWords.list(text)
    for (const word of found) words.add(word)
    return found
  }
  if (isFolding) return { folded: foldJson(value, readLeaf), words }
  visitLeaves(value, readLeaf)
  return { words, folded: undefined }
}

/** Writes a JSON value with the words of each string and number. Words need no escapes: they are letters, marks, digits, `+` and `#`. */
function foldJson(value: unknown, readLeaf: (text: string) => readonly string[]): string {
  if (Array.isArray(value)) return foldElements(value, readLeaf)
  if (isObject(value)) return foldMembers(value, readLeaf)
  const text = toLeafText(value)
  if (text === undefined) return JSON.stringify(value) ?? 'null'
  const words = readLeaf(text)
  return words.length === 1 ? `"${words[0]}"` : `"${words.join(' ')}"`
}

function foldElements(value: readonly unknown[], readLeaf: (text: string) => readonly string[]): string {
  let text = ''
  for (const part of value) text += `${text === '' ? '[' : ','}${foldJson(part, readLeaf)}`
  return text === '' ? '[]' : `${text}]`
}

function foldMembers(value: Readonly<Record<string, unknown>>, readLeaf: (text: string) => readonly string[]): string {
  let text = ''
  for (const name of Object.keys(value)) {
    const part = value[name]
    if (part !== undefined) text += `${text === '' ? '{' : ','}${quoteMember(name)}${foldJson(part, readLeaf)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Maximum number of remembered names of members: those of some entities. */
const mostNames = 1_000
const quotedNames = new Map<string, string>()

function quoteMember(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  if (quotedNames.size >= mostNames) quotedNames.clear()
  const quoted = `${JSON.stringify(name)}:`
  quotedNames.set(name, quoted)
  return quoted
}

/** Limits of remembered strings: characters of one, and their number, of which up to twice as many are kept. */
const longestRecent = 200
const mostRecent = 2_000

/** Remembers the words of recent strings, because values of records repeat. */
class RecentStrings {
  #young = new Map<string, readonly string[]>()
  #old: ReadonlyMap<string, readonly string[]> = new Map()

  /** Returns the words of a string, as `listTextWords` does. */
  list(text: string): readonly string[] {
    const known = this.#young.get(text)
    if (known !== undefined) return known
    const words = this.#old.get(text) ?? listTextWords(text)
    if (text.length > longestRecent || words.length < 2) return words // a single word costs as little to split
    if (this.#young.size >= mostRecent) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(text, words)
    return words
  }
}

const recentWords = new RecentStrings()
