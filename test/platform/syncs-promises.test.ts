import { beforeEach, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { SyncStatusRecord } from '../../packages/ferrule/src/wire/context-store.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, type SyncWorldOptions } from './sync-world.ts'
import { overServer } from './world.ts'

/** Passes a store with only the methods that the status needs. */
const untyped = (options: unknown): SyncWorldOptions => options as SyncWorldOptions

overServer('what the status of a copy promises', async (database) => {
  let principal: Principal
  let id: string
  const here = await share(createSyncWorld(database, 'sync promises'))
  beforeEach(async () => {
    await here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: null }).execute() // runs of other tests wait
    here.vendor.trouble = () => undefined
    here.vendor.open()
    here.vendor.fill(3, 3)
    principal = await here.tenant()
    id = await here.connect({ principal })
  })
  const status = (): Promise<SyncStatusRecord> => here.platform.syncs.status(principal, id)
  const access = () => here.platform.connectors.readAccess(principal, id)
  /** Stalls a walk after its call with these parameters. */
  const holdAfter = (params: string) => here.vendor.hold((call) => JSON.stringify(call.params) === params)

  test('says the same as a search: how many records there are while it is filled, and that only a part can be found', async () => {
    here.vendor.fill(40, 0)
    holdAfter('{"account":"30"}')
    await here.worker.tick()
    await here.vendor.arrived
    here.world.now += 2_000
    await expect.poll(async () => (await here.copies(id))['lines'] ?? 0).toBeGreaterThan(1) // the first turn brings one
    await here.worker.tick()
    const [, lines] = (await status()).entities
    expect(lines).toMatchObject({ state: 'preview', ready_for_search: false, records: (await here.copies(id))['lines'] })
    expect(await here.platform.syncs.copies.readStatus(await access(), 'lines')).toMatchObject({ status: 'preview', syncedAt: null })
    here.vendor.open()
    await here.work()
    expect((await status()).entities[1]).toMatchObject({ state: 'ready', ready_for_search: true, records: 40 })
  })

  test('tells until when what is new is there, and when everything was compared', async () => {
    here.vendor.fill(3, 24) // more than ten calls: every run makes fewer
    await here.work()
    const first = new Date(here.world.now).toISOString()
    const moments = async () =>
      Object.fromEntries((await status()).entities.map((each) => [each.entity, [each.synced_at, each.verified_at, each.complete]]))
    expect(await moments()).toMatchObject({ entries: [first, first, true], comments: [first, first, true] })
    here.world.now += 3_600_000
    await here.platform.syncs.request(principal, id, {})
    await here.work()
    const second = new Date(here.world.now).toISOString()
    expect(await moments()).toEqual({
      accounts: [second, second, true],
      lines: [second, second, true],
      entries: [second, first, true],
      comments: [second, first, true],
    })
    const told = await status()
    expect(told).toMatchObject({ synced_at: second, verified_at: first })
    expect(told.entities.map(({ incremental }) => incremental)).toEqual([
      ...[null, null],
      ...[1, 2].map(() => ({ entity: 'entries', field: 'changed_at', lookback_seconds: 60 })),
    ])
    const state = await here.platform.syncs.copies.readStatus(await access(), 'entries')
    expect(state).toMatchObject({ syncedAt: Date.parse(second), verifiedAt: Date.parse(first) })
  })

  test('is not complete while a part was left unread, also when a later run could read nothing at all', async () => {
    const complete = async () => (await status()).entities.find(({ entity }) => entity === 'comments')?.complete
    here.vendor.trouble = ({ params }) => {
      if (JSON.stringify(params) === '{"entry":"2"}') throw fail('upstream_permission_denied', { vendor: 'Ledger', reason: 'closed' })
    }
    await here.work()
    expect(await complete()).toBe(false)
    here.vendor.trouble = ({ entity }) => {
      if (entity === 'entries') throw fail('upstream_invalid_request', { vendor: 'Ledger', reason: 'no' })
    }
    here.world.now += 3_600_000
    await here.platform.syncs.request(principal, id, {})
    await here.work()
    expect((await status()).entities.find(({ entity }) => entity === 'comments')?.last_error).not.toBe(null)
    expect(await complete()).toBe(false)
  })

  test.each([
    ['once the length of the list is known', 50, { records: 20, isKnown: true }],
    ['and says nothing while it is unknown', 2, { records: 20, isKnown: false }],
  ] as const)('foresees when an entity is complete in its first run too, %s', async (_when, pageSize, { records, isKnown }) => {
    here.vendor.pageSize = pageSize
    here.vendor.fill(40, 3)
    holdAfter('{"account":"20"}')
    await here.worker.tick()
    await here.vendor.arrived
    here.world.now += 10_000
    await here.worker.tick()
    const progress = (await status()).entities.find(({ entity }) => entity === 'lines')?.progress
    here.vendor.open()
    here.vendor.pageSize = 2
    await here.work()
    const left = Math.round(((40 - records) / records) * 10_000)
    expect(progress).toMatchObject({ records, estimated_end: isKnown ? new Date(here.world.now + left).toISOString() : null })
  })

  test('counts what came and went beside a run', async () => {
    await here.work()
    await here.platform.syncs.addRecords((await access()).ref, new Map(Object.entries({ accounts: 2, entries: -1, rates: 5 })))
    expect((await status()).entities.map(({ records }) => records)).toEqual([5, 3, 2, 3])
  })
})

overServer('the status while the store is busy', (database) => {
  test('does not wait for it', async () => {
    const never = new Promise<never>(() => undefined)
    const contextStore = {
      status: () => ({ engine: 'embedded' as const, opened: true, running: 1, waiting: 9, setAside: undefined }),
      indexes: { listByEntity: () => never },
    }
    const here = await createSyncWorld(database, 'busy store', untyped({ contextStore }))
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    await here.work()
    const told = await Promise.all(Array.from({ length: 20 }, () => here.platform.syncs.status(principal, id)))
    expect(told.map(({ records }) => records)).toEqual(Array.from({ length: 20 }, () => 12))
    await here.close()
  })
})
