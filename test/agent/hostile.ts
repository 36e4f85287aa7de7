/** Hostile texts: whatever a vendor, a statement or a name can hold. */
import fc from 'fast-check'
import { signRuns, splitPairs, wordList } from '../../packages/ferrule/src/agent/answers/token-count.ts'

export const signs = Array.from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')
export const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
export const capitalize = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts)
const codePoint = (min: number, max: number) => fc.integer({ min, max }).map((code) => String.fromCodePoint(code))
/** Pieces of hostile texts: each test draws from a few of them, so that runs of one class and changes between classes both occur. */
const pieces = [
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)), minLength: 1, maxLength: 30 }),
  fc.array(pick(...letters), { minLength: 1, maxLength: 40 }).map((all) => all.join('')),
  fc.array(pick(...splitPairs), { minLength: 1, maxLength: 10 }).map((all) => all.join('')),
  fc.array(pick(...signs, ' ', '\n', '\r', '\t'), { minLength: 1, maxLength: 20 }).map((all) => all.join('')),
  fc.bigInt().map(String),
  fc.stringMatching(/^[0-9]{1,60}$/),
  fc.base64String({ minLength: 4, maxLength: 80 }),
  fc.uuid(),
  fc.array(codePoint(0x1f300, 0x1faff), { minLength: 1, maxLength: 10 }).map((all) => all.join('')),
  fc.array(codePoint(0x4e00, 0x9fff), { minLength: 1, maxLength: 20 }).map((all) => all.join('')),
  fc.array(codePoint(0xa0, 0x24f), { minLength: 1, maxLength: 20 }).map((all) => all.join('')),
  fc.array(codePoint(0xe40, 0xe5b), { minLength: 1, maxLength: 10 }).map((all) => all.join('')),
  pick(...wordList),
  pick(...wordList.map(capitalize)),
  pick(...Object.values(signRuns).flat()),
  pick(' ', "'s", "'LL", '²', '٣', '３', 'é', 'ﬁ', 'ǅ', '\u200d', '\ufeff', '\u2028', '\ud800', '\udc00', '<|endoftext|>'),
] as const
/** Makes texts of such pieces. */
export const hostile = fc.array(fc.oneof(...pieces), { maxLength: 30 }).map((all) => all.join(''))
