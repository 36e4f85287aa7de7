/** The estimate of tokens: never below what the vocabulary o200k counts. */
import fc from 'fast-check'
import { countTokens, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { boundText } from '../../packages/ferrule/src/agent/answers/bounds.ts'
import { writeLine } from '../../packages/ferrule/src/agent/answers/json.ts'
import { estimateTokens, signRuns, splitPairs, wordList } from '../../packages/ferrule/src/agent/answers/token-count.ts'
import { capitalize, hostile, letters, signs } from './hostile.ts'
import { readRecordedAnswers } from './support.ts'

const count = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

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
