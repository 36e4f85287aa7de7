import { afterEach, describe, expect, test, vi } from 'vitest'
import { clocks } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { MemoryRates } from '../../packages/ferrule/src/engine/limits/own-rates.ts'

afterEach(() => vi.restoreAllMocks())

/** Counts calls of one account in simulated time, and waits as it is told. @returns the times of the calls */
async function callAt(rates: readonly { calls: number; seconds: number }[], asked: readonly number[]): Promise<number[]> {
  const store = new MemoryRates()
  let now = 0
  vi.spyOn(clocks, 'steady').mockImplementation(() => now)
  const times: number[] = []
  for (const at of asked) {
    now = Math.max(now, at)
    const wait = await store.take({ key: 'account', rates })
    if (wait > 0) {
      now += wait - 1
      expect(await store.take({ key: 'account', rates })).toBe(1) // not a millisecond too early
      now += 1
      expect(await store.take({ key: 'account', rates })).toBe(0)
    }
    times.push(now)
  }
  return times
}

describe('calls counted in memory', () => {
  test('are at most so many within any period, and no later than that', async () => {
    const second = { calls: 3, seconds: 1 }
    expect(await callAt([second], [0, 0, 0, 0, 0, 0, 0])).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000])
    expect(await callAt([second], [0, 900, 900, 950, 950, 950, 5_000])).toEqual([0, 900, 900, 1_000, 1_900, 1_900, 5_000])
  })

  test('obey every rate', async () => {
    const rates = [
      { calls: 1, seconds: 1 },
      { calls: 3, seconds: 10 },
    ]
    expect(await callAt(rates, [0, 0, 0, 0, 0])).toEqual([0, 1_000, 2_000, 10_000, 11_000])
  })

  test('are forgotten only when no rate looks back at them', async () => {
    const asked = Array.from({ length: 10_000 }, (_each, index) => index)
    const times = await callAt(
      [
        { calls: 5, seconds: 0.001 },
        { calls: 4_000, seconds: 4 },
      ],
      asked,
    )
    for (const [index, at] of times.entries()) expect((times[index + 4_000] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(4_000)
    expect(times.at(-1)).toBe(9_999)
  })

  test('of another account, and of a slower rate, are counted by their own', async () => {
    const store = new MemoryRates()
    vi.spyOn(clocks, 'steady').mockImplementation(() => 0)
    const [slow, fast] = [[{ calls: 1, seconds: 1 }], [{ calls: 3, seconds: 1 }]]
    expect(await store.take({ key: 'a', rates: slow })).toBe(0)
    expect(await store.take({ key: 'a', rates: slow })).toBe(1_000)
    expect(await store.take({ key: 'b', rates: slow })).toBe(0)
    expect(await store.take({ key: 'a', rates: fast })).toBe(0)
    expect(await store.take({ key: 'a', rates: fast })).toBe(0)
    expect(await store.take({ key: 'a', rates: fast })).toBe(1_000)
  })
})
