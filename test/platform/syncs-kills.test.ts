import { expect, test } from 'vitest'
import { SyncKills } from '../support/sync-kills.ts'
import { createWorld, overServer } from './world.ts'

/** `npm run soak` kills far more (test/soak/sync-nodes.soak.test.ts). */
const most = 20

overServer('a node that is killed while it syncs', (database) => {
  test('leaves a copy and a follower that equal the vendor after the next run, and loses no event', async () => {
    const world = await createWorld(database, 'sync kills')
    await using run = await SyncKills.begin(world.env)
    const { counts } = run
    for (const phase of ['walking', 'delivering'] as const) while (counts[phase] === 0 && counts.kills < most) await run.kill(phase)
    const { found, followed, expected, runs, events, received } = await run.compare()
    expect(found).toEqual(expected)
    expect(followed).toEqual(expected)
    expect(expected['accounts']?.length).toBeGreaterThan(50)
    expect(runs.filter(({ finished_at }) => finished_at === null)).toEqual([])
    expect(events.filter((id) => received.get(id)?.size !== 1)).toEqual([])
    expect([counts.walking, counts.delivering]).not.toContain(0)
    await world.close()
  })
})
