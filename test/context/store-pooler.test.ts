import { afterAll, expect, test } from 'vitest'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { listLeftovers } from '../support/pooled-sessions.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { createSearcher } from '../support/searcher.ts'
import { fillRecords, found, inDatabase, indexed, openEager, searchOften } from './indexes-world.ts'
import { createRef, createStoreWorld, ignoreWaits, notesOf, oneValue, refusal } from './store-world.ts'

/** Sessions of the server behind the pooler; both nodes open more connections. */
const sessions = 4
let direct: string
const any = await createTestDatabase('pooler')
const pooler = await startPgBouncer(any.url, sessions)
await any.drop()
const world = await createStoreWorld('postgres', undefined, (url) => {
  direct = url
  return pooler.through(url)
})
const nodes = [openEager(world), openEager(world)] as const
afterAll(async () => {
  await world.close()
  await pooler.stop()
})
const endless = 'select count(*) from generate_series(1, 100000000000)'
const countRunning = async () => {
  const context = await nodes[1].openDatabase()
  const text = `select count(*)::int4 from pg_stat_activity where query = '${endless}' and state = 'active' and datname = current_database()`
  return Number(await oneValue(context, text))
}

test('two nodes create the tables at once, write, search and index on demand, with more clients than sessions', async () => {
  const [one, other] = await Promise.all(nodes.map((store) => fillRecords(store, 300)))
  if (one === undefined || other === undefined) throw new Error('nothing was filled')
  const query = { filter: { eq: { state: 'state-7' } } }
  const both = nodes.flatMap((store) => [one, other].map((ref) => found(store, ref, { query })))
  expect((await Promise.all([...both, ...both, ...both])).flat(2)).toEqual(Array.from({ length: 12 }, () => 7))
  await searchOften(nodes[0], one, { query: { filter: { eq: { state: 'state-7' } } } })
  expect(await indexed(nodes[1], one)).toEqual(['state ready'])
  const byWord = { filter: { fuzzy: { title: 'Nolte 7' } } }
  expect(await found(nodes[1], one, { query: byWord })).toEqual(await found(nodes[0], one, { query: byWord }))
  const searcher = createSearcher(nodes[0])
  for (let id = 0; id < 8; id += 1)
    expect((await searcher.search({ ref: one, params: { query: { filter: { eq: { id } } } }, key: Buffer.from('k'), now: 1 }))?.count).toBe(
      1,
    )
  await nodes[1].removeConnector(one.connector)
  await nodes[1].indexes.tick()
  expect(await inDatabase(await nodes[0].openDatabase())).toEqual([])
  expect((await found(nodes[0], other, { query }))[0]).toEqual([7])
})

test('an aborted search and one that takes too long end on the server, and nobody else does', async () => {
  ignoreWaits()
  const context = await nodes[0].openDatabase()
  const abort = new AbortController()
  const aborted = refusal(context.query({ text: endless }, { signal: abort.signal }))
  const late = refusal(context.query({ text: endless }, { timeoutMs: 300 }))
  const writing = refusal(context.transaction((session) => session.query({ text: endless }), { timeoutMs: 300 }))
  const apart = refusal(context.withOwnConnection((run) => run({ text: endless }), { timeoutMs: 300 }))
  expect(await late).toMatch(/^context_store_timeout/)
  expect(await writing).toMatch(/^context_store_timeout/)
  expect(await apart).toMatch(/^context_store_timeout/)
  abort.abort(new Error('the client is gone'))
  expect(await aborted).toContain('the client is gone')
  await expect.poll(countRunning).toBe(0)
  expect(await oneValue(context, 'select 1')).toBe(1)
})

test('a search that waits for a session of the pooler ends in time too', async () => {
  ignoreWaits()
  const [busy, waiting] = [await nodes[0].openDatabase(), await nodes[1].openDatabase()]
  const abort = new AbortController()
  const running = [1, 2, 3].map(() => refusal(busy.query({ text: endless }, { signal: abort.signal })))
  const writing = refusal(busy.transaction((session) => session.query({ text: endless }), { signal: abort.signal }))
  expect(await refusal(waiting.query({ text: endless }, { timeoutMs: 200 }))).toMatch(/^context_store_timeout/)
  abort.abort(new Error('over'))
  expect(await Promise.all([...running, writing])).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('over')))
  expect(await oneValue(waiting, 'select 1')).toBe(1)
  await expect.poll(countRunning).toBe(0)
})

test('searches can only read, within the limits of the service, and leave nothing behind in a session', async () => {
  const context = await nodes[0].openDatabase()
  const ref = createRef()
  await nodes[0].writeBatch(ref, { records: notesOf(nodes[0], 0, 3), asked: 1 })
  await expect(context.query({ text: 'delete from cs_test_kind_notes' })).rejects.toThrow(
    'cannot execute DELETE in a read-only transaction',
  )
  const text = "select current_setting('statement_timeout') || current_setting('plan_cache_mode') || current_setting('jit')"
  expect(await oneValue(context, text)).toBe('405sforce_custom_planoff')
  await expect.poll(() => listLeftovers(pooler.through(direct), direct)).toEqual([]) // the nodes still work
})
