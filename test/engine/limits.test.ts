import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemoryLimiter } from '../../packages/ferrule/src/engine/limits/in-memory.ts'
import { collect } from '../../packages/server/src/http/garbage-collection.ts'
import { twoRates as limits, ProvenKey, provenAsker } from './limiter-support.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

/** What happens at a limiter: time passes, then a call asks (and waits at most `patience`), or the vendor says "wait". */
const step = fc.record({
  passes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 })),
  patience: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
  postpone: fc.option(fc.integer({ min: 0, max: 5000 }), { freq: 6 }),
})

/** Computes the earliest time of a call by the rates alone, from all grants. */
const earliest = (grants: readonly number[], now: number): number =>
  limits.rates.reduce((moment, { calls, seconds }) => {
    const last = grants.at(-calls)
    return last === undefined ? moment : Math.max(moment, last + seconds * 1000)
  }, now)

describe('the vendor rate', () => {
  test('no window ever holds more calls than allowed, none waits longer than needed, none starts after its deadline', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const key = new ProvenKey(limits)
        const first = key.turn(start) // the vendor's words belong to a call
        const grants: number[] = [start]
        let now = start
        let postponed = start
        for (const { passes, patience, postpone } of steps) {
          now += passes
          if (postpone !== null) {
            key.limiter.postpone(first.turn, now + postpone, now)
            postponed = Math.max(postponed, now + postpone)
          }
          const { wait, refused } = key.asked({ now, latest: now + patience })
          const moment = Math.max(earliest(grants, now), postponed)
          expect(now + wait).toBe(moment)
          expect(refused).toBe(wait > patience)
          if (!refused) grants.push(moment)
        }
        for (const { calls, seconds } of limits.rates)
          for (const [index, grant] of grants.entries()) {
            const next = grants[index + calls] ?? Number.POSITIVE_INFINITY
            expect(next - grant).toBeGreaterThanOrEqual(seconds * 1000)
          }
      }),
      { numRuns: 500 },
    )
  })

  test('keys do not share a budget', () => {
    const limiter = new MemoryLimiter()
    const [a, b] = ['a', 'b'].map((key) => new ProvenKey(limits, { key, limiter }))
    const at = { now: start, latest: start }
    for (let call = 0; call < 3; call++) expect(a?.asked(at).refused).toBe(false)
    expect(a?.asked(at)).toEqual({ wait: 1000, refused: true })
    expect(b?.asked(at)).toEqual({ wait: 0, refused: false })
  })

  test('a refused call takes nothing from those that follow', () => {
    const key = new ProvenKey(limits)
    for (let call = 0; call < 3; call++) key.asked({ now: start, latest: start })
    for (let call = 0; call < 50; call++) expect(key.asked({ now: start, latest: start }).refused).toBe(true)
    expect(key.asked({ now: start, latest: start + 1000 })).toEqual({ wait: 1000, refused: false })
  })

  test('ten thousand customers with a daily quota cost little memory until they use it', () => {
    const limiter = new MemoryLimiter()
    collect({ type: 'major', flavor: 'last-resort' })
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    for (let key = 0; key < 10_000; key++)
      limiter.reserve(provenAsker({ key: [], rates: [{ calls: 10_000, seconds: 86_400 }] }, `k${key}`), { now: start, latest: start })
    const after = process.memoryUsage()
    expect(after.arrayBuffers + after.heapUsed - arrayBuffers - heapUsed).toBeLessThan(64 * 1024 * 1024)
  })
})
