import { expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { overServer, refusal } from './world.ts'

const hour = 3_600_000

overServer('schedules', async (database) => {
  const here = await share(createSyncWorld(database, 'sync schedules'))

  /** Creates a connector whose first run has ended. */
  async function filled(): Promise<{ principal: Principal; id: string }> {
    await here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: null }).execute() // runs of other tests wait
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    await here.work()
    return { principal, id }
  }
  const runs = async (principal: Principal, id: string) => (await here.platform.syncs.list(principal, id, { limit: 100 })).data
  /** Advances the clock, with a poll about every ten minutes. What one poll enables is left to the next. */
  async function pass(milliseconds: number): Promise<void> {
    for (const end = here.world.now + milliseconds; here.world.now < end; ) {
      here.world.now = Math.min(end, here.world.now + 600_000)
      await here.worker.tick()
      await here.worker.idle()
    }
    await here.work()
  }
  const set = (principal: Principal, id: string, body: unknown) => here.platform.syncs.setSchedule(principal, id, body)

  test('sync every hour at the latest, and not all connectors at one time', async () => {
    const { principal, id } = await filled()
    const [schedule] = (await here.platform.syncs.status(principal, id)).schedules
    expect(schedule).toMatchObject({ entities: null, interval_seconds: 3_600, default: true, paused: false })
    const wait = Date.parse(schedule?.next_run_at ?? '') - here.world.now
    expect(wait).toBeGreaterThanOrEqual(hour * 0.9)
    expect(wait).toBeLessThanOrEqual(hour)
    here.world.now += wait - 1
    await here.work()
    expect(await runs(principal, id)).toHaveLength(1)
    here.world.now += 1
    await here.work()
    expect((await runs(principal, id))[0]).toMatchObject({ state: 'succeeded', cause: 'schedule', mode: 'incremental', entities: null })
    await pass(10 * hour)
    const count = (await runs(principal, id)).length
    expect(count).toBeGreaterThanOrEqual(11)
    expect(count).toBeLessThanOrEqual(14)
    const ids = await Promise.all([1, 2, 3].map(() => here.connect({ principal })))
    const later = await Promise.all(ids.map(async (each) => (await here.platform.syncs.status(principal, each)).schedules[0]?.next_run_at))
    expect(new Set(later).size).toBe(3)
    await here.work()
  })

  test('can be set for a connector, within bounds', async () => {
    const { principal, id } = await filled()
    expect(await set(principal, id, { interval_seconds: 86_400 })).toEqual([
      { entities: null, interval_seconds: 86_400, default: false, paused: false, next_run_at: expect.any(String) },
    ])
    await pass(20 * hour)
    expect(await runs(principal, id)).toHaveLength(1)
    await pass(4 * hour)
    // The connector's own time of the day may follow the first one soon.
    expect([2, 3]).toContain((await runs(principal, id)).length)
    expect(await set(principal, id, { interval_seconds: null })).toMatchObject([{ interval_seconds: 3_600, default: true }])
    for (const interval_seconds of [59, 2_592_001, 1.5, 'x'])
      expect(await refusal(set(principal, id, { interval_seconds }))).toMatch(/^validation_failed: .*\/interval_seconds/)
    expect(await refusal(set(principal, id, { entity: 'rates' }))).toMatch(/\/entity must be one of: accounts, lines, entries, comments/)
  })

  test('can be paused; runs can be asked for all the same', async () => {
    const { principal, id } = await filled()
    expect(await set(principal, id, { paused: true })).toMatchObject([{ paused: true, next_run_at: null }])
    await pass(5 * hour)
    expect(await runs(principal, id)).toHaveLength(1)
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'ready', next_run_at: null })
    await here.platform.syncs.request(principal, id, {})
    await here.work()
    expect(await runs(principal, id)).toHaveLength(2)
    expect(await set(principal, id, { paused: false })).toMatchObject([{ paused: false, interval_seconds: 3_600 }])
    await pass(hour)
    expect((await runs(principal, id)).length).toBeGreaterThan(2)
  })

  test('of entities are their own, for all that are read together', async () => {
    const { principal, id } = await filled()
    expect(await set(principal, id, { entity: 'comments', interval_seconds: 600 })).toMatchObject([
      { entities: null, interval_seconds: 3_600 },
      { entities: ['entries', 'comments'], interval_seconds: 600 },
    ])
    await set(principal, id, { entity: 'lines', paused: true })
    here.vendor.calls.length = 0
    await pass(3 * 600_000)
    expect(new Set(here.vendor.calls.filter(({ token }) => token !== '').map(({ entity }) => entity))).toEqual(
      new Set(['entries', 'comments']),
    )
    expect((await runs(principal, id))[0]).toMatchObject({ entities: ['entries', 'comments'], cause: 'schedule' })
    await pass(hour)
    expect(
      (await runs(principal, id))
        .filter(({ entities }) => entities?.includes('accounts'))
        .every(({ entities }) => !entities?.includes('lines')),
    ).toBe(true)
    const { entities } = await here.platform.syncs.status(principal, id)
    expect(entities.map(({ entity, interval_seconds, paused }) => [entity, interval_seconds, paused])).toEqual([
      ['accounts', 3_600, false],
      ['lines', 3_600, true],
      ['entries', 600, false],
      ['comments', 600, false],
    ])
    expect(await set(principal, id, { entity: 'entries', interval_seconds: null })).toHaveLength(2)
    expect(await set(principal, id, { entity: 'lines', interval_seconds: null })).toHaveLength(1)
  })

  test('do not queue behind a run that takes longer than the interval', async () => {
    const { principal, id } = await filled()
    await here.platform.syncs.request(principal, id, {})
    here.vendor.hold()
    await here.worker.tick()
    for (let minutes = 0; minutes < 3 * 60; minutes += 1) {
      here.world.now += 60_000
      await here.worker.tick()
    }
    expect((await runs(principal, id)).filter(({ state }) => state === 'queued')).toEqual([])
    here.vendor.open()
    await here.work()
  })

  test('of an inactive workspace queue nothing, and its runs end; when it is active again it is brought up to date', async () => {
    const { principal, id } = await filled()
    const { workspace_id } = await here.platform.connectors.get(principal, id)
    const running = await here.platform.syncs.request(principal, id, {})
    await here.hold()
    await here.platform.workspaces.update(principal, workspace_id, { status: 'inactive' })
    expect(await here.platform.syncs.get(principal, id, running.id)).toMatchObject({ state: 'cancelled' })
    here.vendor.open()
    await pass(3 * hour)
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'disabled', running: null, queued: null })
    expect(await refusal(here.platform.syncs.request(principal, id, {}))).toMatch(/^workspace_inactive/)
    expect(await here.copies(id)).toEqual(whole)
    await here.platform.workspaces.update(principal, workspace_id, { status: 'active' })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', mode: 'incremental', cause: 'changed' })
    await here.platform.workspaces.update(principal, workspace_id, { status: 'active' })
    await here.work()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded' })
  })

  test('are made for connectors that have none', async () => {
    const { principal, id } = await filled()
    const { db } = here.world.raw()
    await db.deleteFrom('sync_schedules').where('connector_id', '=', id).execute()
    await db.deleteFrom('sync_runs').where('connector_id', '=', id).execute()
    const node = await here.node()
    await here.work(node.worker)
    expect(await newest(here, principal, id)).toMatchObject({ cause: 'created', state: 'succeeded' })
    expect((await here.platform.syncs.status(principal, id)).schedules).toHaveLength(1)
    await node.worker.stop()
  })
})
