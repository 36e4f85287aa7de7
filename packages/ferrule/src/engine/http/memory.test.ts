import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BodyMemory } from './memory.ts'

const { signal } = new AbortController()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns the state of a promise after all pending work has run. */
async function settled(promise: Promise<void> | undefined): Promise<'at once' | 'done' | 'waits' | string> {
  if (promise === undefined) return 'at once'
  let state = 'waits'
  promise.then(
    () => (state = 'done'),
    (thrown) => (state = String(thrown.code ?? thrown.message)),
  )
  await vi.advanceTimersByTimeAsync(0)
  return state
}

test('a call waits until another one gives back', async () => {
  const memory = new BodyMemory({ bytes: 100 })
  const [first, second] = [memory.open('a'), memory.open('a')]
  expect(await settled(first.grow(80, signal))).toBe('at once')
  const waiting = second.grow(30, signal)
  expect(await settled(waiting)).toBe('waits')
  first.shrinkTo(70)
  expect(await settled(waiting)).toBe('done')
  expect(memory.held).toBe(100)
  first.close()
  second.close()
  expect(memory.held).toBe(0)
})

test('who waits too long is told to come again, and who goes away takes nothing', async () => {
  const memory = new BodyMemory({ bytes: 100, waitMs: 1_000 })
  const holder = memory.open('a')
  void holder.grow(100, signal)
  const late = memory.open('a').grow(10, signal)
  const gone = new AbortController()
  const left = memory.open('a').grow(10, gone.signal)
  gone.abort(new Error('gone'))
  expect(await settled(left)).toBe('gone')
  expect(await settled(late)).toBe('waits')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await settled(late)).toBe('overloaded')
  holder.close()
  expect(memory.held).toBe(0)
})

test('one call may have all there is, and more than that', async () => {
  const memory = new BodyMemory({ bytes: 100 })
  const lease = memory.open('a')
  expect(await settled(lease.grow(90, signal))).toBe('at once')
  expect(await settled(lease.grow(90, signal))).toBe('at once')
  expect(memory.held).toBe(100)
})

test('where all wait for each other, the newest has to go and the oldest goes on', async () => {
  const memory = new BodyMemory({ bytes: 100 })
  const leases = [1, 2, 3].map(() => memory.open('a'))
  for (const lease of leases) void lease.grow(30, signal)
  const waits = leases.map((lease) => lease.grow(30, signal))
  expect(await Promise.all(waits.map(settled))).toEqual(['done', 'waits', 'overloaded'])
  leases[0]?.close()
  expect(await settled(waits[1])).toBe('done')
})

test('who holds less than its share takes from who holds more: the newest body that arrives', async () => {
  const memory = new BodyMemory({ bytes: 100 })
  const cuts: string[] = []
  const greedy = ['first', 'second', 'third', 'fourth'].map((name) => {
    const lease = memory.open('greedy')
    void lease.grow(25, signal)
    lease.cut = (why) => void cuts.push(`${name} ${why.code}`)
    return lease
  })
  expect(await settled(memory.open('modest').grow(30, signal))).toBe('at once')
  expect(cuts).toEqual(['fourth overloaded', 'third overloaded'])
  expect(memory.held).toBe(80)
  expect(() => greedy[3]?.grow(1, signal)).toThrow('the memory for answers is used up')
  for (const lease of greedy) lease.close()
  expect(memory.held).toBe(30)
})

test('the answer of a write is neither refused nor cut', async () => {
  const memory = new BodyMemory({ bytes: 100 })
  const write = memory.open('a')
  write.isKept = true
  write.cut = () => expect.unreachable()
  expect(await settled(write.grow(300, signal))).toBe('at once')
  expect(await settled(memory.open('b').grow(10, signal))).toBe('waits')
})

test('tells when it is quiet after much was held', async () => {
  const onQuiet = vi.fn()
  const memory = new BodyMemory({ bytes: 100_000_000, onQuiet })
  const use = (bytes: number) => {
    const lease = memory.open('a')
    void lease.grow(bytes, signal)
    lease.close()
  }
  use(1_000)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(onQuiet).not.toHaveBeenCalled()
  use(50_000_000)
  await vi.advanceTimersByTimeAsync(5_000)
  use(1_000)
  await vi.advanceTimersByTimeAsync(9_000)
  expect(onQuiet).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(onQuiet).toHaveBeenCalledTimes(1)
})
