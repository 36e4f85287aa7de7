/** Threads for large answers: a job that comes when an idle thread ends is done. */
import { afterEach, expect, test, vi } from 'vitest'
import { ApartThreads } from '../../packages/server/src/main/apart-threads.ts'
import { choose } from '../support/draws.ts'

const idleMs = 1_000
const rounds = choose(3, 10)
const jobs = choose(30, 100)
afterEach(() => vi.useRealTimers())

const job = (number: number) => ({
  wish: { select_fields: ['id'] },
  isList: false,
  bytes: new TextEncoder().encode(`{"id":${number},"left":"out"}`),
})
const toText = ({ bytes }: { readonly bytes: Uint8Array }): string => new TextDecoder().decode(bytes)

test('jobs at the border are done: ten at once, right after the timer of an idle thread fired, again and again', {
  timeout: 240_000,
}, async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const threads = new ApartThreads({ threads: 1, idleMs })
  expect(toText(await threads.cut(job(0)))).toBe('{"id":0}')
  for (let round = 0; round < rounds; round += 1) {
    vi.advanceTimersByTime(idleMs) // the thread begins to end, and has not ended
    const numbers = Array.from({ length: 10 }, (_, index) => round * 10 + index)
    const done = await Promise.all(numbers.map(async (number) => toText(await threads.cut(job(number)))))
    expect(done).toEqual(numbers.map((number) => `{"id":${number}}`))
  }
  await threads.close()
  expect(threads.alive).toBe(0)
})

test('a job right before the timer keeps its thread', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const threads = new ApartThreads({ threads: 1, idleMs })
  await threads.cut(job(0))
  for (let number = 1; number <= jobs; number += 1) {
    vi.advanceTimersByTime(idleMs - 1)
    expect(toText(await threads.cut(job(number)))).toBe(`{"id":${number}}`)
    expect(threads.alive).toBe(1)
  }
  await threads.close()
})
