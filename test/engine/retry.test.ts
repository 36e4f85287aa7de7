import { describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { computePause, parseRetryAfter } from '../../packages/ferrule/src/retry.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

describe('Retry-After', () => {
  test.each([
    ['1', 1000],
    ['0', 0],
    [' 2 ', 2000],
    ['0.25', 250],
    ['3600', 3_600_000],
    ['-5', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['86400', 86_400_000],
    ['99999999999', 86_400_000],
    ['1e30', 86_400_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ])('%j is %s ms', (header, milliseconds) => {
    expect(parseRetryAfter({ 'retry-after': header }, now)).toBe(milliseconds)
  })

  test('of several headers the first counts, and without one there is none', () => {
    expect(parseRetryAfter({ 'retry-after': ['2', '9'] }, now)).toBe(2000)
    expect(parseRetryAfter({}, now)).toBeUndefined()
  })
})

describe('the pause before the next attempt', () => {
  test('is what the vendor asks for', () => {
    expect(computePause(fail('upstream_rate_limited', { vendor: 'Gong' }, { retryAfterMs: 1234 }), 1, () => 0.9)).toBe(1234)
  })

  test('otherwise grows with the failures up to a bound, at random', () => {
    const error = fail('upstream_error', { vendor: 'Gong', reason: 'x' })
    expect([1, 2, 3, 4, 5, 6, 50].map((failures) => computePause(error, failures, () => 0.5))).toEqual([
      250, 500, 1000, 2000, 4000, 4000, 4000,
    ])
    expect(computePause(error, 1, () => 0)).toBe(0)
  })
})
