/** Budgets of vendors that refuse without saying for how long, in simulated time. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Limiter } from '../../src/engine/limits.ts'

const limits = {
  key: [],
  rates: [
    { calls: 3, seconds: 1 },
    { calls: 8, seconds: 10 },
  ],
} as const
const start = Date.parse('2026-01-01T00:00:00Z')
const wait = { first: 1, longest: 300 }

/** A limiter whose key was asked for once. */
const known = (): Limiter => {
  const limiter = new Limiter()
  limiter.reserve('k', limits, { now: start, latest: start })
  return limiter
}

describe('a refusal without a time', () => {
  test('waits twice as long each time in a row, up to the longest', () => {
    const limiter = known()
    let now = start
    const waits = Array.from({ length: 12 }, () => {
      const milliseconds = limiter.refuse('k', wait, now)
      now += milliseconds
      return milliseconds / 1000
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('of calls that were sent together is one: the others are told what is left of its wait', () => {
    const limiter = known()
    expect([0, 0, 250, 999].map((passed) => limiter.refuse('k', wait, start + passed))).toEqual([1000, 1000, 750, 1])
    expect(limiter.refuse('k', wait, start + 1000)).toBe(2000)
  })

  test('begins anew after the vendor took a call', () => {
    const limiter = known()
    limiter.refuse('k', wait, start)
    limiter.refuse('k', wait, start + 1000)
    limiter.accept('k')
    expect(limiter.refuse('k', wait, start + 3000)).toBe(1000)
  })

  test('holds back every call of its key, and no other', () => {
    const limiter = known()
    limiter.reserve('other', limits, { now: start, latest: start })
    limiter.refuse('k', wait, start)
    const patient = { now: start, latest: start + 60_000 }
    expect(limiter.reserve('k', limits, patient)).toEqual({ wait: 1000, refused: false })
    expect(limiter.reserve('k', limits, { now: start, latest: start + 999 })).toEqual({ wait: 1000, refused: true })
    expect(limiter.reserve('other', limits, patient)).toEqual({ wait: 0, refused: false })
  })

  test('does not shorten a wait that the vendor told', () => {
    const limiter = known()
    limiter.postpone('k', start + 5000)
    expect(limiter.refuse('k', wait, start)).toBe(5000)
    expect(limiter.refuse('k', wait, start + 5000)).toBe(1000)
  })

  test('of a key that was forgotten is the first', () => {
    const limiter = new Limiter()
    expect(limiter.refuse('gone', wait, start)).toBe(1000)
    expect(limiter.refuse('gone', wait, start)).toBe(1000)
    expect(() => limiter.accept('gone')).not.toThrow()
    expect(limiter.enter('gone', start)).toBe(0)
  })
})

describe('a turn that comes within a wait', () => {
  test('is given anew, spread as ever: not all at the end of the wait', () => {
    const limiter = new Limiter()
    const reserved = Array.from({ length: 3 }, () => limiter.reserve('k', limits, { now: start, latest: start + 60_000 }).wait)
    expect(reserved).toEqual([0, 0, 0])
    limiter.refuse('k', wait, start)
    const turns = reserved.map(() => limiter.enter('k', start))
    expect(turns).toEqual([1000, 1000, 1000])
    expect(turns.map((turn) => limiter.enter('k', start + turn))).toEqual([0, 0, 0])
  })

  /** Calls that ask at their moments, and which of those that are sent the vendor refuses. */
  const world = fc.record({
    asks: fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 1, maxLength: 40 }),
    refused: fc.array(fc.boolean(), { maxLength: 40 }),
  })

  test('no window ever holds more calls than allowed, and none is sent within a wait', () => {
    fc.assert(
      fc.property(world, ({ asks, refused }) => {
        const limiter = new Limiter()
        const queue = asks.map((at) => ({ at: start + at, asked: false }))
        const sent: number[] = []
        let suspended = start
        const following = () => queue.sort((a, b) => a.at - b.at).shift()
        for (let next = following(); next !== undefined; next = following()) {
          const now = next.at
          const more = next.asked
            ? limiter.enter('k', now)
            : limiter.reserve('k', limits, { now, latest: Number.POSITIVE_INFINITY }).wait || limiter.enter('k', now)
          if (more > 0) {
            queue.push({ at: now + more, asked: true })
            continue
          }
          expect(now).toBeGreaterThanOrEqual(suspended)
          sent.push(now)
          if (refused[sent.length - 1]) suspended = now + limiter.refuse('k', { first: 1, longest: 8 }, now)
          else limiter.accept('k')
        }
        expect(sent).toHaveLength(asks.length)
        for (const { calls, seconds } of limits.rates)
          for (const [index, moment] of sent.entries())
            expect((sent[index + calls] ?? Number.POSITIVE_INFINITY) - moment).toBeGreaterThanOrEqual(seconds * 1000)
      }),
      { numRuns: 300 },
    )
  })
})
