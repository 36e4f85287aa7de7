/**
 * Compares the copy of calls with the stand-in after a kill. sync-fresh.test.ts compares the other kinds without one, and
 * `test/soak/sync.soak.test.ts` all of them in complete worlds after many kills.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { createStoreWorld } from './store-world.ts'
import { Truth } from './sync-truth.ts'
import { smallCases } from './sync-truth-kinds.ts'

const seed = 20_260_310
const calls = 120
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

describe.each(smallCases.filter(({ kind }) => kind === 'gong'))('$kind', (given) => {
  test('after kills, faults, jumps of clocks and changes the copy is the truth', async () => {
    const world = await createStoreWorld('embedded')
    closing.push(() => world.close())
    const truth = await Truth.open(given, { folder: world.folder }, calls)
    closing.push(() => truth.close())
    await truth.disturbed({ seed, rounds: 1, longestLife: 1_500 })
    const store = truth.store()
    closing.unshift(() => store.close())
    const { entities } = await truth.sync(store, 'full')
    expect(entities.filter(({ state }) => state !== 'complete')).toEqual([])
    expect(await truth.differences(store)).toEqual({})
  })
})
