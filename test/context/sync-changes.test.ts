/** A list of changes that is read instead of a complete pass. */
import { beforeEach, describe, expect, test } from 'vitest'
import { id, open, opt, str, unixTime } from '../../packages/ferrule/src/definition/fields.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const day = 86_400_000
const rule = {
  entity: 'events',
  params: { kind: 'all' },
  since: { param: 'created[gte]', field: 'created', as: 'seconds' },
  where: { field: 'type', is: ['customer.created', 'customer.updated'] },
  gone: ['customer.deleted'],
  record: 'data.object',
  keepsDays: 30,
} as const

describe.each(['newest', 'oldest'] as const)('a list of changes, %s first', (order) => {
  let rows: Map<number, Row>
  let events: Row[]
  let notes: Row[]
  let world: World

  /** Notes an event, in the order of the vendor. */
  const tell = (type: string, object: Row) => {
    const event = { id: events.length + 1, type, created: Math.floor(world.now / 1_000), data: { object } }
    events = order === 'newest' ? [event, ...events] : [...events, event]
  }
  const put = (number: number, name = `${number} at ${world.now}`) => {
    const known = rows.has(number)
    rows.set(number, { id: number, name })
    tell(known ? 'customer.updated' : 'customer.created', { id: number, name })
  }
  const drop = (number: number) => {
    const row = rows.get(number)
    if (row !== undefined && rows.delete(number)) tell('customer.deleted', row)
  }
  const listed = (params: Params) => {
    const from = Number(params['created[gte]'] ?? 0)
    return page(
      events.filter(({ created }) => Number(created) >= from),
      params,
    )
  }
  const sorted = () => [...rows.values()].toSorted((one, other) => Number(one['id']) - Number(other['id']))
  const expectTruth = () => expect(world.copy('customers')).toEqual(sorted())

  beforeEach(() => {
    rows = new Map()
    events = []
    notes = []
    world = new World(
      {
        customers: entity({ name: str('Name') }, { changes: { ...rule, ...(order === 'oldest' ? { oldest: true } : {}) } }),
        notes: entity(
          { customer: id('Customer') },
          { each: { entity: 'customers', take: { customer: 'id' } }, under: { field: 'customer', parent: 'id' } },
          { params: { customer: id('Customer') } },
        ),
        events: {
          ...entity({}, {}, { params: { 'created[gte]': opt(unixTime('Since')), kind: opt(str('Kind')) } }),
          record: { id: id('Id'), type: str('Type'), created: unixTime('When'), data: open('Data') },
        },
      },
      {
        customers: (params) => page(sorted(), params),
        events: listed,
        notes: ({ customer }) => ({ rows: notes.filter((each) => each['customer'] === customer), next: null }),
      },
    )
    for (let number = 1; number <= 5; number += 1) put(number)
  })

  const only = { wanted: (name: string) => name !== 'events' }
  const customers = { wanted: (name: string) => name === 'customers' }

  test('brings what is new or changed, and takes away what is gone, with what belongs to it', async () => {
    notes = [1, 2, 3].map((number) => ({ id: number * 10, customer: number }))
    world.now += 2 * 3_600_000
    await world.sync(only)
    expect(world.taken().some((call) => call.startsWith('events'))).toBe(false)
    expectTruth()
    put(2)
    put(6)
    drop(3)
    expect(Object.values(await world.states(only))).toEqual(['changes', 'changes'])
    expectTruth()
    expect(world.ids('notes')).toEqual([10, 20])
    const calls = world.taken()
    expect(calls.some((call) => call.startsWith('customers'))).toBe(false)
    expect(calls).toContain('notes customer=2')
    expect(calls).not.toContain('notes customer=1')
  })

  test('restores nothing below a record that a newer change deletes', async () => {
    notes = [1, 2, 3].map((number) => ({ id: number * 10, customer: number }))
    await world.sync(only)
    put(3)
    for (const number of [6, 7, 8]) put(number)
    drop(3)
    await world.sync(only)
    expectTruth()
    expect(world.ids('notes')).toEqual([10, 20])
  })

  test('counts by the newest change of a record, on one page and across pages, within one second too', async () => {
    await world.sync(customers)
    world.tick = 0
    put(1)
    drop(1)
    put(2, 'a')
    put(2, 'b')
    drop(4)
    put(4, 'back')
    for (const number of [10, 11, 12, 13]) put(number)
    put(2, 'c')
    drop(10)
    put(3, 'last')
    await world.sync(customers)
    expectTruth()
    expect(world.copy('customers').find((row) => row['id'] === 2)?.['name']).toBe('c')
  })

  test('leaves out changes of other entities, and what only begins like one', async () => {
    await world.sync(customers)
    tell('customer.subscription.created', { id: 77, name: 'No customer' })
    tell('invoice.created', { id: 78, name: 'No customer' })
    await world.sync(customers)
    expectTruth()
  })

  test('is read from a mark that was noted before the first pass', async () => {
    world.before = (name, { cursor }) => {
      if (name === 'customers' && cursor === '3') {
        put(1, 'during the pass')
        drop(2)
      }
    }
    await world.sync(customers)
    world.before = () => undefined
    await world.sync(customers)
    expectTruth()
  })

  test('is read from the time of the vendor, whose clock is behind', async () => {
    await world.sync(customers)
    const ahead = 20 * 60_000
    const { now } = world
    world.now -= ahead
    put(1, 'told 20 minutes ago')
    world.now = now
    await world.sync(customers)
    expectTruth()
  })

  test('in another order than the definition says is refused', async () => {
    await world.sync(customers)
    put(1)
    world.now += 5_000
    put(2)
    events.reverse()
    await expect(world.sync(customers)).rejects.toThrow('changes in another order than the definition says')
  })

  test('that no longer has everything since the mark makes a complete pass', async () => {
    await world.sync(customers)
    world.now += 31 * day
    rows.delete(1)
    put(2)
    events = []
    expect(await world.states({ ...customers, fullEvery: 365 * day })).toEqual({ customers: 'complete' })
    expectTruth()
  })

  test.each(['upstream_permission_denied', 'upstream_unsupported', 'upstream_invalid_request'] as const)(
    'that the vendor refuses (%s) makes a complete pass, and the next run asks for changes again',
    async (code) => {
      await world.sync(customers)
      put(2)
      world.before = (name) => {
        if (name === 'events') throw fail(code, { vendor: 'Acme', reason: 'no' })
      }
      expect(await world.states(customers)).toEqual({ customers: 'complete' })
      expectTruth()
      world.before = () => undefined
      put(3)
      expect(await world.states(customers)).toEqual({ customers: 'changes' })
      expectTruth()
    },
  )

  test('keeps the copy true whatever happens during runs, and whenever one is killed', async () => {
    const random = new Random(24, order)
    await world.sync(customers)
    for (let round = 0; round < 25; round += 1) {
      const change = () => (random.chance(0.3) ? drop(random.int(1, 12)) : put(random.int(1, 12)))
      for (let index = random.int(0, 9); index > 0; index -= 1) change()
      world.before = () => {
        if (random.chance(0.3)) change()
      }
      let left = random.chance(0.3) ? random.int(1, 6) : Number.POSITIVE_INFINITY
      world.store.before = () => {
        left -= 1
        if (left < 0) throw new Error('killed')
      }
      await world.sync(customers).catch((thrown: Error) => expect(thrown.message).toBe('killed'))
      world.before = () => undefined
      world.store.before = () => undefined
      await world.sync(customers)
      await world.sync(customers)
      expectTruth()
    }
  })
})
