import { expect, test } from 'vitest'
import { Kills } from '../support/kills.ts'
import { createWorld, overBoth } from './world.ts'

const kills = 6
/** Until one of them came amid a change of credentials. */
const most = 40

overBoth('a writer that is killed', (database) => {
  test(`loses nothing that it acknowledged, ${kills} times`, { timeout: 120_000 }, async () => {
    const world = await createWorld(database, 'kills')
    const run = new Kills(world.env)
    while (run.counts.kills < kills || (run.counts.changed === 0 && run.counts.kills < most)) await run.kill()
    expect(run.counts.acknowledged).toBeGreaterThan(kills)
    expect(run.counts.changed).toBeGreaterThan(0) // and was found with its old or its new credentials
    await world.close()
  })
})
