/** Searches with any strings are answered, or refused as the client's fault; `npm run soak` runs more. */
import { expect, test } from 'vitest'
import { askHostile } from './hostile-searches.ts'
import { overStatements } from './store-world.ts'

const searches = 400

overStatements('hostile texts', (engine) => {
  test('are answered or refused wherever they stand', async () => {
    const { answered, refused, failures } = await askHostile(engine, { searches, seed: 20_261_122 })
    expect(failures).toEqual([])
    expect(Math.min(answered, refused)).toBeGreaterThan(searches / 10)
  })
})
