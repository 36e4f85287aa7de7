/** What walks need of the real store, on both databases. */
import { describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, idsOf, note, oneValue, overStatements, refusal, rowsOf } from './store-world.ts'
import { connector, Side } from './sync-double.ts'
import { type EntityName, entities, madeUp } from './sync-kind.ts'
import { filledVendor } from './sync-vendor.ts'

const day = 86_400_000
const hour = 3_600_000

overStatements('a pass over a span', async (engine) => {
  const at = (id: number): string => new Date(world.now - id * day).toISOString()
  const made = (...ids: readonly number[]) => ids.map((id) => note(store, { id, title: `Note ${id}`, made: at(id) }))

  const world = await share(createStoreWorld(engine))
  const store = world.open()

  test('removes what it did not see there, and nothing else', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: [...made(0, 1, 2, 3, 4, 5), note(store, { id: 9, title: 'No moment' })], asked: world.now })
    await store.beginPass(ref, 'one')
    await store.writeBatch(ref, { records: made(1, 4), asked: world.now, pass: 'one' })
    const span = { field: 'made', from: at(3) }
    expect(await store.hasUnseen(ref, 'one', span)).toBe(true)
    expect(await store.sweep(ref, 'one', { ...span, before: at(0) })).toBe(2)
    expect(await idsOf(store, ref)).toEqual([0, 1, 4, 5, 9])
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 5]]))
    expect(await oneValue(await store.openDatabase(), 'select count(*) from cs_seen')).toBe(0n)
    expect(await refusal(store.sweep(ref, 'one', span))).toContain('another complete pass has begun')
  })

  test('tells whether anything was not seen', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: made(0, 1, 2), asked: world.now })
    await store.beginPass(ref, 'one')
    await store.writeBatch(ref, { records: made(0, 1), asked: world.now, pass: 'one' })
    expect(await store.hasUnseen(ref, 'one')).toBe(true)
    expect(await store.hasUnseen(ref, 'one', { field: 'made', from: at(1) })).toBe(false)
    expect(await store.hasUnseen(ref, 'two')).toBe(false)
    await store.writeBatch(ref, { records: made(2), asked: world.now, pass: 'one' })
    expect(await store.hasUnseen(ref, 'one')).toBe(false)
    expect(await store.sweep(ref, 'one')).toBe(0)
    expect(await store.hasUnseen(ref, 'one')).toBe(false)
  })

  test('is refused for a field without moments', async () => {
    const ref = createRef()
    await store.beginPass(ref, 'one')
    expect(await refusal(store.sweep(ref, 'one', { field: 'title', from: at(1) }))).toContain('has no moments in title')
  })

  test('a batch that holds all records of a value removes the others, but for those that were read later', async () => {
    const ref = createRef()
    const notes = (state: string, ...ids: readonly number[]) => ids.map((id) => note(store, { id, title: `Note ${id}`, state }))
    await store.writeBatch(ref, { records: [...notes('one', 1, 2, 3), ...notes('two', 4, 5)], asked: world.now })
    await store.writeBatch(ref, { records: notes('one', 6), asked: world.now + 50 })
    const whole = { field: 'state', values: ['one', 'three'] }
    const written = await store.writeBatch(ref, { records: notes('one', 2), asked: world.now + 10, whole })
    expect([written.removed, await idsOf(store, ref)]).toEqual([2, [2, 4, 5, 6]])
    expect((await store.writeBatch(ref, { records: [], asked: world.now + 100, whole: { field: 'id', values: ['4'] } })).removed).toBe(1)
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', 3]]))
    const wrong = store.writeBatch(ref, { records: [], asked: world.now, whole: { field: 'nothing', values: ['1'] } })
    expect(await refusal(wrong)).toContain('lacks nothing')
  })

  test('of two records with one key in a batch the later one is stored', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: ['First', 'Second'].map((title) => note(store, { id: 1, title })), asked: world.now })
    expect(await rowsOf(store, ref)).toEqual([{ id: 1n, title: 'Second' }])
  })

  test('a version that is still to come keeps nothing out', async () => {
    const ref = createRef()
    await store.writeBatch(ref, { records: [note(store, { id: 1, title: 'Of a wrong clock' })], asked: world.now + 400 * day })
    await store.writeBatch(ref, { records: [note(store, { id: 1, title: 'Right' })], asked: world.now })
    expect(await rowsOf(store, ref)).toEqual([{ id: 1n, title: 'Right' }])
  })
})

