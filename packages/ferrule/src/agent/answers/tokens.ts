/**
 * Estimates tokens without a tokenizer, and never too low for the vocabulary o200k.
 *
 * The vocabulary splits a text into digits by three, words and runs of signs. A word or run of the tables counts what it is. Of other small
 * letters nearly every pair is a token, so at most every second token is a single letter: (2 n - 1) / 3 tokens at most. Whatever else there
 * is counts as many tokens as it has bytes.
 */
import { signRuns, splitPairs, wordList } from './token-tables.ts'

const words: ReadonlySet<string> = new Set(wordList)
const runs: ReadonlyMap<string, number> = new Map(
  Object.entries(signRuns).flatMap(([count, texts]) => texts.map((text): [string, number] => [text, Number(count)])),
)
/** Longest word and longest run of the tables. */
const longestWord = Math.max(...wordList.map(({ length }) => length))
const longestRun = Math.max(...[...runs.keys()].map(({ length }) => length))

/** Classes of characters; `wide` is beyond ASCII, `blank` a control character or a space. */
const [blank, digit, small, capital, sign, wide] = [0, 1, 2, 3, 4, 5]

function classifyAscii(code: number): number {
  if (code <= 0x20 || code === 0x7f) return blank
  if (code >= 0x30 && code <= 0x39) return digit
  if (code >= 0x61 && code <= 0x7a) return small
  return code >= 0x41 && code <= 0x5a ? capital : sign
}

/** Class of each UTF-16 code unit. */
const classes = Uint8Array.from({ length: 0x1_0000 }, (_, code) => (code < 0x80 ? classifyAscii(code) : wide))
/** Returns the class at a place; blank beyond the ends. */
const classify = (text: string, at: number): number => (at >= 0 && at < text.length ? (classes[text.charCodeAt(at)] ?? blank) : blank)

/** Finds the end of a run of one class. */
function findEnd(text: string, from: number, wanted: number): number {
  let at = from
  while (at < text.length && classes[text.charCodeAt(at)] === wanted) at += 1
  return at
}

const firstSmall = 0x61
/** Bit that a capital lacks, and its small letter has. */
const smallBit = 0x20
/** Number of a pair of small letters. */
const toPair = (one: number, other: number): number => (one - firstSmall) * 26 + other - firstSmall

/** Marks the pairs of small letters that are no token. */
const isSplit = new Uint8Array(26 * 26)
for (const pair of splitPairs) isSplit[toPair(pair.charCodeAt(0), pair.charCodeAt(1))] = 1

/** Marks the first two letters and the length of each word of the table: they tell most other words apart before the table is asked. */
const isBegun = new Uint8Array(26 * 26 * (longestWord + 1))
const toBeginning = (pair: number, length: number): number => pair * (longestWord + 1) + length
for (const word of wordList) isBegun[toBeginning(toPair(word.charCodeAt(0), word.charCodeAt(1)), word.length)] = 1

/** Counts the bytes of characters beyond ASCII: as many tokens as they can be. Digits behind them can be split at other places. */
function countWide(text: string, from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at += 1) bytes += text.charCodeAt(at) < 0x800 ? 2 : 3 // a pair of surrogates has four
  return classify(text, to) === digit ? bytes + 1 : bytes
}

/** Returns whether letters are a word of the table: small ones, or one capital in front of them. Beside other letters they are no word. */
function isListed(text: string, from: number, to: number): boolean {
  const length = to - from
  if (length < 2 || length > longestWord || classes[text.charCodeAt(from + 1)] !== small) return false
  const first = text.charCodeAt(from)
  if (isBegun[toBeginning(toPair(first | smallBit, text.charCodeAt(from + 1)), length)] !== 1) return false
  if (classify(text, to) === wide || classify(text, from - 1) === wide) return false
  const word = text.slice(from, to)
  return words.has(first < firstSmall ? word.toLowerCase() : word)
}

/** Counts the most tokens of letters that are no word of the table: each capital, and what small letters behind them can be. */
function countLetters(text: string, from: number, to: number): number {
  const smallFrom = findEnd(text, from, capital)
  if (smallFrom === to) return to - from
  let tokens = smallFrom - from + Math.ceil((2 * (to - smallFrom) - 1) / 3)
  for (let at = smallFrom + 1; at < to; at += 1) tokens += isSplit[toPair(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0
  return tokens
}

/** Counts a run of signs, which can have one space in front. */
function countRun(text: string, from: number, to: number): number {
  const length = to - from
  if (length === 1 || length > longestRun || classify(text, from - 1) === wide || classify(text, to) === wide) return length
  return runs.get(text.slice(from, to)) ?? length
}

const space = 0x20

/**
 * Estimates the tokens of a text.
 * @returns at least the number that o200k has for it
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0, end = 0; at < text.length; at = end) {
    const isSpace = text.charCodeAt(at) === space && at + 1 < text.length
    const from = isSpace ? at + 1 : at
    const type = classes[text.charCodeAt(from)]
    if (type === small || type === capital) {
      end = findEnd(text, type === small ? from : findEnd(text, from, capital), small)
      // A space belongs to the word behind it; a single letter with a space is one token.
      tokens += isListed(text, from, end) ? 1 : countLetters(text, from, end) + (isSpace && end - from > 1 ? 1 : 0)
    } else if (type === sign) {
      end = findEnd(text, from, sign)
      tokens += countRun(text, at, end)
    } else if (isSpace || type === blank) {
      end = at + 1
      tokens += 1
    } else {
      end = findEnd(text, at, type === digit ? digit : wide)
      tokens += type === digit ? Math.ceil((end - at) / 3) : countWide(text, at, end)
    }
  }
  return tokens
}
