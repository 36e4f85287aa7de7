import { expect, test } from 'vitest'
import { gong } from '../../packages/ferrule/src/connectors/gong/index.ts'
import { int, known, list, obj, orNull, str } from '../../packages/ferrule/src/definition/index.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { createSearcher } from '../support/searcher.ts'
import { createRef, createStoreWorld, overStatements, type StoreWorld } from './store-world.ts'

const way = () => known('Way', 'Inbound', 'Outbound')
const fields = {
  id: int('Number'),
  way: orNull(way()),
  ways: list(way(), 'Ways'),
  legs: list(obj({ way: way() }, 'Leg'), 'Legs'),
}
const kind = { kind: 'test-kind', entities: { trips: { about: 'Trips', key: ['id'], record: fields, context_store_search: fields } } }

async function refusal(work: Promise<unknown>): Promise<{ code: string; errors: readonly { message: string }[] }> {
  const thrown: unknown = await work.catch((error: unknown) => error)
  if (!(thrown instanceof FerruleError)) throw new Error(`it was not refused: ${JSON.stringify(thrown)}`)
  return { code: thrown.code, errors: thrown.errors }
}

interface Trips {
  readonly store: ContextStore
  /** Number of reads of the store. */
  readonly reads: { count: number }
  write(record: object): Promise<void>
  find(filter: object, of?: object): Promise<readonly unknown[]>
}

function openTrips(world: StoreWorld): Trips {
  const store = world.open({ kinds: [kind] })
  const reads = { count: 0 }
  const ref = { connector: createRef().connector, kind: kind.kind, entity: 'trips' }
  const counted = {
    getTable: store.getTable.bind(store),
    hasRows: store.hasRows.bind(store),
    search: ((...args: Parameters<ContextStore['search']>) => {
      reads.count += 1
      return store.search(...args)
    }) as ContextStore['search'],
  }
  const searcher = createSearcher(counted)
  return {
    store,
    reads,
    write: async (record) => {
      const { id } = record as { id: number }
      await store.writeBatch(ref, { records: [{ key: `k${id}`, fields: { ...record } }], asked: world.now })
    },
    find: async (filter, of = ref) => {
      const params = { query: { filter }, fields: ['id'] }
      const answer = await searcher.search({ ref: { ...ref, ...of }, params, key: Buffer.from('key'), now: world.now })
      return JSON.parse(answer?.json ?? '[]').map(({ id }: { id: number }) => id)
    },
  }
}

