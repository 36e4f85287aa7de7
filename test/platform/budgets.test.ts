/** Budgets of vendors that several nodes share: simulated time, real statements. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Asker } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { share } from '../support/share.ts'
import { StrictBucket, StrictVendor } from './budget-vendors.ts'
import { gongLimits, longestPauseMs, provenFor, startNodes } from './budget-world.ts'
import { createWorld } from './world.ts'

const known = provenFor('k', gongLimits)

const world = await share(createWorld('postgres', 'budgets of nodes'))
await world.open()
const database = world.raw()
beforeEach(() => sql`delete from vendor_budgets`.execute(database.db))

const createWorldOfNodes = (count: number) => startNodes(database, count)

/** Reads the stored budgets. */
async function readRows() {
  const { rows } = await sql<{ readonly key: string; readonly hold_until: number | null }>`select key, hold_until from vendor_budgets
    order by key`.execute(database.db)
  return rows
}

describe('nodes with one key', () => {
  test('of four with twenty walkers each use nine tenths of the rate without a refusal, and each gets its part', async () => {
    const { time, nodes, countStatements } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) for (let walker = 0; walker < 20; walker += 1) void node.walk({ asker: known, vendor })
    await time.pass(60_000)
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(0.9 * 180)
    for (const node of nodes) expect(node.waits.length).toBeGreaterThan(25)
    expect(countStatements()).toBeLessThan(4 * vendor.accepted.length)
  })

  test('give nearly everything to the only one that is busy', async () => {
    const { time, nodes } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (let walker = 0; walker < 20; walker += 1) void nodes[0]?.walk({ asker: known, vendor })
    await time.pass(30_000)
    expect(vendor.accepted.length).toBeGreaterThan(0.9 * 90)
  })

  test('let a waiting client through while the syncs of another node use all that there is', async () => {
    const { time, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    const [busy, other] = nodes
    for (let walker = 0; walker < 20; walker += 1) void busy?.walk({ asker: known, vendor })
    await time.pass(5_000)
    void other?.walk({ asker: known, vendor, background: false, pauseMs: 4_000 })
    await time.pass(40_000)
    expect(vendor.refused).toBe(0)
    expect(Math.max(...(other?.waits ?? []))).toBeLessThan(2_000)
    expect(vendor.accepted.length).toBeGreaterThan(0.9 * 3 * 45)
  })

  test('wait for one statement, when their calls are rare and go to now this and now that node', async () => {
    const { time, nodes } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (let call = 0; call < 40; call += 1) {
      void nodes[call % 4]?.call({ asker: known, vendor, background: false })
      await time.pass(700)
    }
    const waits = nodes.flatMap(({ waits }) => waits).toSorted((a, b) => a - b)
    expect(waits.length).toBe(40)
    expect(waits[20]).toBeLessThan(20)
    expect(waits.at(-1)).toBeLessThan(1_000)
  })

  test('use the rates of a vendor with several windows and without waits', async () => {
    const rates = [
      { calls: 10, seconds: 1.05 },
      { calls: 570, seconds: 60 },
    ]
    const { time, nodes } = createWorldOfNodes(4)
    const vendor = new StrictVendor([
      { calls: 10, seconds: 1 },
      { calls: 600, seconds: 60 },
    ])
    for (const node of nodes)
      for (let walker = 0; walker < 20; walker += 1) void node.walk({ asker: provenFor('t', { key: [], rates }), vendor })
    await time.pass(120_000)
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(0.9 * 1_200)
  })

  test('share a leaky bucket, whose level any program may raise', async () => {
    const { time, nodes } = createWorldOfNodes(4)
    const vendor = new StrictBucket()
    const asker = provenFor('s', { key: [], bucket: { header: 'x', size: 40, perSecond: 2 } })
    for (const node of nodes) for (let walker = 0; walker < 20; walker += 1) void node.walk({ asker, vendor })
    await time.pass(60_000)
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted).toBeGreaterThanOrEqual(0.9 * (120 + 36))
    for (let foreign = 0; foreign < 4; foreign += 1) vendor.call(time.now)
    await time.pass(10_000)
    expect(vendor.refused).toBe(0)
  })
})

