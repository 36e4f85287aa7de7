import { expect, test } from 'vitest'
import { compareKilled, writeAndKill } from './store-kills.ts'
import { createStoreWorld, overBoth } from './store-world.ts'

const kills = 2

overBoth('a writer that is killed', (engine) => {
  test(`loses nothing that it acknowledged, ${kills} times`, async () => {
    const world = await createStoreWorld(engine)
    const options = world.settings.engine === 'postgres' ? { url: world.settings.url.reveal() } : { folder: world.folder }
    let last = 0
    for (let kill = 0; kill < kills; kill += 1) {
      const acknowledged = await writeAndKill(options, kill)
      const store = world.open()
      const progress = await compareKilled(store)
      await store.close()
      expect(progress).toBeGreaterThanOrEqual(Math.max(acknowledged, last))
      last = progress
    }
    expect(last).toBeGreaterThan(0)
    await world.close()
  })
})