/** Reads the stored records, comparable to `Vendor.truth`. */
async function copyOf(store: ContextStore, entity: EntityName): Promise<Map<string, Record<string, unknown>>> {
  const ref = { connector, kind: 'made-up', entity }
  const fields = Object.keys(madeUp.definition.entities[entity]?.context_store_search ?? {})
  const rows = await rowsOf(store, ref, fields.map((name) => `"${name}"`).join(', '))
  const plain = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])),
  )
  const keyed = plain.map((row): [string, Record<string, unknown>] => [
    entities[entity].key.map((name) => String(row[name])).join(' '),
    row,
  ])
  return new Map(keyed.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

describe('a walk over the embedded store', async () => {
  const names = ['people', 'calls', 'transcripts'] as const
  const world = await share(createStoreWorld('embedded'))
  const store = world.open({ kinds: [madeUp.definition] })

  /** Returns the store with a failing n-th change, before or after it is made. */
  function failing(n: number, moment: 'before' | 'after'): { readonly store: SyncTask['store']; happened(): boolean } {
    let left = n
    const at = (now: 'before' | 'after') => {
      if (now === moment && --left === 0) throw fail('context_store_unavailable', {})
    }
    const reading = new Set<unknown>(['getTable', 'readCheckpoints', 'hasUnseen'] satisfies (keyof SyncTask['store'])[])
    const proxy = new Proxy<SyncTask['store']>(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        if (reading.has(name)) return method.bind(target)
        return async (...given: readonly unknown[]): Promise<unknown> => {
          at('before')
          const result: unknown = await Reflect.apply(method, target, given)
          at('after')
          return result
        }
      },
    })
    return { store: proxy, happened: () => left <= 0 }
  }

  test.each(['before', 'after'] as const)('ends as it should when a change fails %s it is made, whichever it is', async (moment) => {
    const side = new Side(filledVendor(12))
    const clock = () => {
      world.now = side.now
      return side.now
    }
    const common = { ...side.only(...names), clock }
    await side.sync({ ...common, store })
    let isOver = false
    for (let n = 1; !isOver; n += 1) {
      side.pass(hour)
      // Deletes, adds and changes records.
      side.vendor.drop('people', ({ id }) => id === `n${n - 1}` || id === `p${n}`)
      side.vendor.put('people', { id: `n${n}`, name: `Round ${n}` })
      side.vendor.put('calls', { id: `c${n % 3}`, isPrivate: n % 2 === 0 ? 'yes' : 'no' })
      const failure = failing(n, moment)
      const mode = n % 3 === 0 ? 'full' : 'incremental'
      await side
        .sync({ ...common, mode, run: `${n}`, store: failure.store })
        .catch(() => side.sync({ ...common, mode, run: `${n}`, store }))
      isOver = !failure.happened()
      for (const name of names) expect([n, name, await copyOf(store, name)]).toEqual([n, name, side.vendor.truth(name)])
    }
  })

  test('fills a table again that was emptied', async () => {
    const side = new Side(filledVendor(12))
    await side.sync({ ...side.only(...names), mode: 'full', store })
    await store.deleteAll({ connector, kind: 'made-up', entity: 'transcripts' })
    side.pass(hour)
    await side.sync({ ...side.only(...names), store })
    for (const name of names) expect([name, await copyOf(store, name)]).toEqual([name, side.vendor.truth(name)])
  })
})