describe('a node that dies', () => {
  test('loses the turns that it had, and no more, ten times', async () => {
    const { time, nodes, add } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates.slice(0, 1))
    const walk = { asker: known, vendor }
    for (const node of nodes) for (let walker = 0; walker < 20; walker += 1) void node.walk(walk)
    for (let kill = 0; kill < 10; kill += 1) {
      await time.pass(3_000 + 100 * kill)
      nodes[kill]?.kill()
      const next = add()
      for (let walker = 0; walker < 20; walker += 1) void next.walk(walk)
    }
    expect(vendor.refused).toBe(0)
    expect(vendor.longestPause(0)).toBeLessThan(longestPauseMs)
  })

  test('alone with a key, leaves it to the next one', async () => {
    const { time, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    for (let walker = 0; walker < 20; walker += 1) void nodes[0]?.walk({ asker: known, vendor })
    await time.pass(10_000)
    nodes[0]?.kill()
    const killed = time.now
    for (let walker = 0; walker < 20; walker += 1) void nodes[1]?.walk({ asker: known, vendor })
    await time.pass(10_000)
    expect(vendor.refused).toBe(0)
    expect((vendor.accepted.findLast((at) => at < killed + longestPauseMs) ?? 0) > killed).toBe(true)
  })
})

describe('the budget of a day', () => {
  const limits = { key: [], rates: [gongLimits.rates[0], { calls: 200, seconds: 86_400 }] } as const
  const asker = provenFor('d', limits)

  test('is used up by all nodes together, survives a restart of all of them, and comes back a day later', async () => {
    const { time, nodes, add } = createWorldOfNodes(2)
    const vendor = new StrictVendor(limits.rates)
    for (const node of nodes) for (let walker = 0; walker < 5; walker += 1) void node.walk({ asker, vendor })
    await time.pass(20_000)
    for (const node of nodes) {
      node.stop()
      await time.during(() => node.limiter.close())
    }
    const restarted = [add(), add()]
    for (const node of restarted) for (let walker = 0; walker < 5; walker += 1) void node.walk({ asker, vendor })
    await time.pass(120_000)
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(180)
    await time.during(() => expect(restarted[0]?.call({ asker, vendor, background: false })).rejects.toThrow('refused with a wait of'))
    for (const node of restarted) node.kill()
    await time.pass(86_400_000 + 2 * 900_000)
    const before = vendor.accepted.length
    const next = add()
    for (let walker = 0; walker < 5; walker += 1) void next.walk({ asker, vendor })
    await time.pass(30_000)
    expect(vendor.accepted.length - before).toBeGreaterThan(80)
    expect(vendor.refused).toBe(0)
  })
})

describe('the rules of proven credentials', () => {
  const stranger = (credential: string): Asker => ({ key: 'k', credential, limits: gongLimits })

  test('give strangers no part of a budget, and one call a second on all nodes together', async () => {
    const { time, nodes } = createWorldOfNodes(4)
    const doors = { refused: 0, times: [] as number[], call: (now: number) => doors.times.push(now) < 0 }
    for (const [index, node] of nodes.entries())
      for (let walker = 0; walker < 5; walker += 1)
        void node.walk({ asker: stranger(`${index}.${walker}`), vendor: doors, background: false })
    await time.pass(3_000)
    const before = doors.times.length
    await time.pass(40_000)
    expect(doors.times.length - before).toBeLessThanOrEqual(44)
    expect((await readRows()).map(({ key }) => key)).toEqual(Array(4).fill(expect.stringMatching(/^strangers\/./)))
    const vendor = new StrictVendor(gongLimits.rates)
    for (let walker = 0; walker < 20; walker += 1) void nodes[0]?.walk({ asker: known, vendor })
    await time.pass(10_000)
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(29)
  })

  test('end such a wait for all nodes with the first call that the vendor accepts, also when its nodes are gone', async () => {
    const { time, nodes, add } = createWorldOfNodes(1)
    const vendor = new StrictVendor(gongLimits.rates)
    vendor.retryAfterMs = 5_000
    void nodes[0]?.call({ asker: known, vendor, background: false })
    await time.pass(3_000)
    nodes[0]?.kill()
    expect(await readRows()).toEqual([{ key: 'k', hold_until: expect.any(Number) }])
    vendor.retryAfterMs = undefined
    await time.pass(60_000)
    const later = [add(), add()]
    for (const node of later) for (let walker = 0; walker < 5; walker += 1) void node.walk({ asker: known, vendor })
    await time.pass(20_000)
    expect(await readRows()).toEqual([{ key: 'k', hold_until: null }])
    for (const node of later) expect(node.waits.length).toBeGreaterThan(20)
  })

  test('keep the wait that the vendor asked a stranger for from everybody else', async () => {
    const { time, nodes } = createWorldOfNodes(2)
    const doors = { refused: 0, retryAfterMs: 600_000, call: () => false }
    for (const node of nodes) void node.call({ asker: stranger('wrong'), vendor: doors, background: false })
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) void node.walk({ asker: known, vendor })
    await time.pass(10_000)
    // A wait would leave none. Two walkers that take one call at a time reach 24 to 29.
    expect(vendor.accepted.length).toBeGreaterThanOrEqual(20)
    expect(await readRows()).toContainEqual({ key: 'k', hold_until: null })
  })

  test('tell all nodes of a wait that the vendor asked one of them for; then one call goes first', async () => {
    const { time, nodes } = createWorldOfNodes(3)
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) for (let walker = 0; walker < 10; walker += 1) void node.walk({ asker: known, vendor })
    await time.pass(10_000)
    vendor.retryAfterMs = 30_000
    await time.pass(3_000)
    const refusals = vendor.refused
    await time.pass(26_000)
    expect(refusals).toBeLessThan(10)
    expect(vendor.refused).toBe(refusals)
    await time.pass(4_000) // it still refuses: one call looks
    expect(vendor.refused).toBe(refusals + 1)
    vendor.retryAfterMs = undefined
    const before = vendor.accepted.length
    await time.pass(40_000)
    expect(vendor.refused).toBe(refusals + 1)
    expect(vendor.accepted.length - before).toBeGreaterThan(15)
  })
})

