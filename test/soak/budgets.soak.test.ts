import { expect, test } from 'vitest'
import { killNodes, longestPauseMs, startNodes } from '../platform/budget-world.ts'
import { createWorld } from '../platform/world.ts'

const kills = 200

test(`nodes that share a budget lose no turn for longer than a window, ${kills} kills`, { timeout: 3_600_000 }, async () => {
  const world = await createWorld('postgres', 'soak budgets')
  await world.open()
  const vendor = await killNodes(startNodes(world.raw(), 4), kills)
  const pause = vendor.longestPause(0)
  console.log(
    `budgets: ${JSON.stringify({ kills, calls: vendor.accepted.length, refused: vendor.refused, longestPauseMs: Math.round(pause) })}`,
  )
  expect(vendor.refused).toBe(0)
  expect(pause).toBeLessThan(longestPauseMs)
  await world.close()
})
