/** Complete passes over a million records, with statistics: the time of none may grow with the square of the records. */
import { expect, test } from 'vitest'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { createRef, createStoreWorld, note, overBoth } from '../context/store-world.ts'

const records = Number(process.env['FERRULE_SOAK_RECORDS'] ?? 1_000_000)
const batch = 1_000
/** The second pass misses one of so many records. */
const goneOf = 1_000

const moment = (index: number): string => new Date(Date.UTC(2020, 0, 1) + index * 60_000).toISOString()
const span = { field: 'made', from: moment(0), before: moment(records / 2) }

overBoth(`a pass over ${records} records`, (engine) => {
  test('is completed, and what is gone is found', { timeout: 3_600_000 }, async () => {
    const world = await createStoreWorld(engine)
    const store: ContextStore = world.open()
    const ref: EntityRef = createRef()
    const database = await store.openDatabase()
    const took: Record<string, number> = {}
    const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
      const begin = performance.now()
      const result = await act()
      took[what] = Math.round(performance.now() - begin) / 1_000
      return result
    }
    const walk = async (pass: string, isThere: (id: number) => boolean): Promise<void> => {
      await store.beginPass(ref, pass)
      for (let from = 0; from < records; from += batch) {
        const ids = Array.from({ length: batch }, (_, offset) => from + offset).filter(isThere)
        const given = ids.map((id) => note(store, { id, title: `Note ${id} of word${id % 5_000}`, made: moment(id), state: 'new' }))
        await store.writeBatch(ref, { records: given, asked: world.now, pass })
      }
      await timed(`analyze ${pass}`, () =>
        database.withConnection(async (run) => void (await run({ text: 'analyze' })), { timeoutMs: 600_000 }),
      )
    }
    await timed('first walk', () => walk('first', () => true))
    expect(await timed('first look', () => store.hasUnseen(ref, 'first'))).toBe(false)
    expect(await timed('first sweep', () => store.sweep(ref, 'first'))).toBe(0)
    await timed('second walk', () => walk('second', (id) => id % goneOf !== 7))
    expect(await timed('look at a span', () => store.hasUnseen(ref, 'second', span))).toBe(true)
    expect(await timed('second look', () => store.hasUnseen(ref, 'second'))).toBe(true)
    expect(await timed('second sweep', () => store.sweep(ref, 'second'))).toBe(records / goneOf)
    await timed('third walk', () => walk('third', (id) => id % goneOf !== 7 && id % goneOf !== 8))
    expect(await timed('sweep of a span', () => store.sweep(ref, 'third', span))).toBe(records / goneOf / 2)
    console.log(engine, JSON.stringify(took))
    expect(await store.countRecords(ref.connector)).toEqual(new Map([['notes', records - records / goneOf - records / goneOf / 2]]))
    await world.close()
  })
})
