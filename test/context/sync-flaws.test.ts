import { describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { expectTruth, Side } from './sync-double.ts'
import { filledVendor, said } from './sync-vendor.ts'

const hour = 3_600_000
const day = 24 * hour
const denied = () => fail('upstream_permission_denied', { vendor: 'Acme', reason: 'the scope is missing' })
const broken = () => fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
const invalid = () => fail('upstream_invalid_request', { vendor: 'Acme', reason: 'not this one' })

describe('what was met a second time', () => {
  test('stays, when it was passed over only because another record went', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('people'))
    let isGone = false
    side.vendor.before = ({ params }) => {
      if (params['cursor'] === '3' && !isGone) side.vendor.drop('people', ({ id }) => id === 'p1')
      isGone ||= params['cursor'] === '3'
    }
    side.vendor.taken()
    await side.sync(side.only('people'))
    expect(side.vendor.taken()).toEqual([
      'people limit=3',
      'people cursor=3',
      'people cursor=6',
      'people limit=3',
      'people cursor=3',
      'people cursor=6',
    ])
    // p1 was read before it was deleted; the next run deletes it.
    expect([...side.store.copy('people').keys()]).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8'])
    await side.sync(side.only('people'))
    expectTruth(side, 'people')
  })

  test('is not asked for when nothing is missing, or when the list cannot shift', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('people', 'accounts'))
    side.vendor.drop('accounts', ({ id }) => id === 'a1')
    side.vendor.taken()
    await side.sync(side.only('people', 'accounts'))
    expect(side.vendor.taken()).toHaveLength(4)
    expectTruth(side, 'people', 'accounts')
  })

  test('is only what is in doubt', async () => {
    const side = new Side(filledVendor())
    await side.sync(side.only('calls', 'transcripts'))
    side.vendor.drop('transcripts', ({ callId }) => callId === 'c1')
    side.vendor.taken()
    side.progress = []
    await side.sync({ ...side.only('calls', 'transcripts'), mode: 'full' })
    expect(side.vendor.taken().filter((call) => call.startsWith('transcripts'))).toHaveLength(8)
    expect(side.progress.filter(({ entity }) => entity === 'calls').reduce((sum, { records }) => sum + records, 0)).toBe(10)
    expectTruth(side, 'calls', 'transcripts')
  })
})

describe('below a changed record', () => {
  test('what is no longer there leaves the copy in the next run', async () => {
    const side = new Side(filledVendor(40))
    const names = ['refunds', 'lines', 'notes'] as const
    await side.sync(side.only(...names))
    side.pass(2 * hour)
    side.vendor.put('orders', { id: 3, refunds: [] })
    side.vendor.drop('lines', ({ order_id, id }) => order_id === 3 && id !== 31)
    side.vendor.drop('notes', ({ order_id }) => order_id === 5)
    side.vendor.put('orders', { id: 5 })
    const states = Side.states(await side.sync(side.only(...names)))
    expect(states).toEqual({ refunds: 'changes', lines: 'changes', notes: 'changes' })
    expectTruth(side, ...names)
    expect(side.progress.reduce((sum, { removed }) => sum + removed, 0)).toBe(6)
  })

  test('a parent that went while its children were asked for takes them along', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('notes', 'lines'))
    side.pass(2 * hour)
    side.vendor.put('orders', { id: 4 })
    side.vendor.before = ({ entity, params }) => {
      if (entity === 'notes' && params['order_id'] === 4) side.vendor.drop('orders', ({ id }) => id === 4)
    }
    await side.sync(side.only('notes'))
    expectTruth(side, 'notes')
  })

  test('more than one transaction holds is left to the complete pass, and so is what an answer leaves out', async () => {
    const side = new Side(filledVendor(40))
    for (let index = 0; index < 700; index += 1) side.vendor.put('notes', { id: 10_000 + index, order_id: 1, text: 'Many' })
    await side.sync(side.only('notes', 'refunds'))
    side.pass(2 * hour)
    side.vendor.put('orders', { id: 1 })
    side.vendor.put('orders', { id: 6, refunds: null })
    side.vendor.drop('notes', ({ id }) => id === 10_001)
    await side.sync(side.only('notes', 'refunds'))
    expect([side.store.copy('notes').has('10001'), side.store.copy('refunds').has('60')]).toEqual([true, true])
    await side.sync({ ...side.only('notes', 'refunds'), mode: 'full' })
    expectTruth(side, 'notes', 'refunds')
  })
})

