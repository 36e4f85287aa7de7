/**
 * Version 2 of the token rules: Unicode NFKD; marks removed behind Latin, Greek and Cyrillic letters, where they are accents (elsewhere
 * they are vowels); NFC; lower case; some letters folded to what people type instead; split on everything that is no letter, mark or
 * digit. Runs of scripts that are written without spaces between words become overlapping pairs, and in records the last character too,
 * so that each character begins a word. Swapped neighbours are one typing error, and words with a digit have none.
 */
import { isAscii, shortestPart, toleranceOf, wordsOfAscii } from './token-parts.ts'
import type { QueryToken, TokenPart, TokenRules } from './tokens.ts'

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
  // The final sigma.
  ς: 'σ',
}
const foldable = new RegExp(`[${Object.keys(folded).join('')}]`, 'gu')

const accents = /(?<=[\p{L}&&[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])\p{M}+/gv
const between = /[^\p{L}\p{M}\p{N}]+/u
const runs =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]+|[^\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]+/gu
const ofRun = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/u

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(foldable, (letter) => folded[letter] ?? letter)

/** Words, and runs of characters that are cut into pairs. */
const piecesOf = (text: string): readonly string[] =>
  fold(text)
    .split(between)
    .flatMap((piece) => piece.match(runs) ?? [])

const pairsOf = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

function recordWords(piece: string): readonly string[] {
  if (!ofRun.test(piece)) return [piece]
  const characters = [...piece]
  return [...pairsOf(characters), ...characters.slice(-1)]
}

const tokenOf = (text: string): QueryToken => ({ text, distance: /\p{N}/u.test(text) ? 0 : toleranceOf(text), isBeginning: false })

function queryTokens(piece: string): readonly QueryToken[] {
  if (!ofRun.test(piece)) return [tokenOf(piece)]
  const characters = [...piece]
  return characters.length === 1 ? [{ text: piece, distance: 0, isBeginning: true }] : pairsOf(characters).map(tokenOf)
}

/** What joins the character before it, or changes it: marks, and the vowels and finals of Korean syllables. */
const joining = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u
const unchanging = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Thai}\p{N}]|[^\p{L}]/u
const kana = /[\p{scx=Hiragana}\p{scx=Katakana}]/u
const kanaMarks = ['\u3099', '\u309a']
/** Finals of Korean syllables. */
const finals = Array.from({ length: 27 }, (_, index) => String.fromCodePoint(0x11a8 + index))
const syllable = /[\uac00-\ud7a3]/u

/** What a character can become when something follows it; nothing when that cannot be told. */
function becoming(character: string): readonly string[] {
  if (unchanging.test(character)) return [character]
  const followers = kana.test(character) ? kanaMarks : syllable.test(character) ? finals : undefined
  if (followers === undefined) return []
  return [character, ...followers.map((follower) => `${character}${follower}`.normalize('NFC')).filter((text) => [...text].length === 1)]
}

/** A text without the characters at its ends that what stands around it can change, and what its last character can be. */
function kernelOf(literal: string): { readonly text: string; readonly last: readonly string[] } {
  const characters = [...literal.normalize('NFKD').normalize('NFC')]
  const first = characters.findIndex((character) => !joining.test(character))
  const end = characters.findLastIndex((character) => !joining.test(character))
  const last = first < 0 ? [] : becoming(characters[end] ?? '')
  const isOpen = characters.slice(end + 1).some((character) => !/\p{M}/u.test(character))
  const isKnown = last.length > 0 && !isOpen
  return { text: first < 0 ? '' : characters.slice(first, isKnown ? end + 1 : end).join(''), last: isKnown ? last : [] }
}

function pairParts(characters: readonly string[], last: readonly string[]): readonly TokenPart[] {
  const pairs = pairsOf(characters)
  const open = characters.at(-2)
  if (last.length < 2 || open === undefined) return pairs.map((pair) => ({ oneOf: [pair] }))
  return [...pairs.slice(0, -1).map((pair) => ({ oneOf: [pair] })), { oneOf: last.map((character) => `${open}${character}`) }]
}

function partsOf(literal: string): readonly TokenPart[] {
  const { text, last } = kernelOf(literal)
  const pieces = piecesOf(text)
  return pieces.flatMap((piece, index): readonly TokenPart[] => {
    const characters = [...piece]
    if (ofRun.test(piece)) return pairParts(characters, index === pieces.length - 1 ? last : [])
    return characters.length < shortestPart ? [] : [{ within: piece }]
  })
}

/** Version 2. */
export const secondTokenRules: TokenRules = {
  version: 2,
  swapIsOne: true,
  words: (text) => (isAscii(text) ? wordsOfAscii(text) : piecesOf(text).flatMap(recordWords)),
  asked: (text) => piecesOf(text).flatMap(queryTokens),
  parts: partsOf,
}
