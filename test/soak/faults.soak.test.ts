/**
 * A thousand random faults against the service as a process. `FERRULE_SOAK_SEED` repeats the draws of a run (the order in which
 * several calls meet them is not repeated), `FERRULE_SOAK_FAULTS` sets their number.
 */
import { expect, test } from 'vitest'
import { linesOf, runStorm } from '../faults/storm.ts'

const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? Date.now() % 1_000_000)
const faults = Number(process.env['FERRULE_SOAK_FAULTS'] ?? 1_000)
const mostGrowth = 20 * 1024 * 1024

test(`${faults} random faults leave right data or documented problems behind, and nothing else`, async () => {
  const report = await runStorm({ seed, faults, warmUp: 150, lanes: 6, isPatient: true })
  const figures = [`seed: ${seed}`, ...linesOf(report)].join('\n')
  console.log(figures)
  const { violations, before, after } = report
  expect(violations, figures).toEqual([])
  expect(after, figures).toMatchObject({ vendorSockets: 0, clientSockets: 0, timers: 0, executesInFlight: 0, vendorRequestsInFlight: 0 })
  expect(after.memory - before.memory, figures).toBeLessThan(mostGrowth)
}, 1_800_000)
