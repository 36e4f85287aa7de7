import { afterAll, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { Replicas } from '../../packages/server/src/copies/store/replicas/replicas.ts'
import { openLine } from '../support/line.ts'
import { type Pooler, startPgBouncer } from '../support/pgbouncer.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { eager, fillRecords, found, searchOften } from './indexes-world.ts'
import { createRelatedRef, groupRelated, relatedKind, storeRecords } from './related-world.ts'
import { type ReplicaNode, read, rules, runClients, startTwoNodes, untilStates, write } from './replicas-world.ts'
import { createRef, ignoreWaits, refusal } from './store-world.ts'

const { world, nodes } = await startTwoNodes()
afterAll(() => world?.close())

const countAll = (route: Parameters<ReplicaNode['count']>[0]): number => nodes[0].count(route) + nodes[1].count(route)

test('searches go to the replicas while these have what was written, and find it', async () => {
  const ref = createRef()
  await write(nodes[0], ref, 7)
  await world.caughtUp(0, 1)
  const before = countAll('replica')
  for (const node of nodes) {
    expect(await read(node, ref)).toBe(7)
    expect(await read(node, ref, { fuzzy: { title: 'version' } })).toBe(7)
  }
  expect(countAll('replica') - before).toBe(4)
  const busy = await Promise.all(Array.from({ length: 20 }, () => read(nodes[0], ref, { like: { title: 'vers%' } })))
  expect(busy).toEqual(Array.from({ length: 20 }, () => 7))
})

test('counts, groups and related records go to the replicas while these have what all their entities have', async () => {
  const own = await world.open(undefined, { kinds: [relatedKind] })
  await untilStates(own, 'used', 'used')
  const { store } = own
  const ref = createRelatedRef()
  const calls = [{ id: 'c1', title: 'One', ownerId: 'u1', started: '2026-01-01T00:00:00Z' }]
  await storeRecords(store, ref, { users: [{ id: 'u1', name: 'Ada' }], calls })
  await world.caughtUp(0, 1)
  const asked = { group_by: ['ownerId'], include: { ownerId: ['name'] }, query: { filter: { like: { 'ownerId.name': 'A' } } } }
  const before = own.count('replica')
  expect(await groupRelated(store, ref, asked)).toEqual([{ ownerId: 'u1', count: 1, _related: { ownerId: { name: 'Ada' } } }])
  expect(own.count('replica') - before).toBe(1)
  for (const replica of [0, 1]) await world.run(replica, 'select pg_wal_replay_pause()')
  await storeRecords(store, ref, { users: [{ id: 'u1', name: 'Anna' }] })
  expect(await groupRelated(store, ref, asked)).toEqual([{ ownerId: 'u1', count: 1, _related: { ownerId: { name: 'Anna' } } }])
  expect(own.count('replica') - before).toBe(1)
  for (const replica of [0, 1]) await world.run(replica, 'select pg_wal_replay_resume()')
  await store.close()
})

test('a replica that is behind is not asked about what changed, but about everything else', async () => {
  const [changed, same] = [createRef(), createRef()]
  for (const ref of [changed, same]) await write(nodes[0], ref, 1)
  await world.caughtUp(0, 1)
  for (const replica of [0, 1]) await world.run(replica, 'select pg_wal_replay_pause()')
  await write(nodes[0], changed, 2)
  const [behind, there] = [countAll('primary_behind'), countAll('replica')]
  for (const node of nodes) expect([await read(node, changed), await read(node, same)]).toEqual([2, 1])
  expect([countAll('primary_behind') - behind, countAll('replica') - there]).toEqual([2, 2])
  for (const replica of [0, 1]) await world.run(replica, 'select pg_wal_replay_resume()')
  await world.caughtUp(0, 1)
  expect(await read(nodes[1], changed)).toBe(2)
  expect(countAll('replica') - there).toBe(3)
})

test('a replica that shows what the primary does not yet show is not asked about it', async () => {
  const ref = createRef()
  let version = 1
  await write(nodes[0], ref, version)
  const isWaiting = async () =>
    (await world.run('primary', "select from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()")).length > 0
  let writing: Promise<unknown>
  try {
    // A standby of this name never confirms, so the commit reaches the replicas and stays invisible on the primary.
    await world.run('primary', "alter system set synchronous_standby_names = 'nobody'")
    await world.run('primary', 'select pg_reload_conf()')
    let isWritten: boolean
    do {
      isWritten = false
      version += 1
      writing = write(nodes[0], ref, version).then(() => {
        isWritten = true // the server had not read its settings yet
      })
      await expect.poll(async () => isWritten || (await isWaiting())).toBe(true)
    } while (isWritten)
    const text = 'select title from cs_test_kind_notes where connector_id = (select number from cs_connectors where id = '
    await expect.poll(() => world.run(0, `${text}'${ref.connector}')`)).toEqual([{ title: `version ${version}` }])
    for (const node of nodes) expect(await read(node, ref)).toBe(version - 1)
  } finally {
    await world.run('primary', 'alter system reset synchronous_standby_names')
    await world.run('primary', 'select pg_reload_conf()')
  }
  await writing
  expect(await read(nodes[1], ref)).toBe(version)
})

test('no client sees an older answer while replicas stop, die and return', async () => {
  const ref = createRef()
  await write(nodes[0], ref, 0)
  const before = countAll('replica')
  const disturb = async () => {
    await world.run(0, 'select pg_wal_replay_pause()')
    await world.kill(1)
    await untilStates(nodes[0], 'used', 'gone')
    await world.run(0, 'select pg_wal_replay_resume()')
    await world.start(1)
    for (const node of nodes) await untilStates(node, 'used', 'used')
  }
  const [clients] = await Promise.all([runClients(nodes, ref, { searches: 150 }), disturb()])
  expect(clients.older).toEqual([])
  await world.caughtUp(0, 1)
  await read(nodes[0], ref)
  expect(countAll('replica')).toBeGreaterThan(before)
  expect(nodes[0].changes.map(({ position, state }) => `${position} ${state}`)).toEqual(expect.arrayContaining(['2 gone', '2 used']))
})

test('a search that a replica cancels, cuts off or cannot run is run again on the primary', async () => {
  const ref = createRef()
  await write(nodes[0], ref, 1)
  await world.caughtUp(0, 1)
  const { store } = nodes[0]
  const failed = nodes[0].count('primary_failed')
  // What the server says of a conflict with replay, and of a column that replay has not added yet.
  const conflict = "raise exception 'canceling statement due to conflict with recovery' using errcode = '40001'"
  for (const raised of [conflict, "raise exception 'no such column' using errcode = '42703'"]) {
    const only = `do $$ begin if pg_is_in_recovery() then ${raised}; end if; end $$`
    const work = await store.search(ref, async (session) => {
      await session.query({ text: only })
      return session.query<{ standby: boolean }>({ text: 'select pg_is_in_recovery() as standby' })
    })
    expect(work?.rows).toEqual([{ standby: false }])
  }
  const cut = await store.search(ref, async (session) => {
    const own = {
      text: 'select pg_is_in_recovery() as standby, case when pg_is_in_recovery() then pg_terminate_backend(pg_backend_pid()) end',
    }
    return session.query<{ standby: boolean }>(own)
  })
  expect(cut?.rows[0]?.standby).toBe(false)
  expect(nodes[0].count('primary_failed') - failed).toBe(3)
  await untilStates(nodes[0], 'used', 'used')
})

test('a replica that falls silent is left, and its searches move to the primary', async () => {
  const line = await openLine(world.urlOf(0))
  const node = await world.open([line.url], { replicaRules: { ...rules, answerMs: 5_000 } })
  try {
    await untilStates(node, 'used')
    const ref = createRef()
    await write(node, ref, 5)
    await world.caughtUp(0)
    expect(await read(node, ref)).toBe(5)
    const text = 'select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end) is null as no, pg_is_in_recovery() as standby'
    const running = node.store.search(ref, (session) => session.query<{ standby: boolean }>({ text }))
    const asleep = "select from pg_stat_activity where wait_event = 'PgSleep'"
    await expect.poll(async () => (await world.run(0, asleep)).length).toBe(1)
    line.silence()
    const answers = await Promise.all([read(node, ref), read(node, ref), running.then((answer) => answer?.rows[0]?.standby)])
    expect(answers).toEqual([5, 5, false])
    expect(node.changes.map(({ state }) => state)).toContain('gone')
    line.resume()
    const before = node.count('replica')
    await expect.poll(async () => (await read(node, ref)) === 5 && node.count('replica') > before).toBe(true)
  } finally {
    await node.store.close()
    line.close()
  }
})

test('the time of a search covers its replica and its primary, and its client may leave', async () => {
  const ref = createRef()
  await write(nodes[0], ref, 1)
  await world.caughtUp(0, 1)
  const endless = (options: object) =>
    refusal(
      nodes[0].store.search(ref, (session) => session.query({ text: 'select count(*) from generate_series(1, 100000000000)' }), options),
    )
  ignoreWaits()
  expect(await endless({ timeoutMs: 200 })).toMatch(/^context_store_timeout/)
  const abort = new AbortController()
  const left = endless({ signal: abort.signal })
  const running =
    "select count(*)::int4 as n from pg_stat_activity where query like '%generate_series(1, 100%' and state = 'active' and pid <> pg_backend_pid()"
  const count = async () => (await Promise.all([0, 1].map((replica) => world.run(replica, running)))).flat().map(({ n }) => n)
  await expect.poll(async () => (await count()).join()).toMatch('1')
  abort.abort(new Error('the client is gone'))
  expect(await left).toContain('the client is gone')
  await expect.poll(count).toEqual([0, 0])
})

test('an index that only replicas read counts as used', async () => {
  let now = Date.now()
  const node = await world.open(undefined, { indexRules: eager, clock: () => now })
  await untilStates(node, 'used', 'used')
  const ref = await fillRecords(node.store, 300)
  const byState = { filter: { eq: { state: 'state-7' } } }
  await searchOften(node.store, ref, { query: byState })
  await world.caughtUp(0, 1)
  now += 60_000
  await node.store.indexes.tick()
  const before = node.count('replica')
  for (let search = 0; search < 4; search += 1) {
    await found(node.store, ref, { query: byState })
    await node.store.search(ref, (session) => session.query({ text: 'select pg_stat_force_next_flush()' }))
  }
  expect(node.count('replica') - before).toBe(8)
  await expect
    .poll(async () => {
      now += 600_000 // the time of the next upkeep
      await node.store.indexes.tick()
      return (await node.store.indexes.listByEntity(ref.connector)).get('notes')?.[0]?.usedAt ?? 0
    })
    .toBeGreaterThan(0)
})

test('a search that only reads cannot write on a replica, and a pooler may stand before it', async () => {
  const pooler: Pooler = await startPgBouncer(world.urlOf(0), 2)
  const node = await world.open([pooler.through(world.urlOf(0))])
  try {
    await untilStates(node, 'used')
    const ref = createRef()
    await write(node, ref, 3)
    await world.caughtUp(0)
    for (let id = 0; id < 5; id += 1) expect(await read(node, ref)).toBe(3)
    expect(await read(node, ref, { fuzzy: { title: 'version' } })).toBe(3)
    expect(node.count('replica')).toBe(6)
    const limits =
      "select current_setting('statement_timeout') || current_setting('jit') || current_setting('transaction_isolation') as what"
    const inside = await node.store.search(ref, (session) => session.query({ text: limits }))
    expect(inside?.rows).toEqual([{ what: '65soffrepeatable read' }])
  } finally {
    await node.store.close()
    await pooler.stop()
  }
})

test('servers that are no replica of the primary are refused, and say why', async () => {
  const other = await createTestDatabase('no_replica')
  const sameServer = new URL(world.urlOf(0))
  sameServer.pathname = '/other'
  const node = await world.open([other.url, sameServer.href, world.urlOf('primary')])
  try {
    await untilStates(node, 'refused', 'refused', 'refused')
    const reasons = node.changes.toSorted((a, b) => a.position - b.position).map(({ reason }) => reason)
    expect(reasons).toEqual([
      'it is no replica of the server of CONTEXT_DATABASE_URL',
      'it is another database than that of CONTEXT_DATABASE_URL',
      'it is not in recovery, so it is no replica any more',
    ])
    const ref = createRef()
    await write(node, ref, 1)
    expect(await read(node, ref)).toBe(1)
    expect([node.count('replica'), node.count('primary')]).toEqual([0, 1])
  } finally {
    await other.drop()
  }
})

test('with Citus replicas are refused', () => {
  const url = new Secret('postgresql://u:p@replica/copy')
  const settings = { engine: 'postgres', url, replicas: [url], searches: 1, writers: 1, waiting: 1, searchSeconds: 1 } as const
  const primary = () => Promise.reject(new Error('not asked'))
  const replicas = new Replicas({ settings, rules: {}, primary, onChange: undefined })
  expect(() => replicas.assertUsable('postgres')).not.toThrow()
  expect(() => replicas.assertUsable('citus')).toThrow('The setting CONTEXT_READ_URLS is not valid: Citus distributes the copy')
})

test('a promoted replica is left at once, and the primary answers', async () => {
  const ref = createRef()
  await write(nodes[0], ref, 1)
  await world.caughtUp(0, 1)
  await world.run(1, 'select pg_promote()')
  // What the promoted server says of the entity is no longer what the primary says, though its counts may be equal.
  await world.run(1, "update cs_test_kind_notes set title = 'version 99'")
  for (let id = 0; id < 6; id += 1) expect(await read(nodes[0], ref)).toBe(1)
  await untilStates(nodes[0], 'used', 'refused')
  expect(nodes[0].changes.at(-1)).toMatchObject({ position: 2, state: 'refused' })
})
