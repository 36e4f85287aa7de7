import { expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { createSyncWorld } from '../platform/sync-world.ts'
import { overServer } from '../platform/world.ts'
import { share } from '../support/share.ts'

const minute = 60_000

overServer('an entity that fails for an hour', async (database) => {
  const here = await share(createSyncWorld(database, 'issue 22 entity'))

  test('holds back itself only: the others keep their schedule, and a demanded sync begins at once', async () => {
    const { syncs } = here.platform
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    here.vendor.trouble = ({ entity }: Call) => {
      if (entity === 'entries') throw fail('upstream_error', { vendor: 'Ledger', reason: 'a bug' })
    }
    await syncs.setSchedule(principal, id, { entity: 'accounts', interval_seconds: 60 })
    await here.work()
    here.vendor.calls.length = 0
    for (const end = here.world.now + 60 * minute; here.world.now < end; ) {
      here.world.now += minute
      await here.work()
      if (here.world.now === end - 30 * minute) {
        const run = await syncs.request(principal, id, { entities: ['lines'] })
        await here.work()
        expect(await syncs.get(principal, id, run.id)).toMatchObject({ state: 'succeeded', attempts: 1 })
      }
    }
    expect(here.vendor.count('accounts')).toBeGreaterThan(2 * 55)
    const { entities, last_error: error } = await syncs.status(principal, id)
    const [accounts, lines, entries] = entities
    expect(Date.parse(accounts?.synced_at ?? '')).toBeGreaterThan(here.world.now - 2 * minute)
    expect(lines).toMatchObject({ state: 'ready', last_error: null })
    expect(entries?.state).not.toBe('ready')
    expect(error?.code).toBe('upstream_error')
    expect((await syncs.list(principal, id, { state: 'queued' })).data.length).toBeLessThan(3)
    here.vendor.trouble = () => undefined
    for (let turns = 0; turns < 20; turns += 1) {
      here.world.now += minute
      await here.work()
    }
    expect((await syncs.status(principal, id)).entities.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'ready'])
  })

  test('joins a demanded sync of the same entity, which does not wait for the delay', async () => {
    const { syncs } = here.platform
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    here.vendor.trouble = ({ entity }: Call) => {
      if (entity === 'entries') throw fail('upstream_error', { vendor: 'Ledger', reason: 'a bug' })
    }
    await here.work()
    here.vendor.trouble = () => undefined
    here.world.now += 1
    const run = await syncs.request(principal, id, { entities: ['entries'] })
    await here.work()
    expect(await syncs.get(principal, id, run.id)).toMatchObject({ state: 'succeeded' })
    expect((await syncs.list(principal, id, { state: 'queued' })).data).toEqual([])
    expect((await syncs.status(principal, id)).entities.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'ready'])
  })
})
