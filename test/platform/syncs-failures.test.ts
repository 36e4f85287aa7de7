import { beforeEach, expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { overServer } from './world.ts'

const vendor = 'Ledger'
const hour = 3_600_000

overServer('a sync that fails', async (database) => {
  let principal: Principal
  let id: string
  const here = await share(createSyncWorld(database, 'sync failures'))
  beforeEach(async () => {
    await here.world.raw().db.updateTable('sync_schedules').set({ next_run_at: null }).execute() // runs of other tests wait
    here.vendor.trouble = () => undefined
    here.vendor.calls.length = 0
    here.errors.length = 0
    principal = await here.tenant()
    id = await here.connect({ principal })
  })

  /** Makes calls of some entities fail. */
  const troubled = (error: () => Error, ...entities: readonly string[]) => {
    here.vendor.trouble = ({ entity }: Call) => {
      if (entities.length === 0 || entities.includes(entity)) throw error()
    }
  }
  const well = () => {
    here.vendor.trouble = () => undefined
  }
  const run = () => newest(here, principal, id)
  const waitOf = async () => Date.parse((await run()).not_before ?? '') - here.world.now
  const status = () => here.platform.syncs.status(principal, id)

  test('because the vendor asks to wait goes on after that time, where it stood', async () => {
    let calls = 0
    here.vendor.trouble = () => {
      calls += 1
      if (calls === 4) throw fail('upstream_rate_limited', { vendor }, { retryAfterMs: 30_000 })
    }
    await here.work()
    expect(await run()).toMatchObject({ state: 'queued', attempts: 1, error: { code: 'upstream_rate_limited' } })
    const wait = await waitOf()
    expect(wait).toBeGreaterThanOrEqual(30_000)
    expect(wait).toBeLessThanOrEqual(37_500)
    expect((await status()).last_error).toMatchObject({ code: 'upstream_rate_limited', message: 'Ledger asks to slow down.' })
    here.world.now += wait - 1
    await here.work()
    expect(await run()).toMatchObject({ state: 'queued' })
    here.world.now += 1
    await here.work()
    expect(await run()).toMatchObject({ state: 'succeeded', attempts: 2, error: null })
    expect(await here.copies(id)).toEqual(whole)
  })

  test('for now tries again less and less often, then fails; the schedule brings the next one', async () => {
    troubled(() => fail('upstream_unreachable', { vendor, reason: 'no route' }))
    const waits: number[] = []
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await here.work()
      expect(await run()).toMatchObject({ state: 'queued', attempts: attempt, error: { code: 'upstream_unreachable' } })
      waits.push(await waitOf())
      here.world.now += waits.at(-1) ?? 0
    }
    for (const [index, wait] of waits.entries()) {
      const least = Math.min(900_000, 15_000 * 2 ** index)
      expect(wait).toBeGreaterThanOrEqual(least)
      expect(wait).toBeLessThanOrEqual(least * 1.25)
    }
    await here.work()
    expect(await run()).toMatchObject({
      state: 'failed',
      attempts: 8,
      error: { code: 'upstream_unreachable', hint: expect.stringContaining('egress') },
    })
    expect(await status()).toMatchObject({ state: 'failed', ready_for_search: false, last_error: { code: 'upstream_unreachable' } })
    well()
    here.world.now += hour
    await here.platform.syncs.setSchedule(principal, id, { paused: false, interval_seconds: 60 })
    here.world.now += 60_000
    await here.work()
    expect(await run()).toMatchObject({ state: 'succeeded', cause: 'schedule' })
    expect(await status()).toMatchObject({ state: 'ready', last_error: null })
  })

  test('because the service is busy waits for a turn as often as needed, and shows the reason with the attempt', async () => {
    troubled(() => fail('overloaded', { reason: 'no turn' }, { retryAfterMs: 1_000 }))
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await here.work()
      expect(await run()).toMatchObject({ state: 'queued', attempts: attempt, error: { code: 'overloaded' } })
      const wait = await waitOf()
      expect(wait).toBeLessThanOrEqual(1_250)
      here.world.now += wait
    }
    const { queued } = await status()
    expect(queued).toMatchObject({ attempts: 12, error: { message: 'The service is busy: no turn.' } })
    well()
    await here.work()
    expect(await run()).toMatchObject({ state: 'succeeded' })
  })

  test('at one entity for now walks the rest, and goes on with that one alone', async () => {
    troubled(() => fail('upstream_error', { vendor, reason: 'a bug' }), 'entries')
    await here.work()
    expect(await run()).toMatchObject({
      state: 'queued',
      error: { code: 'upstream_error' },
      results: [
        { entity: 'accounts', state: 'complete' },
        { entity: 'lines', state: 'complete' },
      ],
    })
    expect(await here.copies(id)).toEqual({ accounts: 3, lines: 3 })
    expect((await status()).entities.map(({ entity, state }) => [entity, state])).toEqual([
      ['accounts', 'ready'],
      ['lines', 'ready'],
      ['entries', 'building_preview'],
      ['comments', 'building_preview'],
    ])
    well()
    here.vendor.calls.length = 0
    here.world.now += await waitOf()
    await here.work()
    expect(new Set(here.vendor.calls.map(({ entity }) => entity))).toEqual(new Set(['entries', 'comments']))
    expect(await run()).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  test('at one entity for good is partial, and says what to do', async () => {
    troubled(() => fail('upstream_invalid_request', { vendor, reason: 'the field is gone' }), 'entries')
    await here.work()
    expect(await run()).toMatchObject({
      state: 'partial',
      error: { code: 'upstream_invalid_request', message: 'Ledger refused the request: the field is gone.', hint: expect.any(String) },
    })
    const { entities, state } = await status()
    expect(state).toBe('ready')
    expect(entities[2]).toMatchObject({
      entity: 'entries',
      state: 'failed',
      last_error: { code: 'upstream_invalid_request' },
      complete: false,
    })
    expect(here.reports.at(-1)).toMatchObject({ state: 'partial', code: 'upstream_invalid_request', kind: 'ledger' })
  })

  test('because the credentials lack a scope skips the entity with the reason', async () => {
    troubled(() => fail('upstream_permission_denied', { vendor, reason: 'scope entries:read is missing' }), 'entries')
    await here.work()
    expect(await run()).toMatchObject({
      state: 'succeeded',
      results: expect.arrayContaining([expect.objectContaining({ entity: 'entries', state: 'skipped' })]),
    })
    const reason = 'Ledger denies this operation to the credentials: scope entries:read is missing.'
    expect((await status()).entities[2]).toMatchObject({ state: 'disabled', reason, last_error: { code: 'upstream_permission_denied' } })
    well()
    await here.platform.syncs.request(principal, id, {})
    await here.work()
    expect((await status()).entities[2]).toMatchObject({ state: 'ready', reason: null, records: 3, complete: true })
  })

  test('because the credentials are refused marks the connector; new ones begin a run at once', async () => {
    troubled(() => fail('upstream_auth_failed', { vendor, reason: 'revoked' }))
    await here.work()
    expect(await run()).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { code: 'upstream_auth_failed', hint: expect.stringContaining(`/connectors/${id}`) },
    })
    expect(await here.platform.connectors.get(principal, id)).toMatchObject({
      status: 'auth_error',
      status_reason: expect.stringContaining('revoked'),
    })
    well()
    here.world.now += 1
    await here.platform.connectors.patch(principal, id, { credentials: { token: 'new' } })
    await here.work()
    expect(await run()).toMatchObject({ state: 'succeeded', cause: 'changed' })
    expect(await here.platform.connectors.get(principal, id)).toMatchObject({ status: 'active' })
  })

  test('and works again ends the mark of the connector', async () => {
    troubled(() => fail('upstream_auth_failed', { vendor, reason: 'for a moment' }))
    await here.work()
    well()
    here.world.now += 1
    await here.platform.syncs.request(principal, id, {})
    await here.work()
    expect(await here.platform.connectors.get(principal, id)).toMatchObject({ status: 'active', status_reason: null })
  })

  test('by a fault of the service is told to the operator and tried again', async () => {
    troubled(() => new TypeError('x is not a function'), 'accounts')
    await here.work()
    expect(new Set(here.errors.map(String))).toEqual(new Set(['TypeError: x is not a function']))
    expect(await run()).toMatchObject({ state: 'queued', error: { code: 'internal_error', message: 'The service failed.' } })
    well()
    here.world.now += await waitOf()
    await here.work()
    expect(await run()).toMatchObject({ state: 'succeeded' })
  })

  test('goes on as long as it comes forward', async () => {
    here.vendor.fill(200, 3)
    let calls = 0
    here.vendor.trouble = () => {
      calls += 1
      if (calls % 60 === 0) throw fail('upstream_unreachable', { vendor, reason: 'again and again' })
    }
    for (let attempts = 0; attempts < 12 && (await run()).state === 'queued'; attempts += 1) {
      await here.work()
      here.world.now += 20_000
    }
    expect(await run()).toMatchObject({ state: 'succeeded' })
    expect((await run()).attempts).toBeGreaterThan(5)
    expect(await here.copies(id)).toMatchObject({ accounts: 200, lines: 200 })
    here.vendor.fill(3, 3)
  })

  test('below one record makes its entity partial, names the record, and what was stored stays searchable', async () => {
    await here.work()
    here.vendor.trouble = ({ entity, params }: Call) => {
      if (entity === 'lines' && JSON.stringify(params) === '{"account":"2"}') throw fail('upstream_error', { vendor, reason: 'a bug' })
    }
    here.world.now += 1
    await here.platform.syncs.request(principal, id, { mode: 'full' })
    await here.work()
    expect(await run()).toMatchObject({
      state: 'partial',
      error: { message: expect.stringContaining('accounts nothing could be read (2)') },
    })
    expect(await here.copies(id)).toEqual(whole)
    const lines = async () => (await status()).entities.find(({ entity }) => entity === 'lines')
    expect(await lines()).toMatchObject({ state: 'ready', ready_for_search: true, complete: false, records: 3 })
    troubled(() => fail('upstream_permission_denied', { vendor, reason: 'not this account' }), 'lines')
    here.world.now += 1
    await here.platform.syncs.request(principal, id, { mode: 'full' })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    const reason = expect.stringContaining('not this account')
    expect(await lines()).toMatchObject({ state: 'failed', ready_for_search: true, complete: false, records: 3, reason })
  })
})
