import { expect, test } from 'vitest'
import { FairSlots } from './fair-slots.ts'

/** Work that ends when the test says so. */
function createWork(slots: FairSlots, begun: string[]) {
  const ends: (() => void)[] = []
  const add = (organization: string, name: string, signal?: AbortSignal) =>
    slots.take(organization, signal, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
      return name
    })
  const endOne = async (): Promise<void> => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { add, endOne }
}

test('organizations take slots, whatever each of them waits for', async () => {
  const begun: string[] = []
  const { add, endOne } = createWork(new FairSlots(2), begun)
  const all = [...['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => add('a', name)), add('b', 'b1'), add('b', 'b2'), add('c', 'c1')]
  expect(begun).toEqual(['a1', 'a2'])
  for (let done = 0; done < 8; done += 1) await endOne()
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
  expect(await Promise.all(all)).toHaveLength(8)
})

test('work that fails or was given up leaves its turn to others', async () => {
  const begun: string[] = []
  const slots = new FairSlots(1)
  const { add, endOne } = createWork(slots, begun)
  const left = new AbortController()
  const first = slots.take('a', undefined, () => Promise.reject(new Error('failed')))
  const second = add('b', 'b1', left.signal)
  const third = add('c', 'c1')
  left.abort(new Error('gone'))
  await expect(first).rejects.toThrow('failed')
  await expect(second).rejects.toThrow('gone')
  await endOne()
  expect([begun, await third]).toEqual([['c1'], 'c1'])
})
