import { expect, test } from 'vitest'
import { VendorEventKills } from '../support/vendor-event-kills.ts'
import { createWorld, overServer } from './world.ts'

/** `npm run soak` kills far more (test/soak/sync-nodes.soak.test.ts). */
const most = 10

overServer('a node that is killed while events of a vendor wait', (database) => {
  test('loses none that it took', async () => {
    const world = await createWorld(database, 'vendor event kills')
    await using run = await VendorEventKills.begin(world.env)
    while (run.counts.waiting === 0 && run.counts.kills < most) await run.kill()
    const { found, expected, lost } = await run.compare()
    expect(lost).toEqual([])
    expect(found).toEqual(expected)
    expect(run.counts.waiting).toBeGreaterThan(0)
    await world.close()
  })
})
