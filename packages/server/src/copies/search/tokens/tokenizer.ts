/**
 * Token rules split strings into words and decide which query words match which record words. This service computes the words, because
 * databases have different versions of Unicode. The rules:
 * - Remove format characters, such as zero-width spaces, and the vowel marks and the lengthening of Arabic.
 * - Unicode NFKD.
 * - Remove marks after Latin, Greek and Cyrillic letters, where they are accents; elsewhere marks are vowels.
 * - NFC and lower case.
 * - Fold some letters to what people type instead.
 * - Split at everything but letters, marks and digits.
 * - Cut runs of scripts without spaces into overlapping pairs. Records also keep the last character, so each character begins a word.
 * - Records also have the joined word of pieces with a hyphen, a point, an apostrophe or a slash between them: `Wi-Fi` is wi, fi, wifi.
 * - Letters with a plus, two, or a hash behind them are a word with that sign. Records have the letters too: `C++` is c, c++.
 *
 * A swap of two neighbours is one typing error. Words with a digit allow none. docs/decisions/search.md has the reasons.
 */
import { findTolerance, isJoinable, minSubstringLength, splitAscii } from './shared.ts'

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

const folded: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  þ: 'th',
  ð: 'd',
  // Final sigma.
  ς: 'σ',
}
const foldable = new RegExp(`[${Object.keys(folded).join('')}]`, 'gu')

/**
 * Patterns here match single characters, or few. V8 keeps a position for each character that `+` repeats in Unicode mode, and ends with a
 * RangeError at 64 MiB: four million letters.
 */
