import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { overServer } from './world.ts'

const leaseMs = 90_000

overServer('nodes that sync', async (database) => {
  let principal: Principal
  const here = await createSyncWorld(database, 'sync nodes', { services: { atOnce: 2 } })
  const other = await here.node()
  beforeEach(async () => {
    principal = await here.tenant()
    here.vendor.fill(3, 3)
    here.vendor.calls.length = 0
  })
  afterAll(async () => {
    await other.worker.stop()
    await here.close()
  })

  /** Creates a connector whose first run stalls in its first call on the first node. */
  async function standing(): Promise<string> {
    const id = await here.connect({ principal })
    await here.hold()
    return id
  }
  const expectDone = async (id: string, attempts: number): Promise<void> => {
    expect(here.errors.splice(0)).toEqual([])
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded', attempts })
    expect(await here.copies(id)).toEqual(whole)
  }

  test('walk each run once, and no more at one time than they may', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => here.connect({ principal })))
    let most = 0
    here.vendor.trouble = () => {
      most = Math.max(most, here.worker.running, other.worker.running)
    }
    for (let turns = 0; turns < 4; turns += 1) {
      await Promise.all([here.worker.tick(), other.worker.tick()])
      await Promise.all([here.worker.idle(), other.worker.idle()])
    }
    here.vendor.trouble = () => undefined
    expect(most).toBe(2)
    for (const id of ids) await expectDone(id, 1)
    expect(here.vendor.count('entries')).toBe(40) // each node lists them twice: for themselves and as parents
    expect(here.reports.length + other.reports.length).toBeGreaterThanOrEqual(10)
    expect(new Set([...here.reports, ...other.reports].map(({ runId }) => runId)).size).toBe(here.reports.length + other.reports.length)
  })

  test('keep away from a run that is walked, for as long as its node is there', async () => {
    const id = await standing()
    for (let minutes = 0; minutes < 5; minutes += 1)
      for (const _ of [1, 2, 3, 4]) {
        here.world.now += 15_000
        await here.worker.tick()
        await other.worker.tick()
      }
    expect(other.worker.running).toBe(0)
    here.vendor.open()
    await here.worker.idle()
    await expectDone(id, 1)
  })

  test('go on at once where one was that stopped', async () => {
    const node = await here.node()
    const id = await here.connect({ principal })
    here.vendor.hold(({ params }) => JSON.stringify(params) === '{"account":"3"}')
    await node.worker.tick()
    await here.vendor.arrived
    expect(here.vendor.calls.at(-1)?.entity).toBe('comments')
    await node.worker.stop()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', attempts: 1, error: null })
    expect(node.reports).toMatchObject([{ state: 'queued', code: 'ok' }])
    here.vendor.open()
    const before = here.vendor.count('accounts')
    await here.work(other.worker)
    await expectDone(id, 2)
    expect(here.vendor.count('accounts')).toBe(before) // finished entities stay finished
    await node.worker.tick()
    expect(node.worker.running).toBe(0)
  })

  test('read first what a search waits for on another one', async () => {
    here.vendor.fill(60, 60)
    const id = await here.connect({ principal })
    const access = await here.platform.connectors.readAccess(principal, id)
    here.vendor.hold(({ params }) => JSON.stringify(params) === '{"account":"30"}')
    const node = await here.node()
    await node.worker.tick()
    await here.vendor.arrived
    const known = here.vendor.count('comments')
    for (const _ of [1, 2]) await here.platform.syncs.copies.moveToFront(access, 'comments')
    here.world.now += 1_001
    await node.worker.tick()
    const before = here.vendor.calls.length
    here.vendor.open()
    await node.worker.idle()
    const rest = here.vendor.calls.slice(before).map(({ entity }) => entity)
    expect(known).toBeLessThan(60)
    expect(rest.lastIndexOf('comments')).toBeLessThan(rest.lastIndexOf('lines'))
    expect(rest.slice(0, rest.lastIndexOf('comments')).filter((entity) => entity === 'lines').length).toBeLessThan(26)
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded' })
    here.vendor.fill(3, 3)
  })

  test('take a run over when the lease of a dead node is over, and what comes back late writes nothing', async () => {
    const id = await standing()
    here.world.now += leaseMs - 1
    await other.worker.tick()
    expect(other.worker.running).toBe(0)
    here.world.now += 1
    // The dead node hangs in its call; calls of the other node pass.
    const open = here.vendor.detach()
    await here.work(other.worker)
    await expectDone(id, 2)
    const done = await newest(here, principal, id)
    here.vendor.records['accounts'] = [{ id: 'late', name: 'late' }]
    open()
    await here.worker.idle()
    expect(await here.copies(id)).toEqual(whole)
    expect(await newest(here, principal, id)).toEqual(done)
  })

  test('stop a walk whose lease they could not renew in time', async () => {
    const id = await standing()
    here.world.now += 45_000
    here.vendor.open()
    await here.worker.idle()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', attempts: 1 })
    expect(await here.copies(id)).toEqual({})
    await here.work(other.worker)
    await expectDone(id, 2)
  })

  test('give a run up that has killed its nodes too often', async () => {
    const id = await here.connect({ principal })
    for (let deaths = 0; deaths < 8; deaths += 1) {
      const node = await here.node()
      await here.hold(node.worker)
      expect(await newest(here, principal, id)).toMatchObject({ state: 'running', attempts: deaths + 1 })
      here.world.now += leaseMs
    }
    await here.worker.tick()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'failed', error: { code: 'unavailable' } })
    here.vendor.open()
  })

  test('let others go first when a run takes long', async () => {
    const slow = await here.connect({ principal })
    await here.worker.tick()
    await here.worker.idle()
    here.vendor.fill(60, 3)
    here.world.now += 1
    await here.platform.syncs.request(principal, slow, { mode: 'full' })
    const node = await here.node({ atOnce: 1 })
    here.vendor.calls.length = 0
    here.vendor.hold(() => here.vendor.calls.length === 55)
    await node.worker.tick()
    await here.vendor.arrived
    const next = await here.connect({ principal, body: { credentials: { token: 'next' } } })
    await node.worker.tick()
    expect(await newest(here, principal, slow)).toMatchObject({ state: 'running' })
    for (let seconds = 0; seconds < 300; seconds += 15) {
      here.world.now += 15_000
      await node.worker.tick()
    }
    await node.worker.idle()
    expect(await newest(here, principal, slow)).toMatchObject({ state: 'queued', attempts: 1, error: null })
    here.vendor.open()
    here.vendor.calls.length = 0
    await here.work(node.worker)
    expect(here.vendor.calls[0]?.token).toBe('next')
    expect(await newest(here, principal, next)).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(await newest(here, principal, slow)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(await here.copies(slow)).toMatchObject({ accounts: 60, lines: 60 })
    await node.worker.stop()
  })

  test.each([
    { minutes: 5, order: ['wanted', 'due'] },
    { minutes: 11, order: ['due', 'wanted'] },
  ])('take what somebody waits for before what is due, but not before what is due for $minutes minutes', async ({ minutes, order }) => {
    const connect = (token: string) => here.connect({ principal, body: { credentials: { token } } })
    const [busy, due, wanted] = [await connect('busy'), await connect('due'), await connect('wanted')]
    await here.work()
    await here.work()
    const node = await here.node({ atOnce: 1 })
    here.vendor.hold()
    await here.platform.syncs.request(principal, busy, {})
    await node.worker.tick()
    const schedules = here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: here.world.now })
    await schedules.where('connector_id', '=', due).execute()
    for (let seconds = 0; seconds < minutes * 60; seconds += 15) {
      await node.worker.tick()
      here.world.now += 15_000
    }
    await here.platform.syncs.request(principal, wanted, {})
    here.vendor.calls.length = 0
    here.vendor.open()
    await node.worker.idle()
    await here.work(node.worker)
    expect([...new Set(here.vendor.calls.map(({ token }) => token))]).toEqual(['busy', ...order])
    await node.worker.stop()
  })
})
