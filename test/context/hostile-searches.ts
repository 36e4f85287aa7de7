/** Hostile searches of a store are answered, or refused as the client's fault, whatever strings they contain. */

import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import type { EngineName } from '../../packages/server/src/copies/store/database/database.ts'
import { createSearcher } from '../support/searcher.ts'
import { drawHostile, hostileText } from './hostile.ts'
import { Random } from './random.ts'
import { createRef, createStoreWorld, note, noteFields } from './store-world.ts'

/** Result of hostile searches. */
export interface HostileReport {
  readonly answered: number
  readonly refused: number
  /** Unexpected failures: the search and its error. */
  readonly failures: readonly string[]
}

/** Runs hostile searches over a store of hostile records. */
export async function askHostile(engine: EngineName, { searches, seed }: { searches: number; seed: number }): Promise<HostileReport> {
  const random = new Random(seed)
  const world = await createStoreWorld(engine)
  const store = world.open()
  const ref = createRef()
  const fields = (id: number) => ({
    id,
    title: hostileText(random),
    made: random.chance(0.5) ? '2026-01-02T03:04:05Z' : hostileText(random),
    price: random.chance(0.5) ? '10.50' : hostileText(random),
    state: hostileText(random),
    parts: [{ [hostileText(random)]: hostileText(random), a: hostileText(random) }],
  })
  await store.writeBatch(ref, { records: Array.from({ length: 30 }, (_, id) => note(store, fields(id))), asked: world.now })
  const searcher = createSearcher(store)
  const outcomes = { answered: 0, refused: 0 }
  const failures: string[] = []
  for (let count = 0; count < searches; count++) {
    const params = drawHostile(random, Object.keys(noteFields))
    try {
      await searcher.search({ ref, params, key: Buffer.from('a key of tests'), now: world.now })
      outcomes.answered += 1
    } catch (thrown) {
      if (thrown instanceof FerruleError && thrown.status < 500) outcomes.refused += 1
      else failures.push(`${writeJson(params)}: ${String(thrown instanceof FerruleError ? thrown.cause : thrown)}`)
    }
  }
  await world.close()
  return { ...outcomes, failures }
}
