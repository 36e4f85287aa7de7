/** The rules of indexes on demand as they are, over a hundred thousand records: three searches bring the index, and the next one uses it. */
import { expect, test } from 'vitest'
import { indexRules } from '../../packages/server/src/copies/store/indexes/types.ts'
import { found, indexed, planOf, searchOften } from '../context/indexes-world.ts'
import { createRef, createStoreWorld, note, overBoth } from '../context/store-world.ts'

const records = indexRules.leastRecords
const batch = 2_000
const byState = { filter: { eq: { state: 'state-77' } } }

overBoth('indexes on demand', (engine) => {
  test('come for three searches in a day that read a hundred thousand records', { timeout: 600_000 }, async () => {
    const world = await createStoreWorld(engine)
    const store = world.open()
    const ref = createRef()
    const fieldsOf = (id: number) => ({ id, title: `Note ${id % 40}`, state: `state-${id % 20_000}` })
    for (let from = 0; from < records; from += batch) {
      const notes = Array.from({ length: batch }, (_, index) => note(store, fieldsOf(from + index)))
      await store.writeBatch(ref, { records: notes, asked: world.now })
    }
    await (await store.openDatabase()).withConnection((run) => run({ text: 'vacuum (analyze)' }))
    const expected = [Array.from({ length: 5 }, (_, index) => 77 + index * 20_000)]
    await searchOften(store, ref, { query: byState, times: 2 })
    expect(await indexed(store, ref)).toEqual([])
    expect(await found(store, ref, { query: byState })).toEqual(expected)
    await store.indexes.tick()
    expect(await indexed(store, ref)).toEqual(['state ready'])
    expect(await planOf(store, ref, { query: byState })).toMatch(/cs_on_demand_\d+/)
    expect(await found(store, ref, { query: byState })).toEqual(expected)
    await world.close()
  })
})
