import { beforeEach, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { SyncStatusRecord } from '../../packages/ferrule/src/wire/context-store.ts'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld } from './sync-world.ts'
import { overServer, refusal } from './world.ts'

/** A wait that ends on command. */
class Ticks {
  #waiting: (() => void)[] = []
  readonly sleep = (): Promise<void> => new Promise((resolve) => this.#waiting.push(resolve))

  /** Number of waits that have not ended. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Ends all waits. */
  async tick(): Promise<void> {
    for (const wake of this.#waiting.splice(0)) wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

overServer('the status of a copy', async (database) => {
  let principal: Principal
  let id: string
  const ticks = new Ticks()
  beforeEach(async () => {
    await here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: null }).execute() // runs of other tests wait
    here.vendor.trouble = () => undefined
    here.vendor.open()
    here.vendor.fill(3, 3)
    principal = await here.tenant()
    id = await here.connect({ principal })
  })
  const status = (): Promise<SyncStatusRecord> => here.platform.syncs.status(principal, id)
  const statesOf = ({ state, entities }: SyncStatusRecord) => [state, ...entities.map((each) => each.state)]
  const access = () => here.platform.connectors.readAccess(principal, id)
  /** Stalls a walk after its call with these parameters. */
  const holdAfter = (params: string) => here.vendor.hold((call) => JSON.stringify(call.params) === params)

  const here = await share(createSyncWorld(database, 'sync status', { sleep: ticks.sleep }))

  test('goes from loading over a preview to ready, and tells the progress on the way', async () => {
    expect(await status()).toMatchObject({
      state: 'loading',
      ready_for_search: false,
      records: 0,
      synced_at: null,
      lag_seconds: null,
      last_success_at: null,
    })
    expect((await status()).queued).toMatchObject({ state: 'queued', cause: 'created' })
    holdAfter('{"account":"3"}')
    const begun = here.world.now
    await here.worker.tick()
    await here.vendor.arrived
    here.world.now += 2_000
    await here.worker.tick()
    const now = await status()
    // Cheap entities are complete; the last one has its first records.
    expect(statesOf(now)).toEqual(['preview', 'ready', 'ready', 'ready', 'preview'])
    expect(now.running).toMatchObject({ state: 'running', progress: { calls: 11, pages: 8 } })
    expect(now.entities[0]).toMatchObject({ entity: 'accounts', records: 3, complete: true, synced_at: new Date(begun).toISOString() })
    here.vendor.open()
    await here.work()
    const done = await status()
    expect(statesOf(done)).toEqual(['ready', 'ready', 'ready', 'ready', 'ready'])
    expect(done).toMatchObject({ records: 12, ready_for_search: true, running: null, queued: null, last_error: null, lag_seconds: 2 })
    here.world.now += 60_000
    expect(await status()).toMatchObject({ lag_seconds: 62, synced_at: done.synced_at })
  })

  test('tells the indexes that were made on demand', async () => {
    await here.work()
    expect((await status()).entities.map(({ indexes }) => indexes)).toEqual([[], [], [], []])
    const row = `insert into cs_indexes (connector_id, name, col, id, state, owner, until, attempts, created_at, used_at, bytes, error)
      select c.number, 'cs_ledger_accounts', $2, $3, $4, '', 0, 0, $5, $6, $7, $8 from cs_connectors c where c.id = $1::uuid`
    const at = Date.parse('2026-01-02T03:04:05.678Z')
    const rows = [
      [`name`, `${id} a`, 'ready', at, at + 1_000, 8_192, null],
      [`gone`, `${id} b`, 'failed', at + 1, null, 0, '54000'],
    ] as const
    const database = await here.store.openDatabase()
    for (const each of rows) await database.transaction((session) => session.query({ text: row, values: [id, ...each] }))
    const moments = { created_at: '2026-01-02T03:04:05.678Z', used_at: '2026-01-02T03:04:06.678Z' }
    // A status waits 100 ms for the indexes, and then shows those that it knows.
    const told = async () => (await status()).entities.find(({ entity }) => entity === 'accounts')?.indexes
    await expect.poll(told).toEqual([
      { field: 'name', state: 'ready', ...moments, size_bytes: 8_192, error: null },
      { field: 'gone', state: 'failed', created_at: '2026-01-02T03:04:05.679Z', used_at: null, size_bytes: 0, error: '54000' },
    ])
  })

  test('foresees the end of a run by what the last one met', async () => {
    here.vendor.fill(40, 3)
    await here.work()
    here.world.now += 1
    await here.platform.syncs.request(principal, id, { mode: 'full' })
    holdAfter('{"account":"20"}')
    await here.worker.tick()
    await here.vendor.arrived
    here.world.now += 10_000
    await here.worker.tick()
    const { running, entities, state } = await status()
    expect(state).toBe('updating')
    const [, lines] = entities
    // Half of the lines took ten seconds, so the rest takes ten more.
    expect(lines).toMatchObject({
      state: 'updating',
      records: 40,
      progress: { records: 20, estimated_end: new Date(here.world.now + 10_000).toISOString() },
    })
    expect(Date.parse(running?.progress.estimated_end ?? '')).toBeGreaterThan(here.world.now)
    here.vendor.open()
    await here.work()
    expect((await here.platform.syncs.list(principal, id, {})).data[0]?.progress).toMatchObject({ records: 86, estimated_end: null })
  })

  test('is written at most once a second for a run', async () => {
    holdAfter('{"account":"1"}')
    await here.worker.tick()
    await here.vendor.arrived
    const run = await status().then(({ running }) => running?.id ?? '')
    const version = async () =>
      (await here.world.raw().db.selectFrom('sync_runs').select('version').where('id', '=', run).executeTakeFirst())?.version
    const before = await version()
    here.world.now += 999
    for (const _ of [1, 2, 3]) await here.worker.tick()
    expect(await version()).toBe(before)
    here.world.now += 1
    for (const _ of [1, 2, 3]) await here.worker.tick()
    expect(await version()).toBe((before ?? 0) + 1)
    here.vendor.open()
    await here.work()
  })

  test('can be watched: a run until its end, from the state that it is in', async () => {
    const run = (await status()).queued?.id ?? ''
    const watch = here.platform.syncs.watchRun(principal, { connectorId: id, runId: run }, new AbortController().signal)
    const ended = here.platform.syncs.waitFor(principal, { connectorId: id, runId: run }, new AbortController().signal)
    const states: string[] = []
    const seen = (async () => {
      for await (const { state } of watch) states.push(state)
    })()
    await expect.poll(() => states).toEqual(['queued'])
    await here.hold()
    await expect.poll(() => ticks.tick().then(() => states)).toEqual(['queued', 'running'])
    here.vendor.open()
    await here.work()
    await expect.poll(() => ticks.tick().then(() => states.at(-1))).toBe('succeeded')
    await seen
    expect(await ended).toMatchObject({ id: run, state: 'succeeded' } satisfies Partial<SyncRunRecord>)
    const late = here.platform.syncs.watchRun(principal, { connectorId: id, runId: run }, new AbortController().signal)
    expect(await late.next()).toMatchObject({ value: { state: 'succeeded' } })
    expect(await late.next()).toEqual({ value: undefined, done: true })
  })

  test('can be watched until the client goes away', async () => {
    const client = new AbortController()
    const watch = here.platform.syncs.watchStatus(principal, id, client.signal)
    expect((await watch.next()).value).toMatchObject({ state: 'loading' })
    const next = watch.next()
    await here.work()
    await ticks.tick()
    expect((await next).value).toMatchObject({ state: 'ready' })
    const waiting = refusal(async () => watch.next())
    client.abort(fail('overloaded', { reason: 'the client is gone' }))
    expect(await waiting).toBe('overloaded: The service is busy: the client is gone.')
    await ticks.tick()
  })

  test('is told to searches: how fresh a copy is, and why there is none', async () => {
    const { copies, freshness } = here.platform.syncs
    expect(await freshness(principal, id, 'accounts')).toEqual({
      ...{ state: 'loading', synced_at: null, verified_at: null, complete: false, records: null },
    })
    expect(await copies.readStatus(await access(), 'accounts')).toMatchObject({
      status: 'loading',
      syncedAt: null,
      obstacle: null,
      retryAfterMs: 5_000,
    })
    here.vendor.trouble = ({ entity }) => {
      if (entity === 'entries') throw fail('upstream_permission_denied', { vendor: 'Ledger', reason: 'no scope' })
    }
    await here.work()
    const now = here.world.now
    expect(await copies.readStatus(await access(), 'accounts')).toMatchObject({
      status: 'ready',
      syncedAt: now,
      complete: true,
      obstacle: null,
    })
    expect(await copies.readStatus(await access(), 'entries')).toMatchObject({
      status: 'disabled',
      obstacle: 'Ledger denies this operation to the credentials: no scope.',
    })
    expect(await freshness(principal, id, 'accounts')).toEqual({
      state: 'ready',
      synced_at: new Date(now).toISOString(),
      verified_at: new Date(now).toISOString(),
      complete: true,
      records: 3,
    })
    here.vendor.trouble = () => {
      throw fail('upstream_auth_failed', { vendor: 'Ledger', reason: 'revoked' })
    }
    const other = await here.connect({ principal })
    await here.work()
    const refused = await here.platform.connectors.readAccess(principal, other)
    expect(await copies.readStatus(refused, 'accounts')).toMatchObject({
      status: 'failed',
      obstacle: 'the last sync failed: Ledger refused the credentials: revoked.',
    })
  })

  test('of a copy that is young enough needs no run to be refreshed', async () => {
    await here.work()
    here.vendor.calls.length = 0
    here.world.now += 30_000
    const young = (maxAgeSeconds: number) =>
      here.platform.syncs.refresh(principal, id, { entity: 'accounts', maxAgeSeconds, deadlineMs: 0 })
    expect(await young(30)).toBe(true)
    expect(await young(29)).toBe(false)
    expect(here.vendor.calls).toEqual([])
  })

  test('of an old copy is refreshed by a run of that entity, within the deadline', async () => {
    await here.work()
    here.world.now += 30_000
    here.vendor.calls.length = 0
    const refreshed = here.platform.syncs.refresh(principal, id, { entity: 'accounts', maxAgeSeconds: 10, deadlineMs: 20_000 })
    await expect.poll(async () => (await status()).queued).toMatchObject({ cause: 'search', entities: ['accounts'], mode: 'incremental' })
    await here.work()
    await ticks.tick()
    expect(await refreshed).toBe(true)
    expect(new Set(here.vendor.calls.map(({ entity }) => entity))).toEqual(new Set(['accounts']))
    const late = here.platform.syncs.refresh(principal, id, { entity: 'comments', maxAgeSeconds: 10, deadlineMs: 20_000 })
    await expect.poll(async () => (await status()).queued?.entities).toEqual(['entries', 'comments'])
    here.world.now += 20_000
    await ticks.tick()
    expect(await late).toBe(false)
    await here.work()
  })

  test('of an old copy is refreshed by the run that runs, when that began in time', async () => {
    await here.work()
    here.world.now += 30_000
    const run = await here.platform.syncs.request(principal, id, {})
    await here.hold()
    here.world.now += 5_000
    const before = ticks.waiting
    const refreshed = here.platform.syncs.refresh(principal, id, { entity: 'accounts', maxAgeSeconds: 10, deadlineMs: 60_000 })
    // It has seen the run before the run ends.
    await expect.poll(() => ticks.waiting).toBeGreaterThan(before)
    await ticks.tick()
    here.vendor.open()
    await here.work()
    await ticks.tick()
    expect(await refreshed).toBe(true)
    expect((await here.platform.syncs.list(principal, id, {})).data[0]?.id).toBe(run.id)
  })

  test('of a copy that cannot be refreshed is told at once', async () => {
    await here.work()
    here.world.now += 30_000
    here.vendor.trouble = () => {
      throw fail('upstream_auth_failed', { vendor: 'Ledger', reason: 'revoked' })
    }
    const refreshed = here.platform.syncs.refresh(principal, id, { entity: 'accounts', maxAgeSeconds: 10, deadlineMs: 3_600_000 })
    await expect.poll(async () => (await status()).queued).not.toBeNull()
    await here.work()
    await ticks.tick()
    expect(await refreshed).toBe(false)
    expect(await status()).toMatchObject({
      state: 'ready',
      last_error: { code: 'upstream_auth_failed' },
      entities: [{ state: 'failed', ready_for_search: true }, {}, {}, {}],
    })
  })
})
