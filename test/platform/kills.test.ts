import { expect, test } from 'vitest'
import { Kills } from '../support/kills.ts'
import { createWorld, overBoth } from './world.ts'

const kills = 6

overBoth('a writer that is killed', (database) => {
  test(`loses nothing that it acknowledged, ${kills} times`, { timeout: 120_000 }, async () => {
    const world = await createWorld(database, 'kills')
    const run = new Kills(world.env)
    while (run.counts.kills < kills) await run.kill()
    expect(run.counts.acknowledged).toBeGreaterThan(kills)
    await world.close()
  })
})
