// Issue 22, C1: a connection that became read-only was kept for good, and readiness did not say so.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailoverWorld, startFailoverWorld } from '../support/failover.ts'

const minutes = 60_000
let world: FailoverWorld
beforeAll(async () => {
  world = await startFailoverWorld()
}, 5 * minutes)
afterAll(() => world?.[Symbol.asyncDispose](), minutes)

test.each([0, 1, 2, 3, 4])(
  'the service is not ready in episode %i, and works afterwards without a restart',
  { timeout: 10 * minutes },
  async (index) => {
    const episode = world.episodes[index]
    if (episode === undefined) throw new Error('there is no such episode')
    const { statuses, lost } = await world.survive(episode)
    expect(
      [...statuses].filter((status) => status >= 300 && status !== 503),
      episode.name,
    ).toEqual([])
    expect(lost, episode.name).toEqual([])
  },
)