const accents = /(?<=[\p{L}&&[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])\p{M}{1,100000}/gv
/** Format characters, and the Arabic marks that most people leave out. */
const unwritten = /[\p{Cf}\u064b-\u065f\u0670\u0640]/gu
const ofWord = /[\p{L}\p{M}\p{N}]/gu
const notOfWord = /[^\p{L}\p{M}\p{N}]/gu
const joiner = /[-.'’/]/
const ofRun = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/gu
const notOfRun = /[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/gu
const notLetter = /[^\p{L}\p{M}]/u
const letter = /\p{L}/u

const removeUnwritten = (text: string): string => text.replace(unwritten, '')

const foldWritten = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(foldable, (letter) => folded[letter] ?? letter)

const fold = (text: string): string => foldWritten(removeUnwritten(text))

/** Returns the first index from which a pattern matches; the length of the text if it matches nowhere. */
function findFrom(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** A word in a text: the index of its first character, and that behind its last one. */
type WordRange = readonly [start: number, end: number]

function findWords(text: string): readonly WordRange[] {
  const ranges: WordRange[] = []
  for (let start = findFrom(ofWord, text, 0); start < text.length; ) {
    const end = findFrom(notOfWord, text, start)
    ranges.push([start, end])
    start = findFrom(ofWord, text, end)
  }
  return ranges
}

/** A word, or a run of characters that is later cut into pairs; `sign` stands directly behind its letters. */
interface Piece {
  readonly text: string
  readonly isRun: boolean
  readonly sign: string
}

const readSign = (text: string, at: number): string => (text[at] === '#' ? '#' : text[at] !== '+' ? '' : text[at + 1] === '+' ? '++' : '+')

/** Cuts a word where its characters begin to be of a run, or end to be. */
function toPieces(word: string, sign: string): readonly Piece[] {
  const pieces: Piece[] = []
  let isRun = findFrom(ofRun, word, 0) === 0
  for (let start = 0; start < word.length; isRun = !isRun) {
    const end = findFrom(isRun ? notOfRun : ofRun, word, start)
    const text = word.slice(start, end)
    const isSigned = sign !== '' && end === word.length && !isRun && !notLetter.test(text) && letter.test(text)
    pieces.push({ text, isRun, sign: isSigned ? sign : '' })
    start = end
  }
  return pieces
}

const splitPieces = (text: string, ranges: readonly WordRange[] = findWords(text)): readonly Piece[] =>
  ranges.flatMap(([start, end]) => toPieces(text.slice(start, end), readSign(text, end)))

function listJoined(text: string, ranges: readonly WordRange[]): readonly string[] {
  const joined: string[] = []
  let parts: string[] = []
  for (const [index, [start, end]] of ranges.entries()) {
    parts.push(text.slice(start, end))
    if (ranges[index + 1]?.[0] === end + 1 && joiner.test(text[end] ?? '')) continue
    const whole = parts.length > 1 ? parts.join('') : ''
    if (isJoinable(parts.length, [...whole].length) && findFrom(ofRun, whole, 0) === whole.length) joined.push(whole)
    parts = []
  }
  return joined
}

const listPairs = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

function toRecordWords({ text, isRun }: Piece): readonly string[] {
  if (!isRun) return [text]
  const characters = [...text]
  return [...listPairs(characters), ...characters.slice(-1)]
}

const toQueryToken = (text: string): QueryToken => ({ text, distance: /\p{N}/u.test(text) ? 0 : findTolerance(text), isBeginning: false })

function toQueryTokens({ text, isRun, sign }: Piece): readonly QueryToken[] {
  if (!isRun) return [toQueryToken(text + sign)]
  const characters = [...text]
  return characters.length === 1 ? [{ text, distance: 0, isBeginning: true }] : listPairs(characters).map(toQueryToken)
}

/** Characters that combine with the previous one: marks, and the vowels and finals of Korean syllables. */
const joining = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u
const unchanging = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Thai}\p{N}]|[^\p{L}]/u
const kana = /[\p{scx=Hiragana}\p{scx=Katakana}]/u
const kanaMarks = ['\u3099', '\u309a']
/** Finals of Korean syllables. */
const finals = Array.from({ length: 27 }, (_, index) => String.fromCodePoint(0x11a8 + index))
const syllable = /[\uac00-\ud7a3]/u

/** Lists what a character can become when another one follows; empty when this is unknown. */
function listCompositions(character: string): readonly string[] {
  if (unchanging.test(character)) return [character]
  const followers = kana.test(character) ? kanaMarks : syllable.test(character) ? finals : undefined
  if (followers === undefined) return []
  return [character, ...followers.map((follower) => `${character}${follower}`.normalize('NFC')).filter((text) => [...text].length === 1)]
}

/** Removes the characters at both ends that their neighbours could change. `last` lists what the last character can be. */
function trimToKernel(literal: string): { readonly text: string; readonly last: readonly string[] } {
  const characters = [...literal.normalize('NFKD').normalize('NFC')]
  const first = characters.findIndex((character) => !joining.test(character))
  const end = characters.findLastIndex((character) => !joining.test(character))
  const last = first < 0 ? [] : listCompositions(characters[end] ?? '')
  const isOpen = characters.slice(end + 1).some((character) => !/\p{M}/u.test(character))
  const isKnown = last.length > 0 && !isOpen
  return { text: first < 0 ? '' : characters.slice(first, isKnown ? end + 1 : end).join(''), last: isKnown ? last : [] }
}

function requirePairs(characters: readonly string[], last: readonly string[]): readonly RequiredWord[] {
  const pairs = listPairs(characters)
  const open = characters.at(-2)
  if (last.length < 2 || open === undefined) return pairs.map((pair) => ({ oneOf: [pair] }))
  return [...pairs.slice(0, -1).map((pair) => ({ oneOf: [pair] })), { oneOf: last.map((character) => `${open}${character}`) }]
}

/** Lists the words, or parts of words, in every value that contains a literal. The list is often empty. */
export function findRequiredWords(literal: string): readonly RequiredWord[] {
  const { text, last } = trimToKernel(removeUnwritten(literal))
  const pieces = splitPieces(foldWritten(text))
  return pieces.flatMap(({ text: piece, isRun }, index): readonly RequiredWord[] => {
    const characters = [...piece]
    if (isRun) return requirePairs(characters, index === pieces.length - 1 ? last : [])
    return characters.length < minSubstringLength ? [] : [{ within: piece }]
  })
}

function splitUnicode(text: string): readonly string[] {
  const folded = fold(text)
  const ranges = findWords(folded)
  const pieces = splitPieces(folded, ranges)
  return [
    ...pieces.flatMap(toRecordWords),
    ...listJoined(folded, ranges),
    ...pieces.flatMap(({ text: letters, sign }) => (sign === '' ? [] : [letters + sign])),
  ]
}

/** Splits a string of a record into words, in order, with repeats and at full length. */
export const splitText = (text: string): readonly string[] => splitAscii(text) ?? splitUnicode(text)

/** Splits a string of a query into words, with repeats. */
export const splitQuery = (text: string): readonly QueryToken[] => splitPieces(fold(text)).flatMap(toQueryTokens)
