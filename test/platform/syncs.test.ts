import { expect, test } from 'vitest'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { overBoth, refusal } from './world.ts'

overBoth('syncs', async (database) => {
  const here = await share(createSyncWorld(database, 'syncs'))

  const request = (principal: Principal, id: string, body: unknown = {}): Promise<SyncRunRecord> => {
    here.world.now += 1
    return here.platform.syncs.request(principal, id, body)
  }
  /** Creates a connector whose first run has ended. */
  async function filled(): Promise<{ principal: Principal; id: string }> {
    const principal = await here.tenant()
    here.world.now += 1
    const id = await here.connect({ principal })
    await here.work()
    here.world.now += 1
    return { principal, id }
  }
  const idle = async (): Promise<void> => {
    here.vendor.open()
    await here.work()
    expect(here.errors.splice(0)).toEqual([])
  }

  test('begin with the connector and fill its copy', async () => {
    const principal = await here.tenant()
    const id = await here.connect({ principal })
    expect(await newest(here, principal, id)).toMatchObject({
      state: 'queued',
      mode: 'full',
      cause: 'created',
      entities: null,
      attempts: 0,
    })
    await here.work()
    expect(here.errors).toEqual([])
    expect(await here.copies(id)).toEqual(whole)
    expect(await newest(here, principal, id)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      error: null,
      results: ['accounts', 'entries', 'lines', 'comments'].map((entity) => ({ entity, state: 'complete', error: null })),
      progress: { records: 12, written: 12, removed: 0 },
    })
  })

  test('walk first what is not asked for record by record', async () => {
    const principal = await here.tenant()
    const id = await here.connect({ principal, body: { entities: [{ entity: 'lines' }, { entity: 'entries' }] } })
    await here.work()
    expect((await newest(here, principal, id)).results.map(({ entity }) => entity)).toEqual(['entries', 'lines'])
  })

  test('ask the vendor with the credentials of the connector', async () => {
    const { id, principal } = await filled()
    await here.platform.connectors.patch(principal, id, { credentials: { token: 'replaced' } })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', mode: 'incremental', cause: 'changed' })
    here.vendor.calls.length = 0
    await here.work()
    expect(new Set(here.vendor.calls.map(({ token }) => token))).toEqual(new Set(['replaced']))
  })

  test('that are asked for bring what changed, and what is new', async () => {
    const { id, principal } = await filled()
    here.vendor.records['entries']?.push({ id: '4', name: 'late', changed_at: new Date(here.world.now).toISOString() })
    here.vendor.records['accounts']?.push({ id: '4', name: 'late' })
    expect(await request(principal, id)).toMatchObject({ state: 'queued', mode: 'incremental', cause: 'demand' })
    await here.work()
    expect(await here.copies(id)).toEqual({ accounts: 4, comments: 4, entries: 4, lines: 4 })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'succeeded' })
    here.vendor.fill(3, 3)
  })

  test('join the run that waits: everything goes before a part, and full before incremental', async () => {
    const { id, principal } = await filled()
    const first = await request(principal, id, { entities: ['accounts'] })
    expect(first).toMatchObject({ entities: ['accounts'], mode: 'incremental' })
    // Comments are read together with their entries.
    expect(await request(principal, id, { entities: ['comments'] })).toMatchObject({
      id: first.id,
      entities: ['accounts', 'entries', 'comments'],
    })
    expect(await request(principal, id, { entities: ['lines'], mode: 'full' })).toMatchObject({ id: first.id, mode: 'full' })
    expect(await request(principal, id)).toMatchObject({ id: first.id, mode: 'full', entities: null })
    expect(await request(principal, id, { entities: ['lines'] })).toMatchObject({ id: first.id, entities: null })
    await idle()
    expect((await here.platform.syncs.list(principal, id, {})).data).toHaveLength(2)
  })

  test('of a part walk that part only', async () => {
    const { id, principal } = await filled()
    here.vendor.calls.length = 0
    await request(principal, id, { entities: ['lines'] })
    await here.work()
    expect(new Set(here.vendor.calls.map(({ entity }) => entity))).toEqual(new Set(['accounts', 'lines']))
    expect((await newest(here, principal, id)).results).toEqual([{ entity: 'lines', state: 'complete', error: null }])
  })

  test('that are asked for while one runs follow it, once', async () => {
    const { id, principal } = await filled()
    const running = await request(principal, id)
    await here.hold()
    const next = await request(principal, id)
    expect(next.id).not.toBe(running.id)
    expect((await request(principal, id, { mode: 'full' })).id).toBe(next.id)
    await here.worker.tick()
    expect(here.worker.running).toBe(1)
    expect(await here.platform.syncs.get(principal, id, next.id)).toMatchObject({ state: 'queued', mode: 'full' })
    await idle()
    for (const run of [running, next]) expect(await here.platform.syncs.get(principal, id, run.id)).toMatchObject({ state: 'succeeded' })
  })

  test('that are cancelled end at once, waiting or running, and leave what was written', async () => {
    const { id, principal } = await filled()
    const waiting = await request(principal, id)
    expect(await here.platform.syncs.cancel(principal, id, waiting.id)).toMatchObject({
      state: 'cancelled',
      finished_at: expect.any(String),
    })
    const running = await request(principal, id)
    await here.hold()
    const cancelled = await here.platform.syncs.cancel(principal, id, running.id)
    expect(cancelled.state).toBe('cancelled')
    const next = await request(principal, id)
    await here.worker.tick()
    expect(await here.platform.syncs.get(principal, id, next.id)).toMatchObject({ state: 'queued' }) // the old walk still holds its lease
    here.world.now += 15_000 // the next renewal aborts the walk
    await here.worker.tick()
    await idle()
    expect(await here.platform.syncs.get(principal, id, running.id)).toEqual(cancelled)
    expect(await here.platform.syncs.get(principal, id, next.id)).toMatchObject({ state: 'succeeded' })
    expect(await here.platform.syncs.cancel(principal, id, next.id)).toMatchObject({ state: 'succeeded' })
    expect(await here.copies(id)).toEqual(whole)
  })

  test('are listed from the newest on, in pages and by state', async () => {
    const { id, principal } = await filled()
    for (const _ of [1, 2, 3]) {
      await request(principal, id)
      await here.work()
    }
    const waiting = await request(principal, id)
    const pages: string[][] = []
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page: { data: readonly SyncRunRecord[]; next: string | null } = await here.platform.syncs.list(principal, id, {
        limit: 2,
        cursor,
      })
      pages.push(page.data.map((run) => run.created_at))
      cursor = page.next
    }
    expect(pages.map((each) => each.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(pages.flat().toSorted().reverse())
    const queued = await here.platform.syncs.list(principal, id, { state: 'queued' })
    expect(queued.data.map((run) => run.id)).toEqual([waiting.id])
    expect(await refusal(here.platform.syncs.list(principal, id, { state: 'lost' }))).toMatch(
      /^validation_failed: .*\/state must be one of/,
    )
    await idle()
  })

  test('refuse what is not synced', async () => {
    const { id, principal } = await filled()
    expect(await refusal(request(principal, id, { entities: ['accounts', 'rates'] }))).toBe(
      'validation_failed: The request is not valid: /entities/1 must be one of: accounts, lines, entries, comments.',
    )
    expect(await refusal(request(principal, id, { mode: 'some' }))).toMatch(/^validation_failed: .*\/mode/)
    expect(await refusal(here.platform.syncs.get(principal, id, 'x'))).toBe('sync_not_found: The sync does not exist.')
    const stall = { connector_type: 'market-stall', credentials: { token: 'x' }, replication_config: { stall: 'a' } }
    const other = await here.connect({ principal, body: stall })
    expect(await refusal(request(principal, other))).toMatch(/^validation_failed: .*this connector has no entity that is synced/)
    expect((await here.platform.syncs.list(principal, other, {})).data).toEqual([])
    expect(await here.platform.syncs.status(principal, other)).toMatchObject({ state: 'disabled', entities: [], schedules: [] })
  })

  test('of other tenants are not seen: neither their connectors nor their runs', async () => {
    const { id, principal } = await filled()
    const stranger = await filled()
    const { id: run } = await newest(here, principal, id)
    for (const work of [
      () => here.platform.syncs.get(stranger.principal, id, run),
      () => here.platform.syncs.request(stranger.principal, id, {}),
      () => here.platform.syncs.refresh(stranger.principal, id, { entity: 'accounts', maxAgeSeconds: 0, deadlineMs: 1 }),
      () => here.platform.syncs.waitFor(stranger.principal, { connectorId: id, runId: run }, new AbortController().signal),
    ])
      expect(await refusal(work)).toMatch(/^connector_not_found/)
    expect(await refusal(here.platform.syncs.get(stranger.principal, stranger.id, run))).toMatch(/^sync_not_found/)
    expect(await refusal(here.platform.syncs.cancel(stranger.principal, stranger.id, run))).toMatch(/^sync_not_found/)
  })

  test('are forgotten 7 days after their end', async () => {
    const { id, principal } = await filled()
    const end = here.world.now - 1 + 7 * 86_400_000
    await here.platform.syncs.purgeExpired(end)
    expect((await here.platform.syncs.list(principal, id, {})).data).toHaveLength(1)
    expect(await here.platform.syncs.purgeExpired(end + 1)).toBe(1)
    expect((await here.platform.syncs.list(principal, id, {})).data).toEqual([])
    expect(await here.platform.syncs.status(principal, id)).toMatchObject({ state: 'ready', records: 12 })
  })
})
