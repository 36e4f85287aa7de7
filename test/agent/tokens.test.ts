/** The estimate of tokens: never below what the vocabulary o200k counts. */
import fc from 'fast-check'
import { countTokens, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { boundText } from '../../packages/ferrule/src/agent/answers/bounds.ts'
import { writeLine } from '../../packages/ferrule/src/agent/answers/json.ts'
import { signRuns, splitPairs, wordList } from '../../packages/ferrule/src/agent/answers/token-tables.ts'
import { estimateTokens } from '../../packages/ferrule/src/agent/answers/tokens.ts'
import { readRecordedAnswers } from './support.ts'

const count = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })
const capitalize = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
const signs = Array.from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')
const letters = Array.from('abcdefghijklmnopqrstuvwxyz')

test('the tables agree with the vocabulary', () => {
  const wrongWords = wordList.filter((word) =>
    [word, capitalize(word)].some((form) => count(form) !== 1 || count(` ${form}`) !== 1 || signs.some((sign) => count(sign + form) > 2)),
  )
  expect(wrongWords).toEqual([])
  const wrongRuns = Object.entries(signRuns).flatMap(([most, runs]) =>
    runs.filter((run) => count(run) > Number(most) || count(`${run}\n`) > Number(most) + 1),
  )
  expect(wrongRuns).toEqual([])
  const split = letters.flatMap((one) => letters.map((other) => one + other)).filter((pair) => encode(pair).length > 1)
  expect(splitPairs).toEqual(split)
  const numbers = Array.from({ length: 1000 }, (_, number) => [
    String(number),
    String(number).padStart(2, '0'),
    String(number).padStart(3, '0'),
  ])
  expect(numbers.flat().filter((text) => count(text) > 1)).toEqual([])
})

test('is never too low for the answers of all operations, and at most 2.5 times too high', () => {
  const answers = readRecordedAnswers()
  expect(answers.length).toBeGreaterThan(90)
  for (const { kind, operation, body } of answers) {
    const text = writeLine(body)
    const [real, estimate] = [count(text), estimateTokens(text)]
    expect(estimate, `${kind} ${operation}`).toBeGreaterThanOrEqual(real)
    expect(estimate, `${kind} ${operation}`).toBeLessThanOrEqual(2.5 * real + 10)
  }
})

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
const hostile = fc.array(fc.oneof(...pieces), { maxLength: 30 }).map((all) => all.join(''))

test('is never too low for hostile texts', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(count(text))
    }),
    { numRuns: 1_500 },
  )
})

test('a text that is cut keeps its budget and is no longer than before', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 20, max: 200 }), (text, budget) => {
      const bounded = boundText(text, budget)
      expect(count(bounded)).toBeLessThanOrEqual(budget)
      if (count(text) * 4 < budget && text.length * 3 < budget) expect(bounded).toBe(text)
    }),
    { numRuns: 300 },
  )
})
