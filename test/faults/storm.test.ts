/** A small storm; `npm run soak` runs a large one (test/soak/faults.soak.test.ts). */
import { expect, test } from 'vitest'
import { linesOf, runStorm } from './storm.ts'

test('six random faults leave right data or documented problems behind, and nothing else', { timeout: 600_000 }, async () => {
  const report = await runStorm({ seed: 20_260, faults: 6, warmUp: 4, lanes: 6, isPatient: false })
  const { violations, before, after } = report
  const figures = linesOf(report).join('\n')
  expect(violations, figures).toEqual([])
  expect(after, figures).toMatchObject({ vendorSockets: 0, clientSockets: 0, timers: 0, executesInFlight: 0, vendorRequestsInFlight: 0 })
  expect(after.memory - before.memory, figures).toBeLessThan(20 * 1024 * 1024)
})
