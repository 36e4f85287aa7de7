/**
 * Copies against their stand-ins, with many kills: small worlds on both databases, then the whole worlds. `FERRULE_SOAK_SEED` repeats
 * the draws of a run (when a kill meets it is not repeated), `FERRULE_SOAK_SYNC_ROUNDS` sets the number of runs of each small world.
 */
import { describe, expect, test } from 'vitest'
import { createStoreWorld } from '../context/store-world.ts'
import { Truth, type TruthOptions } from '../context/sync-truth.ts'
import { smallCases, type TruthCase, wholeCases } from '../context/sync-truth-kinds.ts'
import { createTestDatabase } from '../support/postgres.ts'

const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['FERRULE_SOAK_SYNC_ROUNDS'] ?? 60)
/** After so many runs the copy is compared, and disturbed again. */
const between = 10

async function openStore(engine: 'embedded' | 'postgres'): Promise<{ at: Truth['at']; close(): Promise<void> }> {
  if (engine === 'postgres') {
    const { url, drop } = await createTestDatabase('sync_soak')
    return { at: { url }, close: drop }
  }
  const world = await createStoreWorld('embedded')
  return { at: { folder: world.folder }, close: () => world.close() }
}

async function soak(given: TruthCase, engine: 'embedded' | 'postgres', options: TruthOptions & { readonly calls?: number }): Promise<void> {
  const { at, close } = await openStore(engine)
  const truth = await Truth.open(given, at, options.calls)
  try {
    for (let done = 0; done < options.rounds; done += between) {
      await truth.disturbed({ ...options, seed: options.seed + done, rounds: Math.min(between, options.rounds - done) })
      const store = truth.store()
      const { entities } = await truth.sync(store, 'full')
      const figures = `${given.kind} on ${engine}, seed ${options.seed}: ${JSON.stringify(truth.report)}`
      expect(
        entities.filter(({ state }) => state !== 'complete'),
        figures,
      ).toEqual([])
      expect(await truth.differences(store), figures).toEqual({})
      await store.close()
      console.log(figures)
    }
  } finally {
    await truth.close()
    await close()
  }
}

describe.each(['embedded', 'postgres'] as const)('small worlds on %s', (engine) => {
  test.each(smallCases)('$kind: the copy is the truth', { timeout: 7_200_000 }, (given) =>
    soak(given, engine, { seed, rounds, longestLife: engine === 'embedded' ? 4_000 : 1_500, calls: 600 }),
  )
})

describe.each(['embedded', 'postgres'] as const)('whole worlds on %s', (engine) => {
  test.each(wholeCases)('$kind: the copy is the truth', { timeout: 7_200_000 }, (given) =>
    soak(given, engine, { seed, rounds: Math.ceil(rounds / 10), longestLife: 120_000 }),
  )
})
