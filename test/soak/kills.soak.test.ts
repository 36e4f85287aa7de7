import { describe, expect, test } from 'vitest'
import { createWorld } from '../platform/world.ts'
import { Kills, noKills } from '../support/kills.ts'

const killsOfEach = Number(process.env['FERRULE_SOAK_KILLS'] ?? 500)
/** Kills amid a change of credentials that must be among them: one in ten. */
const leastChanges = killsOfEach / 10
/** An empty installation now and then, so that the first start is killed too. */
const killsOfInstallation = 50

describe.concurrent('writers that are killed at any moment', () => {
  test.for(['sqlite', 'postgres'] as const)(
    `on %s lose nothing that they acknowledged, ${killsOfEach} times`,
    { timeout: 3_600_000 },
    async (database) => {
      const totals = { ...noKills }
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
      expect(totals.changed).toBeGreaterThanOrEqual(leastChanges)
      expect(totals.changedKept).toBeGreaterThan(0)
      expect(totals.changedKept).toBeLessThan(totals.changed)
      expect(totals.rotations).toBeGreaterThan(0)
    },
  )
})
