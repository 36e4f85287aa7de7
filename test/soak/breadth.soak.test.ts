/** A whole first sync of the stand-in's store within the vendor's limits, on a simulated clock. */
import { expect, test } from 'vitest'
import { listedEntities, perRecordEntities, simulateFirstSync } from '../context/sync-breadth.ts'

test('a store with 16,000 orders is synced as a whole, without a refused call, and nothing starves', { timeout: 1_800_000 }, async () => {
  const { filled, complete, parents } = await simulateFirstSync()
  const all = [...listedEntities, ...perRecordEntities].toSorted()
  expect([...complete.keys()].toSorted()).toEqual(all)
  expect(Math.max(...filled.values())).toBeLessThanOrEqual(180)
  for (const [entity, asked] of parents) expect([entity, new Set(asked).size > 0]).toEqual([entity, true])
  process.stderr.write(`${JSON.stringify(Object.fromEntries(complete))}\n`)
})
