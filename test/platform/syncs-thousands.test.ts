import { expect, test } from 'vitest'
import { readSettings } from '../../packages/server/src/platform/settings/settings.ts'
import { computeNextRunAt } from '../../packages/server/src/platform/syncs/queue/times.ts'
import { countByTenMinutes, findLongestGap, hourMs, simulate } from './thousands.ts'
import { createWorld } from './world.ts'

/** Time until the first fillings of all connectors are done, in hours. */
const filledHours = 6

test('connectors that come due together part at once, and each keeps its place in the hour', () => {
  const settings = readSettings({}, { kinds: [] })
  const nextAfter = (now: number, id: number) =>
    computeNextRunAt(
      { settings, source: { clock: () => now, randomBytes: (size) => Buffer.alloc(size) } },
      { connector_id: `connector ${id}`, interval_seconds: null },
    )
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let id = 0; id < 10_000; id += 1) {
    const wait = nextAfter(24 * hourMs, id) - 24 * hourMs
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(hourMs)
    expect(nextAfter(24 * hourMs + wait, id)).toBe(25 * hourMs + wait)
    const tenth = Math.min(9, Math.floor((10 * wait) / hourMs))
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  expect(Math.max(...tenths)).toBeLessThan(1_200)
  expect(Math.min(...tenths)).toBeGreaterThan(800)
})

test('connectors of all kinds that begin together keep their schedules on 8 workers for a simulated day', {
  timeout: 120_000,
}, async () => {
  const world = await createWorld('sqlite', 'thousands')
  const after = world.now + filledHours * hourMs
  const seen = await simulate(world, { connectors: 120, hours: 24, atOnce: 1 })
  const parts = countByTenMinutes(seen, after)
  const mean = parts.reduce((sum, count) => sum + count, 0) / parts.length
  expect(findLongestGap(seen, after)).toBeLessThanOrEqual(1.1)
  expect(Math.max(...parts)).toBeLessThan(1.7 * mean)
  expect([...seen.starts.values()].every((times) => times.length > 18)).toBe(true)
  expect(seen.claimStatements).toBeLessThanOrEqual(4)
  expect(seen.plans.filter((plan) => /^SCAN (?!.*USING)/.test(plan))).toEqual([])
  expect(seen.plans.filter((plan) => plan.includes('sync_runs_queue'))).not.toEqual([])
  expect(seen.mostRows).toBeLessThanOrEqual(102) // 144 runs of ten minutes; 100 ended ones are kept
  await world.close()
})
