import { describe, expect, test } from 'vitest'
import { createWorld } from '../platform/world.ts'
import { Kills } from '../support/kills.ts'

const killsOfEach = 500
/** An empty installation now and then, so that the first start is killed too. */
const killsOfInstallation = 50

describe.concurrent('writers that are killed at any moment', () => {
  test.for(['sqlite', 'postgres'] as const)(
    `on %s lose nothing that they acknowledged, ${killsOfEach} times`,
    { timeout: 3_600_000 },
    async (database) => {
      const totals = { kills: 0, early: 0, acknowledged: 0, interrupted: 0, interruptedKept: 0, rotations: 0 }
      while (totals.kills < killsOfEach) {
        const world = await createWorld(database, 'kills')
        const run = new Kills(world.env)
        while (run.counts.kills < killsOfInstallation) await run.kill()
        for (const [name, count] of Object.entries(run.counts)) totals[name as keyof typeof totals] += count // its own keys
        await world.close()
      }
      console.log(database, JSON.stringify(totals))
      expect(totals.acknowledged).toBeGreaterThan(totals.kills)
      expect(totals.interrupted).toBeGreaterThan(0)
      expect(totals.rotations).toBeGreaterThan(0)
    },
  )
})
