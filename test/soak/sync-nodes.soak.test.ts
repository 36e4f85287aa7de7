import { expect, test } from 'vitest'
import { createWorld, overBoth } from '../platform/world.ts'
import { SyncKills } from '../support/sync-kills.ts'

const kills = 100
/** Kills between two comparisons. */
const between = 5

overBoth('nodes that are killed while they sync', (database) => {
  test(`leave a copy that equals the vendor after the next run, ${kills} kills`, { timeout: 3_600_000 }, async () => {
    const world = await createWorld(database, 'soak sync kills')
    await using run = await SyncKills.begin(world.env)
    while (run.counts.kills < kills) {
      for (let count = 0; count < between; count += 1) await run.kill()
      const { found, expected } = await run.compare()
      expect(found).toEqual(expected)
    }
    console.log(`sync kills (${database}): ${JSON.stringify(run.counts)}`)
    expect(run.counts.walking).toBeGreaterThan(kills / 4)
    await world.close()
  })
})
