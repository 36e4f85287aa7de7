/** Budgets of vendors that refuse without saying for how long, in simulated time. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { twoRates as limits, ProvenKey } from './limiter-support.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const wait = { first: 1, longest: 300 }

/** A key with one call that was sent. */
function known() {
  const key = new ProvenKey(limits)
  const { turn } = key.turn(start)
  key.limiter.enter(turn, start)
  return { key, limiter: key.limiter, turn, refuse: (now: number) => key.limiter.refuse(turn, wait, now) }
}

describe('a refusal without a time', () => {
  test('waits twice as long each time in a row, up to the longest', () => {
    const { refuse } = known()
    let now = start
    const waits = Array.from({ length: 12 }, () => {
      const milliseconds = refuse(now)
      now += milliseconds
      return milliseconds / 1000
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('of calls that were sent together is one: the others are told what is left of its wait', () => {
    const { refuse } = known()
    expect([0, 0, 250, 999].map((passed) => refuse(start + passed))).toEqual([1000, 1000, 750, 1])
    expect(refuse(start + 1000)).toBe(2000)
  })

  test('begins anew after the vendor took a call', () => {
    const { refuse, limiter, turn } = known()
    refuse(start)
    refuse(start + 1000)
    limiter.prove(turn, true, start + 3000)
    expect(refuse(start + 3000)).toBe(1000)
  })

  test('holds back every call of its key, and no other', () => {
    const { refuse, limiter, key } = known()
    const other = new ProvenKey(limits, { key: 'other', limiter })
    other.turn(start)
    refuse(start)
    const patient = { now: start, latest: start + 60_000 }
    expect(key.asked(patient)).toEqual({ wait: 1000, refused: false })
    expect(key.asked({ now: start, latest: start + 999 })).toEqual({ wait: 1000, refused: true })
    expect(other.asked(patient)).toEqual({ wait: 0, refused: false })
  })

  test('does not shorten a wait that the vendor told', () => {
    const { refuse, limiter, turn } = known()
    limiter.postpone(turn, start + 5000, start)
    expect(refuse(start)).toBe(5000)
    expect(refuse(start + 5000)).toBe(1000)
  })
})

describe('a turn that comes within a wait', () => {
  test('is given anew, spread as ever: not all at the end of the wait', () => {
    const key = new ProvenKey(limits)
    const reserved = Array.from({ length: 3 }, () => key.turn(start))
    expect(reserved.map((each) => each.wait)).toEqual([0, 0, 0])
    for (const { turn } of reserved.slice(0, 1)) key.limiter.refuse(turn, wait, start)
    expect(reserved.map(({ turn }) => key.limiter.enter(turn, start))).toEqual([1000, 1000, 1000])
    const entered = reserved.map(({ turn }) => {
      const more = key.limiter.enter(turn, start + 1000)
      key.limiter.prove(turn, true, start + 1000)
      return more
    })
    expect(entered).toEqual([0, 0, 0])
  })

  const boundTo = (key: ProvenKey) => ({ limiter: key.limiter, turn: (now: number) => key.turn(now) })

  /** Calls that ask at their times, and which sent ones the vendor refuses. */
  const world = fc.record({
    asks: fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 1, maxLength: 40 }),
    refused: fc.array(fc.boolean(), { maxLength: 40 }),
  })

  test('no window ever holds more calls than allowed, and none is sent within a wait', () => {
    fc.assert(
      fc.property(world, ({ asks, refused }) => {
        const { limiter, turn: turnOf } = boundTo(new ProvenKey(limits))
        const queue: { at: number; asked?: Turn }[] = asks.map((at) => ({ at: start + at }))
        const sent: number[] = []
        let suspended = start
        const following = () => queue.sort((a, b) => a.at - b.at).shift()
        for (let next = following(); next !== undefined; next = following()) {
          const now = next.at
          const given = next.asked === undefined ? turnOf(now) : { turn: next.asked, wait: 0 }
          const more = given.wait || limiter.enter(given.turn, now)
          if (more > 0) {
            queue.push({ at: now + more, asked: given.turn })
            continue
          }
          expect(now).toBeGreaterThanOrEqual(suspended)
          sent.push(now)
          if (refused[sent.length - 1]) suspended = now + limiter.refuse(given.turn, { first: 1, longest: 8 }, now)
          else limiter.prove(given.turn, true, now)
          limiter.giveBack(given.turn)
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
