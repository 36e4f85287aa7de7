// Issue 22, C1: a connection that became read-only was kept for good, and readiness did not say so.
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import { choose } from '../support/draws.ts'
import { startFailoverWorld } from '../support/failover.ts'
import { untilReady } from '../support/postgres.ts'

const minutes = 60_000
const world = await startFailoverWorld()
afterAll(() => world?.[Symbol.asyncDispose]())

test('of several hosts the one that takes writes is used', async () => {
  const url = `${world.standbyFirst}?target_session_attrs=read-write`
  expect(url).toMatch(/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/state/)
  const raw = openPostgres({ url: new Secret(url) })
  const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(raw.db)
  await untilReady(raw)
  await raw.close()
  expect(rows).toEqual([{ standby: false }])
})

// The second and the third wait for limits of the network: 40 seconds each.
test.each(choose([0, 3, 4], [0, 1, 2, 3, 4]))(
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