overStatements('a field with known values', (engine) => {
  test('equals them whatever the case, keeps and finds others, and answers as the vendor says', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open({ kinds: [gong.definition] })
    const ref = { connector: createRef().connector, kind: 'gong', entity: 'calls' }
    const directions = ['Inbound', 'Outbound', 'Webinar']
    await store.writeBatch(ref, { records: directions.map((direction) => ({ key: direction, fields: { direction } })), asked: world.now })
    const find = async (filter: object) => {
      const params = { query: { filter }, fields: ['direction'] }
      const answer = await createSearcher(store).search({ ref, params, key: Buffer.from('key'), now: world.now })
      return JSON.parse(answer?.json ?? '[]').map(({ direction }: { direction: string }) => direction)
    }
    expect(await find({ eq: { direction: 'inbound' } })).toEqual(['Inbound'])
    expect(await find({ neq: { direction: 'INBOUND' } })).toEqual(['Outbound', 'Webinar'])
    expect(await find({ in: { direction: ['outbound', 'webinar'] } })).toEqual(['Outbound', 'Webinar'])
    expect(await find({ like: { direction: 'in%' } })).toEqual([])
    await world.close()
  })

  test('refuses what is neither known nor stored, with its field and the values, wherever it stands', async () => {
    const world = await createStoreWorld(engine)
    const { write, find } = openTrips(world)
    await write({ id: 1, way: 'Inbound', ways: ['Roundabout'], legs: [{ way: 'Detour' }, { way: 'Outbound' }] })
    const refused = (filter: object) => refusal(find(filter))
    const at = (path: string, values: string) => ({
      code: 'invalid_parameter',
      errors: [
        {
          field: `/params/query/filter/${path}`,
          message: `/params/query/filter/${path} must be one of ${values}, or null.`,
          error_code: 'enum',
        },
      ],
    })
    expect(await refused({ eq: { way: 'inbuond' } })).toMatchObject(at('eq/way', 'Inbound, Outbound'))
    expect(await refused({ neq: { way: 'sideways' } })).toMatchObject(at('neq/way', 'Inbound, Outbound'))
    expect(await refused({ eq: { way: 5 } })).toMatchObject(at('eq/way', 'Inbound, Outbound'))
    expect(await refused({ in: { way: ['inbound', null, 'sideways'] } })).toMatchObject(at('in/way/2', 'Inbound, Outbound'))
    expect(await refused({ contains: { ways: 'detour' } })).toMatchObject(at('contains/ways', 'Inbound, Outbound, Roundabout'))
    expect(await refused({ eq: { 'legs.way': 'roundabout' } })).toMatchObject(at('eq/legs.way', 'Inbound, Outbound, Detour'))
    expect(await refused({ or: [{ not: { any: { legs: { eq: { way: 'up' } } } } }] })).toMatchObject(
      at('or/0/not/any/legs/eq/way', 'Inbound, Outbound, Detour'),
    )
    expect(await find({ contains: { ways: 'ROUNDABOUT' } })).toEqual([1])
    expect(await find({ any: { legs: { eq: { way: 'detour' } } } })).toEqual([1])
    expect(await find({ eq: { way: null } })).toEqual([])
    expect(await find({ like: { way: 'side%' } })).toEqual([])
    await world.close()
  })

  test('knows a new value of the vendor as soon as it is stored, of that connector only, and lists fifty', async () => {
    const world = await createStoreWorld(engine)
    const { write, find } = openTrips(world)
    await write({ id: 1, way: 'Inbound' })
    expect(await refusal(find({ eq: { way: 'webinar' } }))).toMatchObject({ code: 'invalid_parameter' })
    await write({ id: 2, way: 'Webinar' })
    expect(await find({ eq: { way: 'webinar' } })).toEqual([2])
    expect(await find({ eq: { way: 'nothing' } }, { connector: createRef().connector })).toEqual([])
    for (let id = 3; id < 60; id += 1) await write({ id, way: `Way ${id}` })
    const { errors } = await refusal(find({ eq: { way: 'Way 60' } }))
    expect(errors[0]?.message).toMatch(/ must be one of Inbound, Outbound, .*, or another of 60 values, or null\.$/)
    expect(errors[0]?.message.split(', ')).toHaveLength(52)
    expect(await find({ eq: { way: 'way 59' } })).toEqual([59])
    await world.close()
  })

  test('that is marked later finds rows of before when they are written again as they are', async () => {
    const world = await createStoreWorld(engine)
    const ref = { ...createRef(), entity: 'trips' }
    const record = { key: 'k1', fields: { id: 1, way: 'Inbound' } }
    const plain = { id: int('Number'), way: str('Way') }
    const before = world.open({ kinds: [{ ...kind, entities: { trips: { ...kind.entities.trips, context_store_search: plain } } }] })
    await before.writeBatch(ref, { records: [record], asked: world.now })
    await before.close()
    const marked = { id: int('Number'), way: way() }
    const store = world.open({ kinds: [{ ...kind, entities: { trips: { ...kind.entities.trips, context_store_search: marked } } }] })
    expect(await store.writeBatch(ref, { records: [record], asked: world.now })).toMatchObject({ created: 0, updated: 1 })
    const params = { query: { filter: { eq: { way: 'inbound' } } } }
    const answer = await createSearcher(store).search({ ref, params, key: Buffer.from('key'), now: world.now })
    expect(answer?.count).toBe(1)
    await world.close()
  })

  test('is looked up for what is not known only, and once for a whole filter', async () => {
    const world = await createStoreWorld(engine)
    const { write, find, reads } = openTrips(world)
    await write({ id: 1, way: 'Sideways', ways: ['Up'] })
    const readsOf = async (filter: object): Promise<number> => {
      reads.count = 0
      await find(filter)
      return reads.count
    }
    expect(await readsOf({ in: { way: ['INBOUND', 'outbound', null] }, contains: { ways: 'inbound' } })).toBe(1)
    expect(await readsOf({ eq: { way: 'sideways' }, contains: { ways: 'up' } })).toBe(2)
    await world.close()
  })

  test('refuses nothing where values were left unnoted: too long ones, and those that are no texts', async () => {
    const world = await createStoreWorld(engine)
    const { write, find } = openTrips(world)
    await write({ id: 1, way: 'x'.repeat(300), legs: [{ way: 5 }] })
    expect(await find({ eq: { way: 'X'.repeat(300) } })).toEqual([1])
    expect(await find({ eq: { 'legs.way': 5 } })).toEqual([1])
    await world.close()
  })
})
