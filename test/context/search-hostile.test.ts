/** Whatever texts a search is made of: it answers, or it is refused as the client's fault. Never a failure of ours. */
import { expect, test } from 'vitest'
import { createSearcher } from '../../src/context/search.ts'
import { FerruleError } from '../../src/errors.ts'
import { drawHostile, hostileText } from './hostile.ts'
import { Random } from './random.ts'
import { createStoreWorld, newPlace, note, noteFields, overBoth } from './store-world.ts'

/** `npm run soak` asks as many as this says. */
const searches = Number(process.env['FERRULE_SOAK_HOSTILE'] ?? 400)
const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? 20_261_122)

overBoth('hostile texts', (engine) => {
  test('are answered or refused wherever they stand', { timeout: 60_000 + searches * 20 }, async () => {
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
    for (let count = 0; count < searches; count++) {
      const params = drawHostile(random, Object.keys(noteFields))
      const outcome = await searcher.search({ place, params, key: Buffer.from('a key of tests'), now: world.now }).catch((error) => error)
      const isRefusal = outcome instanceof FerruleError && outcome.status >= 400 && outcome.status < 500
      const told = outcome instanceof FerruleError ? `${outcome.message} ${String(outcome.cause)}` : String(outcome)
      if (!isRefusal && outcome?.json === undefined) expect.fail(`${JSON.stringify(params)}: ${told}`)
      outcomes[isRefusal ? 'refused' : 'answered'] += 1
    }
    await world.close()
    expect(Math.min(outcomes.answered, outcomes.refused)).toBeGreaterThan(searches / 10)
  })
})
