import { expect, test } from 'vitest'
import { hourMs, simulate } from '../platform/thousands.ts'
import { countByMinute, findLongestGap } from '../platform/thousands-findings.ts'
import { createWorld } from '../platform/world.ts'

/** Simulated hours; the first walks of all connectors take the first ones. */
const [filledHours, week] = [12, Number(process.env['SOAK_HOURS'] ?? 168)]

test('10,000 connectors that begin together keep their schedules on 8 workers for a simulated week', { timeout: 14_400_000 }, async () => {
  const world = await createWorld('sqlite', 'soak thousands')
  const from = world.now + filledHours * hourMs
  const bytes: number[] = []
  const seen = await simulate(world, {
    ...{ connectors: 10_000, hours: week, atOnce: 8, turnMs: 2_000 },
    onHour: (progress) => {
      bytes.push(progress.bytes)
      if (progress.hour % 12 === 0) console.log(`${progress.hour} hours: ${JSON.stringify(progress.ended)}, ${progress.bytes} bytes`)
    },
  })
  const minutes = countByMinute(seen, from)
  const { ended, mostRows, waiting, claimStatements } = seen
  const gap = findLongestGap(seen, { from, to: world.now })
  const herd = Math.max(...minutes) / (minutes.reduce((sum, count) => sum + count, 0) / minutes.length)
  console.log(`thousands of connectors: ${JSON.stringify({ ended, mostRows, waiting, claimStatements, gap, herd, bytes: bytes.at(-1) })}`)
  expect(gap).toBeLessThanOrEqual(1.1)
  expect(herd).toBeLessThan(1.3)
  expect(mostRows).toBeLessThanOrEqual(102)
  // From the hundredth hour on each connector has its hundred runs, and those with shorter intervals have them long before.
  if (week > 120) expect(bytes.at(-1)).toBeLessThan(1.02 * (bytes[115] ?? 0))
  await world.close()
})
