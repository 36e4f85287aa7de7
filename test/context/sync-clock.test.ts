import { describe, expect, test } from 'vitest'
import type { SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { connector, expectTruth, Side } from './sync-double.ts'
import { filledVendor } from './sync-vendor.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** Slows down each call. */
const slowed = (side: Side, milliseconds: number): SyncTask['ask'] => {
  const { ask } = side.vendor
  return async (call) => {
    side.pass(milliseconds)
    return ask(call)
  }
}

describe('our clock', () => {
  test('was a year ahead: changes get in, complete passes are made, windows are read', async () => {
    const side = new Side(filledVendor(40))
    side.configuration = { start: '2026-02-01' }
    side.now += year
    await side.sync()
    side.now -= year
    side.pass(5 * day)
    side.vendor.put('people', { id: 'p1', name: 'Changed' })
    side.vendor.put('orders', { id: 1, refunds: [{ id: 10, amount: '7.00' }] })
    side.vendor.put('reports', { account_id: 'a1', day: '2026-03-21', clicks: 1 })
    side.vendor.drop('orders', ({ id }) => id === 6)
    await side.sync()
    expectTruth(side)
    side.pass(hour)
    side.vendor.put('orders', { id: 2, refunds: [{ id: 20, amount: '7.00' }] })
    side.vendor.put('calls', { id: 'c0', title: 'Changed' })
    await side.sync()
    expectTruth(side)
  })

  test('was a year ahead when a walk was interrupted: it begins anew', async () => {
    const side = new Side(filledVendor(40))
    side.now += year
    side.vendor.before = ({ params }) => {
      if (params['since_id'] === 1037) throw new Error('interrupted')
    }
    await expect(side.sync(side.only('refunds', 'notes'))).rejects.toThrow('interrupted')
    side.vendor.before = () => undefined
    side.now -= year
    side.vendor.taken()
    await side.sync(side.only('refunds', 'notes'))
    expect(side.vendor.taken()[0]).toBe('orders since_id=0')
    expectTruth(side, 'refunds', 'notes')
  })

  test('is a day behind, or was: nothing is lost', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    side.pass(hour)
    side.now -= day
    side.vendor.put('orders', { id: 1, refunds: [{ id: 10, amount: '7.00' }] })
    await side.sync()
    expectTruth(side)
    side.pass(hour)
    side.vendor.put('orders', { id: 2, refunds: [{ id: 20, amount: '7.00' }] })
    await side.sync()
    side.now += day
    side.pass(hour)
    side.vendor.put('orders', { id: 3, refunds: [{ id: 30, amount: '7.00' }] })
    await side.sync()
    expectTruth(side)
  })

  test('is two hours ahead: what changed behind a walk of three hours is met by the next one', async () => {
    const side = new Side(filledVendor(60))
    const refunds = side.only('refunds')
    await side.sync(refunds)
    side.now += 2 * hour
    side.pass(3 * day)
    for (const { id } of side.vendor.orders.slice()) side.vendor.put('orders', { id })
    side.pass(day)
    const slow = slowed(side, 8 * minute)
    let calls = 0
    await side.sync({
      ...refunds,
      mode: 'full',
      ask: async (call) => {
        calls += 1
        if (calls === 3) side.vendor.put('orders', { id: 1, refunds: [{ id: 10, amount: '7.00' }] })
        if (calls === 20) side.vendor.put('orders', { id: 1059, title: 'Late' })
        return slow(call)
      },
    })
    expect(calls).toBeGreaterThan(20)
    await side.sync(refunds)
    expectTruth(side, 'refunds')
  })
})

describe('the clock of the vendor', () => {
  test.each([
    ['ahead', 30],
    ['behind', -30],
  ])('is %s by days: nothing is lost', async (_way, days) => {
    const side = new Side(filledVendor(40))
    side.vendor.now += days * day
    for (const { id } of side.vendor.orders.slice()) side.vendor.put('orders', { id })
    await side.sync()
    for (let round = 1; round <= 3; round += 1) {
      side.pass(hour)
      side.vendor.put('orders', { id: round, refunds: [{ id: round * 10, amount: `${round}.00` }] })
      await side.sync()
      expectTruth(side, 'refunds')
    }
  })

  test('jumps back: what it stamps from then on is met by the next complete pass', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    side.vendor.put('orders', { id: 2 })
    await side.sync()
    side.vendor.now -= 3 * day
    side.vendor.put('orders', { id: 1, refunds: [{ id: 10, amount: '7.00' }] })
    await side.sync()
    side.now += 8 * day
    await side.sync()
    expectTruth(side)
  })

  test('a record that tells a moment still to come hides no later change', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    side.vendor.put('orders', { id: 7 })
    const strange = side.vendor.orders.find(({ id }) => id === 7)
    Object.assign(strange ?? {}, { updated_at: side.vendor.at((20 * year) / 1000) })
    await side.sync()
    for (let round = 1; round <= 3; round += 1) {
      side.vendor.put('orders', { id: round, refunds: [{ id: round * 10, amount: `${round}.00` }] })
      side.pass(3 * hour)
      await side.sync()
      expectTruth(side, 'refunds')
    }
  })

  test('a moment still to come that a wrong clock of ours believed hides no later change', async () => {
    const side = new Side(filledVendor(40))
    side.now += year
    side.vendor.put('orders', { id: 7 })
    const strange = side.vendor.orders.find(({ id }) => id === 7)
    Object.assign(strange ?? {}, { updated_at: side.vendor.at((30 * day) / 1000) })
    await side.sync(side.only('refunds'))
    side.now -= year
    // One run detects that the passes of the wrong clock are invalid.
    await side.sync({ ...side.only('refunds'), fullEvery: 10 * year })
    side.pass(hour / 2)
    side.vendor.put('orders', { id: 1, refunds: [{ id: 10, amount: '7.00' }] })
    await side.sync({ ...side.only('refunds'), fullEvery: 10 * year })
    expectTruth(side, 'refunds')
  })
})

describe('a record that was read live', () => {
  test('is not replaced by a page that was asked for before', async () => {
    const side = new Side(filledVendor())
    await side.sync()
    const { ask } = side.vendor
    await side.sync({
      ask: async (call) => {
        const answer = await ask(call)
        if (call.entity !== 'people' || call.params['cursor'] !== undefined) return answer
        // While the page is on its way, a client reads one of its records, which has changed meanwhile.
        side.vendor.put('people', { id: 'p1', name: 'Changed' })
        side.pass(1)
        const ref = { connector, kind: 'made-up', entity: 'people' }
        await side.store.writeBatch(ref, { records: [{ key: 'p1', fields: { id: 'p1', name: 'Changed' } }], asked: side.now })
        side.pass(1)
        return answer
      },
    })
    expectTruth(side, 'people')
  })

  test('does not keep out what a later page of the same transaction tells', async () => {
    const side = new Side(filledVendor())
    await side.sync()
    side.pass(1)
    const { ask } = side.vendor
    await side.sync({
      ask: async (call) => {
        const answer = await ask(call)
        side.pass(1)
        if (call.entity !== 'people' || call.params['cursor'] !== undefined) return answer
        const ref = { connector, kind: 'made-up', entity: 'people' }
        await side.store.writeBatch(ref, { records: [{ key: 'p5', fields: { id: 'p5', name: 'Read live' } }], asked: side.now })
        side.vendor.put('people', { id: 'p5', name: 'Changed since' })
        side.pass(1)
        return answer
      },
    })
    expectTruth(side, 'people')
  })
})
