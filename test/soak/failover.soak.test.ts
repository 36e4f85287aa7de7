/** Failovers and read-only episodes, twenty rounds of each kind: every call works within ten seconds, and nothing acknowledged is lost. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailoverWorld, startFailoverWorld } from '../support/failover.ts'

const hours = 3_600_000
const rounds = 20
/** Milliseconds until every call works. */
const mostMs = 10_000
let world: FailoverWorld
beforeAll(async () => {
  world = await startFailoverWorld()
}, hours)
afterAll(() => world?.[Symbol.asyncDispose]())

test.each(Array.from({ length: rounds }, (_, round) => round + 1))('round %i of all episodes', { timeout: hours }, async (round) => {
  for (const episode of world.episodes) {
    const { statuses, recoveredMs, lost } = await world.survive(episode)
    console.log(`round ${round}: ${episode.name}: works after ${Math.round(recoveredMs)} ms; statuses ${[...statuses].join(', ')}`)
    expect(
      [...statuses].filter((status) => status >= 300 && status !== 503),
      episode.name,
    ).toEqual([])
    expect(lost, episode.name).toEqual([])
    expect(recoveredMs, episode.name).toBeLessThan(mostMs)
  }
})
