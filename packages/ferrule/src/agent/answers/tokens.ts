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
/** Class at a place; blank beyond the ends. */
const classify = (text: string, at: number): number => classes[text.charCodeAt(at)] ?? blank

/** Finds the end of a run of one class. */
function findEnd(text: string, from: number, wanted: number): number {
  let at = from
  while (at < text.length && classes[text.charCodeAt(at)] === wanted) at += 1
  return at
}

const firstSmall = 0x61
/** Marks the pairs of small letters that are no token, by 26 times the first letter and the second. */
const isSplit = new Uint8Array(26 * 26)
const toPair = (one: number, other: number): number => (one - firstSmall) * 26 + other - firstSmall
for (const pair of splitPairs) isSplit[toPair(pair.charCodeAt(0), pair.charCodeAt(1))] = 1

/** Counts the bytes of characters beyond ASCII: as many tokens as they can be. Digits behind them can be split at other places. */
function countWide(text: string, from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at += 1) bytes += text.charCodeAt(at) < 0x800 ? 2 : 3 // a pair of surrogates has four
  return classify(text, to) === digit ? bytes + 1 : bytes
}

/** Counts the most tokens of small letters. */
function countSmall(text: string, from: number, to: number): number {
  if (from >= to) return 0
  let tokens = Math.ceil((2 * (to - from) - 1) / 3)
  for (let at = from + 1; at < to; at += 1) tokens += isSplit[toPair(text.charCodeAt(at - 1), text.charCodeAt(at))] ?? 0
  return tokens
}

const isListed = (text: string, from: number, to: number): boolean => {
  const word = text.slice(from, to)
  return words.has(classify(text, from) === capital ? word.toLowerCase() : word)
}

/**
 * Counts the tokens of capitals with the small letters behind them.
 * @param smallFrom place of the first small letter
 * @param isSpaced whether a space in front belongs to the word
 */
function countWord(text: string, [from, smallFrom, to]: readonly [number, number, number], isSpaced: boolean): number {
  const capitals = smallFrom - from
  // Beside a letter beyond ASCII it is a part of another word.
  const canBeListed = capitals <= 1 && to > smallFrom && to - from <= longestWord && classify(text, to) !== wide
  if (canBeListed && (isSpaced || classify(text, from - 1) !== wide) && isListed(text, from, to)) return 1
  if (isSpaced && to - from === 1) return 1 // every letter with a space in front is one token
  return capitals + countSmall(text, smallFrom, to) + Number(isSpaced)
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
    const type = classify(text, from)
    if (type === small || type === capital) {
      const smallFrom = findEnd(text, from, capital)
      end = findEnd(text, smallFrom, small)
      tokens += countWord(text, [from, smallFrom, end], isSpace)
    } else if (type === sign) {
      end = findEnd(text, from, sign)
      tokens += countRun(text, at, end)
    } else if (isSpace || type === blank) {
      end = at + 1
      tokens += 1
    } else {
      end = findEnd(text, at, type)
      tokens += type === digit ? Math.ceil((end - at) / 3) : countWide(text, at, end)
    }
  }
  return tokens
}
