import { expect, test } from 'vitest'
import { GroupedLooks } from '../../packages/server/src/values/grouped-looks.ts'

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Groups that callers of one turn make, each in a later step of that turn. */
async function listGroups(gather?: () => Promise<void>): Promise<readonly (readonly number[])[]> {
  const groups: (readonly number[])[] = []
  const looks = new GroupedLooks<number, number>(async (keys) => {
    groups.push(keys)
    return keys
  }, gather)
  const seen: Promise<number>[] = []
  for (const key of [1, 2, 3]) {
    seen.push(looks.look(String(key), key))
    await new Promise<void>((resolve) => process.nextTick(resolve)) // as requests of one turn are read one after the other
  }
  expect(await Promise.all(seen)).toEqual([1, 2, 3])
  return groups
}

test('callers of one turn are one group where looks wait for the turn to end', async () => {
  expect(await listGroups(turn)).toEqual([[1, 2, 3]])
})

test('a look that waits for nothing has each caller alone', async () => {
  expect(await listGroups()).toEqual([[1], [2], [3]])
})
