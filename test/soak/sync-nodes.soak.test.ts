import { expect, test } from 'vitest'
import { createWorld, overBoth } from '../platform/world.ts'
import { phases, SyncKills } from '../support/sync-kills.ts'
import { VendorEventKills } from '../support/vendor-event-kills.ts'

const kills = 200
/** Kills in each phase at least. */
const least = 30
/** Kills between two comparisons. */
const between = 5

overBoth('nodes that are killed while they sync', (database) => {
  test(`leave a copy and a follower that equal the vendor after the next run, and lose no event, ${kills} kills`, {
    timeout: 3_600_000,
  }, async () => {
    const world = await createWorld(database, 'soak sync kills')
    await using run = await SyncKills.begin(world.env)
    while (run.counts.kills < kills) {
      for (let count = 0; count < between; count += 1) await run.kill(phases[run.counts.kills % phases.length] ?? 'walking')
      const { found, followed, expected, events, received } = await run.compare()
      expect(found).toEqual(expected)
      expect(followed).toEqual(expected)
      expect(events.filter((id) => received.get(id)?.size !== 1)).toEqual([])
    }
    console.log(`sync kills (${database}): ${JSON.stringify(run.counts)}`)
    for (const phase of phases) expect(run.counts[phase], phase).toBeGreaterThanOrEqual(least)
    await world.close()
  })

  test(`lose no event of a vendor that they took, ${kills} kills`, { timeout: 3_600_000 }, async () => {
    const world = await createWorld(database, 'soak vendor events')
    await using run = await VendorEventKills.begin(world.env)
    while (run.counts.kills < kills) {
      for (let count = 0; count < between; count += 1) await run.kill()
      const { found, expected, lost } = await run.compare()
      expect(lost).toEqual([])
      expect(found).toEqual(expected)
    }
    console.log(`kills while events of a vendor wait (${database}): ${JSON.stringify(run.counts)}`)
    expect(run.counts.waiting).toBeGreaterThanOrEqual(least)
    await world.close()
  })
})
