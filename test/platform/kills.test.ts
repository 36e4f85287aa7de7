import { expect, test } from 'vitest'
import { Kills } from '../support/kills.ts'
import { createWorld, overServer } from './world.ts'

const kills = 2
/** Maximum number of kills until one hits a change of credentials, and writers have lived long enough to write. */
const most = 40

overServer('a writer that is killed', (database) => {
  test(`loses nothing that it acknowledged, ${kills} times`, async () => {
    const world = await createWorld(database, 'kills')
    const run = new Kills(world.env)
    const { counts } = run
    const hasSeenEnough = () => counts.kills >= kills && counts.changed > 0 && counts.acknowledged > kills
    while (!hasSeenEnough() && counts.kills < most) await run.kill()
    expect(counts.acknowledged).toBeGreaterThan(kills)
    expect(counts.changed).toBeGreaterThan(0) // the connector has its old or its new credentials
    await world.close()
  })
})
