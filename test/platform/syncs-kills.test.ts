import { expect, test } from 'vitest'
import { SyncKills } from '../support/sync-kills.ts'
import { createWorld, overBoth } from './world.ts'

/** `npm run soak` kills far more (test/soak/sync-nodes.soak.test.ts). */
const kills = 1
/** Maximum number of kills until one comes while a walk is under way. */
const most = 20

overBoth('a node that is killed while it syncs', (database) => {
  test(`leaves a copy that equals the vendor after the next run, killed ${kills} time at least`, async () => {
    const world = await createWorld(database, 'sync kills')
    await using run = await SyncKills.begin(world.env)
    const { counts } = run
    while (counts.kills < kills || (counts.walking === 0 && counts.kills < most)) await run.kill()
    const { found, expected, runs } = await run.compare()
    expect(found).toEqual(expected)
    expect(expected['accounts']?.length).toBeGreaterThan(50)
    expect(runs.filter(({ finished_at }) => finished_at === null)).toEqual([])
    expect(counts.walking).toBeGreaterThan(0)
    await world.close()
  })
})
