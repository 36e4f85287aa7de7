/** Hostile searches of a store: whatever texts they are made of, they are answered or refused as the client's fault. */
import { createSearcher } from '../../src/context/search.ts'
import type { EngineName } from '../../src/context/store/database.ts'
import { writeJson } from '../../src/engine/json.ts'
import { FerruleError } from '../../src/errors.ts'
import { drawHostile, hostileText } from './hostile.ts'
import { Random } from './random.ts'
import { createStoreWorld, newPlace, note, noteFields } from './store-world.ts'

/** What came of them. */
export interface HostileReport {
  readonly answered: number
  readonly refused: number
  /** Failures of ours: the search, and what it failed with. */
  readonly failures: readonly string[]
}

/** Asks a store of hostile records hostile questions. */
export async function askHostile(engine: EngineName, { searches, seed }: { searches: number; seed: number }): Promise<HostileReport> {
  const random = new Random(seed)
  const world = await createStoreWorld(engine)
  const store = world.open()
  const place = newPlace()
  const fields = (id: number) => ({
    id,
    title: hostileText(random),
    made: random.chance(0.5) ? '2026-01-02T03:04:05Z' : hostileText(random),
    price: random.chance(0.5) ? '10.50' : hostileText(random),
    state: hostileText(random),
    parts: [{ [hostileText(random)]: hostileText(random), a: hostileText(random) }],
  })
  await store.write(place, { records: Array.from({ length: 30 }, (_, id) => note(store, fields(id))), asked: world.now })
  const searcher = createSearcher(store)
  const outcomes = { answered: 0, refused: 0 }
  const failures: string[] = []
  for (let count = 0; count < searches; count++) {
    const params = drawHostile(random, Object.keys(noteFields))
    try {
      await searcher.search({ place, params, key: Buffer.from('a key of tests'), now: world.now })
      outcomes.answered += 1
    } catch (thrown) {
      if (thrown instanceof FerruleError && thrown.status < 500) outcomes.refused += 1
      else failures.push(`${writeJson(params)}: ${String(thrown instanceof FerruleError ? thrown.cause : thrown)}`)
    }
  }
  await world.close()
  return { ...outcomes, failures }
}
