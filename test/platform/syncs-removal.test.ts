import { beforeEach, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { overServer, refusal } from './world.ts'

const day = 86_400_000

overServer('a copy that is removed', async (database) => {
  let principal: Principal
  const here = await share(createSyncWorld(database, 'sync removal'))
  beforeEach(async () => {
    here.vendor.open()
    await here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: null }).execute() // runs of other tests wait
    principal = await here.tenant()
  })

  async function filled(body: Record<string, unknown> = {}): Promise<string> {
    const id = await here.connect({ principal, body })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    here.world.now += 1
    return id
  }
  /** Starts a run that stalls in its first call. */
  async function standing(id: string) {
    const run = await here.platform.syncs.request(principal, id, { mode: 'full' })
    await here.hold()
    return run
  }
  /** Waits until the walk stops; its node checks the lease first. */
  async function released(): Promise<void> {
    here.world.now += 15_000
    await here.worker.tick()
    here.vendor.open()
    await here.work()
    expect(here.errors.splice(0)).toEqual([])
  }
  const removals = () => here.world.raw().db.selectFrom('sync_removals').selectAll().execute()

  test('goes with its connector, and nothing comes back', async () => {
    const id = await filled()
    await here.platform.connectors.remove(principal, id)
    expect(await here.copies(id)).toEqual(whole)
    await here.work()
    expect(await here.copies(id)).toEqual({})
    expect(await removals()).toEqual([])
    expect(await refusal(here.store.writeBatch({ connector: id, kind: 'ledger', entity: 'accounts' }, { records: [], asked: 0 }))).toMatch(
      /^connector_not_found/,
    )
  })

  test('goes with its connector while it is filled: the run is cancelled, and writes nothing more', async () => {
    const id = await filled()
    const run = await standing(id)
    const watch = here.platform.syncs.watchRun(principal, { connectorId: id, runId: run.id }, new AbortController().signal)
    await watch.next() // it has found the connector
    const states: string[] = []
    const ended = (async () => {
      for await (const { state } of watch) states.push(state)
    })()
    await here.platform.connectors.remove(principal, id)
    here.vendor.open()
    await here.worker.idle()
    await here.work()
    expect(await here.copies(id)).toEqual({})
    await ended
    expect(states.at(-1)).toBe('cancelled')
    expect(await refusal(here.platform.syncs.get(principal, id, run.id))).toMatch(/^connector_not_found/)
    expect(here.errors).toEqual([])
  })

  test('goes with its connector whenever that is removed', async () => {
    const ids = await Promise.all(Array.from({ length: 16 }, () => here.connect({ principal })))
    let calls = 0
    const removed: Promise<unknown>[] = []
    // Deletes one connector with every third call, at any point of the walks.
    here.vendor.trouble = () => {
      calls += 1
      const id = calls % 3 === 0 ? ids[removed.length] : undefined
      if (id !== undefined) removed.push(here.platform.connectors.remove(principal, id))
    }
    await here.work()
    here.vendor.trouble = () => undefined
    // Walks that end early make fewer calls, so the last connectors can outlive them.
    for (const id of ids.slice(removed.length)) removed.push(here.platform.connectors.remove(principal, id))
    await Promise.all(removed)
    here.world.now += 15_000
    for (let looks = 0; looks < ids.length; looks += 1) await here.work()
    for (const id of ids) expect(await here.copies(id)).toEqual({})
    expect(here.errors.splice(0)).toEqual([])
    expect(await removals()).toEqual([])
  })

  test('is tried again until it is gone, also when its node dies', async () => {
    const id = await filled()
    const dying = await here.node({ store: broken(here.store, () => new Promise<never>(() => undefined)) })
    const failing = await here.node({ store: broken(here.store, () => Promise.reject(fail('context_store_unavailable', {}))) })
    await here.platform.connectors.remove(principal, id)
    await dying.worker.tick() // and never comes back
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    here.world.now += 90_000
    await failing.worker.tick()
    await failing.worker.idle()
    expect(here.errors.splice(0)).toMatchObject([{ code: 'context_store_unavailable' }])
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    here.world.now += 20_000
    await here.work()
    expect(await here.copies(id)).toEqual({})
    expect(await removals()).toEqual([])
  })

  test('goes with its workspace, and is filled again when that is restored', async () => {
    const id = await filled({ workspace_name: 'Sales' })
    const { workspace_id: workspace } = await here.platform.connectors.get(principal, id)
    const run = await standing(id)
    await here.platform.workspaces.remove(principal, workspace)
    await here.work(await quiet())
    expect(await here.copies(id)).toEqual(whole) // not during a write
    await released()
    expect(await here.copies(id)).toEqual({})
    await here.platform.workspaces.restore(principal, workspace)
    expect(await here.platform.syncs.get(principal, id, run.id)).toMatchObject({ state: 'cancelled' })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', mode: 'full', cause: 'changed' })
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'loading', records: 0, synced_at: null })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
  })

  /** Opens another worker, which starts no runs. */
  async function quiet() {
    return (await here.node({ atOnce: 0 })).worker
  }

  test('of a workspace that is restored at once is emptied before it is filled', async () => {
    const id = await filled({ workspace_name: 'Back' })
    here.vendor.fill(2, 2)
    const { workspace_id: workspace } = await here.platform.connectors.get(principal, id)
    await here.platform.workspaces.remove(principal, workspace)
    await here.platform.workspaces.restore(principal, workspace)
    await here.work()
    expect(await here.copies(id)).toEqual({ accounts: 2, comments: 2, entries: 2, lines: 2 })
    here.vendor.fill(3, 3)
  })

  test('is gone for good with a workspace that is destroyed', async () => {
    const id = await filled({ workspace_name: 'Over' })
    const { workspace_id: workspace } = await here.platform.connectors.get(principal, id)
    await here.platform.workspaces.remove(principal, workspace)
    await here.work()
    const { now } = here.world
    here.world.now += 30 * day + 1
    await here.platform.workspaces.purgeExpired(here.world.now)
    await here.work()
    expect(await removals()).toEqual([])
    expect(await refusal(here.store.writeBatch({ connector: id, kind: 'ledger', entity: 'accounts' }, { records: [], asked: 0 }))).toMatch(
      /^connector_not_found/,
    )
    here.world.now = now
  })

  test('is filled anew after a reset, all of it or a part', async () => {
    const id = await filled()
    const run = await standing(id)
    const again = await here.platform.syncs.reset(principal, id, {})
    expect(again).toMatchObject({ state: 'queued', mode: 'full', cause: 'demand', entities: null })
    expect(await here.platform.syncs.get(principal, id, run.id)).toMatchObject({ state: 'cancelled' })
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'loading', synced_at: null })
    await released()
    expect(await here.copies(id)).toEqual(whole)
    here.vendor.hold()
    here.world.now += 1
    const part = await here.platform.syncs.reset(principal, id, { entities: ['lines'] })
    expect(part).toMatchObject({ entities: ['lines'], mode: 'full' })
    await here.worker.tick()
    await expect.poll(() => here.copies(id)).toEqual({ accounts: 3, comments: 3, entries: 3 })
    here.vendor.open()
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    expect(await refusal(here.platform.syncs.reset(principal, id, { entities: ['rates'] }))).toMatch(/^validation_failed/)
    const waiting = await here.platform.syncs.request(principal, id, {})
    expect(await here.platform.syncs.reset(principal, id, { entities: ['lines'] })).toMatchObject({ mode: 'incremental', entities: null })
    expect(await here.platform.syncs.get(principal, id, waiting.id)).toMatchObject({ state: 'cancelled' })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
  })

  test('of entities that the connector is not meant for any more is emptied, and filled when it is again', async () => {
    const id = await filled({ entities: [] })
    await here.platform.connectors.update(principal, id, {
      entities: [{ entity: 'accounts' }, { entity: 'entries', modes: ['write'] }, { entity: 'comments', modes: ['read'] }],
    })
    await here.work()
    expect(await here.copies(id)).toEqual({ accounts: 3, comments: 3 })
    expect((await here.platform.syncs.status(principal, id)).entities.map(({ entity, state, reason }) => [entity, state, reason])).toEqual([
      ['accounts', 'ready', null],
      ['lines', 'disabled', 'the connector is limited to other entities'],
      ['entries', 'disabled', 'the connector is limited to other entities'],
      ['comments', 'ready', null],
    ])
    expect(await refusal(here.platform.syncs.request(principal, id, { entities: ['entries'] }))).toMatch(
      /must be one of: accounts, comments/,
    )
    here.world.now += 1
    await here.platform.connectors.update(principal, id, { entities: [] })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
  })

  test('of another configuration is not shown under the new one', async () => {
    const id = await filled()
    here.vendor.fill(1, 1)
    await here.platform.connectors.update(principal, id, { replication_config: { book: 'second' } })
    expect(await newest(here, principal, id)).toMatchObject({ mode: 'full', cause: 'changed' })
    await here.work()
    expect(await here.copies(id)).toEqual({ accounts: 1, comments: 1, entries: 1, lines: 1 })
    here.world.now += 1
    await here.platform.connectors.update(principal, id, { replication_config: { book: 'second' }, name: 'Renamed' })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded' })
    here.vendor.fill(3, 3)
  })

  test('because the store was lost is filled again', async () => {
    const id = await filled()
    expect(await here.platform.syncs.refill('market-stall')).toBe(0)
    expect(await here.platform.syncs.refill()).toBeGreaterThan(0)
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', mode: 'full', cause: 'changed' })
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'loading', ready_for_search: false })
    await here.work()
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'ready' })
  })
})

/** Wraps a store and replaces its removals. */
const broken = (store: ContextStore, remove: () => Promise<never>): ContextStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === ('removeConnector' satisfies keyof ContextStore)) return remove
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
