/** Budgets of vendors in the platform's database: simulated time, real statements. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createVendorBudgets } from '../../packages/server/src/calls/budgets/limiter.ts'
import { takeTurns } from '../../packages/server/src/calls/sql/vendor-budgets.ts'
import { databaseNow } from '../../packages/server/src/tenancy/sql/installation-state.ts'
import { databasesUnderTest } from '../support/postgres.ts'
import { share } from '../support/share.ts'
import { SimulatedTime, StrictVendor } from './budget-vendors.ts'
import { gongLimits, killNodes, longestPauseMs, provenFor, startNodes } from './budget-world.ts'
import { createWorld, overBoth } from './world.ts'

const day = 86_400_000

overBoth('budgets', async (name) => {
  const world = await share(createWorld(name, 'budgets'))
  await world.open()
  const database = world.raw()

  test('of a day survive a restart, also one without an end, and are never exceeded', async () => {
    const limits = { key: [], rates: [gongLimits.rates[0], { calls: 100, seconds: 86_400 }] } as const
    const asker = provenFor('day', limits)
    const vendor = new StrictVendor(limits.rates)
    const time = new SimulatedTime()
    for (const isKilled of [false, true, false]) {
      const { nodes } = startNodes(database, 1, time)
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
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(95)
    const { nodes } = startNodes(database, 1, time)
    await time.pass(60_000)
    for (const node of nodes) for (let walker = 0; walker < 3; walker += 1) void node.walk({ asker, vendor })
    await time.pass(60_000)
    expect(vendor.accepted.length).toBeLessThanOrEqual(100)
    expect(vendor.refused).toBe(0)
    for (const node of nodes) node.kill()
  })

  test('have a row for keys of proven credentials only, which is removed when nobody uses it for two days', async () => {
    const { time, nodes } = startNodes(database, 1, new SimulatedTime(world.now))
    const vendor = new StrictVendor(gongLimits.rates)
    const stranger = { key: 'stranger', credential: 'wrong', limits: gongLimits }
    await time.during(() => nodes[0]?.call({ asker: stranger, vendor: { refused: 0, call: () => false }, background: false }))
    await time.during(() => nodes[0]?.call({ asker: provenFor('known', gongLimits), vendor, background: false }))
    await time.pass(5_000)
    const read = async () => {
      const { rows } = await sql<{ readonly key: string }>`select key from vendor_budgets where key not like 'day%'`.execute(database.db)
      return rows.map(({ key }) => key.split('/')[0]).filter((key) => key !== 'strangers')
    }
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

describe.each(databasesUnderTest(['postgres']))('nodes over %s', async () => {
  const world = await share(createWorld('postgres', 'budget nodes'))
  await world.open()
  const database = world.raw()

  const limits = {
    late: 0,
    size: undefined,
    leak: undefined,
    cost: 1,
    spent: 0,
    seen_level: undefined,
    seen_size: undefined,
    hold: undefined,
    is_accepted: false,
  }
  const wish = (key: string, calls: readonly number[] = [3]) => {
    const rates = { rate_calls: calls, rate_ms: calls.map(() => 60_000), rate_every: calls.map(() => 1), most_kept: 20 }
    return { key, calls: 2, is_sent: false, ahead: 1_000, ...rates, ...limits }
  }

  test('give turns of several keys in one statement by the clock of the database, and no turn twice', async () => {
    const before = await databaseNow(database.db)
    const take = () => takeTurns(database.db, [wish('new'), wish('other', [])], null)
    const both = (await Promise.all([take(), take()])).flat()
    const granted = (of: string) => both.flatMap(({ key, granted: turns }) => (key === of ? [turns] : [])).toSorted()
    expect([granted('new'), granted('other')]).toEqual([
      [1, 2],
      [2, 2],
    ])
    const [full] = await takeTurns(database.db, [wish('new')], null)
    expect(full?.granted).toBe(0)
    expect((full?.wait ?? 0) - 60_000).toBeLessThanOrEqual(0)
    expect((full?.wait ?? 0) + (await databaseNow(database.db)) - before).toBeGreaterThanOrEqual(60_000)
  })

  test('give no turn before one that was given earlier, whatever nodes say about their delay', async () => {
    const ask = { ...wish('delay', [2]), rate_ms: [1_000], calls: 1, ahead: 2_000 }
    const now = Date.now()
    const waits: number[] = []
    for (const late of [500, 0, 0, 0]) for (const { wait } of await takeTurns(database.db, [{ ...ask, late }], now)) waits.push(wait)
    expect(waits).toEqual([0, 0, 1_500, 1_500])
  })

  test('charge what calls are expected to cost, and then what they did cost', async () => {
    const ask = { ...wish('points', []), calls: 5, size: 100, leak: 0.00001, cost: 30 }
    const now = Date.now()
    const answers = []
    for (const spent of [0, 0, -60]) answers.push(...(await takeTurns(database.db, [{ ...ask, spent }], now)))
    expect(answers.map(({ granted, wait }) => [granted, wait])).toEqual([
      [3, 0],
      [0, 30_000],
      [2, 0],
    ])
  })

  test('use nine tenths of the rate without a refusal: four with twenty walkers each', async () => {
    const { time, nodes } = startNodes(database, 4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) for (let walker = 0; walker < 20; walker += 1) void node.walk({ asker: provenFor('k', gongLimits), vendor })
    await time.pass(20_000)
    expect(nodes.flatMap(({ errors }) => errors)).toEqual([])
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(0.9 * 60)
    for (const node of nodes) node.kill()
  })

  test('lose no turn for longer than a window when nodes die', async () => {
    const vendor = await killNodes(startNodes(database, 4), 6)
    expect(vendor.refused).toBe(0)
    expect(vendor.longestPause(0)).toBeLessThan(longestPauseMs)
  })
})
