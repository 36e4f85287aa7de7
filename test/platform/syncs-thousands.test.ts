import { expect, test } from 'vitest'
import { computeNextRunAt } from '../../packages/server/src/copies/queue/times.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { hourMs, simulate } from './thousands.ts'
import { countByMinute, findLongestGap } from './thousands-findings.ts'
import { createWorld } from './world.ts'

/** Time until the first fillings of all connectors are done, in hours. */
const filledHours = 2

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

test('slow and failing connectors starve no others on 8 workers for a simulated day, and all keep their schedules', {
  timeout: 480_000,
}, async () => {
  const world = await createWorld('sqlite', 'thousands')
  const from = world.now + filledHours * hourMs
  const seen = await simulate(world, { connectors: 200, hours: 18, atOnce: 1, turnMs: 60_000 })
  const minutes = countByMinute(seen, from)
  const mean = minutes.reduce((sum, count) => sum + count, 0) / minutes.length
  expect(findLongestGap(seen, { from, to: world.now })).toBeLessThanOrEqual(1.1)
  expect(Math.max(...minutes)).toBeLessThan(3 * mean)
  expect(seen.claimStatements).toBeLessThanOrEqual(10)
  expect(seen.plans.filter((plan) => /^SCAN (?!.*USING)/.test(plan))).toEqual([])
  expect(seen.plans.filter((plan) => plan.includes('sync_runs_queue'))).not.toEqual([])
  expect(seen.mostRows).toBeLessThanOrEqual(102) // 108 runs of ten minutes; 100 ended ones are kept
  const waiting = [...seen.connectors.values()].filter(({ behaviour }) => behaviour === 'unchecked')
  expect(waiting.map(({ id }) => seen.starts.get(id))).toEqual([[], []])
  await world.close()
})
