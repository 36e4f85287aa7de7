/** Tokens for the oracle: how strings are split, and which token matches which. Plain and slow on purpose. */
import { kept } from './oracle-values.ts'

const folds: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  þ: 'th',
  ð: 'd',
  ς: 'σ',
}

const isMark = (character: string): boolean => /\p{M}/u.test(character)
const losesMarks = (character: string): boolean =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(character) && /\p{L}/u.test(character)
const scripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai'].map((script) => `\\p{Script_Extensions=${script}}`)
const paired = new RegExp(`[${scripts.join('')}]`, 'u')
const isPaired = (character: string): boolean => paired.test(character)

/** Format characters, vowel marks of Arabic, its superscript alef, and its lengthening. */
const unwritten = /[\p{Cf}\u064B-\u065F\u0670\u0640]/gu

/** Removes what is not written by all, removes marks after Latin, Greek and Cyrillic letters, composes, converts to lower case and folds. */
function reduced(text: string): string {
  let plain = ''
  let isBehind = false
  for (const character of kept(text).replace(unwritten, '').normalize('NFKD')) {
    if (isMark(character)) {
      if (!isBehind) plain += character
    } else {
      plain += character
      isBehind = losesMarks(character)
    }
  }
  return [...plain.normalize('NFC').toLowerCase()].map((character) => folds[character] ?? character).join('')
}

/** A piece of a string: a word, or a run of characters of a script without spaces. */
interface Piece {
  readonly characters: string[]
  readonly isRun: boolean
  /** `+`, `++` or `#` directly behind letters. */
  sign: string
}

const isInside = (character: string): boolean => /[\p{L}\p{M}\p{N}]/u.test(character)

/** Reads the sign behind a piece of letters. */
function signOf({ characters, isRun }: Piece, behind: readonly string[]): string {
  if (isRun || characters.some((each) => /\p{N}/u.test(each)) || !characters.some((each) => /\p{L}/u.test(each))) return ''
  if (behind[0] === '#') return '#'
  if (behind[0] !== '+') return ''
  return behind[1] === '+' ? '++' : '+'
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let current: Piece | undefined
  const all = [...reduced(text)]
  for (const [index, character] of all.entries()) {
    if (!isInside(character)) {
      if (current !== undefined) current.sign = signOf(current, all.slice(index, index + 2))
      current = undefined
      continue
    }
    const isRun = isPaired(character)
    if (current?.isRun !== isRun) {
      current = { characters: [], isRun, sign: '' }
      pieces.push(current)
    }
    current.characters.push(character)
  }
  return pieces
}

/** Joins pieces with single `-`, `.`, `'`, `’` or `/` between them: 2 to 6 of them, 2 to 40 characters. */
function joinedOf(text: string): string[] {
  const joined: string[] = []
  let chain: string[] = ['']
  const end = (): void => {
    const whole = chain.join('')
    const length = [...whole].length
    if (chain.length >= 2 && chain.length <= 6 && length >= 2 && length <= 40 && ![...whole].some(isPaired)) joined.push(whole)
    chain = ['']
  }
  const all = [...reduced(text), ' ']
  for (const [index, character] of all.entries()) {
    if (isInside(character)) chain.push(`${chain.pop()}${character}`)
    else if (chain.at(-1) !== '' && /[-.'’/]/.test(character) && isInside(all[index + 1] ?? ' ')) chain.push('')
    else end()
  }
  return joined
}

const pairsOf = (characters: readonly string[]): string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`)

/** Splits a record's string into tokens. */
export const tokensOf = (text: string): string[] => [
  ...piecesOf(text).flatMap(({ characters, isRun }) => (isRun ? [...pairsOf(characters), characters.at(-1) ?? ''] : [characters.join('')])),
  ...joinedOf(text),
  ...piecesOf(text).flatMap(({ characters, sign }) => (sign === '' ? [] : [characters.join('') + sign])),
]

/** A token of a query. */
export interface Asked {
  readonly token: string
  /** True for a run of one character, which matches as a prefix for every operator. */
  readonly isOneOfRun: boolean
}

/** Splits a query's string into tokens. */
export const askedOf = (text: string): Asked[] =>
  piecesOf(text).flatMap(({ characters, isRun, sign }) =>
    isRun && characters.length > 1
      ? pairsOf(characters).map((token) => ({ token, isOneOfRun: false }))
      : [{ token: characters.join('') + sign, isOneOfRun: isRun }],
  )

/** Computes the edit distance in code points; swapping two neighbours is one edit (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1]
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      if (isSwap) row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1)
    }
  }
  return at(left.length, right.length)
}

/** Scores a query token against a field's token: equal 3, prefix 2, typing error 1, no match 0. */
export function matchOf({ token }: Pick<Asked, 'token'>, word: string): 0 | 1 | 2 | 3 {
  if (word === token) return 3
  if (word.startsWith(token)) return 2
  const length = [...token].length
  const distance = /\p{N}/u.test(token) ? 0 : length >= 8 ? 2 : length >= 4 ? 1 : 0
  const isNear = distance > 0 && Math.abs([...word].length - length) <= distance && editDistance(token, word) <= distance
  return isNear ? 1 : 0
}

/** Returns whether `keyword` matches: the whole token, or one that begins with a run of one character. */
export const isKeyword = ({ token, isOneOfRun }: Asked, word: string): boolean => word === token || (isOneOfRun && word.startsWith(token))