describe('a database', () => {
  test('that fails costs refusals with a clear code, no call too many, and nothing after it is back', async () => {
    const { time, state, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    for (let walker = 0; walker < 5; walker += 1) void nodes[0]?.walk({ asker: known, vendor }).catch(() => undefined)
    await time.pass(5_000)
    state.trouble = new Error('gone')
    await time.pass(5_000)
    const failed = time.now
    await time.during(() =>
      expect(nodes[1]?.call({ asker: known, vendor, background: false })).rejects.toMatchObject({ code: 'unavailable' }),
    )
    expect(time.now - failed).toBeGreaterThanOrEqual(3_000)
    state.trouble = 2
    await time.pass(5_000)
    const made = nodes[1]?.call({ asker: known, vendor, background: false })
    await time.pass(2_000)
    expect(await made).toBe(true)
    expect(vendor.refused).toBe(0)
  })

  test('that answers slowly costs time only', async () => {
    const { time, state, nodes } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates)
    state.trouble = 60
    for (const node of nodes) for (let walker = 0; walker < 5; walker += 1) void node.walk({ asker: known, vendor }).catch(() => undefined)
    await time.pass(30_000)
    expect(vendor.refused).toBe(0)
    expect(vendor.accepted.length).toBeGreaterThan(60)
  })

  test('that answers after ten seconds, as on a busy machine, costs time only', async () => {
    const { time, state, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    const call = () => nodes.map((node) => node.call({ asker: known, vendor, background: false }))
    await time.during(() => Promise.all(call()))
    // Some of the calls have a turn, and the others wait for one while the database is slow.
    const calls = [...call(), ...call(), ...call()]
    await time.pass(20)
    state.trouble = 10_000
    calls.push(...call(), ...call(), ...call())
    await time.pass(2_000)
    state.trouble = 2
    await time.during(() => Promise.all(calls))
    expect(await Promise.all(calls)).toEqual(Array(12).fill(true))
    expect(vendor.refused).toBe(0)
  })

  test('that hangs refuses the calls when its statement fails, or at their deadline', async () => {
    const { time, state, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    state.trouble = 16_000
    const began = time.now
    const call = nodes[0]?.call({ asker: known, vendor, background: false })
    await time.pass(1_000)
    state.trouble = new Error('cut off')
    await time.during(() => expect(call).rejects.toMatchObject({ code: 'unavailable' }))
    expect(time.now - began).toBeGreaterThanOrEqual(8_000)
    state.trouble = 600_000
    const late = nodes[1]?.call({ asker: known, vendor, background: false })
    await time.during(() => expect(late).rejects.toMatchObject({ code: 'unavailable' }))
    expect(vendor.accepted).toEqual([])
  })

  test('that is slow for a moment, as a busy machine is at its start, refuses nothing', async () => {
    const { time, state, nodes } = createWorldOfNodes(2)
    const vendor = new StrictVendor(gongLimits.rates)
    state.trouble = 300
    const call = nodes[0]?.call({ asker: known, vendor, background: false })
    await time.pass(400)
    state.trouble = 2
    await time.pass(2_000)
    expect(await call).toBe(true)
  })

  test('whose clock steps back by an hour stops nobody', async () => {
    const { time, state, nodes } = createWorldOfNodes(4)
    const vendor = new StrictVendor(gongLimits.rates)
    for (const node of nodes) for (let walker = 0; walker < 5; walker += 1) void node.walk({ asker: known, vendor })
    await time.pass(10_000)
    state.aheadMs = -3_600_000
    await time.pass(5_000)
    const before = vendor.accepted.length
    await time.pass(20_000)
    expect(vendor.accepted.length - before).toBeGreaterThanOrEqual(50)
  })
})
