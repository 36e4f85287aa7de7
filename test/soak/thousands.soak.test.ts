import { expect, test } from 'vitest'
import { countByTenMinutes, findLongestGap, hourMs, simulate } from '../platform/thousands.ts'
import { createWorld } from '../platform/world.ts'

const week = 168

test('10,000 connectors that begin together keep their schedules on 8 workers for a simulated week', { timeout: 14_400_000 }, async () => {
  const world = await createWorld('sqlite', 'soak thousands')
  const after = world.now + 12 * hourMs
  const seen = await simulate(world, { connectors: 10_000, hours: week, atOnce: 4 })
  const { runs, mostRows, waiting, claimStatements } = seen
  const figures = { runs, mostRows, waiting, claimStatements, gap: findLongestGap(seen, after), parts: countByTenMinutes(seen, after) }
  console.log(`thousands of connectors: ${JSON.stringify(figures)}`)
  expect(figures.gap).toBeLessThanOrEqual(1.1)
  expect(mostRows).toBeLessThanOrEqual(102)
  expect(claimStatements).toBeLessThanOrEqual(4)
  await world.close()
})
