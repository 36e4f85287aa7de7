import { expect, test } from 'vitest'
import { printRelative } from './print.ts'

const day = 86_400_000

test.each([
  [90 * day - 1_000, 'in 90 days'],
  [90 * day, 'in 90 days'],
  [-30 * day, '30 days ago'],
  [100 * day, 'in 3 months'],
  [179 * day, 'in 6 months'],
  [340 * day, 'in 11 months'],
  [364 * day, 'next year'],
  [365 * day, 'next year'],
  [730 * day - 1_000, 'in 2 years'],
  [day - 1, 'tomorrow'],
  [59_600, 'in 1 minute'],
  [-5 * 60_000, '5 minutes ago'],
  [3_599_999, 'in 1 hour'],
  [0, 'now'],
])('%d milliseconds from now are %s', (difference, says) => {
  expect(printRelative(difference, 0)).toBe(says)
})
