/** Events `records.changed`: what changes in copies is told to endpoints that want it, once in five seconds, and read by cursors. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { failValidation } from '../../packages/ferrule/src/errors.ts'
import type { EventOf } from '../../packages/ferrule/src/wire/events.ts'
import { mostFollowed } from '../../packages/ferrule/src/wire/webhooks.ts'
import { createRecordLogs } from '../../packages/server/src/copies/changes/record-logs.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { EventWorker } from '../../packages/server/src/events/event-worker.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { Receiver } from '../http/webhook-support.ts'
import { createSyncWorld } from './sync-world.ts'
import { overServer } from './world.ts'

type Told = EventOf<'records.changed'>

overServer('records.changed', async (database) => {
  let principal: Principal
  let connector: string
  let made = 0

  const buildWorker = (platform: Platform = here.platform): EventWorker => {
    const keys = { cursorKey: () => here.platform.cursorKey(), clock: () => here.world.now }
    return platform.eventWorker({ logs: createRecordLogs({ store: here.store, ...keys }) })
  }
  const receiver = await new Receiver().start()
  const here = await createSyncWorld(database, 'records changed', { env: { FERRULE_WEBHOOK_HOSTS: '127.0.0.1' } })
  const worker = buildWorker()
  afterAll(async () => {
    await worker.stop()
    await here.close()
    receiver.close()
  })
  beforeEach(async () => {
    principal = await here.tenant()
    here.vendor.fill(3, 3)
    connector = await here.connect({ principal })
    await here.work()
    receiver.replies.clear()
  })

  const ref = (entity = 'accounts', id = connector) => ({ connector: id, kind: 'ledger', entity })
  const keyOf = (id: string): string => {
    const key = buildPrimaryKey(here.store.getTable('ledger', 'accounts').key, { id })
    if (key === undefined) throw new Error(id)
    return key
  }
  const write = (names: Readonly<Record<string, string>>, removed: readonly string[] = [], of = ref()) =>
    here.store.writeBatch(of, {
      records: Object.entries(names).map(([id, name]) => ({ key: keyOf(id), fields: { id, name } })),
      removed: removed.map(keyOf),
      asked: here.world.now,
    })
  /** Makes an endpoint that wants changes, and sends what asks for a snapshot. */
  const subscribed: { readonly owner: Principal; readonly id: string }[] = []
  const subscribe = async (more: object = {}, owner = principal) => {
    made += 1
    const path = `records-${made}`
    const body = { name: path, url: `${receiver.address}/${path}`, types: ['records.changed'], ...more }
    const { id } = await here.platform.webhooks.create(owner, body)
    subscribed.push({ owner, id })
    await worker.run()
    return { id, path }
  }
  const told = (path: string): readonly Told[] => receiver.events(path).filter(({ type }) => type === 'records.changed')
  const data = (path: string) =>
    told(path).map(({ data: { entity, snapshot, added, changed, removed } }) => [entity, snapshot, added, changed, removed])
  afterEach(async () => {
    for (const { owner, id } of subscribed.splice(0)) await here.platform.webhooks.remove(owner, id)
    expect(here.errors).toEqual([])
  })
  const later = async (seconds = 5, by = worker) => {
    here.world.now += seconds * 1_000
    await by.run()
  }

  test('asks for a snapshot of each copy first, then counts records by what became of them', async () => {
    const { path } = await subscribe()
    const entities = ['accounts', 'comments', 'entries', 'lines']
    expect(data(path).toSorted()).toEqual(entities.map((entity) => [entity, true, 0, 0, 0]))
    expect(told(path).every((each) => !('cursor' in each.data))).toBe(true)
    await write({ n1: 'one', n2: 'two', n3: 'three' })
    await write({ n1: 'first' }, ['n3'])
    await later()
    expect(data(path).slice(4)).toEqual([['accounts', false, 2, 0, 1]])
    await write({ n1: 'again', n4: 'four' }, ['n2'])
    await write({ n1: 'and again', n2: 'back' })
    await later()
    const last = told(path).at(-1)
    expect(last?.data).toMatchObject({ connector_id: connector, organization_id: principal.organizationId, entity: 'accounts' })
    expect(data(path).slice(5)).toEqual([['accounts', false, 2, 1, 0]])
    expect(last?.data.cursor).toEqual(expect.any(String))
  })

  test('comes once in five seconds for a copy', async () => {
    const { path } = await subscribe()
    for (let index = 0; index < 4; index += 1) {
      await write({ [`s${index}`]: 'new' })
      await later(1)
    }
    expect(told(path)).toHaveLength(4)
    await later(1)
    expect(data(path).slice(4)).toEqual([['accounts', false, 4, 0, 0]])
    await later()
    expect(told(path)).toHaveLength(5)
  })

  test('writes nothing and follows nothing while no endpoint names the type', async () => {
    const all = await subscribe({ types: [] })
    await write({ q1: 'one' })
    await later()
    expect(told(all.path)).toEqual([])
    expect(await here.store.readLog(ref(), { after: 0n, limit: 10 })).toMatchObject({ generation: null, changes: [] })
    const { data: listed } = await here.platform.webhooks.listEvents(principal, { limit: 100 })
    expect(listed.some(({ type }) => type === 'records.changed')).toBe(false)
  })

  test('reaches only the endpoints of the organization, of the workspace and of the connector', async () => {
    const foreign = await subscribe({}, await here.tenant())
    const other = await here.connect({ principal })
    await here.work()
    const narrow = await subscribe({ connector_ids: [other] })
    const { path } = await subscribe()
    await write({ o1: 'one' })
    await later()
    expect(told(foreign.path)).toEqual([])
    expect(told(narrow.path).every((each) => each.data.connector_id === other)).toBe(true)
    expect(told(path).filter((each) => !each.data.snapshot)).toHaveLength(1)
    const { data: listed } = await here.platform.webhooks.listEvents(principal, { limit: 100 })
    expect(listed.some(({ type }) => type === 'records.changed')).toBe(false)
    await here.platform.connectors.remove(principal, other)
    await later()
    expect((await here.platform.webhooks.listDeliveries(principal, narrow.id, {})).data.map(({ type }) => type)).toEqual(['webhook.test'])
  })

  test('asks for a snapshot when the copy was emptied and filled again', async () => {
    const { path } = await subscribe()
    await here.platform.syncs.reset(principal, connector, { entities: ['accounts'] })
    await here.work()
    await later()
    expect(data(path).slice(4)).toEqual([['accounts', true, 0, 0, 0]])
    await write({ r1: 'one' })
    await later()
    expect(data(path).slice(5)).toEqual([['accounts', false, 1, 0, 0]])
  })

  test('waits at an endpoint that fails, and the next one covers what was not delivered', async () => {
    const { id, path } = await subscribe()
    receiver.replies.set(path, [{ status: 500 }, { status: 204 }])
    await write({ w1: 'one' })
    await later()
    await write({ w2: 'two' })
    await later(1)
    expect(data(path).slice(4)).toEqual([['accounts', false, 1, 0, 0]])
    await later(10) // the second attempt
    await later()
    expect(data(path).slice(4)).toEqual([
      ['accounts', false, 1, 0, 0],
      ['accounts', false, 1, 0, 0],
      ['accounts', false, 1, 0, 0],
    ])
    const [first, again, second] = told(path).slice(4)
    expect(again?.id).toBe(first?.id)
    expect(second?.id).not.toBe(first?.id)
    receiver.replies.set(path, [{ status: 500 }])
    await write({ w3: 'three' })
    await later()
    const readLast = async () => (await here.platform.webhooks.listDeliveries(principal, id, { limit: 1 })).data[0]
    for (let last = await readLast(); typeof last?.next_attempt_at === 'string'; last = await readLast()) {
      here.world.now = Date.parse(last.next_attempt_at)
      await worker.run()
    }
    expect(await readLast()).toMatchObject({ status: 'failed', attempts: 10 })
    receiver.replies.clear()
    await write({ w4: 'four' })
    await later()
    expect(data(path).at(-1)).toEqual(['accounts', false, 2, 0, 0])
  })

  test('repeats the id of a message that a dead node has sent and not noted', async () => {
    const { path } = await subscribe()
    const { promise: until, resolve } = Promise.withResolvers<void>()
    receiver.replies.set(path, [{ status: 204, until }, { status: 204 }])
    await write({ k1: 'one' })
    here.world.now += 5_000
    const node = database === 'sqlite' ? here.platform : (await here.node()).platform
    const dead = buildWorker(node)
    const lost = dead.run()
    await expect.poll(() => told(path).length).toBe(5)
    await write({ k2: 'two' })
    await later(61)
    const [first, again] = told(path).slice(4)
    expect(again).toEqual(first)
    resolve()
    await lost
    await later()
    expect(data(path).slice(6)).toEqual([['accounts', false, 1, 0, 0]])
    await dead.stop()
  })

  test('is looked at by another node when one dies before it has stored a message', async () => {
    const { path } = await subscribe()
    await write({ d1: 'one' })
    here.world.now += 5_000
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<never>()
    const follow = () => {
      begun.resolve()
      return held.promise
    }
    const logs = { follow, count: () => held.promise, writeCursor: () => '' }
    const dead = here.platform.eventWorker({ logs })
    const lost = dead.run()
    await begun.promise
    await later(30)
    expect(told(path)).toHaveLength(4)
    await later(31)
    expect(data(path).slice(4)).toEqual([['accounts', false, 1, 0, 0]])
    held.reject(new Error('killed'))
    await lost
    await dead.stop()
    expect(here.errors.splice(0)).toHaveLength(1)
  })

  test('is sent once by two nodes that look at the same time', async () => {
    const { path } = await subscribe()
    const other = buildWorker(database === 'sqlite' ? here.platform : (await here.node()).platform)
    for (let round = 0; round < 5; round += 1) {
      await write({ [`t${round}`]: 'new' })
      here.world.now += 5_000
      await Promise.all([worker.run(), other.run()])
    }
    await Promise.all([worker.run(), other.run()])
    await other.stop()
    expect(data(path).slice(4)).toEqual(Array.from({ length: 5 }, () => ['accounts', false, 1, 0, 0]))
    expect(new Set(told(path).map(({ id }) => id)).size).toBe(9)
  })

  test('begins again with a snapshot after the type was taken away and given back', async () => {
    const { id, path } = await subscribe({ connector_ids: [connector] })
    await here.platform.webhooks.update(principal, id, { types: ['webhook.test'] })
    await write({ g1: 'one' })
    await later()
    await here.platform.webhooks.update(principal, id, { types: ['records.changed'] })
    await worker.run()
    expect(data(path).slice(4).toSorted()).toEqual(['accounts', 'comments', 'entries', 'lines'].map((entity) => [entity, true, 0, 0, 0]))
  })

  test('is of as many copies as the organization may follow, and the endpoint says so', async () => {
    const { store } = here
    let begun = 0
    const bounded = {
      readLogStates: (refs: readonly EntityRef[]) => store.readLogStates(refs),
      countChanges: () => Promise.reject(new Error('nothing is counted')),
      followChanges: async (of: EntityRef, organizationId?: string) => {
        begun += 1
        if (begun > 2) throw failValidation([])
        await store.followChanges(of, organizationId)
      },
    }
    const full = here.platform.eventWorker({
      logs: createRecordLogs({ store: bounded, cursorKey: () => Buffer.from('key'), clock: () => here.world.now }),
    })
    const body = { name: 'bounded', url: `${receiver.address}/bounded`, types: ['records.changed'] }
    const { id } = await here.platform.webhooks.create(principal, body)
    await full.run()
    await full.stop()
    expect(data('bounded')).toHaveLength(2)
    expect(begun).toBe(3)
    expect((await here.platform.webhooks.get(principal, id)).status_reason).toMatch(/FERRULE_CHANGES_ENTITIES/)
    await here.platform.webhooks.remove(principal, id)
  })

  test(`is of ${mostFollowed} copies at most, and the endpoint says so`, async () => {
    const raw = here.world.raw()
    const row = await raw.db.selectFrom('connectors').selectAll().where('id', '=', connector).executeTakeFirstOrThrow()
    const ids = Array.from({ length: mostFollowed / 4 }, () => randomUUID())
    await raw.db
      .insertInto('connectors')
      .values(ids.map((id) => ({ ...row, id, name: id, sandbox: Boolean(row.sandbox), unchecked: Boolean(row.unchecked) })))
      .execute()
    const copies = ids.flatMap((id) => ['accounts', 'comments', 'entries', 'lines'].map((entity) => ({ connector_id: id, entity })))
    await raw.db
      .insertInto('sync_entities')
      .values(copies.map((copy) => ({ ...copy, organization_id: principal.organizationId, synced_at: here.world.now })))
      .execute()
    const seen: number[] = []
    const logs = {
      follow: async (_organization: string, refs: readonly unknown[]) => {
        seen.push(refs.length)
        return { logs: [], isFull: false }
      },
      count: () => Promise.reject(new Error('nothing is counted')),
      writeCursor: () => '',
    }
    const counting = here.platform.eventWorker({ logs })
    const { id } = await here.platform.webhooks.create(principal, {
      name: 'wide',
      url: `${receiver.address}/wide`,
      types: ['records.changed'],
    })
    await counting.run()
    await counting.stop()
    expect(seen).toEqual([mostFollowed])
    expect((await here.platform.webhooks.get(principal, id)).status_reason).toMatch(/1000 entities/)
  })
})
