import { describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { expectTruth, kept, Side } from './sync-double.ts'
import { filledVendor, Vendor } from './sync-vendor.ts'

const hour = 3_600_000
const day = 24 * hour
const invalid = () => fail('upstream_invalid_request', { vendor: 'Acme', reason: 'not this one' })

describe('a first run', () => {
  test('brings everything: lists that few calls fill, then what is called for per record', async () => {
    const side = new Side(filledVendor())
    const result = await side.sync()
    expect(Side.states(result)).toEqual(Object.fromEntries(kept.map((name) => [name, 'complete'])))
    expectTruth(side)
    const asked = [...new Set(side.vendor.calledWith.map(({ entity }) => entity))]
    expect(asked).toEqual(['people', 'orders', 'lines', 'items', 'calls', 'transcripts', 'accounts', 'shop', 'notes', 'reports'])
  })

  test('goes on by the largest key, by the cursor, and asks for the rest of what is shown in part', async () => {
    const side = new Side(filledVendor())
    await side.sync(side.only('people', 'refunds', 'lines'))
    expect(side.vendor.taken()).toEqual([
      'people limit=3',
      'people cursor=3',
      'people cursor=6',
      'orders since_id=0',
      'lines order_id=2',
      'lines order_id=2 page_info=21',
      'lines order_id=3',
      'lines order_id=3 page_info=31',
      'orders since_id=3',
      'lines order_id=4',
      'lines order_id=4 page_info=41',
      'lines order_id=4 page_info=43',
      'orders since_id=6',
      'lines order_id=7',
      'lines order_id=7 page_info=71',
    ])
    expectTruth(side, 'people', 'refunds', 'lines')
  })

  test('asks for children once per parent, and for some parents together', async () => {
    const vendor = new Vendor()
    for (const id of [1, 2]) vendor.put('orders', { id, title: `Order ${id}` })
    for (const item of [7, 8, 9]) vendor.put('lines', { id: item, item, order_id: 1 })
    for (const item of [7, 8, 9]) vendor.put('items', { id: item, stock: item })
    vendor.put('lines', { id: 20, item: 9, order_id: 2 })
    const side = new Side(vendor)
    await side.sync(side.only('notes', 'items'))
    expect(vendor.taken()).toEqual([
      'orders since_id=0',
      'lines order_id=1',
      'lines order_id=1 page_info=8',
      'items ids=["9","8"]',
      'items ids=["7"]',
      'orders since_id=0',
      'notes order_id=2',
      'notes order_id=1',
    ])
    expect(side.store.copy('lines').size).toBe(0)
    expectTruth(side, 'notes', 'items')
  })

  test('gives each row of a batch what its own parent tells', async () => {
    const side = new Side(filledVendor())
    await side.sync(side.only('transcripts'))
    expectTruth(side, 'transcripts')
  })

  test('reads windows from the configured day on, for each parent', async () => {
    const side = new Side(filledVendor())
    side.configuration = { start: '2026-03-05' }
    await side.sync(side.only('reports'))
    expect(side.vendor.taken()).toEqual([
      'accounts',
      'reports account_id=a1 start=2026-03-05 end=2026-03-14',
      'reports account_id=a1 start=2026-03-15 end=2026-03-21',
      'reports account_id=a2 start=2026-03-05 end=2026-03-14',
      'reports account_id=a2 start=2026-03-15 end=2026-03-21',
    ])
  })

  test('halves a window that is too large', async () => {
    const side = new Side(filledVendor())
    side.configuration = { start: '2026-03-12' }
    side.vendor.before = ({ params }) => {
      const days = (Date.parse(String(params['end'])) - Date.parse(String(params['start']))) / day + 1
      if (days > 3) throw invalid()
    }
    await side.sync(side.only('reports'))
    expect(side.vendor.taken().filter((call) => call.includes('a1'))).toEqual([
      'reports account_id=a1 start=2026-03-12 end=2026-03-21',
      'reports account_id=a1 start=2026-03-12 end=2026-03-16',
      'reports account_id=a1 start=2026-03-12 end=2026-03-14',
      'reports account_id=a1 start=2026-03-15 end=2026-03-16',
      'reports account_id=a1 start=2026-03-17 end=2026-03-21',
      'reports account_id=a1 start=2026-03-17 end=2026-03-19',
      'reports account_id=a1 start=2026-03-20 end=2026-03-21',
    ])
    expect(side.store.copy('reports').size).toBe(18)
  })

  test('records without an identity are passed over', async () => {
    const side = new Side(new Vendor())
    side.vendor.people.push({ id: null, name: 'Nobody' }, { name: 'No one' }, { id: 'p1', name: 'Person' })
    await side.sync(side.only('people'))
    expect([...side.store.copy('people').keys()]).toEqual(['p1'])
  })

  test('refuses a list that never ends', async () => {
    const side = new Side(filledVendor())
    const { ask } = side.vendor
    const loop = side.sync({ ...side.only('people'), ask: async (call) => ({ ...(await ask(call)), next: { cursor: '3', limit: null } }) })
    await expect(loop).rejects.toThrow('a list that returns to a position it had before')
    expect(side.vendor.calledWith).toHaveLength(2)
  })

  test('begins again when the positions of the vendor end, and gives up when they always do', async () => {
    const side = new Side(filledVendor())
    let refusals = 2
    side.vendor.before = ({ params }) => {
      if (params['cursor'] === '6' && refusals-- > 0) throw fail('invalid_cursor', { reason: 'it has ended' })
    }
    await side.sync(side.only('people'))
    expectTruth(side, 'people')
    refusals = 100
    await expect(side.sync(side.only('people'))).rejects.toThrow('its positions end faster than its pages can be read')
    expectTruth(side, 'people')
    refusals = 0
    await side.sync(side.only('people'))
    expectTruth(side, 'people')
  })
})

describe('a later run', () => {
  test('asks for what changed, a lookback before the latest change, and for the children of that', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('refunds', 'notes'))
    side.vendor.taken()
    side.pass(5 * day)
    side.vendor.put('orders', { id: 2, refunds: [{ id: 99, amount: '1.00' }] })
    side.vendor.put('notes', { id: 77, order_id: 2, text: 'New' })
    expect(Side.states(await side.sync(side.only('refunds', 'notes')))).toEqual({ refunds: 'changes', notes: 'changes' })
    const [first, ...others] = side.vendor.taken()
    expect(first).toBe('orders updated_at_min=2026-03-10T11:00:00.000Z since_id=0')
    expect(others).toContain('notes order_id=2')
    expectTruth(side, 'refunds', 'notes')
    await side.sync(side.only('refunds', 'notes'))
    expect(side.vendor.taken()).toEqual([
      'orders updated_at_min=2026-03-25T11:00:00.000Z since_id=0',
      'orders updated_at_min=2026-03-25T11:00:00.000Z since_id=0',
      'notes order_id=2',
    ])
  })

  test('asks within a window that the vendor needs', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('calls'))
    side.pass(hour)
    side.vendor.taken()
    await side.sync(side.only('calls'))
    expect(side.vendor.taken()[0]).toBe('calls filter={"from":"2026-03-06T12:00:00.000Z","to":"2026-03-21T13:00:00.000Z"}')
  })

  test('removes nothing that it did not ask for', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('refunds', 'notes'))
    side.pass(hour)
    side.vendor.drop('orders', ({ id }) => id === 6)
    await side.sync(side.only('refunds', 'notes'))
    expect(side.store.copy('refunds').has('60')).toBe(true)
  })

  test('makes a complete pass when the last one is old, and removes what is gone', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    side.vendor.drop('orders', ({ id }) => id === 6)
    side.vendor.drop('calls', ({ id }) => id === 'c8')
    side.pass(6 * day)
    await side.sync()
    expect([side.store.copy('refunds').has('60'), side.store.copy('calls').has('c8')]).toEqual([true, true])
    side.pass(2 * day)
    expect(Side.states(await side.sync())).toMatchObject({ refunds: 'complete', calls: 'complete' })
    expectTruth(side)
  })

  test('makes complete passes in the mode full', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    side.vendor.drop('orders', ({ id }) => id === 6)
    side.vendor.drop('calls', ({ id }) => id === 'c8')
    side.vendor.drop('reports', ({ day: date }) => date === '2026-02-15')
    await side.sync({ mode: 'full' })
    expectTruth(side)
  })

  test('removes what is gone at once where everything is met anyway', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('people', 'shop'))
    side.vendor.drop('people', ({ id }) => id === 'p3')
    side.vendor.name = 'Another'
    await side.sync(side.only('people', 'shop'))
    expectTruth(side, 'people', 'shop')
  })

  test('makes a complete pass each time where that takes a few calls', async () => {
    const side = new Side(filledVendor())
    const refunds = side.only('refunds')
    await side.sync(refunds)
    side.vendor.drop('orders', ({ id }) => id === 6)
    expect(Side.states(await side.sync(refunds))).toEqual({ refunds: 'complete' })
    expectTruth(side, 'refunds')
  })

  test('reads the last windows again, and all of those of a new parent', async () => {
    const side = new Side(filledVendor(40))
    side.configuration = { start: '2026-03-01' }
    await side.sync(side.only('reports'))
    side.vendor.taken()
    side.pass(day)
    side.vendor.put('accounts', { id: 'a3', name: 'New' })
    side.vendor.put('reports', { account_id: 'a3', day: '2026-03-02', clicks: 1 })
    side.vendor.put('reports', { account_id: 'a1', day: '2026-03-18', clicks: 500 })
    expect(Side.states(await side.sync(side.only('reports')))).toEqual({ reports: 'changes' })
    expect(side.vendor.taken()).toEqual([
      'accounts',
      'reports account_id=a1 start=2026-03-18 end=2026-03-22',
      'reports account_id=a2 start=2026-03-18 end=2026-03-22',
      'reports account_id=a3 start=2026-03-01 end=2026-03-10',
      'reports account_id=a3 start=2026-03-11 end=2026-03-20',
      'reports account_id=a3 start=2026-03-21 end=2026-03-22',
    ])
    expect(side.store.copy('reports').get('a3 2026-03-02')?.['clicks']).toBe(1)
    expect(side.store.copy('reports').get('a1 2026-03-18')?.['clicks']).toBe(500)
  })

  test('reads everything again when the configuration is another one', async () => {
    const side = new Side(filledVendor(40))
    side.configuration = { start: '2026-03-10' }
    await side.sync()
    side.configuration = { start: '2026-02-20', zone: 'UTC' }
    side.vendor.drop('orders', ({ id }) => id === 6)
    const states = Side.states(await side.sync())
    expect([...new Set(Object.values(states))]).toEqual(['complete'])
    expectTruth(side, 'refunds')
    expect(side.store.copy('reports').has('a1 2026-02-20')).toBe(true)
  })

  test('fills a table again that was made anew', async () => {
    const side = new Side(filledVendor(40))
    await side.sync()
    for (const name of ['notes', 'calls', 'transcripts', 'reports'] as const) {
      side.store.remake(name)
      side.pass(hour)
      await side.sync()
      expectTruth(side)
    }
  })
})
