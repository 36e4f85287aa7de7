/** Live reads of records that the vendor lists as deleted. */
import { expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { id, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import type { Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { BodyMemory } from '../../packages/ferrule/src/engine/http/memory.ts'
import { Folds } from '../../packages/server/src/copies/folds.ts'
import { applyVendorEvent } from '../../packages/server/src/events/vendors/apply-event.ts'
import { acme } from '../definition/acme.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, overStatements } from './store-world.ts'
import { entity, type Row } from './sync-words.ts'

const { lookups: _lookups, hidden: _hidden, ...bare } = acme
const status = { status: opt(str('Status')) }
const kind: Kind = {
  definition: {
    ...bare,
    kind: 'words',
    entities: {
      people: {
        ...entity(status, { gone: { field: 'status', is: 'deleted' } }),
        get: { call: 'GET /people/{id}', at: 'data', params: { id: id('Id') } },
      },
      notes: entity(
        { person: id('Person') },
        { each: { entity: 'people', take: { person: 'id' } }, under: { field: 'person', parent: 'id' } },
        { params: { person: id('Person') } },
      ),
      files: {
        ...entity(status, {}),
        list: { call: 'GET /files', at: 'data', params: {}, where: [{ field: 'status', is: 'file' }] },
        get: { call: 'GET /files/{id}', at: 'data', params: { id: id('Id') } },
      },
      rooms: {
        ...entity({}, { params: { house: 'main' } }, { params: { house: str('House') } }),
        get: {
          ...{ call: 'GET /houses/{house}/rooms/{id}', at: 'data', defaults: { sort: 'id,name' } },
          params: {
            house: str('House'),
            id: id('Id'),
            fields: opt({ ...str('Names of fields'), 'x-chooses': true }),
            sort: opt(str('Order')),
          },
        },
      },
    },
  },
  rules: {},
}

const accessOf = (connectorId: string) => ({
  ref: { organizationId: '', workspaceId: '', connectorId },
  status: 'active' as const,
  connection: {
    kind,
    configuration: {},
    credentials: { open: () => Promise.reject(new Error()), renew: () => Promise.reject(new Error()) },
  },
})

overStatements('a live read of a deleted record', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open({ kinds: [kind.definition] })

  test.each(['list', 'get'] as const)('takes it from the copy with what belongs to it (%s), and stores the others', async (action) => {
    const people = { connector: createRef().connector, kind: 'words', entity: 'people' }
    const notes = { ...people, entity: 'notes' }
    const stored = (rows: readonly Row[]) => rows.map((fields) => ({ key: `p01${fields['id']}`, fields }))
    await store.writeBatch(people, { records: stored([{ id: 1 }, { id: 2 }]), asked: world.now })
    await store.writeBatch(notes, {
      records: stored([
        { id: 5, person: 1 },
        { id: 6, person: 2 },
      ]),
      asked: world.now,
    })
    const lost: [string, number][] = []
    const told = Promise.withResolvers<void>()
    const folds = new Folds({
      store,
      onLost: async (_access, by) => void lost.push(...by),
      onFold: () => told.resolve(),
      onError: told.reject,
    })
    const gone = { id: 2, status: 'deleted' }
    const outcomes: readonly Outcome[] = [
      action === 'list'
        ? { type: 'list', data: [gone, { id: 1, status: 'here' }, { id: 3, status: 'new' }], meta: {} }
        : { type: 'record', data: gone, meta: {} },
      { type: 'list', data: [{ id: 1, status: 'here' }], meta: {} },
    ]
    const access = accessOf(people.connector)
    for (const [index, outcome] of outcomes.entries()) {
      const call = { entity: 'people', action: index === 0 ? action : 'list', params: index === 0 && action === 'get' ? { id: 2 } : {} }
      folds.offer(access, call, { outcome, asked: world.now + 1 + index })
    }
    await told.promise
    await folds.close()
    expect([await idsOf(store, people), await idsOf(store, notes)]).toEqual([action === 'list' ? [1, 3] : [1], [5]])
    expect(lost).toEqual([
      ['people', 1],
      ['notes', 1],
    ])
  })

  test('takes what its list leaves out from the copy, and stores what fits', async () => {
    const files = { connector: createRef().connector, kind: 'words', entity: 'files' }
    const records = [1, 2].map((number) => ({ key: `p01${number}`, fields: { id: number, status: 'file' } }))
    await store.writeBatch(files, { records, asked: world.now })
    const told = Promise.withResolvers<void>()
    const folds = new Folds({ store, onFold: () => told.resolve(), onError: told.reject })
    for (const [number, status] of [
      [2, 'folder'],
      [3, 'folder'],
      [4, 'file'],
    ] as const) {
      const outcome = { type: 'record', data: { id: number, status }, meta: {} } as const
      folds.offer(
        accessOf(files.connector),
        { entity: 'files', action: 'get', params: { id: number } },
        { outcome, asked: world.now + number },
      )
    }
    await told.promise
    await folds.close()
    expect(await idsOf(store, files)).toEqual([1, 4])
  })

  test('an event of the vendor takes what its list leaves out from the copy, by reading the list', async () => {
    const files = { connector: createRef().connector, kind: 'words', entity: 'files' }
    const records = [1, 2].map((number) => ({ key: `p01${number}`, fields: { id: number, status: 'file' } }))
    await store.writeBatch(files, { records, asked: world.now })
    const answer = [
      { id: 1, status: 'file' },
      { id: 2, status: 'folder' },
    ]
    const folds = new Folds({ store })
    const nothing = async () => undefined
    const applied = await applyVendorEvent({
      services: {
        connectors: { markAuthError: nothing, markHealthy: nothing },
        engine: {
          run: async (_connection, { unfiltered }) => ({ type: 'list', data: unfiltered === true ? answer : answer.slice(0, 1), meta: {} }),
          check: nothing,
        },
        ...{ store, folds, searcher: { readRecords: nothing }, memory: new BodyMemory({ bytes: 1_000 }), clock: () => world.now + 1 },
        ...{ addRecords: nothing, forgetAll: nothing, forgetEvents: nothing },
      },
      access: accessOf(files.connector),
      event: { topic: 'changed', does: 'changed', entity: 'files', key: [2], read: { action: 'list', params: {} } },
      signal: new AbortController().signal,
    })
    await folds.close()
    expect([applied, await idsOf(store, files)]).toEqual(['done', [1]])
  })

  test('an event of the vendor reads a new record again when another one was deleted meanwhile', async () => {
    const files = { connector: createRef().connector, kind: 'words', entity: 'files' }
    await store.writeBatch(files, { records: [{ key: 'p011', fields: { id: 1, status: 'file' } }], asked: world.now })
    const folds = new Folds({ store })
    const nothing = async () => undefined
    let reads = 0
    const applied = await applyVendorEvent({
      services: {
        connectors: { markAuthError: nothing, markHealthy: nothing },
        engine: {
          run: async () => {
            reads += 1
            if (reads === 1) await store.forgetRecords({ ...files, values: [1], below: [], at: world.now + 10 })
            return { type: 'record', data: { id: 2, status: 'file' }, meta: {} }
          },
          check: nothing,
        },
        ...{
          store,
          searcher: { readRecords: nothing },
          folds,
          memory: new BodyMemory({ bytes: 1_000 }),
          clock: () => world.now + 5 + 10 * reads,
        },
        ...{ addRecords: nothing, forgetAll: nothing, forgetEvents: nothing },
      },
      access: accessOf(files.connector),
      event: { topic: 'changed', does: 'changed', entity: 'files', key: [2], read: { action: 'get', params: { id: 2 } } },
      signal: new AbortController().signal,
    })
    await folds.close()
    expect([applied, reads, await idsOf(store, files)]).toEqual(['done', 2, [2]])
  })

  test('of what another call of the sync would name, or of some fields only, is not stored', async () => {
    const rooms = { connector: createRef().connector, kind: 'words', entity: 'rooms' }
    await store.writeBatch(rooms, { records: [{ key: 'p011', fields: { id: 1 } }], asked: world.now })
    const told = Promise.withResolvers<void>()
    const folds = new Folds({ store, onFold: () => told.resolve(), onError: told.reject })
    const read = (house: string, id: number, some = {}) =>
      folds.offer(
        accessOf(rooms.connector),
        { entity: 'rooms', action: 'get', params: { house, id, ...some } },
        { outcome: { type: 'record', data: { id }, meta: {} }, asked: world.now + id },
      )
    read('other', 2)
    read('main', 4, { fields: 'id' })
    read('main', 3, { sort: 'name' })
    await told.promise
    await folds.close()
    expect(await idsOf(store, rooms)).toEqual([1, 3])
  })
})
