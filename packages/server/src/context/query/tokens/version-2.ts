/**
 * Version 2 of the token rules:
 * - Unicode NFKD.
 * - Remove marks after Latin, Greek and Cyrillic letters, where they are accents; elsewhere marks are vowels.
 * - NFC and lower case.
 * - Fold some letters to what people type instead.
 * - Split at everything but letters, marks and digits.
 * - Cut runs of scripts without spaces into overlapping pairs. Records also keep the last character, so each character begins a word.
 *
 * A swap of two neighbours is one typing error. Words with a digit allow none.
 */
import { findTolerance, minSubstringLength, splitAscii } from './shared.ts'
import type { QueryToken, RequiredWord, TokenRules } from './types.ts'

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

/** Splits into words, and into runs of characters that are later cut into pairs. */
const splitPieces = (text: string): readonly string[] =>
  fold(text)
    .split(between)
    .flatMap((piece) => piece.match(runs) ?? [])

const listPairs = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

function toRecordWords(piece: string): readonly string[] {
  if (!ofRun.test(piece)) return [piece]
  const characters = [...piece]
  return [...listPairs(characters), ...characters.slice(-1)]
}

const toQueryToken = (text: string): QueryToken => ({ text, distance: /\p{N}/u.test(text) ? 0 : findTolerance(text), isBeginning: false })

function toQueryTokens(piece: string): readonly QueryToken[] {
  if (!ofRun.test(piece)) return [toQueryToken(piece)]
  const characters = [...piece]
  return characters.length === 1 ? [{ text: piece, distance: 0, isBeginning: true }] : listPairs(characters).map(toQueryToken)
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

function findRequiredWords(literal: string): readonly RequiredWord[] {
  const { text, last } = trimToKernel(literal)
  const pieces = splitPieces(text)
  return pieces.flatMap((piece, index): readonly RequiredWord[] => {
    const characters = [...piece]
    if (ofRun.test(piece)) return requirePairs(characters, index === pieces.length - 1 ? last : [])
    return characters.length < minSubstringLength ? [] : [{ within: piece }]
  })
}

/** Version 2 of the token rules. */
export const secondTokenRules: TokenRules = {
  version: 2,
  swapIsOne: true,
  splitText: (text) => splitAscii(text) ?? splitPieces(text).flatMap(toRecordWords),
  splitQuery: (text) => splitPieces(text).flatMap(toQueryTokens),
  requiredWords: findRequiredWords,
}