describe('calls that turned private', () => {
  test('leave the copy in the next run, with their transcripts', async () => {
    const side = new Side(filledVendor(40))
    const calls = side.only('calls', 'transcripts')
    await side.sync(calls)
    side.pass(hour)
    for (const id of ['c0', 'c2', 'c4']) side.vendor.put('calls', { id, isPrivate: 'yes' })
    expect(Side.states(await side.sync(calls))).toEqual({ calls: 'changes', transcripts: 'changes' })
    expectTruth(side, 'calls', 'transcripts')
  })

  test('stay until the complete pass when they are older than what is asked for again', async () => {
    const side = new Side(filledVendor(40))
    const calls = side.only('calls', 'transcripts')
    await side.sync(calls)
    side.pass(hour)
    side.vendor.put('calls', { id: 'c6', isPrivate: 'yes' })
    await side.sync(calls)
    expect(side.store.copy('calls').has('c6')).toBe(true)
    await side.sync({ ...calls, mode: 'full' })
    expectTruth(side, 'calls', 'transcripts')
  })

  test('an actual start within the window of a call that was scheduled before it removes nothing', async () => {
    const side = new Side(filledVendor(40))
    const begin = side.vendor.now - 14 * day
    side.vendor.put('calls', {
      id: 'late',
      scheduled: new Date(begin - 60_000).toISOString(),
      started: new Date(begin + 572_000).toISOString(),
      title: 'Late',
    })
    await side.sync(side.only('calls'))
    await side.sync(side.only('calls'))
    expectTruth(side, 'calls')
  })
})

