import { describe, expect, test } from 'vitest'
import { compareKilled, writeAndKill } from '../context/store-kills.ts'
import { createStoreWorld } from '../context/store-world.ts'

const killsOfEach = 200
/** Starts with an empty database from time to time, to keep it small. */
const killsOfWorld = 40

describe.concurrent('writers of the context store that are killed at any moment', () => {
  test.for(['embedded', 'postgres'] as const)(
    `on %s lose nothing that they acknowledged, ${killsOfEach} times`,
    { timeout: 3_600_000 },
    async (engine) => {
      const totals = { kills: 0, acknowledged: 0, kept: 0 }
      while (totals.kills < killsOfEach) {
        const world = await createStoreWorld(engine)
        const options = world.settings.engine === 'postgres' ? { url: world.settings.url.reveal() } : { folder: world.folder }
        let last = 0
        for (let kill = 0; kill < killsOfWorld; kill += 1) {
          const acknowledged = await writeAndKill(options)
          const store = world.open()
          const progress = await compareKilled(store)
          await store.close()
          expect(progress).toBeGreaterThanOrEqual(Math.max(acknowledged, last))
          totals.kills += 1
          totals.acknowledged += Math.max(0, acknowledged - last)
          totals.kept += progress - Math.max(acknowledged, last)
          last = progress
        }
        await world.close()
      }
      console.log(engine, JSON.stringify(totals))
      expect(totals.acknowledged).toBeGreaterThan(totals.kills / 2)
    },
  )
})
