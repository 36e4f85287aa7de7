import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { digestForConnector } from '../../packages/server/src/connectors/request-claims.ts'
import { serve } from '../engine/support.ts'
import { share } from '../support/share.ts'
import { type Asking, ask, dayMs, gate, openDesk, written } from './idempotency-support.ts'
import { connectorBody, newTenant, overBoth } from './world.ts'

overBoth('a write under an Idempotency-Key', async (database) => {
  let before: number
  const desk = await share(openDesk(database, 'idempotency'))
  const echo = desk.script
  beforeEach(() => {
    before = desk.vendor.seen.length
  })
  afterEach(() => {
    desk.script = echo
  })
  const sent = () => desk.vendor.seen.length - before

  test.each([
    ['create', { text: 'hello', author: 9_007_199_254_740_993n }],
    ['update', { id: '7', text: 'hello' }],
    ['delete', { id: '7' }],
  ])('%s is sent once, and its answer is given again byte for byte', async (action, params) => {
    const first = await ask(desk, { key: `once ${action}`, action, params })
    expect(first).toMatchObject({ status: 200, replayed: false })
    expect(first.text).toContain(`"id":90071992547409`)
    for (const _ of [1, 2]) expect(await ask(desk, { key: `once ${action}`, action, params })).toEqual({ ...first, replayed: true })
    expect(sent()).toBe(1)
  })

  test('without a key is sent every time', async () => {
    for (const _ of [1, 2]) expect(await ask(desk)).toMatchObject({ status: 200, replayed: false })
    expect(sent()).toBe(2)
  })

  test('is the same call in another order of its parameters, with other fields selected', async () => {
    const first = await ask(desk, { key: 'order', params: { text: 'a', title: 'b' }, select: ['id'] })
    expect(first.text).not.toContain('"text"')
    expect(await ask(desk, { key: 'order', params: { title: 'b', text: 'a' } })).toEqual({ ...first, replayed: true })
  })

  test.each<[string, object]>([
    ['another parameter', { params: { text: 'other', author: 9_007_199_254_740_993n } }],
    ['an integer that differs in its last digit', { params: { text: 'hello', author: 9_007_199_254_740_992n } }],
    ['a parameter more', { params: { text: 'hello', author: 9_007_199_254_740_993n, title: 'x' } }],
    ['another action', { action: 'delete', params: { text: 'hello', author: 9_007_199_254_740_993n } }],
  ])('is refused with %s', async (what, other) => {
    const key = `conflict with ${what}`
    await ask(desk, { key, params: { text: 'hello', author: 9_007_199_254_740_993n } })
    const told = await ask(desk, { key, ...other })
    expect(told).toMatchObject({ status: 409, code: 'idempotency_key_conflict', error: { retryable: false, fault: 'caller' } })
    expect(sent()).toBe(1)
  })

  test('is another write on another connector and in another organization', async () => {
    const { platform, principal } = desk
    const second = await platform.connectors.create(principal, connectorBody({ name: 'Second' }))
    const tenant = await newTenant(platform, principal, 'Neighbour')
    const third = await platform.connectors.create(tenant, connectorBody())
    const callers = [{}, { connectorId: second.id }, { connectorId: third.id, principal: tenant }]
    for (const caller of callers) expect(await ask(desk, { key: 'mine', ...caller })).toMatchObject({ status: 200, replayed: false })
    for (const caller of callers) expect(await ask(desk, { key: 'mine', ...caller })).toMatchObject({ status: 200, replayed: true })
    expect(sent()).toBe(3)
    expect(await ask(desk, { key: 'mine', connectorId: third.id })).toMatchObject({ code: 'connector_not_found' })
  })

  test('that runs refuses its repeats for a while that grows, and gives them its answer in the end', async () => {
    const { arrived, open, pass } = gate()
    desk.script = async (seen, count) => {
      await pass()
      return echo(seen, count)
    }
    const first = ask(desk, { key: 'running' })
    await arrived
    const wait = async () => {
      const { status, code, error } = await ask(desk, { key: 'running' })
      expect([status, code, error?.retryable]).toEqual([409, 'idempotency_key_in_flight', true])
      return error?.retryAfterMs
    }
    expect(await wait()).toBe(1_000)
    desk.world.now += 4_000
    expect(await wait()).toBe(4_000)
    desk.world.now += 60_000
    expect(await wait()).toBe(10_000)
    expect(await ask(desk, { key: 'running', params: { text: 'other' } })).toMatchObject({ code: 'idempotency_key_conflict' })
    open()
    const { text } = await first
    expect(await ask(desk, { key: 'running' })).toEqual({ status: 200, text, replayed: true })
    expect(sent()).toBe(1)
  })

  test('is sent once by many callers on two nodes', async () => {
    const other = await desk.node()
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask(desk, { key: 'crowd', platform: index % 2 === 0 ? desk.platform : other })),
    )
    expect(sent()).toBe(1)
    const firsts = told.filter(({ status, replayed }) => status === 200 && !replayed)
    expect(firsts).toHaveLength(1)
    for (const each of told)
      if (each.status === 200) expect(each.text).toBe(firsts[0]?.text)
      else expect(each.code).toBe('idempotency_key_in_flight')
    expect(await ask(desk, { key: 'crowd', platform: other })).toMatchObject({ text: firsts[0]?.text, replayed: true })
  })

  test('ends after 24 hours, whether it was removed or not', async () => {
    const first = await ask(desk, { key: 'old' })
    desk.world.now += dayMs - 1
    expect(await ask(desk, { key: 'old' })).toEqual({ ...first, replayed: true })
    desk.world.now += 1
    expect(await ask(desk, { key: 'old', params: { text: 'other' } })).toMatchObject({ status: 200, replayed: false })
    expect(await ask(desk, { key: 'old' })).toMatchObject({ code: 'idempotency_key_conflict' })
    desk.world.now += dayMs
    await desk.platform.writes.purgeExpired(desk.world.now)
    expect(await ask(desk, { key: 'old' })).toMatchObject({ status: 200, replayed: false })
    expect(sent()).toBe(3)
  })

  test('of a write whose outcome is unknown lasts seven days, longer than vendors know a repeated write', async () => {
    const run = () => Promise.reject(fail('outcome_unknown', { vendor: 'Good Notes', request_id: 'r', reason: 'no answer' }))
    const first = await ask(desk, { key: 'lost', run })
    expect(first).toMatchObject({ code: 'outcome_unknown', replayed: false })
    desk.world.now += 7 * dayMs - 1
    await desk.platform.writes.purgeExpired(desk.world.now)
    expect(await ask(desk, { key: 'lost' })).toMatchObject({ status: 504, replayed: true })
    expect(sent()).toBe(0)
    desk.world.now += 1
    expect(await ask(desk, { key: 'lost' })).toMatchObject({ status: 200, replayed: false })
  })

  test.each([1, 255])('takes a key of %i characters', async (length) => {
    const key = '~'.repeat(length)
    await ask(desk, { key })
    expect(await ask(desk, { key })).toMatchObject({ replayed: true })
  })

  test.each(['', '~'.repeat(256), 'ü', 'a\tb', 'a\u007f'])('refuses the key %j', async (key) => {
    const told = await ask(desk, { key })
    expect(told).toMatchObject({ status: 422, code: 'validation_failed', error: { errors: [{ field: 'Idempotency-Key' }] } })
    expect(sent()).toBe(0)
  })

  test('is no matter of reads', async () => {
    desk.script = () => ({ body: { posts: [] } })
    for (const key of ['read', 'read', 'ü'])
      expect(await ask(desk, { key, action: 'list', params: {} })).toMatchObject({ replayed: false, status: 200 })
    expect(sent()).toBe(3)
    expect(await ask(desk, { key: 'read' }).then(({ code }) => code)).toBe('outcome_unknown')
  })

  test('goes on when its client goes away', async () => {
    const { arrived, open, pass } = gate()
    desk.script = async (seen, count) => {
      await pass()
      return echo(seen, count)
    }
    const client = new AbortController()
    const first = ask(desk, { key: 'gone', signal: client.signal })
    await arrived
    client.abort()
    open()
    expect((await first).status).toBe(200)
    expect(await ask(desk, { key: 'gone' })).toEqual({ ...(await first), replayed: true })
  })

  describe('that failed', () => {
    test.each<[string, string, { status: number; headers?: Record<string, string> }]>([
      ['a refusal', 'upstream_invalid_request', { status: 422 }],
      ['a failure', 'outcome_unknown', { status: 500 }],
    ])('keeps %s of the vendor', async (what, code, reply) => {
      desk.script = () => ({ ...reply, body: { message: 'No.' } })
      const first = await ask(desk, { key: `kept ${what}`, requestId: 'the-first' })
      expect(first).toMatchObject({ code, replayed: false, error: { retryable: false } })
      desk.script = echo
      const again = await ask(desk, { key: `kept ${what}`, requestId: 'the-second' })
      expect(again).toEqual({ status: first.status, text: first.text, replayed: true })
      expect(JSON.parse(again.text)).toMatchObject({ code, request_id: 'the-first', retryable: false, upstream: { message: 'No.' } })
      expect(sent()).toBe(1)
    })

    test('keeps what is not known: a cut connection, and a fault of the service', async () => {
      desk.script = () => (response) => response.destroy()
      const cut = await ask(desk, { key: 'cut' })
      expect(cut).toMatchObject({ code: 'outcome_unknown', error: { retryable: false } })
      expect(cut.error?.hint).toMatch(/before you write again/)
      const fault = await ask(desk, { key: 'fault', run: () => Promise.reject(new Error('a secret of the service')) })
      expect(fault).toMatchObject({ code: 'internal_error', error: { cause: new Error('a secret of the service') } })
      expect(fault.text).not.toContain('secret')
      desk.script = echo
      expect(await ask(desk, { key: 'cut' })).toEqual({ status: 504, text: cut.text, replayed: true })
      expect(await ask(desk, { key: 'fault' })).toEqual({ status: 500, text: fault.text, replayed: true })
    })

    test('keeps an unknown outcome with the words of the engine', async () => {
      const unknown = fail('outcome_unknown', { vendor: 'Good Notes', request_id: 'r-1', reason: 'no answer came' })
      const first = await ask(desk, { key: 'unknown', run: () => Promise.reject(unknown) })
      expect(first).toMatchObject({ status: 504, error: { hint: unknown.hint, retryable: false } })
      expect(await ask(desk, { key: 'unknown' })).toEqual({ status: 504, text: first.text, replayed: true })
    })

    test.each<[string, string, { status: number; headers?: Record<string, string> }]>([
      ['refused credentials', 'upstream_auth_failed', { status: 401 }],
      ['a rate limit', 'upstream_rate_limited', { status: 429, headers: { 'retry-after': '3' } }],
    ])('runs anew after %s', async (what, code, reply) => {
      desk.script = () => ({ ...reply, body: {} })
      expect(await ask(desk, { key: `freed ${what}` })).toMatchObject({ code })
      desk.script = echo
      expect(await ask(desk, { key: `freed ${what}` })).toMatchObject({ status: 200, replayed: false })
      expect(sent()).toBe(2)
    })

    test('runs anew after a connection that was refused', async () => {
      const { origin } = await serve(() => ({})).then(async (server) => {
        await server[Symbol.asyncDispose]()
        return server
      })
      const run: Required<Asking>['run'] = (connection, call) => desk.engine.run({ ...connection, origin: { api: origin } }, call)
      expect(await ask(desk, { key: 'refused', run })).toMatchObject({ code: 'upstream_unreachable', error: { retryable: true } })
      expect(await ask(desk, { key: 'refused' })).toMatchObject({ status: 200, replayed: false })
    })

    test('runs anew, also as another call, when it was refused before it was sent', async () => {
      expect(await ask(desk, { key: 'local', params: {} })).toMatchObject({ code: 'missing_parameter' })
      expect(await ask(desk, { key: 'local' })).toMatchObject({ status: 200, replayed: false })
      expect(sent()).toBe(1)
    })
  })

  describe('whose answer is large', () => {
    test.each([
      [262_144, 200],
      [262_145, 422],
    ])('of %i bytes', async (bytes, status) => {
      const data = 'x'.repeat(bytes - '{"data":"","meta":{}}'.length)
      const key = `of ${bytes} bytes`
      const first = await ask(desk, { key, run: async () => written(data) })
      expect([first.status, first.text.length]).toEqual([200, bytes])
      const again = await ask(desk, { key })
      expect([again.status, again.status === 200 ? again.text : first.text]).toEqual([status, first.text])
      if (status === 422)
        expect(again).toMatchObject({ code: 'result_too_large', error: { hint: expect.stringMatching(/^The call ended with status 200/) } })
      expect(sent()).toBe(0)
    })
  })

  describe('in the database', () => {
    const rows = async () => (await sql<Record<string, unknown>>`select * from idempotency_keys`.execute(desk.world.raw().db)).rows
    const digest = (key: string): string =>
      digestForConnector({ organizationId: desk.principal.organizationId, connectorId: desk.connectorId, workspaceId: '' }, 'key', key)
    const textOf = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))

    test('shows neither its key nor its parameters nor its answer', async () => {
      const { text } = await ask(desk, { key: 'visible-key', params: { text: 'visible-param' }, requestId: 'visible-request' })
      expect(text).toContain('visible-param')
      const all = (await rows()).flatMap((row) => Object.values(row).map(textOf)).join('\n')
      expect(all).not.toContain('visible')
      expect(all).toContain(desk.connectorId)
    })

    test('has an answer that opens for no other key, and not with another status', async () => {
      const [one, two] = [await ask(desk, { key: 'opens one' }), await ask(desk, { key: 'opens two', params: { text: 'two' } })]
      expect(one.text).not.toBe(two.text)
      const { db } = desk.world.raw()
      const { sealed } = await db
        .selectFrom('idempotency_keys')
        .select('sealed')
        .where('key_digest', '=', digest('opens one'))
        .executeTakeFirstOrThrow()
      await db.updateTable('idempotency_keys').set({ sealed }).where('key_digest', '=', digest('opens two')).execute()
      await db.updateTable('idempotency_keys').set({ status: 201 }).where('key_digest', '=', digest('opens one')).execute()
      for (const asking of [{ key: 'opens one' }, { key: 'opens two', params: { text: 'two' } }]) {
        const told = await ask(desk, asking)
        expect(told).toMatchObject({ code: 'internal_error', error: { retryable: false } })
        expect(told.error?.hint).toMatch(/^The call under this Idempotency-Key has ended/)
      }
    })

    test('is removed with its connector, and when its time is over in batches', async () => {
      const doomed = await desk.platform.connectors.create(desk.principal, connectorBody({ name: 'Doomed' }))
      await ask(desk, { key: 'doomed', connectorId: doomed.id })
      await desk.platform.connectors.remove(desk.principal, doomed.id)
      expect((await rows()).filter((row) => row['connector_id'] === doomed.id)).toEqual([])
      for (let index = 0; index < 120; index++) await ask(desk, { key: `many ${index}`, run: async () => written(index) })
      await desk.platform.writes.purgeExpired(desk.world.now)
      const all = await rows()
      desk.world.now += dayMs // those of unknown writes stay
      const count = all.filter((row) => Number(row['expires_at']) <= desk.world.now).length
      await ask(desk, { key: 'young', run: async () => written({}) })
      expect(await desk.platform.writes.purgeExpired(desk.world.now)).toBe(count)
      expect(await rows()).toHaveLength(1 + all.length - count)
      expect(await ask(desk, { key: 'young' })).toMatchObject({ replayed: true })
    })

    test('is replayed after its data key was replaced, and the old key is gone', async () => {
      const first = await ask(desk, { key: 'rotated' })
      const failed = await ask(desk, { key: 'rotated error', run: () => Promise.reject(new Error('x')) })
      expect(await desk.platform.vault.rotateDataKeys()).toMatchObject({ resealed: expect.any(Number) })
      expect(await ask(desk, { key: 'rotated' })).toEqual({ ...first, replayed: true })
      expect(await ask(desk, { key: 'rotated error' })).toEqual({ status: 500, text: failed.text, replayed: true })
      const { db } = desk.world.raw()
      const used = await sql<{ unused: number }>`select count(*) as unused from data_keys
        where id not in (select data_key_id from workspaces)`.execute(db)
      expect(Number(used.rows[0]?.unused)).toBe(0)
    })
  })
})
