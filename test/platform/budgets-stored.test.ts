/** Budgets of vendors in the platform's database: simulated time, real statements. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBudgetStore, createVendorBudgets } from '../../packages/server/src/calls/budgets/budgets.ts'
import { readBudgets } from '../../packages/server/src/calls/sql/vendor-budgets.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { databaseNow } from '../../packages/server/src/tenancy/sql/installation-state.ts'
import { databasesUnderTest } from '../support/postgres.ts'
import { SimulatedTime, StrictVendor } from './budget-vendors.ts'
import { gongLimits, killNodes, longestPauseMs, provenFor, startNodesOver } from './budget-world.ts'
import { createWorld, overBoth, type World } from './world.ts'

const day = 86_400_000

overBoth('budgets', (name) => {
  let world: World
  let database: Database
  beforeAll(async () => {
    world = await createWorld(name, 'budgets')
    await world.open()
    database = world.raw()
  })
  afterAll(() => world.close())

  test('of a day survive a restart, also one without an end, and are never exceeded', async () => {
    const limits = { key: [], rates: [gongLimits.rates[0], { calls: 100, seconds: 86_400 }] } as const
    const asker = provenFor('day', limits)
    const vendor = new StrictVendor(limits.rates)
    const time = new SimulatedTime()
    for (const isKilled of [false, true, false]) {
      const { nodes } = startNodesOver(database, 1, time)
      for (const node of nodes) {
        for (let walker = 0; walker < 3; walker += 1) void node.walk({ asker, vendor })
        await time.pass(15_000)
        if (isKilled) node.kill()
        else {
          node.stop()
          await time.during(() => node.limiter.close())
        }
      }
    }
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(75) // what the killed node might have sent counts
    const { nodes } = startNodesOver(database, 1, time)
    await time.pass(60_000)
    for (const node of nodes) for (let walker = 0; walker < 3; walker += 1) void node.walk({ asker, vendor })
    await time.pass(60_000)
    expect(vendor.accepted.length).toBeLessThanOrEqual(100)
    expect(vendor.refused).toBe(0)
    for (const node of nodes) node.kill()
  })

  test('have a row for keys of proven credentials only, which is removed when nobody uses it for two days', async () => {
    const { time, nodes } = startNodesOver(database, 1, new SimulatedTime(world.now))
    const vendor = new StrictVendor(gongLimits.rates)
    const stranger = { key: 'stranger', credential: 'wrong', limits: gongLimits }
    await time.during(() => nodes[0]?.call({ asker: stranger, vendor: { refused: 0, call: () => false }, background: false }))
    await time.during(() => nodes[0]?.call({ asker: provenFor('known', gongLimits), vendor, background: false }))
    await time.pass(5_000)
    const read = async () => (await readBudgets(database.db, ['stranger', 'known'])).map(({ key }) => key)
    expect(await read()).toEqual(['known'])
    nodes[0]?.kill()
    const source = { clock: () => time.now }
    const { purgeExpired } = createVendorBudgets({
      database,
      source,
      isClockGiven: true,
      steady: source.clock,
      onBackgroundError: () => undefined,
    })
    await purgeExpired(time.now + day)
    expect(await read()).toEqual(['known'])
    await purgeExpired(time.now + 2 * day)
    expect(await read()).toEqual([])
  })
})

describe.each(databasesUnderTest(['postgres']))('nodes over %s', () => {
  let world: World
  let database: Database
  beforeAll(async () => {
    world = await createWorld('postgres', 'budget nodes')
    await world.open()
    database = world.raw()
  })
  afterAll(() => world.close())

  test('read one clock, and store a state only if nobody stored another one since', async () => {
    const store = createBudgetStore({ database, source: { clock: () => 0 }, isClockGiven: false })
    const before = await databaseNow(database.db)
    const { now, rows } = await store.read(['new', 'other'])
    expect([now >= before, now <= (await databaseNow(database.db)), rows.size]).toEqual([true, true, 0])
    const change = (state: string, version: number) => ['other', 'new'].map((key) => ({ key, version, state, usedAt: Math.ceil(now) }))
    const both = ['new', 'other']
    expect([...(await store.write(change('1', 0)))].toSorted()).toEqual(both)
    expect([...(await store.write(change('lost', 0)))]).toEqual([])
    const outcomes = await Promise.all(['2', '3'].map((state) => store.write(change(state, 1))))
    expect(outcomes.flatMap((keys) => [...keys]).toSorted()).toEqual(both)
    const { rows: kept } = await store.read(both)
    expect([...kept.values()].map(({ version, state }) => [version, state === '2' || state === '3'])).toEqual(Array(2).fill([2, true]))
  })

  test('use nine tenths of the rate without a refusal: four with twenty walkers each', async () => {
    const { time, nodes } = startNodesOver(database, 4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) for (let walker = 0; walker < 20; walker += 1) void node.walk({ asker: provenFor('k', gongLimits), vendor })
    await time.pass(20_000)
    expect(nodes.flatMap(({ errors }) => errors)).toEqual([])
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(0.9 * 60)
    for (const node of nodes) node.kill()
  })

  test('lose no turn for longer than a lease when nodes die', async () => {
    const vendor = await killNodes(startNodesOver(database, 4), 6)
    expect(vendor.refused).toBe(0)
    expect(vendor.longestPause(0)).toBeLessThan(longestPauseMs)
  })
})
