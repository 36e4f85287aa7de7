import { expect, test } from 'vitest'
import { lockDueConnector } from '../../packages/server/src/copies/sql/sync-runs.ts'
import { type PrincipalView, viewOrganization } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, newest } from './sync-world.ts'
import { overBoth } from './world.ts'

overBoth('runs that cannot start', async (database) => {
  const here = await share(createSyncWorld(database, 'sync claims'))
  here.vendor.fill(3, 3)

  const countParked = async (): Promise<number> =>
    (await here.world.raw().db.selectFrom('sync_runs').select('id').where('parked_until', 'is not', null).execute()).length

  test('leave the queue until their credentials have made a call, and are claimed then without a wait', async () => {
    const principal = await here.tenant()
    const ids = await Promise.all(Array.from({ length: 3 }, () => here.connect({ principal, body: { check: false } })))
    const checked = await here.connect({ principal })
    await here.work()
    expect(await newest(here, principal, checked)).toMatchObject({ state: 'succeeded' })
    expect(await countParked()).toBe(3)
    for (const id of ids) expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', attempts: 0, not_before: null })
    const [first = ''] = ids
    const view: PrincipalView = viewOrganization(principal.organizationId)
    await here.platform.connectors.markHealthy(await here.platform.connectors.readAccess(view, first))
    await here.work()
    expect(await newest(here, principal, first)).toMatchObject({ state: 'succeeded' })
    expect(await countParked()).toBe(2)
  })

  test('are looked at again after five minutes, in case nothing returned them', async () => {
    const principal = await here.tenant()
    const id = await here.connect({ principal, body: { check: false } })
    await here.work()
    const { db } = here.world.raw()
    await db.updateTable('connectors').set({ unchecked: false }).where('id', '=', id).execute()
    await here.work()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued' })
    here.world.now += 300_000
    await here.work()
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded' })
  })

  if (database === 'sqlite') return // it has one process
  test('nodes that look for due schedules at once find different connectors', async () => {
    const principal = await here.tenant()
    const ids = [await here.connect({ principal }), await here.connect({ principal })]
    const raw = here.world.raw()
    await raw.db.updateTable('sync_schedules').set({ next_run_at: 1 }).where('connector_id', 'in', ids).execute()
    const found = await raw.transaction(async (one) => {
      const first = await lockDueConnector(one, here.world.now)
      const second = await here.world.raw().transaction((other) => lockDueConnector(other, here.world.now))
      return [first?.id, second?.id]
    })
    expect(found.toSorted()).toEqual(ids.toSorted())
  })
})