describe('what cannot be read', () => {
  test('is skipped with its reason when the scope is missing, and returns when it is granted', async () => {
    const side = new Side(filledVendor(40))
    const notes = side.only('notes', 'refunds')
    side.vendor.before = ({ entity }) => {
      if (entity === 'notes') throw denied()
    }
    const first = await side.sync(notes)
    expect(first.entities.find(({ entity }) => entity === 'notes')).toMatchObject({
      state: 'skipped',
      error: { code: 'upstream_permission_denied' },
    })
    // 47 orders: every order is asked for until 20 in a row refuse, then less and less of them.
    expect(side.vendor.taken().filter((call) => call.startsWith('notes')).length).toBeLessThan(33)
    side.pass(hour)
    // Nothing was tried: the entity stays skipped, and no walk follows at once.
    side.vendor.before = () => undefined
    const orders = side.vendor.orders.splice(0)
    expect(Side.states(await side.sync(notes))).toEqual({ refunds: 'changes', notes: 'skipped' })
    side.vendor.orders.push(...orders)
    side.vendor.put('orders', { id: 1 })
    expect(Side.states(await side.sync(notes))).toEqual({ refunds: 'changes', notes: 'complete' })
    expectTruth(side, 'notes', 'refunds')
  })

  test('is skipped with its root, and nothing is removed', async () => {
    const side = new Side(filledVendor(40))
    const calls = side.only('calls', 'transcripts')
    await side.sync(calls)
    side.vendor.drop('calls', ({ id }) => id === 'c0')
    side.vendor.before = ({ entity, params }) => {
      if (entity === 'calls' && params['cursor'] !== undefined) throw denied()
    }
    const result = await side.sync({ ...calls, mode: 'full' })
    expect(Side.states(result)).toEqual({ calls: 'skipped', transcripts: 'skipped' })
    expect(side.store.copy('calls').size).toBe(50)
    side.vendor.before = () => undefined
    side.pass(hour)
    await side.sync(calls)
    expectTruth(side, 'calls', 'transcripts')
  })

  test('a parent that cannot be read makes its entity partial: nothing of it is removed, and it is tried again after a day', async () => {
    const side = new Side(filledVendor(40))
    const notes = side.only('notes', 'refunds')
    await side.sync(notes)
    side.vendor.before = ({ entity, params }) => {
      if (entity === 'notes' && params['order_id'] === 2) throw invalid()
    }
    side.vendor.drop('notes', ({ id }) => id === 50)
    side.vendor.drop('orders', ({ id }) => id === 6)
    expect(Side.states(await side.sync({ ...notes, mode: 'full' }))).toEqual({ refunds: 'complete', notes: 'partial' })
    expect([side.store.copy('notes').has('50'), side.store.copy('refunds').has('60')]).toEqual([true, false])
    side.pass(2 * hour)
    expect(Side.states(await side.sync(notes))).toEqual({ refunds: 'changes', notes: 'partial' })
    side.pass(day)
    side.vendor.before = () => undefined
    expect(Side.states(await side.sync(notes))).toEqual({ refunds: 'changes', notes: 'complete' })
    expectTruth(side, 'notes', 'refunds')
  })

  test('a parent that is gone has no children', async () => {
    const side = new Side(filledVendor(40))
    side.vendor.before = ({ entity }) => {
      if (entity === 'notes' || entity === 'lines') side.vendor.drop('orders', ({ id }) => id === 3)
    }
    expect(new Set(Object.values(Side.states(await side.sync(side.only('notes', 'lines')))))).toEqual(new Set(['complete']))
    side.vendor.before = () => undefined
    await side.sync({ ...side.only('notes', 'lines'), mode: 'full' })
    expectTruth(side, 'notes', 'lines')
  })

  test('one parent of a batch that the vendor refuses spoils itself only', async () => {
    const side = new Side(filledVendor(40))
    side.vendor.before = (call) => {
      if (call.entity === 'transcripts' && said(call).includes('"c4"')) throw invalid()
    }
    const result = await side.sync(side.only('transcripts'))
    expect(Side.states(result)).toEqual({ transcripts: 'partial' })
    expect([...side.store.copy('transcripts').keys()]).toEqual(['c0', 'c1', 'c2', 'c3', 'c5', 'c6', 'c7', 'c8', 'c9'])
  })

  test('windows of a parent that cannot be read are read when it can, and the others go on', async () => {
    const side = new Side(filledVendor(40))
    side.configuration = { start: '2026-03-10' }
    side.vendor.before = ({ params }) => {
      if (params['account_id'] === 'a1') throw denied()
    }
    expect(Side.states(await side.sync(side.only('reports')))).toEqual({ reports: 'partial' })
    expect(side.store.copy('reports').size).toBe(11)
    side.vendor.before = () => undefined
    side.vendor.taken()
    side.pass(hour)
    expect(Side.states(await side.sync(side.only('reports')))).toEqual({ reports: 'changes' })
    expect(side.vendor.taken()).toEqual([
      'reports account_id=a1 start=2026-03-10 end=2026-03-19',
      'reports account_id=a1 start=2026-03-20 end=2026-03-21',
      'accounts',
      'reports account_id=a2 start=2026-03-18 end=2026-03-21',
    ])
    expect(side.store.copy('reports').size).toBe(22)
  })

  test('three parents in a row that cannot be read leave out themselves only, at any depth, and the next run begins with them', async () => {
    const side = new Side(filledVendor())
    const names = side.only('notes', 'lines', 'items')
    const failing = [3, 4, 5]
    side.vendor.before = ({ entity, params }) => {
      if ((entity === 'notes' || entity === 'lines') && failing.includes(Number(params['order_id']))) throw broken()
    }
    const result = await side.sync(names)
    expect(Side.states(result)).toEqual({ lines: 'partial', items: 'partial', notes: 'partial' })
    expect(result.entities.find(({ entity }) => entity === 'notes')?.error?.message).toBe(
      'Below 3 records of orders nothing could be read (3, 4, 5): Acme failed: a bug.',
    )
    const truth = side.vendor.truth('notes')
    for (const [key, { order_id }] of truth)
      expect([key, side.store.copy('notes').has(key)]).toEqual([key, !failing.includes(Number(order_id))])
    // Order 4 shows all five lines but two; what it shows is kept.
    expect(side.store.copy('lines').has('42')).toBe(true)
    side.vendor.taken()
    side.vendor.before = () => undefined
    side.pass(hour)
    expect(Side.states(await side.sync(names))).toMatchObject({ notes: expect.stringMatching(/complete|changes/) })
    const asked = side.vendor.taken().filter((call) => call.startsWith('notes'))
    expect(asked.slice(0, 3).toSorted()).toEqual(['notes order_id=3', 'notes order_id=4', 'notes order_id=5'])
    expectTruth(side, 'notes', 'lines', 'items')
  })

  test('an entity of which every list fails keeps what it has, and returns when a list can be read', async () => {
    const side = new Side(filledVendor(40))
    const names = side.only('notes', 'refunds')
    await side.sync(names)
    side.vendor.before = ({ entity }) => {
      if (entity === 'notes') throw broken()
    }
    side.vendor.taken()
    expect(Side.states(await side.sync({ ...names, mode: 'full' }))).toEqual({ refunds: 'complete', notes: 'failed' })
    expect(side.vendor.taken().filter((call) => call.startsWith('notes')).length).toBeLessThan(33)
    expect(side.store.copy('notes')).toEqual(side.vendor.truth('notes'))
    side.vendor.before = () => undefined
    side.pass(hour)
    expect(Side.states(await side.sync(names))).toEqual({ refunds: 'changes', notes: 'complete' })
    expectTruth(side, 'notes', 'refunds')
  })

  test('a window that fails for ever holds back itself only', async () => {
    const side = new Side(filledVendor(40))
    side.configuration = { start: '2026-02-10' }
    side.vendor.before = ({ params }) => {
      if (params['account_id'] === 'a1' && params['start'] === '2026-02-10') throw broken()
    }
    const { entities: results } = await side.sync(side.only('reports'))
    expect(results).toMatchObject([{ state: 'partial', error: { message: expect.stringContaining('(a1 (2026-02-10 to 2026-02-19))') } }])
    const days = [...side.vendor.truth('reports').keys()].filter((key) => !/^a1 2026-02-1/.test(key) && key.slice(3) >= '2026-02-10')
    expect([...side.store.copy('reports').keys()]).toEqual(days)
    side.vendor.before = () => undefined
    side.pass(hour)
    expect(Side.states(await side.sync(side.only('reports')))).toEqual({ reports: 'changes' })
    expect([...side.store.copy('reports').keys()].filter((key) => key.startsWith('a1 2026-02-1'))).toHaveLength(10)
  })

  test('a parent whose list always asks to wait is passed after the second time', async () => {
    const side = new Side(filledVendor())
    side.vendor.before = ({ entity, params }) => {
      if (entity === 'notes' && params['order_id'] === 6) throw fail('upstream_rate_limited', { vendor: 'Acme' })
    }
    await expect(side.sync(side.only('notes'))).rejects.toThrow('slow down')
    expect(Side.states(await side.sync(side.only('notes')))).toEqual({ notes: 'partial' })
    side.vendor.drop('notes', ({ order_id }) => order_id === 6)
    expectTruth(side, 'notes')
  })

  test('a refused position below a record begins that list again', async () => {
    const side = new Side(filledVendor())
    for (let index = 0; index < 10; index += 1) side.vendor.put('notes', { id: 900 + index, order_id: 1, text: 'More' })
    const refused = new Set<string>()
    side.vendor.before = ({ entity, params }) => {
      if (params['page_info'] === undefined || refused.has(entity)) return
      refused.add(entity)
      throw fail('invalid_cursor', { reason: 'page_info: Invalid value.' })
    }
    expect(new Set(Object.values(Side.states(await side.sync(side.only('notes', 'lines')))))).toEqual(new Set(['complete']))
    expect([...refused].toSorted()).toEqual(['lines', 'notes'])
    expectTruth(side, 'notes', 'lines')
  })

  test('newest first is by size of the id, whatever its length', async () => {
    const side = new Side(filledVendor())
    side.vendor.orders.splice(0)
    for (const id of [99, 100, 9]) side.vendor.put('orders', { id, title: 'Order' })
    await side.sync(side.only('notes'))
    expect(side.vendor.taken().filter((call) => call.startsWith('notes'))).toEqual([
      'notes order_id=100',
      'notes order_id=99',
      'notes order_id=9',
    ])
  })
})
