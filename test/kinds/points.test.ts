/** Vendors that count points: calls wait before the vendor refuses them. */
import { expect, test, vi } from 'vitest'
import { clocks } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { movedTime } from '../engine/snowflake-support.ts'
import { loadSubject, walk } from './connectors.ts'
import { Linear } from './stand-ins/linear.ts'
import { linear } from './subject-linear.ts'

test('a long walk waits for points, and the vendor refuses nothing', async () => {
  const kind = await loadSubject(linear)
  using time = movedTime(3_600_000)
  for (const clock of [vi.spyOn(Date, 'now'), vi.spyOn(clocks, 'steady')]) clock.mockImplementation(() => time.now)
  await using vendor = new Linear({ records: 500, smaller: 10 })
  vendor.used = 236_000 // by other programs
  await vendor.listen()
  await using connector = await kind.connectLocally({ credentials: linear.credentials, origin: { api: vendor.origin } })
  const keys = await walk(connector, { entity: 'issues', holds: 'issues', params: { includeArchived: true } })
  expect({ refused: vendor.refused, keys: keys.length, calls: vendor.calls.length }).toEqual({ refused: 0, keys: 500, calls: 20 })
  const waited = time.waits.reduce((sum, wait) => sum + wait, 0) / 60_000
  expect(waited).toBeGreaterThan(5) // minutes, because an hour brings 250,000 points back
  expect(waited).toBeLessThan(20)
})
